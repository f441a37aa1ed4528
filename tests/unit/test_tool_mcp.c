/* Tools of MCP servers in whole runs: whatever a server does wrong, the run goes on with a clear
 * result, in time, and nothing of the server is left behind. And what servers say they offer, with
 * the secrets that they must not repeat. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/mcp/box.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define STRING "{\"type\":\"string\"}"
#define ANY "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}"
#define CALL "{\"name\":\"tool\",\"arguments\":\"{\\\"text\\\":\\\"hello\\\"}\"}"
#define SCRIPT(calls)                                                                              \
    "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n" calls                      \
    "{\"event\":\"model.response\",\"content\":\"ok\"}\n"
#define ROUND(calls) "{\"event\":\"model.response\",\"calls\":[" calls "]}\n"
#define ONCE SCRIPT(ROUND(CALL))
#define TWICE SCRIPT(ROUND(CALL) ROUND(CALL))
#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t open_descriptors(void) {
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static gramc_text program(void) {
    static char path[4096];
    const char *build = getenv("GRAMC_BUILD_DIR");
    snprintf(path, sizeof path, "%s/tests/mcp_server", build ? build : "build/dev");
    return text_of(path);
}

/* An agent with one tool, done by the scripted server in that mode. */
struct bench {
    struct test_agent test;
    gramc_text argv[2], env[4];
    gramc_box box;
    struct test_run run;
};

