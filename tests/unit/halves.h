/* Holds the validator's two halves against each other: verdict, new text and list of changes have
 * to be the same byte for byte. Random schemas have a seed each, which a failure names;
 * GRAMC_LONG=1 tries many more of them. Include after cmocka.h. */
#ifndef TESTS_UNIT_HALVES_H
#define TESTS_UNIT_HALVES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "jsonschema/fill.h"
#include "jsonschema/verdict.h"

enum { LARGEST = 1 << 20, HALVES_FEW = 1200, HALVES_MANY = 200000 };

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled"
 */
static inline uint32_t draw(uint64_t *state, uint32_t below) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % below;
}

static inline bool chance(uint64_t *state, uint32_t percent) {
    return draw(state, 100) < percent;
}

static inline const char *one_of(uint64_t *state, const char *const *list, size_t count) {
    return list[draw(state, (uint32_t)count)];
}
#define ONE_OF(state, list) one_of((state), (list), sizeof(list) / sizeof *(list))

static inline void put_verdict(struct buf *out, gramc_status status, const gramc_verdict *verdict) {
    buf_reset(out);
    buf_printf(out, "status %d\n", (int)status);
    if (verdict && gramc_verdict_print(verdict, GRAMC_VERDICT_JSON, buf_writer(out))) fail();
}

struct halves {
    gramc_schema *schema;
    struct buf schema_text, instance, fast, thorough;
    uint64_t seed;
    size_t valid, changed;
    size_t converted; /* changes that the fast half made of values of another type */
};

/* Longer than what cmocka prints. */
static inline void tell(const struct halves *h, unsigned flags, const char *what) {
    fprintf(stderr, "seed %llu, flags %u: %s\nschema: %s\ninstance: %s\n%s\ninstead of\n%s\n",
            (unsigned long long)h->seed, flags, what, h->schema_text.ptr, h->instance.ptr,
            h->fast.ptr, h->thorough.ptr);
    fail();
}

/* What the fast half alone converts. */
static inline size_t count_converted(const struct halves *h, unsigned flags) {
    struct arena arena;
    struct fills fills;
    size_t count = 0;
    arena_init(&arena, NULL);
    fills_init(&fills, &arena, buf_view(&h->instance), flags);
    if (run_with_fills(h->schema, buf_view(&h->instance), &fills))
        for (size_t i = 0; i < fills.change_count; i++)
            count += fills.changes[i].kind == GRAMC_ADJUSTED_COERCED;
    arena_free(&arena);
    return count;
}

static inline void compare(struct halves *h, unsigned flags) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *fast = NULL, *thorough = NULL;
    gramc_text text = buf_view(&h->instance);
    options.flags = flags;
    gramc_status status = gramc_schema_check(&fast, h->schema, text.ptr, text.len, &options);
    put_verdict(&h->fast, status, fast);
    status = verdict_by_document(&thorough, h->schema, text, &options);
    put_verdict(&h->thorough, status, thorough);
    if (!text_eq(buf_view(&h->fast), buf_view(&h->thorough))) tell(h, flags, "the halves differ");
    bool accepts = gramc_schema_accepts(h->schema, text.ptr, text.len);
    if (thorough && !flags && accepts != thorough->valid) tell(h, flags, "accepts differs");
    h->valid += fast && fast->valid;
    h->converted += count_converted(h, flags);
    h->changed += fast && fast->valid && fast->adjustment_count;
    gramc_verdict_free(fast);
    gramc_verdict_free(thorough);
}

static inline void halves_init(struct halves *h) {
    *h = (struct halves){.valid = 0};
    buf_init(&h->schema_text, NULL, LARGEST);
    buf_init(&h->instance, NULL, LARGEST);
    buf_init(&h->fast, NULL, LARGEST);
    buf_init(&h->thorough, NULL, LARGEST);
}

static inline void halves_free(struct halves *h) {
    buf_free(&h->schema_text);
    buf_free(&h->instance);
    buf_free(&h->fast);
    buf_free(&h->thorough);
}

/* How many instances of each schema have to be valid, and to be changed, on the average, and how
 * many values to be converted by the fast half: otherwise nothing was compared. */
static inline void try_converting(void (*try_one)(struct halves *h, uint64_t seed), size_t valid,
                                  size_t changed, size_t converted) {
    const char *many = getenv("GRAMC_LONG");
    size_t count = many && strcmp(many, "1") == 0 ? HALVES_MANY : HALVES_FEW;
    struct halves halves;
    halves_init(&halves);
    for (size_t seed = 1; seed <= count; seed++) try_one(&halves, seed);
    fprintf(stderr, "%zu %zu %zu\n", halves.valid / count, halves.changed / count,
            halves.converted / count);
    assert_true(halves.valid > valid * count);
    assert_true(halves.changed > changed * count);
    assert_true(halves.converted >= converted * count);
    halves_free(&halves);
}

static inline void try_all(void (*try_one)(struct halves *h, uint64_t seed), size_t valid,
                           size_t changed) {
    try_converting(try_one, valid, changed, 0);
}

#endif
