/* What the evaluator has found out about a schema and a value before, so that alternatives that
 * look at the same things inside do not do so again and again: without it nested alternatives would
 * take exponential time. */
#ifndef JSONSCHEMA_MEMO_H
#define JSONSCHEMA_MEMO_H

#include "base/json/json.h"

struct schema_node;

struct memo_entry {
    const struct schema_node *node; /* NULL: free */
    const struct json *value;
    uint32_t age;
    unsigned weight; /* of what is wrong; 0 where only the answer was asked for */
    bool weighed, valid;
};

struct memo {
    struct memo_entry *slots; /* open addressing; the size is a power of two */
    size_t count, size;
    uint32_t age; /* older entries count as free */
};

/* NULL if nothing is known. `weighed`: the weight must be known too. */
const struct memo_entry *memo_find(const struct memo *memo, const struct schema_node *node,
                                   const struct json *value, bool weighed);
/* False without memory. When there is too much, what was known before is forgotten. */
bool memo_add(struct memo *memo, struct arena *arena, const struct memo_entry *entry);
/* The document has changed. */
void memo_forget(struct memo *memo);

#endif
