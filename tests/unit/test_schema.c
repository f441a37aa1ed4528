/* Tests the validator's face: the sentences of its errors, defaults, coercions, what cannot be
 * compiled, limits, several threads, printing. That verdicts are right is tested by the cases in
 * tests/conformance. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"

static gramc_schema *compile(const char *text, bool closed, bool formats) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema;
    options.closed_root = closed;
    options.assert_formats = formats;
    gramc_status status = gramc_schema_compile(&schema, text, strlen(text), &options, &error);
    if (status != GRAMC_OK) fail_msg("%s: %s", text, error.message);
    return schema;
}

static gramc_verdict *check(const gramc_schema *schema, const char *json, unsigned flags) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    options.flags = flags;
    assert_int_equal(gramc_schema_check(&verdict, schema, json, strlen(json), &options), GRAMC_OK);
    if (!flags) assert_int_equal(gramc_schema_accepts(schema, json, strlen(json)), verdict->valid);
    if (gramc_schema_accepts_as_is(schema, json, strlen(json)))
        assert_true(verdict->valid && verdict->adjustment_count == 0);
    return verdict;
}

/* ## Sentences */

struct sentence {
    const char *schema, *json;
    const char *instance, *place, *message; /* of the first error; message NULL: valid */
};

#define UNION                                                                                      \
    "{\"oneOf\":[{\"properties\":{\"v\":{\"const\":1},\"kind\":{\"const\":\"a\"}},\"required\":["  \
    "\"kind\","                                                                                    \
    "\"x\",\"z\"]},{\"$ref\":\"#/$defs/"                                                           \
    "b\"},{\"allOf\":[{\"properties\":{\"v\":{\"const\":1},\"kind\":"                              \
    "{\"enum\":[\"c\",\"d\"]}},\"required\":[\"kind\"]}],\"required\":[\"z\"]}],\"$defs\":{\"b\":" \
    "{\"properties\":{\"v\":{\"const\":1},\"kind\":{\"const\":\"b\"},\"y\":{\"type\":\"number\"}}" \
    ","                                                                                            \
    "\"required\":[\"kind\",\"y\",\"w1\",\"w2\",\"w3\"]}}}"
