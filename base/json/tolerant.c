/* Finds the one value that a text can mean, and what stands around it: prose, a fence, thoughts, a
 * string that holds it. Each bracket outside a value may begin one; what begins like a value and
 * cannot be read is broken, and then nothing is guessed from its inside. Reading a value is
 * tolerant_read.c's. */
#include "base/json/tolerant.h"

#include "base/json/scan.h"
#include "base/limits.h"
#include "base/text.h"

enum { MOST_STRINGS = 3 }; /* one in the other */

/* Values of one sort, of which there must not be two different ones. */
struct meant {
    struct buf json;
    unsigned repairs;
    size_t start, end; /* in the text */
    bool any, several;
};

struct hunt {
    gramc_text text;
    const struct json_wish *wish;
    struct meant fitting, other;
    bool refused, nomem;
};

static bool wants(const struct json_wish *wish, unsigned kind) {
    return wish->kinds >> kind & 1;
}

/* ## What stands around */

/* What a reader would take for the inside of something else. */
static bool is_torn(const struct hunt *s, size_t start, size_t end) {
    gramc_text before = text_trim(text_slice(s->text, 0, start));
    gramc_text after = text_trim(text_slice(s->text, end, s->text.len));
    return (before.len && memchr("{[,\"", before.ptr[before.len - 1], 4)) ||
           (after.len && memchr("}],:\"", after.ptr[0], 5));
}

/* Closing brackets too many, where nothing but a fence follows. */
static size_t behind_extra(const struct hunt *s, size_t end, unsigned *repairs) {
    size_t at = end;
    while (at < s->text.len &&
           (memchr("}]", s->text.ptr[at], 2) || json_byte_is(s->text.ptr[at], JSON_BYTE_BLANK)))
        at++;
    gramc_text skipped = text_trim(text_slice(s->text, end, at));
    gramc_text rest = text_trim(text_slice(s->text, at, s->text.len));
    if (!skipped.len || (rest.len && !text_is(rest, "```"))) return end;
    *repairs |= JSON_REPAIR_EXTRA;
    return at;
}

/* Prose, unless it is a fence alone: ``` and perhaps a word. */
static unsigned name_outside(gramc_text outside) {
    gramc_text text = text_trim(outside);
    unsigned repairs = text.len ? JSON_REPAIR_PROSE : 0;
    for (size_t i = 0; i + 3 <= text.len; i++) {
        if (memcmp(text.ptr + i, "```", 3) != 0) continue;
        size_t end = i + 3;
        while (end < text.len && ((text.ptr[end] | 0x20) >= 'a' && (text.ptr[end] | 0x20) <= 'z'))
            end++;
        bool alone = i == 0 && end == text.len;
        return (alone ? 0 : JSON_REPAIR_PROSE) | JSON_REPAIR_FENCE;
    }
    return repairs;
}

/* ## Values */

static void keep(struct hunt *s, const struct tolerant *t, size_t start, size_t end) {
    gramc_text json = buf_view(t->out);
    bool fits = !s->wish->fits || s->wish->fits(s->wish->ctx, json);
    struct meant *found = fits ? &s->fitting : &s->other;
    if (found->any) {
        found->several = found->several || !text_eq(buf_view(&found->json), json);
        return;
    }
    buf_text(&found->json, json);
    found->any = true;
    found->repairs = t->repairs;
    found->start = start;
    found->end = end;
}

/* Where to go on. */
static size_t try_at(struct hunt *s, size_t start) {
    struct buf json;
    buf_init(&json, &s->fitting.json.allocator, s->fitting.json.max);
    struct tolerant t = {.p = s->text.ptr + start, .end = s->text.ptr + s->text.len, .out = &json};
    bool read = tolerant_value(&t);
    size_t end = (size_t)(t.p - s->text.ptr), next = start + 1;
    if (read) next = end = behind_extra(s, end, &t.repairs);
    if (json.state == BUF_NOMEM) s->nomem = true;
    else if (read) keep(s, &t, start, end);
    s->refused = s->nomem || (read ? is_torn(s, start, end) : t.committed);
    buf_free(&json);
    return next;
}

static bool may_begin(const struct hunt *s, size_t at) {
    char c = s->text.ptr[at];
    return (c == '{' && wants(s->wish, JSON_OBJECT)) || (c == '[' && wants(s->wish, JSON_ARRAY));
}

/* Models that think aloud try things out there. */
static size_t behind_thoughts(gramc_text text) {
    static const char open[] = "<think>", close[] = "</think>";
    size_t at = (size_t)(text_trim(text).ptr - text.ptr);
    if (!text_starts(text_slice(text, at, text.len), open)) return 0;
    for (; at + sizeof close - 1 <= text.len; at++)
        if (memcmp(text.ptr + at, close, sizeof close - 1) == 0) return at + sizeof close - 1;
    return 0;
}

static void search_brackets(struct hunt *s) {
    size_t tried = 0;
    for (size_t at = behind_thoughts(s->text); at < s->text.len && !s->refused;) {
        if (!may_begin(s, at)) at++;
        else if (++tried > READING_TRIES_MAX) s->refused = true;
        else at = try_at(s, at);
    }
}

