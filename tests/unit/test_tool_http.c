/* HTTP calls as tools, against a scripted server on 127.0.0.1: what goes over the wire, what comes
 * back to the model, and that no failure of a server outlives its call. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/tool.h"
#include "runtime/tool_http.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

static const char tools[] =
    "station:\n"
    "  tools:\n"
    "  - metadata: {name: get, description: d, parameters: {id: {description: x, type: STRING}, q: "
    "{description: x, type: STRING}}}\n"
    "    definition: {method: GET, path: {type: TEXT_SUBSTITUTOR, content: "
    "'/item/${id}?q=${q}'}, headers: {X-Id: [{type: TEXT_SUBSTITUTOR, content: 'id ${id}'}, {type: "
    "TEXT, content: two}]}}\n"
    "  - metadata: {name: post, description: d, parameters: {t: {description: x, type: STRING}, n: "
    "{description: x, type: INTEGER_ARRAY}}}\n"
    "    definition: {method: POST, path: {type: TEXT, content: /notes}, body: {type: "
    "TEXT_SUBSTITUTOR, content: '{\"t\":\"${t}\",\"n\":${n}}'}}\n"
    "  - metadata: {name: put, description: d, parameters: {t: {description: x, type: STRING}}}\n"
    "    definition: {method: PUT, path: {type: TEXT, content: /form}, contentType: "
    "application/x-www-form-urlencoded, body: {type: TEXT_SUBSTITUTOR, content: 't=${t}'}}\n"
    "  - metadata: {name: empty, description: d}\n"
    "    definition: {method: POST, path: {type: TEXT, content: /empty}}\n"
    "  - metadata: {name: drop, description: d}\n"
    "    definition: {method: DELETE, path: {type: TEXT, content: /it}}\n"
    "  - metadata: {name: look, description: d}\n"
    "    definition: {method: HEAD, path: {type: TEXT, content: /it}}\n"
    "  - metadata: {name: shift, description: d}\n"
    "    definition: {method: GET, path: {type: TEXT, content: /w}}\n"
    "    transformer: {type: JOLT, config: '[{\"operation\": \"shift\", \"spec\": "
    "{\"weatherValue\": \"weather\"}}]'}\n";

/* One server, one tool, one call after the other. */
struct bench {
    struct toolbox *box;
    struct mock_server *server;
    gramc_loop *loop;
    struct http_endpoint endpoint;
    gramc_impl impl;
    struct bound_tool bound;
    bool done;
    enum tool_outcome outcome;
    char result[70000];
    size_t len;
};

static void open_bench(struct bench *bench, const struct mock_answer *answers, size_t count) {
    memset(bench, 0, sizeof *bench);
    assert_int_equal(toolbox_read(&bench->box, NULL, TEXT("tools.yaml"), text_of(tools), false),
                     GRAMC_OK);
    bench->server = mock_start(answers, count);
    assert_int_equal(gramc_loop_new(&bench->loop, NULL), GRAMC_OK);
    bench->endpoint.url = text_of(mock_url(bench->server));
    bench->bound = (struct bound_tool){
        .impl = &bench->impl, .kind = &tool_http, .data = &bench->endpoint, .timeout_ms = 5000};
}

static void close_bench(struct bench *bench) {
    assert_null(bench->loop->calls);
    gramc_loop_free(bench->loop);
    mock_stop(bench->server);
    toolbox_free(bench->box);
}

static void on_done(void *ctx, struct tool_call *call) {
    struct bench *bench = ctx;
    bench->done = true;
    bench->outcome = call->outcome;
    bench->len =
        call->result.len < sizeof bench->result - 1 ? call->result.len : sizeof bench->result - 1;
    if (bench->len) memcpy(bench->result, call->result.ptr, bench->len);
    bench->result[bench->len] = '\0';
    tool_release(call);
}

static void start(struct bench *bench, const char *tool, const char *arguments) {
    const struct toolbox_tool *found =
        toolbox_tool(toolbox_upstream(bench->box, TEXT("station")), text_of(tool));
    assert_non_null(found);
    bench->endpoint.call = &found->call;
    bench->done = false;
    assert_non_null(tool_start(bench->loop, &bench->bound, text_of(arguments), on_done, bench));
}

static void call(struct bench *bench, const char *tool, const char *arguments) {
    start(bench, tool, arguments);
    while (!bench->done || bench->loop->calls) uv_run(&bench->loop->uv, UV_RUN_ONCE);
}

