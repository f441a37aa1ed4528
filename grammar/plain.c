/* Turns a tree's list of extensions into findings when plain gram is asked for, and looks at the
 * encoding of the text. The reference grammar tolerates something that looks like an error: a
 * string whose closing quote is parted from its text by a line end, blanks and comments only. It is
 * a warning there. Bytes that are no UTF-8 are errors in either mode. */
#include "grammar/plain.h"

#include "base/map.h"
#include "base/text.h"
#include "grammar/string.h"

#include <string.h>

enum { MOST_BAD_BYTES = 100 };

static const enum diag_id rows[EXTENSION_COUNT] = {
    [EXT_NESTED_VALUE] = D_PLAIN_NESTED_VALUE,
    [EXT_EMPTY_ARRAY] = D_PLAIN_EMPTY_ARRAY,
    [EXT_MAP_DOUBLE_COLON] = D_PLAIN_MAP_DOUBLE_COLON,
    [EXT_EXPONENT] = D_PLAIN_EXPONENT,
    [EXT_DECIMAL_MEASUREMENT] = D_PLAIN_DECIMAL_MEASUREMENT,
    [EXT_STRING_NEWLINE] = D_PLAIN_STRING_NEWLINE,
    [EXT_UNICODE_ESCAPE] = D_PLAIN_UNICODE_ESCAPE,
};

static void report_extension(struct findings *findings, const struct source *source,
                             const struct extension_use *use) {
    gramc_text text = source_slice(source, use->span);
    enum diag_id id = rows[use->extension];
    if (use->extension == EXT_STRING_NEWLINE &&
        string_tail_is_blank(text_slice(text, 1, text.len - 1)))
        id = D_PLAIN_LATE_QUOTE;
    FIND(findings, id, source, use->span, text);
}

static size_t ascii_run(const char *text, size_t len) {
    size_t pos = 0;
    for (uint64_t words[4]; pos + sizeof words <= len; pos += sizeof words) {
        memcpy(words, text + pos, sizeof words);
        if ((words[0] | words[1] | words[2] | words[3]) & UINT64_C(0x8080808080808080)) break;
    }
    while (pos < len && !(text[pos] & 0x80)) pos++;
    return pos;
}

/* The next stretch of bytes that are no UTF-8, from *pos on; false if there is none. */
static bool next_bad_bytes(gramc_text text, size_t *pos, struct span *out) {
    size_t at = *pos;
    while (at < text.len) {
        at += ascii_run(text.ptr + at, text.len - at);
        size_t start = at;
        while (at < text.len && text_decode(text, &at) == UINT32_MAX) *pos = at;
        if (*pos <= start) continue;
        *out = (struct span){(uint32_t)start, (uint32_t)*pos};
        return true;
    }
    return false;
}

static bool is_reported(const struct findings *findings, const struct source *source,
                        struct span span) {
    for (const struct finding *f = findings->first; f; f = f->next)
        if (f->source == source &&
            (f->id == D_WRONG_ENCODING ||
             (f->id == D_INVALID_UTF8 && f->span.start >= span.start && f->span.start < span.end)))
            return true;
    return false;
}

static void check_encoding(struct findings *findings, const struct source *source) {
    struct span span;
    size_t pos = 0;
    for (int count = 0; count < MOST_BAD_BYTES; count++) {
        if (!next_bad_bytes(source->text, &pos, &span)) return;
        if (is_reported(findings, source, span)) continue;
        FIND0(findings, D_INVALID_UTF8, source, span);
    }
}

/* ## Identifiers that are introduced twice */

struct introduced {
    struct findings *findings;
    const struct source *source;
    struct map brackets; /* of the whole file */
};

static bool introduces(const struct pattern *pattern) {
    const struct subject *subject = pattern->subject;
    if (!subject || !subject_has_identifier(subject) || pattern->kind == PATTERN_ANNOTATED)
        return false;
    return pattern->kind == PATTERN_BRACKET || subject->labels || subject_has_record(subject);
}

static void introduce(struct introduced *seen, struct map *names, const struct pattern *pattern) {
    const struct name *name = &pattern->subject->identifier;
    const struct name *first = map_put(names, name_text(*name), &pattern->subject->identifier);
    if (first == name) return;
    struct finding *f = FIND(seen->findings, D_PLAIN_INTRODUCED_TWICE, seen->source,
                             name_span(*name), name_text(*name));
    finding_label(seen->findings, f, seen->source, name_span(*first), "first introduced here");
}

/* One list of elements, and what is inside them. Recursion is bounded by the parser's nesting
 * limit. */
static void look(struct introduced *seen, const struct pattern *first, bool is_path) {
    struct map nodes;
    map_init(&nodes, seen->brackets.arena);
    for (const struct pattern *p = first; p; p = p->next) {
        bool bracket = p->kind == PATTERN_BRACKET;
        if (introduces(p) && (bracket || !is_path))
            introduce(seen, bracket ? &seen->brackets : &nodes, p);
        if (p->kind == PATTERN_ANNOTATED) look(seen, p->elements, false);
        else look(seen, p->elements, p->kind == PATTERN_PATH);
    }
}

void plain_check(struct findings *findings, const struct tree *tree, bool plain) {
    check_encoding(findings, tree->source);
    if (!plain) return;
    struct arena arena;
    struct introduced seen = {.findings = findings, .source = tree->source};
    arena_init(&arena, &findings->arena->allocator);
    map_init(&seen.brackets, &arena);
    look(&seen, tree->patterns, false);
    if (arena.oom) findings->arena->oom = true;
    arena_free(&arena);
    for (const struct extension_use *use = tree->extensions; use; use = use->next)
        report_extension(findings, tree->source, use);
}
