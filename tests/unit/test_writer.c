/* Tests the writer of JSON, whose commas nobody else puts, and how a buffer ends: as a writer that
 * others write to, and as a text of an arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "tests/failing.h"

static void expect(const struct buf *out, const char *expected) {
    assert_int_equal(out->state, BUF_FINE);
    assert_string_equal(buf_view(out).ptr, expected);
}

static void put_everything(struct json_writer *w) {
    struct arena arena;
    arena_init(&arena, NULL);
    json_object_begin(w);
    json_member_text(w, "text", TEXT("a \"b\"\n"));
    json_member_some(w, "left out", TEXT(""));
    json_member_number(w, "zero", 0);
    json_member_number(w, "most", UINT64_MAX);
    json_member_bool(w, "yes", true);
    json_member_bool(w, "no", false);
    json_key(w, "nothing");
    json_null(w);
    json_member_raw(w, "raw", TEXT("1.50"));
    json_member_value(w, "value", json_parse(&arena, TEXT("{\"a\": [1, 2]}"), NULL));
    json_key_text(w, TEXT("any \"key\""));
    json_text(w, TEXT(""));
    json_object_end(w);
    arena_free(&arena);
}

static void test_values(void **state) {
    (void)state;
    struct buf out;
    buf_init(&out, NULL, 10000);
    struct json_writer w = json_writer(&out);
    put_everything(&w);
    expect(&out,
           "{\"text\":\"a \\\"b\\\"\\n\",\"zero\":0,\"most\":18446744073709551615,\"yes\":true,"
           "\"no\":false,\"nothing\":null,\"raw\":1.50,\"value\":{\"a\":[1,2]},"
           "\"any \\\"key\\\"\":\"\"}");
    buf_free(&out);
}

/* Empty and nested ones, first and later, in objects and arrays. */
static void test_commas(void **state) {
    (void)state;
    struct buf out;
    buf_init(&out, NULL, 1000);
    struct json_writer w = json_writer(&out);
    json_array_begin(&w);
    json_array_begin(&w);
    json_array_end(&w);
    json_object_begin(&w);
    json_member_array(&w, "a");
    json_number(&w, 1);
    json_object_begin(&w);
    json_object_end(&w);
    json_number(&w, 2);
    json_array_end(&w);
    json_member_object(&w, "b");
    json_object_end(&w);
    buf_puts(json_slot(&w), "\"c\":0");
    json_object_end(&w);
    buf_puts(json_slot(&w), "true");
    json_text(&w, TEXT("x"));
    json_array_end(&w);
    expect(&out, "[[],{\"a\":[1,{},2],\"b\":{},\"c\":0},true,\"x\"]");
    buf_free(&out);
}

static void test_layout(void **state) {
    (void)state;
    struct buf out;
    buf_init(&out, NULL, 1000);
    struct json_writer w = json_writer(&out);
    w.spaced = true;
    json_object_begin(&w);
    json_member_number(&w, "a", 1);
    json_member_number(&w, "b", 2);
    json_line(&w, 1);
    json_member_array(&w, "c");
    json_line(&w, 2);
    json_number(&w, 3);
    json_line(&w, 2);
    json_number(&w, 4);
    json_array_end(&w);
    json_object_end(&w);
    expect(&out, "{\"a\": 1, \"b\": 2,\n \"c\": [\n  3,\n  4]}");
    buf_free(&out);
}

/* Deeper than any stack of a writer would be; and two documents, a line each. */
static void test_depth(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    struct buf out;
    buf_init(&out, NULL, 4 * DEPTH);
    struct json_writer w = json_writer(&out);
    for (int i = 0; i < DEPTH; i++) json_array_begin(&w);
    for (int i = 0; i < DEPTH; i++) json_array_end(&w);
    assert_int_equal(out.len, 2 * DEPTH);
    assert_null(memchr(out.ptr, ',', out.len));
    buf_reset(&out);
    for (uint64_t i = 1; i < 3; i++) {
        struct json_writer line = json_writer(&out);
        json_number(&line, i);
        buf_putc(&out, '\n');
    }
    expect(&out, "1\n2\n");
    buf_free(&out);
}

