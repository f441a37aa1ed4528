/* Stated limits of what programs, servers and files give a run (base/limits.def): each at the limit
 * and one past it. Those of time are not waited for: the timer is looked at, and other tests show
 * what happens when a shorter one has passed. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/loop.h"
#include "runtime/process/line_process.h"
#include "tests/stated.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* The first thing that is wrong; empty: nothing. */
static void check(const struct test_agent *test, const gramc_pair *secret, char why[512]) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bind_message message = {.message = TEXT("")};
    gramc_bound *bound;
    options.secrets = secret;
    options.secret_count = secret ? 1 : 0;
    gramc_status status = gramc_bind(&bound, &test->agent, &test->library, &options);
    bool found = gramc_bound_message(bound, 0, &message);
    assert_int_equal(status, found ? GRAMC_FINDINGS : GRAMC_OK);
    snprintf(why, 512, "%.*s", TEXT_ARGS(message.message));
    gramc_bound_free(bound);
}

/* ## Secrets */

enum secret_place { IN_PROGRAM, IN_SERVER, IN_SERVER_HEADER };

/* Filled in, `K=value` or `K: value` is so many bytes long. */
static void expect_secret(enum secret_place place, size_t length, const char *refused) {
    static const gramc_text variable = {"K=${env:S}", 10};
    static const gramc_pair header = {{"K", 1}, {"${env:S}", 8}};
    const char *const argv[] = {"true", NULL};
    const gramc_text words[] = {TEXT("true")};
    gramc_box box = {.name = TEXT("lab"), .kind = GRAMC_BOX_MCP, .all_tools = true};
    struct test_agent test;
    struct buf value;
    char why[512];
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl =
        place == IN_PROGRAM ? test_exec(&test, "tool", argv) : test_returns(&test, "tool", "echo");
    if (place == IN_PROGRAM) {
        impl->env = &variable;
        impl->env_count = 1;
    } else {
        impl->kind = GRAMC_IMPL_MCP;
        impl->server = box.name;
        test.library.boxes = &box;
        test.library.box_count = 1;
    }
    if (place == IN_SERVER) {
        box.argv = words;
        box.env = &variable;
        box.argc = box.env_count = 1;
    } else if (place == IN_SERVER_HEADER) {
        box.url = TEXT("http://127.0.0.1:1");
        box.headers = &header;
        box.header_count = 1;
    }
    buf_init(&value, NULL, 1 << 20);
    put_times(&value, "x", length - (place == IN_SERVER_HEADER ? 3 : 2));
    const gramc_pair secret = {TEXT("S"), buf_view(&value)};
    check(&test, &secret, why);
    assert_string_equal(why, refused);
    buf_free(&value);
    test_agent_free(&test);
}

static void secrets(void **state) {
    (void)state;
    STATED(ENV_VALUE_MAX, 65536, "the tool cannot be bound");
    expect_secret(IN_PROGRAM, ENV_VALUE_MAX, "");
    expect_secret(IN_PROGRAM, ENV_VALUE_MAX + 1,
                  "tool `tool` cannot work: a variable of its env is too long");
    expect_secret(IN_SERVER, ENV_VALUE_MAX, "");
    expect_secret(IN_SERVER, ENV_VALUE_MAX + 1, "box `lab`: `K` is too long");
    expect_secret(IN_SERVER_HEADER, ENV_VALUE_MAX, "");
    expect_secret(IN_SERVER_HEADER, ENV_VALUE_MAX + 1, "box `lab`: `K` is too long");
}

/* ## Files */

/* The rest of the file is a hole. */
static void traces(void **state) {
    static const char header[] =
        "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n";
    char path[] = "/tmp/gramc-trace-XXXXXX", why[512], expected[512];
    struct test_agent test;
    (void)state;
    STATED(TRACE_SIZE_MAX, 256 << 20, "it cannot be read");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, header, strlen(header)), strlen(header));
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_replay(&test, "tool", path);
    for (int more = 0; more < 2; more++) {
        assert_int_equal(ftruncate(file, TRACE_SIZE_MAX + more), 0);
        check(&test, NULL, why);
        snprintf(expected, sizeof expected, "tool `tool` cannot work: the trace `%s`: %s", path,
                 more ? "it is longer than 256 MiB" : "line 2: expected a value");
        assert_string_equal(why, expected);
    }
    close(file);
    unlink(path);
    test_agent_free(&test);
}

