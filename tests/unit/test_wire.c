/* Names that a provider does not take: what stands in requests instead, and the way back. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/secret.h"
#include "runtime/wire.h"
#include "tests/support/agent.h"

#define TEN "aaaaaaaaaa"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define NONE "{\"type\":\"object\",\"properties\":{}}"

static const char *const names[] = {"getName",  "get_name", "get-name", "get.name",
                                    "get:name", "größe",    "日本",     LONG};
enum { NAMES = sizeof names / sizeof *names };

static bool is_legal(const char *name) {
    size_t len = strlen(name);
    return len > 0 && len <= 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

static void make_wire(const char *target, char (*wire)[GRAMC_WIRE_NAME_SIZE]) {
    gramc_text texts[NAMES];
    for (size_t i = 0; i < NAMES; i++) texts[i] = text_of(names[i]);
    assert_int_equal(
        gramc_target_wire_names(text_of(target), GRAMC_NAME_TOOL, texts, NAMES, wire, NULL),
        GRAMC_OK);
}

static void legal_and_unique(void **state) {
    char wire[NAMES][GRAMC_WIRE_NAME_SIZE];
    (void)state;
    make_wire("openai", wire);
    for (size_t i = 0; i < NAMES; i++) {
        assert_true(is_legal(wire[i]));
        if (is_legal(names[i])) assert_string_equal(wire[i], names[i]);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(wire[i], wire[j]);
    }
    assert_string_equal(wire[5], "gr__e");
}

static void refused_targets(void **state) {
    char wire[1][GRAMC_WIRE_NAME_SIZE];
    gramc_text name = text_of(LONG);
    (void)state;
    assert_int_equal(gramc_target_wire_names(TEXT("none"), GRAMC_NAME_TOOL, &name, 1, wire, NULL),
                     GRAMC_USAGE);
    assert_int_equal(gramc_target_wire_names(TEXT("bundle"), GRAMC_NAME_TOOL, &name, 1, wire, NULL),
                     GRAMC_LIMIT);
}

/* ## Runs */

static void expect_in(const struct test_run *run, const char *wanted) {
    if (!run->trace.ptr || !strstr(run->trace.ptr, wanted))
        fail_msg("no %s in %s", wanted, run->trace.ptr ? run->trace.ptr : "nothing");
}

