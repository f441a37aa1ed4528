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
#include "tests/stated.h"

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

/* By the engine for documents, with a memory of its own. */
static gramc_status judge_within(size_t most_memory, const char **said) {
    static gramc_json_error error;
    const gramc_text text = TEXT("[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]]");
    gramc_schema *schema = compile("{\"items\":{\"uniqueItems\":true,\"items\":true}}");
    struct evaluation evaluation;
    struct arena arena;
    arena_init(&arena, NULL);
    evaluation_init(&evaluation, schema, &arena, NULL, text.len);
    assert_int_equal(evaluation.most_memory, (128 << 20) + 128 * text.len);
    const struct json *root = json_parse(&arena, text, NULL);
    if (most_memory) evaluation.most_memory = most_memory;
    error.message[0] = error.pointer[0] = '\0';
    evaluation.error = &error;
    evaluate_document(&evaluation, root);
    gramc_status status = evaluation.status;
    *said = error.message;
    evaluation_free(&evaluation);
    arena_free(&arena);
    gramc_schema_free(schema);
    return status;
}

static void test_memory_has_a_limit(void **state) {
    const char *said;
    (void)state;
    STATED(JUDGE_MEMORY_MAX, 128 << 20, "a limit was passed, which is named with its place");
    assert_int_equal(judge_within(0, &said), GRAMC_OK);
    assert_int_equal(judge_within(100, &said), GRAMC_LIMIT);
    assert_string_equal(said, "evaluating it takes too much memory");
}

/* Three for each of 800 levels, one for the value inside, and so many that apply to it. */
static void test_frames_have_a_limit(void **state) {
    struct buf text, schema;
    (void)state;
    STATED(JUDGE_FRAMES_MAX, 2500, "a limit was passed, which is named with its place");
    buf_init(&text, NULL, 1 << 20);
    buf_init(&schema, NULL, 1 << 20);
    put_times(&text, "[", 800);
    buf_puts(&text, "0");
    put_times(&text, "]", 800);
    for (size_t more = 0; more < 2; more++) {
        buf_reset(&schema);
        buf_puts(&schema, "{\"allOf\":[{\"items\":{\"$ref\":\"#\"}},");
        put_times(&schema, "{\"allOf\":[", 98 + more);
        buf_puts(&schema, "{}");
        put_times(&schema, "]}", 98 + more);
        buf_puts(&schema, "]}");
        buf_putc(&schema, '\0');
        gramc_schema *compiled = compile(schema.ptr);
        assert_int_equal(cost_of(compiled, buf_view(&text), false).status,
                         more ? GRAMC_LIMIT : GRAMC_OK);
        gramc_schema_free(compiled);
    }
    buf_free(&schema);
    buf_free(&text);
}

/* Of one budget: each of the items costs one step, and so do the two frames around. */
static void test_steps_are_stated(void **state) {
    const gramc_text text = TEXT("[1,2,3]");
    (void)state;
    STATED(JUDGE_STEPS_MAX, 4000000, "a limit was passed, which is named with its place");
    gramc_schema *schema = compile("{\"items\":{\"type\":\"integer\"}}");
    assert_int_equal(cost_of(schema, text, false).steps, 4);
    for (uint64_t steps = 4; steps <= 5; steps++) {
        struct evaluation evaluation;
        struct arena arena;
        arena_init(&arena, NULL);
        evaluation_init(&evaluation, schema, &arena, NULL, text.len);
        assert_int_equal(evaluation.steps, 4000000 + 2 * text.len);
        evaluation.steps = steps;
        bool valid = evaluate_document(&evaluation, json_parse(&arena, text, NULL));
        assert_int_equal(valid, steps == 5);
        assert_int_equal(evaluation.status, steps == 5 ? GRAMC_OK : GRAMC_LIMIT);
        evaluation_free(&evaluation);
        arena_free(&arena);
    }
    gramc_schema_free(schema);
}

static void test_one_match_has_a_limit(void **state) {
    struct regex_session session;
    struct regex_set set;
    struct regex_error error;
    struct arena arena;
    (void)state;
    STATED(MATCH_BACKTRACKING_MAX, 1000000, "a limit was passed, which is named with its place");
    arena_init(&arena, NULL);
    regex_set_init(&set, &arena);
    const struct regex *regex = regex_compile(&set, TEXT("^((a+)+)$"), &error);
    const gramc_text text = TEXT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
    uint64_t steps = 1000000;
    assert_non_null(regex);
    regex_session_init(&session, &arena.allocator, &steps);
    assert_int_equal(regex_matches(&session, regex, TEXT("aaa")), REGEX_YES);
    assert_int_equal(steps, 1000000);
    assert_int_equal(regex_matches(&session, regex, text), REGEX_LIMIT);
    /* The last try had them all, the ones before together about as many. */
    assert_true(1000000 - steps > 1000000 / 15 && 1000000 - steps < 2100000 / 15);
    regex_session_free(&session);
    regex_set_free(&set);
    arena_free(&arena);
}

