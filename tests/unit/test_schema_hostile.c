/* Schemas and instances that ask for as much work as they can: each is compiled within 2 s, and
 * judged or normalised within 0.2 s and 0.1 us a byte, or a limit is named. CPU time is measured,
 * with slack for a machine that others share. Each schema meets its own instance; GRAMC_LONG=1 has
 * every one meet every other, at several sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/schema.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define IS_WATCHED 1
#endif
#endif
#ifndef IS_WATCHED
#define IS_WATCHED 0
#endif

enum { SLACK = IS_WATCHED ? 20 : 3, LARGEST = 64 << 20, PARTS = 4 };

/* `piece` as often as `times` says, with `between` between them. In a piece @ is the number of the
 * piece, ` a long text, ~ many digits. */
struct part {
    const char *piece;
    unsigned times;
    const char *between;
};

struct hostile {
    const char *name;
    struct part schema[PARTS], instance[PARTS];
    unsigned run; /* length of a long text */
};

#define ONCE(text)                                                                                 \
    { text, 1, "" }

static const struct hostile cases[] = {
    {"deep and unique",
     {ONCE("{\"uniqueItems\":true,\"items\":{\"$ref\":\"#\"}}")},
     {{"[1,", 900, ""}, {"@", 100000, ","}, {"]", 900, ""}},
     0},
    {"deep and contained",
     {ONCE("{\"contains\":{\"$ref\":\"#\"},\"items\":{\"$ref\":\"#\"}}")},
     {{"[1,", 900, ""}, {"@", 100000, ","}, {"]", 900, ""}},
     0},
    {"references to itself",
     {ONCE("{\"allOf\":[{\"items\":{\"$ref\":\"#\"}},{\"items\":{\"$ref\":\"#\"}},{\"anyOf\":[{"
           "\"items\":{\"$ref\":\"#\"}},{\"type\":\"integer\"}]}]}")},
     {{"[", 500, ""}, {"{\"a\":[@,true]}", 1000, ","}, {"]", 500, ""}},
     0},
    {"dynamic references",
     {ONCE("{\"$dynamicAnchor\":\"n\",\"anyOf\":[{\"properties\":{\"a\":{\"$dynamicRef\":\"#n\"}},"
           "\"required\":[\"x\"]},{\"properties\":{\"a\":{\"$dynamicRef\":\"#n\"}},\"required\":["
           "\"y\"]},{\"properties\":{\"a\":{\"$dynamicRef\":\"#n\"}}}]}")},
     {{"{\"a\":", 400, ""}, ONCE("1"), {"}", 400, ""}},
     0},
    {"unevaluated at each level",
     {ONCE("{\"anyOf\":[{\"properties\":{\"a\":{\"$ref\":\"#\"}}},{\"properties\":{\"a\":{\"$ref\":"
           "\"#\"},\"b\":{}}}],\"unevaluatedProperties\":{\"type\":\"integer\"}}")},
     {{"{\"b\":1,\"a\":", 400, ""}, ONCE("{\"c\":\"\"}"), {"}", 400, ""}},
     0},
    {"unevaluated among many",
     {ONCE("{\"anyOf\":["),
      {"{\"properties\":{\"n@\":{}}}", 3000, ","},
      ONCE("],\"unevaluatedProperties\":false}")},
     {ONCE("{"), {"\"n@\":@", 3000, ","}, ONCE("}")},
     0},
    {"unevaluated items",
     {ONCE("{\"anyOf\":["),
      {"{\"contains\":{\"const\":@}}", 1000, ","},
      ONCE("],\"unevaluatedItems\":false}")},
     {ONCE("["), {"@", 5000, ","}, ONCE("]")},
     0},
    {"contained alternatives",
     {ONCE("{\"allOf\":["),
      {"{\"contains\":{\"minimum\":@},\"minContains\":2}", 1000, ","},
      ONCE("]}")},
     {ONCE("["), {"@", 20000, ","}, ONCE("]")},
     0},
    {"nearly equal objects",
     {ONCE("{\"uniqueItems\":true}")},
     {ONCE("["), {"{\"a\":{\"b\":[1,2,{\"c\":@}]},\"d\":\"`\"}", 20000, ","}, ONCE("]")},
     100},
    {"equal hashes",
     {ONCE("{\"uniqueItems\":true,\"items\":{\"uniqueItems\":true}}")},
     {ONCE("["), {"[[@],[1,@],{\"a\":@}]", 50000, ","}, ONCE("]")},
     0},
    {"one long text, many patterns",
     {ONCE("{\"allOf\":["), {"{\"pattern\":\"a*b@$\"}", 1000, ","}, ONCE("]}")},
     {ONCE("[\"`\",\"`\"]")},
     100000},
    {"items by many patterns",
     {ONCE("{\"items\":{\"anyOf\":["), {"{\"pattern\":\"[a-z]+[b-z]@$\"}", 1000, ","}, ONCE("]}}")},
     {ONCE("["), {"\"`\"", 100, ","}, ONCE("]")},
     2000},
    {"looks ahead from each place",
     {ONCE("{\"items\":{\"pattern\":\"(?=.*[0-9])[a-z]\"}}")},
     {ONCE("["), {"\"`\"", 30, ","}, ONCE("]")},
     30000},
    {"repeats beside each other",
     {ONCE("{\"items\":{\"pattern\":\"^[a-z]*[a-z]*[a-z]*[0-9]$\"}}")},
     {ONCE("["), {"\"`\"", 3000, ","}, ONCE("]")},
     300},
    {"short texts, much backtracking",
     {ONCE("{\"items\":{\"pattern\":\"^((a+)+)$\"}}")},
     {ONCE("["), {"\"aaaaaaaaa!\"", 200000, ","}, ONCE("]")},
     0},
    {"a class of a thousand",
     {ONCE("{\"items\":{\"pattern\":\"[a-z]{1000}[0-9]\"}}")},
     {ONCE("["), {"\"`\"", 100, ","}, ONCE("]")},
     20000},
    {"behind each place",
     {ONCE("{\"items\":{\"pattern\":\"(?<=x[a-z]*)y\"}}")},
     {ONCE("["), {"\"`y\"", 5000, ","}, ONCE("]")},
     100},
    {"many words in a text",
     {ONCE("{\"items\":{\"pattern\":\""), {"w@x", 3000, "|"}, ONCE("\"}}")},
     {ONCE("["), {"\"`\"", 100, ","}, ONCE("]")},
     10000},
    {"long names by many patterns",
     {ONCE("{\"patternProperties\":{"),
      {"\"[b-z]*x@\":{\"type\":\"null\"}", 2000, ","},
      ONCE("}}")},
     {ONCE("{\"`\":1,"), {"\"@\":1", 2000, ","}, ONCE("}")},
     100000},
    {"many patterns, many members",
     {ONCE("{\"patternProperties\":{"), {"\"^x@$\":{\"type\":\"null\"}", 2000, ","}, ONCE("}}")},
     {ONCE("{"), {"\"n@\":1", 30000, ","}, ONCE("}")},
     0},
    {"names with rules",
     {ONCE("{\"propertyNames\":{\"anyOf\":["),
      {"{\"pattern\":\"^y@\",\"maxLength\":@}", 500, ","},
      ONCE("]}}")},
     {ONCE("{"), {"\"n@\":1", 30000, ","}, ONCE("}")},
     0},
    {"one long text, many lengths",
     {ONCE("{\"anyOf\":["),
      {"{\"minLength\":9999999,\"maxLength\":99999999,\"not\":{\"const\":@}}", 5000, ","},
      ONCE("]}")},
     {ONCE("[\"`\"]")},
     1000000},
    {"items of many lengths",
     {ONCE("{\"items\":{\"anyOf\":["),
      {"{\"type\":\"string\",\"minLength\":999999,\"not\":{\"const\":@}}", 5000, ","},
      ONCE("]}}")},
     {ONCE("[\"`\\n\\u00e9\"]")},
     900000},
    {"a long constant",
     {ONCE("{\"anyOf\":["),
      {"{\"items\":{\"$ref\":\"#/$defs/c\"},\"maxItems\":1}", 3000, ","},
      ONCE("],\"$defs\":{\"c\":{\"const\":\"`b\"}}}")},
     {ONCE("[\"`c\"]")},
     1000000},
    {"a long bound",
     {ONCE("{\"items\":{\"minimum\":~}}")},
     {ONCE("["), {"@", 100000, ","}, ONCE("]")},
     100000},
    {"a long number constant",
     {ONCE("{\"items\":{\"const\":~}}")},
     {ONCE("["), {"~", 3, ","}, ONCE("]")},
     1000000},
    {"a long enum of numbers",
     {ONCE("{\"items\":{\"enum\":["), {"1@~", 20, ","}, ONCE("]}}")},
     {ONCE("["), {"1@~", 18, ","}, ONCE("]")},
     50000},
    {"a long number, a long divisor",
     {ONCE("{\"items\":{\"multipleOf\":1234567890123456789012345678901234567890.000000000000000001}"
           "}")},
     {ONCE("["), {"~", 30, ","}, ONCE("]")},
     30000},
    {"small numbers, a long divisor",
     {ONCE("{\"items\":{\"multipleOf\":0."
           "00000000000000000000000000000000000000000000012345678901234567890123456789}}")},
     {ONCE("["), {"@", 100000, ","}, ONCE("]")},
     0},
    {"large exponents",
     {ONCE("{\"items\":{\"multipleOf\":7,\"minimum\":-1e400000000}}")},
     {ONCE("["), {"7e99999999@", 100000, ","}, ONCE("]")},
     0},
    {"formats of long texts",
     {ONCE("{\"items\":{\"anyOf\":[{\"format\":\"idn-hostname\"},{\"format\":\"uri\"},{\"format\":"
           "\"iri\"},{\"format\":\"email\"},{\"format\":\"regex\"},{\"format\":\"date-time\"},{"
           "\"format\":\"json-pointer\"},{\"format\":\"uri-template\"},{\"format\":\"ipv6\"}]}}")},
     {ONCE("["), {"\"`\\u0000\"", 30, ","}, ONCE("]")},
     30000},
    {"expressions as instances",
     {ONCE("{\"items\":{\"format\":\"regex\"}}")},
     {ONCE("["),
      {"\"(?<n>a)\\\\k<n>\\\\k<n>\\\\k<n>\\\\k<n>\\\\k<n>\\\\k<n>\\\\k<n>\\\\k<n>`\"", 100, ","},
      ONCE("]")},
     30000},
    {"references in an expression",
     {ONCE("{\"items\":{\"format\":\"regex\"}}")},
     {ONCE("[\"(?<n>a)"), {"\\\\k<n>", 12000, ""}, ONCE("\"]")},
     0},
    {"names in an expression",
     {ONCE("{\"items\":{\"format\":\"regex\"}}")},
     {ONCE("[\""), {"(?<n@>a)", 6000, ""}, ONCE("\"]")},
     0},
    {"labels of a host",
     {ONCE("{\"items\":{\"format\":\"idn-hostname\"}}")},
     {ONCE("["),
      {"\"xn--\\u00fc\\u00fca.b.c.xn--a-0\\u00fc.\\u6771\\u4eac@\"", 30000, ","},
      ONCE("]")},
     0},
    {"conditions in a chain",
     {{"{\"if\":{\"properties\":{\"a\":{\"const\":@}}},\"then\":{\"required\":[\"a\"]},\"else\":",
       400, ""},
      ONCE("true"),
      {"}", 400, ""}},
     {ONCE("{"), {"\"n@\":1", 10000, ","}, ONCE("}")},
     0},
    {"conditions on items",
     {{"{\"if\":{\"items\":{\"minimum\":@}},\"else\":", 400, ""}, ONCE("true"), {"}", 400, ""}},
     {ONCE("["), {"-1@", 100000, ","}, ONCE("]")},
     0},
    {"not not not",
     {{"{\"not\":", 400, ""}, ONCE("{\"items\":{\"type\":\"string\"}}"), {"}", 400, ""}},
     {ONCE("["), {"@", 100000, ","}, ONCE("]")},
     0},
    {"what a text holds",
     {ONCE("{\"items\":{\"allOf\":["),
      {"{\"contentMediaType\":\"application/json\",\"contentSchema\":{\"items\":{\"minimum\":@}}}",
       100, ","},
      ONCE("]}}")},
     {ONCE("["), {"\"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]\"", 10000, ","}, ONCE("]")},
     0},
    {"numbers as texts",
     {ONCE("{\"items\":{\"type\":\"integer\"}}")},
     {ONCE("["), {"\"@\"", 300000, ","}, ONCE("]")},
     0},
    {"texts as numbers",
     {ONCE("{\"items\":{\"anyOf\":[{\"type\":\"string\",\"maxLength\":2},{\"type\":\"boolean\"},{"
           "\"type\":\"null\"},{\"type\":\"array\"}]}}")},
     {ONCE("["), {"@", 100000, ","}, ONCE("]")},
     0},
    {"defaults in a circle",
     {ONCE("{\"$ref\":\"#/$defs/n0\",\"$defs\":{"),
      {"\"n@\":{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n1\",\"default\":{}},\"b\":{\"$ref\":\"#/"
       "$defs/n2\",\"default\":{}},\"c\":{\"$ref\":\"#/$defs/n0\",\"default\":{}}}}",
       30, ","},
      ONCE("}}")},
     {ONCE("{\"a\":{},\"b\":{\"a\":{}}}")},
     0},
    {"defaults of many items",
     {ONCE("{\"items\":{\"properties\":{"), {"\"n@\":{\"default\":[@]}", 300, ","}, ONCE("}}}")},
     {ONCE("["), {"{}", 20000, ","}, ONCE("]")},
     0},
    {"defaults that do not fit",
     {ONCE("{\"properties\":{"),
      {"\"n@\":{\"default\":@}", 1000, ","},
      ONCE("},\"maxProperties\":500,\"not\":{\"required\":[\"n3\",\"n9\"]}}")},
     {ONCE("{"), {"\"m@\":null", 300, ","}, ONCE("}")},
     0},
    {"defaults for alternatives",
     {ONCE("{\"items\":{\"oneOf\":["),
      {"{\"properties\":{\"n@\":{\"default\":1},\"k\":{\"const\":@}},\"required\":[\"k\"]}", 300,
       ","},
      ONCE("]}}")},
     {ONCE("["), {"{\"k\":@}", 3000, ","}, ONCE("]")},
     0},
    {"alternatives that are refused late",
     {ONCE("{\"anyOf\":["),
      {"{\"items\":{\"type\":\"integer\"},\"contains\":{\"const\":-1@}}", 1000, ","},
      ONCE("]}")},
     {ONCE("["), {"@", 200000, ","}, ONCE("]")},
     0},
    {"alternatives named by a member",
     {ONCE("{\"items\":{\"oneOf\":["),
      {"{\"properties\":{\"kind\":{\"enum\":[\"k@\",\"l@\"]}},\"required\":[\"kind\",\"v\"]}", 2000,
       ","},
      ONCE("]}}")},
     {ONCE("["), {"{\"v\":1,\"kind\":\"m@\"}", 5000, ","}, ONCE("]")},
     0},
    {"alternatives in alternatives",
     {ONCE("{\"$ref\":\"#/$defs/e\",\"$defs\":{\"e\":{\"oneOf\":["),
      {"{\"properties\":{\"x\":{\"$ref\":\"#/$defs/e\"},\"y\":{\"$ref\":\"#/$defs/"
       "e\"},\"k\":{\"const\":@}},\"required\":[\"k\"]}",
       30, ","},
      ONCE("]}}}")},
     {{"{\"y\":{\"k\":3},\"x\":", 300, ""}, ONCE("{}"), {",\"k\":@}", 300, ""}},
     0},
    {"the same place twice",
     {ONCE("{\"$ref\":\"#/$defs/d0\",\"$defs\":{\"d0\":{\"allOf\":["),
      {"{\"properties\":{\"n@\":{\"$ref\":\"#\"}}}", 100, ","},
      ONCE("]}}}")},
     {{"{\"n1\":{\"n2\":", 200, ""}, ONCE("{}"), {"}}", 200, ""}},
     0},
    {"dependent schemas",
     {ONCE("{\"dependentSchemas\":{"),
      {"\"n@\":{\"properties\":{\"m\":{\"dependentRequired\":{\"n@\":[\"n1\"]}}},"
       "\"dependentRequired\":{\"n@\":[\"n2\"]}}",
       1000, ","},
      ONCE("}}")},
     {ONCE("{\"m\":{"), {"\"n@\":1", 20000, ","}, ONCE("},"), {"\"n@\":1", 20000, ","}},
     0},
    {"many required",
     {ONCE("{\"anyOf\":["), {"{\"required\":[\"n1\",\"n2\",\"x@\"]}", 3000, ","}, ONCE("]}")},
     {ONCE("{"), {"\"n@\":1", 50000, ","}, ONCE("}")},
     0},
    {"many properties in alternatives",
     {ONCE("{\"anyOf\":["),
      {"{\"properties\":{\"n1\":{\"const\":-1},\"n7\":{\"minimum\":@}},\"additionalProperties\":{"
       "\"type\":\"integer\"},\"minProperties\":60000}",
       1000, ","},
      ONCE("]}")},
     {ONCE("{"), {"\"n@\":1", 50000, ","}, ONCE("}")},
     0},
    {"many members alike",
     {ONCE("{\"additionalProperties\":{\"type\":\"integer\"}}")},
     {ONCE("{"), {"\"\\u006e@\":1,\"`@\":2", 10000, ","}, ONCE("}")},
     500},
    {"texts that hold lists",
     {ONCE("{\"items\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}")},
     {ONCE("["), {"\"[[[[[[[[[[[[[[[[[[[[[[[[[[`\"", 300, ","}, ONCE("]")},
     60000},
    {"wrong at each place",
     {ONCE("{\"items\":{\"enum\":["), {"\"word number @\"", 5000, ","}, ONCE("]}}")},
     {ONCE("["), {"\"word numbre @\"", 20000, ","}, ONCE("]")},
     0},
};

