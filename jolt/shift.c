/* JOLT's shift: walks input and spec together and builds a new document out of what matched. Each
 * key of the input is taken by one key of the spec only: a literal one, then those with references
 * and stars in their order; @, $ and # always run. Two values for one place become an array. */
#include "base/text.h"
#include "jolt/jolt.h"

struct shift_spec {
    struct element key;
    const struct shift_spec *children; /* NULL: a leaf */
    size_t counts[3];                  /* of children, by enum children_kind, in this order */
    bool conflict;                 /* a literal child's key would match a computed one as well */
    const struct jolt_path *paths; /* of a leaf: where to write */
    size_t path_count;
};

/* ## Reading */

static bool read_children(struct jolt_reader *reader, const struct json *spec,
                          struct shift_spec *out, unsigned depth);

static bool read_path(struct jolt_reader *reader, const struct json *value, struct jolt_path *out) {
    struct spelling text;
    if (value->kind == JSON_NULL) {
        *out = (struct jolt_path){NULL, SIZE_MAX}; /* matched, and dropped */
        return true;
    }
    if (value->kind != JSON_STRING)
        return jolt_fail(reader, value, "shift writes to a path, a list of paths, or null");
    return spelling_read(reader, text_trim(value->text), &text) &&
           path_read(reader, value, text, false, out);
}

static bool read_leaf(struct jolt_reader *reader, const struct json *value,
                      struct shift_spec *out) {
    bool list = value->kind == JSON_ARRAY;
    size_t count = list ? value->count : 1;
    struct jolt_path *paths = arena_array(reader->arena, count + 1, sizeof(*paths));
    if (!paths) return false;
    out->paths = paths;
    out->path_count = count;
    if (!list) return read_path(reader, value, paths);
    for (const struct json *item = value->first; item; item = item->next)
        if (!read_path(reader, item, paths++)) return false;
    return true;
}

static bool read_child(struct jolt_reader *reader, const struct json *value, struct spelling key,
                       struct shift_spec *out, unsigned depth) {
    *out = (struct shift_spec){.path_count = 0};
    if (!element_read(reader, value, key, &out->key)) return false;
    if (out->key.kind == ELEMENT_APPEND) return jolt_fail(reader, value, "[] cannot be matched");
    if (value->kind != JSON_OBJECT) return read_leaf(reader, value, out);
    if (out->key.kind == ELEMENT_AT || out->key.kind == ELEMENT_DOLLAR ||
        out->key.kind == ELEMENT_HASH)
        return jolt_fail(reader, value, "below @, $ and # stands a path, not another object");
    return read_children(reader, value, out, depth + 1);
}

static enum children_kind kind_of(const struct shift_spec *child) {
    switch (child->key.kind) {
    case ELEMENT_LITERAL: return CHILDREN_LITERAL;
    case ELEMENT_AT:
    case ELEMENT_DOLLAR:
    case ELEMENT_HASH:
    case ELEMENT_LOOKUP: return CHILDREN_SPECIAL;
    default: return CHILDREN_COMPUTED;
    }
}

static bool is_before(const struct shift_spec *a, const struct shift_spec *b) {
    enum children_kind x = kind_of(a), y = kind_of(b);
    if (x != y) return x < y;
    return x == CHILDREN_COMPUTED && element_order(&a->key, &b->key) < 0;
}

/* Keeps the order of equals. Specs are short. */
static void sort_children(struct shift_spec *children, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct shift_spec child = children[i];
        size_t k = i;
        for (; k > 0 && is_before(&child, &children[k - 1]); k--) children[k] = children[k - 1];
        children[k] = child;
    }
}

static bool literal_conflicts(const struct shift_spec *literal, const struct shift_spec *computed) {
    struct match match;
    return computed->key.kind != ELEMENT_STAR ||
           star_match(&computed->key, literal->key.text, &match);
}

static void finish_children(struct shift_spec *out, struct shift_spec *children, size_t count) {
    sort_children(children, count);
    for (size_t i = 0; i < count; i++) out->counts[kind_of(&children[i])]++;
    size_t literals = out->counts[CHILDREN_LITERAL], computed = out->counts[CHILDREN_COMPUTED];
    for (size_t i = 0; i < literals && !out->conflict; i++)
        for (size_t k = literals; k < literals + computed && !out->conflict; k++)
            out->conflict = literal_conflicts(&children[i], &children[k]);
    out->children = children;
}

static bool is_new(const struct shift_spec *children, size_t count) {
    const struct shift_spec *last = &children[count];
    for (size_t i = 0; i < count; i++)
        if (children[i].key.kind == last->key.kind && !last->key.path && !children[i].key.path &&
            text_eq(children[i].key.canonical, last->key.canonical))
            return false;
    return true;
}

static size_t count_parts(const struct json *spec) {
    size_t count = spec->count;
    for (const struct json *member = spec->first; member; member = member->next)
        for (size_t i = 0; i < member->key.len; i++) count += member->key.ptr[i] == '|';
    return count;
}

