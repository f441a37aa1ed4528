/* Reads of an object that was refused what has to be explained: members that the fast path accepts
 * are noted as such, with nothing in them, and only the others become documents. Calls of tools are
 * mostly wrong in one place. */
#include "jsonschema/fast.h"

#include "base/json/part.h"
#include "base/text.h"

/* An object whose members go by. */
struct outline {
    struct run run;
    gramc_text text;
    struct arena *arena;
    const struct object_rules *rules;
    unsigned flags;  /* gramc_check_flags */
    uint32_t likely; /* property that comes next */
};

/* Its members and their number say all there is to say about it. */
static bool can_outline(const struct schema_node *node) {
    return node->same == node && node->mode == MODE_OBJECT && node->object && !node->apply &&
           !node->values;
}

static uint32_t offset(const struct outline *outline, const char *p) {
    return (uint32_t)(p - outline->text.ptr);
}

static enum json_kind kind_of(const char *p) {
    switch (*p) {
    case '"': return JSON_STRING;
    case '{': return JSON_OBJECT;
    case '[': return JSON_ARRAY;
    case 't': return JSON_TRUE;
    case 'f': return JSON_FALSE;
    case 'n': return JSON_NULL;
    default: return JSON_NUMBER;
    }
}

bool run_has_null(gramc_text text) {
    const char *p = text.ptr, *end = p + text.len;
    while ((p = memchr(p, 'n', (size_t)(end - p))) != NULL && end - p >= 4)
        if (memcmp(p++, "null", 4) == 0) return true;
    return false;
}

/* A null in it might count as absent, and change the document. */
static bool may_change(const struct outline *outline, const struct schema_property *property,
                       const char *p, const char *end) {
    if (!(outline->flags & GRAMC_CHECK_NULL_ABSENT)) return false;
    if (*p == 'n') return property && property->node && property->required == NO_REQUIRED;
    return run_has_null((gramc_text){p, (size_t)(end - p)});
}

static const struct schema_node *node_of(const struct outline *outline,
                                         const struct schema_property *property) {
    const struct schema_node *additional = outline->rules->additional;
    if (property && property->node) return property->node->same;
    return additional ? additional->same : &schema_any;
}

/* p is at the value. NULL: the whole has to be read. */
static struct json *read_value(struct outline *outline, const struct schema_property *property,
                               const char *p) {
    struct run *run = &outline->run;
    const char *end = run_try(run, node_of(outline, property), p);
    if (run->given_up) return NULL;
    if (end) {
        struct json *value = ARENA_NEW(outline->arena, struct json);
        if (!value) return NULL;
        value->kind = (uint8_t)kind_of(p);
        value->mark = MARK_FINE;
        value->start = offset(outline, p);
        value->end = offset(outline, end);
        return value;
    }
    end = run_try(run, &schema_any, p);
    if (!end || may_change(outline, property, p, end)) return NULL;
    return json_parse_part(outline->arena, outline->text, offset(outline, p), offset(outline, end));
}

/* The closing quote. NULL: there is none, or no memory. */
static const char *read_key(struct outline *outline, const char *quote, gramc_text *key) {
    unsigned seen = 0;
    const char *inside = quote + 1, *close = NULL;
    if (*quote == '"') close = run_scan_string(&outline->run, inside, &seen);
    if (!close) return NULL;
    *key = (gramc_text){inside, (size_t)(close - inside)};
    if (!(seen & JSON_SEEN_ESCAPE)) return close;
    char *decoded = arena_alloc(outline->arena, key->len + 1);
    if (!decoded) return NULL;
    *key = (gramc_text){decoded, json_unescape(decoded, inside, close)};
    return close;
}

/* p is at the quote, and then behind the value. */
static struct json *read_member(struct outline *outline, const char **p) {
    gramc_text key;
    const char *quote = *p;
    const char *close = read_key(outline, quote, &key);
    const char *colon = close ? run_skip_blanks(close + 1) : NULL;
    if (!colon || *colon != ':') return NULL;
    const struct schema_property *property =
        find_next_property(outline->rules, key, &outline->likely);
    struct json *value = read_value(outline, property, run_skip_gap(colon));
    if (!value) return NULL;
    value->key = key;
    value->key_start = offset(outline, quote);
    *p = run_skip_blanks(outline->text.ptr + value->end);
    return value;
}

static struct json *read_members(struct outline *outline, const char *open) {
    struct json *object = ARENA_NEW(outline->arena, struct json);
    const char *p = run_skip_blanks(open + 1);
    if (!object) return NULL;
    object->kind = JSON_OBJECT;
    object->start = offset(outline, open);
    struct json **link = &object->first;
    for (bool more = *p != '}'; more; object->count++) {
        struct json *member = *link = read_member(outline, &p);
        if (!member) return NULL;
        link = &member->next;
        more = *p == ',';
        if (more) p = run_skip_gap(p);
    }
    object->end = offset(outline, p + 1);
    return *p == '}' && p + 1 == outline->run.end ? object : NULL;
}

struct json *run_outline(const struct gramc_schema *schema, gramc_text text, unsigned flags,
                         struct arena *arena, uint64_t *spent) {
    if (!text.len) return NULL;
    const char *start = text.ptr, *end = start + text.len;
    while (end > start + 1 && json_byte_is(end[-1], JSON_BYTE_BLANK)) end--;
    if (end[-1] != '}' || text.len > INT32_MAX || schema->dynamic) return NULL;
    if (!can_outline(schema->root)) return NULL;
    struct outline outline;
    outline.text = text;
    outline.arena = arena;
    outline.rules = schema->root->object;
    outline.flags = flags;
    outline.likely = outline.rules->first;
    run_init(&outline.run, schema, start, end, NULL);
    if (*spent >= outline.run.steps) return NULL;
    outline.run.steps -= *spent;
    outline.run.depth = 1;
    const char *open = run_skip_blanks(start);
    struct json *root = *open == '{' ? read_members(&outline, open) : NULL;
    run_free(&outline.run);
    *spent = run_spent(&outline.run);
    return root;
}
