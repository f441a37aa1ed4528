/* Tests JOLT: every case of tests/data/jolt, those of bazaarvoice/jolt where they are present, and
 * memory, limits and hostile specs. A case is one line of JSON: op, spec, input, expected, and
 * perhaps context, must_fail (with `pointer`), key_order_matters. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "gramc/jolt.h"
#include "tests/failing.h"

/* ## Comparing: names unordered, numbers by value and kind, items in order unless `any_order` */

static bool has_point(gramc_text number) {
    for (size_t i = 0; i < number.len; i++)
        if (strchr(".eE", number.ptr[i])) return true;
    return false;
}

static bool same(const struct json *a, const struct json *b, bool any_order);

static bool same_items(const struct json *a, const struct json *b, bool any_order) {
    bool taken[1024] = {false};
    const struct json *y = b->first;
    for (const struct json *x = a->first; x; x = x->next) {
        if (!any_order) {
            if (!same(x, y, false)) return false;
            y = y->next;
            continue;
        }
        size_t i = 0;
        for (y = b->first; y && (taken[i] || !same(x, y, true)); y = y->next) i++;
        if (!y) return false;
        taken[i] = true;
    }
    return true;
}

static bool same(const struct json *a, const struct json *b, bool any_order) {
    if (a->kind != b->kind || a->count != b->count || a->count > 1024) return false;
    if (a->kind == JSON_STRING) return text_eq(a->text, b->text);
    if (a->kind == JSON_NUMBER)
        return has_point(a->text) == has_point(b->text) &&
               json_number_compare(a->text, b->text) == 0;
    if (a->kind == JSON_ARRAY) return same_items(a, b, any_order);
    for (const struct json *member = a->first; member; member = member->next) {
        const struct json *other = json_get_text(b, member->key);
        if (!other || !same(member, other, any_order)) return false;
    }
    return true;
}

static bool same_order(const struct json *a, const struct json *b) {
    const struct json *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!text_eq(x->key, y->key) || !same_order(x, y)) return false;
    return !x && !y;
}

/* ## Cases */

static void put_value(struct buf *out, const struct json *value) {
    if (value) json_put(out, value);
    else buf_puts(out, "null");
}

static void chain_of(struct buf *out, const struct json *test, const char *operation) {
    const struct json *spec = json_get(test, "spec");
    if (strcmp(operation, "chain") == 0) {
        put_value(out, spec);
        return;
    }
    buf_printf(out, "[{\"operation\":\"%s\",\"spec\":", operation);
    put_value(out, spec);
    buf_puts(out, "}]");
}

struct totals {
    size_t passed, failed;
};

static void complain(const char *file, size_t line, const char *what, gramc_text more) {
    print_error("%s:%zu: %s %.*s\n", file, line, what, TEXT_ARGS(more));
}

static bool fits(struct arena *arena, const struct json *test, bool modify, gramc_text result) {
    const struct json *expected = json_get(test, "expected");
    const struct json *actual = json_parse(arena, result, NULL);
    if (!expected || !actual || !same(expected, actual, modify)) return false;
    return !json_is(json_get(test, "key_order_matters"), JSON_TRUE) || same_order(expected, actual);
}

static gramc_status transform(const gramc_jolt *jolt, const struct json *test, struct buf *result) {
    struct buf input, context;
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    const struct json *given = json_get(test, "context");
    buf_init(&input, NULL, 1 << 24);
    buf_init(&context, NULL, 1 << 24);
    put_value(&input, json_get(test, "input"));
    if (json_is(given, JSON_OBJECT)) json_put(&context, given);
    options.context = buf_view(&context);
    gramc_status status =
        gramc_jolt_apply(jolt, buf_view(&input), &options, buf_writer(result), NULL);
    buf_free(&input);
    buf_free(&context);
    return status;
}

static bool check_failure(const struct json *test, gramc_status status,
                          const gramc_json_error *error) {
    const struct json *pointer = json_get(test, "pointer"), *says = json_get(test, "says");
    if (status != GRAMC_FINDINGS || error->message[0] == '\0') return false;
    if (says && !text_eq(says->text, text_of(error->message))) return false;
    return !pointer || text_eq(pointer->text, text_of(error->pointer));
}