static bool read_children(struct jolt_reader *reader, const struct json *spec,
                          struct shift_spec *out, unsigned depth) {
    struct shift_spec *children = arena_array(reader->arena, count_parts(spec) + 1, sizeof(*out));
    size_t count = 0;
    if (!children) return false;
    if (!jolt_may_nest(reader, spec, depth)) return false;
    if (!spec->first) return jolt_fail(reader, spec, "an empty object matches nothing");
    for (const struct json *member = spec->first; member; member = member->next) {
        struct spelling rest, part;
        if (!spelling_read(reader, member->key, &rest)) return false;
        while (spelling_next(&rest, &part)) {
            if (!read_child(reader, member, part, &children[count], depth)) return false;
            if (!is_new(children, count))
                return jolt_fail(reader, member, "this key stands here twice");
            count++;
        }
    }
    finish_children(out, children, count);
    return true;
}

static bool read_shift(struct jolt_reader *reader, const struct json *spec, const void **out) {
    struct shift_spec *root = ARENA_NEW(reader->arena, struct shift_spec);
    *out = root;
    if (!root) return false;
    if (spec->kind != JSON_OBJECT)
        return jolt_fail(reader, spec, "the spec of a shift is an object");
    return read_children(reader, spec, root, 1);
}

/* ## Writing */

struct shift {
    struct jolt_work *work;
    struct jolt_node *output; /* NULL: nothing was written */
};

/* The place for `key` below `*place`, which becomes a container if it holds nothing. NULL if it
 * holds something else. */
static struct jolt_node **step_into(struct jolt_work *work, struct jolt_node **place,
                                    const struct element *element, gramc_text key) {
    bool array = element_is_index(element);
    uint32_t index;
    if (node_is_absent(*place)) *place = node_new(work, array ? JSON_ARRAY : JSON_OBJECT);
    if (!node_is(*place, array ? JSON_ARRAY : JSON_OBJECT)) return NULL;
    if (!array) return node_make_member(work, *place, key);
    if (element->kind == ELEMENT_APPEND) return node_append(work, *place);
    if (!text_index(key, &index) || !node_fill(work, *place, (size_t)index + 1)) return NULL;
    return node_item(*place, index);
}

static void put_value(struct jolt_work *work, struct jolt_node **place, struct jolt_node *value) {
    struct jolt_node *copy = node_copy(work, value);
    struct jolt_node *before = *place;
    if (!copy) {
        if (!before) *place = work->null;
        return;
    }
    if (node_is_absent(before)) {
        *place = copy;
    } else if (before->kind == JSON_ARRAY) {
        (void)node_push(work, before, copy);
    } else {
        struct jolt_node *list = node_new(work, JSON_ARRAY);
        if (list && node_push(work, list, before) && node_push(work, list, copy)) *place = list;
    }
}

static bool path_keys(struct jolt_work *work, const struct jolt_path *path,
                      const struct jolt_step *step, gramc_text *keys) {
    for (size_t i = 0; i < path->count; i++) {
        uint32_t index;
        const struct element *element = &path->elements[i];
        if (!element_text(work, element, step, &keys[i])) return false;
        if (element_is_index(element) && element->kind != ELEMENT_APPEND &&
            !text_index(keys[i], &index))
            return false;
    }
    return true;
}

static void write_to(struct shift *shift, const struct jolt_path *path,
                     const struct jolt_step *step, struct jolt_node *value) {
    gramc_text keys[JOLT_PATH_LENGTH];
    struct jolt_node **place = &shift->output;
    if (path->count == SIZE_MAX || !work_step(shift->work)) return;
    if (!path_keys(shift->work, path, step, keys)) return;
    for (size_t i = 0; i < path->count && place; i++)
        place = step_into(shift->work, place, &path->elements[i], keys[i]);
    if (place) put_value(shift->work, place, value);
}

/* ## Walking */

static bool apply(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                  struct jolt_node *input, const struct jolt_step *up);

static void apply_computed(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                           struct jolt_node *input, const struct jolt_step *step) {
    const struct shift_spec *computed = spec->children + spec->counts[CHILDREN_LITERAL];
    for (size_t i = 0; i < spec->counts[CHILDREN_COMPUTED]; i++)
        if (apply(shift, &computed[i], key, input, step)) return;
}

static void apply_one_of_all(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                             struct jolt_node *input, const struct jolt_step *step) {
    for (size_t i = 0; i < spec->counts[CHILDREN_LITERAL]; i++) {
        if (!text_eq(spec->children[i].key.text, key)) continue;
        (void)apply(shift, &spec->children[i], key, input, step);
        return;
    }
    apply_computed(shift, spec, key, input, step);
}

static struct jolt_node *literal_child(struct jolt_work *work, struct jolt_node *input,
                                       gramc_text key) {
    uint32_t index;
    struct jolt_node **place = NULL;
    if (input->kind == JSON_OBJECT) place = node_member(work, input, key);
    else if (input->kind == JSON_ARRAY && text_index(key, &index)) place = node_item(input, index);
    else if (!node_is_container(input) && text_eq(node_spelling(input), key)) return work->null;
    return place ? *place : NULL;
}