static const struct sentence sentences[] = {
    {"{\"properties\":{\"age\":{\"type\":\"integer\"}}}", "{\"age\":\"abc\"}", "/age",
     "/properties/age/type",
     "age: expected an integer, got the string \"abc\"; pass a whole number such as 18"},
    {"{\"properties\":{\"age\":{\"type\":\"integer\",\"maximum\":9}}}", "{\"age\":3.7}", "/age",
     "/properties/age/type",
     "age: expected an integer, got the number 3.7; pass a whole number such as 9"},
    {"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]"
     "}",
     "{}", "", "/required", "name: missing; it is required and must be a string"},
    {"{\"properties\":{\"unit\":{\"enum\":[\"celsius\",\"fahrenheit\"]}},\"required\":[\"unit\"]}",
     "{}", "", "/required",
     "unit: missing; it is required and must be one of \"celsius\", \"fahrenheit\""},
    {"{\"properties\":{\"unit\":{\"enum\":[\"celsius\",\"fahrenheit\"]}}}", "{\"unit\":\"celsus\"}",
     "/unit", "/properties/unit/enum",
     "unit: expected one of \"celsius\", \"fahrenheit\", got the string \"celsus\"; did you mean "
     "\"celsius\"?"},
    {"{\"properties\":{\"location\":{}},\"additionalProperties\":false}", "{\"locaton\":1}",
     "/locaton", "/additionalProperties", "locaton: not a known member; did you mean location?"},
    {"{\"properties\":{\"a\":{},\"b\":{}},\"additionalProperties\":false}", "{\"verbose\":1}",
     "/verbose", "/additionalProperties", "verbose: not a known member; the known ones are a, b"},
    {"{\"additionalProperties\":false}", "{\"x\":1}", "/x", "/additionalProperties",
     "x: not a known member; no members are allowed here"},
    {"{\"items\":{\"properties\":{\"qty\":{\"minimum\":1}}}}", "[{},{\"qty\":0}]", "/1/qty",
     "/items/properties/qty/minimum", "[1].qty: expected at least 1, got 0"},
    {"{\"properties\":{\"a b\":{\"exclusiveMaximum\":2.5}}}", "{\"a b\":2.5}", "/a b",
     "/properties/a b/exclusiveMaximum", "[\"a b\"]: expected less than 2.5, got 2.5"},
    {"{\"multipleOf\":0.5}", "0.7", "", "/multipleOf",
     "the value: expected a multiple of 0.5, got 0.7"},
    {"{\"minLength\":3}", "\"\xC3\xA9\"", "", "/minLength",
     "the value: expected at least 3 characters, got 1"},
    {"{\"maxItems\":1}", "[1,2]", "", "/maxItems", "the value: expected at most 1 item, got 2"},
    {"{\"minProperties\":1}", "{}", "", "/minProperties",
     "the value: expected at least 1 member, got none"},
    {"{\"pattern\":\"^a+$\"}", "\"b\"", "", "/pattern",
     "the value: expected a string that matches ^a+$, got the string \"b\""},
    {"{\"format\":\"date\"}", "\"2023-02-29\"", "", "/format",
     "the value: expected a date such as 2024-02-29, got the string \"2023-02-29\""},
    {"{\"uniqueItems\":true}", "[1,2,1.0]", "", "/uniqueItems",
     "the value: items 0 and 2 are equal; each may stand here once"},
    {"{\"contains\":{\"type\":\"string\"}}", "[1]", "", "/contains",
     "the value: expected at least 1 item that is a string, got 0"},
    {"{\"const\":5}", "6", "", "/const", "the value: expected 5, got the number 6"},
    {"{\"type\":\"boolean\"}", "\"yes\"", "", "/type",
     "the value: expected a boolean, got the string \"yes\"; pass true or false, without quotes"},
    {"{\"properties\":{\"to\":{\"type\":\"array\"}}}", "{\"to\":\"ann\"}", "/to",
     "/properties/to/type",
     "to: expected an array, got the string \"ann\"; pass an array such as [\"ann\"]"},
    {"{\"type\":[\"string\",\"null\"]}", "[1]", "", "/type",
     "the value: expected a string or null, got an array of 1 item; pass text in double quotes"},
    {"{\"not\":{\"type\":\"string\"}}", "\"a\"", "", "/not",
     "the value: must not be a string, got the string \"a\""},
    {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}", "\"a\"", "", "/anyOf",
     "the value: expected an integer or null, got the string \"a\""},
    {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":5}]}", "3", "", "/oneOf",
     "the value: fits alternatives 1 and 2 of \"oneOf\"; it must fit exactly one of them"},
    {"{\"oneOf\":[{\"properties\":{\"kind\":{\"const\":\"circle\"},\"r\":{\"type\":\"number\"}},"
     "\"required\":[\"kind\",\"r\"]},{\"properties\":{\"kind\":{\"const\":\"square\"},\"side\":"
     "{\"type\":\"number\"}},\"required\":[\"kind\",\"side\"]}]}",
     "{\"kind\":\"square\",\"sid\":3}", "", "/oneOf/1/required",
     "side: missing; it is required and must be a number"},
    {"{\"dependentRequired\":{\"card\":[\"address\"]}}", "{\"card\":1}", "", "/dependentRequired",
     "address: missing; it is required beside card"},
    {"{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}", "", "/propertyNames/maxLength",
     "the value, member name \"abc\": expected at most 2 characters, got 3"},
    {"{\"properties\":{\"o\":{}}}", "{\"o\":{\"a\":1,\"a\":2}}", "/o/a", "",
     "o.a: given more than once; keep one"},
    {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"null\"}}}", "1", "", "/$defs/a/type",
     "the value: expected null, got the number 1; pass null"},
    {"{}", "{\"a\":1,}", "", "", "not JSON at byte 7: a comma stands before the closing bracket"},
    {"{\"properties\":{\"a\":false}}", "{\"a\":1}", "/a", "/properties/a",
     "a: nothing is allowed here; remove it"},
    {"{\"type\":\"array\"}", "\"[\\\"a\\\"]\"", "", "/type",
     "the value: expected an array, got the string \"[\\\"a\\\"]\"; it is text that holds an "
     "array: "
     "send the array itself"},
    {"{\"properties\":{\"o\":{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]}}}",
     "{\"o\":\" {} \"}", "/o", "/properties/o/anyOf",
     "o: expected an object or null, got the string \" {} \"; it is text that holds an object: "
     "send "
     "the object itself"},
    {"{\"type\":\"integer\"}", "\"3\"", "", "/type",
     "the value: expected an integer, got the string \"3\"; pass 3, without quotes"},
    {"{\"type\":\"integer\",\"minimum\":5}", "\"3\"", "", "/type",
     "the value: expected an integer, got the string \"3\"; pass a whole number such as 18"},
    {"{\"type\":\"integer\"}", "\"3.5\"", "", "/type",
     "the value: expected an integer, got the string \"3.5\"; pass a whole number such as 18"},
    {"{\"enum\":[1,2]}", "\"2\"", "", "/enum",
     "the value: expected one of 1, 2, got the string \"2\"; pass 2, without quotes"},
    {"{\"enum\":[\"a\",\"b\"]}", "\"[1]\"", "", "/enum",
     "the value: expected one of \"a\", \"b\", got the string \"[1]\""},
    /* The member that tells alternatives apart: named, not one of them, absent; told nothing by a
     * version that all have, nor where one alternative does not list values. */
    {UNION, "{\"v\":1,\"kind\":\"b\",\"x\":1}", "", "/$defs/b/required",
     "y: missing; it is required and must be a number"},
    {UNION, "{\"v\":1,\"kind\":\"bb\",\"x\":1}", "/kind", "/oneOf",
     "kind: expected one of \"a\", \"b\", \"c\", \"d\", got the string \"bb\""},
    {UNION, "{\"v\":1,\"x\":1}", "", "/oneOf",
     "kind: missing; it is required and must be one of \"a\", \"b\", \"c\", \"d\""},
    {"{\"anyOf\":[{\"properties\":{\"v\":{\"const\":1},\"a\":{}},\"required\":[\"v\",\"a\"]},"
     "{\"properties\":{\"v\":{\"const\":1},\"b\":{}},\"required\":[\"v\",\"b\"]}]}",
     "{\"v\":1}", "", "/anyOf/0/required", "a: missing; it is required"},
    {"{\"anyOf\":[{\"properties\":{\"kind\":{\"const\":1}},\"required\":[\"kind\"]},{\"required\":"
     "[\"b\"]}]}",
     "{}", "", "/anyOf/0/required", "kind: missing; it is required and must be 1"},
    {"{\"type\":\"integer\"}", "5.0", NULL, NULL, NULL},
};

static void test_sentences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        const struct sentence *s = &sentences[i];
        gramc_schema *schema = compile(s->schema, false, true);
        gramc_verdict *verdict = check(schema, s->json, 0);
        assert_int_equal(verdict->valid, s->message == NULL);
        if (s->message) {
            const gramc_violation *error = &verdict->errors[0];
            bool same = text_is(error->message, s->message) &&
                        text_is(error->instance, s->instance) && text_is(error->schema, s->place);
            if (!same)
                fail_msg("%s: [%.*s] [%.*s] %.*s", s->json, TEXT_ARGS(error->instance),
                         TEXT_ARGS(error->schema), TEXT_ARGS(error->message));
        }
        gramc_verdict_free(verdict);
        gramc_schema_free(schema);
    }
}

