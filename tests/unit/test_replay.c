/* Tools that answer from a recorded trace: what a run recorded, another one gets again; equal calls
 * in the order of the recording; anything else is refused in words. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/calls.h"

#define OBJECT                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"},"                           \
    "\"y\":{\"type\":\"integer\",\"default\":7}}}"
#define STRING "{\"type\":\"string\"}"
#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"

/* A file of this test, removed at its end. */
static char path[] = "/tmp/gramc-replay-XXXXXX";

static void write_trace(gramc_text text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
    fclose(file);
}

static void make(struct test_agent *test, const char *result, gramc_result_kind kind) {
    test_agent_init(test);
    test_tool(test, "tool", OBJECT, result, kind);
    test->tools[0].max_tool_errors = 100;
    test_replay(test, "tool", path);
}

/* Calls with each of the arguments, one after the other; what each gave. */
static void replay(struct test_said *said, const char *trace, const char *const *arguments) {
    struct test_agent test;
    write_trace(text_of(trace));
    make(&test, STRING, GRAMC_RESULT_TEXT);
    test_say_each(&test, arguments, false, said);
    test_agent_free(&test);
}

#define CALL(iteration, name, arguments, result)                                                   \
    "{\"event\":\"tool.request\",\"turn\":1,\"iteration\":" iteration                              \
    ",\"call\":1,\"name\":\"" name "\",\"arguments\":\"" arguments "\"}\n"                         \
    "{\"event\":\"tool.response\",\"turn\":1,\"iteration\":" iteration                             \
    ",\"call\":1,\"name\":\"" name "\"," result "}\n"
#define OK(text) "\"outcome\":\"ok\",\"result\":\"" text "\""

static void in_order(void **state) {
    struct test_said said;
    static const char trace[] = HEADER CALL("1", "tool", "{\\\"x\\\":1,\\\"y\\\":2}", OK("first"))
        CALL("2", "other", "{\\\"x\\\":1,\\\"y\\\":2}", OK("not ours"))
            CALL("3", "tool", "{ \\\"y\\\" : 2, \\\"x\\\" : 1 }", OK("second"))
                CALL("4", "tool", "{\\\"x\\\":5,\\\"y\\\":2}", OK("five"));
    static const char *const calls[] = {"{\"y\":2,\"x\":1}", "{\"x\":5,\"y\":2}",
                                        "{\"x\":1,\"y\":2}", "{\"x\":1,\"y\":2}",
                                        "{\"x\":6,\"y\":2}", NULL};
    (void)state;
    replay(&said, trace, calls);
    assert_string_equal(said.texts[0], "first");
    assert_string_equal(said.texts[1], "five");
    assert_string_equal(said.texts[2], "second");
    assert_string_equal(said.texts[3], "Error: only 2 calls of `tool` with these arguments were "
                                       "recorded, and this is one more");
    assert_string_equal(said.texts[4],
                        "Error: nothing was recorded for these arguments of `tool`; the newest "
                        "recorded call differs: at /x it has 5, the request has 6");
}

/* What the tool got counts, defaults filled in, not what the model wrote. */
static void normalised(void **state) {
    struct test_said said;
    static const char trace[] =
        HEADER "{\"event\":\"tool.request\",\"turn\":1,\"iteration\":1,\"call\":1,\"name\":"
               "\"tool\",\"arguments\":\"{}\",\"sent\":\"{\\\"y\\\":7}\"}\n"
               "{\"event\":\"tool.response\",\"turn\":1,\"iteration\":1,\"call\":1,\"name\":"
               "\"tool\",\"outcome\":\"ok\",\"result\":\"seven\"}\n";
    static const char *const calls[] = {"{\"y\":7}", NULL}, *const empty[] = {"", NULL};
    (void)state;
    replay(&said, trace, calls);
    assert_string_equal(said.texts[0], "seven");
    replay(&said, trace, empty);
    assert_string_equal(said.texts[0], "seven");
}

static void failures(void **state) {
    struct test_said said;
    static const char trace[] =
        HEADER CALL("1", "tool", "{\\\"y\\\":1}",
                    "\"outcome\":\"tool-error\",\"result\":\"Error: out of paper\"")
            CALL("2", "tool", "{\\\"y\\\":2}",
                 "\"outcome\":\"timeout\",\"result\":\"Error: the tool did not finish\"")
                CALL("3", "tool", "{\\\"y\\\":3}", OK("Error: is what it says"));
    static const char *const calls[] = {"{\"y\":1}", "{\"y\":2}", "{\"y\":3}", NULL};
    (void)state;
    replay(&said, trace, calls);
    assert_string_equal(said.texts[0], "Error: out of paper");
    assert_string_equal(said.texts[1], "Error: the tool did not finish");
    assert_string_equal(said.texts[2], "Error: is what it says");
}

