/* Tests annotations and the output format `verbose` as a C program has them: what is told, when
 * nothing is, who must ask, how much is told at most. What they contain is tested by the cases in
 * tests/conformance/output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/schema.h"

static gramc_schema *compile(const char *text, bool closed) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema;
    options.closed_root = closed;
    gramc_status status = gramc_schema_compile(&schema, text, strlen(text), &options, &error);
    if (status != GRAMC_OK) fail_msg("%s: %s", text, error.message);
    return schema;
}

static gramc_verdict *check(const gramc_schema *schema, gramc_text json, unsigned flags) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    options.flags = flags;
    assert_int_equal(gramc_schema_check(&verdict, schema, json.ptr, json.len, &options), GRAMC_OK);
    return verdict;
}

/* ## Annotations */

static int write_down(void *ctx, const gramc_annotation *annotation) {
    struct buf *out = ctx;
    buf_printf(out, "%.*s %.*s %.*s %.*s %.*s\n", TEXT_ARGS(annotation->instance),
               TEXT_ARGS(annotation->keyword), TEXT_ARGS(annotation->path),
               TEXT_ARGS(annotation->absolute), TEXT_ARGS(annotation->value));
    return 0;
}

static int stop(void *ctx, const gramc_annotation *annotation) {
    (void)annotation;
    ++*(int *)ctx;
    return 1;
}

static void expect_annotations(const gramc_schema *schema, gramc_text json, unsigned flags,
                               const char *expected) {
    gramc_verdict *verdict = check(schema, json, flags);
    struct buf out;
    buf_init(&out, NULL, 10000);
    buf_puts(&out, "");
    assert_int_equal(gramc_verdict_annotations(verdict, write_down, &out), GRAMC_OK);
    assert_string_equal(out.ptr, expected);
    buf_free(&out);
    gramc_verdict_free(verdict);
}

static const char annotated[] =
    "{\"$id\":\"https://a.example/s\",\"title\":\"all\",\"properties\":{\"n\":{\"$ref\":\"#/$defs/"
    "d\"},\"m\":{\"default\":{\"x\":[]}}},\"anyOf\":[{\"required\":[\"no\"],\"title\":\"dropped\"}"
    ",true],\"$defs\":{\"d\":{\"type\":\"integer\",\"examples\":[1,2]}}}";

static void test_annotations(void **state) {
    (void)state;
    gramc_schema *schema = compile(annotated, false);
    static const char expected[] =
        " title /title https://a.example/s#/title \"all\"\n"
        " properties /properties https://a.example/s#/properties [\"n\",\"m\"]\n"
        "/n examples /properties/n/$ref/examples https://a.example/s#/$defs/d/examples [1,2]\n"
        "/m default /properties/m/default https://a.example/s#/properties/m/default {\"x\":[]}\n";
    expect_annotations(schema, TEXT("{\"n\":1,\"m\":2}"), GRAMC_CHECK_ANNOTATIONS, expected);
    /* Those of failed branches are no more than with the one flag. */
    expect_annotations(schema, TEXT("{\"n\":1,\"m\":2}"), GRAMC_CHECK_UNITS, expected);
    /* What was filled in is annotated as well. */
    expect_annotations(schema, TEXT("{\"n\":1}"), GRAMC_CHECK_ANNOTATIONS | GRAMC_CHECK_DEFAULTS,
                       expected);
    expect_annotations(schema, TEXT("{\"n\":\"x\"}"), GRAMC_CHECK_ANNOTATIONS, "");
    expect_annotations(schema, TEXT("{\"n\":\"x\"}"), GRAMC_CHECK_UNITS, "");
    expect_annotations(schema, TEXT("{"), GRAMC_CHECK_ANNOTATIONS, "");
    gramc_schema_free(schema);
}

static void test_who_must_ask(void **state) {
    (void)state;
    gramc_schema *schema = compile(annotated, false);
    gramc_verdict *verdict = check(schema, TEXT("{\"n\":1}"), 0);
    struct buf out;
    int told = 0;
    buf_init(&out, NULL, 10000);
    assert_int_equal(gramc_verdict_annotations(verdict, stop, &told), GRAMC_USAGE);
    assert_int_equal(gramc_verdict_print(verdict, GRAMC_VERDICT_VERBOSE, buf_writer(&out)),
                     GRAMC_USAGE);
    assert_int_equal(gramc_verdict_print(verdict, GRAMC_VERDICT_BASIC, buf_writer(&out)), GRAMC_OK);
    assert_string_equal(out.ptr, "{\"valid\":true}\n");
    gramc_verdict_free(verdict);
    verdict = check(schema, TEXT("{\"n\":1}"), GRAMC_CHECK_ANNOTATIONS);
    assert_int_equal(gramc_verdict_print(verdict, GRAMC_VERDICT_VERBOSE, buf_writer(&out)),
                     GRAMC_USAGE);
    assert_int_equal(gramc_verdict_annotations(verdict, stop, &told), GRAMC_IO);
    assert_int_equal(told, 1);
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
    buf_free(&out);
}

/* ## Verbose */