/* What PCRE2 would not count: a look ahead from each place, repeats beside each other, and how
 * often a class is tried. Each has the answer that PCRE2 gives, and costs what is read. */
static void test_long_texts_are_counted(void **state) {
    static const struct {
        const char *pattern;
        size_t len;
        enum regex_result result;
        uint64_t least, most; /* steps */
    } rows[] = {
        {"^[a-z]+$", 100000, REGEX_YES, 0, 100},
        {"[a-z]+[0-9]", 100000, REGEX_NO, 5000, 50000},
        {"(?:[a-z]{4})*$", 100000, REGEX_YES, 0, 100000},
        {"(?=.*[0-9])[a-z]", 1000, REGEX_NO, 10000, 40000},
        {"(?=.*[0-9])[a-z]", 100000, REGEX_LIMIT, 300000, 4000000},
        {"^[a-z]*[a-z]*[0-9]$", 1000, REGEX_NO, 10000, 400000},
        {"^[a-z]*[a-z]*[a-z]*[0-9]$", 3000, REGEX_LIMIT, 10000, 4000000},
        {"[a-z]{5000}[0-9]", 100000, REGEX_LIMIT, 300000, 4000000},
    };
    char *letters = malloc(100000);
    (void)state;
    assert_non_null(letters);
    memset(letters, 'a', 100000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct regex_session session;
        struct regex_set set;
        struct regex_error error;
        struct arena arena;
        uint64_t steps = 4000000;
        arena_init(&arena, NULL);
        regex_set_init(&set, &arena);
        gramc_text pattern = {rows[i].pattern, strlen(rows[i].pattern)};
        const struct regex *regex = regex_compile(&set, pattern, &error);
        assert_non_null(regex);
        regex_session_init(&session, &arena.allocator, &steps);
        enum regex_result result =
            regex_matches(&session, regex, (gramc_text){letters, rows[i].len});
        if (result != rows[i].result) fail_msg("%s: %d", rows[i].pattern, (int)result);
        if (4000000 - steps < rows[i].least || 4000000 - steps > rows[i].most)
            fail_msg("%s: %d steps", rows[i].pattern, (int)(4000000 - steps));
        regex_session_free(&session);
        regex_set_free(&set);
        arena_free(&arena);
    }
    free(letters);
}

/* What the fast half has taken is gone: texts that take more than half of the budget are judged
 * once, but not a second time to say what is wrong with another one. */
static void test_both_halves_share_a_budget(void **state) {
    struct buf text;
    gramc_verdict *verdict;
    gramc_json_error error = {.message = ""};
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_schema *schema = compile("{\"items\":{\"type\":\"string\",\"not\":{\"pattern\":"
                                   "\"^((a+)+)$\"}}}");
    (void)state;
    options.error = &error;
    buf_init(&text, NULL, 1 << 20);
    buf_puts(&text, "[\"b\"");
    put_times(&text, ",\"aaaaaaaaaaaaaaaa!\"", 220);
    gramc_text most = buf_view(&text);
    buf_puts(&text, ",1]");
    assert_int_equal(gramc_schema_check(&verdict, schema, text.ptr, text.len, &options),
                     GRAMC_LIMIT);
    assert_string_equal(error.message, "matching patterns takes too much backtracking");
    text.ptr[most.len] = ']';
    assert_int_equal(gramc_schema_check(&verdict, schema, text.ptr, most.len + 1, &options),
                     GRAMC_OK);
    assert_true(verdict->valid);
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
    buf_free(&text);
}

/* A text that may hold what was asked for is looked into up to this size. */
static void test_advice_has_a_limit(void **state) {
    gramc_schema *schema = compile("{\"items\":{\"type\":\"array\"}}");
    (void)state;
    STATED(ADVICE_BYTES_MAX, 65536, "the message says only what was asked for");
    for (size_t more = 0; more < 2; more++) {
        gramc_verdict *verdict;
        struct buf text;
        buf_init(&text, NULL, 1 << 20);
        buf_puts(&text, "[\"[");
        put_times(&text, " ", ADVICE_BYTES_MAX - 2 + more);
        buf_puts(&text, "]\"]");
        assert_int_equal(gramc_schema_check(&verdict, schema, text.ptr, text.len, NULL), GRAMC_OK);
        assert_int_equal(verdict->errors_total, 1);
        bool told = strstr(verdict->errors[0].message.ptr, "it is text that holds an array");
        assert_int_equal(told, !more);
        gramc_verdict_free(verdict);
        buf_free(&text);
    }
    gramc_schema_free(schema);
}

