/* Compares two trees, before and after formatting: the check without which no file is rewritten.
 * What the rules may change is passed over, everything else must be equal. Recursion is bounded by
 * the parser's nesting limit. */
#include "compiler/fmt/format.h"

#include "base/text.h"

static bool same_name(const struct name *a, const struct name *b) {
    bool numbers = (name_kind(*a) == NAME_INTEGER) == (name_kind(*b) == NAME_INTEGER);
    return numbers && text_eq(name_text(*a), name_text(*b));
}

static bool same_key(const struct property *a, const struct property *b) {
    return same_name(&a->key, &b->key) || text_eq(format_renamed_key(a), name_text(b->key));
}

/* ## Values */

static bool same_value(struct arena *arena, const struct value *a, const struct value *b);

static bool same_properties(struct arena *arena, const struct property *a,
                            const struct property *b) {
    for (; a && b; a = a->next, b = b->next)
        if (!same_key(a, b) || !same_value(arena, a->value, b->value)) return false;
    return !a && !b;
}

static bool same_items(struct arena *arena, const struct value *a, const struct value *b) {
    for (; a && b; a = a->next, b = b->next)
        if (!same_value(arena, a, b)) return false;
    return !a && !b;
}

static bool same_end(struct arena *arena, const struct value *a, const struct value *b) {
    return a && b ? same_value(arena, a, b) : a == b;
}

/* JSON may move into a fence, and what is portable has other quotes: the text is what counts. */
static bool same_string(struct arena *arena, const struct value *a, const struct value *b) {
    const struct name *tag = scalar_tag(a), *other = scalar_tag(b);
    if (a->kind == VALUE_TAGGED && !text_eq(name_text(*tag), name_text(*other))) return false;
    if (text_eq(scalar_text(a), scalar_text(b))) return true;
    bool fenced = a->quote == QUOTE_FENCE || b->quote == QUOTE_FENCE;
    return fenced && text_eq(format_meant(arena, a), format_meant(arena, b));
}

static bool same_value(struct arena *arena, const struct value *a, const struct value *b) {
    if (a->kind != b->kind) return false;
    switch ((enum value_kind)a->kind) {
    case VALUE_INTEGER:
    case VALUE_DECIMAL:
    case VALUE_HEXADECIMAL:
    case VALUE_OCTAL:
    case VALUE_MEASUREMENT:
    case VALUE_BOOLEAN:
    case VALUE_SYMBOL: return text_eq(scalar_text(a), scalar_text(b));
    case VALUE_STRING:
    case VALUE_TAGGED: return same_string(arena, a, b);
    case VALUE_RANGE:
        return same_end(arena, a->as.range->lower, b->as.range->lower) &&
               same_end(arena, a->as.range->upper, b->as.range->upper);
    case VALUE_ARRAY: return same_items(arena, a->as.items, b->as.items);
    case VALUE_MAP: return same_properties(arena, a->as.entries, b->as.entries);
    }
    return false;
}

/* ## Patterns */

static bool same_labels(const struct label *a, const struct label *b) {
    for (; a && b; a = a->next, b = b->next)
        if (!same_name(&a->name, &b->name)) return false;
    return !a && !b;
}

static bool same_subject(struct arena *arena, const struct subject *a, const struct subject *b) {
    if (!a || !b) return a == b;
    if (subject_has_identifier(a) != subject_has_identifier(b) ||
        subject_has_record(a) != subject_has_record(b))
        return false;
    if (subject_has_identifier(a) && !same_name(&a->identifier, &b->identifier)) return false;
    return same_labels(a->labels, b->labels) &&
           same_properties(arena, a->properties, b->properties);
}

static bool same_patterns(struct arena *arena, const struct pattern *a, const struct pattern *b);

static bool same_pattern(struct arena *arena, const struct pattern *a, const struct pattern *b) {
    if (a->kind != b->kind || a->direction != b->direction) return false;
    if (a->family != b->family && b->family != ARROW_DOUBLE) return false;
    return same_subject(arena, a->subject, b->subject) &&
           same_patterns(arena, a->elements, b->elements);
}

static bool same_patterns(struct arena *arena, const struct pattern *a, const struct pattern *b) {
    for (; a && b; a = a->next, b = b->next)
        if (!same_pattern(arena, a, b)) return false;
    return !a && !b;
}

/* ## Comments */

static bool same_comments(const struct tree *before, const struct tree *after) {
    const struct comment *a = before->comments, *b = after->comments;
    for (; a && b; a = a->next, b = b->next)
        if (!text_eq(text_trim(source_slice(before->source, a->span)),
                     text_trim(source_slice(after->source, b->span))))
            return false;
    return !a && !b;
}

bool format_same_tree(struct arena *arena, const struct tree *before, const struct tree *after) {
    return same_patterns(arena, before->patterns, after->patterns) && same_comments(before, after);
}