static void make_agent(struct test_agent *test) {
    static const char *const answers[NAMES] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    test_agent_init(test);
    for (size_t i = 0; i < NAMES; i++) {
        test_tool(test, names[i], NONE, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
        test_returns(test, names[i], answers[i]);
    }
}

/* Calls every tool by its name on the wire, in one answer. */
static void put_script(struct buf *out, char (*wire)[GRAMC_WIRE_NAME_SIZE]) {
    buf_puts(out, HEADER "{\"event\":\"model.response\",\"calls\":[");
    for (size_t i = 0; i < NAMES; i++)
        buf_printf(out, "%s{\"id\":\"c%zu\",\"name\":\"%s\",\"arguments\":\"{}\"}", i ? "," : "", i,
                   wire[i]);
    buf_puts(out, "]}\n{\"event\":\"model.response\",\"content\":\"done\"}\n");
}

static void calls_come_back(void **state) {
    char wire[NAMES][GRAMC_WIRE_NAME_SIZE], wanted[1024];
    struct test_agent test;
    struct test_run run;
    struct buf script;
    gramc_model *model;
    (void)state;
    make_agent(&test);
    make_wire("openai", wire);
    buf_init(&script, NULL, 1 << 16);
    put_script(&script, wire);
    assert_int_equal(gramc_model_new_script(&model, buf_view(&script), NULL, NULL), GRAMC_OK);
    test_run_init(&run);
    assert_int_equal(
        test_run(&run, &(struct test_setup){.agent = &test, .model = model, .messages = {"Hi"}}),
        GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    for (size_t i = 0; i < NAMES; i++) {
        bool same = strcmp(names[i], wire[i]) == 0;
        snprintf(wanted, sizeof wanted, "\"function\":{\"name\":\"%s\"", wire[i]);
        expect_in(&run, wanted);
        snprintf(wanted, sizeof wanted,
                 "\"id\":\"c%zu\",\"name\":\"%s\"%s%s%s,\"outcome\":\"ok\","
                 "\"result\":\"%zu\"",
                 i, names[i], same ? "" : ",\"wire\":\"", same ? "" : wire[i], same ? "" : "\"", i);
        expect_in(&run, wanted);
    }
    gramc_model_free(model);
    buf_free(&script);
    test_run_free(&run);
    test_agent_free(&test);
}

/* ## Parameters */

#define PARAMETERS                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"first name\":{\"type\":\"string\"},"                   \
    "\"first.name\":{\"type\":\"string\"},\"plain\":{\"type\":\"string\","                         \
    "\"enum\":[\"first name\"]},\"home address\":{\"$ref\":\"#/$defs/Home\"},"                     \
    "\"any of\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"array\",\"items\":{"                   \
    "\"$ref\":\"#/$defs/Home\"}}]},\"a pair\":{\"prefixItems\":[{},{\"properties\":{"              \
    "\"x y\":{}}}]}},\"required\":[\"plain\",\"first name\"],\"$defs\":{\"Home\":{"                \
    "\"type\":\"object\",\"properties\":{\"zip code\":{\"type\":\"string\"},"                      \
    "\"parent home\":{\"$ref\":\"#/$defs/Home\"}}}}}"

static const gramc_tool by_hand = {.parameters = {PARAMETERS, sizeof(PARAMETERS) - 1}};

static void expect_back(const char *target, const char *from, const char *expected) {
    struct buf out;
    buf_init(&out, NULL, 1 << 16);
    assert_int_equal(
        gramc_target_arguments(text_of(target), &by_hand, text_of(from), NULL, buf_writer(&out)),
        GRAMC_OK);
    assert_string_equal(out.ptr, expected);
    buf_free(&out);
}

static void schema_there(void **state) {
    struct buf out;
    (void)state;
    buf_init(&out, NULL, 1 << 16);
    assert_int_equal(gramc_target_schema(TEXT("gemini"), &by_hand, NULL, buf_writer(&out)),
                     GRAMC_OK);
    static const char *const wanted[] = {"\"first_name_",
                                         "\"home_address\":{\"$ref\"",
                                         "\"enum\":[\"first name\"]",
                                         "\"zip_code\":",
                                         "\"parent_home\":",
                                         "\"x_y\":{}",
                                         "\"required\":[\"plain\",\"first_name_"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(out.ptr, wanted[i])) fail_msg("no %s in %s", wanted[i], out.ptr);
    assert_null(strstr(out.ptr, "\"zip code\""));
    buf_reset(&out);
    assert_int_equal(gramc_target_schema(TEXT("openai"), &by_hand, NULL, buf_writer(&out)),
                     GRAMC_OK);
    assert_string_equal(out.ptr, PARAMETERS);
    buf_free(&out);
}

static void arguments_back(void **state) {
    (void)state;
    expect_back("gemini",
                "{\"plain\":\"zip_code\",\"home_address\":{\"zip_code\":\"1\",\"parent_home\":{"
                "\"zip_code\":\"2\",\"other\":1}},\"any_of\":[{\"zip_code\":\"3\"}],"
                "\"a_pair\":[{\"x_y\":1},{\"x_y\":2}],\"unknown_one\":{\"zip_code\":0}}",
                "{\"plain\":\"zip_code\",\"home address\":{\"zip code\":\"1\",\"parent home\":{"
                "\"zip code\":\"2\",\"other\":1}},\"any of\":[{\"zip code\":\"3\"}],"
                "\"a pair\":[{\"x_y\":1},{\"x y\":2}],\"unknown_one\":{\"zip_code\":0}}");
    expect_back("openai", "{\"home_address\":{\"zip_code\":\"1\"}}",
                "{\"home_address\":{\"zip_code\":\"1\"}}");
}

/* Both names become one form; each has its own name, and each comes back. */
static void colliding_parameters(void **state) {
    static const char *const both[] = {"first name", "first.name"};
    gramc_text texts[] = {text_of(both[0]), text_of(both[1])};
    char wire[2][GRAMC_WIRE_NAME_SIZE], sent[512], expected[512];
    (void)state;
    assert_int_equal(
        gramc_target_wire_names(TEXT("gemini"), GRAMC_NAME_PARAMETER, texts, 2, wire, NULL),
        GRAMC_OK);
    assert_string_not_equal(wire[0], wire[1]);
    snprintf(sent, sizeof sent, "{\"%s\":\"a\",\"%s\":\"b\"}", wire[0], wire[1]);
    snprintf(expected, sizeof expected, "{\"%s\":\"a\",\"%s\":\"b\"}", both[0], both[1]);
    expect_back("gemini", sent, expected);
}

static void no_json(void **state) {
    const gramc_tool broken = {.parameters = TEXT("{")};
    struct buf out;
    (void)state;
    buf_init(&out, NULL, 100);
    gramc_writer writer = buf_writer(&out);
    assert_int_equal(gramc_target_arguments(TEXT("gemini"), &by_hand, TEXT("{"), NULL, writer),
                     GRAMC_FINDINGS);
    assert_int_equal(gramc_target_schema(TEXT("gemini"), &broken, NULL, writer), GRAMC_FINDINGS);
    assert_int_equal(gramc_target_schema(TEXT("none"), &by_hand, NULL, writer), GRAMC_USAGE);
    assert_int_equal(out.len, 0);
    buf_free(&out);
}

/* A run for a provider with narrower rules shows its names and understands them. */
static void bound_for_a_target(void **state) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bound *bound;
    struct test_agent test;
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    test_agent_init(&test);
    test_tool(&test, "look.up", PARAMETERS, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(&test, "look.up", "found");
    test.tools[0].examples =
        TEXT("[{\"plain\":\"first name\",\"home address\":{\"zip code\":\"1\"},"
             "\"first name\":\"f\"}]");
    options.target = TEXT("anthropic");
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &options), GRAMC_OK);
    const struct bound_tool *tool = step_find(&bound->steps[0], TEXT("look_up"));
    assert_non_null(tool);
    assert_ptr_equal(step_find(&bound->steps[0], TEXT("look.up")), tool);
    assert_non_null(strstr(bound->steps[0].blocks[RUN_AGENT].tools.ptr, "\"name\":\"look_up\""));
    assert_non_null(strstr(bound->steps[0].blocks[RUN_AGENT].tools.ptr, "\"zip_code\":"));
    assert_non_null(
        strstr(bound->steps[0].blocks[RUN_AGENT].tools.ptr,
               "\"input_examples\":[{\"plain\":\"first name\",\"home_address\":{\"zip_code\":"
               "\"1\"},\"first_name\":\"f\"}]"));
    gramc_text back = wire_arguments(&arena, tool, TEXT("{\"home_address\":{\"zip_code\":\"1\"}}"));
    assert_true(text_is(back, "{\"home address\":{\"zip code\":\"1\"}}"));
    assert_true(text_is(wire_arguments(&arena, tool, TEXT("no json")), "no json"));
    gramc_bound_free(bound);
    options.target = TEXT("none");
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &options), GRAMC_FINDINGS);
    gramc_bound_free(bound);
    test_agent_free(&test);
    arena_free(&arena);
}

