/* JOLT's default: writes values where a document has none or null. Literal keys are created, * and
 * a|b apply to what is there; "name[]" is an array whose keys are positions. What is of another
 * kind than the spec expects stays as it is. */
#include "base/text.h"
#include "jolt/jolt.h"

enum key_kind { KEY_LITERAL, KEY_EITHER, KEY_STAR }; /* in order of precedence */

struct default_key {
    enum key_kind kind;
    gramc_text name;          /* without the [] */
    const gramc_text *either; /* its parts */
    size_t either_count;
    bool array;                         /* below it stands an array */
    uint32_t fill;                      /* how long that array must be */
    const struct json *value;           /* of a leaf */
    const struct default_key *children; /* NULL: a leaf */
    size_t count;
};

struct default_spec {
    struct default_key object, array; /* for an object and for an array on top */
    bool takes_array;
};

/* ## Reading */

static bool split_name(struct jolt_reader *reader, struct default_key *out) {
    size_t parts = 1, start = 0;
    for (size_t i = 0; i < out->name.len; i++) parts += out->name.ptr[i] == '|';
    gramc_text *either = arena_array(reader->arena, parts, sizeof(*either));
    if (!either) return false;
    for (size_t i = 0; i <= out->name.len; i++) {
        if (i < out->name.len && out->name.ptr[i] != '|') continue;
        either[out->either_count++] = text_slice(out->name, start, i);
        start = i + 1;
    }
    out->either = either;
    if (parts > 1) out->kind = KEY_EITHER;
    return true;
}

static bool read_name(struct jolt_reader *reader, const struct json *member,
                      struct default_key *out) {
    gramc_text name = member->key;
    if (name.len >= 2 && text_eq(text_slice(name, name.len - 2, name.len), TEXT("[]"))) {
        out->array = true;
        name.len -= 2;
    }
    out->name = name;
    if (text_is(name, "*")) {
        out->kind = KEY_STAR;
        return true;
    }
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '*')
            return jolt_fail(reader, member, "in a default, * stands alone in its key");
    return split_name(reader, out);
}

/* Below "name[]" keys are positions. */
static bool check_positions(struct jolt_reader *reader, const struct json *member,
                            const struct default_key *key, struct default_key *parent) {
    for (size_t i = 0; i < key->either_count; i++) {
        uint32_t index;
        if (!text_index(key->either[i], &index))
            return jolt_fail(reader, member, "below an array a key is a position or *");
        if (key->kind == KEY_LITERAL && index >= parent->fill) parent->fill = index + 1;
    }
    return true;
}

static bool is_before(const struct default_key *a, const struct default_key *b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->kind != KEY_EITHER) return false;
    if (a->either_count != b->either_count) return a->either_count < b->either_count;
    return text_compare(a->name, b->name) < 0;
}

static void insert(struct default_key *keys, size_t count, struct default_key key) {
    for (; count > 0 && is_before(&key, &keys[count - 1]); count--) keys[count] = keys[count - 1];
    keys[count] = key;
}

static bool read_keys(struct jolt_reader *reader, const struct json *spec, struct default_key *out,
                      unsigned depth) {
    struct default_key *keys = arena_array(reader->arena, (size_t)spec->count + 1, sizeof(*keys));
    if (!keys) return false;
    if (!jolt_may_nest(reader, spec, depth)) return false;
    out->children = keys;
    for (const struct json *member = spec->first; member; member = member->next) {
        struct default_key key = {.value = member};
        if (!read_name(reader, member, &key) ||
            (out->array && !check_positions(reader, member, &key, out)) ||
            (member->kind == JSON_OBJECT && !read_keys(reader, member, &key, depth + 1)))
            return false;
        insert(keys, out->count++, key);
    }
    return true;
}

static bool has_positions(const struct json *spec) {
    for (const struct json *member = spec->first; member; member = member->next)
        for (size_t i = 0; i < member->key.len; i++)
            if (!(member->key.ptr[i] >= '0' && member->key.ptr[i] <= '9') &&
                member->key.ptr[i] != '|' && !text_is(member->key, "*") &&
                !text_is(member->key, "*[]"))
                return false;
    return true;
}

static bool read_default(struct jolt_reader *reader, const struct json *spec, const void **out) {
    struct default_spec *made = ARENA_NEW(reader->arena, struct default_spec);
    *out = made;
    if (!made) return false;
    if (spec->kind != JSON_OBJECT)
        return jolt_fail(reader, spec, "the spec of a default is an object");
    made->array.array = true;
    made->takes_array = has_positions(spec);
    return read_keys(reader, spec, &made->object, 1) &&
           (!made->takes_array || read_keys(reader, spec, &made->array, 1));
}

/* ## Applying */

static void apply_keys(struct jolt_work *work, const struct default_key *key,
                       struct jolt_node *node);

static void apply_at(struct jolt_work *work, const struct default_key *key,
                     struct jolt_node **place) {
    struct jolt_node *made = NULL;
    if (!work_step(work)) return;
    if (node_is_absent(*place)) {
        made = key->children ? node_new(work, key->array ? JSON_ARRAY : JSON_OBJECT)
                             : node_from_json(work, key->value);
        *place = made ? made : work->null;
        if (!made) return;
    }
    if (key->children) apply_keys(work, key, *place);
}

static bool is_one_of(const struct default_key *key, gramc_text name) {
    for (size_t i = 0; i < key->either_count; i++)
        if (text_eq(key->either[i], name)) return true;
    return false;
}

static void apply_to_object(struct jolt_work *work, const struct default_key *key,
                            struct jolt_node *object) {
    if (key->kind == KEY_LITERAL) {
        struct jolt_node **place = node_make_member(work, object, key->name);
        if (place) apply_at(work, key, place);
        return;
    }
    for (uint32_t i = 0; i < object->count && work->status == GRAMC_OK; i++)
        if (key->kind == KEY_STAR || is_one_of(key, object->keys[i]))
            apply_at(work, key, &object->items[i]);
}

static void apply_to_array(struct jolt_work *work, const struct default_key *key,
                           struct jolt_node *array) {
    for (size_t i = 0; i < key->either_count; i++) {
        uint32_t index;
        struct jolt_node **place =
            text_index(key->either[i], &index) ? node_item(array, index) : NULL;
        if (place) apply_at(work, key, place);
    }
    for (uint32_t i = 0; key->kind == KEY_STAR && i < array->count && work->status == GRAMC_OK; i++)
        apply_at(work, key, &array->items[i]);
}

static void apply_keys(struct jolt_work *work, const struct default_key *key,
                       struct jolt_node *node) {
    if (!node_is(node, key->array ? JSON_ARRAY : JSON_OBJECT)) return;
    if (key->array && !node_fill(work, node, key->fill)) return;
    for (size_t i = 0; i < key->count && work->status == GRAMC_OK; i++) {
        if (key->array) apply_to_array(work, &key->children[i], node);
        else apply_to_object(work, &key->children[i], node);
    }
}

static struct jolt_node *apply_default(struct jolt_work *work, const void *ctx,
                                       struct jolt_node *input) {
    const struct default_spec *spec = ctx;
    if (node_is_absent(input)) input = node_new(work, JSON_OBJECT);
    if (!input) return NULL;
    bool array = input->kind == JSON_ARRAY;
    if (!array || spec->takes_array) apply_keys(work, array ? &spec->array : &spec->object, input);
    return work->status == GRAMC_OK ? input : NULL;
}

const struct jolt_operation jolt_default = {"default", true, read_default, apply_default};