static gramc_status normalise(const char *schema_text, gramc_text text, gramc_verdict **verdict,
                              gramc_json_error *error) {
    gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
    gramc_schema *schema = compile(schema_text);
    options.flags = GRAMC_CHECK_DEFAULTS;
    options.error = error;
    gramc_status status = gramc_schema_check(verdict, schema, text.ptr, text.len, &options);
    gramc_schema_free(schema);
    return status;
}

/* 64 items `{"":"..."}` of nearly a megabyte each, and blanks up to the limit. */
static void test_results_have_a_limit(void **state) {
    const size_t most = 64 << 20, value = most / 64 - 9;
    struct buf schema, text;
    (void)state;
    STATED(JUDGE_RESULT_MAX, 64 << 20, "a limit was passed, which is named with its place");
    buf_init(&schema, NULL, 2 << 20);
    buf_init(&text, NULL, 1000);
    buf_puts(&schema, "{\"items\":{\"properties\":{\"\":{\"default\":\"");
    put_times(&schema, "x", value);
    buf_puts(&schema, "\"}}}}");
    buf_putc(&schema, '\0');
    for (size_t more = 0; more < 2; more++) {
        gramc_json_error error = {.message = ""};
        gramc_verdict *verdict = NULL;
        buf_reset(&text);
        buf_puts(&text, "[");
        put_times(&text, " ", most - 64 * (value + 7) - 65 + more);
        buf_puts(&text, "{}");
        put_times(&text, ",{}", 63);
        buf_puts(&text, "]");
        gramc_status status = normalise(schema.ptr, buf_view(&text), &verdict, &error);
        assert_int_equal(status, more ? GRAMC_LIMIT : GRAMC_OK);
        if (verdict) assert_int_equal(verdict->normalised.len, most);
        else assert_string_equal(error.message, "what it would become is larger than 64 MiB");
        gramc_verdict_free(verdict);
    }
    buf_free(&schema);
    buf_free(&text);
}

/* Below, one map with so many defaults inside of it, some with their own. */
static size_t filled_inside(size_t count) {
    struct buf schema;
    gramc_verdict *verdict = NULL;
    buf_init(&schema, NULL, 1 << 20);
    buf_puts(&schema,
             "{\"properties\":{\"m\":{\"default\":{},\"properties\":{\"a\":{\"default\":0}");
    for (size_t i = 1; i < count; i++) buf_printf(&schema, ",\"n%zu\":{\"default\":0}", i);
    buf_puts(&schema, "}}}}");
    buf_putc(&schema, '\0');
    assert_int_equal(normalise(schema.ptr, TEXT("{}"), &verdict, NULL), GRAMC_OK);
    size_t len = verdict->normalised.len;
    assert_true(verdict->valid);
    gramc_verdict_free(verdict);
    buf_free(&schema);
    return len;
}

static void test_defaults_inside_have_a_limit(void **state) {
    (void)state;
    STATED(DEFAULTS_INSIDE_MAX, 1000, "that one is filled in as it is written");
    assert_true(filled_inside(1000) > 7000);
    assert_int_equal(filled_inside(1001), strlen("{\"m\":{}}"));
}

/* Maps that are each other's defaults, in any order. */
static void test_mutual_defaults(void **state) {
    struct buf schema;
    gramc_verdict *verdict = NULL;
    (void)state;
    buf_init(&schema, NULL, 1 << 20);
    buf_puts(&schema, "{\"$ref\":\"#/$defs/n0\",\"$defs\":{\"x\":{}");
    for (int i = 0; i < 12; i++) {
        buf_printf(&schema, ",\"n%d\":{\"properties\":{\"x\":{}", i);
        for (int j = 0; j < 12; j++)
            buf_printf(&schema, ",\"n%d\":{\"$ref\":\"#/$defs/n%d\",\"default\":{}}", j, j);
        buf_puts(&schema, "}}");
    }
    buf_puts(&schema, "}}");
    buf_putc(&schema, '\0');
    assert_int_equal(normalise(schema.ptr, TEXT("{}"), &verdict, NULL), GRAMC_OK);
    assert_true(verdict->valid);
    assert_int_equal(verdict->adjustment_count, 12);
    for (size_t i = 0; i < 12; i++) assert_true(text_is(verdict->adjustments[i].after, "{}"));
    gramc_verdict_free(verdict);
    buf_free(&schema);
}

