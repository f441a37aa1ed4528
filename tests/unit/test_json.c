/* Tests base/json: what is read, what is refused and where, exact numbers, writing. jansson, where
 * it is installed, is a second opinion on what counts as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/json/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "tests/failing.h"
#include "tests/stated.h"

#ifdef GRAMC_HAVE_JANSSON
bool jansson_reads(const char *text, size_t len); /* jansson_evaluate.c */
#endif

struct evaluated {
    const char *text;
    bool valid;
    size_t position; /* of the error */
};

static const struct evaluated documents[] = {
    {"{}", true, 0},
    {"[]", true, 0},
    {" [ ] ", true, 0},
    {"null", true, 0},
    {"true", true, 0},
    {"false", true, 0},
    {"0", true, 0},
    {"-0", true, 0},
    {"-0.5e-7", true, 0},
    {"1E+2", true, 0},
    {"\"\"", true, 0},
    {"[1,2,3]", true, 0},
    {"{\"a\":{\"b\":[{}]}}", true, 0},
    {"\"\\u00e9\\ud83d\\ude00\\n\"", true, 0},
    {"\"a long string that fills more than one block \xC3\xA9 and goes on\"", true, 0},
    {"\t\r\n 1", true, 0},
    {"", false, 0},
    {" ", false, 1},
    {"nul", false, 0},
    {"nullx", false, 4},
    {"NaN", false, 0},
    {"Infinity", false, 0},
    {"+1", false, 0},
    {"01", false, 0},
    {"-", false, 0},
    {"-01", false, 2},
    {"1.", false, 0},
    {".5", false, 0},
    {"1e", false, 0},
    {"1e+", false, 0},
    {"0x10", false, 1},
    {"1 2", false, 2},
    {"[1,]", false, 3},
    {"[,1]", false, 1},
    {"[1 2]", false, 3},
    {"[", false, 0},
    {"[1", false, 0},
    {"]", false, 0},
    {"{\"a\":1,}", false, 7},
    {"{\"a\"}", false, 4},
    {"{\"a\" 1}", false, 5},
    {"{a:1}", false, 1},
    {"{'a':1}", false, 1},
    {"{\"a\":}", false, 5},
    {"{1:2}", false, 1},
    {"[{]}", false, 2},
    {"{\"a\":[}", false, 6},
    {"\"abc", false, 0},
    {"\"\\x\"", false, 1},
    {"\"\\u12g4\"", false, 1},
    {"\"\\ud800\"", false, 1},
    {"\"\\udc00\"", false, 1},
    {"\"\\ud800\\u0041\"", false, 1},
    {"\"tab\tinside\"", false, 4},
    {"\"line\nbreak\"", false, 5},
    {"\"\xFF\"", false, 1},
    {"\"\xC0\x80\"", false, 1},
    {"\"ab\xED\xA0\x80\"", false, 3},
    {"\"\xF4\x90\x80\x80\"", false, 1},
    {"\"\xE2\x82\"", false, 1},
    {"\"sixteen bytes and more\xE2\x28\xA1\"", false, 23},
    {"// no\n1", false, 0},
    {"[1]//", false, 3},
    {"\xEF\xBB\xBF{}", false, 0},
};

static void test_documents(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        const struct evaluated *d = &documents[i];
        struct arena arena;
        struct json_error error;
        arena_init(&arena, NULL);
        struct json *value = json_parse(&arena, text_of(d->text), &error);
        if ((value != NULL) != d->valid || (!d->valid && error.position != d->position))
            fail_msg("%s: %s at %zu", d->text, error.message ? error.message : "read",
                     error.position);
        arena_free(&arena);
    }
}

#ifdef GRAMC_HAVE_JANSSON
static void test_second_evaluate(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        const char *text = documents[i].text;
        if (jansson_reads(text, strlen(text)) != documents[i].valid) fail_msg("jansson: %s", text);
    }
}
#endif

static struct json *read(struct arena *arena, const char *text) {
    arena_init(arena, NULL);
    struct json *value = json_parse(arena, text_of(text), NULL);
    assert_non_null(value);
    return value;
}

