/* The members of objects by name, for those who look for many of them in one object: sorted once,
 * when that pays. */
#ifndef JSONSCHEMA_MEMBERS_H
#define JSONSCHEMA_MEMBERS_H

#include "base/json/json.h"

struct member_index {
    const struct json *object;
    const struct json **sorted; /* NULL: not made */
    size_t count;
};

/* False without memory. */
/* What that takes of a budget. */
uint64_t member_index_steps(const struct json *object);
bool member_index_make(struct member_index *index, struct arena *arena, const struct json *object);
/* The last member of that name; NULL if there is none. */
const struct json *member_index_find(const struct member_index *index, gramc_text key);
/* A member of that name, whether the index was made or not. */
const struct json *member_find(const struct member_index *index, gramc_text key);

#endif
