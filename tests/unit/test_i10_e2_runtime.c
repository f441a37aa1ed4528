/* Stated limits of runs and of what programs say (base/limits.def): each at the limit and one past
 * it, with what is said there. The processes that are kept are in test_exec_faults.c, what a
 * provider may answer in test_endpoint.c, the rest in the other files of this name. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/text.h"
#include "tests/support/calls.h"
#include "tests/stated.h"

#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"
#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define CALL "{\"event\":\"model.response\",\"calls\":[{\"name\":\"tool\",\"arguments\":\"%s\"}]}\n"
#define ANSWER "{\"event\":\"model.response\",\"content\":\"done\"}\n"

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* ## Runs */

static gramc_outcome play(const struct test_agent *test, const struct buf *script,
                          char said[4096]) {
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    assert_int_equal(gramc_model_new_script(&model, buf_view(script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {.agent = test, .model = model, .messages = {"go"}};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    gramc_outcome outcome = run.outcome;
    if (said) {
        buf_putc(&run.trace, '\0');
        const char *last = run.trace.ptr, *at;
        while ((at = strstr(last + 1, "\"event\":\"tool.response\""))) last = at;
        snprintf(said, 4096, "%.4000s", last);
    }
    gramc_model_free(model);
    test_run_free(&run);
    return outcome;
}

/* So many calls, each in an answer of its own, and then a last word. */
static gramc_outcome rounds(const char *argument, uint32_t failing, uint32_t calls) {
    struct test_agent test;
    struct buf script;
    test_agent_init(&test);
    test.agent.max_iterations = 0;
    gramc_tool *tool = test_tool(&test, "tool", "{\"type\":\"object\",\"properties\":{}}", STRING,
                                 GRAMC_RESULT_TEXT);
    tool->max_call_errors = tool->max_tool_errors = 0;
    if (failing) {
        const char *const argv[] = {"false", NULL};
        test_exec(&test, "tool", argv);
    } else test_returns(&test, "tool", "fine");
    buf_init(&script, NULL, 1 << 20);
    buf_puts(&script, HEADER);
    for (uint32_t i = 0; i < calls; i++) buf_printf(&script, CALL, argument);
    buf_puts(&script, ANSWER);
    gramc_outcome outcome = play(&test, &script, NULL);
    buf_free(&script);
    test_agent_free(&test);
    return outcome;
}

static void defaults_of_runs(void **state) {
    (void)state;
    STATED(DEFAULT_ITERATIONS, 10, "the run ends as max-iterations");
    STATED(DEFAULT_ERRORS, 5, "the run ends as too-many-call-errors or too-many-tool-errors");
    assert_int_equal(rounds("{}", 0, DEFAULT_ITERATIONS - 1), GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(rounds("{}", 0, DEFAULT_ITERATIONS), GRAMC_OUTCOME_MAX_ITERATIONS);
    assert_int_equal(rounds("{\\\"x\\\":1}", 0, DEFAULT_ERRORS - 1), GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(rounds("{\\\"x\\\":1}", 0, DEFAULT_ERRORS),
                     GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS);
    assert_int_equal(rounds("{}", 1, DEFAULT_ERRORS - 1), GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(rounds("{}", 1, DEFAULT_ERRORS), GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS);
}

/* The schema wants a number; the answer that comes after so many texts is one. */
static void bad_answers(void **state) {
    (void)state;
    STATED(MOST_BAD_ANSWERS, 3, "the run ends as bad-answer");
    for (int more = 0; more < 2; more++) {
        gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
        gramc_schema *schema;
        struct test_agent test;
        struct buf script;
        test_agent_init(&test);
        test.agent.has_output = true;
        test.agent.output = TEXT("{\"type\":\"integer\"}");
        assert_int_equal(gramc_schema_compile(&schema, test.agent.output.ptr, test.agent.output.len,
                                              &options, NULL),
                         GRAMC_OK);
        test.agent.answers = schema;
        buf_init(&script, NULL, 1 << 16);
        buf_puts(&script, HEADER);
        for (int i = 0; i < MOST_BAD_ANSWERS - 1 + more; i++)
            buf_puts(&script, "{\"event\":\"model.response\",\"content\":\"one\"}\n");
        buf_puts(&script, "{\"event\":\"model.response\",\"content\":\"1\"}\n");
        assert_int_equal(play(&test, &script, NULL),
                         more ? GRAMC_OUTCOME_BAD_ANSWER : GRAMC_OUTCOME_ANSWERED);
        buf_free(&script);
        gramc_schema_free(schema);
        test_agent_free(&test);
    }
}

static void calls_of_one_answer(void **state) {
    (void)state;
    STATED(MOST_CALLS, 128, "the calls beyond fail");
    for (size_t more = 0; more < 2; more++) {
        struct test_agent test;
        struct buf script;
        char said[4096];
        test_agent_init(&test);
        test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
        test_returns(&test, "tool", "fine");
        buf_init(&script, NULL, 1 << 20);
        buf_puts(&script, HEADER "{\"event\":\"model.response\",\"calls\":[");
        put_times(&script, "{\"name\":\"tool\",\"arguments\":\"{}\"},", MOST_CALLS - 1 + more);
        buf_puts(&script, "{\"name\":\"tool\",\"arguments\":\"{}\"}]}\n" ANSWER);
        assert_int_equal(play(&test, &script, said), GRAMC_OUTCOME_ANSWERED);
        bool refused = strstr(said, "at most 128 calls are made for one answer") != NULL;
        assert_int_equal(refused, more);
        buf_free(&script);
        test_agent_free(&test);
    }
}

/* ## Agents that call one another */

/* Agent a0 has the tool t1, which a1 does, and so on: `count` of them. */
static void put_chain(struct buf *out, int count) {
    for (int i = 0; i < count; i++)
        buf_printf(out,
                   "[a%d:Agent {model: \"OpenAI/x\"} | [t%d:Tool {description: \"Asks\"} | "
                   "(about::Text)==>(::Text)]]\n",
                   i, i + 1);
    buf_puts(out, "[l:ToolLibrary | ");
    for (int i = 1; i < count; i++) buf_printf(out, "[t%d:ToolImpl {agent: a%d}], ", i, i);
    buf_printf(out, "[t%d:ToolImpl {returns: \"x\"}]]\n", count);
}

static gramc_status bind_chain(int count) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const gramc_agent *agent;
    gramc_bound *bound;
    struct buf text;
    buf_init(&text, NULL, 1 << 20);
    put_chain(&text, count);
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, TEXT("a.gram"), text.ptr, text.len), GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    assert_int_equal(gramc_spec_find_agent(&agent, spec, TEXT("a0")), GRAMC_OK);
    assert_int_equal(gramc_agent_prepare(compilation, agent), GRAMC_OK);
    gramc_status status = gramc_bind(&bound, agent, gramc_spec_library(spec, 0), NULL);
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
    buf_free(&text);
    return status;
}

static void agents_in_agents(void **state) {
    (void)state;
    STATED(AGENT_DEPTH_MAX, 8, "G0468: it is not bound");
    assert_int_equal(bind_chain(AGENT_DEPTH_MAX), GRAMC_OK);
    assert_int_equal(bind_chain(AGENT_DEPTH_MAX + 1), GRAMC_FINDINGS);
}

static void errors_that_are_told(void **state) {
    (void)state;
    STATED(TOLD_ERRORS_MAX, 5, "the others are counted");
    for (int more = 0; more < 2; more++) {
        struct test_agent test;
        struct buf script;
        char said[4096];
        test_agent_init(&test);
        test_tool(&test, "tool",
                  "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}", STRING,
                  GRAMC_RESULT_TEXT);
        test_returns(&test, "tool", "fine");
        buf_init(&script, NULL, 1 << 20);
        buf_puts(&script, HEADER "{\"event\":\"model.response\",\"calls\":[{\"name\":\"tool\","
                                 "\"arguments\":\"{");
        for (int i = 0; i < TOLD_ERRORS_MAX + more; i++)
            buf_printf(&script, "%s\\\"m%d\\\":1", i ? "," : "", i);
        buf_puts(&script, "}\"}]}\n" ANSWER);
        assert_int_equal(play(&test, &script, said), GRAMC_OUTCOME_ANSWERED);
        assert_int_equal(strstr(said, "; and 1 more") != NULL, more);
        assert_null(strstr(said, "/m5"));
        buf_free(&script);
        test_agent_free(&test);
    }
}

/* ## Programs */

static const char *say_once(const char *script, bool persistent) {
    static struct test_said said;
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct test_agent test;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_exec(&test, "tool", argv)->persistent = persistent;
    test_say(&test, "{}", 1, false, &said);
    test_agent_free(&test);
    return said.texts[0];
}

static void results(void **state) {
    char script[256];
    (void)state;
    STATED(TOOL_RESULT_MAX, 1 << 20, "the call fails");
    for (int more = 0; more < 2; more++) {
        snprintf(script, sizeof script, "head -c %d /dev/zero | tr '\\0' x",
                 TOOL_RESULT_MAX + more);
        const char *said = say_once(script, false);
        if (more) assert_string_equal(said, "Error: the program printed more than 1 MiB");
        else assert_memory_equal(said, "xxxxx", 5);
    }
}

/* A line that is filled up with blanks to so many bytes. */
static const char *say_line(int length) {
    char script[512];
    const char begin[] = "{\"id\":1,\"result\":\"here\"", end[] = "}";
    snprintf(script, sizeof script,
             "read line; printf '%s'; head -c %d /dev/zero | tr '\\0' ' '; echo '%s'; read line",
             begin, length - (int)(sizeof begin + sizeof end - 2), end);
    return say_once(script, true);
}

static void lines(void **state) {
    (void)state;
    STATED(WORKER_ANSWER_MAX, 8 << 20, "the call fails and the process is ended");
    STATED(LINE_LONGEST, 16 << 20, "its calls fail and the process is ended");
    assert_string_equal(say_line(WORKER_ANSWER_MAX), "here");
    assert_string_equal(say_line(WORKER_ANSWER_MAX + 1),
                        "Error: the program sent an answer longer than 8 MiB");
    assert_string_equal(say_line(LINE_LONGEST),
                        "Error: the program sent an answer longer than 8 MiB");
    assert_string_equal(say_line(LINE_LONGEST + 1),
                        "Error: the program sent a line longer than 16 MiB");
}

/* One more call than there may be processes: it has to wait for one, which counts two. */
static void processes_at_a_time(void **state) {
    static struct test_said said;
    char path[1024];
    (void)state;
    STATED(WORKERS_DEFAULT, 4, "calls wait");
    snprintf(path, sizeof path, "%s/tests/line_worker", getenv("GRAMC_BUILD_DIR"));
    const char *const argv[] = {path, "count", NULL};
    for (size_t more = 0; more < 2; more++) {
        struct test_agent test;
        size_t seconds = 0;
        test_agent_init(&test);
        test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
        test_exec(&test, "tool", argv)->persistent = true;
        test_say(&test, "{}", WORKERS_DEFAULT + more, true, &said);
        for (size_t i = 0; i < said.count; i++) seconds += strcmp(said.texts[i], "2") == 0;
        assert_int_equal(seconds, more);
        test_agent_free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_of_runs),
        cmocka_unit_test(bad_answers),
        cmocka_unit_test(calls_of_one_answer),
        cmocka_unit_test(agents_in_agents),
        cmocka_unit_test(errors_that_are_told),
        cmocka_unit_test(results),
        cmocka_unit_test(lines),
        cmocka_unit_test(processes_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
