/* Lets every allocation of the validator fail in turn, once and from then on: compiling, judging,
 * accepting and printing must say so, leak nothing and never answer wrongly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "gramc/compile.h"

struct faults {
    size_t count;   /* allocations so far */
    size_t failing; /* the first that fails; SIZE_MAX: none */
    bool lasting;   /* and all behind it */
    size_t alive;   /* blocks not yet given back */
};

static void *faulty(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct faults *faults = ctx;
    (void)old_size;
    if (new_size == 0) {
        faults->alive -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    size_t i = faults->count++;
    if (i == faults->failing || (faults->lasting && i > faults->failing)) return NULL;
    faults->alive += ptr == NULL;
    return realloc(ptr, new_size);
}

struct scenario {
    const char *schema, *json;
    bool valid; /* with all flags */
};

static const struct scenario scenarios[] = {
    {"{\"$id\":\"http://a/\",\"$defs\":{\"t\":{\"$anchor\":\"t\",\"type\":\"integer\"}},\"type\":"
     "\"object\",\"properties\":{\"n\":{\"$ref\":\"#t\"},\"s\":{\"type\":\"string\",\"pattern\":"
     "\"^(?<x>a|b)+$\",\"default\":\"ab\"},\"l\":{\"items\":{\"enum\":[\"a\",1,[2]]},"
     "\"uniqueItems\":true}},\"required\":[\"n\"]}",
     "{\"n\":\"5\",\"l\":[\"a\",1,[2]]}", true},
    {"{\"anyOf\":[{\"properties\":{\"k\":{\"const\":1}},\"required\":[\"k\"]},{\"type\":\"array\"}]"
     ","
     "\"unevaluatedProperties\":{\"type\":\"string\"},\"dependentSchemas\":{\"k\":{\"required\":"
     "[\"q\"]}},\"patternProperties\":{\"^x\":false}}",
     "{\"k\":2,\"x\\u0031\":1,\"u\":1}", false},
    {"{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
     "{\"properties\":{\"a\":{\"type\":\"int\"}}}", false},
    {"{\"type\":\"array\"}", "[1,", false},
    {"{\"title\":\"t\",\"items\":{\"$ref\":\"#/$defs/a "
     "b\"},\"oneOf\":[{\"contains\":{\"const\":1}},{"
     "\"prefixItems\":[{\"type\":\"null\"}]}],\"not\":{\"minItems\":9},\"$defs\":{\"a "
     "b\":{\"x-own\":"
     "[\"y\"],\"if\":{\"type\":\"object\"},\"then\":{\"propertyNames\":{\"maxLength\":3}}}}}",
     "[1,{\"k\":2}]", true},
    /* Patterns that are programs. */
    {"{\"pattern\":\"(?<=^(a|[\\\\d\\\\x62\\\\p{L}])*\\\\1)c$\"}",
     "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac\"", true},
    {"{\"pattern\":\"(?<=a*)(?:aa|ab|ac|ad|ae|af|ag|bh|bi|bj)$\"}", "\"xbi\"", true},
};

static gramc_status compile(gramc_schema **out, const struct scenario *scenario,
                            const gramc_allocator *allocator) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    options.allocator = allocator;
    gramc_status status =
        gramc_schema_compile(out, scenario->schema, strlen(scenario->schema), &options, &error);
    if (status != GRAMC_OK) {
        assert_int_equal(status, GRAMC_NOMEM);
        assert_string_equal(error.message, "out of memory");
    }
    return status;
}

static int swallow(void *ctx, const char *bytes, size_t len) {
    (void)ctx, (void)bytes, (void)len;
    return 0;
}

static int pass_over(void *ctx, const gramc_annotation *annotation) {
    (void)ctx;
    assert_true(annotation->value.len);
    return 0;
}

static void print(const gramc_verdict *verdict) {
    gramc_status status;
    for (int format = GRAMC_VERDICT_TEXT; format <= GRAMC_VERDICT_VERBOSE; format++) {
        status = gramc_verdict_print(verdict, (gramc_verdict_format)format,
                                     (gramc_writer){swallow, NULL});
        assert_true(status == GRAMC_OK || status == GRAMC_NOMEM);
    }
    status = gramc_verdict_annotations(verdict, pass_over, NULL);
    assert_true(status == GRAMC_OK || status == GRAMC_NOMEM);
}

static gramc_status evaluate(const gramc_schema *schema, const struct scenario *scenario,
                             const gramc_allocator *allocator) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    options.allocator = allocator;
    options.flags =
        GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_COERCE | GRAMC_CHECK_NULL_ABSENT | GRAMC_CHECK_UNITS;
    gramc_status status =
        gramc_schema_check(&verdict, schema, scenario->json, strlen(scenario->json), &options);
    if (status == GRAMC_OK) {
        assert_int_equal(verdict->valid, scenario->valid);
        print(verdict);
        gramc_verdict_free(verdict);
    } else {
        assert_int_equal(status, GRAMC_NOMEM);
        assert_null(verdict);
    }
    return status;
}

/* Everything with the n-th allocation failing; true if that one was never asked for. */
static bool run(const struct scenario *scenario, size_t n, bool lasting) {
    struct faults faults = {.failing = n, .lasting = lasting};
    gramc_allocator allocator = {faulty, &faults};
    gramc_schema *schema = NULL;
    gramc_status status = compile(&schema, scenario, &allocator);
    if (status == GRAMC_OK) {
        evaluate(schema, scenario, &allocator);
        if (gramc_schema_accepts(schema, scenario->json, strlen(scenario->json)))
            assert_true(scenario->valid);
    }
    gramc_schema_free(schema);
    assert_int_equal(faults.alive, 0);
    return faults.count <= n;
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        for (int lasting = 0; lasting < 2; lasting++) {
            size_t n = 0;
            while (!run(&scenarios[i], n, lasting)) n++;
            assert_true(n > 3);
        }
}

/* What a signature can say is accepted without any allocation. */
static void test_accepting_takes_no_memory(void **state) {
    (void)state;
    struct faults faults = {.failing = SIZE_MAX};
    gramc_allocator allocator = {faulty, &faults};
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema;
    static const char text[] =
        "{\"type\":\"object\",\"properties\":{\"to\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"string\",\"pattern\":\"^[^@]+@[^@]+$\"},\"minItems\":1},\"n\":{\"anyOf\":[{\"type\":"
        "\"integer\",\"maximum\":9},{\"type\":\"null\"}]},\"at\":{\"type\":\"string\",\"format\":"
        "\"date\"},\"unit\":{\"enum\":[\"c\",\"f\"]},\"o\":{\"$ref\":\"#/$defs/o\"}},\"required\":"
        "[\"to\"],\"$defs\":{\"o\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
        "\"number\",\"minimum\":0.5}}}}";
    static const char json[] =
        "{\"to\":[\"a@b\",\"\\u00fc@c\"],\"n\":null,\"at\":\"2024-02-29\",\"unit\":\"f\",\"o\":{"
        "\"x\":1.5,\"y\":2}}";
    options.allocator = &allocator;
    options.assert_formats = options.closed_root = true;
    assert_int_equal(gramc_schema_compile(&schema, text, sizeof text - 1, &options, NULL),
                     GRAMC_OK);
    size_t before = faults.count;
    assert_true(gramc_schema_accepts(schema, json, sizeof json - 1));
    assert_int_equal(faults.count, before);
    gramc_schema_free(schema);
    assert_int_equal(faults.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_accepting_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
