/* Comparing schemas: the answers of tests/data/compat.tsv, random pairs of schemas against random
 * values, limits, and memory that runs out at every possible moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "random_value.h"

static const char *const answers[] = {"yes", "no", "unknown"};

static gramc_schema *compile(gramc_text text) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema = NULL;
    options.assert_formats = true;
    if (gramc_schema_compile(&schema, text.ptr, text.len, &options, NULL) != GRAMC_OK)
        fail_msg("cannot be compiled: %.*s", TEXT_ARGS(text));
    return schema;
}

/* The value of a "no" is accepted by A and refused by B. */
static void assert_shown(gramc_text a, gramc_text b, const gramc_comparison *comparison) {
    gramc_text value = comparison->counterexample;
    if (comparison->answer != GRAMC_COMPARE_NO) {
        assert_int_equal(value.len, 0);
        assert_true((comparison->answer == GRAMC_COMPARE_UNKNOWN) == (comparison->reason.len > 0));
        return;
    }
    gramc_schema *first = compile(a), *second = compile(b);
    assert_true(gramc_schema_accepts(first, value.ptr, value.len));
    assert_false(gramc_schema_accepts(second, value.ptr, value.len));
    gramc_schema_free(first);
    gramc_schema_free(second);
}

/* ## The table */

static FILE *open_table(void) {
    char path[4096];
    const char *folder = getenv("GRAMC_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/data/compat.tsv", folder ? folder : ".");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    return file;
}

/* Cuts a row into its three columns; false for a comment. */
static bool cut(char *line, gramc_text columns[3]) {
    char *at = line;
    if (line[0] == '#') return false;
    for (int i = 0; i < 3; i++) {
        size_t len = strcspn(at, "\t\n");
        columns[i] = (gramc_text){at, len};
        at += len + 1;
    }
    return true;
}

static void test_table(void **state) {
    char line[4096];
    gramc_text columns[3];
    int rows = 0, wrong = 0;
    (void)state;
    FILE *file = open_table();
    while (fgets(line, sizeof line, file)) {
        gramc_comparison *comparison;
        if (!cut(line, columns)) continue;
        assert_int_equal(gramc_schema_compare(&comparison, columns[1], columns[2], NULL), GRAMC_OK);
        assert_shown(columns[1], columns[2], comparison);
        if (!text_is(columns[0], answers[comparison->answer])) {
            print_error("%s, expected %.*s: %.*s against %.*s (%.*s%.*s)\n",
                        answers[comparison->answer], TEXT_ARGS(columns[0]), TEXT_ARGS(columns[1]),
                        TEXT_ARGS(columns[2]), TEXT_ARGS(comparison->reason),
                        TEXT_ARGS(comparison->counterexample));
            wrong++;
        }
        rows++;
        gramc_comparison_free(comparison);
    }
    fclose(file);
    assert_true(rows >= 150);
    assert_int_equal(wrong, 0);
}

/* ## Random schemas and random values */

static void put_schema(struct random *random, struct buf *out, int depth);

static void put_number_schema(struct random *random, struct buf *out) {
    static const char *const keys[] = {"minimum", "maximum", "exclusiveMinimum",
                                       "exclusiveMaximum"};
    static const char *const steps[] = {"1", "2", "0.5", "3"};
    buf_printf(out, "{\"type\":\"%s\"", draw(random, 2) ? "integer" : "number");
    for (size_t i = 0; i < 4; i++)
        if (!draw(random, 3)) buf_printf(out, ",\"%s\":%d", keys[i], (int)draw(random, 6) - 1);
    if (!draw(random, 4)) buf_printf(out, ",\"multipleOf\":%s", steps[draw(random, 4)]);
    buf_putc(out, '}');
}

static void put_string_schema(struct random *random, struct buf *out) {
    static const char *const patterns[] = {"^a", "b", "^[ab]+$"};
    buf_puts(out, "{\"type\":\"string\"");
    if (!draw(random, 3)) buf_printf(out, ",\"minLength\":%u", draw(random, 3));
    if (!draw(random, 3)) buf_printf(out, ",\"maxLength\":%u", draw(random, 4));
    if (!draw(random, 5)) buf_printf(out, ",\"pattern\":\"%s\"", patterns[draw(random, 3)]);
    buf_putc(out, '}');
}

static void put_list(struct random *random, struct buf *out, const char *key, int depth) {
    buf_printf(out, "\"%s\":[", key);
    for (uint32_t i = 0, count = 1 + draw(random, 3); i < count; i++) {
        if (i) buf_putc(out, ',');
        put_schema(random, out, depth);
    }
    buf_putc(out, ']');
}

