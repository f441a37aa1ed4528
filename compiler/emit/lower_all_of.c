/* The step of lowering that takes `allOf` apart: what all of its schemas say becomes one schema, as
 * far as that means the same. What cannot be said so is told in the description, like any keyword
 * that a provider does not know; Anthropic's helper takes `allOf` as it is. */
#include "compiler/emit/lower_rules.h"

#include "base/text.h"

/* References may lead back, and each to several others. */
enum { DEEPEST_MERGE = 64, MOST_MERGED = 1000 };

/* The schemas that become one. */
struct all_of_merge {
    struct lower_node *node;
    struct json *whole;
    uint32_t structured, closed; /* how many say what members there are, and what others may be */
    uint32_t count;              /* of schemas */
    bool failed;                 /* something is said twice, and differently */
};

static struct arena *arena_of(const struct all_of_merge *m) {
    return m->node->lowering->arena;
}

static bool says_any(const struct json *schema, const char *const *keywords) {
    for (; *keywords; keywords++) {
        const struct json *value = json_get(schema, *keywords);
        if (value && value->kind != JSON_TRUE) return true;
    }
    return false;
}

/* What is about all members of an object or list that nobody beside it has named. */
static void note_structure(struct all_of_merge *m, const struct json *schema) {
    static const char *const structure[] = {"properties", "items", NULL};
    static const char *const closing[] = {"additionalProperties", "patternProperties",
                                          "prefixItems",          "unevaluatedProperties",
                                          "unevaluatedItems",     NULL};
    bool closed = says_any(schema, closing);
    if (closed) m->closed++;
    if (closed || says_any(schema, structure)) m->structured++;
}

/* ## One keyword that several say */

static bool holds(const struct json *list, const struct json *value) {
    const struct json *v = list->first;
    while (v && !json_equal(v, value)) v = v->next;
    return v != NULL;
}

static void set(struct all_of_merge *m, gramc_text key, struct json *value) {
    json_set(m->whole, key, value);
}

static void merge_properties(struct all_of_merge *m, const struct json *said,
                             const struct json *more) {
    struct json *both = json_copy_shallow(arena_of(m), said);
    for (const struct json *p = more->first; p && both; p = p->next) {
        const struct json *other = json_get_text(said, p->key);
        if (other && !json_equal(other, p)) m->failed = true;
        if (!other) json_set(both, p->key, json_copy_shallow(arena_of(m), p));
    }
    set(m, more->key, both);
}

static void merge_required(struct all_of_merge *m, const struct json *said,
                           const struct json *more) {
    struct json *both = json_copy_shallow(arena_of(m), said);
    for (const struct json *v = more->first; v && both; v = v->next)
        if (!holds(said, v)) json_append(both, json_copy_shallow(arena_of(m), v));
    set(m, more->key, both);
}

static void merge_description(struct all_of_merge *m, const struct json *said,
                              const struct json *more) {
    struct buf text;
    buf_init(&text, &arena_of(m)->allocator, SOURCE_MAX);
    buf_text(&text, said->text);
    buf_putc(&text, '\n');
    buf_text(&text, more->text);
    gramc_text both = buf_to_arena(&text, arena_of(m));
    set(m, more->key, json_new_text(arena_of(m), JSON_STRING, both));
}

static void merge_keyword(struct all_of_merge *m, const struct json *more) {
    const struct json *said = json_get_text(m->whole, more->key);
    bool alike = said && said->kind == more->kind;
    if (!said) set(m, more->key, json_copy_shallow(arena_of(m), more));
    else if (json_equal(said, more) || text_is(more->key, "title")) return;
    else if (alike && text_is(more->key, "properties") && said->kind == JSON_OBJECT)
        merge_properties(m, said, more);
    else if (alike && text_is(more->key, "required") && said->kind == JSON_ARRAY)
        merge_required(m, said, more);
    else if (alike && text_is(more->key, "description") && said->kind == JSON_STRING)
        merge_description(m, said, more);
    else m->failed = true;
}

/* ## Schemas */

static const struct json *target_of(const struct all_of_merge *m, const struct json *reference) {
    if (!json_is(reference, JSON_STRING) || !text_starts(reference->text, "#")) return NULL;
    gramc_text pointer = text_slice(reference->text, 1, reference->text.len);
    return json_at(m->node->lowering->document, pointer);
}

/* Recursion is bounded by DEEPEST_MERGE. */
static void merge_schema(struct all_of_merge *m, const struct json *schema, unsigned depth) {
    if (json_is(schema, JSON_TRUE)) return;
    m->failed = m->failed || !json_is(schema, JSON_OBJECT) || depth == DEEPEST_MERGE ||
                m->count++ == MOST_MERGED;
    if (m->failed || arena_of(m)->oom) return;
    note_structure(m, schema);
    for (const struct json *k = schema->first; k && !m->failed; k = k->next) {
        bool list = text_is(k->key, "allOf") && k->kind == JSON_ARRAY;
        if (text_is(k->key, "$defs")) json_set(m->whole, k->key, json_copy_shallow(arena_of(m), k));
        else if (text_is(k->key, "$ref")) merge_schema(m, target_of(m, k), depth + 1);
        else if (!list) merge_keyword(m, k);
        for (const struct json *part = list ? k->first : NULL; part; part = part->next)
            merge_schema(m, part, depth + 1);
    }
}

/* The type that one of them says: without any, nothing would be left of them. */
static void keep_type(struct lower_node *node, const struct json *all) {
    const struct all_of_merge look = {.node = node};
    for (const struct json *part = all->first; part; part = part->next) {
        const struct json *target = target_of(&look, json_get(part, "$ref"));
        const struct json *type = json_get(target ? target : part, "type");
        if (!type || json_get(node->json, "type")) continue;
        json_set(node->json, TEXT("type"), json_copy_shallow(node->lowering->arena, type));
    }
}

void step_all_of(struct lower_node *node) {
    struct lowering *l = node->lowering;
    const struct json *all = json_get(node->json, "allOf");
    struct all_of_merge m = {.node = node, .whole = json_new(l->arena, JSON_OBJECT)};
    if (!json_is(all, JSON_ARRAY) || !all->first || !m.whole) return;
    merge_schema(&m, node->json, 0);
    if (!m.failed && (m.closed == 0 || m.structured < 2)) {
        node->json = m.whole;
        node_rewritten(node, "`allOf` becomes one schema");
        return;
    }
    if (l->dialect == DIALECT_ANTHROPIC) return;
    keep_type(node, all);
    /* Closed, with none of the names that it needs. */
    bool blank = !json_get(node->json, "type") || type_includes(node->json, "object");
    if (l->dialect == DIALECT_STRICT && blank) node_refuse(node);
    node_describe(node, "allOf");
}