/* One case with one operation. */
static bool run_case(const struct json *test, const char *operation, const char *file,
                     size_t line) {
    struct buf chain, result;
    struct arena arena;
    gramc_json_error error;
    gramc_jolt *jolt;
    arena_init(&arena, NULL);
    buf_init(&chain, NULL, 1 << 24);
    buf_init(&result, NULL, 1 << 24);
    chain_of(&chain, test, operation);
    gramc_status status = gramc_jolt_compile(&jolt, buf_view(&chain), NULL, &error);
    bool good;
    if (json_get(test, "must_fail")) {
        good = check_failure(test, status, &error);
        if (!good) complain(file, line, "failed otherwise:", text_of(error.message));
    } else if (status != GRAMC_OK) {
        good = false;
        complain(file, line, "does not compile:", text_of(error.message));
    } else {
        status = transform(jolt, test, &result);
        good = status == GRAMC_OK &&
               fits(&arena, test, strncmp(operation, "modify", 6) == 0, buf_view(&result));
        if (!good) complain(file, line, "gives", buf_view(&result));
    }
    gramc_jolt_free(jolt);
    buf_free(&chain);
    buf_free(&result);
    arena_free(&arena);
    return good;
}

static bool ends_with(gramc_text text, const char *end) {
    size_t len = strlen(end);
    return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

static void run_line(gramc_text text, const char *file, size_t line, struct totals *totals) {
    static const char *const all[] = {"modify-overwrite-beta", "modify-default-beta",
                                      "modify-define-beta"};
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *test = json_parse(&arena, text, NULL);
    const struct json *name = json_get(test, "file");
    assert_non_null(test);
    bool skip = name && ends_with(name->text, "labelsLookupTest.json");
    if (!skip) {
        char operation[64] = "";
        gramc_text op = json_get(test, "op")->text;
        memcpy(operation, op.ptr, op.len < 63 ? op.len : 63);
        bool every = strcmp(operation, "modify-*-beta") == 0, good = true;
        for (size_t i = 0; i < (every ? 3u : 1u); i++)
            good = run_case(test, every ? all[i] : operation, file, line) && good;
        if (good) totals->passed++;
        else totals->failed++;
    }
    arena_free(&arena);
}

static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t size = 0, got;
    *len = 0;
    if (!file) return NULL;
    do {
        bytes = realloc(bytes, size += 65536);
        assert_non_null(bytes);
        got = fread(bytes + *len, 1, size - *len - 1, file);
        *len += got;
    } while (got);
    bytes[*len] = '\0';
    fclose(file);
    return bytes;
}

static void run_file(const char *path, struct totals *totals) {
    size_t len, line = 1;
    char *bytes = read_file(path, &len);
    assert_non_null(bytes);
    for (char *p = bytes; *p; line++) {
        char *end = strchr(p, '\n');
        if (!end) end = bytes + len;
        if (end > p && *p == '{') run_line((gramc_text){p, (size_t)(end - p)}, path, line, totals);
        p = *end ? end + 1 : end;
    }
    free(bytes);
}

static const char *source_dir(void) {
    const char *folder = getenv("GRAMC_SOURCE_DIR");
    return folder ? folder : ".";
}

static void test_own_cases(void **state) {
    char path[4096];
    struct totals totals = {0, 0};
    (void)state;
    snprintf(path, sizeof(path), "%s/tests/data/jolt", source_dir());
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char file[8192];
        if (!strstr(entry->d_name, ".jsonl")) continue;
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        run_file(file, &totals);
    }
    closedir(folder);
    print_message("own cases: %zu passed, %zu failed\n", totals.passed, totals.failed);
    assert_int_equal(totals.failed, 0);
    assert_true(totals.passed > 150);
}

static void test_upstream_cases(void **state) {
    char path[4096];
    struct totals totals = {0, 0};
    (void)state;
    snprintf(path, sizeof(path), "%s/../shared/data/jolt_cases.jsonl", source_dir());
    FILE *there = fopen(path, "rb");
    if (!there) {
        print_message("the cases of bazaarvoice/jolt are not here: skipped\n");
        skip();
    }
    fclose(there);
    run_file(path, &totals);
    print_message("cases of bazaarvoice/jolt: %zu passed, %zu failed\n", totals.passed,
                  totals.failed);
    assert_int_equal(totals.failed, 0);
}

