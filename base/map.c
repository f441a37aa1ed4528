/* Turns names into what was stored under them: open addressing, at most three quarters full, never
 * shrinks. Keys are borrowed, memory is the arena's. */
#include "base/map.h"

#include "base/text.h"

void map_init(struct map *map, struct arena *arena) {
    *map = (struct map){.arena = arena};
}

static struct map_slot *find(struct map_slot *slots, size_t size, gramc_text key, uint32_t hash) {
    size_t i = hash & (size - 1);
    while (slots[i].value && !(slots[i].hash == hash && text_eq(slots[i].key, key)))
        i = (i + 1) & (size - 1);
    return &slots[i];
}

void *map_get(const struct map *map, gramc_text key) {
    return map->size ? find(map->slots, map->size, key, text_hash(key))->value : NULL;
}

static bool grow(struct map *map) {
    size_t size = map->size ? map->size * 2 : 16;
    struct map_slot *slots = arena_array(map->arena, size, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < map->size; i++) {
        const struct map_slot *old = &map->slots[i];
        if (old->value) *find(slots, size, old->key, old->hash) = *old;
    }
    map->slots = slots;
    map->size = size;
    return true;
}

void *map_put(struct map *map, gramc_text key, void *value) {
    if (map->count * 4 >= map->size * 3 && !grow(map)) return value;
    uint32_t hash = text_hash(key);
    struct map_slot *slot = find(map->slots, map->size, key, hash);
    if (slot->value) return slot->value;
    *slot = (struct map_slot){key, value, hash};
    map->count++;
    return value;
}