/* A number, word or string is looked for where nothing but a fence is around it. */
static void try_scalar(struct hunt *s) {
    gramc_text text = text_trim(s->text);
    size_t start = 0;
    bool fenced = text_starts(text, "```");
    if (fenced) start = 3;
    while (fenced && start < text.len && text.ptr[start] >= 'a' && text.ptr[start] <= 'z') start++;
    struct buf json;
    buf_init(&json, &s->fitting.json.allocator, s->fitting.json.max);
    struct tolerant t = {.p = text.ptr + start, .end = text.ptr + text.len, .out = &json};
    bool read = tolerant_value(&t) && json.state == BUF_FINE;
    gramc_text rest = text_trim((gramc_text){t.p, (size_t)(t.end - t.p)});
    s->nomem = json.state == BUF_NOMEM;
    if (read && (rest.len == 0 || (fenced && text_is(rest, "```")))) {
        size_t from = (size_t)(text.ptr - s->text.ptr) + start;
        keep(s, &t, from, from + (size_t)(t.p - text.ptr) - start);
    }
    buf_free(&json);
}

static gramc_status choose(struct hunt *s, struct buf *out, unsigned *repairs) {
    const struct meant *found = s->fitting.any ? &s->fitting : &s->other;
    if (s->nomem || found->json.state == BUF_NOMEM) return GRAMC_NOMEM;
    if (s->refused || !found->any || found->several) return GRAMC_FINDINGS;
    *repairs |= found->repairs | name_outside(text_slice(s->text, 0, found->start)) |
                name_outside(text_slice(s->text, found->end, s->text.len));
    buf_text(out, buf_view(&found->json));
    return buf_status(out);
}

static gramc_status find(struct buf *out, gramc_text text, const struct json_wish *wish,
                         unsigned *repairs) {
    struct hunt s = {.text = text, .wish = wish};
    unsigned lists = 1u << JSON_OBJECT | 1u << JSON_ARRAY;
    buf_init(&s.fitting.json, &out->allocator, out->max);
    buf_init(&s.other.json, &out->allocator, out->max);
    search_brackets(&s);
    if (!s.refused && !s.fitting.any && !s.other.any && wish->kinds & ~lists) try_scalar(&s);
    gramc_status status = choose(&s, out, repairs);
    buf_free(&s.fitting.json);
    buf_free(&s.other.json);
    return status;
}

/* ## Strings that are JSON */

/* `{\"a\": 1}`: the inside of a JSON string. */
static bool is_inside(gramc_text text) {
    size_t at = 1;
    if (text.len < 2 || (*text.ptr != '{' && *text.ptr != '[')) return false;
    while (at < text.len && (json_byte_is(text.ptr[at], JSON_BYTE_BLANK))) at++;
    return at < text.len && text.ptr[at] == '\\';
}

static gramc_text as_string(struct arena *arena, gramc_text text) {
    char *quoted = arena_alloc(arena, text.len + 2);
    if (!quoted) return (gramc_text){NULL, 0};
    quoted[0] = quoted[text.len + 1] = '"';
    memcpy(quoted + 1, text.ptr, text.len);
    return (gramc_text){quoted, text.len + 2};
}

/* Only what is nothing but a list or map: a string with prose in it is a string. */
static bool may_hold(gramc_text inside) {
    return inside.len && memchr("{[\"", *inside.ptr, 3);
}

static gramc_status read_text(struct buf *out, struct arena *arena, gramc_text text,
                              const struct json_wish *wish, unsigned *repairs) {
    for (unsigned level = 0;; level++) {
        const struct json *value = json_parse(arena, text, NULL);
        bool inside = !value && !arena->oom && is_inside(text);
        if (inside) {
            text = as_string(arena, text);
            value = text.ptr ? json_parse(arena, text, NULL) : NULL;
            if (!value && !arena->oom) return GRAMC_FINDINGS;
        }
        if (arena->oom) return GRAMC_NOMEM;
        if (!value) return find(out, text, wish, repairs);
        if (!inside && wants(wish, value->kind)) {
            buf_text(out, text);
            return buf_status(out);
        }
        if (value->kind != JSON_STRING || level == MOST_STRINGS) return GRAMC_FINDINGS;
        text = text_trim(value->text);
        if (!may_hold(text)) return GRAMC_FINDINGS;
        *repairs |= JSON_REPAIR_DOUBLED;
    }
}

gramc_status json_tolerant(struct buf *out, gramc_text text, const struct json_wish *wish,
                           unsigned *repairs) {
    struct arena arena;
    *repairs = 0;
    arena_init(&arena, &out->allocator);
    gramc_status status = read_text(out, &arena, text_trim(text), wish, repairs);
    arena_free(&arena);
    return status;
}

size_t json_repair_words(unsigned repairs, const char *words[JSON_REPAIR_COUNT]) {
#define WORD(id, word) word,
    static const char *const all[] = {JSON_REPAIRS(WORD)};
#undef WORD
    size_t count = 0;
    for (size_t i = 0; i < JSON_REPAIR_COUNT; i++)
        if (repairs >> i & 1) words[count++] = all[i];
    return count;
}
