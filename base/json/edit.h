/* JSON documents that are made or changed in memory: new values, and members that come and go. All
 * live in the arena; without memory every function does nothing or returns NULL (arena->oom). */
#ifndef BASE_JSON_EDIT_H
#define BASE_JSON_EDIT_H

#include "base/json/json.h"

/* An empty array or object, or null, true, false. */
struct json *json_new(struct arena *arena, enum json_kind kind);
/* A string or number; the text is borrowed. */
struct json *json_new_text(struct arena *arena, enum json_kind kind, gramc_text text);
/* A value of its own whose items and members are the same ones as before: lists can be changed,
 * what stands in them is shared. Of members with one name the last stays, as json_get has it. */
struct json *json_copy_shallow(struct arena *arena, const struct json *value);

struct json *json_find(struct json *object, const char *key);
/* Replaces a member where it stands, or appends it. `value` becomes the member; it must not stand
 * in another list. NULL as object or value does nothing. */
void json_set(struct json *object, gramc_text key, struct json *value);
void json_remove(struct json *object, const char *key);
/* `item` must not stand in another list. */
void json_append(struct json *array, struct json *item);

#endif
