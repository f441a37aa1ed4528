/* Runs, answered by a script: what the model is told, how a run ends, what the trace holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "tests/support/agent.h"

#define NONE "{\"type\":\"object\",\"properties\":{}}"
#define NAME                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"personName\":{\"type\":\"string\"}},\"required\":["    \
    "\"personName\"]}"
#define STRING "{\"type\":\"string\"}"
#define INTEGER "{\"type\":\"integer\"}"

#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define SAYS(text) "{\"event\":\"model.response\",\"content\":\"" text "\"}\n"
#define CALLS(list) "{\"event\":\"model.response\",\"content\":null,\"calls\":[" list "]}\n"
#define CALL(name, arguments) "{\"id\":\"x\",\"name\":\"" name "\",\"arguments\":\"" arguments "\"}"

/* One scripted run of an agent. */
struct scene {
    struct test_agent test;
    struct test_run run;
    gramc_model *model;
};

static void open_scene(struct scene *scene) {
    test_agent_init(&scene->test);
    test_run_init(&scene->run);
    scene->model = NULL;
}

static void play(struct scene *scene, const char *script, struct test_setup setup) {
    gramc_json_error error;
    if (script && gramc_model_new_script(&scene->model, text_of(script), NULL, &error))
        fail_msg("%s", error.message);
    setup.agent = &scene->test;
    setup.model = scene->model;
    if (!setup.messages[0]) setup.messages[0] = "Hello";
    assert_int_equal(test_run(&scene->run, &setup), GRAMC_OK);
    assert_int_equal(scene->run.done, 1);
}

/* Every line fits the published schema, and is the next one. */
static void expect_valid_trace(const struct scene *scene) {
    static char text[65536];
    char path[1024];
    gramc_schema *schema;
    gramc_text rest = buf_view(&scene->run.trace);
    snprintf(path, sizeof path, "%s/docs/formats/trace.schema.json", getenv("GRAMC_SOURCE_DIR"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_int_equal(gramc_schema_compile(&schema, text, len, NULL, NULL), GRAMC_OK);
    for (unsigned number = 0; rest.len; number++) {
        char start[32];
        size_t end = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        snprintf(start, sizeof start, "{\"seq\":%u,\"ms\":0,", number);
        assert_true(text_starts(rest, start));
        if (!gramc_schema_accepts(schema, rest.ptr, end))
            fail_msg("not as published: %.*s", (int)end, rest.ptr);
        rest = text_slice(rest, end + 1, rest.len);
    }
    gramc_schema_free(schema);
}

static void close_scene(struct scene *scene) {
    expect_valid_trace(scene);
    gramc_model_free(scene->model);
    test_run_free(&scene->run);
    test_agent_free(&scene->test);
}

static void expect_end(const struct scene *scene, gramc_outcome outcome, const char *answers) {
    const struct test_run *run = &scene->run;
    if (run->outcome != outcome)
        fail_msg("ended as %s: %s", gramc_outcome_name(run->outcome), run->message);
    assert_string_equal(run->answers.ptr ? run->answers.ptr : "", answers);
}

/* The n-th event of that name in the trace, as JSON in `arena`; NULL if there are fewer. */
static const struct json *event(struct arena *arena, const struct scene *scene, const char *name,
                                size_t n) {
    gramc_text rest = buf_view(&scene->run.trace);
    while (rest.len) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        assert_non_null(end);
        size_t len = (size_t)(end - rest.ptr);
        const struct json *json = json_parse(arena, text_slice(rest, 0, len), NULL);
        assert_non_null(json);
        if (text_is(json_get(json, "event")->text, name) && n-- == 0) return json;
        rest = text_slice(rest, len + 1, rest.len);
    }
    return NULL;
}

static void expect_member(const struct scene *scene, const char *name, size_t n,
                          const char *pointer, const char *expected) {
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *value = json_at(event(&arena, scene, name, n), text_of(pointer));
    if (!value) fail_msg("%s %zu has no %s in %s", name, n, pointer, scene->run.trace.ptr);
    assert_true(json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER));
    if (!text_is(value->text, expected))
        fail_msg("%s %zu %s is %.*s", name, n, pointer, TEXT_ARGS(value->text));
    arena_free(&arena);
}

/* What the model was told about the n-th call. */
static void expect_result(const struct scene *scene, size_t n, const char *outcome,
                          const char *text) {
    expect_member(scene, "tool.response", n, "/outcome", outcome);
    expect_member(scene, "tool.response", n, "/result", text);
}

static void greeter(struct scene *scene) {
    open_scene(scene);
    test_tool(&scene->test, "sayHello", NAME, STRING, GRAMC_RESULT_TEXT);
    test_builtin(&scene->test, "sayHello", "greeting.sayHello");
}

/* ## Going well */