static void put_box(struct buf *out, const char *name, size_t tools) {
    buf_printf(out, "{\"name\":\"%s\",\"tools\":[", name);
    for (size_t i = 0; i < tools; i++)
        buf_printf(out, "%s{\"name\":\"t\",\"inputSchema\":{}}", i ? "," : "");
    buf_puts(out, "]}");
}

/* Of all boxes together. */
static void snapshots(void **state) {
    (void)state;
    STATED(SNAPSHOT_TOOLS_MAX, 100000, "the snapshot is refused");
    for (size_t more = 0; more < 2; more++) {
        gramc_offering *offering;
        gramc_json_error error = {.position = 0};
        struct buf text;
        buf_init(&text, NULL, 1 << 26);
        buf_puts(&text, "{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"l\","
                        "\"fingerprint\":\"f\"},\"boxes\":[");
        put_box(&text, "a", 60000);
        buf_putc(&text, ',');
        put_box(&text, "b", SNAPSHOT_TOOLS_MAX - 60000 + more);
        buf_puts(&text, "]}");
        assert_int_equal(gramc_offering_load(&offering, buf_view(&text), NULL, &error),
                         more ? GRAMC_FINDINGS : GRAMC_OK);
        if (more) assert_string_equal(error.message, "it holds more than 100,000 tools");
        else gramc_offering_free(offering);
        buf_free(&text);
    }
}

/* ## Programs that stay */

static void on_line(void *ctx, gramc_text line) {
    (void)ctx;
    (void)line;
}

static void on_ended(void *ctx, const struct child_end *end) {
    (void)end;
    *(bool *)ctx = true;
}

/* It takes some of the first line, for pipes hold something, and nothing of the second. */
static void unsent(void **state) {
    char sleep[] = "sleep", hundred[] = "100", path[] = "PATH=/usr/bin:/bin";
    char *argv[] = {sleep, hundred, NULL}, *environment[] = {path, NULL};
    struct exec_words words = {.argv = argv, .environment = environment};
    char why[CHILD_WHY_MAX];
    bool ended = false;
    const struct line_process_events events = {on_line, on_ended, &ended, "the program"};
    struct line_process *process;
    gramc_allocator allocator = mem_default();
    struct buf line;
    uv_loop_t loop;
    (void)state;
    STATED(LINE_UNSENT_MAX, 64 << 20, "the call fails");
    buf_init(&line, NULL, LINE_UNSENT_MAX);
    for (size_t i = 0; i < LINE_UNSENT_MAX; i++) buf_putc(&line, 'x');
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(line_process_start(&process, &loop, &allocator, &words, &events, why),
                     GRAMC_OK);
    assert_int_equal(line_process_send(process, text_slice(buf_view(&line), 0, 1 << 20)), GRAMC_OK);
    size_t rest = LINE_UNSENT_MAX - line_process_unsent(process);
    assert_true(rest < LINE_UNSENT_MAX);
    assert_int_equal(line_process_send(process, text_slice(buf_view(&line), 0, rest + 1)),
                     GRAMC_LIMIT);
    assert_int_equal(line_process_send(process, text_slice(buf_view(&line), 0, rest)), GRAMC_OK);
    assert_int_equal(line_process_send(process, TEXT("x")), GRAMC_LIMIT);
    line_process_kill(process);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    buf_free(&line);
}

/* ## One call of a bound tool */

struct called {
    gramc_bound *bound;
    gramc_loop *loop;
    struct tool_call *call;
    bool done;
    enum tool_outcome outcome;
    char said[512];
};

static void on_done(void *ctx, struct tool_call *call) {
    struct called *called = ctx;
    called->done = true;
    called->outcome = call->outcome;
    snprintf(called->said, sizeof called->said, "%.*s", TEXT_ARGS(buf_view(&call->result)));
    tool_release(call);
}