/* Of the sizes, in the short run. */
static const double FEW = IS_WATCHED ? 0.08 : 0.3;

enum { CASES = sizeof cases / sizeof cases[0] };

/* ## Writing them */

static void put_piece(struct buf *out, const char *piece, unsigned i, size_t run) {
    for (; *piece; piece++) {
        if (*piece == '@') buf_printf(out, "%u", i);
        else if (*piece != '`' && *piece != '~') buf_putc(out, *piece);
        else
            for (size_t k = 0; k < run; k++) buf_putc(out, *piece == '`' ? 'a' : '7');
    }
}

static void put_parts(struct buf *out, const struct part *parts, size_t run, double scale) {
    buf_reset(out);
    for (size_t i = 0; i < PARTS && parts[i].piece; i++) {
        bool is_nesting = !*parts[i].between;
        unsigned times = is_nesting ? parts[i].times : (unsigned)(parts[i].times * scale);
        for (unsigned k = 0; k < times || (k < 3 && k < parts[i].times); k++) {
            if (k) buf_puts(out, parts[i].between);
            put_piece(out, parts[i].piece, k, run);
        }
    }
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* ## Judging them */

static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

struct trial {
    struct buf schema, instance;
    const char *names[2];
    double worst; /* of its bound */
    size_t answers, limits, over;
};

static gramc_schema *compile(struct trial *trial) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    gramc_schema *schema;
    options.assert_formats = options.assert_content = true;
    double start = cpu_seconds();
    gramc_status status =
        gramc_schema_compile(&schema, trial->schema.ptr, trial->schema.len, &options, &error);
    double took = cpu_seconds() - start;
    if (status != GRAMC_OK && status != GRAMC_LIMIT)
        fail_msg("%s: %s at %zu", trial->names[0], error.message, error.position);
    if (took > 2.0 * SLACK) fail_msg("%s: compiled in %.3f s", trial->names[0], took);
    return status == GRAMC_OK ? schema : NULL;
}

