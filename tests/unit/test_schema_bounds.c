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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_alternatives),
        cmocka_unit_test(test_engines_agree_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