static void test_all_errors_in_order(void **state) {
    (void)state;
    gramc_schema *schema = compile("{\"items\":{\"type\":\"integer\"}}", false, false);
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_verdict *verdict;
    const char *json = "[1,\"a\",2,null,[],4]";
    options.max_errors = 2;
    assert_int_equal(gramc_schema_check(&verdict, schema, json, strlen(json), &options), GRAMC_OK);
    assert_int_equal(verdict->error_count, 2);
    assert_int_equal(verdict->errors_total, 3);
    assert_int_equal(verdict->errors[0].position, 3);
    assert_int_equal(verdict->errors[1].position, 9);
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
}

/* ## Changes */

struct change {
    const char *schema, *json;
    unsigned flags;
    bool valid;
    const char *after; /* NULL: the very bytes of the input */
};

enum {
    DEFAULTS = GRAMC_CHECK_DEFAULTS,
    COERCE = GRAMC_CHECK_COERCE,
    NULLS = GRAMC_CHECK_NULL_ABSENT
};

static const struct change changes[] = {
    /* What may be converted, and what is kept. */
    {"{\"type\":\"integer\"}", "\"5\"", COERCE, true, "5"},
    {"{\"type\":\"integer\"}", "\"3.7\"", COERCE, false, NULL},
    {"{\"type\":\"integer\"}", "3.7", COERCE, false, NULL},
    {"{\"type\":\"integer\"}", "\"5.0\"", COERCE, true, "5.0"},
    {"{\"type\":\"number\"}", "\"3.7\"", COERCE, true, "3.7"},
    {"{\"type\":\"number\"}", "\"abc\"", COERCE, false, NULL},
    {"{\"type\":\"number\"}", "\"NaN\"", COERCE, false, NULL},
    {"{\"type\":\"number\"}", "\"0x10\"", COERCE, false, NULL},
    {"{\"type\":\"integer\"}", "\" 7 \"", COERCE, true, "7"},
    {"{\"type\":\"integer\"}", "\"1_000\"", COERCE, false, NULL},
    {"{\"type\":\"integer\"}", "\"007\"", COERCE, false, NULL},
    {"{\"type\":\"integer\"}", "\"123456789012345678901234567890\"", COERCE, true,
     "123456789012345678901234567890"},
    {"{\"type\":\"integer\"}", "true", COERCE, false, NULL},
    {"{\"type\":\"number\"}", "true", COERCE, false, NULL},
    {"{\"type\":\"string\"}", "true", COERCE, true, "\"true\""},
    {"{\"type\":\"string\"}", "5", COERCE, true, "\"5\""},
    {"{\"type\":\"string\"}", "1.50", COERCE, true, "\"1.50\""},
    {"{\"type\":\"string\"}", "null", COERCE, false, NULL},
    /* Lists and maps where the schema says that its strings are JSON. */
    {"{\"type\":\"string\"}", "[1]", COERCE, false, NULL},
    {"{\"type\":\"string\"}", "{\"a\":1}", COERCE, false, NULL},
    {"{\"type\":\"string\",\"contentMediaType\":\"application/json\"}", "[1]", COERCE, true,
     "\"[1]\""},
    {"{\"type\":\"string\",\"contentMediaType\":\"application/json\"}", "{\"a\":1}", COERCE, true,
     "\"{\\\"a\\\":1}\""},
    {"{\"type\":\"string\",\"contentMediaType\":\"text/plain\"}", "[1]", COERCE, false, NULL},
    {"{\"type\":\"string\",\"contentMediaType\":\"application/json\",\"contentEncoding\":"
     "\"base64\"}",
     "[1]", COERCE, false, NULL},
    {"{\"type\":\"object\"}", "\"{\\\"a\\\":1}\"", COERCE, true, "{\"a\":1}"},
    {"{\"type\":\"object\"}", "\"{\\\"a\\\":1,\\\"a\\\":2}\"", COERCE, false, NULL},
    {"{\"type\":\"object\"}", "\"[1]\"", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "\"false\"", COERCE, true, "false"},
    {"{\"type\":\"boolean\"}", "\"True\"", COERCE, true, "true"},
    {"{\"type\":\"boolean\"}", "\"0\"", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "\"\"", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "\"TRUE\"", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "\"tRue\"", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "\"yes\"", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "1", COERCE, true, "true"},
    {"{\"type\":\"boolean\"}", "0", COERCE, true, "false"},
    {"{\"type\":\"boolean\"}", "0.0", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "-0", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "1.0", COERCE, false, NULL},
    {"{\"type\":\"boolean\"}", "1e0", COERCE, false, NULL},
    /* Once, so that the list is true. */
    {"{\"items\":{\"allOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}}", "[\"5\"]", COERCE,
     false, "[5]"},
    {"{\"allOf\":[{\"type\":[\"integer\",\"string\"]},{\"type\":\"string\"}]}", "5", COERCE, true,
     "\"5\""},
    {"{\"type\":\"boolean\"}", "2", COERCE, false, NULL},
    {"{\"type\":[\"integer\",\"string\"]}", "\"5\"", COERCE, true, NULL},
    {"{\"type\":\"integer\"}", "\"5\"", 0, false, NULL},
    {"{\"items\":{\"type\":\"integer\"}}", "[ 1, \"2\" ,3 ]", COERCE, true, "[ 1, 2 ,3 ]"},
    {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}", "\"5\"", COERCE, true, "5"},
    {"{\"anyOf\":[{\"type\":\"integer\",\"maximum\":3},{\"type\":\"boolean\"}]}", "\"5\"", COERCE,
     false, NULL},
    {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"integer\"}}}", "\"5\"", COERCE, true,
     "5"},
    /* Defaults. */
    {"{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":\"x\"}}}", "{}", DEFAULTS, true,
     "{\"a\":1,\"b\":\"x\"}"},
    {"{\"properties\":{\"a\":{\"default\":1}}}", "{\"a\":2}", DEFAULTS, true, NULL},
    {"{\"properties\":{\"a\":{\"default\":1}},\"required\":[\"a\"]}", "{ \"b\" : [ 2 ] }", DEFAULTS,
     true, "{\"b\" : [ 2 ],\"a\":1}"},
    {"{\"properties\":{\"a\":{\"default\":null}}}", "{}", DEFAULTS, true, NULL},
    {"{\"properties\":{\"a\":{\"type\":\"integer\",\"default\":\"x\"}}}", "{}", DEFAULTS, true,
     NULL},
    {"{\"properties\":{\"o\":{\"properties\":{\"d\":{\"default\":[1]}}}}}", "{\"o\":{}}", DEFAULTS,
     true, "{\"o\":{\"d\":[1]}}"},
    {"{\"properties\":{\"o\":{\"properties\":{\"d\":{\"default\":2}},\"default\":{}}}}", "{}",
     DEFAULTS, true, "{\"o\":{\"d\":2}}"},
    {"{\"properties\":{\"a\":{\"$ref\":\"#/$defs/d\"}},\"$defs\":{\"d\":{\"default\":7}}}", "{}",
     DEFAULTS, true, "{\"a\":7}"},
    {"{\"items\":{\"properties\":{\"a\":{\"default\":1}}}}", "[{},{\"a\":2}]", DEFAULTS, true,
     "[{\"a\":1},{\"a\":2}]"},
    {"{\"if\":{\"required\":[\"k\"]},\"then\":{\"properties\":{\"a\":{\"default\":1}}}}",
     "{\"k\":0}", DEFAULTS, true, "{\"k\":0,\"a\":1}"},
    {"{\"properties\":{\"a\":{\"default\":1}}}", "{}", 0, true, NULL},
    /* A default within itself is filled in once. */
    {"{\"properties\":{\"a\":{\"$ref\":\"#\",\"default\":{}},\"b\":{\"$ref\":\"#\",\"default\":{}}}"
     "}",
     "{}", DEFAULTS, true, "{\"a\":{},\"b\":{}}"},
    /* Defaults with which the value would not be valid; those with which it is at last. */
    {"{\"properties\":{\"url\":{},\"text\":{\"default\":\"\"},\"n\":{\"default\":1}},\"required\":["
     "\"n\"],\"oneOf\":[{\"required\":[\"url\"]},{\"required\":[\"text\"]}]}",
     "{\"url\":\"u\"}", DEFAULTS, true, "{\"url\":\"u\",\"n\":1}"},
    {"{\"properties\":{\"url\":{},\"text\":{\"default\":\"\"}},\"oneOf\":[{\"required\":[\"url\"]},"
     "{"
     "\"required\":[\"text\"]}]}",
     "{}", DEFAULTS, true, "{\"text\":\"\"}"},
    {"{\"maxProperties\":2,\"properties\":{\"b\":{\"default\":1},\"c\":{\"default\":2}}}",
     "{\"a\":0}", DEFAULTS, true, "{\"a\":0,\"b\":1}"},
    {"{\"items\":{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":[2]}},\"not\":{"
     "\"required\":"
     "[\"x\",\"b\"]}}}",
     "[{ },{\"x\":0 }]", DEFAULTS, true, "[{\"a\":1,\"b\":[2]},{\"x\":0,\"a\":1}]"},
    /* Two that need each other. */
    {"{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":2}},\"dependentRequired\":{\"a\":["
     "\"b\"],"
     "\"b\":[\"a\"]}}",
     "{}", DEFAULTS, true, "{\"a\":1,\"b\":2}"},
    /* Nulls that count as absent. */
    {"{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{}}}", "{\"a\":null,\"b\":null}", NULLS,
     true, "{\"b\":null}"},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}", "{\"a\":null}", NULLS,
     false, NULL},
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"d\"}}}", "{\"a\":null}",
     NULLS | DEFAULTS, true, "{\"a\":\"d\"}"},
};