static double judge(struct trial *trial, const gramc_schema *schema, unsigned flags) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_json_error error = {.message = ""};
    gramc_verdict *verdict = NULL;
    options.flags = flags;
    options.error = &error;
    double start = cpu_seconds();
    gramc_status status =
        gramc_schema_check(&verdict, schema, trial->instance.ptr, trial->instance.len, &options);
    gramc_verdict_free(verdict);
    double took = cpu_seconds() - start;
    if (status != GRAMC_OK && (status != GRAMC_LIMIT || !*error.message))
        fail_msg("%s, %s: status %d", trial->names[0], trial->names[1], (int)status);
    trial->answers += status == GRAMC_OK;
    trial->limits += status == GRAMC_LIMIT;
    return took;
}

/* Another try where another program may have been in the way. */
static void judge_within(struct trial *trial, const gramc_schema *schema, unsigned flags) {
    double bound = 0.2 + 1e-7 * (double)trial->instance.len;
    double took = judge(trial, schema, flags);
    if (took > bound) {
        double again = judge(trial, schema, flags);
        took = again < took ? again : took;
    }
    if (took / bound > trial->worst) trial->worst = took / bound;
    if (took > bound)
        print_message("%s, %s, flags %u, %zu bytes: %.3f s of %.3f\n", trial->names[0],
                      trial->names[1], flags, trial->instance.len, took, bound);
    trial->over += took > bound * SLACK;
}