/* ## Memory and limits */

static const char everything[] =
    "[{\"operation\":\"shift\",\"spec\":{\"a*|b\":{\"*\":[\"out.&1[#2]\",\"x[&0]\"],\"@\":\"whole[]"
    "\","
    "\"$\":\"keys[]\",\"#c\":\"consts.&\"},\"@(0,a1)\":{\"@(1,n)\":\"deep.@(1,n).y\"}}},"
    "{\"operation\":\"default\",\"spec\":{\"list[]\":{\"3\":{\"k\":1},\"*\":0},\"q|w\":2}},"
    "{\"operation\":\"modify-overwrite-beta\",\"spec\":{\"j\":\"=join(',',@(1,keys))\",\"s\":[\"^"
    "v\","
    "\"=split('[.]','a.b.c')\"],\"d\":\"=divideAndRound(2,1,3)\",\"u\":\"=toUpper('\xC3\xA9x')\","
    "\"sq\":\"=recursivelySquashNulls(@(1,list))\",\"so\":\"=sort(3,1,2)\",\"x\":{\"[4]\":1}}},"
    "{\"operation\":\"cardinality\",\"spec\":{\"keys\":\"ONE\",\"*\":\"MANY\"}},"
    "{\"operation\":\"remove\",\"spec\":{\"d|so\":\"\",\"w*\":{\"*\":\"\"}}},{\"operation\":"
    "\"sort\"}]";

static gramc_status apply_everything(const gramc_allocator *allocator, struct buf *result) {
    gramc_json_error error;
    gramc_jolt *jolt;
    gramc_status status = gramc_jolt_compile(&jolt, text_of(everything), allocator, &error);
    if (status != GRAMC_OK) {
        assert_null(jolt);
        return status;
    }
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    options.allocator = allocator;
    status = gramc_jolt_apply(jolt,
                              TEXT("{\"a1\":{\"n\":\"t\",\"m\":[1,2]},\"a2\":[1,{\"z\":null}],"
                                   "\"b\":\"s\",\"n\":\"name\"}"),
                              &options, buf_writer(result), &error);
    gramc_jolt_free(jolt);
    return status;
}

static void test_no_memory(void **state) {
    struct buf whole, result;
    struct failing failing = {.fail_at = 0};
    gramc_allocator allocator = test_failing(&failing);
    (void)state;
    buf_init(&whole, NULL, 1 << 20);
    buf_init(&result, NULL, 1 << 20);
    assert_int_equal(apply_everything(&allocator, &whole), GRAMC_OK);
    long needed = failing.count;
    assert_int_equal(failing.live, 0);
    assert_true(needed > 10);
    for (long n = 1; n <= needed; n++) {
        failing = (struct failing){.fail_at = n};
        buf_reset(&result);
        gramc_status status = apply_everything(&allocator, &result);
        assert_int_equal(failing.live, 0);

        if (status == GRAMC_OK) assert_string_equal(result.ptr, whole.ptr);
        else assert_int_equal(status, GRAMC_NOMEM);
    }
    buf_free(&whole);
    buf_free(&result);
}

static gramc_status apply_text(const char *chain, gramc_text input,
                               const gramc_jolt_options *options, struct buf *result) {
    gramc_jolt *jolt;
    assert_int_equal(gramc_jolt_compile(&jolt, text_of(chain), NULL, NULL), GRAMC_OK);
    gramc_status status = gramc_jolt_apply(jolt, input, options, buf_writer(result), NULL);
    gramc_jolt_free(jolt);
    return status;
}

static void put_repeated(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
}

