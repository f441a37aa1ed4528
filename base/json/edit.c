/* Makes JSON values and changes lists of items and members: for documents that are rewritten before
 * they are printed. Parsing, asking and printing are those of the other json_*.c files. */
#include "base/json/edit.h"

#include "base/map.h"
#include "base/text.h"

struct json *json_new(struct arena *arena, enum json_kind kind) {
    struct json *value = ARENA_NEW(arena, struct json);
    if (value) value->kind = (uint8_t)kind;
    return value;
}

struct json *json_new_text(struct arena *arena, enum json_kind kind, gramc_text text) {
    struct json *value = json_new(arena, kind);
    if (value) value->text = text;
    return value;
}

static struct json *copy_one(struct arena *arena, const struct json *value) {
    struct json *copy = ARENA_NEW(arena, struct json);
    if (!copy) return NULL;
    *copy = *value;
    copy->next = NULL;
    return copy;
}

struct json *json_copy_shallow(struct arena *arena, const struct json *value) {
    struct json *copy = value ? copy_one(arena, value) : NULL;
    struct map seen;
    if (!copy) return NULL;
    struct json **tail = &copy->first;
    copy->first = NULL;
    copy->count = 0;
    map_init(&seen, arena);
    for (const struct json *v = value->first; v; v = v->next) {
        struct json *item = copy_one(arena, v);
        struct json *first =
            item && value->kind == JSON_OBJECT ? map_put(&seen, v->key, item) : item;
        if (!first) return NULL;
        if (first != item) {
            item->next = first->next;
            *first = *item;
            continue;
        }
        *tail = item;
        tail = &item->next;
        copy->count++;
    }
    return copy;
}

struct json *json_find(struct json *object, const char *key) {
    struct json *found = NULL;
    if (!json_is(object, JSON_OBJECT)) return NULL;
    for (struct json *m = object->first; m; m = m->next)
        if (text_is(m->key, key)) found = m;
    return found;
}

void json_set(struct json *object, gramc_text key, struct json *value) {
    if (!object || !value) return;
    struct json **at = &object->first;
    while (*at && !text_eq((*at)->key, key)) at = &(*at)->next;
    value->key = key;
    value->next = *at ? (*at)->next : NULL;
    if (!*at) object->count++;
    *at = value;
}

void json_remove(struct json *object, const char *key) {
    if (!object) return;
    for (struct json **at = &object->first; *at;) {
        if (!text_is((*at)->key, key)) {
            at = &(*at)->next;
            continue;
        }
        *at = (*at)->next;
        object->count--;
    }
}

void json_append(struct json *array, struct json *item) {
    if (!array || !item) return;
    struct json **tail = &array->first;
    while (*tail) tail = &(*tail)->next;
    item->next = NULL;
    *tail = item;
    array->count++;
}