/* ## Compiling */

static void expect_compile_limit(const struct buf *text, const char *pointer, const char *message) {
    gramc_schema *schema = NULL;
    gramc_json_error error = {.message = ""};
    assert_int_equal(gramc_schema_compile(&schema, text->ptr, text->len, NULL, &error),
                     GRAMC_LIMIT);
    assert_null(schema);
    assert_string_equal(error.message, message);
    assert_int_equal(strncmp(error.pointer, pointer, strlen(pointer)), 0);
}

/* Each pattern costs 700 steps and two a byte; the same one again next to nothing. */
static void test_compiling_has_a_limit(void **state) {
    struct buf text;
    (void)state;
    STATED(SCHEMA_WORK_MAX, 50000000, "larger than a limit, which is named with its place");
    buf_init(&text, NULL, 16 << 20);
    /* Places in a long list are counted from its start. */
    buf_puts(&text, "{\"$defs\":{\"l\":{\"anyOf\":[true");
    put_times(&text, ",true", 9999);
    buf_puts(&text, "]}},\"allOf\":[{\"$ref\":\"#/$defs/l/anyOf/9999\"}");
    put_times(&text, ",{\"$ref\":\"#/$defs/l/anyOf/9999\"}", 4900);
    size_t fits = text.len;
    buf_puts(&text, "]}");
    gramc_schema *schema = NULL;
    assert_int_equal(gramc_schema_compile(&schema, text.ptr, text.len, NULL, NULL), GRAMC_OK);
    gramc_schema_free(schema);
    text.len = fits;
    put_times(&text, ",{\"$ref\":\"#/$defs/l/anyOf/9999\"}", 100);
    buf_puts(&text, "]}");
    expect_compile_limit(&text, "/allOf/49", "compiling it takes too much work");
    buf_reset(&text);
    put_times(&text, "{\"not\":", 257);
    buf_puts(&text, "true");
    put_times(&text, "}", 257);
    expect_compile_limit(
        &text, "/not/not",
        "more than 256 schemas apply to the same place, each by way of the one before");
    buf_free(&text);
}

/* What so many members cost that each ask for others: `first` begins the schema, `open` and `close`
 * stand around the name that the i-th asks for. */
static struct cost many_rules(size_t count, const char *first, const char *open,
                              const char *close) {
    struct buf schema, text;
    buf_init(&schema, NULL, 1 << 22);
    buf_init(&text, NULL, 1 << 22);
    buf_puts(&schema, first);
    buf_puts(&text, "{\"n\":0");
    for (size_t i = 0; i < count; i++) {
        buf_printf(&schema, ",\"n%zu\":%s\"n%zu\"%s", i, open, i / 2, close);
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

/* As many schemas that each ask for one name of so many. */
static struct cost many_dependent_schemas(size_t count) {
    return many_rules(count, "{\"dependentSchemas\":{\"n\":{}", "{\"required\":[", "]}");
}

static void test_many_dependent_schemas(void **state) {
    (void)state;
    struct cost few = many_dependent_schemas(1000), many = many_dependent_schemas(10000);
    assert_true(many.steps < 13 * few.steps && many.steps < 150000); /* sorting them is in it */
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
    return many_rules(count, "{\"dependentRequired\":{\"n\":[]", "[\"n\",", "]");
}

static void test_many_dependents(void **state) {
    (void)state;
    struct cost few = many_dependents(1000), many = many_dependents(10000);
    assert_true(many.steps < 20 * few.steps); /* sorting them is in it */
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
        cmocka_unit_test(test_steps_are_stated),
        cmocka_unit_test(test_memory_has_a_limit),
        cmocka_unit_test(test_frames_have_a_limit),
        cmocka_unit_test(test_one_match_has_a_limit),
        cmocka_unit_test(test_long_texts_are_counted),
        cmocka_unit_test(test_both_halves_share_a_budget),
        cmocka_unit_test(test_advice_has_a_limit),
        cmocka_unit_test(test_results_have_a_limit),
        cmocka_unit_test(test_defaults_inside_have_a_limit),
        cmocka_unit_test(test_mutual_defaults),
        cmocka_unit_test(test_compiling_has_a_limit),
        cmocka_unit_test(test_many_dependent_schemas),
        cmocka_unit_test(test_many_dependents),
        cmocka_unit_test(test_many_references),
        cmocka_unit_test(test_many_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