static void expect(const struct bench *bench, enum tool_outcome outcome, const char *result) {
    if (bench->outcome != outcome || strcmp(bench->result, result) != 0)
        fail_msg("outcome %d: %s", (int)bench->outcome, bench->result);
}

static void expect_line(struct bench *bench, size_t request, const char *line) {
    if (!strstr(mock_head(bench->server, request), line))
        fail_msg("no `%s` in\n%s", line, mock_head(bench->server, request));
}

/* ## What goes over the wire */

static void test_get(void **state) {
    static const struct mock_answer answers[] = {{.body = "fine\n"}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 1);
    call(&bench, "get", "{\"id\":\"a/b ?\",\"q\":\"x&y=z#\"}");
    expect(&bench, TOOL_FINE, "fine");
    expect_line(&bench, 0, "GET /v1/item/a%2Fb%20%3F?q=x%26y%3Dz%23 HTTP/1.1\r\n");
    expect_line(&bench, 0, "\r\nX-Id: id a/b ?\r\n");
    expect_line(&bench, 0, "\r\nX-Id: two\r\n");
    assert_null(strstr(mock_head(bench.server, 0), "Content-"));
    assert_string_equal(mock_body(bench.server, 0), "");
    close_bench(&bench);
}

static void test_bodies(void **state) {
    static const struct mock_answer answers[] = {
        {.body = "1"}, {.body = "2"}, {.body = ""}, {.body = "4"}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 4);
    call(&bench, "post", "{\"t\":\"a\\\",\\\"admin\\\":\\\"\",\"n\":[1,2.0]}");
    expect(&bench, TOOL_FINE, "1");
    expect_line(&bench, 0, "POST /v1/notes HTTP/1.1\r\n");
    expect_line(&bench, 0, "\r\nContent-Type: application/json\r\n");
    assert_string_equal(mock_body(bench.server, 0),
                        "{\"t\":\"a\\\",\\\"admin\\\":\\\"\",\"n\":[1,2.0]}");
    call(&bench, "put", "{\"t\":\"a&b=c\"}");
    expect_line(&bench, 1, "PUT /v1/form HTTP/1.1\r\n");
    expect_line(&bench, 1, "\r\nContent-Type: application/x-www-form-urlencoded\r\n");
    assert_string_equal(mock_body(bench.server, 1), "t=a%26b%3Dc");
    call(&bench, "empty", "");
    expect(&bench, TOOL_FINE, "");
    expect_line(&bench, 2, "POST /v1/empty HTTP/1.1\r\n");
    expect_line(&bench, 2, "\r\nContent-Length: 0\r\n");
    call(&bench, "drop", "{}");
    expect(&bench, TOOL_FINE, "4");
    expect_line(&bench, 3, "DELETE /v1/it HTTP/1.1\r\n");
    assert_null(strstr(mock_head(bench.server, 3), "Content-"));
    close_bench(&bench);
}

static void test_head(void **state) {
    static const struct mock_answer answers[] = {
        {.headers = "ETag: \"7\"\r\n", .body = ""}, {.status = 404, .body = ""}, {.body = "x"}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 3);
    call(&bench, "look", "{}");
    expect_line(&bench, 0, "HEAD /v1/it HTTP/1.1\r\n");
    expect(&bench, TOOL_FINE,
           "HTTP 200\nContent-Type: application/json\nContent-Length: 0\nETag: \"7\"");
    call(&bench, "look", "{}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    /* The handle that made a HEAD makes a GET. */
    call(&bench, "shift", "{}");
    expect_line(&bench, 2, "GET /v1/w HTTP/1.1\r\n");
    close_bench(&bench);
}

/* What a place refuses is not sent at all. */
static void test_refused_values(void **state) {
    static const char *const arguments[] = {
        "{\"id\":\"..\",\"q\":\"\"}",
        "{\"id\":\"../admin\",\"q\":\"\"}",
        "{\"id\":\"\",\"q\":\"\"}",
        "{\"id\":null,\"q\":\"\"}",
        "{\"id\":\"a\\u0000b\",\"q\":\"\"}",
        "{\"id\":\"a\\r\\nX: y\",\"q\":\"\"}",
        "[]",
        "{",
    };
    struct bench bench;
    (void)state;
    open_bench(&bench, NULL, 0);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        call(&bench, "get", arguments[i]);
        assert_int_equal(bench.outcome, TOOL_FAILED);
        assert_true(bench.len > 0);
    }
    assert_int_equal(mock_count(bench.server), 0);
    close_bench(&bench);
}

