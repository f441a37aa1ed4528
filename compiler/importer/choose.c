/* Which tools of a file are wanted, by globs over tags, paths and operations, and how they are
 * called, by a pattern. A glob that matches nothing is an error: whoever wrote it meant something.
 */
#include "compiler/importer/parts.h"

#include "base/text.h"

#include <string.h>

enum { MOST_SEEN = 200, MOST_LISTED = 10 };

/* ## Globs: `*` stands for any characters, `/` among them, `?` for one */

static bool matches(gramc_text glob, gramc_text text) {
    size_t g = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < text.len) {
        if (g < glob.len && glob.ptr[g] == '*') {
            star = g++;
            from = t;
        } else if (g < glob.len && (glob.ptr[g] == '?' || glob.ptr[g] == text.ptr[t])) {
            g++;
            t++;
        } else if (star != SIZE_MAX) {
            g = star + 1;
            t = ++from;
        } else return false;
    }
    while (g < glob.len && glob.ptr[g] == '*') g++;
    return g == glob.len;
}

/* ## Filters */

void import_filter_init(struct import_filter *filter, struct importer *in, const char *option,
                        const gramc_text *globs, size_t count) {
    *filter = (struct import_filter){.option = option, .globs = globs, .count = count};
    filter->hits = count ? arena_array(in->arena, count, sizeof *filter->hits) : NULL;
    filter->seen = count ? arena_array(in->arena, MOST_SEEN, sizeof *filter->seen) : NULL;
    for (size_t i = 0; i < count && filter->hits; i++) filter->hits[i] = false;
}

static void note_seen(struct import_filter *filter, gramc_text text) {
    size_t i = 0;
    while (i < filter->seen_count && !text_eq(filter->seen[i], text)) i++;
    if (i == filter->seen_count && i < MOST_SEEN && text.len)
        filter->seen[filter->seen_count++] = text;
}

static bool passes(struct import_filter *filter, gramc_text text) {
    bool any = false;
    if (!filter->hits || !filter->seen) return false;
    note_seen(filter, text);
    for (size_t i = 0; i < filter->count; i++) {
        if (!matches(filter->globs[i], text)) continue;
        filter->hits[i] = any = true;
    }
    return any;
}

static bool passes_tags(struct import_filter *filter, const struct json *tags) {
    bool any = false;
    if (!json_is(tags, JSON_ARRAY)) return false;
    for (const struct json *tag = tags->first; tag; tag = tag->next)
        if (tag->kind == JSON_STRING) any = passes(filter, tag->text) || any;
    return any;
}

/* All are asked, so that each knows what it has matched. */
bool import_is_wanted(struct importer *in, const struct import_subject *subject) {
    bool wanted = true;
    if (in->tags.count) wanted = passes_tags(&in->tags, subject->tags);
    if (in->paths.count) wanted = passes(&in->paths, subject->path) && wanted;
    if (in->operations.count) {
        bool operation = passes(&in->operations, subject->operation);
        wanted = (passes(&in->operations, subject->name) || operation) && wanted;
    }
    return wanted;
}

static void list_seen(struct importer *in, struct finding *f, const struct import_filter *filter,
                      gramc_text glob) {
    struct buf list;
    gramc_text near = text_nearest(glob, filter->seen, filter->seen_count);
    if (near.len) {
        finding_help(in->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
        return;
    }
    buf_init(&list, &in->arena->allocator, SOURCE_MAX);
    for (size_t i = 0; i < filter->seen_count && i < MOST_LISTED; i++)
        buf_printf(&list, "%s`%.*s`", i ? ", " : "", TEXT_ARGS(filter->seen[i]));
    if (filter->seen_count > MOST_LISTED) buf_puts(&list, ", ...");
    if (!list.len) buf_puts(&list, "none: they are an OpenAPI document's");
    finding_help(in->findings, f, "there are %.*s", TEXT_ARGS(buf_view(&list)));
    if (list.state == BUF_NOMEM) in->arena->oom = true;
    buf_free(&list);
}

bool import_filters_hit(struct importer *in, const struct source *source) {
    const struct import_filter *filters[] = {&in->tags, &in->paths, &in->operations};
    struct span start = {0, 0};
    bool good = true;
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++)
        for (size_t i = 0; i < filters[f]->count && filters[f]->hits; i++) {
            if (filters[f]->hits[i]) continue;
            good = false;
            list_seen(in,
                      FIND(in->findings, D_IMPORT_FILTER, source, start,
                           text_of(filters[f]->option), filters[f]->globs[i]),
                      filters[f], filters[f]->globs[i]);
        }
    return good;
}

