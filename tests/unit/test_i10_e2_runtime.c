/* Stated limits of runs, programs, HTTP tools and MCP servers (base/limits.def): each at the limit
 * and one past it, with what is said there. Sessions, starts and reconnections of MCP servers are
 * in test_mcp.c and test_mcp_http.c, the processes that are kept in test_exec_faults.c. */
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
#include "runtime/httptool/toolbox.h"
#include "runtime/mcp/headers.h"
#include "tests/support/caller.h"
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

/* ## HTTP tools */

static void expect_http(const char *path, const char *body, const gramc_pair *header, size_t length,
                        const char *refused) {
    static const struct mock_answer answers[] = {{.body = "fine"}};
    struct caller caller;
    struct buf arguments;
    caller_init(&caller, path, "{\"type\":\"object\",\"properties\":{\"v\":" STRING "}}", answers,
                1);
    if (body) {
        caller.impl->method = TEXT("POST");
        caller.impl->body = text_of(body);
    }
    if (header) {
        caller.impl->headers = header;
        caller.impl->header_count = 1;
    }
    caller_bind(&caller);
    if (!body && !header) length -= strlen(caller.url) - strlen("${v}");
    buf_init(&arguments, NULL, (size_t)HTTP_BODY_MAX + 1000);
    buf_puts(&arguments, "{\"v\":\"");
    put_times(&arguments, "x", length);
    buf_puts(&arguments, "\"}");
    caller_call(&caller, buf_view(&arguments));
    if (refused) caller_expect(&caller, TOOL_FAILED, refused);
    else caller_expect(&caller, TOOL_FINE, "fine");
    buf_free(&arguments);
    caller_free(&caller);
}

#define TOO_LONG "the call cannot be made: it is too long"

static void requests(void **state) {
    const gramc_pair header = {TEXT("X-Value"), TEXT("${v}")};
    (void)state;
    STATED(HTTP_URL_MAX, 65536, "the call fails");
    STATED(HTTP_BODY_MAX, 16 << 20, "the call fails");
    STATED(HTTP_HEADER_VALUE_MAX, 65536, "the call fails");
    expect_http("/?q=${v}", NULL, NULL, HTTP_URL_MAX, NULL);
    expect_http("/?q=${v}", NULL, NULL, HTTP_URL_MAX + 1, TOO_LONG);
    expect_http("/", "[\"${v}\"]", NULL, HTTP_BODY_MAX - 4, NULL);
    expect_http("/", "[\"${v}\"]", NULL, HTTP_BODY_MAX - 3, TOO_LONG);
    expect_http("/", NULL, &header, HTTP_HEADER_VALUE_MAX, NULL);
    expect_http("/", NULL, &header, HTTP_HEADER_VALUE_MAX + 1, TOO_LONG);
}

static void expect_template(size_t parts, const char *refused) {
    struct template_error error;
    struct template template;
    struct arena arena;
    struct buf text;
    arena_init(&arena, NULL);
    buf_init(&text, NULL, 1 << 20);
    put_times(&text, "x${v}", parts / 2);
    put_times(&text, "x", parts % 2);
    gramc_status status =
        template_read(&template, &arena, buf_view(&text), TEMPLATE_TEXT, false, &error);
    assert_int_equal(status, refused ? GRAMC_FINDINGS : GRAMC_OK);
    if (refused) assert_string_equal(error.message, refused);
    arena_free(&arena);
    buf_free(&text);
}

static void parts(void **state) {
    (void)state;
    STATED(TEMPLATE_PARTS_MAX, 1000, "the tool is refused");
    expect_template(TEMPLATE_PARTS_MAX, NULL);
    expect_template(TEMPLATE_PARTS_MAX + 1, "more than 1000 parts in a template");
}

/* ## Files of HTTP tools */