static void open_bench(struct bench *bench, const char *mode) {
    memset(bench, 0, sizeof *bench);
    test_agent_init(&bench->test);
    test_run_init(&bench->run);
    test_tool(&bench->test, "tool", ANY, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_returns(&bench->test, "tool", "echo");
    impl->kind = GRAMC_IMPL_MCP;
    impl->server = TEXT("lab");
    bench->argv[0] = program();
    bench->argv[1] = text_of(mode);
    bench->box = (gramc_box){.name = TEXT("lab"),
                             .kind = GRAMC_BOX_MCP,
                             .argv = bench->argv,
                             .argc = 2,
                             .env = bench->env,
                             .all_tools = true};
    bench->test.library.boxes = &bench->box;
    bench->test.library.box_count = 1;
}

static void close_bench(struct bench *bench) {
    test_run_free(&bench->run);
    test_agent_free(&bench->test);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static gramc_status run(struct bench *bench, const char *script, const gramc_allocator *allocator) {
    gramc_model *model;
    assert_int_equal(gramc_model_new_script(&model, text_of(script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {
        .agent = &bench->test, .model = model, .messages = {"go"}, .allocator = allocator};
    gramc_status status = test_run(&bench->run, &setup);
    gramc_model_free(model);
    return status;
}

/* The n-th result that the trace holds. */
static const char *result(const struct bench *bench, int n) {
    static char text[4096];
    const char *at = bench->run.trace.ptr;
    for (int i = 0; i <= n && at; i++) {
        at = strstr(at, "\"event\":\"tool.response\"");
        at = at ? at + 1 : NULL;
    }
    at = at ? strstr(at, "\"result\":\"") : NULL;
    if (!at) return "";
    at += strlen("\"result\":\"");
    size_t len = strcspn(at, "\"");
    assert_true(len < sizeof text);
    memcpy(text, at, len);
    text[len] = '\0';
    return text;
}

static gramc_loop *new_loop(void) {
    gramc_loop *loop;
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    return loop;
}

static gramc_status ask_boxes(struct offered_box *out, struct arena *arena, gramc_loop *loop,
                              const gramc_box *const *boxes, size_t count,
                              const struct secrets *secrets, uint32_t timeout_ms) {
    const struct box_question question = {.out = out,
                                          .boxes = boxes,
                                          .count = count,
                                          .arena = arena,
                                          .loop = loop,
                                          .secrets = secrets,
                                          .timeout_ms = timeout_ms};
    return mcp_boxes_ask(&question);
}

/* ## Faults */

static const struct {
    const char *mode, *script;
    uint32_t timeout_ms;
    const char *results[2];
} faults[] = {
    {"legacy", TWICE, 0, {"hello", "hello"}},
    {"modern", TWICE, 0, {"hello", "hello"}},
    /* Dies in the middle of a call; the next one starts it anew. */
    {"crash",
     TWICE,
     0,
     {"Error: the server ended with exit status 7: crash starts\\nout of luck",
      "Error: the server ended with exit status 7: crash starts\\nout of luck"}},
    {"kill", ONCE, 0, {"Error: the server was ended by signal 9: kill starts", NULL}},
    {"close", ONCE, 0, {"Error: the server closed its output: close starts", NULL}},
    {"exits", ONCE, 0, {"Error: the server ended with exit status 5", NULL}},
    /* A line of 5 MB; one of 20; a result that no model could read. */
    {"big", ONCE, 0, {"ok", NULL}},
    {"huge", ONCE, 0, {"Error: the server sent a line longer than 16 MiB: huge starts", NULL}},
    {"long-result",
     ONCE,
     0,
     {"Error: the server's result is longer than 1 MiB; ask for less of it", NULL}},
    /* Invalid JSON, answers to nobody, and the same answer twice. */
    {"garbage", TWICE, 0, {"hello", "hello"}},
    /* Asks with id 0, and answers only when it has been answered. */
    {"asking", ONCE, 0, {"both answered", NULL}},
    /* Answers the first call when the second comes: too late for the first. */
    {"late",
     TWICE,
     1000,
     {"Error: the tool did not finish within 1 second and was stopped", "hello"}},
    {"never", ONCE, 300, {"Error: the tool did not finish within 300 ms and was stopped", NULL}},
    {"no-handshake",
     ONCE,
     300,
     {"Error: the tool did not finish within 300 ms and was stopped", NULL}},
    {"deaf", ONCE, 300, {"Error: the tool did not finish within 300 ms and was stopped", NULL}},
    {"error", ONCE, 0, {"Error: the server answers with an error (-32602): Unknown tool: x", NULL}},
};

static void test_faults(void **state) {
    (void)state;
    gramc_loop_free(new_loop()); /* libuv keeps a pipe for signals from then on */
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct bench bench;
        size_t before = open_descriptors();
        double start = now();
        open_bench(&bench, faults[i].mode);
        bench.test.impls[0].timeout_ms = faults[i].timeout_ms;
        assert_int_equal(run(&bench, faults[i].script, NULL), GRAMC_OK);
        assert_int_equal(bench.run.outcome, GRAMC_OUTCOME_ANSWERED);
        assert_string_equal(bench.run.text, "ok");
        for (int n = 0; n < 2 && faults[i].results[n]; n++)
            if (strcmp(result(&bench, n), faults[i].results[n]) != 0)
                fail_msg("%s, call %d: %s", faults[i].mode, n, result(&bench, n));
        close_bench(&bench);
        assert_int_equal(open_descriptors(), before);
        assert_true(now() - start < 8);
    }
}

/* Three calls of one answer go to one server, which answers them in the opposite order. */
static void test_at_once(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "backwards");
    assert_int_equal(run(&bench, SCRIPT(ROUND(CALL "," CALL "," CALL)), NULL), GRAMC_OK);
    const char *sent = strstr(bench.run.trace.ptr, "\"role\":\"tool\"");
    for (int i = 0; i < 3; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "\"content\":\"%d\"", i);
        assert_non_null(sent);
        const char *content = strstr(sent, "\"content\":");
        assert_memory_equal(content, expected, strlen(expected));
        sent = strstr(content, "\"role\":\"tool\"");
    }
    close_bench(&bench);
}

/* Two tools of two boxes that say the same are one server; another environment is another. */
static void test_one_server(void **state) {
    (void)state;
    struct bench bench;
    open_bench(&bench, "count");
    gramc_box boxes[2] = {bench.box, bench.box};
    boxes[1].name = TEXT("other");
    bench.test.library.boxes = boxes;
    bench.test.library.box_count = 2;
    test_tool(&bench.test, "second", ANY, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_returns(&bench.test, "second", "echo");
    impl->kind = GRAMC_IMPL_MCP;
    impl->server = TEXT("other");
    static const char script[] =
        SCRIPT(ROUND(CALL) ROUND("{\"name\":\"second\",\"arguments\":\"\"}"));
    assert_int_equal(run(&bench, script, NULL), GRAMC_OK);
    assert_string_equal(result(&bench, 0), "1");
    assert_string_equal(result(&bench, 1), "2");
    test_run_free(&bench.run);
    test_run_init(&bench.run);
    bench.env[0] = TEXT("OTHER=1");
    boxes[1].env_count = 1;
    assert_int_equal(run(&bench, script, NULL), GRAMC_OK);
    assert_string_equal(result(&bench, 1), "1");
    close_bench(&bench);
}

static void test_binding(void **state) {
    struct bench bench;
    gramc_bound *bound;
    gramc_bind_message message;
    (void)state;
    open_bench(&bench, "legacy");
    bench.test.impls[0].server = TEXT("nowhere");
    assert_int_equal(gramc_bind(&bound, &bench.test.agent, &bench.test.library, NULL),
                     GRAMC_FINDINGS);
    assert_true(gramc_bound_message(bound, 0, &message));
    assert_true(text_is(message.message, "`nowhere` is no McpServer of this library"));
    gramc_bound_free(bound);
    close_bench(&bench);
}

/* ## What boxes offer */

static void test_offers(void **state) {
    static const struct {
        const char *mode, *failure;
        size_t count;
    } servers[] = {
        {"pages", "", 3},
        {"exits", "the server ended with exit status 5", 0},
        {"bad-list", "", 1},
        {"no-list", "the server did not list its tools in time", 0},
    };
    struct bench benches[COUNT(servers)];
    const gramc_box *boxes[COUNT(servers)];
    struct offered_box offered[COUNT(servers)];
    struct arena arena;
    gramc_loop *loop = new_loop();
    (void)state;
    arena_init(&arena, NULL);
    for (size_t i = 0; i < COUNT(servers); i++) {
        open_bench(&benches[i], servers[i].mode);
        boxes[i] = &benches[i].box;
    }
    assert_int_equal(ask_boxes(offered, &arena, loop, boxes, COUNT(servers), NULL, 1000), GRAMC_OK);
    for (size_t i = 0; i < COUNT(servers); i++) {
        assert_true(text_is(offered[i].failure, servers[i].failure));
        assert_true(text_is(offered[i].name, "lab"));
        assert_int_equal(offered[i].tool_count, servers[i].count);
    }
    assert_true(text_is(offered[0].tools[2].name, "three"));
    assert_true(text_is(offered[0].tools[2].returns, "{\"type\":\"object\"}"));
    assert_true(text_is(offered[2].note, "box `lab`: its tool number 1 is not offered: it has no "
                                         "name; nor are 2 more"));
    gramc_loop_free(loop);
    for (size_t i = 0; i < COUNT(servers); i++) close_bench(&benches[i]);
    arena_free(&arena);
}

/* Names that no provider would take come through as they are, and stay apart. */
static void test_names(void **state) {
    static const char *const names[] = {
        "getName", "get_name", "get-name", "a.b/c d", "\xE5\x90\x8D\xE5\x89\x8D", "q\"\\"};
    struct bench bench;
    gramc_offering *offering;
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop *loop = new_loop();
    (void)state;
    open_bench(&bench, "names");
    bench.test.library.impl_count = 0;
    assert_int_equal(gramc_offering_new(&offering, loop, &bench.test.library, NULL), GRAMC_OK);
    options.offering = offering;
    for (size_t i = 0; i < COUNT(names); i++) {
        gramc_bound *bound;
        gramc_call_outcome end;
        struct buf said;
        const gramc_text name = text_of(names[i]);
        buf_init(&said, NULL, 1 << 16);
        assert_int_equal(gramc_bind_tool(&bound, &bench.test.library, name, &options), GRAMC_OK);
        assert_int_equal(gramc_call(&end, loop, bound, name, TEXT("{}"), buf_writer(&said)),
                         GRAMC_OK);
        assert_int_equal(end, GRAMC_CALL_FINE);
        assert_string_equal(said.ptr, names[i]);
        buf_free(&said);
        gramc_bound_free(bound);
    }
    gramc_offering_free(offering);
    gramc_loop_free(loop);
    close_bench(&bench);
}

/* ## Secrets */

static const gramc_pair secret_list[] = {{{"TOKEN_NAME", 10}, {"planted-token", 13}},
                                         {{"UNSET", 5}, {NULL, 0}}};

static void test_bad_boxes(void **state) {
    static const struct {
        const char *url, *header, *value, *variable, *why;
    } boxes[] = {
        {"ftp://x/", NULL, NULL, NULL, "an address begins with http:// or https://"},
        {"http://u:p@x/", NULL, NULL, NULL, "a password stands in a header, not in an address"},
        {"http://x/#y", NULL, NULL, NULL, "nothing behind a # is sent"},
        {"http://x/ y", NULL, NULL, NULL, "an address holds no blanks; write %20"},
        {"http://x/", "A", "${env:OTHER}", NULL,
         "the environment variable `OTHER` may not be read: list it under `allowEnv` in "
         "gramc.gram, or say --allow-env"},
        {"http://x/", "A", "${env:UNSET}", NULL, "the environment variable `UNSET` is not set"},
        {"http://x/", "A", "${env:OPENAI_API_KEY}", NULL,
         "`OPENAI_API_KEY` is the key of a model's provider, which no tool may read"},
        {NULL, NULL, NULL, "X=${env:UNSET}", "the environment variable `UNSET` is not set"},
    };
    struct secrets *secrets;
    const gramc_allocator allocator = mem_default();
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, secret_list, 2), GRAMC_OK);
    for (size_t i = 0; i < COUNT(boxes); i++) {
        const gramc_pair header = {text_of(boxes[i].header ? boxes[i].header : ""),
                                   text_of(boxes[i].value ? boxes[i].value : "")};
        const gramc_text variable = text_of(boxes[i].variable ? boxes[i].variable : "");
        const gramc_box box = {.url = text_of(boxes[i].url ? boxes[i].url : ""),
                               .headers = &header,
                               .header_count = boxes[i].header != NULL,
                               .env = &variable,
                               .env_count = boxes[i].variable != NULL};
        struct mcp_server *server;
        struct arena arena;
        char why[MCP_WHY_MAX] = "";
        arena_init(&arena, NULL);
        assert_int_equal(
            mcp_server_read(&server, &arena, &box, &(struct mcp_given){.secrets = secrets}, why),
            GRAMC_FINDINGS);
        assert_string_equal(why, boxes[i].why);
        arena_free(&arena);
    }
    secrets_free(secrets);
}

enum { SHARING = 16 };

/* Runs on one loop have one server: it counts all their calls, and a run that is cancelled takes
 * nothing from the others. */
static void test_shared(void **state) {
    struct bench bench;
    struct test_run runs[SHARING];
    gramc_run *started[SHARING];
    unsigned seen = 0;
    gramc_bound *bound;
    gramc_model *model;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_text message = TEXT("go");
    gramc_loop *loop = new_loop();
    (void)state;
    open_bench(&bench, "count");
    assert_int_equal(gramc_bind(&bound, &bench.test.agent, &bench.test.library, NULL), GRAMC_OK);
    assert_int_equal(gramc_model_new_script(&model, text_of(TWICE), NULL, NULL), GRAMC_OK);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    for (size_t i = 0; i < SHARING; i++) {
        test_run_init(&runs[i]);
        gramc_run_handler handler = test_handler(&runs[i]);
        options.trace = buf_writer(&runs[i].trace);
        assert_int_equal(gramc_run_start(&started[i], loop, bound, &options, &handler), GRAMC_OK);
    }
    gramc_run_cancel(started[SHARING / 2]);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    for (size_t i = 0; i < SHARING; i++) {
        assert_int_equal(runs[i].done, 1);
        assert_int_equal(runs[i].outcome,
                         i == SHARING / 2 ? GRAMC_OUTCOME_CANCELED : GRAMC_OUTCOME_ANSWERED);
        for (const char *at = runs[i].trace.ptr; (at = strstr(at, "\"result\":\"")) != NULL;) {
            at += strlen("\"result\":\"");
            seen |= 1U << strtol(at, NULL, 10);
        }
        test_run_free(&runs[i]);
    }
    assert_int_equal(seen >> 1 & ((1U << (2 * SHARING - 2)) - 1), (1U << (2 * SHARING - 2)) - 1);
    gramc_loop_free(loop);
    gramc_model_free(model);
    gramc_bound_free(bound);
    close_bench(&bench);
}

/* The server prints what it was given; neither the model nor the trace sees it. */
static void test_secret_in_environment(void **state) {
    struct bench bench;
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_run_options run_options = GRAMC_RUN_OPTIONS_INIT;
    gramc_bound *bound;
    gramc_model *model;
    gramc_loop *loop = new_loop();
    (void)state;
    setenv("SECRET", "planted", 1);
    open_bench(&bench, "environment");
    bench.env[0] = TEXT("DECLARED=x-${env:TOKEN_NAME}-y");
    bench.box.env_count = 1;
    options.secrets = secret_list;
    options.secret_count = 1;
    assert_int_equal(gramc_bind(&bound, &bench.test.agent, &bench.test.library, &options),
                     GRAMC_OK);
    assert_int_equal(gramc_model_new_script(&model, text_of(ONCE), NULL, NULL), GRAMC_OK);
    gramc_run_handler handler = test_handler(&bench.run);
    const gramc_text message = TEXT("go");
    run_options.model = model;
    run_options.messages = &message;
    run_options.message_count = 1;
    run_options.trace = buf_writer(&bench.run.trace);
    assert_int_equal(gramc_run_start(NULL, loop, bound, &run_options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_string_equal(result(&bench, 0), "x-${env:TOKEN_NAME}-y -");
    assert_null(strstr(bench.run.trace.ptr, "planted"));
    gramc_loop_free(loop);
    gramc_model_free(model);
    gramc_bound_free(bound);
    unsetenv("SECRET");
    close_bench(&bench);
}

/* Over HTTP, in a header, from the environment; and not in what comes back. */
static void test_secret_in_header(void **state) {
    const struct mock_answer answers[] = {
        {401, MOCK_WHOLE, NULL, "I know no Bearer planted-token", 0}};
    const gramc_pair header = {TEXT("Authorization"), TEXT("Bearer ${env:TOKEN_NAME}")};
    struct mock_server *server = mock_start(answers, COUNT(answers));
    const gramc_box box = {.name = TEXT("remote"),
                           .kind = GRAMC_BOX_MCP,
                           .url = text_of(mock_url(server)),
                           .headers = &header,
                           .header_count = 1};
    const gramc_box *list = &box;
    struct offered_box offered;
    struct secrets *secrets;
    struct arena arena;
    const gramc_allocator allocator = mem_default();
    gramc_loop *loop = new_loop();
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(secrets_new(&secrets, &allocator, secret_list, 1), GRAMC_OK);
    assert_int_equal(ask_boxes(&offered, &arena, loop, &list, 1, secrets, 1000), GRAMC_OK);
    assert_true(text_is(offered.failure,
                        "the server answers with HTTP status 401: it wants an Authorization "
                        "header: I know no Bearer ${env:TOKEN_NAME}"));
    assert_non_null(strstr(mock_head(server, 0), "\r\nAuthorization: Bearer planted-token\r\n"));
    gramc_loop_free(loop);
    secrets_free(secrets);
    arena_free(&arena);
    mock_stop(server);
}

/* What a server offers is shown, saved to a snapshot, and sent with every request of a run. */
static void test_secret_in_offer(void **state) {
    const gramc_text argv[] = {program(), TEXT("indiscreet")};
    const gramc_text env = TEXT("DECLARED=${env:TOKEN_NAME}");
    const gramc_box box = {.name = TEXT("lab"),
                           .kind = GRAMC_BOX_MCP,
                           .argv = argv,
                           .argc = 2,
                           .env = &env,
                           .env_count = 1};
    const gramc_box *list = &box;
    struct offered_box offered;
    struct secrets *secrets;
    struct arena arena;
    const gramc_allocator allocator = mem_default();
    gramc_loop *loop = new_loop();
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(secrets_new(&secrets, &allocator, secret_list, 1), GRAMC_OK);
    assert_int_equal(ask_boxes(&offered, &arena, loop, &list, 1, secrets, 5000), GRAMC_OK);
    assert_int_equal(offered.tool_count, 1);
    const struct offered_tool *tool = offered.tools;
    assert_true(text_is(tool->title, "T ${env:TOKEN_NAME}"));
    assert_true(text_is(tool->description, "uses ${env:TOKEN_NAME}"));
    assert_true(
        text_is(tool->accepts, "{\"type\":\"object\",\"description\":\"${env:TOKEN_NAME}\"}"));
    assert_true(text_is(tool->returns, "{\"type\":\"object\",\"title\":\"${env:TOKEN_NAME}\"}"));
    assert_true(text_is(offered.note, "box `lab`: its tool `${env:TOKEN_NAME}` is not offered: "
                                      "its name holds a secret"));
    gramc_loop_free(loop);
    secrets_free(secrets);
    arena_free(&arena);
}

/* A tool whose arguments cannot be repeated in headers is left out, and that is said. */
static void test_left_out(void **state) {
    const struct mock_answer answers[] = {
        {.body =
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}"},
        {.body = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"bad\","
                 "\"inputSchema\":"
                 "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\",\"x-mcp-header\":"
                 "\"N\"}}}},{\"name\":\"good\",\"inputSchema\":{\"type\":\"object\"}}]}}"}};
    struct mock_server *server = mock_start(answers, COUNT(answers));
    const gramc_box box = {
        .name = TEXT("remote"), .kind = GRAMC_BOX_MCP, .url = text_of(mock_url(server))};
    const gramc_box *list = &box;
    struct offered_box offered;
    struct arena arena;
    gramc_loop *loop = new_loop();
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(ask_boxes(&offered, &arena, loop, &list, 1, NULL, 1000), GRAMC_OK);
    assert_int_equal(offered.tool_count, 1);
    assert_true(text_is(offered.tools[0].name, "good"));
    assert_true(text_is(offered.note,
                        "box `remote`: its tool `bad` is not offered: an x-mcp-header "
                        "on what is no string, integer or boolean"));
    gramc_loop_free(loop);
    arena_free(&arena);
    mock_stop(server);
}

/* ## Memory */

static void test_no_memory_to_ask(void **state) {
    bool met = true;
    (void)state;
    for (long n = 1; met; n++) {
        struct failing failing = {.fail_at = n};
        const gramc_allocator allocator = test_failing(&failing);
        gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
        struct offered_box offered;
        struct bench bench;
        struct arena arena;
        gramc_loop *loop = NULL;
        open_bench(&bench, "pages");
        const gramc_box *list = &bench.box;
        options.allocator = &allocator;
        arena_init(&arena, &allocator);
        gramc_status status = gramc_loop_new(&loop, &options);
        if (!status) status = ask_boxes(&offered, &arena, loop, &list, 1, NULL, 5000);
        met = failing.failed;
        if (!met) assert_int_equal(offered.tool_count, 3);
        if (status) assert_int_equal(status, GRAMC_NOMEM);
        gramc_loop_free(loop);
        arena_free(&arena);
        assert_int_equal(failing.live, 0);
        close_bench(&bench);
    }
}

static void test_no_memory(void **state) {
    bool met = true;
    (void)state;
    for (long n = 1; met; n++) {
        struct failing failing = {.fail_at = n};
        const gramc_allocator allocator = test_failing(&failing);
        struct bench bench;
        open_bench(&bench, "legacy");
        gramc_status status = run(&bench, ONCE, &allocator);
        met = failing.failed;
        assert_int_equal(failing.live, 0);
        if (!met) assert_int_equal(status, GRAMC_OK);
        if (!met) assert_string_equal(result(&bench, 0), "hello");
        close_bench(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),           cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_one_server),       cmocka_unit_test(test_binding),
        cmocka_unit_test(test_offers),           cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_boxes),        cmocka_unit_test(test_secret_in_environment),
        cmocka_unit_test(test_shared),           cmocka_unit_test(test_secret_in_header),
        cmocka_unit_test(test_secret_in_offer),  cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_no_memory_to_ask), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
