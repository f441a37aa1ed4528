/* Tests what evaluating costs, counted in steps: nested alternatives, which must not take
 * exponential time, and the two engines at the same values. Time itself is not measured here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "jsonschema/evaluate.h"

static gramc_schema *compile(const char *text) {
    gramc_json_error error;
    gramc_schema *schema;
    if (gramc_schema_compile(&schema, text, strlen(text), NULL, &error))
        fail_msg("%s: %s", text, error.message);
    return schema;
}

struct cost {
    uint64_t steps;
    gramc_status status;
    bool valid;
};

/* By the engine for documents alone. */
static struct cost cost_of(const gramc_schema *schema, gramc_text text, bool reported) {
    struct report report = {.max = 100};
    struct evaluation evaluation;
    struct arena arena;
    report.link = &report.first;
    arena_init(&arena, NULL);
    evaluation_init(&evaluation, schema, &arena, reported ? &report : NULL, text.len);
    const struct json *root = json_parse(&arena, text, NULL);
    assert_non_null(root);
    bool valid = evaluate_document(&evaluation, root);
    struct cost cost = {evaluation.all_steps - evaluation.steps, evaluation.status, valid};
    if (reported && !valid && !cost.status) assert_true(report.kept > 0);
    evaluation_free(&evaluation);
    arena_free(&arena);
    return cost;
}

/* ## Nested alternatives */

/* What tells the alternatives apart stands behind what they hold. */
static const char expressions[] =
    "{\"$ref\":\"#/$defs/e\",\"$defs\":{\"a\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
    "e\"}},\"e\":{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"args\":{\"$ref\":\"#/$defs/"
    "a\"},\"op\":{\"const\":\"and\"}},\"required\":[\"op\",\"args\"]},{\"type\":\"object\","
    "\"properties\":{\"args\":{\"$ref\":\"#/$defs/a\"},\"op\":{\"const\":\"or\"}},\"required\":["
    "\"op\",\"args\"]},{\"type\":\"object\",\"properties\":{\"args\":{\"$ref\":\"#/$defs/a\"},"
    "\"op\":{\"const\":\"not\"}},\"required\":[\"op\",\"args\"]},{\"type\":\"object\","
    "\"properties\":{\"args\":{\"$ref\":\"#/$defs/a\"},\"op\":{\"const\":\"xor\"}},\"required\":["
    "\"op\",\"args\"]}]}}}";

/* Nothing tells these apart but what stands at the very bottom. */
static const char bottoms[] =
    "{\"anyOf\":[{\"properties\":{\"args\":{\"items\":{\"$ref\":\"#\"}},\"op\":{\"type\":"
    "\"string\"}},\"additionalProperties\":{\"const\":1}},{\"properties\":{\"args\":{\"items\":{"
    "\"$ref\":\"#\"}},\"op\":{\"type\":\"string\"}},\"additionalProperties\":{\"const\":2}},"
    "{\"properties\":{\"args\":{\"items\":{\"$ref\":\"#\"}},\"op\":{\"type\":\"string\"}},"
    "\"additionalProperties\":{\"const\":3}}]}";

static void put_nested(struct buf *out, size_t depth, const char *bottom) {
    buf_reset(out);
    for (size_t i = 0; i < depth; i++) buf_puts(out, "{\"args\":[");
    buf_puts(out, bottom);
    for (size_t i = 0; i < depth; i++) buf_puts(out, "],\"op\":\"and\"}");
    assert_int_equal(buf_status(out), GRAMC_OK);
}

static const struct {
    const char *schema, *bottom;
    bool valid;
} nested[] = {
    {expressions, "{\"args\":[],\"op\":\"xor\"}", true},
    {expressions, "{\"args\":[],\"op\":\"nor\"}", false},
    {expressions, "{\"op\":\"and\"}", false},
    {expressions, "7", false},
    {bottoms, "{\"n\":3}", true},
    {bottoms, "{\"n\":4}", false},
};

/* The same by all that the public interface has. */
static void check_nested(const gramc_schema *schema, gramc_text text, bool valid) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    assert_int_equal(gramc_schema_accepts(schema, text.ptr, text.len), valid);
    for (options.flags = 0; options.flags < 8; options.flags++) {
        gramc_verdict *verdict;
        gramc_status status = gramc_schema_check(&verdict, schema, text.ptr, text.len, &options);
        if (status) fail_msg("flags %u, %zu bytes: %d", options.flags, text.len, (int)status);
        assert_int_equal(verdict->valid, valid);
        assert_int_equal(verdict->adjustment_count, 0);
        gramc_verdict_free(verdict);
    }
}