static void call(struct called *called, const struct test_agent *test, gramc_text arguments) {
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    const gramc_text path = TEXT("PATH=/usr/bin:/bin");
    memset(called, 0, sizeof *called);
    options.environment = &path;
    options.environment_count = 1;
    assert_int_equal(gramc_bind(&called->bound, &test->agent, &test->library, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&called->loop, &options), GRAMC_OK);
    called->call = tool_start(called->loop, &called->bound->tools[0], arguments, on_done, called);
    assert_non_null(called->call);
}

static void end(struct called *called) {
    if (!called->done) tool_release(called->call);
    while (called->loop->calls) uv_run(&called->loop->uv, UV_RUN_ONCE);
    gramc_loop_free(called->loop);
    gramc_bound_free(called->bound);
}

/* The whole line that asks is that long. */
static void requests(void **state) {
    static const char before[] = "{\"id\":1,\"ms\":30000,\"tool\":\"tool\",\"arguments\":";
    const char *const argv[] = {
        "sh", "-c", "head -n 1 >/dev/null; echo '{\"id\":1,\"result\":\"here\"}'; read x", NULL};
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct test_agent test;
        struct called called;
        struct buf arguments;
        test_agent_init(&test);
        test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
        test_exec(&test, "tool", argv)->persistent = true;
        buf_init(&arguments, NULL, LINE_UNSENT_MAX);
        buf_putc(&arguments, '{');
        while (arguments.len < LINE_UNSENT_MAX + more - strlen(before) - 2)
            buf_putc(&arguments, ' ');
        buf_putc(&arguments, '}');
        call(&called, &test, buf_view(&arguments));
        while (!called.done) uv_run(&called.loop->uv, UV_RUN_ONCE);
        assert_string_equal(called.said,
                            more ? "the program could not be asked: the arguments are too long"
                                 : "here");
        end(&called);
        buf_free(&arguments);
        test_agent_free(&test);
    }
}

/* ## Time */

/* Neither the tool nor its implementation says how long. */
static void calls(void **state) {
    const char *const argv[] = {"sleep", "100", NULL};
    struct test_agent test;
    struct called called;
    (void)state;
    STATED(DEFAULT_TOOL_TIMEOUT_MS, 30000, "the call fails; the program is stopped");
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT)->timeout_ms = 0;
    test_exec(&test, "tool", argv);
    call(&called, &test, TEXT("{}"));
    uint64_t left = uv_timer_get_due_in(&called.call->deadline);
    assert_int_equal(called.bound->tools[0].timeout_ms, DEFAULT_TOOL_TIMEOUT_MS);
    assert_true(left > DEFAULT_TOOL_TIMEOUT_MS - 500 && left <= DEFAULT_TOOL_TIMEOUT_MS);
    end(&called);
    test_agent_free(&test);
}

/* A tool that only its server knows: the box says nothing, either. */
static void calls_of_servers(void **state) {
    static const char snapshot[] =
        "{\"format\":\"gramc-snapshot\",\"version\":1,\"library\":{\"name\":\"workshop\","
        "\"fingerprint\":\"bbbb\"},\"boxes\":[{\"name\":\"lab\",\"tools\":[{\"name\":\"echo\","
        "\"inputSchema\":{\"type\":\"object\"}}]}]}";
    const gramc_text words[] = {TEXT("true")};
    gramc_box box = {
        .name = TEXT("lab"), .kind = GRAMC_BOX_MCP, .argv = words, .argc = 1, .all_tools = true};
    const gramc_box_use use = {.name = TEXT("lab"), .all_tools = true};
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_offering *offering;
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    test.library.boxes = &box;
    test.library.box_count = 1;
    test.agent.box_uses = &use;
    test.agent.box_use_count = 1;
    assert_int_equal(gramc_offering_load(&offering, text_of(snapshot), NULL, NULL), GRAMC_OK);
    options.offering = offering;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &options), GRAMC_OK);
    assert_int_equal(bound->tool_count, 1);
    assert_int_equal(bound->tools[0].timeout_ms, DEFAULT_TOOL_TIMEOUT_MS);
    assert_int_equal(bound->tools[0].tool->timeout_ms, DEFAULT_TOOL_TIMEOUT_MS);
    assert_int_equal(bound->tools[0].tool->max_call_errors, DEFAULT_ERRORS);
    assert_int_equal(bound->tools[0].tool->max_tool_errors, DEFAULT_ERRORS);
    gramc_bound_free(bound);
    gramc_offering_free(offering);
    test_agent_free(&test);
}