static void test_changes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct change *c = &changes[i];
        gramc_schema *schema = compile(c->schema, false, false);
        gramc_verdict *verdict = check(schema, c->json, c->flags);
        gramc_text expected = text_of(c->after ? c->after : c->json);
        if (verdict->valid != c->valid || !text_eq(verdict->normalised, expected))
            fail_msg("%s by %s: %d %.*s", c->json, c->schema, verdict->valid,
                     TEXT_ARGS(verdict->normalised));
        assert_int_equal(verdict->adjustment_count > 0, c->after != NULL);
        if (!c->after) assert_ptr_equal(verdict->normalised.ptr, c->json);
        gramc_verdict_free(verdict);
        gramc_schema_free(schema);
    }
}

static void test_list_of_changes(void **state) {
    (void)state;
    gramc_schema *schema =
        compile("{\"properties\":{\"n\":{\"type\":\"integer\"},\"z\":{\"type\":\"string\"},"
                "\"d\":{\"default\":true}}}",
                false, false);
    gramc_verdict *verdict = check(schema, "{\"n\":\"1\",\"z\":null}", DEFAULTS | COERCE | NULLS);
    static const struct {
        gramc_adjustment_kind kind;
        const char *instance, *before, *after;
    } expected[] = {
        {GRAMC_ADJUSTED_REMOVED, "/z", "null", ""},
        {GRAMC_ADJUSTED_COERCED, "/n", "\"1\"", "1"},
        {GRAMC_ADJUSTED_DEFAULT, "/d", "", "true"},
    };
    assert_int_equal(verdict->adjustment_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(verdict->adjustments[i].kind, expected[i].kind);
        assert_true(text_is(verdict->adjustments[i].instance, expected[i].instance));
        assert_true(text_is(verdict->adjustments[i].before, expected[i].before));
        assert_true(text_is(verdict->adjustments[i].after, expected[i].after));
    }
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
}