static void test_limits(void **state) {
    struct buf text, result;
    (void)state;
    buf_init(&text, NULL, 1 << 24);
    buf_init(&result, NULL, 1 << 24);
    /* Doubling forty times. */
    buf_puts(&text, "[{\"operation\":\"shift\",\"spec\":{\"*\":[\"a\",\"b\"]}}");
    put_repeated(&text, ",{\"operation\":\"shift\",\"spec\":{\"@\":[\"a\",\"b\"]}}", 40);
    buf_puts(&text, "]");
    assert_int_equal(apply_text(text.ptr, TEXT("{\"x\":[1]}"), NULL, &result), GRAMC_LIMIT);
    /* A text that doubles. */
    buf_reset(&text);
    buf_puts(&text, "[{\"operation\":\"default\",\"spec\":{\"a\":\"0123456789\"}}");
    put_repeated(
        &text,
        ",{\"operation\":\"modify-overwrite-beta\",\"spec\":{\"a\":\"=concat(@(1,a),@(1,a))\"}}",
        40);
    buf_puts(&text, "]");
    assert_int_equal(apply_text(text.ptr, TEXT("{}"), NULL, &result), GRAMC_LIMIT);
    /* An index beyond every budget. */
    assert_int_equal(apply_text("[{\"operation\":\"shift\",\"spec\":{\"a\":\"b[999999999]\"}}]",
                                TEXT("{\"a\":1}"), NULL, &result),
                     GRAMC_LIMIT);
    /* Walks that start over again: n to the fifth. */
    buf_reset(&text);
    buf_puts(
        &text,
        "[{\"operation\":\"shift\",\"spec\":{\"a\":{\"*\":{\"@(2,a)\":{\"*\":{\"@(4,a)\":{\"*\":"
        "{\"@(6,a)\":{\"*\":{\"@(8,a)\":{\"*\":\"x\"}}}}}}}}}}}]");
    struct buf input;
    buf_init(&input, NULL, 1 << 20);
    buf_puts(&input, "{\"a\":[0");
    put_repeated(&input, ",0", 300);
    buf_puts(&input, "]}");
    assert_int_equal(apply_text(text.ptr, buf_view(&input), NULL, &result), GRAMC_LIMIT);
    /* Output, values. */
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    options.max_output = 10;
    assert_int_equal(apply_text("[{\"operation\":\"sort\"}]", buf_view(&input), &options, &result),
                     GRAMC_LIMIT);
    options.max_output = 0;
    options.max_values = 10;
    assert_int_equal(apply_text("[{\"operation\":\"sort\"}]", buf_view(&input), &options, &result),
                     GRAMC_LIMIT);
    buf_free(&input);
    buf_free(&text);
    buf_free(&result);
}

/* What each operation makes is counted, one by one. Three are there before it: the null that fills
 * holes, the context, and what holds the document. */
static void test_i10_e4_values_are_counted(void **state) {
    static const struct {
        const char *chain, *input;
        uint32_t values;
    } cases[] = {
        {"[{\"operation\":\"sort\"}]", "{}", 3},
        {"[{\"operation\":\"sort\"}]", "{\"a\":1}", 5},
        {"[{\"operation\":\"shift\",\"spec\":{\"a\":\"b\"}}]", "{\"a\":1}", 7},
        {"[{\"operation\":\"shift\",\"spec\":{\"a\":\"b.c\"}}]", "{\"a\":1}", 9},
        {"[{\"operation\":\"shift\",\"spec\":{\"a\":\"b[]\"}}]", "{\"a\":1}", 9},
        {"[{\"operation\":\"shift\",\"spec\":{\"a\":\"b[4]\"}}]", "{\"a\":1}", 13},
        {"[{\"operation\":\"shift\",\"spec\":{\"a\":\"b\"}}]", "{\"a\":[1,2,3]}", 17},
        {"[{\"operation\":\"shift\",\"spec\":{\"*\":\"b\"}}]", "{\"a\":1,\"c\":2,\"d\":3}", 15},
        {"[{\"operation\":\"default\",\"spec\":{\"a\":1,\"l[]\":{\"2\":5}}}]", "{}", 11},
    };
    struct buf result;
    (void)state;
    buf_init(&result, NULL, 1 << 20);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
        gramc_status status = GRAMC_LIMIT;
        while (status == GRAMC_LIMIT) {
            options.max_values++;
            status = apply_text(cases[i].chain, text_of(cases[i].input), &options, &result);
        }
        assert_int_equal(status, GRAMC_OK);
        assert_int_equal(options.max_values, cases[i].values);
    }
    buf_free(&result);
}