static void put_array_schema(struct random *random, struct buf *out, int depth) {
    buf_puts(out, "{\"type\":\"array\"");
    if (!draw(random, 3)) {
        buf_putc(out, ',');
        put_list(random, out, "prefixItems", depth);
    }
    if (draw(random, 3)) {
        buf_puts(out, ",\"items\":");
        put_schema(random, out, depth);
    }
    if (!draw(random, 3)) buf_printf(out, ",\"minItems\":%u", draw(random, 3));
    if (!draw(random, 3)) buf_printf(out, ",\"maxItems\":%u", draw(random, 4));
    if (!draw(random, 4)) buf_puts(out, ",\"uniqueItems\":true");
    buf_putc(out, '}');
}

static void put_object_schema(struct random *random, struct buf *out, int depth) {
    bool some = false;
    buf_puts(out, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < 3; i++) {
        if (draw(random, 2)) continue;
        buf_printf(out, "%s\"%s\":", some ? "," : "", names[i]);
        put_schema(random, out, depth);
        some = true;
    }
    buf_putc(out, '}');
    if (draw(random, 2)) buf_printf(out, ",\"required\":[\"%s\"]", names[draw(random, 3)]);
    if (!draw(random, 3)) buf_puts(out, ",\"additionalProperties\":false");
    else if (!draw(random, 4)) {
        buf_puts(out, ",\"additionalProperties\":");
        put_schema(random, out, depth);
    }
    buf_putc(out, '}');
}

static void put_values_schema(struct random *random, struct buf *out) {
    buf_puts(out, "{\"enum\":[");
    for (uint32_t i = 0, count = 1 + draw(random, 3); i < count; i++)
        buf_printf(out, "%s%s", i ? "," : "", scalars[draw(random, SCALARS)]);
    buf_puts(out, "]}");
}

static void put_schema(struct random *random, struct buf *out, int depth) {
    static const char *const types[] = {"null", "boolean", "string", "integer", "object"};
    switch (draw(random, depth > 0 ? 12 : 6)) {
    case 0: buf_puts(out, draw(random, 4) ? "{}" : "false"); break;
    case 1:
    case 2: put_number_schema(random, out); break;
    case 3: put_string_schema(random, out); break;
    case 4: put_values_schema(random, out); break;
    case 5:
        buf_printf(out, "{\"type\":[\"%s\",\"%s\"]}", types[draw(random, 2)],
                   types[2 + draw(random, 3)]);
        break;
    case 6:
    case 7: put_array_schema(random, out, depth - 1); break;
    case 8:
    case 9: put_object_schema(random, out, depth - 1); break;
    case 10:
        buf_putc(out, '{');
        put_list(random, out, draw(random, 2) ? "anyOf" : "oneOf", depth - 1);
        buf_putc(out, '}');
        break;
    case 11: buf_puts(out, "{\"$ref\":\"#/$defs/R\"}"); break;
    default: break;
    }
}