/* Valid as sent, and not with the default: it is left out, and the list says so. The first nine are
 * the keywords by which that can happen. */
static const char *const left_out[][2] = {
    {"{\"properties\":{\"url\":{},\"text\":{\"default\":\"\"}},\"oneOf\":[{\"required\":[\"url\"]},"
     "{"
     "\"required\":[\"text\"]}]}",
     "{ \"url\" : \"u\" }"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"anyOf\":[{\"maxProperties\":1},{\"required\":"
     "["
     "\"x\"]}]}",
     "{\"url\":\"u\" }"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"not\":{\"required\":[\"url\",\"text\"]}}",
     "{\"url\":\"u\"}"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"dependentRequired\":{\"text\":[\"by\"]}}",
     "{\"url\":\"u\"}"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"dependentSchemas\":{\"text\":{\"required\":"
     "[\"by\"]}}}",
     "{\"url\":\"u\"}"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"maxProperties\":1}", "{\"url\":\"u\"}"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"if\":{\"required\":[\"text\"]},\"then\":{"
     "\"required\":[\"by\"]}}",
     "{\"url\":\"u\"}"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"propertyNames\":{\"maxLength\":3}}",
     "{\"url\":\"u\"}"},
    {"{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"url\":{},\"text\":{\"default\":\"\"}}}],"
     "\"allOf\":[{\"additionalProperties\":{\"const\":\"u\"}}],\"unevaluatedProperties\":false}",
     "{\"url\":\"u\"}"},
    {"{\"properties\":{\"text\":{\"default\":\"\"}},\"enum\":[{\"url\":\"u\"}]}",
     "{\"url\":\"u\"}"},
    {"{\"allOf\":[{\"properties\":{\"text\":{\"default\":\"\"}}},{\"maxProperties\":1}]}",
     "{\"url\":\"u\"}"},
};

static void test_defaults_left_out(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        gramc_schema *schema = compile(left_out[i][0], false, false);
        gramc_verdict *verdict = check(schema, left_out[i][1], DEFAULTS | COERCE | NULLS);
        bool noted = verdict->adjustment_count == 1;
        if (!verdict->valid || !noted) fail_msg("%s: %d", left_out[i][0], verdict->valid);
        assert_ptr_equal(verdict->normalised.ptr, left_out[i][1]);
        assert_int_equal(verdict->adjustments[0].kind, GRAMC_ADJUSTED_LEFT_OUT);
        assert_true(text_is(verdict->adjustments[0].instance, "/text"));
        assert_true(text_is(verdict->adjustments[0].after, "\"\""));
        assert_true(verdict->adjustments[0].before.len == 0);
        gramc_verdict_free(verdict);
        gramc_schema_free(schema);
    }
}

/* Among others: those that were filled in, one that was converted, and what is inside of defaults.
 */
static void test_some_left_out(void **state) {
    static const char text[] =
        "{\"properties\":{\"n\":{\"type\":\"integer\"},\"a\":{\"default\":{},\"properties\":{\"i\":"
        "{"
        "\"default\":\"1\",\"type\":\"integer\"},\"j\":{\"default\":2}}},\"b\":{\"default\":{},"
        "\"properties\":{\"k\":{\"default\":3}}},\"c\":{\"default\":4}},\"dependentRequired\":{"
        "\"b\":"
        "[\"x\"]}}";
    (void)state;
    gramc_schema *schema = compile(text, false, false);
    gramc_verdict *verdict = check(schema, "{\"n\":\"7\"}", DEFAULTS | COERCE);
    assert_true(verdict->valid);
    assert_true(text_is(verdict->normalised, "{\"n\":7,\"a\":{\"i\":1,\"j\":2},\"c\":4}"));
    static const struct {
        gramc_adjustment_kind kind;
        const char *instance, *after;
    } expected[] = {{GRAMC_ADJUSTED_COERCED, "/n", "7"},
                    {GRAMC_ADJUSTED_DEFAULT, "/a", "{\"i\":1,\"j\":2}"},
                    {GRAMC_ADJUSTED_LEFT_OUT, "/b", "{\"k\":3}"},
                    {GRAMC_ADJUSTED_DEFAULT, "/c", "4"}};
    assert_int_equal(verdict->adjustment_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const gramc_adjustment *change = &verdict->adjustments[i];
        assert_int_equal(change->kind, expected[i].kind);
        assert_true(text_is(change->instance, expected[i].instance));
        if (!text_is(change->after, expected[i].after)) fail_msg("%.*s", TEXT_ARGS(change->after));
    }
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
}

static void test_closed_root(void **state) {
    (void)state;
    static const struct {
        const char *schema, *json;
        bool valid;
    } cases[] = {
        {"{\"properties\":{\"a\":{}}}", "{\"a\":1}", true},
        {"{\"properties\":{\"a\":{}}}", "{\"b\":1}", false},
        {"{\"properties\":{\"a\":{}}}", "{\"a\":{\"b\":1}}", true},
        {"{\"type\":\"object\"}", "{}", true},
        {"{\"type\":\"object\"}", "{\"x\":1}", false},
        {"{\"additionalProperties\":true}", "{\"x\":1}", true},
        {"{\"properties\":{\"a\":{\"$ref\":\"#\"},\"b\":{}}}", "{\"a\":{\"c\":1}}", true},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"a\":{}}}}}", "{\"a\":1}",
         true},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"a\":{}}}}}", "{\"b\":1}",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gramc_schema *schema = compile(cases[i].schema, true, false);
        gramc_verdict *verdict = check(schema, cases[i].json, 0);
        if (verdict->valid != cases[i].valid) fail_msg("%s", cases[i].schema);
        if (!verdict->valid)
            assert_true(text_is(verdict->errors[0].keyword, "additionalProperties"));
        gramc_verdict_free(verdict);
        gramc_schema_free(schema);
    }
}

