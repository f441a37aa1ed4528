/* A table from text to pointer, in an arena: for "was this name seen before, and where". */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/mem.h"

struct map_slot {
    gramc_text key;
    void *value; /* NULL: free slot */
    uint32_t hash;
};

struct map {
    struct arena *arena;
    struct map_slot *slots;
    size_t size, count; /* size is a power of two, or 0 */
};

void map_init(struct map *map, struct arena *arena);
void *map_get(const struct map *map, gramc_text key);
/* Keeps the first value of a key and returns it; `value` itself if the key was new (or memory has
 * run out: arena->oom). The key is borrowed; value must not be NULL. */
void *map_put(struct map *map, gramc_text key, void *value);

#endif