static void expect_verbose(const gramc_schema *schema, gramc_text json, const char *expected) {
    gramc_verdict *verdict = check(schema, json, GRAMC_CHECK_UNITS);
    struct buf out;
    buf_init(&out, NULL, 10000);
    assert_int_equal(gramc_verdict_print(verdict, GRAMC_VERDICT_VERBOSE, buf_writer(&out)),
                     GRAMC_OK);
    assert_string_equal(out.ptr, expected);
    buf_free(&out);
    gramc_verdict_free(verdict);
}

#define ROOT(valid)                                                                                \
    "{\"valid\":" valid ",\"keywordLocation\":\"\",\"absoluteKeywordLocation\":\"#\","
#define ADDITIONAL                                                                                 \
    "\"keywordLocation\":\"/additionalProperties\",\"absoluteKeywordLocation\":\"#/"               \
    "additionalProperties\""

/* What no keyword of the schema says is among the units all the same. */
static void test_beside_the_schema(void **state) {
    (void)state;
    gramc_schema *schema = compile("{}", false), *closed = compile("{}", true);
    expect_verbose(schema, TEXT("{}"), ROOT("true") "\"instanceLocation\":\"\"}\n");
    expect_verbose(schema, TEXT("{"),
                   "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"errors\":"
                   "[{\"valid\":false,\"keywordLocation\":\"/json\",\"absoluteKeywordLocation\":"
                   "\"#/json\",\"instanceLocation\":\"\",\"error\":\"not JSON at byte 0: '{' is "
                   "never closed\"}]}\n");
    expect_verbose(
        schema, TEXT("{\"a\":1,\"a\":2}"),
        "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"errors\":[{\"valid\""
        ":false,\"keywordLocation\":\"/duplicate\",\"absoluteKeywordLocation\":\"#/duplicate\","
        "\"instanceLocation\":\"/a\",\"error\":\"a: given more than once; keep "
        "one\"}," ROOT("true") "\"instanceLocation\":\"\"}]}\n");
    expect_verbose(
        closed, TEXT("{\"a\":1}"),
        ROOT("false") "\"instanceLocation\":\"\",\"errors\":[{\"valid\":false," ADDITIONAL
                      ",\"instanceLocation\":\"\",\"errors\":[{\"valid\":false," ADDITIONAL
                      ",\"instanceLocation\":\"/a\",\"error\":\"a: not a known member; no members "
                      "are allowed here\"}"
                      "]}]}\n");
    gramc_schema_free(schema);
    gramc_schema_free(closed);
}

/* ## Bounds */

/* Each level doubles what there is to tell: it ends in a limit that says so. */
static void test_too_much_to_tell(void **state) {
    (void)state;
    gramc_schema *schema =
        compile("{\"$ref\":\"#/$defs/l\",\"$defs\":{\"l\":{\"anyOf\":[{\"items\":"
                "{\"$ref\":\"#/$defs/l\"}},{\"items\":{\"$ref\":\"#/$defs/l\"}}]"
                "}}}",
                false);
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_json_error error;
    gramc_verdict *verdict;
    char deep[60];
    memset(deep, '[', 30);
    memset(deep + 30, ']', 30);
    options.error = &error;
    assert_int_equal(gramc_schema_check(&verdict, schema, deep, sizeof deep, &options), GRAMC_OK);
    gramc_verdict_free(verdict);
    for (unsigned flags = GRAMC_CHECK_ANNOTATIONS; flags <= GRAMC_CHECK_UNITS; flags *= 2) {
        options.flags = flags;
        assert_int_equal(gramc_schema_check(&verdict, schema, deep, sizeof deep, &options),
                         GRAMC_LIMIT);
        assert_null(verdict);
        assert_non_null(strstr(error.message, "evaluating it takes too much"));
    }
    gramc_schema_free(schema);
}

/* Many items that all fail: places are not counted from the first item on for each of them. */
static void test_many_failures(void **state) {
    (void)state;
    enum { ITEMS = 100000 };
    gramc_schema *schema = compile("{\"items\":{\"type\":\"string\"}}", false);
    char *json = malloc(2 * ITEMS + 1);
    assert_non_null(json);
    for (size_t i = 0; i < ITEMS; i++) memcpy(json + 2 * i, i ? ",1" : "[1", 2);
    json[2 * (size_t)ITEMS] = ']';
    gramc_verdict *verdict =
        check(schema, (gramc_text){json, 2 * (size_t)ITEMS + 1}, GRAMC_CHECK_UNITS);
    struct buf out;
    buf_init(&out, NULL, 64 << 20);
    assert_int_equal(verdict->errors_total, ITEMS);
    assert_int_equal(gramc_verdict_print(verdict, GRAMC_VERDICT_VERBOSE, buf_writer(&out)),
                     GRAMC_OK);
    assert_non_null(strstr(out.ptr, "\"instanceLocation\":\"/99999\",\"error\":\"[99999]: expected "
                                    "a string, got the number 1;"));
    buf_free(&out);
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
    free(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotations),       cmocka_unit_test(test_who_must_ask),
        cmocka_unit_test(test_beside_the_schema), cmocka_unit_test(test_too_much_to_tell),
        cmocka_unit_test(test_many_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
