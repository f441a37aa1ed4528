/* Names that have to be found among many: keys and choices of a schema by a hash table that the
 * compiler made, keys that no schema names by a list, and a table as soon as an object has more
 * than a few. What an object has in the table goes in the order in which it came, backwards: slots
 * behind one another stay whole. */
#include "jsonschema/fast.h"

#include "base/text.h"

enum { FEW_OWN = 16, FIRST_SLOTS = 2 * RUN_FEW_KEYS, GROWS_BY = 4 };

/* ## Names of the schema */

/* Up to seven bytes: each counts, some twice. */
static inline uint64_t last_bytes(const char *bytes, size_t len) {
    uint32_t low, high;
    if (len >= 4) {
        memcpy(&low, bytes, 4);
        memcpy(&high, bytes + len - 4, 4);
        return (uint64_t)high << 32 | low;
    }
    if (!len) return 0;
    const unsigned char *byte = (const unsigned char *)bytes;
    return (uint64_t)byte[0] | (uint64_t)byte[len / 2] << 8 | (uint64_t)byte[len - 1] << 16;
}

uint64_t fast_hash(const char *bytes, size_t len) {
    uint64_t hash = len * UINT64_C(0x9E3779B97F4A7C15), word;
    for (; len >= 8; bytes += 8, len -= 8) {
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
        hash ^= hash >> 32;
    }
    hash = (hash ^ last_bytes(bytes, len)) * UINT64_C(0xFF51AFD7ED558CCD);
    return hash ^ hash >> 32;
}

const struct fast_key *run_find_text(const struct fast_keys *names, gramc_text text) {
    const struct fast_key *keys = names->keys;
    if (!names->slots) {
        for (size_t i = 0; i < names->count; i++)
            if (text_eq(text, keys[i].text)) return &keys[i];
        return NULL;
    }
    for (uint64_t at = fast_hash(text.ptr, text.len);; at++) {
        uint32_t slot = names->slots[at & names->slot_mask];
        if (!slot) return NULL;
        if (text_eq(text, keys[slot - 1].text)) return &keys[slot - 1];
    }
}

const struct fast_key *run_find_many(const struct run *run, const struct fast_keys *names,
                                     const struct fast_key *likely, const char *inside) {
    const unsigned char *window = run_window(run, inside);
    unsigned seen = 0;
    if (likely < names->keys + names->count && run_head_is(window, likely) &&
        run_tail_is(run, inside, likely))
        return likely;
    const char *close = run_scan_string(run, inside, &seen);
    if (!close || seen & JSON_SEEN_ESCAPE) return NULL;
    return run_find_text(names, (gramc_text){inside, (size_t)(close - inside)});
}

/* ## Names of the instance */

void run_forget_slots(struct run *run, size_t base) {
    for (size_t i = run->key_count; i > base && run->in_slots; i--) {
        if (!run->keys[i - 1].slot) continue;
        run->slots[run->keys[i - 1].slot - 1] = 0;
        run->in_slots--;
    }
}

void run_free_keys(struct run *run) {
    const gramc_allocator *allocator = &run->schema->arena.allocator;
    if (run->keys == run->few_keys) return;
    mem_free(allocator, run->keys, run->key_room * sizeof *run->keys);
    mem_free(allocator, run->slots, (run->slot_mask + 1) * sizeof *run->slots);
}

static bool is_same(const struct run_key *a, const struct run_key *b) {
    if (a->hash != b->hash) return false;
    if (!a->escaped && !b->escaped)
        return a->len == b->len && memcmp(a->start, b->start, a->len) == 0;
    const char *p = a->start, *p_end = p + a->len, *q = b->start, *q_end = q + b->len;
    while (p < p_end && q < q_end)
        if (json_next_char(&p, p_end) != json_next_char(&q, q_end)) return false;
    return p == p_end && q == q_end;
}

/* Puts the i-th key where it can be found. False if the object that begins with `base` has it, or
 * if there were too many that look alike. */
static bool put_in_slot(struct run *run, size_t base, size_t i) {
    struct run_key *key = &run->keys[i];
    for (size_t at = key->hash, tries = 0;; at++, tries++) {
        uint32_t *slot = &run->slots[at & run->slot_mask];
        if (!*slot) {
            *slot = (uint32_t)i + 1;
            key->slot = (uint32_t)(at & run->slot_mask) + 1;
            run->in_slots++;
            return true;
        }
        if (tries && !run_look_again(run, tries)) return false;
        if (*slot > base && is_same(&run->keys[*slot - 1], key)) return false;
    }
}

static void put_all_again(struct run *run) {
    run->in_slots = 0;
    for (size_t i = 0; i < run->key_count; i++)
        if (run->keys[i].slot) (void)put_in_slot(run, i, i);
}

static bool more_keys(struct run *run) {
    const gramc_allocator *allocator = &run->schema->arena.allocator;
    size_t room = run->key_room * GROWS_BY;
    struct run_key *keys = mem_alloc(allocator, room * sizeof *keys);
    uint32_t *slots = mem_alloc(allocator, 2 * room * sizeof *slots);
    if (!keys || !slots) {
        mem_free(allocator, keys, room * sizeof *keys);
        mem_free(allocator, slots, 2 * room * sizeof *slots);
        return run_give_up(run) != NULL;
    }
    memcpy(keys, run->keys, run->key_count * sizeof *keys);
    memset(slots, 0, 2 * room * sizeof *slots);
    run_free_keys(run);
    run->keys = keys;
    run->key_room = room;
    run->slots = slots;
    run->slot_mask = 2 * room - 1;
    put_all_again(run);
    return true;
}

/* The first few of an object are compared with each other. */
static bool remember_few(struct run *run, size_t base) {
    const struct run_key *key = &run->keys[run->key_count];
    for (size_t i = base; i < run->key_count; i++)
        if (is_same(&run->keys[i], key)) return false;
    return true;
}

static bool remember_many(struct run *run, size_t base) {
    if (!run->slots) {
        run->slots = run->few_slots;
        run->slot_mask = FIRST_SLOTS - 1;
        memset(run->few_slots, 0, sizeof run->few_slots);
    }
    if (run->key_count == base + FEW_OWN)
        for (size_t i = base; i < run->key_count; i++)
            if (!put_in_slot(run, base, i)) return false;
    return put_in_slot(run, base, run->key_count);
}

/* The hash of what a key with escapes means. False: it is too long. */
static bool hash_meaning(gramc_text inside, uint32_t *hash) {
    char decoded[RUN_LONGEST_ESCAPED];
    if (inside.len > sizeof decoded) return false;
    size_t len = json_unescape(decoded, inside.ptr, inside.ptr + inside.len);
    *hash = (uint32_t)fast_hash(decoded, len);
    return true;
}

bool run_remember_key(struct run *run, size_t base, gramc_text inside, unsigned seen) {
    if (run->key_count == run->key_room && !more_keys(run)) return false;
    struct run_key *key = &run->keys[run->key_count];
    key->start = inside.ptr;
    key->len = (uint32_t)inside.len;
    key->slot = 0;
    key->escaped = seen & JSON_SEEN_ESCAPE;
    if (!key->escaped) key->hash = (uint32_t)fast_hash(inside.ptr, inside.len);
    else if (!hash_meaning(inside, &key->hash)) return run_give_up(run) != NULL;
    bool fresh =
        run->key_count - base < FEW_OWN ? remember_few(run, base) : remember_many(run, base);
    run->key_count += fresh;
    return fresh;
}