static void test_shape(void **state) {
    (void)state;
    struct arena arena;
    const char *text = " {\"a\" : [1, \"x\\u0000y\"], \"b\":null, \"a\":2}";
    struct json *root = read(&arena, text);
    assert_int_equal(root->kind, JSON_OBJECT);
    assert_int_equal(root->count, 3);
    assert_int_equal(root->start, 1);
    assert_int_equal(root->end, strlen(text));
    const struct json *array = root->first;
    assert_int_equal(array->key_start, 2);
    assert_int_equal(array->count, 2);
    assert_int_equal(array->start, 8);
    assert_int_equal(array->first->next->text.len, 3);
    assert_memory_equal(array->first->next->text.ptr, "x\0y", 3);
    assert_true(text_is(json_get(root, "a")->text, "2"));
    assert_true(json_is(json_get(root, "b"), JSON_NULL));
    assert_null(json_get(root, "c"));
    assert_false(json_is(NULL, JSON_NULL));
    arena_free(&arena);
}

static void test_pointers(void **state) {
    (void)state;
    struct arena arena;
    struct json *root = read(&arena, "{\"a/b\":[10,{\"~\":11}],\"\":12}");
    assert_ptr_equal(json_at(root, TEXT("")), root);
    assert_true(text_is(json_at(root, TEXT("/a~1b/0"))->text, "10"));
    assert_true(text_is(json_at(root, TEXT("/a~1b/1/~0"))->text, "11"));
    assert_true(text_is(json_at(root, TEXT("/"))->text, "12"));
    assert_null(json_at(root, TEXT("/a~1b/2")));
    assert_null(json_at(root, TEXT("/a~1b/00")));
    assert_null(json_at(root, TEXT("/a~1b/-")));
    assert_null(json_at(root, TEXT("a")));
    assert_null(json_at(root, TEXT("//x")));
    arena_free(&arena);
    struct buf out;
    buf_init(&out, NULL, 100);
    json_put_pointer_token(&out, TEXT("a/b~c"));
    assert_string_equal(out.ptr, "/a~1b~0c");
    buf_free(&out);
}

static void test_number_order(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int order;
    } pairs[] = {
        {"1", "1.0", 0},
        {"1", "10e-1", 0},
        {"0", "-0", 0},
        {"0", "0e999999999999999999999", 0},
        {"-1", "1", -1},
        {"2", "10", -1},
        {"-2", "-10", 1},
        {"0.1", "0.10000000000000001", -1},
        {"9007199254740992", "9007199254740993", -1},
        {"123456789012345678901234567890", "123456789012345678901234567891", -1},
        {"1e999999999", "1e999999998", 1},
        {"1e-999999999", "0", 1},
        {"100", "1e2", 0},
        {"0.00100", "1e-3", 0},
        {"1e400", "1e401", -1},
        {"12.5", "12.49999", 1},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        gramc_text a = text_of(pairs[i].a), b = text_of(pairs[i].b);
        assert_int_equal(json_number_compare(a, b), pairs[i].order);
        assert_int_equal(json_number_compare(b, a), -pairs[i].order);
        struct decimal x = decimal_read(a), y = decimal_read(b);
        if (pairs[i].order == 0) assert_int_equal(decimal_hash(&x), decimal_hash(&y));
    }
}

static void test_whole_numbers(void **state) {
    (void)state;
    static const char *whole[] = {"5",      "5.0",   "-0",    "1e3",        "1.5e1",
                                  "100e-2", "0e-99", "0.0e5", "1e99999999", "120e-1"};
    static const char *broken[] = {"5.5", "1e-1", "1.55e1", "12345678901234567890.5",
                                   "1e-99999999"};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        assert_true(json_number_is_integer(text_of(whole[i])));
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        assert_false(json_number_is_integer(text_of(broken[i])));
}