/* The answers of parallel calls come in any order; a call that was cut off has none. */
static void parallel(void **state) {
    struct test_said said;
    static const char trace[] = HEADER
        "{\"event\":\"tool.request\",\"turn\":1,\"iteration\":1,\"call\":1,\"name\":\"tool\","
        "\"arguments\":\"{\\\"y\\\":1}\"}\n"
        "{\"event\":\"tool.request\",\"turn\":1,\"iteration\":1,\"call\":2,\"name\":\"tool\","
        "\"arguments\":\"{\\\"y\\\":2}\"}\n"
        "{\"event\":\"tool.request\",\"turn\":1,\"iteration\":1,\"call\":3,\"name\":\"tool\","
        "\"arguments\":\"{\\\"y\\\":3}\"}\n"
        "{\"event\":\"tool.response\",\"turn\":1,\"iteration\":1,\"call\":2,\"name\":\"tool\","
        "\"outcome\":\"ok\",\"result\":\"two\"}\n"
        "{\"event\":\"tool.response\",\"turn\":1,\"iteration\":1,\"call\":1,\"name\":\"tool\","
        "\"outcome\":\"ok\",\"result\":\"one\"}\n";
    static const char *const calls[] = {"{\"y\":1}", "{\"y\":2}", "{\"y\":3}", NULL};
    (void)state;
    replay(&said, trace, calls);
    assert_string_equal(said.texts[0], "one");
    assert_string_equal(said.texts[1], "two");
    assert_string_equal(said.texts[2],
                        "Error: nothing was recorded for these arguments of `tool`; "
                        "the newest recorded call differs: at /y it has 2, the request has 3");
}

/* Records a run of a builtin, replays it, and records that: the tool's events are the same. */
static void round_trip(void **state) {
    struct test_agent test;
    struct test_said first, second;
    static const char *const calls[] = {"{\"x\":2,\"y\":40}", "{\"x\":5}", "{\"x\":2,\"y\":40}",
                                        NULL};
    struct buf trace;
    (void)state;
    buf_init(&trace, NULL, 1 << 20);
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    const char *const argv[] = {"sh", "-c", "cat; echo; echo done", NULL};
    test_exec(&test, "tool", argv);
    test_record(&test, calls, &first, &trace);
    test_agent_free(&test);
    write_trace(buf_view(&trace));
    make(&test, STRING, GRAMC_RESULT_TEXT);
    test_say_each(&test, calls, false, &second);
    test_agent_free(&test);
    for (size_t i = 0; i < 3; i++) assert_string_equal(first.texts[i], second.texts[i]);
    assert_string_equal(second.texts[1], "{\"x\":5,\"y\":7}\ndone");
    buf_free(&trace);
}

static void start_run(gramc_loop *loop, const gramc_bound *bound, const gramc_model *model,
                      struct test_run *run) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(run);
    const gramc_text message = TEXT("go");
    test_run_init(run);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
}

/* Runs that share what was bound, at once and one after the other, do not share the marks. */
static void every_run_anew(void **state) {
    static const char trace[] = HEADER CALL("1", "tool", "{\\\"y\\\":7}", OK("once"));
    struct test_agent test;
    gramc_bound *bound;
    gramc_loop *loop;
    gramc_model *model;
    struct test_run runs[4];
    (void)state;
    write_trace(text_of(trace));
    make(&test, STRING, GRAMC_RESULT_TEXT);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, NULL), GRAMC_OK);
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    for (size_t i = 0; i < 4; i++) {
        start_run(loop, bound, model, &runs[i]);
        if (i % 2) assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(runs[i].result.tool_errors, 0);
        assert_int_equal(runs[i].result.calls, 1);
        test_run_free(&runs[i]);
    }
    gramc_loop_free(loop);
    gramc_model_free(model);
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void refusals(void **state) {
    static const struct {
        const char *trace, *words;
    } rows[] = {
        {"", "line 1: the trace is empty"},
        {"{}", "line 1: a trace begins with a header event"},
        {"{\"event\":\"header\",\"format\":\"other\"}", "line 1: this is no trace"},
        {"{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":3}",
         "line 1: this version of the trace format is not known"},
        {HEADER "\n{", "line 3: "},
        {NULL, "`/no/such/file`: it cannot be read"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_agent test;
        gramc_bound *bound;
        gramc_bind_message message;
        char text[1024];
        if (rows[i].trace) write_trace(text_of(rows[i].trace));
        make(&test, STRING, GRAMC_RESULT_TEXT);
        if (!rows[i].trace) test.impls[0].target = TEXT("/no/such/file");
        assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, NULL), GRAMC_FINDINGS);
        assert_true(gramc_bound_message(bound, 0, &message));
        snprintf(text, sizeof text, "%.*s", TEXT_ARGS(message.message));
        if (!strstr(text, rows[i].words)) fail_msg("%s", text);
        gramc_bound_free(bound);
        test_agent_free(&test);
    }
}

static bool once(const struct test_agent *test, long n, bool persistent) {
    struct failing failing = {.fail_at = n, .persistent = persistent};
    gramc_allocator allocator = test_failing(&failing);
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    struct test_setup setup = {
        .agent = test, .model = model, .messages = {"Hello"}, .allocator = &allocator};
    gramc_status status = test_run(&run, &setup);
    if (status) assert_int_equal(status, GRAMC_NOMEM);
    else if (!failing.failed) assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    gramc_model_free(model);
    test_run_free(&run);
    assert_int_equal(failing.live, 0);
    return failing.failed;
}

static void no_memory(void **state) {
    struct test_agent test;
    (void)state;
    write_trace(TEXT(HEADER CALL("1", "tool", "{\\\"y\\\":7}", OK("fine"))));
    make(&test, STRING, GRAMC_RESULT_TEXT);
    for (int persistent = 0; persistent < 2; persistent++)
        for (long n = 1; once(&test, n, persistent);) n++;
    test_agent_free(&test);
}

static int make_file(void **state) {
    (void)state;
    int descriptor = mkstemp(path);
    if (descriptor < 0) return 1;
    close(descriptor);
    return 0;
}

static int remove_file(void **state) {
    (void)state;
    return remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order), cmocka_unit_test(normalised), cmocka_unit_test(failures),
        cmocka_unit_test(parallel), cmocka_unit_test(round_trip), cmocka_unit_test(every_run_anew),
        cmocka_unit_test(refusals), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
