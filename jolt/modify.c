/* JOLT's modify-overwrite-beta, modify-default-beta and modify-define-beta: walks a document with a
 * spec and writes the values of expressions into it. They differ in when they write: always, where
 * there is none or null, where there is none. The expressions are expression.c's. */
#include "jolt/expression.h"

#include "base/text.h"

enum modify_mode { MODE_OVERWRITE, MODE_DEFAULT, MODE_DEFINE };
enum modify_shape {
    SHAPE_ANY,
    SHAPE_OBJECT,
    SHAPE_ARRAY
}; /* what the keys of a spec say they are in */

struct modify_spec {
    struct element key;
    enum modify_mode mode;
    bool only_present; /* "key?" */
    enum modify_shape shape;
    uint32_t fill;                      /* how long the array must be */
    const struct modify_spec *children; /* literal ones, then computed; NULL: a leaf */
    size_t literals, count;
    bool each_once;                 /* an item is taken by a literal key or by a computed one */
    struct expressions expressions; /* of a leaf */
};

/* ## Reading */

static bool read_keys(struct jolt_reader *reader, const struct json *spec, struct modify_spec *out,
                      unsigned depth);

static gramc_text take_prefix(gramc_text key, enum modify_mode *mode) {
    static const char prefixes[] = "+~_";
    for (unsigned i = 0; key.len && i < sizeof(prefixes) - 1; i++) {
        if (key.ptr[0] != prefixes[i]) continue;
        *mode = (enum modify_mode)i;
        return text_slice(key, 1, key.len);
    }
    return key;
}

static gramc_text take_suffix(gramc_text key, bool *only_present) {
    if (key.len < 2 || key.ptr[key.len - 1] != '?' || key.ptr[key.len - 2] == '\\') return key;
    *only_present = true;
    return text_slice(key, 0, key.len - 1);
}

static bool read_key(struct jolt_reader *reader, const struct json *member, struct modify_spec *out,
                     unsigned depth) {
    struct spelling key;
    gramc_text text = take_suffix(take_prefix(member->key, &out->mode), &out->only_present);
    if (!spelling_read(reader, text, &key) || !element_read(reader, member, key, &out->key))
        return false;
    enum element_kind kind = out->key.kind;
    if (kind != ELEMENT_LITERAL && kind != ELEMENT_STAR && kind != ELEMENT_INDEX)
        return jolt_fail(reader, member, "a modify takes names, stars and positions like [2]");
    if (member->kind == JSON_OBJECT && member->first)
        return read_keys(reader, member, out, depth + 1);
    return expressions_read(reader, member, &out->expressions);
}

static bool is_computed(const struct modify_spec *key) {
    return key->key.kind == ELEMENT_STAR;
}

static void insert(struct modify_spec *keys, size_t count, const struct modify_spec *key) {
    for (; count > 0; count--) {
        const struct modify_spec *before = &keys[count - 1];
        if (is_computed(key) ? !is_computed(before) || element_order(&before->key, &key->key) <= 0
                             : !is_computed(before))
            break;
        keys[count] = *before;
    }
    keys[count] = *key;
}

/* One key says what it is in; two that say different things are refused. */
static bool agree(struct jolt_reader *reader, const struct json *member,
                  const struct modify_spec *key, struct modify_spec *out) {
    enum modify_shape shape = SHAPE_OBJECT;
    if (key->key.kind == ELEMENT_INDEX) shape = SHAPE_ARRAY;
    else if (is_computed(key) && key->key.canonical.len == 1) return true;
    if (out->shape != SHAPE_ANY && out->shape != shape)
        return jolt_fail(reader, member, "names and positions cannot stand in one object");
    out->shape = shape;
    if (shape == SHAPE_ARRAY && !key->only_present && key->key.index >= out->fill)
        out->fill = key->key.index + 1;
    return true;
}

