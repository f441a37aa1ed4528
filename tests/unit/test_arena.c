/* Arenas that share a pool: what one gives back, another takes, and no two of them overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"

enum { ARENAS = 40, PIECES = 30, LARGEST = 1000 };

/* A piece filled with a byte of its own, so that another one over it is seen. */
struct piece {
    unsigned char *bytes;
    size_t size;
    unsigned char fill;
};

static struct piece make(struct arena *arena, size_t size, unsigned char fill) {
    struct piece piece = {arena_alloc(arena, size), size, fill};
    assert_non_null(piece.bytes);
    memset(piece.bytes, fill, size);
    return piece;
}

static void expect_whole(const struct piece *piece) {
    for (size_t i = 0; i < piece->size; i++) assert_int_equal(piece->bytes[i], piece->fill);
}

/* Many small sources are parsed and given back one by one, while what they mean is made: the last
 * block of each is a small one, of which the next source has got the rest. */
static void test_small_blocks(void **state) {
    struct arena_pool pool;
    struct arena sources[ARENAS], meaning;
    struct piece made[ARENAS * PIECES];
    size_t count = 0;
    gramc_allocator allocator = mem_default();
    (void)state;
    arena_pool_init(&pool, &allocator);
    arena_init_pooled(&meaning, &pool);
    for (size_t i = 0; i < ARENAS; i++) {
        arena_init_pooled(&sources[i], &pool);
        make(&sources[i], 40 * (i + 1), 0xFF);
        arena_seal(&sources[i]);
    }
    for (size_t i = 0; i < ARENAS; i++) {
        arena_free(&sources[i]);
        for (size_t k = 0; k < PIECES; k++, count++)
            made[count] = make(&meaning, 1 + (count * 377) % LARGEST, (unsigned char)(count % 251));
    }
    for (size_t i = 0; i < count; i++) expect_whole(&made[i]);
    arena_free(&meaning);
    arena_pool_free(&pool);
}

/* One small chunk stays, and nothing of what was in it. */
static void test_reset(void **state) {
    struct arena arena;
    gramc_allocator allocator = mem_default();
    (void)state;
    arena_init(&arena, &allocator);
    for (size_t round = 0; round < 3; round++) {
        struct piece first = make(&arena, 100, 1), large = make(&arena, 5000, 2);
        struct piece last = make(&arena, round == 1 ? 4000 : 50, 3);
        expect_whole(&first);
        expect_whole(&large);
        expect_whole(&last);
        arena_reset(&arena);
        assert_false(arena.oom);
    }
    arena_free(&arena);
    assert_int_equal(arena.total, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_blocks),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