static void test_multiples(void **state) {
    (void)state;
    static const struct {
        const char *number, *by;
        bool is;
    } cases[] = {
        {"0", "7", true},
        {"21", "7", true},
        {"22", "7", false},
        {"0.0075", "0.0001", true},
        {"0.00751", "0.0001", false},
        {"1e308", "0.5", true},
        {"1e308", "0.123456789", false},
        {"1e999999999", "1024", true},
        {"1e999999999", "3", false},
        {"-4.5", "1.5", true},
        {"1e-5", "1", false},
        {"300", "1e2", true},
        {"350", "1e2", false},
        {"12345678901234567890123456789", "3", true},
        {"246913578024691357802469135780", "12345678901234567890123456789", true},
        {"246913578024691357802469135781", "12345678901234567890123456789", false},
        {"1e100", "12345678901234567890123456789", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (decimal_is_multiple(text_of(cases[i].number), text_of(cases[i].by)) != cases[i].is)
            fail_msg("%s by %s", cases[i].number, cases[i].by);
}

static void test_equality(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"1", "1.0", true},
        {"[1,2]", "[1.0,20e-1]", true},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,2]", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":2}", false},
        {"\"\\u0061\"", "\"a\"", true},
        {"false", "0", false},
        {"null", "null", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena x, y;
        struct json *a = read(&x, cases[i].a), *b = read(&y, cases[i].b);
        if (json_equal(a, b) != cases[i].equal) fail_msg("%s and %s", cases[i].a, cases[i].b);
        uint64_t one = 1;
        if (cases[i].equal && a->first) assert_false(json_equal_within(a, b, &one));
        arena_free(&x);
        arena_free(&y);
    }
}

static void test_writing(void **state) {
    (void)state;
    struct arena arena;
    struct buf out;
    buf_init(&out, NULL, 10000);
    struct json *root =
        read(&arena, "{\"b\":[1.50,[],{}],\"a\":\"\\u0001\\\"\\u00e9/\",\"aa\":null}");
    json_put(&out, root);
    assert_string_equal(out.ptr, "{\"b\":[1.50,[],{}],\"a\":\"\\u0001\\\"\xC3\xA9/\",\"aa\":null}");
    buf_reset(&out);
    json_put_canonical(&out, root);
    assert_string_equal(out.ptr, "{\"a\":\"\\u0001\\\"\xC3\xA9/\",\"aa\":null,\"b\":[1.50,[],{}]}");
    buf_reset(&out);
    json_put_pretty(&out, json_get(root, "b"));
    assert_string_equal(out.ptr, "[\n  1.50,\n  [],\n  {}\n]");
    buf_reset(&out);
    json_put_string(&out, (gramc_text){"a\xFF\xE2\x82z\n\0", 7});
    assert_string_equal(out.ptr, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\\n\\u0000\"");
    buf_free(&out);
    arena_free(&arena);
}

static void test_canonical_order(void **state) {
    (void)state;
    struct arena arena;
    struct buf out;
    buf_init(&out, NULL, 10000);
    struct json *root =
        read(&arena, "{\"e\":1,\"d\":2,\"\":3,\"a\":4,\"c\":5,\"d\":6,\"b\":7,\"aa\":8,\"E\":9}");
    json_put_canonical(&out, root);
    assert_string_equal(
        out.ptr, "{\"\":3,\"E\":9,\"a\":4,\"aa\":8,\"b\":7,\"c\":5,\"d\":2,\"d\":6,\"e\":1}");
    buf_free(&out);
    arena_free(&arena);
}

static void test_doubles(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {1.0, "1"},
        {5e-324, "5e-324"},
        {1e23, "1e+23"},
        {0.1 + 0.2, "0.30000000000000004"},
        {-0.0, "-0"},
        {123456789, "123456789"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out;
        buf_init(&out, NULL, 100);
        assert_true(json_put_double(&out, cases[i].value));
        double back = strtod(out.ptr, NULL);
        assert_memory_equal(&back, &cases[i].value, sizeof back);
        if (cases[i].value != 123456789) assert_string_equal(out.ptr, cases[i].text);
        buf_reset(&out);
        assert_false(json_put_double(&out, cases[i].value / 0.0 - cases[i].value / 0.0));
        assert_int_equal(out.len, 0);
        buf_free(&out);
    }
}

