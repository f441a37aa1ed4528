/* JOLT's cardinality: ONE makes the first item of an array stand for it, MANY puts what is no array
 * into one. Keys are names and stars; @ means the place itself, before its children. */
#include "base/text.h"
#include "jolt/jolt.h"

struct cardinality_spec {
    struct element key;
    bool many;                               /* of a leaf */
    const struct cardinality_spec *children; /* literal ones, then computed; NULL: a leaf */
    size_t literals, count;
    const struct cardinality_spec *self; /* the @ among them */
};

/* ## Reading */

static bool read_keys(struct jolt_reader *reader, const struct json *spec,
                      struct cardinality_spec *out, unsigned depth);

static bool read_key(struct jolt_reader *reader, const struct json *member,
                     struct cardinality_spec *out, unsigned depth) {
    struct spelling key;
    if (!spelling_read(reader, member->key, &key) ||
        !element_read_name(reader, member, key, &out->key))
        return false;
    if (text_is(member->key, "@")) out->key.kind = ELEMENT_AT;
    if (member->kind == JSON_OBJECT) {
        if (out->key.kind == ELEMENT_AT)
            return jolt_fail(reader, member, "behind @ stands ONE or MANY");
        return read_keys(reader, member, out, depth + 1);
    }
    out->many = json_is(member, JSON_STRING) && text_is(member->text, "MANY");
    return out->many || (json_is(member, JSON_STRING) && text_is(member->text, "ONE")) ||
           jolt_fail(reader, member, "cardinality is ONE or MANY");
}

static void insert(struct cardinality_spec *keys, size_t count, struct cardinality_spec key) {
    bool computed = key.key.kind != ELEMENT_LITERAL;
    for (; count > 0; count--) {
        const struct cardinality_spec *before = &keys[count - 1];
        bool before_computed = before->key.kind != ELEMENT_LITERAL;
        if (computed ? !before_computed || element_order(&before->key, &key.key) <= 0
                     : !before_computed)
            break;
        keys[count] = *before;
    }
    keys[count] = key;
}

static bool keep(struct jolt_reader *reader, struct cardinality_spec *keys,
                 struct cardinality_spec *out, struct cardinality_spec key) {
    if (key.key.kind == ELEMENT_AT) {
        struct cardinality_spec *self = ARENA_NEW(reader->arena, struct cardinality_spec);
        if (self) *self = key;
        out->self = self;
        return self != NULL;
    }
    out->literals += key.key.kind == ELEMENT_LITERAL;
    insert(keys, out->count++, key);
    return true;
}

static bool read_keys(struct jolt_reader *reader, const struct json *spec,
                      struct cardinality_spec *out, unsigned depth) {
    struct cardinality_spec *keys =
        arena_array(reader->arena, (size_t)spec->count + 1, sizeof(*keys));
    if (!keys) return false;
    if (!jolt_may_nest(reader, spec, depth)) return false;
    if (!spec->first) return jolt_fail(reader, spec, "an empty object matches nothing");
    out->children = keys;
    for (const struct json *member = spec->first; member; member = member->next) {
        struct cardinality_spec key = {.count = 0};
        if (!read_key(reader, member, &key, depth) || !keep(reader, keys, out, key)) return false;
    }
    return true;
}

static bool read_cardinality(struct jolt_reader *reader, const struct json *spec,
                             const void **out) {
    struct cardinality_spec *root = ARENA_NEW(reader->arena, struct cardinality_spec);
    *out = root;
    if (!root) return false;
    if (spec->kind != JSON_OBJECT)
        return jolt_fail(reader, spec, "the spec of a cardinality is an object");
    return read_keys(reader, spec, root, 1);
}

/* ## Applying */

static void adjust(struct jolt_work *work, const struct cardinality_spec *spec,
                   struct jolt_node **place) {
    struct jolt_node *value = *place;
    if (!spec->many) {
        if (value->kind == JSON_ARRAY) *place = value->count ? value->items[0] : work->null;
        return;
    }
    if (value->kind == JSON_ARRAY) return;
    struct jolt_node *list = node_new(work, JSON_ARRAY);
    if (!list || (value->kind != JSON_NULL && !node_push(work, list, value))) return;
    *place = list;
}

static void apply_below(struct jolt_work *work, const struct cardinality_spec *spec,
                        struct jolt_node *node);

static void apply_at(struct jolt_work *work, const struct cardinality_spec *spec,
                     struct jolt_node **place) {
    if (!work_step(work)) return;
    if (!spec->children) {
        adjust(work, spec, place);
        return;
    }
    if (spec->self) adjust(work, spec->self, place);
    apply_below(work, spec, *place);
}

static const struct cardinality_spec *find_key(const struct cardinality_spec *spec,
                                               gramc_text key) {
    struct match match;
    for (size_t i = 0; i < spec->literals; i++)
        if (text_eq(spec->children[i].key.text, key)) return &spec->children[i];
    for (size_t i = spec->literals; i < spec->count; i++)
        if (star_match(&spec->children[i].key, key, &match)) return &spec->children[i];
    return NULL;
}

static void apply_below(struct jolt_work *work, const struct cardinality_spec *spec,
                        struct jolt_node *node) {
    char digits[INDEX_DIGITS];
    if (!node_is_container(node)) return;
    for (uint32_t i = 0; i < node->count && work->status == GRAMC_OK; i++) {
        gramc_text key = node->kind == JSON_OBJECT ? node->keys[i] : index_text(i, digits);
        const struct cardinality_spec *found = find_key(spec, key);
        if (found) apply_at(work, found, &node->items[i]);
    }
}

static struct jolt_node *apply_cardinality(struct jolt_work *work, const void *spec,
                                           struct jolt_node *input) {
    apply_at(work, spec, &input);
    return work->status == GRAMC_OK ? input : NULL;
}

const struct jolt_operation jolt_cardinality = {"cardinality", true, read_cardinality,
                                                apply_cardinality};