static bool read_keys(struct jolt_reader *reader, const struct json *spec, struct modify_spec *out,
                      unsigned depth) {
    struct modify_spec *keys = arena_array(reader->arena, (size_t)spec->count + 1, sizeof(*keys));
    if (!keys) return false;
    if (!jolt_may_nest(reader, spec, depth)) return false;
    out->children = keys;
    for (const struct json *member = spec->first; member; member = member->next) {
        struct modify_spec key = {.mode = out->mode};
        if (!read_key(reader, member, &key, depth) || !agree(reader, member, &key, out))
            return false;
        out->literals += !is_computed(&key);
        insert(keys, out->count++, &key);
    }
    out->each_once = out->mode == MODE_DEFINE && out->shape == SHAPE_ARRAY && out->literals &&
                     out->literals < out->count;
    return true;
}

static bool read_modify(struct jolt_reader *reader, const struct json *spec, enum modify_mode mode,
                        const void **out) {
    struct modify_spec *root = ARENA_NEW(reader->arena, struct modify_spec);
    *out = root;
    if (!root) return false;
    root->mode = mode;
    if (spec->kind != JSON_OBJECT)
        return jolt_fail(reader, spec, "the spec of a modify is an object");
    return read_keys(reader, spec, root, 1);
}

static bool read_overwrite(struct jolt_reader *reader, const struct json *spec, const void **out) {
    return read_modify(reader, spec, MODE_OVERWRITE, out);
}

static bool read_default(struct jolt_reader *reader, const struct json *spec, const void **out) {
    return read_modify(reader, spec, MODE_DEFAULT, out);
}

static bool read_define(struct jolt_reader *reader, const struct json *spec, const void **out) {
    return read_modify(reader, spec, MODE_DEFINE, out);
}

/* ## Writing */

struct modify_place {
    struct jolt_node *container;
    gramc_text key;
    uint32_t index;
};

/* NULL if there is nothing: no member, or an item that the array was only filled up with. */
static struct jolt_node *present(struct jolt_work *work, const struct modify_place *place,
                                 const struct jolt_step *step) {
    if (place->container->kind == JSON_OBJECT) {
        struct jolt_node **member = node_member(work, place->container, place->key);
        return member ? *member : NULL;
    }
    struct jolt_node **item = node_item(place->container, place->index);
    bool filler = item && place->index >= step->original_count && node_is_absent(*item);
    return item && !filler ? *item : NULL;
}

static bool may_write(enum modify_mode mode, const struct jolt_node *before) {
    switch (mode) {
    case MODE_OVERWRITE: return true;
    case MODE_DEFAULT: return node_is_absent(before);
    case MODE_DEFINE: break;
    }
    return !before;
}

static void write_to(struct jolt_work *work, const struct modify_place *place,
                     struct jolt_node *value) {
    struct jolt_node **target = place->container->kind == JSON_OBJECT
                                    ? node_make_member(work, place->container, place->key)
                                    : node_item(place->container, place->index);
    if (target) *target = value;
}

/* ## Walking */

static void apply_key(struct jolt_work *work, const struct modify_spec *spec,
                      const struct modify_place *place, const struct jolt_step *up,
                      struct match *match);

static bool has_shape(const struct modify_spec *spec, const struct jolt_node *node) {
    switch (spec->shape) {
    case SHAPE_ANY: return !node_is_absent(node);
    case SHAPE_OBJECT: return node_is_absent(node) || node->kind == JSON_OBJECT;
    case SHAPE_ARRAY: break;
    }
    return node_is_absent(node) || node->kind == JSON_ARRAY;
}

static void apply_literals(struct jolt_work *work, const struct modify_spec *spec,
                           struct jolt_node *node, const struct jolt_step *step) {
    for (size_t i = 0; i < spec->literals && work->status == GRAMC_OK; i++) {
        const struct modify_spec *child = &spec->children[i];
        struct modify_place place = {node, child->key.text, child->key.index};
        char digits[INDEX_DIGITS];
        struct match match = {.key = child->key.text};
        if (child->key.kind == ELEMENT_INDEX)
            match.key = arena_text(&work->arena, index_text(child->key.index, digits));
        if (node->kind == JSON_ARRAY && place.index >= node->count) continue;
        if ((node->kind == JSON_ARRAY) == (child->key.kind == ELEMENT_INDEX))
            apply_key(work, child, &place, step, &match);
    }
}