/* However little room there is: no byte more, and the buffer says so. */
static void test_limits(void **state) {
    (void)state;
    struct buf whole;
    buf_init(&whole, NULL, 10000);
    struct json_writer w = json_writer(&whole);
    put_everything(&w);
    for (size_t max = 0; max <= whole.len; max++) {
        struct buf out;
        buf_init(&out, NULL, max);
        w = json_writer(&out);
        put_everything(&w);
        assert_int_equal(buf_status(&out), max < whole.len ? GRAMC_LIMIT : GRAMC_OK);
        assert_true(out.len <= max);
        assert_memory_equal(buf_view(&out).ptr, whole.ptr, out.len);
        buf_free(&out);
    }
    buf_free(&whole);
}

static void test_buf_writer(void **state) {
    (void)state;
    struct buf out;
    buf_init(&out, NULL, 5);
    gramc_writer writer = buf_writer(&out);
    assert_int_equal(writer.write(writer.ctx, "abc", 3), 0);
    assert_int_equal(writer.write(writer.ctx, "", 0), 0);
    assert_int_not_equal(writer.write(writer.ctx, "def", 3), 0);
    assert_int_not_equal(writer.write(writer.ctx, "d", 1), 0);
    assert_int_equal(buf_status(&out), GRAMC_LIMIT);
    assert_string_equal(out.ptr, "abc");
    buf_free(&out);
}

static void test_to_arena(void **state) {
    (void)state;
    for (int too_big = 0; too_big < 2; too_big++)
        for (int cut = 0; cut < 2; cut++) {
            struct buf out;
            struct arena arena;
            arena_init(&arena, NULL);
            buf_init(&out, NULL, 4);
            buf_puts(&out, "abcd");
            if (too_big) buf_putc(&out, 'e');
            gramc_text text = cut ? buf_to_arena_cut(&out, &arena) : buf_to_arena(&out, &arena);
            bool refused = too_big && !cut;
            assert_int_equal(arena.oom, refused);
            if (refused) assert_null(text.ptr);
            else assert_string_equal(text.ptr, "abcd");
            assert_int_equal(text.len, refused ? 0 : 4);
            assert_null(out.ptr);
            assert_int_equal(out.size, 0);
            arena_free(&arena);
        }
}

/* An empty buffer is an empty text, not a missing one. */
static void test_nothing_to_arena(void **state) {
    (void)state;
    struct buf out;
    struct arena arena;
    arena_init(&arena, NULL);
    buf_init(&out, NULL, 4);
    gramc_text text = buf_to_arena(&out, &arena);
    assert_string_equal(text.ptr, "");
    assert_int_equal(text.len, 0);
    arena_free(&arena);
}

/* Memory runs out at the n-th request, in the buffer or in the arena: no text, and both are free.
 */
static void test_no_memory(void **state) {
    (void)state;
    for (int cut = 0; cut < 2; cut++)
        for (long n = 1;; n++) {
            struct failing failing = {.fail_at = n, .persistent = true};
            gramc_allocator allocator = test_failing(&failing);
            struct arena arena;
            struct buf out;
            arena_init(&arena, &allocator);
            buf_init(&out, &allocator, 10000);
            struct json_writer w = json_writer(&out);
            put_everything(&w);
            gramc_text text = cut ? buf_to_arena_cut(&out, &arena) : buf_to_arena(&out, &arena);
            assert_int_equal(text.ptr == NULL, arena.oom);
            arena_free(&arena);
            assert_int_equal(failing.live, 0);
            if (text.ptr) break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),    cmocka_unit_test(test_commas),
        cmocka_unit_test(test_layout),    cmocka_unit_test(test_depth),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_buf_writer),
        cmocka_unit_test(test_to_arena),  cmocka_unit_test(test_nothing_to_arena),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
