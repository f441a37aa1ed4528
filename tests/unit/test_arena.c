/* Arenas that share a pool: what one gives back, another takes, and no two of them overlap. Texts
 * that grow at the end of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"

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

/* Arenas of all sizes that are made, sealed, given back from the front and freed at random. */
static void test_many_arenas(void **state) {
    static struct piece pieces[ARENAS][PIECES];
    static struct arena arenas[ARENAS];
    static size_t counts[ARENAS];
    struct arena_pool pool;
    gramc_allocator allocator = mem_default();
    uint32_t random = 1;
    (void)state;
    arena_pool_init(&pool, &allocator);
    for (size_t i = 0; i < ARENAS; i++) arena_init_pooled(&arenas[i], &pool);
    for (int step = 0; step < 4000; step++) {
        random = random * 1664525 + 1013904223;
        size_t i = (random >> 8) % ARENAS, count = (random >> 16) % PIECES;
        for (size_t p = 0; p < counts[i]; p++) expect_whole(&pieces[i][p]);
        if (counts[i]) {
            const struct piece *last = &pieces[i][counts[i] - 1];
            if (step % 3 == 0) arena_free_before(&arenas[i], last->bytes);
            expect_whole(last);
            arena_free(&arenas[i]);
            counts[i] = 0;
            continue;
        }
        for (size_t p = 0; p < count; p++)
            pieces[i][p] =
                make(&arenas[i], 1 + (random >> (p % 20)) % LARGEST, (unsigned char)(i + p));
        counts[i] = count;
        arena_seal(&arenas[i]);
    }
    for (size_t i = 0; i < ARENAS; i++) arena_free(&arenas[i]);
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

static void write_digits(struct buf *buf, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++) buf_number(buf, i);
}

/* Stays where it grew if nothing else was made meanwhile, is whole if something was, and never
 * overlaps what is made next. */
static void test_text_in_arena(void **state) {
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    for (uint64_t size = 0; size < 2000; size += 111) {
        struct buf plain, grown;
        struct piece between = {NULL, 0, 0};
        buf_init(&plain, NULL, 1 << 16);
        buf_init_arena(&grown, &arena, 1 << 16);
        write_digits(&plain, 0, size);
        write_digits(&grown, 0, size / 2);
        const char *start = grown.ptr;
        bool apart = size % 2;
        if (apart) between = make(&arena, 40, 0xEE);
        write_digits(&grown, size / 2, size);
        gramc_text kept = buf_to_arena(&grown, &arena);
        struct piece behind = make(&arena, 16, 0xFF);
        assert_int_equal(kept.len, plain.len);
        if (plain.len) assert_memory_equal(kept.ptr, plain.ptr, plain.len);
        assert_int_equal(kept.ptr[kept.len], '\0');
        if (!apart && size && size < 300) assert_ptr_equal(kept.ptr, start);
        if (apart) expect_whole(&between);
        expect_whole(&behind);
        buf_free(&plain);
    }
    arena_free(&arena);
}

/* What is not the last piece, or has no room, stays as it is. */
static void test_resize(void **state) {
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    char *first = arena_alloc(&arena, 20), *last = arena_alloc(&arena, 20);
    assert_false(arena_resize(&arena, first, 20, 30));
    assert_false(arena_resize(&arena, last, 20, 1 << 20));
    assert_true(arena_resize(&arena, last, 20, 100));
    assert_true(arena_resize(&arena, last, 100, 0));
    assert_ptr_equal(arena_alloc(&arena, 8), last);
    assert_false(arena_resize(&arena, NULL, 0, 8));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_blocks), cmocka_unit_test(test_many_arenas),
        cmocka_unit_test(test_reset),        cmocka_unit_test(test_text_in_arena),
        cmocka_unit_test(test_resize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
