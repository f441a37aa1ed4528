/* Arenas and the pools that their blocks come from: what one gives back another gets, and no piece
 * lies in two of them, nor beyond the end of its block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum { ARENAS = 40, PIECES = 200 };

struct piece {
    unsigned char *bytes;
    size_t size;
    unsigned char mark;
};

static void fill(struct piece *piece, struct arena *arena, size_t size, unsigned mark) {
    *piece = (struct piece){arena_alloc(arena, size), size, (unsigned char)mark};
    assert_non_null(piece->bytes);
    memset(piece->bytes, piece->mark, size);
}

static void check(const struct piece *pieces, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < pieces[i].size; b++)
            assert_int_equal(pieces[i].bytes[b], pieces[i].mark);
}

/* A sealed arena may keep a block of a few bytes; it must not come back as one with room. */
static void small_rests(void **state) {
    static struct piece pieces[ARENAS];
    static struct arena arenas[ARENAS];
    const gramc_allocator allocator = mem_default();
    struct arena_pool pool;
    (void)state;
    arena_pool_init(&pool, &allocator);
    for (size_t i = 0; i < ARENAS; i++) {
        struct piece scrap;
        arena_init_pooled(&arenas[i], &pool);
        fill(&scrap, &arenas[i], 8 + 16 * i, 1);
        arena_seal(&arenas[i]);
    }
    for (size_t i = 0; i < ARENAS; i += 2) arena_free(&arenas[i]);
    struct arena taker;
    arena_init_pooled(&taker, &pool);
    for (size_t i = 0; i < ARENAS; i++) fill(&pieces[i], &taker, 1000, (unsigned)i);
    check(pieces, ARENAS);
    for (size_t i = 1; i < ARENAS; i += 2) arena_free(&arenas[i]);
    check(pieces, ARENAS);
    arena_free(&taker);
    arena_pool_free(&pool);
}

/* Arenas of all sizes that are made, sealed, given back from the front and freed at random. */
static void many_arenas(void **state) {
    static struct piece pieces[ARENAS][PIECES];
    static struct arena arenas[ARENAS];
    static size_t counts[ARENAS];
    const gramc_allocator allocator = mem_default();
    struct arena_pool pool;
    uint32_t random = 1;
    (void)state;
    memset(counts, 0, sizeof counts);
    arena_pool_init(&pool, &allocator);
    for (size_t i = 0; i < ARENAS; i++) arena_init_pooled(&arenas[i], &pool);
    for (int step = 0; step < 2000; step++) {
        random = random * 1664525 + 1013904223;
        size_t i = (random >> 8) % ARENAS, count = (random >> 16) % PIECES;
        if (counts[i]) {
            check(pieces[i], counts[i]);
            if (step % 3 == 0) arena_free_before(&arenas[i], pieces[i][counts[i] - 1].bytes);
            if (step % 3 == 0) check(&pieces[i][counts[i] - 1], 1);
            arena_free(&arenas[i]);
            counts[i] = 0;
            continue;
        }
        for (size_t p = 0; p < count; p++)
            fill(&pieces[i][p], &arenas[i], 1 + (random >> (p % 20)) % 900, (unsigned)(i + p));
        counts[i] = count;
        arena_seal(&arenas[i]);
    }
    for (size_t i = 0; i < ARENAS; i++) check(pieces[i], counts[i]);
    for (size_t i = 0; i < ARENAS; i++) arena_free(&arenas[i]);
    arena_pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rests),
        cmocka_unit_test(many_arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