/* ## Names */

static const char *const parts[] = {"name", "tag", "operation", "method", "path"};

const char *gramc_import_name_part(size_t i) {
    return i < sizeof parts / sizeof *parts ? parts[i] : NULL;
}

static gramc_text part_of(const struct import_subject *subject, gramc_text part) {
    const gramc_text values[] = {subject->name, subject->tag, subject->operation_name,
                                 subject->method, subject->path};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (text_is(part, parts[i])) return values[i];
    return (gramc_text){NULL, 0};
}

/* What is no letter, digit, `_`, `-` or `.` becomes `_`, one for several. */
void import_put_name(struct buf *out, gramc_text text) {
    size_t start = out->len;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i], lower = (char)(c | 0x20);
        bool plain =
            (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (plain) buf_putc(out, c);
        else if (out->len > start && out->ptr[out->len - 1] != '_') buf_putc(out, '_');
    }
    while (out->len > start && out->ptr[out->len - 1] == '_') out->ptr[--out->len] = '\0';
}

/* Separators round a part that is empty go with it. */
static gramc_text trimmed(gramc_text name) {
    size_t start = 0, end = name.len;
    while (start < end && strchr("-_.", name.ptr[start])) start++;
    while (end > start && strchr("-_.", name.ptr[end - 1])) end--;
    return text_slice(name, start, end);
}

gramc_text import_name(struct importer *in, const struct import_subject *subject) {
    gramc_text pattern = in->name;
    struct buf out;
    if (!pattern.len) return subject->name;
    buf_init(&out, &in->arena->allocator, SOURCE_MAX);
    for (size_t i = 0; i < pattern.len; i++) {
        size_t end = i;
        while (pattern.ptr[i] == '{' && end < pattern.len && pattern.ptr[end] != '}') end++;
        if (end > i && end < pattern.len) {
            gramc_text part = text_slice(pattern, i + 1, end);
            if (text_is(part, "name")) buf_text(&out, part_of(subject, part));
            else import_put_name(&out, part_of(subject, part));
            i = end;
        } else buf_putc(&out, pattern.ptr[i]);
    }
    gramc_text name = trimmed(buf_to_arena(&out, in->arena));
    return name.len ? name : subject->name;
}

/* Same letters, `-` and `_` being one. */
static bool same_letter(char a, char b) {
    bool line_a = a == '-' || a == '_', line_b = b == '-' || b == '_';
    bool letter = (a | 0x20) >= 'a' && (a | 0x20) <= 'z';
    return a == b || (line_a && line_b) || (letter && (a | 0x20) == (b | 0x20));
}

/* `meta`, `meta_root`: the action without what the tag says already; empty: it says no more. */
gramc_text import_without_tag(struct arena *arena, gramc_text action, gramc_text tag) {
    size_t i = 0;
    while (i < tag.len && i < action.len && same_letter(tag.ptr[i], action.ptr[i])) i++;
    if (!tag.len || i < tag.len) return action;
    if (i == action.len) return (gramc_text){NULL, 0};
    char next = action.ptr[i];
    if (next == '_' || next == '-') {
        gramc_text rest = trimmed(text_slice(action, i, action.len));
        return rest.len ? rest : action;
    }
    bool word = next >= 'A' && next <= 'Z' && action.ptr[i - 1] >= 'a' && action.ptr[i - 1] <= 'z';
    if (!word) return action;
    gramc_text rest = arena_text(arena, text_slice(action, i, action.len));
    struct buf lower;
    buf_init(&lower, &arena->allocator, SOURCE_MAX);
    buf_putc(&lower, (char)(next | 0x20));
    buf_text(&lower, text_slice(rest, 1, rest.len));
    return buf_to_arena(&lower, arena);
}