/* Ten times as deep costs about ten times as much. */
static void test_nested_alternatives(void **state) {
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        gramc_schema *schema = compile(nested[i].schema);
        for (int reported = 0; reported < 2; reported++) {
            struct cost cost[2];
            for (size_t tenfold = 0; tenfold < 2; tenfold++) {
                put_nested(&text, tenfold ? 400 : 40, nested[i].bottom);
                cost[tenfold] = cost_of(schema, buf_view(&text), reported);
                assert_int_equal(cost[tenfold].status, GRAMC_OK);
                assert_int_equal(cost[tenfold].valid, nested[i].valid);
            }
            if (cost[1].steps > 12 * cost[0].steps + 20000)
                fail_msg("case %zu, reported %d: %ju, then %ju steps", i, reported,
                         (uintmax_t)cost[0].steps, (uintmax_t)cost[1].steps);
        }
        put_nested(&text, 12, nested[i].bottom);
        check_nested(schema, buf_view(&text), nested[i].valid);
        put_nested(&text, 100, nested[i].bottom);
        check_nested(schema, buf_view(&text), nested[i].valid);
        gramc_schema_free(schema);
    }
    buf_free(&text);
}

/* The engine for documents takes more frames than there are levels: what the other one accepts it
 * must not call a limit. */
static void test_engines_agree_at_the_limit(void **state) {
    gramc_schema *schema =
        compile("{\"$ref\":\"#/$defs/l\",\"$defs\":{\"l\":{\"allOf\":[{\"items\":{\"$ref\":"
                "\"#/$defs/m\"}}]},\"m\":{\"allOf\":[{\"allOf\":[{\"allOf\":[{\"$ref\":\"#/$defs/"
                "l\"}]}]}]}}}");
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    for (size_t depth = 100; depth <= 900; depth += 100) {
        gramc_verdict *verdict = NULL;
        buf_reset(&text);
        for (size_t i = 0; i < depth; i++) buf_putc(&text, '[');
        for (size_t i = 0; i < depth; i++) buf_putc(&text, ']');
        bool accepts = gramc_schema_accepts(schema, text.ptr, text.len);
        gramc_status status = gramc_schema_check(&verdict, schema, text.ptr, text.len, NULL);
        assert_int_equal(status, accepts ? GRAMC_OK : GRAMC_LIMIT);
        if (accepts) assert_true(verdict->valid);
        gramc_verdict_free(verdict);
    }
    buf_free(&text);
    gramc_schema_free(schema);
}

/* ## Limits by name */

static void expect_limit(const char *schema_text, const struct buf *json, const char *pointer,
                         const char *message) {
    gramc_schema *schema = compile(schema_text);
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_json_error error = {.message = ""};
    gramc_verdict *verdict;
    options.error = &error;
    assert_int_equal(gramc_schema_check(&verdict, schema, json->ptr, json->len, &options),
                     GRAMC_LIMIT);
    assert_null(verdict);
    assert_string_equal(error.message, message);
    assert_int_equal(strncmp(error.pointer, pointer, strlen(pointer)), 0);
    assert_true(error.position < json->len);
    assert_false(gramc_schema_accepts(schema, json->ptr, json->len));
    gramc_schema_free(schema);
}

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* One string may take a million steps of backtracking; many of them together not each as many. */
static void test_patterns_share_a_limit(void **state) {
    static const char pattern[] = "{\"items\":{\"pattern\":\"^((a+)+|.*)$\"}}";
    static const char usual[] = "{\"items\":{\"pattern\":\"^(a|b)+!$\"}}";
    static const char message[] = "matching patterns takes too much backtracking";
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    buf_puts(&text, "[0");
    put_times(&text, ",\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"", 3000);
    buf_puts(&text, "]");
    gramc_schema *schema = compile(usual);
    struct cost cost = cost_of(schema, buf_view(&text), false);
    assert_true(cost.valid && cost.status == GRAMC_OK);
    gramc_schema_free(schema);
    expect_limit(pattern, &text, "/1", message);
    buf_reset(&text);
    buf_puts(&text, "[0,[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"]]");
    expect_limit("{\"items\":{\"items\":{\"pattern\":\"^((a+)+)$\"}}}", &text, "/1/0", message);
    buf_free(&text);
}

static void test_work_has_a_limit(void **state) {
    struct buf text, schema;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    buf_init(&schema, NULL, 1 << 20);
    buf_puts(&schema, "{\"properties\":{\"l\":{\"anyOf\":[");
    for (int i = 0; i < 400; i++) buf_printf(&schema, "{\"contains\":{\"const\":%d}},", -1 - i);
    buf_puts(&schema, "false]}}}");
    buf_puts(&text, "{\"l\":[0");
    put_times(&text, ",7", 50000);
    buf_puts(&text, "]}");
    buf_putc(&schema, '\0');
    expect_limit(schema.ptr, &text, "/l", "evaluating it takes too much work");
    buf_free(&text);
    buf_free(&schema);
}