/* ## Providers */

static void providers(void **state) {
    char wire[1][GRAMC_WIRE_NAME_SIZE];
    gramc_text name = TEXT("a.b");
    size_t count = 0;
    (void)state;
    for (const gramc_provider *p; (p = gramc_provider_get(count)) != NULL; count++) {
        bool local = text_starts(text_of(p->base_url), "http://127.0.0.1:");
        assert_true(local || text_starts(text_of(p->base_url), "https://"));
        assert_true(local == !p->key);
        if (p->key) assert_int_equal(secrets_find(NULL, text_of(p->key), NULL), SECRET_OF_PROVIDER);
        assert_int_equal(
            gramc_target_wire_names(text_of(p->target), GRAMC_NAME_TOOL, &name, 1, wire, NULL),
            GRAMC_OK);
    }
    assert_true(count > 3);
    assert_string_equal(gramc_provider_of(TEXT("gpt-4o-mini"))->name, "openai");
    assert_string_equal(gramc_provider_of(TEXT("OpenRouter/a/b"))->name, "openrouter");
    assert_null(gramc_provider_of(TEXT("nobody/x")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legal_and_unique), cmocka_unit_test(refused_targets),
        cmocka_unit_test(calls_come_back),  cmocka_unit_test(schema_there),
        cmocka_unit_test(arguments_back),   cmocka_unit_test(colliding_parameters),
        cmocka_unit_test(no_json),          cmocka_unit_test(bound_for_a_target),
        cmocka_unit_test(providers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
