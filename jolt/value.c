/* Turns parsed JSON into values that transformations change, and back into text. Members keep their
 * order; large objects have a hash index, made when somebody looks. Depth of recursion is that of
 * the values, which node_copy keeps below a limit. What transformations mean is left to jolt_*.c.
 */
#include "jolt/value.h"

#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"

enum {
    SMALL_OBJECT = 8,                       /* members that are searched one by one */
    DEEPEST_COPY = 2 * JOLT_TREE_DEPTH + 64 /* of values that are still being made */
};

void work_fail(struct jolt_work *work, gramc_status status) {
    if (work->status == GRAMC_OK) work->status = status;
}

bool work_step(struct jolt_work *work) {
    if (work->status != GRAMC_OK) return false;
    if (work->steps_left-- > 0) return true;
    work->steps_left = 0;
    work_fail(work, GRAMC_LIMIT);
    return false;
}

bool work_bytes(struct jolt_work *work, size_t len) {
    if (len > work->bytes_left) work_fail(work, GRAMC_LIMIT);
    else work->bytes_left -= len;
    return work->status == GRAMC_OK;
}

static bool take_values(struct jolt_work *work, size_t count) {
    if (count > work->values_left) work_fail(work, GRAMC_LIMIT);
    else work->values_left -= (uint32_t)count;
    return work->status == GRAMC_OK;
}

struct jolt_node *node_new(struct jolt_work *work, enum json_kind kind) {
    if (!take_values(work, 1)) return NULL;
    struct jolt_node *node = ARENA_NEW(&work->arena, struct jolt_node);
    if (!node) work_fail(work, GRAMC_NOMEM);
    else node->kind = (uint8_t)kind;
    return node;
}

struct jolt_node *node_text(struct jolt_work *work, enum json_kind kind, gramc_text text) {
    struct jolt_node *node = node_new(work, kind);
    if (node) node->text = text;
    return node;
}

/* ## Containers */

static void *longer(struct jolt_work *work, const void *old, size_t count, size_t room,
                    size_t size) {
    void *copy = arena_array(&work->arena, room, size);
    if (!copy) work_fail(work, GRAMC_NOMEM);
    else if (count) memcpy(copy, old, count * size);
    return copy;
}

static bool make_room(struct jolt_work *work, struct jolt_node *container, size_t count) {
    if (count <= container->room) return true;
    size_t room = container->room ? (size_t)container->room * 2 : 4;
    if (room < count) room = count;
    struct jolt_node **items =
        longer(work, container->items, container->count, room, sizeof(struct jolt_node *));
    gramc_text *keys = container->keys;
    if (container->kind == JSON_OBJECT)
        keys = longer(work, keys, container->count, room, sizeof(gramc_text));
    if (!items || (container->kind == JSON_OBJECT && !keys)) return false;
    container->items = items;
    container->keys = keys;
    container->room = (uint32_t)room;
    return true;
}

static void index_put(struct jolt_node *object, uint32_t position) {
    uint32_t mask = object->slot_count - 1, i = text_hash(object->keys[position]) & mask;
    while (object->slots[i]) i = (i + 1) & mask;
    object->slots[i] = position + 1;
}

static bool make_index(struct jolt_work *work, struct jolt_node *object) {
    uint32_t size = 32;
    while (size < object->count * 4) size *= 2;
    uint32_t *slots = arena_zalloc(&work->arena, size * sizeof(*slots));
    if (!slots) {
        work_fail(work, GRAMC_NOMEM);
        return false;
    }
    object->slots = slots;
    object->slot_count = size;
    for (uint32_t i = 0; i < object->count; i++) index_put(object, i);
    return true;
}

static struct jolt_node **search(const struct jolt_node *object, gramc_text key) {
    for (uint32_t i = 0; i < object->count; i++)
        if (text_eq(object->keys[i], key)) return &object->items[i];
    return NULL;
}

struct jolt_node **node_member(struct jolt_work *work, struct jolt_node *object, gramc_text key) {
    if (object->count <= SMALL_OBJECT) return search(object, key);
    if (!object->slots && !make_index(work, object)) return NULL;
    uint32_t mask = object->slot_count - 1;
    for (uint32_t i = text_hash(key) & mask; object->slots[i]; i = (i + 1) & mask) {
        uint32_t position = object->slots[i] - 1;
        if (text_eq(object->keys[position], key)) return &object->items[position];
    }
    return NULL;
}

struct jolt_node **node_make_member(struct jolt_work *work, struct jolt_node *object,
                                    gramc_text key) {
    struct jolt_node **known = node_member(work, object, key);
    if (known || work->status != GRAMC_OK) return known;
    if (!take_values(work, 1) || !make_room(work, object, (size_t)object->count + 1)) return NULL;
    uint32_t position = object->count++;
    object->keys[position] = key;
    object->items[position] = NULL;
    if (object->count * 2 > object->slot_count) object->slots = NULL;
    if (object->slots) index_put(object, position);
    return &object->items[position];
}

struct jolt_node **node_item(struct jolt_node *array, size_t index) {
    return index < array->count ? &array->items[index] : NULL;
}

struct jolt_node **node_append(struct jolt_work *work, struct jolt_node *array) {
    if (!take_values(work, 1) || !make_room(work, array, (size_t)array->count + 1)) return NULL;
    array->items[array->count] = NULL;
    return &array->items[array->count++];
}

