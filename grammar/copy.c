/* Turns a pattern into another one that says the same, in memory of its own: for the few that
 * somebody looks at again when the tree has been given back. Recursion is bounded by the parser's
 * nesting limit. */
#include "grammar/copy.h"

static void *copy_of(struct arena *arena, const void *node, size_t size) {
    void *copy = arena_alloc(arena, size);
    return copy ? memcpy(copy, node, size) : NULL;
}
#define COPY(arena, node) copy_of((arena), (node), sizeof *(node))

static void copy_name(struct arena *arena, struct name *name) {
    if (name->is_quoted) name->as.quoted = COPY(arena, name->as.quoted);
}

/* ## Values */

static struct value *copy_value(struct arena *arena, const struct value *value);

static struct value *copy_values(struct arena *arena, const struct value *first) {
    struct value *copy = NULL, **last = &copy;
    for (const struct value *v = first; v && (*last = copy_value(arena, v)); v = v->next)
        last = &(*last)->next;
    return copy;
}

static struct property *copy_properties(struct arena *arena, const struct property *first) {
    struct property *copy = NULL, **last = &copy;
    for (const struct property *p = first; p; p = p->next) {
        const size_t size = p->value->annotates ? sizeof(struct annotation) : sizeof *p;
        if (!(*last = copy_of(arena, p, size))) break;
        copy_name(arena, &(*last)->key);
        (*last)->value = copy_value(arena, p->value);
        last = &(*last)->next;
    }
    return copy;
}

static const struct value_range *copy_range(struct arena *arena, const struct value_range *range) {
    struct value_range *copy = COPY(arena, range);
    if (copy && range->lower) copy->lower = copy_value(arena, range->lower);
    if (copy && range->upper) copy->upper = copy_value(arena, range->upper);
    return copy;
}

static const struct tagged_text *copy_tagged(struct arena *arena,
                                             const struct tagged_text *tagged) {
    struct tagged_text *copy = COPY(arena, tagged);
    if (copy) copy_name(arena, &copy->tag);
    return copy;
}

static struct value *copy_value(struct arena *arena, const struct value *value) {
    struct value *copy = COPY(arena, value);
    if (!copy) return NULL;
    copy->next = NULL;
    switch ((enum value_kind)value->kind) {
    case VALUE_ARRAY: copy->as.items = copy_values(arena, value->as.items); break;
    case VALUE_MAP: copy->as.entries = copy_properties(arena, value->as.entries); break;
    case VALUE_RANGE: copy->as.range = copy_range(arena, value->as.range); break;
    case VALUE_TAGGED: copy->as.tagged = copy_tagged(arena, value->as.tagged); break;
    case VALUE_INTEGER:
    case VALUE_DECIMAL:
    case VALUE_HEXADECIMAL:
    case VALUE_OCTAL:
    case VALUE_MEASUREMENT:
    case VALUE_BOOLEAN:
    case VALUE_SYMBOL:
    case VALUE_STRING: break; /* text alone */
    }
    return copy;
}

/* ## Patterns */

static struct label *copy_labels(struct arena *arena, const struct label *first) {
    struct label *copy = NULL, **last = &copy;
    for (const struct label *l = first; l && (*last = COPY(arena, l)); l = l->next) {
        copy_name(arena, &(*last)->name);
        last = &(*last)->next;
    }
    return copy;
}

static struct subject *copy_subject(struct arena *arena, const struct subject *subject) {
    struct subject *copy = COPY(arena, subject);
    if (!copy) return NULL;
    copy_name(arena, &copy->identifier);
    copy->labels = copy_labels(arena, subject->labels);
    copy->properties = copy_properties(arena, subject->properties);
    return copy;
}

static struct pattern *copy_pattern(struct arena *arena, const struct pattern *pattern) {
    struct pattern *copy = COPY(arena, pattern);
    if (!copy) return NULL;
    struct pattern **last = &copy->elements;
    copy->next = NULL;
    if (pattern->subject) copy->subject = copy_subject(arena, pattern->subject);
    for (const struct pattern *e = pattern->elements; e; e = e->next) {
        if (!(*last = copy_pattern(arena, e))) break;
        last = &(*last)->next;
    }
    return copy;
}

struct pattern *pattern_copy(struct arena *arena, const struct pattern *pattern) {
    struct pattern *copy = copy_pattern(arena, pattern);
    return arena->oom ? NULL : copy;
}