static void test_long_values(void **state) {
    static const struct mock_answer answers[] = {{.body = "ok"}};
    struct bench bench;
    struct buf arguments;
    (void)state;
    open_bench(&bench, answers, 1);
    buf_init(&arguments, NULL, 4 << 20);
    buf_puts(&arguments, "{\"q\":\"\",\"n\":[],\"id\":\"");
    for (size_t i = 0; i < 1 << 20; i++) buf_putc(&arguments, 'x');
    buf_puts(&arguments, "\",\"t\":\"");
    for (size_t i = 0; i < 1 << 20; i++) buf_putc(&arguments, 'y');
    buf_puts(&arguments, "\"}");
    call(&bench, "get", arguments.ptr);
    expect(&bench, TOOL_FAILED, "the call cannot be made: it is too long");
    call(&bench, "post", arguments.ptr);
    expect(&bench, TOOL_FINE, "ok");
    assert_int_equal(strlen(mock_body(bench.server, 0)),
                     (1 << 20) + strlen("{\"t\":\"\",\"n\":[]}"));
    buf_free(&arguments);
    close_bench(&bench);
}

/* i10-c12: an argument that is not given takes its header along, a cookie only itself. */
static void test_absent_headers(void **state) {
    static const struct mock_answer answers[] = {{.body = "ok"}, {.body = "ok"}};
    struct bench bench;
    struct arena arena;
    struct template_error error;
    struct http_header headers[2] = {{.name = TEXT("X-Note")}, {.name = TEXT("Cookie")}};
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(template_read(&headers[0].value, &arena, TEXT("re: ${note}"), TEMPLATE_HEADER,
                                   false, &error),
                     GRAMC_OK);
    assert_int_equal(template_read(&headers[1].value, &arena, TEXT("a=${note}; b=${q}"),
                                   TEMPLATE_HEADER, false, &error),
                     GRAMC_OK);
    open_bench(&bench, answers, 2);
    bench.endpoint.headers = headers;
    bench.endpoint.header_count = 2;
    call(&bench, "get", "{\"id\":\"1\",\"q\":\"x\"}");
    expect_line(&bench, 0, "\r\nCookie: b=x\r\n");
    assert_null(strstr(mock_head(bench.server, 0), "X-Note"));
    call(&bench, "get", "{\"id\":\"1\",\"q\":\"x\",\"note\":\"\"}");
    expect_line(&bench, 1, "\r\nCookie: a=; b=x\r\n");
    expect_line(&bench, 1, "\r\nX-Note: re:\r\n");
    close_bench(&bench);
    arena_free(&arena);
}

static void test_endpoint_headers(void **state) {
    static const struct mock_answer answers[] = {{.body = "ok"}, {.body = "ok"}};
    struct bench bench;
    struct arena arena;
    struct template_error error;
    struct http_header headers[2] = {{.name = TEXT("Authorization")}, {.name = TEXT("x-id")}};
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(template_read(&headers[0].value, &arena, TEXT("Bearer ${env:TOKEN}"),
                                   TEMPLATE_HEADER, false, &error),
                     GRAMC_OK);
    assert_int_equal(template_fixed(&headers[1].value, &arena, TEXT("ours")), GRAMC_OK);
    open_bench(&bench, answers, 2);
    bench.endpoint.headers = headers;
    bench.endpoint.header_count = 2;
    gramc_pair token = {TEXT("TOKEN"), TEXT("s3cret")};
    gramc_allocator allocator = mem_default();
    assert_int_equal(secrets_new(&bench.endpoint.secrets, &allocator, &token, 1), GRAMC_OK);
    call(&bench, "get", "{\"id\":\"1\",\"q\":\"\"}");
    expect_line(&bench, 0, "\r\nAuthorization: Bearer s3cret\r\n");
    expect_line(&bench, 0, "\r\nx-id: ours\r\n");
    assert_null(strstr(mock_head(bench.server, 0), "X-Id"));
    call(&bench, "drop", "{}");
    expect_line(&bench, 1, "\r\nx-id: ours\r\n");
    secrets_free(bench.endpoint.secrets);
    bench.endpoint.secrets = NULL;
    call(&bench, "drop", "{}");
    expect(&bench, TOOL_FAILED,
           "the call cannot be made: the environment variable `TOKEN` is not set");
    arena_free(&arena);
    close_bench(&bench);
}

