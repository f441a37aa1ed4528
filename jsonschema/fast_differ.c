/* Whether the items of an array all differ, told from the bytes: equal values have equal hashes,
 * however they are written. Only where two hashes are the same a document is read, which knows. */
#include "jsonschema/fast.h"

#include "base/json/number.h"
#include "base/text.h"

enum { FEW_HASHES = 64, MOST_PLAIN_DIGITS = 18, LONGEST_DECODED = 1024 };

static const uint64_t HASH_STEP = UINT64_C(0xFF51AFD7ED558CCD);

static uint64_t stir(uint64_t hash) {
    hash *= HASH_STEP;
    return hash ^ hash >> 29;
}

/* ## Hashes of values, which are well-formed */

/* p is behind the quote, then behind the closing one. */
static uint64_t hash_string(struct run *run, const char **p) {
    char decoded[LONGEST_DECODED];
    unsigned seen = 0;
    const char *close = run_scan_string(run, *p, &seen);
    gramc_text text = {*p, close ? (size_t)(close - *p) : 0};
    if (!close || (seen & JSON_SEEN_ESCAPE && text.len > sizeof decoded)) {
        run_give_up(run);
        return 0;
    }
    *p = close + 1;
    if (seen & JSON_SEEN_ESCAPE)
        text = (gramc_text){decoded, json_unescape(decoded, text.ptr, close)};
    return fast_hash(text.ptr, text.len);
}

static uint64_t hash_number(const char **p) {
    const char *start = *p, *digits = start + (*start == '-');
    int64_t whole = 0;
    for (*p = digits; json_byte_is(**p, JSON_BYTE_DIGIT); ++*p)
        if (*p - digits < MOST_PLAIN_DIGITS) whole = whole * 10 + (**p - '0');
    if (*p - digits <= MOST_PLAIN_DIGITS && !json_byte_is(**p, JSON_BYTE_NUMBER))
        return (uint64_t)(*start == '-' ? -whole : whole);
    while (json_byte_is(**p, JSON_BYTE_NUMBER) || **p == '-' || **p == '+') ++*p;
    gramc_text text = {start, (size_t)(*p - start)};
    if (fast_whole(text, &whole)) return (uint64_t)whole;
    struct decimal number = decimal_read(text);
    return decimal_hash(&number);
}

static uint64_t hash_value(struct run *run, const char **p);

/* The order of members does not count. */
static uint64_t hash_object(struct run *run, const char **p) {
    uint64_t hash = 0;
    *p = run_skip_blanks(*p + 1);
    while (**p == '"' && !run->given_up) {
        ++*p;
        uint64_t key = hash_string(run, p);
        if (run->given_up) return 0;
        *p = run_skip_gap(run_skip_blanks(*p));
        hash += stir(stir(key) ^ hash_value(run, p));
        *p = run_skip_blanks(*p);
        if (**p == ',') *p = run_skip_gap(*p);
    }
    ++*p;
    return hash;
}

static uint64_t hash_array(struct run *run, const char **p) {
    uint64_t hash = 0;
    *p = run_skip_blanks(*p + 1);
    while (**p != ']' && !run->given_up) {
        hash = stir(hash + hash_value(run, p));
        *p = run_skip_blanks(*p);
        if (**p == ',') *p = run_skip_gap(*p);
    }
    ++*p;
    return hash;
}

/* As deep as the document. */
static uint64_t hash_value(struct run *run, const char **p) {
    switch (**p) {
    case '"': ++*p; return stir(hash_string(run, p) + 1);
    case '{': return stir(hash_object(run, p) + 2);
    case '[': return stir(hash_array(run, p) + 3);
    case 't': *p += 4; return 4;
    case 'f': *p += 5; return 5;
    case 'n': *p += 4; return 6;
    default: return stir(hash_number(p) + 7);
    }
}

/* ## Arrays */

/* Open addressing, at most half full; 0: free. */
struct hash_set {
    struct run *run;
    uint64_t *slots;
    size_t count, size, tries;
    uint64_t few[2 * FEW_HASHES];
};

/* False if it was there. */
static bool put_hash(struct hash_set *set, uint64_t hash) {
    for (size_t at = (size_t)hash;; at++, set->tries++) {
        uint64_t *slot = &set->slots[at & (set->size - 1)];
        if (*slot == hash) return false;
        if (*slot) continue;
        *slot = hash;
        set->count++;
        return true;
    }
}

static void free_slots(const struct hash_set *set, uint64_t *slots, size_t size) {
    if (slots != set->few)
        mem_free(&set->run->schema->arena.allocator, slots, size * sizeof *slots);
}

static bool grow_set(struct hash_set *set) {
    uint64_t *old = set->slots;
    size_t size = set->size;
    uint64_t *slots = mem_alloc(&set->run->schema->arena.allocator, 4 * size * sizeof *slots);
    if (!slots) return run_give_up(set->run) != NULL;
    memset(slots, 0, 4 * size * sizeof *slots);
    set->slots = slots;
    set->size = 4 * size;
    set->count = 0;
    for (size_t i = 0; i < size; i++)
        if (old[i]) (void)put_hash(set, old[i]);
    free_slots(set, old, size);
    return true;
}

/* False also where it has given up. */
static bool items_differ(struct hash_set *set, const char *p) {
    struct run *run = set->run;
    for (p = run_skip_blanks(p + 1); *p != ']';) {
        uint64_t hash = hash_value(run, &p);
        if (run->given_up || (set->count == set->size / 2 && !grow_set(set))) return false;
        if (!put_hash(set, hash ? hash : 1)) return false;
        p = run_skip_blanks(p);
        if (*p == ',') p = run_skip_gap(p);
    }
    return run_look_again(run, set->tries);
}

/* What looks equal is compared. */
static bool documents_differ(struct run *run, const char *start, const char *end) {
    struct arena arena;
    struct evaluation evaluation;
    uint32_t pair[2];
    arena_init(&arena, &run->schema->arena.allocator);
    run_start_evaluation(run, &evaluation, &arena, (size_t)(end - start));
    const struct json *array = json_parse(&arena, (gramc_text){start, (size_t)(end - start)}, NULL);
    bool differ = array && !evaluate_find_equal(&evaluation, array, pair);
    if (!array || evaluation.status != GRAMC_OK) run_give_up(run);
    run->steps = evaluation.steps;
    evaluation_free(&evaluation);
    arena_free(&arena);
    return differ && !run->given_up;
}

bool run_all_differ(struct run *run, const char *start, const char *end) {
    struct hash_set set = {.run = run, .size = 2 * FEW_HASHES};
    set.slots = set.few;
    bool differ = items_differ(&set, start);
    free_slots(&set, set.slots, set.size);
    if (differ || run->given_up) return differ;
    return documents_differ(run, start, end);
}