static void test_nesting_has_a_limit(void **state) {
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    put_times(&text, "[", 1001);
    put_times(&text, "]", 1001);
    expect_limit("{}", &text, "", "nested deeper than 1000 levels");
    buf_free(&text);
}

/* ## Many names */

/* So many members that each ask for the first one. */
static struct cost many_dependents(size_t count) {
    struct buf schema, text;
    buf_init(&schema, NULL, 1 << 22);
    buf_init(&text, NULL, 1 << 22);
    buf_puts(&schema, "{\"dependentRequired\":{\"n\":[]");
    buf_puts(&text, "{\"n\":0");
    for (size_t i = 0; i < count; i++) {
        buf_printf(&schema, ",\"n%zu\":[\"n\",\"n%zu\"]", i, i / 2);
        buf_printf(&text, ",\"n%zu\":0", i);
    }
    buf_puts(&schema, "}}");
    buf_puts(&text, "}");
    buf_putc(&schema, '\0');
    gramc_schema *compiled = compile(schema.ptr);
    struct cost cost = cost_of(compiled, buf_view(&text), true);
    gramc_schema_free(compiled);
    buf_free(&schema);
    buf_free(&text);
    assert_true(cost.valid && cost.status == GRAMC_OK);
    return cost;
}

static void test_many_dependents(void **state) {
    (void)state;
    struct cost few = many_dependents(1000), many = many_dependents(10000);
    assert_true(many.steps < 12 * few.steps);
}

/* References into a large map, by their names; some with escapes. */
static void test_many_references(void **state) {
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 23);
    buf_puts(&text, "{\"$defs\":{\"a/b\":{\"const\":-1}");
    for (int i = 0; i < 20000; i++) buf_printf(&text, ",\"n%d\":{\"const\":%d}", i, i);
    buf_puts(&text, "},\"anyOf\":[{\"$ref\":\"#/$defs/a~1b\"}");
    for (int i = 0; i < 20000; i++) buf_printf(&text, ",{\"$ref\":\"#/$defs/n%d\"}", i);
    buf_puts(&text, "]}");
    buf_putc(&text, '\0');
    gramc_schema *schema = compile(text.ptr);
    assert_true(gramc_schema_accepts(schema, "[]", 2) == false);
    assert_true(gramc_schema_accepts(schema, "19999", 5));
    assert_true(gramc_schema_accepts(schema, "-1", 2));
    assert_false(gramc_schema_accepts(schema, "20000", 5));
    gramc_schema_free(schema);
    buf_free(&text);
}

/* A list that is converted, and a map that is filled in. */
static void test_many_changes(void **state) {
    struct buf schema, text;
    (void)state;
    buf_init(&schema, NULL, 1 << 23);
    buf_init(&text, NULL, 1 << 23);
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    options.flags = GRAMC_CHECK_COERCE | GRAMC_CHECK_DEFAULTS;
    buf_puts(&schema, "{\"properties\":{\"l\":{\"items\":{\"type\":\"integer\"}}");
    for (int i = 0; i < 50000; i++) buf_printf(&schema, ",\"n%d\":{\"default\":%d}", i, i);
    buf_puts(&schema, "}}");
    buf_puts(&text, "{\"l\":[0");
    put_times(&text, ",\"7\"", 50000);
    buf_puts(&text, "]}");
    buf_putc(&schema, '\0');
    gramc_schema *compiled = compile(schema.ptr);
    assert_int_equal(gramc_schema_check(&verdict, compiled, text.ptr, text.len, &options),
                     GRAMC_OK);
    assert_true(verdict->valid);
    assert_int_equal(verdict->adjustment_count, 100000);
    assert_true(text_is(verdict->adjustments[49999].instance, "/l/50000"));
    assert_true(text_is(verdict->adjustments[99999].instance, "/n49999"));
    gramc_verdict_free(verdict);
    gramc_schema_free(compiled);
    buf_free(&schema);
    buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_alternatives),
        cmocka_unit_test(test_engines_agree_at_the_limit),
        cmocka_unit_test(test_patterns_share_a_limit),
        cmocka_unit_test(test_work_has_a_limit),
        cmocka_unit_test(test_nesting_has_a_limit),
        cmocka_unit_test(test_many_dependents),
        cmocka_unit_test(test_many_references),
        cmocka_unit_test(test_many_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
