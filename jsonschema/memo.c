/* A table from pairs of schema node and value to answers. It grows in an arena up to a fixed size
 * and then starts afresh: it saves work, and no answer depends on it. */
#include "jsonschema/memo.h"

enum { MEMO_FIRST = 1 << 10, MEMO_LAST = 1 << 18 };

static size_t hash_pair(const struct schema_node *node, const struct json *value) {
    uint64_t hash = (uint64_t)(uintptr_t)node * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ (uint64_t)(uintptr_t)value) * UINT64_C(0xFF51AFD7ED558CCD);
    return (size_t)(hash ^ hash >> 32);
}

static bool is_free(const struct memo *memo, const struct memo_entry *slot) {
    return !slot->node || slot->age != memo->age;
}

/* Where the answer stands or would stand. There is always a free slot. */
static struct memo_entry *slot_of(const struct memo *memo, const struct schema_node *node,
                                  const struct json *value, bool weighed) {
    for (size_t i = hash_pair(node, value);; i++) {
        struct memo_entry *slot = &memo->slots[i & (memo->size - 1)];
        if (is_free(memo, slot)) return slot;
        if (slot->node == node && slot->value == value && slot->weighed == weighed) return slot;
    }
}

const struct memo_entry *memo_find(const struct memo *memo, const struct schema_node *node,
                                   const struct json *value, bool weighed) {
    if (!memo->count) return NULL;
    const struct memo_entry *slot = slot_of(memo, node, value, weighed);
    return is_free(memo, slot) ? NULL : slot;
}

static bool grow(struct memo *memo, struct arena *arena) {
    struct memo old = *memo;
    memo->size = old.size ? old.size * 4 : MEMO_FIRST;
    memo->slots = arena_array(arena, memo->size, sizeof *memo->slots);
    if (!memo->slots) {
        *memo = old;
        return false;
    }
    for (size_t i = 0; i < old.size; i++) {
        const struct memo_entry *entry = &old.slots[i];
        if (!is_free(&old, entry))
            *slot_of(memo, entry->node, entry->value, entry->weighed) = *entry;
    }
    return true;
}

bool memo_add(struct memo *memo, struct arena *arena, const struct memo_entry *entry) {
    if (memo->count * 2 >= memo->size) {
        if (memo->size == MEMO_LAST) memo_forget(memo);
        else if (!grow(memo, arena)) return false;
    }
    struct memo_entry *slot = slot_of(memo, entry->node, entry->value, entry->weighed);
    if (is_free(memo, slot)) memo->count++;
    *slot = *entry;
    slot->age = memo->age;
    return true;
}

void memo_forget(struct memo *memo) {
    memo->count = 0;
    memo->age++;
}