/* ## What cannot be compiled */

#define DRAFT_4 "{\"$schema\":\"http://json-schema.org/draft-04/schema#\","
static const struct {
    const char *schema, *pointer, *message;
} refused[] = {
    {"", "", "not JSON: expected a value, the text ends here"},
    {"{\"type\":\"integer\"", "", "not JSON: '{' is never closed"},
    {"3", "", "a schema must be an object or a boolean"},
    {"{\"type\":\"int\"}", "/type",
     "type must be null, boolean, integer, number, string, array or object, or an array of these"},
    {"{\"properties\":{\"a\":{\"minLength\":-1}}}", "/properties/a/minLength",
     "minLength must be a whole number of at least 0"},
    {"{\"maxItems\":1.5}", "/maxItems", "maxItems must be a whole number of at least 0"},
    {"{\"minimum\":\"1\"}", "/minimum", "minimum must be a number"},
    {"{\"multipleOf\":0}", "/multipleOf", "multipleOf must be a number above 0"},
    {"{\"required\":\"a\"}", "/required", "required must be an array of member names"},
    {"{\"required\":[1]}", "/required/0", "required must be an array of member names"},
    {"{\"enum\":1}", "/enum", "enum must be an array of values"},
    {"{\"allOf\":[]}", "/allOf", "allOf must be an array of at least one schema"},
    {"{\"items\":[{}]}", "/items",
     "items must be a schema; one schema for each item is written with prefixItems"},
    {"{\"properties\":{\"a\":1}}", "/properties/a", "a schema must be an object or a boolean"},
    {"{\"$ref\":\"#/$defs/x\"}", "/$ref", "the reference #/$defs/x leads to nothing"},
    {"{\"$ref\":\"http://example.com/x\"}", "/$ref",
     "cannot find the schema http://example.com/x; nothing is fetched from a network"},
    {"{\"$ref\":\"#\"}", "", "references go in a circle without ever moving into the instance"},
    {"{\"pattern\":\"a**\"}", "/pattern", "the pattern a** at character 3: nothing to repeat"},
    {"{\"pattern\":\"\\\\Z\"}", "/pattern",
     "the pattern \\Z at character 1: an escape that ECMA-262 does not have"},
    {"{\"patternProperties\":{\"(\":{}}}", "/patternProperties/(",
     "the pattern ( at character 2: '(' is never closed"},
    {"{\"$schema\":\"http://json-schema.org/draft-03/schema#\"}", "/$schema",
     "cannot find the schema http://json-schema.org/draft-03/schema; nothing is fetched from a "
     "network"},
    {DRAFT_4 "\"exclusiveMinimum\":3}", "/exclusiveMinimum", "exclusiveMinimum must be a boolean"},
    {DRAFT_4 "\"items\":true}", "/items",
     "a schema must be an object; draft-04 has booleans for additionalItems and "
     "additionalProperties alone"},
    {DRAFT_4 "\"additionalItems\":1,\"items\":[]}", "/additionalItems",
     "a schema must be an object or a boolean"},
    {"{\"$schema\":\"http://json-schema.org/draft-06/schema#\",\"exclusiveMaximum\":true}",
     "/exclusiveMaximum", "exclusiveMaximum must be a number"},
};

static void test_refused_schemas(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gramc_schema *schema;
        gramc_json_error error;
        const char *text = refused[i].schema;
        assert_int_equal(gramc_schema_compile(&schema, text, strlen(text), NULL, &error),
                         GRAMC_FINDINGS);
        assert_null(schema);
        assert_string_equal(error.message, refused[i].message);
        assert_string_equal(error.pointer, refused[i].pointer);
        assert_int_equal(gramc_schema_compile(&schema, text, strlen(text), NULL, NULL),
                         GRAMC_FINDINGS);
    }
}

/* ## Limits */

static char *repeat(const char *start, const char *middle, size_t times, const char *end) {
    struct buf buf;
    buf_init(&buf, NULL, 1 << 26);
    buf_puts(&buf, start);
    for (size_t i = 0; i < times; i++) buf_puts(&buf, middle);
    buf_puts(&buf, end);
    assert_int_equal(buf.state, BUF_FINE);
    return buf.ptr;
}

static void expect_limit(char *schema_text) {
    gramc_schema *schema;
    gramc_json_error error;
    gramc_status status =
        gramc_schema_compile(&schema, schema_text, strlen(schema_text), NULL, &error);
    assert_int_equal(status, GRAMC_LIMIT);
    assert_true(error.message[0] != '\0');
    free(schema_text);
}