static void try_pair(struct trial *trial, const struct hostile *asks, const struct hostile *is,
                     double scale) {
    static const unsigned all_flags[] = {0, GRAMC_CHECK_DEFAULTS | GRAMC_CHECK_COERCE |
                                                GRAMC_CHECK_NULL_ABSENT};
    trial->names[0] = asks->name;
    trial->names[1] = is->name;
    put_parts(&trial->schema, asks->schema, (size_t)(asks->run * scale) + 1, scale);
    put_parts(&trial->instance, is->instance, (size_t)(is->run * scale) + 1, scale);
    gramc_schema *schema = compile(trial);
    for (size_t i = 0; schema && i < sizeof all_flags / sizeof *all_flags; i++)
        judge_within(trial, schema, all_flags[i]);
    gramc_schema_free(schema);
}

static bool is_long(void) {
    const char *all = getenv("GRAMC_LONG");
    return all && strcmp(all, "1") == 0;
}

static void trial_init(struct trial *trial) {
    *trial = (struct trial){.worst = 0};
    buf_init(&trial->schema, NULL, LARGEST);
    buf_init(&trial->instance, NULL, LARGEST);
}

static void trial_free(struct trial *trial) {
    assert_int_equal(trial->over, 0); /* all are told before the first ends it */
    assert_true(trial->answers > 0 && trial->limits > 0);
    buf_free(&trial->schema);
    buf_free(&trial->instance);
}

static void test_each_with_its_own(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial);
    for (size_t i = 0; i < CASES; i++) try_pair(&trial, &cases[i], &cases[i], is_long() ? 1 : FEW);
    trial_free(&trial);
}

static void test_each_with_others(void **state) {
    struct trial trial;
    size_t step = is_long() ? 1 : IS_WATCHED ? 211 : 71;
    (void)state;
    trial_init(&trial);
    for (size_t i = 0; i < CASES * CASES; i += step)
        try_pair(&trial, &cases[i / CASES], &cases[i % CASES], is_long() ? 0.7 : 0.2);
    trial_free(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_with_its_own),
        cmocka_unit_test(test_each_with_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