/* The longest time that any timer of the loop still waits. */
struct longest {
    gramc_loop *loop;
    uint64_t ms;
    bool is_known;
};

static void look_at(uv_handle_t *handle, void *ctx) {
    struct longest *longest = ctx;
    if (handle->type != UV_TIMER || !uv_is_active(handle)) return;
    uint64_t ms = uv_timer_get_due_in((uv_timer_t *)handle);
    if (ms > longest->ms) longest->ms = ms;
}

static void look(uv_timer_t *timer) {
    struct longest *longest = timer->data;
    uv_walk(timer->loop, look_at, longest);
    longest->is_known = true;
    gramc_loop_interrupt(longest->loop);
}

/* Looks at them when 300 ms have passed, and ends what is going on. */
static void look_soon(struct longest *longest, uv_timer_t *timer, gramc_loop *loop) {
    *longest = (struct longest){.loop = loop};
    uv_timer_init(&loop->uv, timer);
    timer->data = longest;
    uv_timer_start(timer, look, 300, 0);
}

static void expect_longest(const struct longest *longest, uint64_t limit) {
    assert_true(longest->is_known);
    if (longest->ms > limit - 200 || longest->ms + 1500 < limit)
        fail_msg("%llu ms", (unsigned long long)longest->ms);
}

static void models(void **state) {
    const struct mock_answer hang[] = {{.mode = MOCK_HANG}};
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_text message = TEXT("go");
    struct test_agent test;
    struct test_run run;
    struct longest longest;
    gramc_model *model;
    gramc_bound *bound;
    gramc_loop *loop;
    uv_timer_t timer;
    (void)state;
    STATED(MODEL_TIMEOUT_MS, 600000, "it is tried again, then the run ends as model-error");
    struct mock_server *server = mock_start(hang, 1);
    test_agent_init(&test);
    test_run_init(&run);
    endpoint.base_url = text_of(mock_url(server));
    endpoint.connect_timeout_ms = 2 * MODEL_TIMEOUT_MS; /* or its timer hides the other */
    assert_int_equal(gramc_model_new_endpoint(&model, &endpoint), GRAMC_OK);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.timeout_ms = UINT32_MAX; /* likewise */
    options.trace = buf_writer(&run.trace);
    gramc_run_handler handler = test_handler(&run);
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    look_soon(&longest, &timer, loop);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_int_equal(mock_count(server), 1);
    expect_longest(&longest, MODEL_TIMEOUT_MS);
    uv_close((uv_handle_t *)&timer, NULL);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_model_free(model);
    test_run_free(&run);
    test_agent_free(&test);
    mock_stop(server);
}

/* The server is still being asked which revision it speaks, for which it has less. */
static void lists(void **state) {
    const struct mock_answer hang[] = {{.mode = MOCK_HANG}};
    gramc_box box = {.name = TEXT("lab"), .kind = GRAMC_BOX_MCP, .all_tools = true};
    struct test_agent test;
    struct longest longest;
    gramc_offering *offering;
    gramc_loop *loop;
    gramc_text name, why;
    uv_timer_t timer;
    (void)state;
    STATED(MCP_ASK_MS, 60000, "those that have not are left out");
    struct mock_server *server = mock_start(hang, 1);
    test_agent_init(&test);
    box.url = text_of(mock_url(server));
    test.library.boxes = &box;
    test.library.box_count = 1;
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    look_soon(&longest, &timer, loop);
    assert_int_equal(gramc_offering_new(&offering, loop, &test.library, NULL), GRAMC_OK);
    expect_longest(&longest, MCP_ASK_MS);
    assert_true(gramc_offering_failure(offering, 0, &name, &why));
    uv_close((uv_handle_t *)&timer, NULL);
    gramc_offering_free(offering);
    gramc_loop_free(loop);
    test_agent_free(&test);
    mock_stop(server);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets),          cmocka_unit_test(traces),   cmocka_unit_test(snapshots),
        cmocka_unit_test(unsent),           cmocka_unit_test(requests), cmocka_unit_test(calls),
        cmocka_unit_test(calls_of_servers), cmocka_unit_test(models),   cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