static void test_deep(void **state) {
    struct buf text, result;
    gramc_jolt *jolt;
    gramc_json_error error;
    (void)state;
    buf_init(&text, NULL, 1 << 24);
    buf_init(&result, NULL, 1 << 24);
    /* A spec of 200 levels, for each operation that nests. */
    static const char *const nesting[] = {"shift", "default", "remove", "cardinality",
                                          "modify-define-beta"};
    for (size_t i = 0; i < sizeof(nesting) / sizeof(nesting[0]); i++) {
        buf_reset(&text);
        buf_printf(&text, "[{\"operation\":\"%s\",\"spec\":", nesting[i]);
        put_repeated(&text, "{\"a\":", 200);
        buf_puts(&text, "\"\"");
        put_repeated(&text, "}", 200);
        buf_puts(&text, "}]");
        assert_int_equal(gramc_jolt_compile(&jolt, buf_view(&text), NULL, &error), GRAMC_LIMIT);
        assert_null(jolt);
    }
    /* A document as deep as may be, wrapped once more. */
    buf_reset(&text);
    put_repeated(&text, "[", 1000);
    put_repeated(&text, "]", 1000);
    assert_int_equal(apply_text("[{\"operation\":\"shift\",\"spec\":{\"*\":\"a.b.c\"}}]",
                                buf_view(&text), NULL, &result),
                     GRAMC_LIMIT);
    assert_int_equal(apply_text("[{\"operation\":\"sort\"}]", buf_view(&text), NULL, &result),
                     GRAMC_OK);
    assert_memory_equal(result.ptr, text.ptr, text.len);
    buf_free(&text);
    buf_free(&result);
}

/* One compiled chain gives the same twice, and does not keep what a document did to it. */
static void test_again(void **state) {
    struct buf first, second;
    gramc_jolt *jolt;
    (void)state;
    buf_init(&first, NULL, 1 << 20);
    buf_init(&second, NULL, 1 << 20);
    assert_int_equal(gramc_jolt_compile(&jolt,
                                        TEXT("[{\"operation\":\"default\",\"spec\":{\"l\":[],\"m\":"
                                             "{}}},{\"operation\":\"modify-overwrite-beta\","
                                             "\"spec\":{\"l\":{\"[1]\":5},\"m\":{\"k\":1}}}]"),
                                        NULL, NULL),
                     GRAMC_OK);
    struct buf *results[] = {&first, &second};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(gramc_jolt_apply(jolt, TEXT("{}"), NULL, buf_writer(results[i]), NULL),
                         GRAMC_OK);
    assert_string_equal(first.ptr, second.ptr);
    assert_string_equal(first.ptr, "{\"l\":[null,5],\"m\":{\"k\":1}}");
    gramc_jolt_free(jolt);
    buf_free(&first);
    buf_free(&second);
}

static void test_large(void **state) {
    struct buf input, result;
    (void)state;
    buf_init(&input, NULL, 1 << 24);
    buf_init(&result, NULL, 1 << 24);
    buf_putc(&input, '{');
    for (unsigned i = 0; i < 50000; i++) buf_printf(&input, "%s\"k%u\":%u", i ? "," : "", i, i);
    buf_putc(&input, '}');
    assert_int_equal(apply_text("[{\"operation\":\"shift\",\"spec\":{\"k*\":\"n&(0,1)\"}},"
                                "{\"operation\":\"sort\"}]",
                                buf_view(&input), NULL, &result),
                     GRAMC_OK);
    static const char start[] = "{\"n0\":0,\"n1\":1,\"n10\":10,\"n100\":100,";
    assert_memory_equal(result.ptr, start, sizeof(start) - 1);
    buf_free(&input);
    buf_free(&result);
}

static void test_bad_input(void **state) {
    gramc_jolt *jolt;
    gramc_json_error error;
    struct buf result;
    (void)state;
    buf_init(&result, NULL, 1 << 20);
    assert_int_equal(gramc_jolt_compile(&jolt, TEXT("[{]"), NULL, &error), GRAMC_FINDINGS);
    assert_int_equal(error.position, 2);
    assert_int_equal(gramc_jolt_compile(&jolt, TEXT("[{\"operation\":\"sort\"}]"), NULL, &error),
                     GRAMC_OK);
    assert_int_equal(gramc_jolt_apply(jolt, TEXT("{\"a\":}"), NULL, buf_writer(&result), &error),
                     GRAMC_FINDINGS);
    assert_int_equal(error.position, 5);
    gramc_jolt_free(jolt);
    buf_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_cases),
        cmocka_unit_test(test_upstream_cases),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_i10_e4_values_are_counted),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