static void hello(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    play(&scene, HEADER CALLS(CALL("sayHello", "{\\\"personName\\\":\\\"Alice\\\"}")) SAYS("Done."),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "Done.\n");
    expect_result(&scene, 0, "ok", "Hello, Alice! Nice to meet you.");
    expect_member(&scene, "model.request", 1, "/body/messages/1/tool_calls/0/id", "x");
    expect_member(&scene, "model.request", 1, "/body/messages/2/tool_call_id", "x");
    expect_member(&scene, "model.request", 1, "/body/messages/2/content",
                  "Hello, Alice! Nice to meet you.");
    expect_member(&scene, "header", 0, "/tools/0/kind", "builtin");
    expect_member(&scene, "header", 0, "/spec/fingerprint", "aaaa");
    expect_member(&scene, "header", 0, "/library/fingerprint", "bbbb");
    expect_member(&scene, "outcome", 0, "/outcome", "answered");
    assert_int_equal(scene.run.result.requests, 2);
    assert_int_equal(scene.run.result.calls, 1);
    close_scene(&scene);
}

/* Several messages are turns of one conversation. */
static void turns(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    play(&scene,
         HEADER SAYS("Hi.") CALLS(CALL("sayHello", "{\\\"personName\\\":\\\"Bob\\\"}"))
             SAYS("Hello Bob."),
         (struct test_setup){.messages = {"My name is Bob", "oh, hello btw"}});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "Hi.\nHello Bob.\n");
    expect_member(&scene, "model.request", 1, "/body/messages/0/content", "My name is Bob");
    expect_member(&scene, "model.request", 1, "/body/messages/1/content", "Hi.");
    expect_member(&scene, "model.request", 1, "/body/messages/2/content", "oh, hello btw");
    expect_member(&scene, "answer", 1, "/turn", "2");
    assert_int_equal(scene.run.result.turns, 2);
    close_scene(&scene);
}