static void test_schema_limits(void **state) {
    (void)state;
    expect_limit(repeat("", "{\"items\":", 1001, ""));
    expect_limit(repeat("{\"title\":\"", "0123456789abcdef", 1 << 20, "\"}"));
    struct buf chain;
    buf_init(&chain, NULL, 1 << 20);
    buf_puts(&chain, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 300; i++)
        buf_printf(&chain, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
    buf_puts(&chain, "\"d300\":{}}}");
    expect_limit(chain.ptr);
}

static void check_limited(const gramc_schema *schema, char *json) {
    gramc_verdict *verdict;
    assert_false(gramc_schema_accepts(schema, json, strlen(json)));
    assert_int_equal(gramc_schema_check(&verdict, schema, json, strlen(json), NULL), GRAMC_LIMIT);
    assert_null(verdict);
    free(json);
}

static void test_instance_limits(void **state) {
    (void)state;
    gramc_schema *schema = compile("{}", false, false);
    char *deep = repeat("", "[", 1001, "");
    char *text = repeat(deep, "]", 1001, "");
    free(deep);
    check_limited(schema, text);
    gramc_schema_free(schema);
    /* A pattern that backtracks for ever. */
    schema = compile("{\"pattern\":\"^(a|a|b?)*$\"}", false, false);
    check_limited(schema, repeat("\"", "a", 5000, "!\""));
    gramc_schema_free(schema);
}

/* ## Resolving */

static int resolve(void *ctx, gramc_text uri, gramc_text *out) {
    size_t *asked = ctx;
    ++*asked;
    if (!text_is(uri, "http://example.com/types.json")) return 1;
    *out = TEXT("{\"$defs\":{\"n\":{\"type\":\"integer\"}}}");
    return 0;
}

static void test_resolver(void **state) {
    (void)state;
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema;
    size_t asked = 0;
    options.resolver = (gramc_resolver){resolve, &asked};
    options.base_uri = TEXT("http://example.com/main.json");
    const char *text = "{\"items\":{\"$ref\":\"types.json#/$defs/n\"},"
                       "\"prefixItems\":[{\"$ref\":\"types.json#/$defs/n\"}]}";
    assert_int_equal(gramc_schema_compile(&schema, text, strlen(text), &options, NULL), GRAMC_OK);
    assert_int_equal(asked, 1);
    gramc_verdict *verdict = check(schema, "[1,\"x\"]", 0);
    assert_int_equal(verdict->errors_total, 1);
    assert_true(text_is(verdict->errors[0].schema, "http://example.com/types.json#/$defs/n/type"));
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
    text = "{\"$ref\":\"other.json\"}";
    assert_int_equal(gramc_schema_compile(&schema, text, strlen(text), &options, NULL),
                     GRAMC_FINDINGS);
    assert_int_equal(asked, 2);
}

/* ## Threads */

static void *evaluate_often(void *shared) {
    const gramc_schema *schema = shared;
    static const char good[] = "{\"id\":\"ab12\",\"tags\":[\"x\",\"y\"],\"n\":3}";
    static const char wrong[] = "{\"id\":\"AB12\",\"tags\":[\"x\",\"x\"],\"n\":\"3\"}";
    size_t differ = 0;
    for (int i = 0; i < 300; i++) {
        gramc_verdict *verdict;
        differ += !gramc_schema_accepts(schema, good, sizeof good - 1);
        differ += gramc_schema_accepts(schema, wrong, sizeof wrong - 1);
        if (gramc_schema_check(&verdict, schema, wrong, sizeof wrong - 1, NULL) != GRAMC_OK) break;
        differ += verdict->errors_total != 3;
        gramc_verdict_free(verdict);
    }
    return differ ? shared : NULL;
}

static void test_threads_share_a_schema(void **state) {
    (void)state;
    gramc_schema *schema =
        compile("{\"properties\":{\"id\":{\"pattern\":\"^[a-z]{2}\\\\d+$\"},\"tags\":{"
                "\"uniqueItems\":true},\"n\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":"
                "\"null\"}]}}}",
                false, false);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, evaluate_often, schema), 0);
    for (size_t i = 0; i < 4; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
    gramc_schema_free(schema);
}

/* ## Printing */

static void expect_print(const gramc_verdict *verdict, gramc_verdict_format format,
                         const char *expected) {
    struct buf out;
    buf_init(&out, NULL, 10000);
    assert_int_equal(gramc_verdict_print(verdict, format, buf_writer(&out)), GRAMC_OK);
    assert_string_equal(out.ptr, expected);
    buf_free(&out);
}

static void test_printing(void **state) {
    (void)state;
    gramc_schema *schema = compile("{\"$id\":\"http://a/b\",\"properties\":{\"p\":{\"$ref\":\"#/"
                                   "$defs/d\"},\"q\":{\"maximum\":1}"
                                   "},\"$defs\":{\"d\":{\"type\":\"string\"}}}",
                                   false, false);
    gramc_verdict *verdict = check(schema, "{\"p\":1,\"q\":2}", 0);
    expect_print(verdict, GRAMC_VERDICT_FLAG, "{\"valid\":false}\n");
    expect_print(verdict, GRAMC_VERDICT_TEXT,
                 "p: expected a string, got the number 1; pass text in double quotes\n"
                 "q: expected at most 1, got 2\n");
    expect_print(
        verdict, GRAMC_VERDICT_BASIC,
        "{\"valid\":false,\"errors\":[{\"valid\":false,\"keywordLocation\":\"/properties/p/$ref/"
        "type\","
        "\"absoluteKeywordLocation\":\"http://a/b#/$defs/d/type\",\"instanceLocation\":\"/p\","
        "\"error\":\"p: expected a string, got the number 1; pass text in double quotes\"},"
        "{\"valid\":false,\"keywordLocation\":\"/properties/q/maximum\","
        "\"absoluteKeywordLocation\":\"http://a/b#/properties/q/maximum\","
        "\"instanceLocation\":\"/q\",\"error\":\"q: expected at most 1, got 2\"}]}\n");
    expect_print(
        verdict, GRAMC_VERDICT_DETAILED,
        "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"errors\":["
        "{\"valid\":false,\"keywordLocation\":\"/"
        "properties\",\"instanceLocation\":\"\",\"errors\":["
        "{\"valid\":false,\"keywordLocation\":\"/properties/p/$ref/type\","
        "\"absoluteKeywordLocation\":\"http://a/b#/$defs/d/type\",\"instanceLocation\":\"/p\","
        "\"error\":\"p: expected a string, got the number 1; pass text in double quotes\"},"
        "{\"valid\":false,\"keywordLocation\":\"/properties/q/maximum\","
        "\"absoluteKeywordLocation\":\"http://a/b#/properties/q/maximum\","
        "\"instanceLocation\":\"/q\",\"error\":\"q: expected at most 1, got 2\"}]}]}\n");
    gramc_verdict_free(verdict);
    verdict = check(schema, "{\"p\":1}", COERCE);
    expect_print(verdict, GRAMC_VERDICT_JSON,
                 "{\"valid\":true,\"errors_total\":0,\"errors\":[],\"changes\":[{\"instance\":"
                 "\"/p\",\"kind\":\"coerced\",\"before\":1,\"after\":\"1\"}],\"normalised\":"
                 "{\"p\":\"1\"}}\n");
    gramc_verdict_free(verdict);
    verdict = check(schema, "{", 0);
    expect_print(
        verdict, GRAMC_VERDICT_JSON,
        "{\"valid\":false,\"errors_total\":1,\"errors\":[{\"instance\":\"\",\"schema\":\"\","
        "\"keyword\":\"json\",\"position\":0,\"message\":\"not JSON at byte 0: '{' is never "
        "closed\"}],\"changes\":[],\"normalised\":null}\n");
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
}