static void apply_literals(struct shift *shift, const struct shift_spec *spec,
                           struct jolt_node *input, const struct jolt_step *step) {
    for (size_t i = 0; i < spec->counts[CHILDREN_LITERAL]; i++) {
        const struct shift_spec *child = &spec->children[i];
        struct jolt_node *value = literal_child(shift->work, input, child->key.text);
        if (value) (void)apply(shift, child, child->key.text, value, step);
    }
}

typedef void (*visit_key)(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                          struct jolt_node *input, const struct jolt_step *step);

/* A scalar counts as a key without a value. */
static void each_key(struct shift *shift, const struct shift_spec *spec, struct jolt_node *input,
                     const struct jolt_step *step, visit_key visit) {
    char digits[INDEX_DIGITS];
    if (!node_is_container(input)) {
        visit(shift, spec, node_spelling(input), shift->work->null, step);
        return;
    }
    for (uint32_t i = 0; i < input->count && shift->work->status == GRAMC_OK; i++) {
        gramc_text key = input->kind == JSON_OBJECT
                             ? input->keys[i]
                             : arena_text(&shift->work->arena, index_text(i, digits));
        visit(shift, spec, key, input->items[i], step);
    }
}

static void apply_children(struct shift *shift, const struct shift_spec *spec,
                           struct jolt_node *input, const struct jolt_step *step) {
    if (node_is_absent(input)) return;
    if (spec->conflict) {
        each_key(shift, spec, input, step, apply_one_of_all);
        return;
    }
    apply_literals(shift, spec, input, step);
    if (spec->counts[CHILDREN_COMPUTED]) each_key(shift, spec, input, step, apply_computed);
}

/* What a special leaf writes. */
static bool special_value(struct shift *shift, const struct shift_spec *spec,
                          const struct jolt_step *step, struct jolt_node **value) {
    gramc_text text;
    switch (spec->key.kind) {
    case ELEMENT_AT: return true;
    case ELEMENT_LOOKUP: return element_lookup(shift->work, &spec->key, step, value);
    default:
        if (!element_text(shift->work, &spec->key, step, &text)) return false;
        *value = node_text(shift->work, JSON_STRING, text);
        return *value != NULL;
    }
}

static void apply_leaf(struct shift *shift, const struct shift_spec *spec, struct jolt_node *value,
                       const struct jolt_step *step) {
    for (size_t i = 0; i < spec->path_count; i++) write_to(shift, &spec->paths[i], step, value);
}

static void apply_special(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                          struct jolt_node *input, const struct jolt_step *up) {
    struct match own;
    struct jolt_step step = {up, input, up->match, 0};
    if (!special_value(shift, spec, up, &input)) return;
    if ((spec->key.kind == ELEMENT_DOLLAR || spec->key.kind == ELEMENT_HASH) &&
        element_match(shift->work, &spec->key, key, up, &own))
        step.match = &own;
    if (!spec->children) {
        apply_leaf(shift, spec, input, &step);
        return;
    }
    step.tree = input;
    for (size_t i = 0; i < spec->counts[CHILDREN_SPECIAL]; i++)
        apply_special(shift, &spec->children[spec->counts[0] + spec->counts[1] + i], key, input,
                      &step);
    apply_children(shift, spec, input, &step);
    up->match->hits++;
}

static void apply_composite(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                            struct jolt_node *input, const struct jolt_step *step) {
    const struct shift_spec *special = spec->children + spec->counts[0] + spec->counts[1];
    for (size_t i = 0; i < spec->counts[CHILDREN_SPECIAL]; i++)
        apply_special(shift, &special[i], key, input, step);
    apply_children(shift, spec, input, step);
}

static bool apply(struct shift *shift, const struct shift_spec *spec, gramc_text key,
                  struct jolt_node *input, const struct jolt_step *up) {
    struct match match;
    if (!work_step(shift->work) || !element_match(shift->work, &spec->key, key, up, &match))
        return false;
    struct jolt_step step = {up, input, &match, 0};
    if (spec->children) apply_composite(shift, spec, key, input, &step);
    else apply_leaf(shift, spec, input, &step);
    up->match->hits++;
    return true;
}

static struct jolt_node *apply_shift(struct jolt_work *work, const void *spec,
                                     struct jolt_node *input) {
    struct shift shift = {work, NULL};
    struct match base = {.key = TEXT("root")}, root = base;
    struct jolt_step below = {NULL, input, &base, 0}, step = {&below, input, &root, 0};
    apply_composite(&shift, spec, root.key, input, &step);
    if (work->status != GRAMC_OK) return NULL;
    return shift.output ? shift.output : work->null;
}

const struct jolt_operation jolt_shift = {"shift", true, read_shift, apply_shift};