/* ## What comes back */

static void test_failures(void **state) {
    static const struct mock_answer answers[] = {
        {.status = 404, .body = "{\"error\": \"no such item\"}"},
        {.status = 429, .headers = "Retry-After: 7\r\n", .body = ""},
        {.status = 599, .body = "x", .padding = 0},
    };
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 3);
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FAILED,
           "HTTP 404 Not Found\nContent-Type: application/json\n\n{\"error\": \"no such item\"}");
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FAILED,
           "HTTP 429 Too Many Requests\nContent-Type: application/json\nRetry-After: 7");
    call(&bench, "drop", "{}");
    expect(&bench, TOOL_FAILED, "HTTP 599\nContent-Type: application/json\n\nx");
    close_bench(&bench);
}

static void test_long_failure(void **state) {
    static char body[20001];
    const struct mock_answer answers[] = {{.status = 500, .body = body}};
    struct bench bench;
    (void)state;
    memset(body, 'e', sizeof body - 1);
    open_bench(&bench, answers, 1);
    call(&bench, "drop", "{}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_true(bench.len < 8200);
    assert_non_null(strstr(bench.result, "... (20000 bytes in all)"));
    close_bench(&bench);
}

static void test_transform(void **state) {
    static const struct mock_answer answers[] = {
        {.body = "{\"location\":\"Bangalore\",\"weatherValue\":\"sunny\"}"},
        {.body = "{\"nothing\": 1}"},
        {.body = "<html>"},
        {.status = 204, .body = ""},
    };
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 4);
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FINE, "{\"weather\":\"sunny\"}");
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FINE, "null");
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FAILED,
           "the answer is no JSON, and so cannot be transformed: expected a value (at byte 0)");
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FINE, "");
    close_bench(&bench);
}

static void test_too_big(void **state) {
    static const struct mock_answer answers[] = {{.body = "x", .padding = 2 << 20}, {.body = "y"}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 2);
    call(&bench, "drop", "{}");
    expect(&bench, TOOL_FAILED, "the answer is larger than 1 MiB; ask for less of it");
    call(&bench, "drop", "{}");
    expect(&bench, TOOL_FINE, "y");
    close_bench(&bench);
}

/* ## Servers that misbehave */