/* ## Accepted as it stands */

static const struct {
    const char *schema, *json;
    bool as_is;
} standing[] = {
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":1}", true},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}", " {} ", true},
    {"{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":null}", false},
    {"{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":\"1\"}", false},
    {"{\"properties\":{\"a\":{\"type\":[\"integer\",\"null\"]}}}", "{\"a\":null}", true},
    {"{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":2}}}", "{\"a\":1}", false},
    {"{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":2}}}", "{\"b\":0,\"a\":1}", true},
    {"{\"properties\":{\"a\":{\"default\":1}},\"patternProperties\":{\"^x\":{}}}", "{\"a\":1}",
     true},
    {"{\"properties\":{\"a\":{\"default\":1}},\"patternProperties\":{\"^x\":{}}}", "{}", false},
    {"{\"properties\":{\"a\":{}},\"patternProperties\":{\"^x\":{}}}", "{\"a\":1}", true},
    {"{\"items\":{\"properties\":{\"a\":{\"default\":1}}}}", "[{\"a\":1},{}]", false},
    {"{\"items\":{\"properties\":{\"a\":{\"default\":1}}}}", "[{\"a\":1},{\"a\":2}]", true},
    {"{\"allOf\":[{\"properties\":{\"a\":{\"default\":1}}}]}", "{}", false},
    {"{\"anyOf\":[{\"type\":\"array\"},{\"properties\":{\"a\":{\"default\":1}}}]}", "[]", true},
    {"{\"$ref\":\"#/$defs/o\",\"$defs\":{\"o\":{\"properties\":{\"a\":{\"default\":1}}}}}", "{}",
     false},
    {"{\"properties\":{\"a\":{\"default\":1}},\"unevaluatedProperties\":false}", "{}", false},
    {"{\"properties\":{\"a\":{}},\"unevaluatedProperties\":false}", "{\"a\":1}", true},
    {"{\"type\":\"array\"}", "[", false},
};

static void test_accepted_as_is(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof standing / sizeof *standing; i++) {
        const char *json = standing[i].json;
        gramc_schema *schema = compile(standing[i].schema, false, false);
        if (gramc_schema_accepts_as_is(schema, json, strlen(json)) != standing[i].as_is)
            fail_msg("%s: %s", standing[i].schema, json);
        gramc_verdict_free(check(schema, json, DEFAULTS | COERCE | GRAMC_CHECK_NULL_ABSENT));
        gramc_schema_free(schema);
    }
}

static const struct {
    const char *schema;
    bool any;
} texts[] = {
    {"{\"type\":\"string\"}", true},
    {"{\"description\":\"d\",\"type\":\"string\",\"default\":\"a\"}", true},
    {"{\"type\":[\"string\",\"null\"]}", true},
    {"{\"type\":[\"string\",\"integer\"],\"minimum\":3}", true},
    {"{}", true},
    {"true", true},
    {"{\"$ref\":\"#/$defs/t\",\"$defs\":{\"t\":{\"type\":\"string\"}}}", true},
    {"{\"$ref\":\"#/$defs/t\",\"$defs\":{\"t\":{\"type\":\"string\",\"maxLength\":9}}}", false},
    {"{\"type\":\"string\",\"minLength\":1}", false},
    {"{\"type\":\"string\",\"maxLength\":9}", false},
    {"{\"type\":\"string\",\"pattern\":\"a\"}", false},
    {"{\"type\":\"string\",\"format\":\"date\"}", false},
    {"{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}", false},
    {"{\"const\":\"a\"}", false},
    {"{\"type\":\"string\",\"not\":{\"const\":\"a\"}}", false},
    {"{\"type\":\"integer\"}", false},
    {"{\"type\":\"object\"}", false},
    {"false", false},
};

static void test_any_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gramc_schema *schema = compile(texts[i].schema, false, true);
        if (gramc_schema_accepts_any_text(schema) != texts[i].any)
            fail_msg("%s: %d expected", texts[i].schema, texts[i].any);
        gramc_schema_free(schema);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_text),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_all_errors_in_order),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_list_of_changes),
        cmocka_unit_test(test_defaults_left_out),
        cmocka_unit_test(test_some_left_out),
        cmocka_unit_test(test_closed_root),
        cmocka_unit_test(test_refused_schemas),
        cmocka_unit_test(test_schema_limits),
        cmocka_unit_test(test_instance_limits),
        cmocka_unit_test(test_resolver),
        cmocka_unit_test(test_threads_share_a_schema),
        cmocka_unit_test(test_printing),
        cmocka_unit_test(test_accepted_as_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