bool node_push(struct jolt_work *work, struct jolt_node *array, struct jolt_node *item) {
    struct jolt_node **place = item ? node_append(work, array) : NULL;
    if (place) *place = item;
    return place != NULL;
}

bool node_fill(struct jolt_work *work, struct jolt_node *array, size_t count) {
    if (count <= array->count) return true;
    if (!take_values(work, count - array->count) || !make_room(work, array, count)) return false;
    while (array->count < count) array->items[array->count++] = work->null;
    return true;
}

void node_compact(struct jolt_node *container) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < container->count; i++) {
        if (!container->items[i]) continue;
        container->items[kept] = container->items[i];
        if (container->kind == JSON_OBJECT) container->keys[kept] = container->keys[i];
        kept++;
    }
    if (kept < container->count) container->slots = NULL;
    container->count = kept;
}

bool node_reorder(struct jolt_work *work, struct jolt_node *object, const uint32_t *order) {
    struct jolt_node **items = longer(work, NULL, 0, object->count, sizeof(*items));
    gramc_text *keys = longer(work, NULL, 0, object->count, sizeof(*keys));
    if (!items || !keys) return false;
    for (uint32_t i = 0; i < object->count; i++) {
        items[i] = object->items[order[i]];
        keys[i] = object->keys[order[i]];
    }
    object->items = items;
    object->keys = keys;
    object->room = object->count;
    object->slots = NULL;
    return true;
}

/* ## Whole values */

static struct jolt_node *copy(struct jolt_work *work, struct jolt_node *node, unsigned depth) {
    if (!node_is_container(node)) return node;
    struct jolt_node *made =
        depth < DEEPEST_COPY ? node_new(work, (enum json_kind)node->kind) : NULL;
    if (!made) {
        work_fail(work, GRAMC_LIMIT);
        return NULL;
    }
    if (!take_values(work, node->count) || !make_room(work, made, node->count)) return NULL;
    for (uint32_t i = 0; i < node->count; i++) {
        made->items[i] = copy(work, node->items[i], depth + 1);
        if (node->kind == JSON_OBJECT) made->keys[i] = node->keys[i];
        if (!made->items[i]) return NULL;
    }
    made->count = node->count;
    return made;
}

struct jolt_node *node_copy(struct jolt_work *work, struct jolt_node *node) {
    return copy(work, node, 0);
}

static bool take_children(struct jolt_work *work, struct jolt_node *made,
                          const struct json *value) {
    for (const struct json *child = value->first; child; child = child->next) {
        struct jolt_node *item = node_from_json(work, child);
        struct jolt_node **place = !item ? NULL
                                   : value->kind == JSON_OBJECT
                                       ? node_make_member(work, made, child->key)
                                       : node_append(work, made);
        if (!place) return false;
        *place = item;
    }
    return true;
}

struct jolt_node *node_from_json(struct jolt_work *work, const struct json *value) {
    struct jolt_node *made = node_text(work, (enum json_kind)value->kind, value->text);
    return made && take_children(work, made, value) ? made : NULL;
}

static bool children_equal(struct jolt_work *work, struct jolt_node *a, struct jolt_node *b) {
    bool object = a->kind == JSON_OBJECT;
    for (uint32_t i = 0; i < a->count; i++) {
        struct jolt_node **other = object ? node_member(work, b, a->keys[i]) : &b->items[i];
        if (!other || !node_equal(work, a->items[i], *other)) return false;
    }
    return true;
}

bool node_equal(struct jolt_work *work, struct jolt_node *a, struct jolt_node *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->count != b->count || !work_step(work)) return false;
    return node_is_container(a) ? children_equal(work, a, b) : text_eq(a->text, b->text);
}

bool node_fits(const struct jolt_node *node, unsigned depth) {
    if (!node_is_container(node)) return true;
    if (depth == 0) return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (!node_fits(node->items[i], depth - 1)) return false;
    return true;
}

static void put_node(struct json_writer *w, const struct jolt_node *node);

static void put_container(struct json_writer *w, const struct jolt_node *node) {
    bool object = node->kind == JSON_OBJECT;
    if (object) json_object_begin(w);
    else json_array_begin(w);
    for (uint32_t i = 0; i < node->count; i++) {
        if (object) json_key_text(w, node->keys[i]);
        put_node(w, node->items[i]);
    }
    if (object) json_object_end(w);
    else json_array_end(w);
}

static void put_node(struct json_writer *w, const struct jolt_node *node) {
    switch ((enum json_kind)node->kind) {
    case JSON_NULL: json_null(w); break;
    case JSON_FALSE:
    case JSON_TRUE: json_bool(w, node->kind == JSON_TRUE); break;
    case JSON_NUMBER: json_raw(w, node->text); break;
    case JSON_STRING: json_text(w, node->text); break;
    case JSON_ARRAY:
    case JSON_OBJECT: put_container(w, node); break;
    }
}

void node_put(struct buf *out, const struct jolt_node *node) {
    struct json_writer w = json_writer(out);
    put_node(&w, node);
}

bool text_index(gramc_text text, uint32_t *index) {
    uint32_t value = 0;
    if (text.len == 0 || text.len > 9) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return false;
        value = value * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    *index = value;
    return true;
}

gramc_text index_text(uint32_t index, char digits[INDEX_DIGITS]) {
    size_t start = INDEX_DIGITS;
    do digits[--start] = (char)('0' + index % 10);
    while (index /= 10);
    return (gramc_text){digits + start, INDEX_DIGITS - start};
}