static void test_depth(void **state) {
    (void)state;
    STATED(JSON_MAX_DEPTH, 1000, "it is nested too deeply");
    for (size_t depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        struct arena arena;
        struct json_error error;
        char text[2 * (JSON_MAX_DEPTH + 1)];
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        arena_init(&arena, NULL);
        struct json *root = json_parse(&arena, (gramc_text){text, 2 * depth}, &error);
        assert_int_equal(root != NULL, depth <= JSON_MAX_DEPTH);
        assert_int_equal(error.limit, depth > JSON_MAX_DEPTH);
        if (!root) assert_string_equal(error.message, "nested deeper than 1000 levels");
        arena_free(&arena);
    }
}

struct ranked {
    uint16_t rank, order;
};

static bool ranks_before(const void *ctx, const void *a, const void *b) {
    assert_string_equal(ctx, "ctx");
    return ((const struct ranked *)a)->rank < ((const struct ranked *)b)->rank;
}

/* Every length up to some powers of two; few ranks, so that order among equals shows. */
static void test_sort(void **state) {
    (void)state;
    uint32_t random = 1;
    for (uint16_t count = 0; count < 70; count++) {
        struct ranked items[70], spare[70];
        for (uint16_t i = 0; i < count; i++) {
            random = random * 1103515245 + 12345;
            items[i] = (struct ranked){(uint16_t)(random >> 16 & 7), i};
        }
        uint32_t seen = 0;
        struct ranked *sorted = sort_merge(items, spare, count, sizeof *items, ranks_before, "ctx");
        assert_true(sorted == items || sorted == spare);
        for (uint16_t i = 0; i < count; i++) {
            seen += sorted[i].order;
            if (i == 0) continue;
            assert_true(
                sorted[i - 1].rank < sorted[i].rank ||
                (sorted[i - 1].rank == sorted[i].rank && sorted[i - 1].order < sorted[i].order));
        }
        assert_int_equal(seen, count ? count * (count - 1) / 2 : 0);
    }
}

static void test_no_memory(void **state) {
    (void)state;
    char text[30000] = "[";
    for (size_t i = 1; i + 12 < sizeof text; i += 11) memcpy(text + i, "{\"a\":\"\\n\"},", 12);
    text[strlen(text) - 1] = ']';
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n, .persistent = true};
        gramc_allocator allocator = test_failing(&failing);
        struct arena arena;
        struct json_error error;
        arena_init(&arena, &allocator);
        struct json *root = json_parse(&arena, text_of(text), &error);
        assert_int_equal(root == NULL, arena.oom);
        if (!root) assert_string_equal(error.message, "out of memory");
        arena_free(&arena);
        assert_int_equal(failing.live, 0);
        if (root) break;
    }
}

/* i10-a7: halves of surrogate pairs, and nothing else. */
static void test_i10_a7_mend(void **state) {
    static const struct {
        const char *text, *mended;
    } texts[] = {
        {"", ""},
        {"{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"\\ud83d\\ude00\"}"},
        {"\"\\ud83d\"", "\"\\ufffd\""},
        {"\"\\uDE00\"", "\"\\ufffd\""},
        {"\"\\ude00\\ud83d\"", "\"\\ufffd\\ufffd\""},
        {"\"\\ud83d\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\""},
        {"\"\\ud83d\\n\\u0041\"", "\"\\ufffd\\n\\u0041\""},
        {"\"\\\\ud83d\"", "\"\\\\ud83d\""},
        {"\"\\\\\\ud83d\"", "\"\\\\\\ufffd\""},
        {"\"\\ud8zz\\ud83d\"", "\"\\ud8zz\\ufffd\""},
        {"\"\\ud7ff\\ue000\\x\\", "\"\\ud7ff\\ue000\\x\\"},
        {"\\ud83", "\\ud83"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena;
        char bytes[64];
        size_t len = strlen(texts[i].text);
        arena_init(&arena, NULL);
        gramc_text given = text_of(texts[i].text), mended = json_mended(&arena, given);
        bool same = strcmp(texts[i].text, texts[i].mended) == 0;
        assert_true(text_is(mended, texts[i].mended));
        memcpy(bytes, texts[i].text, len + 1);
        assert_int_equal(json_mend(bytes, len), !same);
        assert_string_equal(bytes, texts[i].mended);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
#ifdef GRAMC_HAVE_JANSSON
        cmocka_unit_test(test_second_evaluate),
#endif
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_number_order),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_multiples),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_canonical_order),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_i10_a7_mend),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
