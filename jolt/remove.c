/* JOLT's remove and sort. Remove drops the members and items that a spec matches: literals, a|b and
 * stars in objects; positions and * in arrays. Sort orders members by name at every level, those
 * that begin with ~ first, and leaves arrays in their order. */
#include "base/sort.h"
#include "base/text.h"
#include "jolt/jolt.h"

struct remove_spec {
    struct element key;
    const struct remove_spec *children; /* NULL: what matches is removed */
    size_t count;
};

/* ## Remove */

static bool read_keys(struct jolt_reader *reader, const struct json *spec, struct remove_spec *out,
                      unsigned depth);

static bool read_key(struct jolt_reader *reader, const struct json *member, struct spelling key,
                     struct remove_spec *out, unsigned depth) {
    *out = (struct remove_spec){.count = 0};
    if (!element_read_name(reader, member, key, &out->key)) return false;
    if (member->kind == JSON_OBJECT) return read_keys(reader, member, out, depth + 1);
    return (member->kind == JSON_STRING && member->text.len == 0) ||
           jolt_fail(reader, member, "what is to be removed has \"\" behind its key");
}

static bool read_keys(struct jolt_reader *reader, const struct json *spec, struct remove_spec *out,
                      unsigned depth) {
    size_t most = spec->count;
    for (const struct json *member = spec->first; member; member = member->next)
        for (size_t i = 0; i < member->key.len; i++) most += member->key.ptr[i] == '|';
    struct remove_spec *keys = arena_array(reader->arena, most + 1, sizeof(*keys));
    if (!keys) return false;
    if (!jolt_may_nest(reader, spec, depth)) return false;
    if (!spec->first) return jolt_fail(reader, spec, "an empty object removes nothing");
    out->children = keys;
    for (const struct json *member = spec->first; member; member = member->next) {
        struct spelling rest, part;
        if (!spelling_read(reader, member->key, &rest)) return false;
        while (spelling_next(&rest, &part))
            if (!read_key(reader, member, part, &keys[out->count++], depth)) return false;
    }
    return true;
}

static bool read_remove(struct jolt_reader *reader, const struct json *spec, const void **out) {
    struct remove_spec *root = ARENA_NEW(reader->arena, struct remove_spec);
    *out = root;
    if (!root) return false;
    if (spec->kind != JSON_OBJECT)
        return jolt_fail(reader, spec, "the spec of a remove is an object");
    return read_keys(reader, spec, root, 1);
}

static void remove_below(struct jolt_work *work, const struct remove_spec *spec,
                         struct jolt_node *container);

/* A place that holds NULL is removed when its container has been walked. */
static void remove_at(struct jolt_work *work, const struct remove_spec *key,
                      struct jolt_node **place) {
    if (!*place || !work_step(work)) return;
    if (key->children) remove_below(work, key, *place);
    else *place = NULL;
}

static bool key_matches(const struct remove_spec *key, const struct jolt_node *container,
                        uint32_t i) {
    struct match match;
    if (container->kind == JSON_OBJECT) return star_match(&key->key, container->keys[i], &match);
    return key->key.canonical.len == 1; /* in an array only * alone */
}

static void remove_key(struct jolt_work *work, const struct remove_spec *key,
                       struct jolt_node *container) {
    uint32_t index;
    struct jolt_node **place = NULL;
    if (key->key.kind == ELEMENT_STAR) {
        for (uint32_t i = 0; i < container->count; i++)
            if (key_matches(key, container, i)) remove_at(work, key, &container->items[i]);
        return;
    }
    if (container->kind == JSON_OBJECT) place = node_member(work, container, key->key.text);
    else if (text_index(key->key.text, &index)) place = node_item(container, index);
    if (place) remove_at(work, key, place);
}

static void remove_below(struct jolt_work *work, const struct remove_spec *spec,
                         struct jolt_node *container) {
    if (!node_is_container(container)) return;
    for (size_t i = 0; i < spec->count; i++) remove_key(work, &spec->children[i], container);
    node_compact(container);
}

static struct jolt_node *apply_remove(struct jolt_work *work, const void *spec,
                                      struct jolt_node *input) {
    remove_below(work, spec, input);
    return work->status == GRAMC_OK ? input : NULL;
}

const struct jolt_operation jolt_remove = {"remove", true, read_remove, apply_remove};

/* ## Sort */

static bool read_sort(struct jolt_reader *reader, const struct json *spec, const void **out) {
    (void)reader, (void)spec;
    *out = NULL;
    return true;
}

/* Of two positions in the object: the one whose key comes first; keys with a tilde do. */
static bool comes_first(const void *ctx, const void *left, const void *right) {
    const struct jolt_node *object = ctx;
    gramc_text a = object->keys[*(const uint32_t *)left];
    gramc_text b = object->keys[*(const uint32_t *)right];
    bool tilde_a = a.len && a.ptr[0] == '~', tilde_b = b.len && b.ptr[0] == '~';
    if (tilde_a != tilde_b) return tilde_a;
    return text_compare(a, b) < 0;
}

static bool sort_members(struct jolt_work *work, struct jolt_node *object) {
    uint32_t *order = arena_array(&work->arena, 2 * (size_t)object->count, sizeof(*order));
    if (!order) {
        work_fail(work, GRAMC_NOMEM);
        return false;
    }
    for (uint32_t i = 0; i < object->count; i++) order[i] = i;
    order = sort_merge(order, order + object->count, object->count, sizeof(*order), comes_first,
                       object);
    return node_reorder(work, object, order);
}

static void sort_below(struct jolt_work *work, struct jolt_node *node) {
    if (!node_is_container(node) || !work_step(work)) return;
    if (node->kind == JSON_OBJECT && node->count > 1 && !sort_members(work, node)) return;
    for (uint32_t i = 0; i < node->count; i++) sort_below(work, node->items[i]);
}

static struct jolt_node *apply_sort(struct jolt_work *work, const void *spec,
                                    struct jolt_node *input) {
    (void)spec;
    sort_below(work, input);
    return work->status == GRAMC_OK ? input : NULL;
}

const struct jolt_operation jolt_sort = {"sort", false, read_sort, apply_sort};