/* A whole document; R is there to be referred to, by itself as well. */
static void put_document(struct random *random, struct buf *out) {
    buf_puts(out, "{\"allOf\":[");
    put_schema(random, out, 2);
    buf_puts(out, "],\"$defs\":{\"R\":{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":["
                  "{\"$ref\":\"#/$defs/R\"},");
    put_schema(random, out, 1);
    buf_puts(out, "]},\"b\":");
    put_schema(random, out, 0);
    buf_puts(out, "}}}}");
}

enum { PAIRS = 4000, VALUES = 60, LARGEST = 1 << 16 };

/* No value may contradict a "yes". */
static void assert_no_exception(struct random *random, gramc_text a, gramc_text b) {
    gramc_schema *first = compile(a), *second = compile(b);
    struct buf value;
    buf_init(&value, NULL, LARGEST);
    for (int i = 0; i < VALUES; i++) {
        buf_reset(&value);
        put_value(random, &value, 3);
        if (gramc_schema_accepts(first, value.ptr, value.len) &&
            !gramc_schema_accepts(second, value.ptr, value.len))
            fail_msg("said yes: %.*s against %.*s, but %s", TEXT_ARGS(a), TEXT_ARGS(b), value.ptr);
    }
    buf_free(&value);
    gramc_schema_free(first);
    gramc_schema_free(second);
}

static void test_random_pairs(void **state) {
    struct random random = {.state = UINT64_C(0x9E3779B97F4A7C15)};
    const char *seed = getenv("GRAMC_SEED");
    struct buf a, b;
    int counts[3] = {0};
    (void)state;
    if (seed) random.state ^= strtoull(seed, NULL, 10);
    buf_init(&a, NULL, LARGEST);
    buf_init(&b, NULL, LARGEST);
    for (int i = 0; i < PAIRS; i++) {
        gramc_comparison *comparison;
        buf_reset(&a);
        buf_reset(&b);
        put_document(&random, &a);
        put_document(&random, &b);
        assert_int_equal(gramc_schema_compare(&comparison, buf_view(&a), buf_view(&b), NULL),
                         GRAMC_OK);
        assert_shown(buf_view(&a), buf_view(&b), comparison);
        if (comparison->answer == GRAMC_COMPARE_YES)
            assert_no_exception(&random, buf_view(&a), buf_view(&b));
        counts[comparison->answer]++;
        gramc_comparison_free(comparison);
        assert_int_equal(gramc_schema_compare(&comparison, buf_view(&a), buf_view(&a), NULL),
                         GRAMC_OK);
        assert_int_equal(comparison->answer, GRAMC_COMPARE_YES);
        gramc_comparison_free(comparison);
    }
    print_message("%d yes, %d no, %d unknown\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > PAIRS / 50 && counts[1] > PAIRS / 2 && counts[2] < PAIRS / 10);
    buf_free(&a);
    buf_free(&b);
}

/* ## What the runtime sends */

static void test_as_sent(void **state) {
    static const struct {
        gramc_comparison_answer plain, sent;
        const char *a, *b, *value;
    } rows[] = {
        {GRAMC_COMPARE_NO, GRAMC_COMPARE_YES,
         "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"default\":1}}}",
         "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}},\"required\":[\"x\"],"
         "\"additionalProperties\":false}",
         ""},
        {GRAMC_COMPARE_NO, GRAMC_COMPARE_NO,
         "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"default\":null}}}",
         "{\"type\":\"object\",\"required\":[\"x\"]}", "{}"},
        {GRAMC_COMPARE_NO, GRAMC_COMPARE_NO,
         "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"default\":1},"
         "\"y\":{\"type\":\"string\"}},\"required\":[\"y\"]}",
         "{\"type\":\"object\",\"properties\":{\"y\":{\"minLength\":1}}}", "{\"y\":\"\",\"x\":1}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
        gramc_text a = text_of(rows[i].a), b = text_of(rows[i].b);
        gramc_comparison *comparison;
        assert_int_equal(gramc_schema_compare(&comparison, a, b, NULL), GRAMC_OK);
        assert_int_equal(comparison->answer, rows[i].plain);
        gramc_comparison_free(comparison);
        options.as_sent = true;
        assert_int_equal(gramc_schema_compare(&comparison, a, b, &options), GRAMC_OK);
        assert_int_equal(comparison->answer, rows[i].sent);
        gramc_text value = comparison->counterexample;
        if (!text_is(value, rows[i].value))
            fail_msg("%.*s, expected %s", TEXT_ARGS(value), rows[i].value);
        assert_shown(a, b, comparison);
        gramc_comparison_free(comparison);
    }
}

/* ## Limits and faults */

static void test_limits(void **state) {
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    gramc_comparison *comparison;
    gramc_text a =
        GRAMC_TEXT("{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}}}");
    gramc_text b = GRAMC_TEXT("{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}");
    (void)state;
    options.max_steps = 2;
    assert_int_equal(gramc_schema_compare(&comparison, a, b, &options), GRAMC_OK);
    assert_int_equal(comparison->answer, GRAMC_COMPARE_UNKNOWN);
    assert_true(comparison->reason.len > 0);
    gramc_comparison_free(comparison);
    assert_int_equal(gramc_schema_compare(&comparison, GRAMC_TEXT("{"), b, NULL), GRAMC_FINDINGS);
    assert_null(comparison);
    assert_int_equal(gramc_schema_compare(&comparison, a, GRAMC_TEXT("{\"type\":7}"), NULL),
                     GRAMC_FINDINGS);
    assert_null(comparison);
    gramc_comparison_free(NULL);
}

struct counter {
    long live, calls, fail_at;
    bool persistent;
};

static void *counting_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct counter *counter = ctx;
    (void)old_size;
    if (new_size == 0) {
        if (ptr) counter->live--;
        free(ptr);
        return NULL;
    }
    counter->calls++;
    if (counter->persistent ? counter->calls >= counter->fail_at
                            : counter->calls == counter->fail_at)
        return NULL;
    void *got = realloc(ptr, new_size);
    if (got && !ptr) counter->live++;
    return got;
}

/* Runs out of memory at the n-th allocation; true once it was not reached any more. */
static bool survives(gramc_text a, gramc_text b, gramc_comparison_answer expected, long n,
                     bool persistent) {
    struct counter counter = {0, 0, n, persistent};
    gramc_allocator allocator = {counting_alloc, &counter};
    gramc_compare_options options = GRAMC_COMPARE_OPTIONS_INIT;
    gramc_comparison *comparison;
    options.allocator = &allocator;
    options.as_sent = true;
    gramc_status status = gramc_schema_compare(&comparison, a, b, &options);
    if (status == GRAMC_OK) assert_int_equal(comparison->answer, expected);
    else assert_int_equal(status, GRAMC_NOMEM);
    gramc_comparison_free(comparison);
    assert_int_equal(counter.live, 0);
    return counter.calls < n;
}

static void test_faults(void **state) {
    static const struct {
        gramc_comparison_answer answer;
        const char *a, *b;
    } rows[] = {
        {GRAMC_COMPARE_NO,
         "{\"type\":\"object\",\"properties\":{\"t\":{\"type\":\"array\",\"items\":{\"type\":"
         "\"integer\"}}},\"required\":[\"t\"]}",
         "{\"type\":\"object\",\"properties\":{\"t\":{\"type\":\"array\",\"uniqueItems\":true,"
         "\"items\":{\"type\":\"integer\",\"minimum\":3}}}}"},
        {GRAMC_COMPARE_YES, "{\"oneOf\":[{\"const\":1},{\"type\":\"string\",\"minLength\":2}]}",
         "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\",\"minLength\":1}]}"},
        {GRAMC_COMPARE_UNKNOWN, "{\"type\":\"string\",\"format\":\"date\"}",
         "{\"type\":\"string\",\"pattern\":\"^[0-9-]+$\"}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int persistent = 0; persistent < 2; persistent++)
            for (long n = 1; n < 5000; n++)
                if (survives(text_of(rows[i].a), text_of(rows[i].b), rows[i].answer, n,
                             persistent == 1))
                    break;
}

/* ## Samples */

static const struct {
    const char *schema, *sample; /* NULL: none is found */
} samples[] = {
    {"{}", "\"example\""},
    {"{\"type\":\"string\",\"maxLength\":3}", "\"exa\""},
    {"{\"type\":\"string\",\"minLength\":9}", "\"examplexx\""},
    {"{\"type\":\"string\",\"pattern\":\"^[0-9]{4}$\"}", "\"0000\""},
    {"{\"type\":\"string\",\"format\":\"date\"}", "\"2024-02-29\""},
    {"{\"type\":[\"string\",\"null\"]}", "\"example\""},
    {"{\"type\":[\"null\",\"integer\"]}", "1"},
    {"{\"type\":\"integer\",\"maximum\":10}", "1"},
    {"{\"type\":\"integer\",\"maximum\":-4}", "-4"},
    {"{\"type\":\"integer\",\"exclusiveMinimum\":5}", "6"},
    {"{\"type\":\"integer\",\"multipleOf\":5}", "5"},
    {"{\"type\":\"integer\",\"minimum\":3,\"multipleOf\":5}", "5"},
    {"{\"type\":\"boolean\"}", "true"},
    {"{\"type\":\"null\"}", "null"},
    {"{\"enum\":[\"b\",\"a\"]}", "\"b\""},
    {"{\"enum\":[\"b\",\"a\"],\"default\":\"a\"}", "\"a\""},
    {"{\"type\":\"integer\",\"examples\":[\"x\",7]}", "7"},
    {"{\"anyOf\":[{\"const\":4},{\"type\":\"null\"}]}", "4"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":2}", "[1,1]"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", "[]"},
    {"{\"properties\":{\"a\":{\"type\":\"boolean\"},\"b\":{}},\"required\":[\"b\",\"a\"]}",
     "{\"b\":\"example\",\"a\":true}"},
    {"{\"$ref\":\"#/$defs/"
     "t\",\"$defs\":{\"t\":{\"type\":\"object\",\"properties\":{\"n\":{\"anyOf\":["
     "{\"$ref\":\"#/$defs/t\"},{\"type\":\"null\"}]}},\"required\":[\"n\"]}}}",
     "{\"n\":{\"n\":null}}"},
    {"false", NULL},
    {"{\"type\":\"integer\",\"minimum\":3,\"maximum\":2}", NULL},
};

static void test_samples(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        gramc_schema *schema;
        struct buf out;
        buf_init(&out, NULL, 4096);
        assert_int_equal(
            gramc_schema_compile(&schema, samples[i].schema, strlen(samples[i].schema), NULL, NULL),
            GRAMC_OK);
        gramc_status status =
            gramc_schema_sample(gramc_schema_document(schema), NULL, buf_writer(&out));
        assert_int_equal(status, samples[i].sample ? GRAMC_OK : GRAMC_FINDINGS);
        if (samples[i].sample && strcmp(out.ptr, samples[i].sample) != 0)
            fail_msg("%s: %s", samples[i].schema, out.ptr);
        buf_free(&out);
        gramc_schema_free(schema);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),      cmocka_unit_test(test_table),
        cmocka_unit_test(test_random_pairs), cmocka_unit_test(test_as_sent),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