static void test_broken(void **state) {
    static const struct mock_answer answers[] = {{.mode = MOCK_CUT, .body = "half of this"},
                                                 {.mode = MOCK_CLOSE, .body = ""},
                                                 {.mode = MOCK_CLOSE, .body = ""},
                                                 {.mode = MOCK_CLOSE, .body = ""}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 4);
    call(&bench, "drop", "{}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_non_null(strstr(bench.result, "the answer (HTTP 200) broke off"));
    call(&bench, "drop", "{}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    bench.endpoint.url = TEXT("http://127.0.0.1:1");
    call(&bench, "drop", "{}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_non_null(strstr(bench.result, "the server cannot be asked: "));
    close_bench(&bench);
}

static void test_slow(void **state) {
    static const struct mock_answer answers[] = {{.mode = MOCK_HANG, .body = ""},
                                                 {.mode = MOCK_HANG, .body = ""}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, 2);
    bench.bound.timeout_ms = 50;
    call(&bench, "drop", "{}");
    expect(&bench, TOOL_TIMED_OUT, "");
    /* Let go of while the server thinks. */
    bench.bound.timeout_ms = 5000;
    const struct toolbox_tool *drop =
        toolbox_tool(toolbox_upstream(bench.box, TEXT("station")), TEXT("drop"));
    bench.endpoint.call = &drop->call;
    struct tool_call *going = tool_start(bench.loop, &bench.bound, TEXT("{}"), on_done, &bench);
    assert_non_null(going);
    uv_run(&bench.loop->uv, UV_RUN_NOWAIT);
    tool_release(going);
    while (bench.loop->calls) uv_run(&bench.loop->uv, UV_RUN_ONCE);
    close_bench(&bench);
}

static void test_redirects(void **state) {
    static const struct mock_answer answers[] = {
        {.status = 302, .headers = "Location: /v1/other?x=1\r\n", .body = ""},
        {.body = "there"},
        {.status = 301, .headers = "Location: http://example.invalid/x\r\n", .body = ""},
        {.status = 301, .headers = "Location: //example.invalid/x\r\n", .body = ""},
        {.status = 301, .headers = "Location: http://127.0.0.1:1/x\r\n", .body = ""},
        {.status = 301, .headers = "Location: file:///etc/passwd\r\n", .body = ""},
        {.status = 307, .headers = "Location: /v1/again\r\n", .body = "moved"},
        {.status = 302, .headers = "Location: /v1/w\r\n", .body = ""},
        {.status = 302, .headers = "Location: /v1/w\r\n", .body = ""},
        {.status = 302, .headers = "Location: /v1/w\r\n", .body = ""},
        {.status = 302, .headers = "Location: /v1/w\r\n", .body = ""},
        {.status = 302, .headers = "Location: /v1/w\r\n", .body = ""},
        {.status = 302, .headers = "Location: /v1/w\r\n", .body = ""},
    };
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, sizeof answers / sizeof *answers);
    call(&bench, "get", "{\"id\":\"1\",\"q\":\"\"}");
    expect(&bench, TOOL_FINE, "there");
    expect_line(&bench, 1, "GET /v1/other?x=1 HTTP/1.1\r\n");
    expect_line(&bench, 1, "\r\nX-Id: two\r\n");
    for (size_t i = 0; i < 4; i++) {
        call(&bench, "shift", "{}");
        assert_int_equal(bench.outcome, TOOL_FAILED);
        assert_non_null(strstr(bench.result, "which is not its own address"));
    }
    call(&bench, "empty", "{}");
    assert_int_equal(bench.outcome, TOOL_FAILED);
    assert_non_null(strstr(bench.result, "HTTP 307"));
    assert_non_null(strstr(bench.result, "Location: /v1/again"));
    call(&bench, "shift", "{}");
    expect(&bench, TOOL_FAILED, "the server redirects more than 5 times");
    assert_int_equal(mock_count(bench.server), 13);
    close_bench(&bench);
}

static void test_origins(void **state) {
    (void)state;
    assert_true(http_same_origin(TEXT("http://a/x"), TEXT("http://A:80?y")));
    assert_true(http_same_origin(TEXT("https://a:443"), TEXT("https://a/")));
    assert_false(http_same_origin(TEXT("http://a"), TEXT("https://a")));
    assert_false(http_same_origin(TEXT("http://a"), TEXT("http://a.b")));
    assert_false(http_same_origin(TEXT("http://a"), TEXT("http://a@b/")));
    assert_false(http_same_origin(TEXT("http://a"), TEXT("http://a:8080")));
    assert_false(http_same_origin(TEXT("ftp://a"), TEXT("ftp://a")));
}

/* ## Memory */

static void test_no_memory(void **state) {
    static const struct mock_answer plenty[512] = {
        [0] = {.body = "{\"weatherValue\":1}"},
    };
    static struct mock_answer answers[512];
    (void)state;
    for (size_t i = 0; i < 512; i++) answers[i] = plenty[0];
    for (long n = 1; n < 200; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
        struct bench bench;
        open_bench(&bench, answers, 512);
        gramc_loop_free(bench.loop);
        options.allocator = &allocator;
        gramc_status status = gramc_loop_new(&bench.loop, &options);
        if (status == GRAMC_OK) {
            const struct toolbox_tool *shift =
                toolbox_tool(toolbox_upstream(bench.box, TEXT("station")), TEXT("shift"));
            bench.endpoint.call = &shift->call;
            struct tool_call *started =
                tool_start(bench.loop, &bench.bound, TEXT("{}"), on_done, &bench);
            while (started && (!bench.done || bench.loop->calls))
                uv_run(&bench.loop->uv, UV_RUN_ONCE);
            bool fine = bench.done && bench.outcome == TOOL_FINE;
            assert_true(!bench.done || fine || bench.outcome == TOOL_NOMEM);
            if (fine) assert_string_equal(bench.result, "{\"weather\":1}");
            gramc_loop_free(bench.loop);
        } else {
            assert_int_equal(status, GRAMC_NOMEM);
        }
        assert_int_equal(failing.live, 0);
        mock_stop(bench.server);
        toolbox_free(bench.box);
        if (!failing.failed) return;
    }
    fail_msg("more allocations than expected");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_endpoint_headers),
        cmocka_unit_test(test_absent_headers),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_long_failure),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_too_big),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_redirects),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