/* Programs run at once; their results keep the order of the calls. */
static void several_calls(void **state) {
    struct scene scene;
    const char *const slow[] = {"sh", "-c", "sleep 0.3; echo slow", NULL};
    (void)state;
    open_scene(&scene);
    test_tool(&scene.test, "slow", NONE, STRING, GRAMC_RESULT_TEXT);
    test_tool(&scene.test, "quick", NONE, STRING, GRAMC_RESULT_TEXT);
    test_exec(&scene.test, "slow", slow);
    test_returns(&scene.test, "quick", "quick");
    play(&scene,
         HEADER CALLS("{\"name\":\"slow\",\"arguments\":\"\"},{\"name\":\"quick\",\"arguments\":"
                      "\"{}\"},{\"name\":\"slow\",\"arguments\":\"{}\"}") SAYS("ok"),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_member(&scene, "tool.response", 0, "/name", "quick");
    expect_member(&scene, "model.request", 1, "/body/messages/2/content", "slow");
    expect_member(&scene, "model.request", 1, "/body/messages/3/content", "quick");
    expect_member(&scene, "model.request", 1, "/body/messages/4/content", "slow");
    expect_member(&scene, "model.request", 1, "/body/messages/1/tool_calls/0/id", "call_1");
    expect_member(&scene, "model.request", 1, "/body/messages/4/tool_call_id", "call_3");
    expect_member(&scene, "model.request", 1, "/body/messages/1/tool_calls/0/function/arguments",
                  "{}");
    assert_true(scene.run.result.duration_ns < 550 * MS);
    close_scene(&scene);
}

static void result_kinds(void **state) {
    struct scene scene;
    (void)state;
    open_scene(&scene);
    test_tool(&scene.test, "null", NONE, "{\"type\":\"null\"}", GRAMC_RESULT_NULL);
    test_tool(&scene.test, "number", NONE, INTEGER, GRAMC_RESULT_JSON);
    test_tool(&scene.test, "wrong", NONE, INTEGER, GRAMC_RESULT_JSON);
    test_returns(&scene.test, "null", "whatever");
    test_returns(&scene.test, "number", " 41\n");
    test_builtin(&scene.test, "wrong", "greeting.sayHello");
    play(&scene,
         HEADER CALLS(CALL("null", "{}") "," CALL("number", "{}") "," CALL("wrong", "{}"))
             SAYS("ok"),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_result(&scene, 0, "ok", "Success");
    expect_result(&scene, 1, "ok", "41");
    expect_member(&scene, "tool.response", 2, "/outcome", "result-error");
    assert_int_equal(scene.run.result.tool_errors, 1);
    close_scene(&scene);
}

static void direct_results(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    scene.test.tools[0].return_direct = true;
    play(&scene, HEADER CALLS(CALL("sayHello", "{\\\"personName\\\":\\\"Al\\\"}")),
         (struct test_setup){.max_iterations = 1});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "Hello, Al! Nice to meet you.\n");
    assert_int_equal(scene.run.result.requests, 1);
    close_scene(&scene);
}

static void legacy_wire(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    play(&scene,
         HEADER CALLS("{\"name\":\"sayHello\",\"arguments\":\"{\\\"personName\\\":\\\"Al\\\"}\"}")
             CALLS(CALL("sayHello", "{\\\"personName\\\":\\\"Bo\\\"}")) SAYS("ok"),
         (struct test_setup){.wire = GRAMC_WIRE_FUNCTIONS});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_member(&scene, "model.request", 0, "/body/functions/0/name", "sayHello");
    expect_member(&scene, "model.request", 2, "/body/messages/1/function_call/name", "sayHello");
    expect_member(&scene, "model.request", 2, "/body/messages/2/role", "function");
    expect_member(&scene, "model.request", 2, "/body/messages/3/tool_calls/0/id", "x");
    expect_member(&scene, "model.request", 2, "/body/messages/4/role", "tool");
    close_scene(&scene);
}

/* What no strict reader takes is mended, and each repair is told. */
static void mended_calls(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    play(&scene,
         HEADER CALLS(CALL("sayHello", "So: {'personName': 'Al',}") "," CALL(
             "sayHello", "{\\\"personName\\\":\\\"Bo\\\"}")) SAYS("ok"),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_result(&scene, 0, "ok", "Hello, Al! Nice to meet you.");
    expect_member(&scene, "tool.request", 0, "/sent", "{\"personName\":\"Al\"}");
    expect_member(&scene, "tool.request", 0, "/repairs/0", "prose");
    expect_member(&scene, "tool.request", 0, "/repairs/1", "trailing-comma");
    expect_member(&scene, "tool.request", 0, "/repairs/2", "quotes");
    const char *told = strstr(scene.run.trace.ptr, "\"repairs\"");
    assert_null(strstr(told + 1, "\"repairs\""));
    close_scene(&scene);
}

/* ## Going wrong: the model is told */

static void bad_calls(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    play(&scene,
         HEADER CALLS(CALL("sayHello", "{oops")) CALLS(CALL("sayHello", ""))
             CALLS(CALL("sayHello", "{\\\"personName\\\":5}"))
                 CALLS(CALL("sayHello", "{\\\"personName\\\":\\\"a\\\",\\\"age\\\":1}"))
                     CALLS(CALL("sayHelo", "{}")) SAYS("I give up."),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "I give up.\n");
    for (size_t i = 0; i < 4; i++)
        expect_member(&scene, "tool.response", i, "/outcome", "call-error");
    expect_result(&scene, 4, "unknown-tool",
                  "Error: there is no tool named \"sayHelo\". Call one of these with fitting "
                  "arguments, or answer without: sayHello");
    assert_int_equal(scene.run.result.call_errors, 5);
    close_scene(&scene);
}

static void too_many_call_errors(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    scene.test.tools[0].max_call_errors = 2;
    play(&scene, HEADER CALLS(CALL("sayHello", "{}")) CALLS(CALL("sayHello", "{}")) SAYS("no"),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS, "");
    assert_int_equal(
        strncmp(scene.run.message, "tool `sayHello` was called wrongly in 2 rounds", 46), 0);
    close_scene(&scene);
}

static void failing_tool(void **state) {
    struct scene scene;
    const char *const argv[] = {"sh", "-c", "echo no luck >&2; exit 3", NULL};
    (void)state;
    open_scene(&scene);
    test_tool(&scene.test, "try", NONE, STRING, GRAMC_RESULT_TEXT)->max_tool_errors = 3;
    test_exec(&scene.test, "try", argv);
    play(&scene,
         HEADER CALLS(CALL("try", "{}") "," CALL("try", "{}")) CALLS(CALL("try", "{}"))
             CALLS(CALL("try", "{}")) SAYS("no"),
         (struct test_setup){0});
    expect_result(&scene, 1, "tool-error", "Error: the program ended with exit status 3: no luck");
    expect_end(&scene, GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS, "");
    assert_int_equal(scene.run.result.tool_errors, 4);
    close_scene(&scene);
}

static void calls_per_turn(void **state) {
    struct scene scene;
    (void)state;
    open_scene(&scene);
    scene.test.agent.max_calls_per_turn = 1;
    test_tool(&scene.test, "ping", NONE, STRING, GRAMC_RESULT_TEXT);
    test_returns(&scene.test, "ping", "pong");
    play(&scene, HEADER CALLS(CALL("ping", "{}") "," CALL("ping", "{}")) SAYS("ok"),
         (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_result(&scene, 0, "ok", "pong");
    expect_member(&scene, "tool.response", 1, "/outcome", "skipped");
    close_scene(&scene);
}

static void no_tools_at_all(void **state) {
    struct scene scene;
    (void)state;
    open_scene(&scene);
    play(&scene, HEADER CALLS(CALL("fly", "{}")) SAYS("ok"), (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_result(&scene, 0, "unknown-tool",
                  "Error: there is no tool named \"fly\", and there are no others. Answer without "
                  "calling a tool.");
    assert_null(strstr(scene.run.trace.ptr, "\"tools\":[{"));
    close_scene(&scene);
}

/* ## Ends */

static void max_iterations(void **state) {
    struct scene scene;
    struct buf script;
    (void)state;
    open_scene(&scene);
    test_tool(&scene.test, "ping", NONE, STRING, GRAMC_RESULT_TEXT);
    test_returns(&scene.test, "ping", "pong");
    buf_init(&script, NULL, 1 << 16);
    buf_puts(&script, HEADER);
    for (int i = 0; i < 12; i++) buf_puts(&script, CALLS(CALL("ping", "{}")));
    play(&scene, script.ptr, (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_MAX_ITERATIONS, "");
    assert_int_equal(scene.run.result.requests, 10);
    assert_int_equal(scene.run.result.calls, 9);
    buf_free(&script);
    close_scene(&scene);
}

/* All that fails in one answer goes back to the model once, and so counts once: of a tool by kind
 * of failure, of tools that do not exist together. */
static void errors_count_in_rounds(void **state) {
    static const struct {
        const char *calls;
        uint32_t call_errors, tool_errors;
        gramc_outcome twice; /* where two rounds are allowed, and unknown tools five */
    } rows[] = {
        {CALLS(CALL("root", "[]") "," CALL("root", "5") "," CALL("root", "{oops")), 3, 0,
         GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS},
        {CALLS(CALL("root", "{}") "," CALL("root", "{}")), 0, 2,
         GRAMC_OUTCOME_TOO_MANY_TOOL_ERRORS},
        {CALLS(CALL("a", "{}") "," CALL("b", "{}") "," CALL("c", "{}") "," CALL("d", "{}") "," CALL(
             "e", "{}") "," CALL("f", "{}")),
         6, 0, GRAMC_OUTCOME_ANSWERED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t rounds = 1; rounds <= 2; rounds++) {
            struct scene scene;
            char script[4096];
            open_scene(&scene);
            gramc_tool *tool = test_tool(&scene.test, "root", NONE, STRING, GRAMC_RESULT_TEXT);
            tool->max_tool_errors = tool->max_call_errors = 2;
            test_builtin(&scene.test, "root", "math.sqrt");
            snprintf(script, sizeof script, "%s%s%s%s", HEADER, rows[i].calls,
                     rounds == 2 ? rows[i].calls : "", SAYS("well"));
            play(&scene, script, (struct test_setup){0});
            gramc_outcome outcome = rounds == 1 ? GRAMC_OUTCOME_ANSWERED : rows[i].twice;
            expect_end(&scene, outcome, outcome == GRAMC_OUTCOME_ANSWERED ? "well\n" : "");
            assert_int_equal(scene.run.result.call_errors, rounds * rows[i].call_errors);
            assert_int_equal(scene.run.result.tool_errors, rounds * rows[i].tool_errors);
            close_scene(&scene);
        }
    }
}

/* Errors are counted anew with each message: of tools, of calls, of names that no tool has. */
static void i10_e4_errors_of_one_message(void **state) {
#define TWICE(calls) HEADER calls SAYS("one") calls SAYS("two")
#define UNKNOWN CALLS(CALL("nobody", "{}"))
    static const char *const scripts[] = {TWICE(CALLS(CALL("root", "{}"))),
                                          TWICE(CALLS(CALL("root", "[]"))),
                                          TWICE(UNKNOWN UNKNOWN UNKNOWN UNKNOWN)};
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct scene scene;
        open_scene(&scene);
        gramc_tool *tool = test_tool(&scene.test, "root", NONE, STRING, GRAMC_RESULT_TEXT);
        tool->max_tool_errors = tool->max_call_errors = 2;
        test_builtin(&scene.test, "root", "math.sqrt");
        play(&scene, scripts[i], (struct test_setup){.messages = {"first", "second"}});
        expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "one\ntwo\n");
        assert_int_equal(scene.run.result.tool_errors, i == 0 ? 2 : 0);
        assert_int_equal(scene.run.result.call_errors, i == 0 ? 0 : i == 1 ? 2 : 8);
        close_scene(&scene);
    }
#undef TWICE
#undef UNKNOWN
}

/* Of the last error, 300 bytes are shown. */
static void i10_e4_long_last_error(void **state) {
    static const char before[] =
        "unknown tools were called in 5 rounds; the last time: Error: there is no";
    struct scene scene;
    struct buf script;
    (void)state;
    open_scene(&scene);
    buf_init(&script, NULL, 1 << 20);
    buf_puts(&script, HEADER);
    for (int i = 0; i < 5; i++) {
        buf_puts(&script, "{\"event\":\"model.response\",\"calls\":[{\"name\":\"");
        for (int k = 0; k < 400; k++) buf_putc(&script, 'x');
        buf_puts(&script, "\",\"arguments\":\"{}\"}]}\n");
    }
    play(&scene, script.ptr, (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_TOO_MANY_CALL_ERRORS, "");
    assert_true(text_starts(text_of(scene.run.message), before));
    assert_int_equal(strlen(scene.run.message), strcspn(before, "E") + 300);
    buf_free(&script);
    close_scene(&scene);
}

static void named_ends(void **state) {
    static const struct {
        const char *answer;
        gramc_outcome outcome;
        const char *text, *message;
    } rows[] = {
        {SAYS(""), GRAMC_OUTCOME_EMPTY_RESPONSE, "",
         "the model answered with neither text nor calls"},
        {SAYS(" \\n"), GRAMC_OUTCOME_EMPTY_RESPONSE, " \n",
         "the model answered with neither text nor calls"},
        {"{\"event\":\"model.response\",\"content\":\"Once upon\",\"finish\":\"length\"}\n",
         GRAMC_OUTCOME_LENGTH, "Once upon", "the answer was cut off at the token limit"},
        {"{\"event\":\"model.response\",\"content\":\"\",\"finish\":\"content_filter\"}\n",
         GRAMC_OUTCOME_CONTENT_FILTER, "", "the answer was stopped by a content filter"},
        {"{\"event\":\"model.response\",\"content\":null,\"refusal\":\"I will not\"}\n",
         GRAMC_OUTCOME_REFUSED, "I will not", "the model refused to answer"},
        {"", GRAMC_OUTCOME_MODEL_ERROR, "", "the script has 0 answers, and this is request 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        char script[512];
        open_scene(&scene);
        snprintf(script, sizeof script, "%s%s", HEADER, rows[i].answer);
        play(&scene, script, (struct test_setup){0});
        expect_end(&scene, rows[i].outcome, "");
        assert_string_equal(scene.run.text, rows[i].text);
        assert_string_equal(scene.run.message, rows[i].message);
        close_scene(&scene);
    }
}

static void outcome_names(void **state) {
    (void)state;
    assert_string_equal(gramc_outcome_name(GRAMC_OUTCOME_ANSWERED), "answered");
    assert_string_equal(gramc_outcome_name(GRAMC_OUTCOME_TRACE_ERROR), "trace-error");
    assert_string_equal(gramc_outcome_name(GRAMC_OUTCOME_INTERNAL), "internal");
}

static void run_deadline(void **state) {
    struct scene scene;
    const char *const argv[] = {"sleep", "30", NULL};
    (void)state;
    open_scene(&scene);
    test_tool(&scene.test, "nap", NONE, STRING, GRAMC_RESULT_TEXT);
    test_exec(&scene.test, "nap", argv);
    play(&scene, HEADER CALLS(CALL("nap", "{}")) SAYS("ok"),
         (struct test_setup){.timeout_ms = 200});
    expect_end(&scene, GRAMC_OUTCOME_TIMEOUT, "");
    assert_string_equal(scene.run.message, "the run took longer than 200 ms");
    assert_true(scene.run.result.duration_ns < 5000 * MS);
    close_scene(&scene);
}

static int refuse(void *ctx, const char *bytes, size_t len) {
    int *left = ctx;
    (void)bytes;
    (void)len;
    return --*left < 0;
}

/* The n-th line cannot be written. */
static void broken_trace(void **state) {
    (void)state;
    for (int lines = 0; lines < 6; lines++) {
        struct scene scene;
        int left = lines;
        gramc_text hello_text = TEXT("Hello");
        gramc_bound *bound;
        gramc_loop *loop;
        gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
        greeter(&scene);
        gramc_run_handler handler = test_handler(&scene.run);
        assert_int_equal(gramc_model_new_mock(&scene.model, NULL), GRAMC_OK);
        scene.test.tools[0].optional = true;
        scene.test.library.impl_count = 0;
        assert_int_equal(gramc_bind(&bound, &scene.test.agent, &scene.test.library, NULL),
                         GRAMC_OK);
        assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
        options.model = scene.model;
        options.messages = &hello_text;
        options.message_count = 1;
        options.trace = (gramc_writer){refuse, &left};
        assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
        assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
        /* header, turn, model.request, model.response, answer, outcome */
        assert_int_equal(scene.run.outcome,
                         lines < 5 ? GRAMC_OUTCOME_TRACE_ERROR : GRAMC_OUTCOME_ANSWERED);
        gramc_loop_free(loop);
        gramc_bound_free(bound);
        close_scene(&scene);
    }
}

/* ## Cancelling */

struct canceler {
    struct test_run *run;
    gramc_run **victim;
    gramc_loop *loop;
};

static void cancel_now(void *ctx, gramc_text answer) {
    struct canceler *canceler = ctx;
    (void)answer;
    if (canceler->victim) gramc_run_cancel(*canceler->victim);
    else gramc_loop_interrupt(canceler->loop);
}

static void on_done(void *ctx, const gramc_run_result *result) {
    struct canceler *canceler = ctx;
    canceler->run->done++;
    canceler->run->outcome = result->outcome;
}

static void keep_outcome(void *ctx, const gramc_run_result *result) {
    *(gramc_outcome *)ctx = result->outcome;
}

/* A run that waits for a program is canceled by another one's handler, or with the whole loop. */
static void cancelling(void **state) {
    const char *const argv[] = {"sleep", "30", NULL};
    (void)state;
    for (int whole_loop = 0; whole_loop < 2; whole_loop++) {
        struct scene scene;
        gramc_text message = TEXT("Hello");
        gramc_bound *bound, *bare;
        gramc_loop *loop;
        gramc_run *victim;
        gramc_model *mock;
        struct test_agent plain;
        gramc_outcome victims = GRAMC_OUTCOME_ANSWERED;
        gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
        gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
        gramc_text path = TEXT("PATH=/usr/bin:/bin");
        loop_options.environment = &path;
        loop_options.environment_count = 1;
        open_scene(&scene);
        test_agent_init(&plain);
        test_tool(&scene.test, "nap", NONE, STRING, GRAMC_RESULT_TEXT);
        test_exec(&scene.test, "nap", argv);
        assert_int_equal(gramc_model_new_mock(&mock, NULL), GRAMC_OK);
        assert_int_equal(gramc_bind(&bound, &scene.test.agent, &scene.test.library, NULL),
                         GRAMC_OK);
        assert_int_equal(gramc_bind(&bare, &plain.agent, NULL, NULL), GRAMC_OK);
        assert_int_equal(gramc_loop_new(&loop, &loop_options), GRAMC_OK);
        options.model = mock;
        options.messages = &message;
        options.message_count = 1;
        gramc_run_handler waiting = {.done = keep_outcome, .ctx = &victims};
        assert_int_equal(gramc_run_start(&victim, loop, bound, &options, &waiting), GRAMC_OK);
        struct canceler canceler = {&scene.run, whole_loop ? NULL : &victim, loop};
        gramc_run_handler handler = {.turn = cancel_now, .done = on_done, .ctx = &canceler};
        assert_int_equal(gramc_run_start(NULL, loop, bare, &options, &handler), GRAMC_OK);
        assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
        assert_int_equal(victims, GRAMC_OUTCOME_CANCELED);
        assert_int_equal(scene.run.outcome, GRAMC_OUTCOME_ANSWERED);
        gramc_loop_free(loop);
        gramc_bound_free(bound);
        gramc_bound_free(bare);
        gramc_model_free(mock);
        test_agent_free(&plain);
        close_scene(&scene);
    }
}

struct suicidal {
    struct test_run *run;
    gramc_run *self;
    gramc_loop *loop;
};

static void cancel_self(void *ctx, gramc_text answer) {
    struct suicidal *suicidal = ctx;
    (void)answer;
    gramc_run_cancel(suicidal->self);
    gramc_loop_interrupt(suicidal->loop);
}

static void note_end(void *ctx, const gramc_run_result *result) {
    struct suicidal *suicidal = ctx;
    suicidal->run->done++;
    suicidal->run->outcome = result->outcome;
    gramc_run_cancel(suicidal->self); /* too late, and harmless */
}

/* A handler may cancel the run that calls it. */
static void canceling_oneself(void **state) {
    struct scene scene;
    struct test_agent plain;
    gramc_bound *bound;
    const gramc_text messages[] = {TEXT("Hello"), TEXT("Again")};
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    (void)state;
    open_scene(&scene);
    test_agent_init(&plain);
    struct suicidal suicidal = {.run = &scene.run};
    gramc_run_handler handler = {.turn = cancel_self, .done = note_end, .ctx = &suicidal};
    assert_int_equal(gramc_model_new_mock(&scene.model, NULL), GRAMC_OK);
    assert_int_equal(gramc_bind(&bound, &plain.agent, NULL, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&suicidal.loop, NULL), GRAMC_OK);
    options.model = scene.model;
    options.messages = messages;
    options.message_count = 2;
    assert_int_equal(gramc_run_start(&suicidal.self, suicidal.loop, bound, &options, &handler),
                     GRAMC_OK);
    assert_int_equal(gramc_loop_run(suicidal.loop), GRAMC_OK);
    assert_int_equal(scene.run.done, 1);
    assert_int_equal(scene.run.outcome, GRAMC_OUTCOME_CANCELED);
    gramc_loop_free(suicidal.loop);
    gramc_bound_free(bound);
    test_agent_free(&plain);
    close_scene(&scene);
}

/* More calls in one answer than anybody needs. */
static void call_flood(void **state) {
    struct scene scene;
    struct buf script;
    (void)state;
    open_scene(&scene);
    test_tool(&scene.test, "ping", NONE, STRING, GRAMC_RESULT_TEXT);
    test_returns(&scene.test, "ping", "pong");
    buf_init(&script, NULL, 1 << 20);
    buf_puts(&script, HEADER "{\"event\":\"model.response\",\"calls\":[");
    for (int i = 0; i < 200; i++) {
        if (i) buf_putc(&script, ',');
        buf_puts(&script, CALL("ping", "{}"));
    }
    buf_puts(&script, "]}\n" SAYS("ok"));
    play(&scene, script.ptr, (struct test_setup){0});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
    expect_member(&scene, "tool.response", 127, "/outcome", "ok");
    expect_member(&scene, "tool.response", 128, "/outcome", "skipped");
    buf_free(&script);
    close_scene(&scene);
}

/* A loop that is freed calls the handlers of what it still holds. */
static void freed_with_runs(void **state) {
    struct scene scene;
    gramc_bound *bound;
    gramc_loop *loop;
    gramc_text message = TEXT("Hello");
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    (void)state;
    open_scene(&scene);
    gramc_run_handler handler = test_handler(&scene.run);
    assert_int_equal(gramc_model_new_mock(&scene.model, NULL), GRAMC_OK);
    assert_int_equal(gramc_bind(&bound, &scene.test.agent, NULL, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    options.model = scene.model;
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_USAGE);
    options.messages = &message;
    options.message_count = 1;
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    gramc_loop_free(loop);
    assert_int_equal(scene.run.done, 1);
    assert_int_equal(scene.run.outcome, GRAMC_OUTCOME_CANCELED);
    gramc_bound_free(bound);
    close_scene(&scene);
}

/* ## Many runs on one loop */

struct many {
    size_t answered;
};

static void count_answer(void *ctx, const gramc_run_result *result) {
    struct many *many = ctx;
    many->answered += result->outcome == GRAMC_OUTCOME_ANSWERED;
}

static void thousands(void **state) {
    enum { RUNS = 2000 };
    struct scene scene;
    gramc_bound *bound;
    gramc_builtins *builtins;
    gramc_loop *loop;
    gramc_text message = TEXT("Hello");
    struct many many = {0};
    gramc_run_handler handler = {.done = count_answer, .ctx = &many};
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    (void)state;
    greeter(&scene);
    assert_int_equal(gramc_model_new_mock(&scene.model, NULL), GRAMC_OK);
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    bind.builtins = builtins;
    assert_int_equal(gramc_bind(&bound, &scene.test.agent, &scene.test.library, &bind), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    options.model = scene.model;
    options.messages = &message;
    options.message_count = 1;
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_int_equal(many.answered, RUNS);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_builtins_free(builtins);
    close_scene(&scene);
}

/* ## The mock model */

static void mock_model(void **state) {
    struct scene scene;
    (void)state;
    greeter(&scene);
    assert_int_equal(gramc_model_new_mock(&scene.model, NULL), GRAMC_OK);
    play(&scene, NULL, (struct test_setup){.messages = {"Hello", "Again"}});
    expect_end(&scene, GRAMC_OUTCOME_ANSWERED,
               "Hello, example! Nice to meet you.\nHello, example! Nice to meet you.\n");
    close_scene(&scene);
}

static void mock_arguments(void **state) {
    static const struct {
        const char *parameters, *arguments;
    } rows[] = {
        {NONE, "{}"},
        {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"d\"},\"b\":"
         "{"
         "\"type\":\"integer\",\"minimum\":7}},\"required\":[\"b\"]}",
         "{\"b\":7}"},
        {"{\"type\":\"object\",\"properties\":{\"c\":{\"enum\":[\"red\",\"blue\"]},\"d\":{\"type\":"
         "\"array\",\"items\":{\"type\":\"boolean\"},\"minItems\":2},\"e\":{\"type\":\"number\","
         "\"exclusiveMinimum\":0,\"maximum\":1}},\"required\":[\"c\",\"d\",\"e\"]}",
         "{\"c\":\"red\",\"d\":[true,true],\"e\":1}"},
        {"{\"type\":\"object\",\"properties\":{\"f\":{\"type\":\"string\",\"format\":\"date\"},"
         "\"g\":{\"$ref\":\"#/$defs/"
         "G\"},\"h\":{\"type\":\"string\",\"minLength\":9},\"i\":{\"type\":"
         "\"string\",\"maxLength\":3}},\"required\":[\"f\",\"g\",\"h\",\"i\"],\"$defs\":{\"G\":{"
         "\"anyOf\":[{\"type\":\"null\"},{\"type\":\"string\"}]}}}",
         "{\"f\":\"2024-02-29\",\"g\":\"example\",\"h\":\"examplexx\",\"i\":\"exa\"}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        open_scene(&scene);
        test_tool(&scene.test, "ping", rows[i].parameters, STRING, GRAMC_RESULT_TEXT);
        test_returns(&scene.test, "ping", "pong");
        assert_int_equal(gramc_model_new_mock(&scene.model, NULL), GRAMC_OK);
        play(&scene, NULL, (struct test_setup){0});
        expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "pong\n");
        expect_member(&scene, "model.response", 0, "/calls/0/arguments", rows[i].arguments);
        close_scene(&scene);
    }
}

/* ## Scripts */

/* A trace is a script; the same run gives the same trace. */
static void replay(void **state) {
    struct scene first, second;
    (void)state;
    greeter(&first);
    greeter(&second);
    play(&first, HEADER CALLS(CALL("sayHello", "{\\\"personName\\\":\\\"Al\\\"}")) SAYS("ok"),
         (struct test_setup){0});
    play(&second, first.run.trace.ptr, (struct test_setup){0});
    expect_end(&second, GRAMC_OUTCOME_ANSWERED, "ok\n");
    assert_string_equal(first.run.trace.ptr, second.run.trace.ptr);
    close_scene(&first);
    close_scene(&second);
}

static void other_request(void **state) {
    struct scene first, second;
    (void)state;
    greeter(&first);
    greeter(&second);
    play(&first, HEADER SAYS("ok"), (struct test_setup){0});
    play(&second, first.run.trace.ptr, (struct test_setup){.messages = {"Goodbye"}});
    expect_end(&second, GRAMC_OUTCOME_MODEL_ERROR, "");
    assert_string_equal(second.run.message,
                        "request 1 is not the script's: at /messages/0/content it has \"Hello\", "
                        "the request has \"Goodbye\"");
    close_scene(&first);
    close_scene(&second);
}

static void bad_scripts(void **state) {
    static const struct {
        const char *script, *message;
    } rows[] = {
        {"", "line 1: the trace is empty"},
        {SAYS("x"), "line 1: a trace begins with a header event"},
        {"{\"event\":\"header\",\"format\":\"x\",\"version\":1}",
         "line 1: this is no trace: `format` is not \"gramc-trace\""},
        {"{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":3}",
         "line 1: this version of the trace format is not known"},
        {HEADER "\n" CALLS("{\"name\":\"x\"}"),
         "line 3: a call needs `name` and `arguments`, both strings"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_json_error error;
        gramc_model *model;
        assert_int_equal(gramc_model_new_script(&model, text_of(rows[i].script), NULL, &error),
                         GRAMC_FINDINGS);
        assert_null(model);
        assert_string_equal(error.message, rows[i].message);
    }
}

/* ## Functions of the embedding program */

static int shout(void *ctx, gramc_text arguments, gramc_writer result) {
    int *calls = ctx;
    ++*calls;
    return result.write(result.ctx, arguments.ptr, arguments.len);
}

static int flood(void *ctx, gramc_text arguments, gramc_writer result) {
    char block[1024];
    (void)ctx;
    (void)arguments;
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 1025; i++)
        if (result.write(result.ctx, block, sizeof block)) return 1;
    return 0;
}

static int fail_silently(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    (void)arguments;
    (void)result;
    return 7;
}

static void own_functions(void **state) {
    (void)state;
    for (int blocking = 0; blocking < 2; blocking++) {
        struct scene scene;
        gramc_builtins *builtins;
        int calls = 0;
        const gramc_builtin mine[] = {{TEXT("my.shout"), shout, &calls, blocking},
                                      {TEXT("my.flood"), flood, NULL, blocking},
                                      {TEXT("my.fail"), fail_silently, NULL, blocking}};
        assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
        open_scene(&scene);
        static const char *const names[] = {"shout", "flood", "fail"};
        static const char *const targets[] = {"my.shout", "my.flood", "my.fail"};
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(gramc_builtins_add(builtins, &mine[i]), GRAMC_OK);
            test_tool(&scene.test, names[i], NONE, STRING, GRAMC_RESULT_TEXT);
            test_builtin(&scene.test, names[i], targets[i]);
        }
        play(&scene,
             HEADER CALLS(CALL("shout", "{}")) CALLS(CALL("flood", "{}")) CALLS(CALL("fail", "{}"))
                 SAYS("ok"),
             (struct test_setup){.builtins = builtins});
        expect_end(&scene, GRAMC_OUTCOME_ANSWERED, "ok\n");
        assert_int_equal(calls, 1);
        expect_result(&scene, 0, "ok", "{}");
        expect_result(&scene, 1, "tool-error", "Error: the result is longer than 1 MiB");
        expect_result(&scene, 2, "tool-error", "Error: the tool failed");
        gramc_builtins_free(builtins);
        close_scene(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello),
        cmocka_unit_test(turns),
        cmocka_unit_test(several_calls),
        cmocka_unit_test(result_kinds),
        cmocka_unit_test(direct_results),
        cmocka_unit_test(legacy_wire),
        cmocka_unit_test(mended_calls),
        cmocka_unit_test(bad_calls),
        cmocka_unit_test(too_many_call_errors),
        cmocka_unit_test(failing_tool),
        cmocka_unit_test(calls_per_turn),
        cmocka_unit_test(no_tools_at_all),
        cmocka_unit_test(max_iterations),
        cmocka_unit_test(i10_e4_long_last_error),
        cmocka_unit_test(errors_count_in_rounds),
        cmocka_unit_test(i10_e4_errors_of_one_message),
        cmocka_unit_test(named_ends),
        cmocka_unit_test(outcome_names),
        cmocka_unit_test(run_deadline),
        cmocka_unit_test(broken_trace),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(freed_with_runs),
        cmocka_unit_test(canceling_oneself),
        cmocka_unit_test(call_flood),
        cmocka_unit_test(thousands),
        cmocka_unit_test(mock_model),
        cmocka_unit_test(mock_arguments),
        cmocka_unit_test(replay),
        cmocka_unit_test(other_request),
        cmocka_unit_test(bad_scripts),
        cmocka_unit_test(own_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