/* The message of the first finding; empty: none. */
static void read_box(const struct buf *yaml, char message[512]) {
    struct toolbox *box;
    gramc_status status = toolbox_read(&box, NULL, TEXT("t.yaml"), buf_view(yaml), false);
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    const struct toolbox_finding *finding = box->findings;
    snprintf(message, 512, "%.*s", finding ? (int)finding->message.len : 0,
             finding ? finding->message.ptr : "");
    toolbox_free(box);
}

static void put_tool(struct buf *yaml, size_t i, size_t parameters, size_t headers) {
    buf_printf(yaml, "    - metadata:\n        name: t%zu\n        description: d\n", i);
    if (parameters) buf_puts(yaml, "        parameters:\n");
    for (size_t k = 0; k < parameters; k++)
        buf_printf(yaml, "          p%zu: {description: d, type: STRING}\n", k);
    buf_puts(yaml, "      definition:\n        method: GET\n        path: {type: TEXT_SUBSTITUTOR, "
                   "content: '/");
    for (size_t k = 0; k < parameters; k++) buf_printf(yaml, "${p%zu}", k);
    buf_puts(yaml, "'}\n");
    if (headers) buf_puts(yaml, "        headers:\n");
    for (size_t k = 0; k < headers; k++)
        buf_printf(yaml, "          H%zu: [{type: TEXT, content: x}]\n", k);
}

static void expect_box(size_t tools, size_t parameters, size_t headers, const char *said) {
    struct buf yaml;
    char message[512];
    buf_init(&yaml, NULL, 1 << 26);
    buf_puts(&yaml, "u:\n  url: http://127.0.0.1:1\n  tools:\n");
    for (size_t i = 0; i < tools; i++) put_tool(&yaml, i, parameters, headers);
    read_box(&yaml, message);
    assert_string_equal(message, said);
    buf_free(&yaml);
}

static void files_of_tools(void **state) {
    (void)state;
    STATED(TOOLBOX_TOOLS_MAX, 5000, "the file is refused");
    STATED(TOOLBOX_PARAMETERS_MAX, 200, "the file is refused");
    STATED(TOOLBOX_HEADERS_MAX, 100, "the file is refused");
    expect_box(TOOLBOX_TOOLS_MAX, 0, 0, "");
    expect_box(TOOLBOX_TOOLS_MAX + 1, 0, 0, "more than 5000 tools");
    expect_box(1, TOOLBOX_PARAMETERS_MAX, 0, "");
    expect_box(1, TOOLBOX_PARAMETERS_MAX + 1, 0, "more than 200 parameters");
    expect_box(1, 0, TOOLBOX_HEADERS_MAX, "");
    expect_box(1, 0, TOOLBOX_HEADERS_MAX + 1, "more than 100 headers");
}

/* ## MCP */

static void mirrors(void **state) {
    (void)state;
    STATED(MCP_MIRRORS_MAX, 64, "the tool is left out");
    for (int more = 0; more < 2; more++) {
        struct mcp_parameter *list;
        struct arena arena;
        struct buf schema;
        arena_init(&arena, NULL);
        buf_init(&schema, NULL, 1 << 20);
        buf_puts(&schema, "{\"properties\":{");
        for (int i = 0; i < MCP_MIRRORS_MAX + more; i++)
            buf_printf(&schema, "%s\"p%d\":{\"type\":\"string\",\"x-mcp-header\":\"H%d\"}",
                       i ? "," : "", i, i);
        buf_puts(&schema, "}}");
        const char *why =
            mcp_mirrors_read(&list, &arena, json_parse(&arena, buf_view(&schema), NULL));
        if (more) assert_string_equal(why, "too many x-mcp-header");
        else assert_null(why);
        arena_free(&arena);
        buf_free(&schema);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_of_runs),
        cmocka_unit_test(calls_of_one_answer),
        cmocka_unit_test(errors_that_are_told),
        cmocka_unit_test(results),
        cmocka_unit_test(lines),
        cmocka_unit_test(processes_at_a_time),
        cmocka_unit_test(requests),
        cmocka_unit_test(parts),
        cmocka_unit_test(files_of_tools),
        cmocka_unit_test(mirrors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