static bool is_taken(const struct modify_spec *spec, uint32_t index) {
    for (size_t i = 0; i < spec->literals; i++)
        if (spec->children[i].key.index == index) return true;
    return false;
}

static void apply_computed(struct jolt_work *work, const struct modify_spec *spec,
                           const struct modify_place *place, const struct jolt_step *step) {
    for (size_t i = spec->literals; i < spec->count; i++) {
        struct match match;
        if (!star_match(&spec->children[i].key, place->key, &match)) continue;
        apply_key(work, &spec->children[i], place, step, &match);
        return;
    }
}

static void apply_each(struct jolt_work *work, const struct modify_spec *spec,
                       struct jolt_node *node, const struct jolt_step *step) {
    char digits[INDEX_DIGITS];
    for (uint32_t i = 0; i < node->count && work->status == GRAMC_OK; i++) {
        struct modify_place place = {node, {NULL, 0}, i};
        if (spec->each_once && is_taken(spec, i)) continue;
        place.key = node->kind == JSON_OBJECT ? node->keys[i]
                                              : arena_text(&work->arena, index_text(i, digits));
        apply_computed(work, spec, &place, step);
    }
}

static void apply_children(struct jolt_work *work, const struct modify_spec *spec,
                           struct jolt_node *node, struct jolt_step *step) {
    if (!node_is_container(node)) return;
    step->tree = node;
    step->original_count = node->count;
    if (node->kind == JSON_ARRAY && !node_fill(work, node, spec->fill)) return;
    apply_literals(work, spec, node, step);
    if (spec->literals < spec->count) apply_each(work, spec, node, step);
}

/* A composite key makes the container that its children need, where its mode lets it. */
static struct jolt_node *container_at(struct jolt_work *work, const struct modify_spec *spec,
                                      const struct modify_place *place, struct jolt_node *before) {
    if (!node_is_absent(before) || spec->shape == SHAPE_ANY || !may_write(spec->mode, before))
        return before;
    struct jolt_node *made = node_new(work, spec->shape == SHAPE_ARRAY ? JSON_ARRAY : JSON_OBJECT);
    if (made) write_to(work, place, made);
    return made;
}

static void apply_key(struct jolt_work *work, const struct modify_spec *spec,
                      const struct modify_place *place, const struct jolt_step *up,
                      struct match *match) {
    struct jolt_node *before = present(work, place, up), *value = NULL;
    struct jolt_step step = {up, before ? before : work->null, match, 0};
    if (!work_step(work) || (spec->only_present && !before)) return;
    if (spec->children) {
        if (has_shape(spec, before))
            apply_children(work, spec, container_at(work, spec, place, before), &step);
        return;
    }
    if (may_write(spec->mode, before) &&
        expressions_value(work, &spec->expressions, before, &step, &value))
        write_to(work, place, value);
}

static struct jolt_node *apply_modify(struct jolt_work *work, const void *ctx,
                                      struct jolt_node *input) {
    const struct modify_spec *spec = ctx;
    struct match base = {.key = TEXT("root")}, root = base;
    struct jolt_step below = {NULL, input, &base, 0}, step = {&below, input, &root, 0};
    if (has_shape(spec, input)) apply_children(work, spec, input, &step);
    return work->status == GRAMC_OK ? input : NULL;
}

const struct jolt_operation jolt_modify_overwrite = {"modify-overwrite-beta", true, read_overwrite,
                                                     apply_modify};
const struct jolt_operation jolt_modify_default = {"modify-default-beta", true, read_default,
                                                   apply_modify};
const struct jolt_operation jolt_modify_define = {"modify-define-beta", true, read_define,
                                                  apply_modify};
