/* The MCP client over HTTP, against scripted answers on 127.0.0.1: both eras, what stands in which
 * header, sessions, event streams that break off, redirects, refusals, and a lack of memory. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/text.h"
#include "runtime/net/http.h"
#include "runtime/mcp/client.h"
#include "tests/failing.h"
#include "tests/stated.h"
#include "tests/support/mock_server.h"

struct bench {
    uv_loop_t loop;
    struct http *http;
    struct mock_server *server;
    struct mcp_client *client;
    struct mcp_call call;
    struct mcp_listing listing;
    int done, listed;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EVENTS "Content-Type: text/event-stream\r\n"
#define SESSION(name) "mcp-session-id: " name "\r\n"

/* What the client asks is numbered from 1 on: server/discover, then initialize or the call. */
#define RPC(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" #id "," rest "}"
#define DISCOVERED(id)                                                                             \
    RPC(id, "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"      \
            "\"capabilities\":{}}")
#define INITIALIZED(id)                                                                            \
    RPC(id, "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}")
#define SAID(id, text)                                                                             \
    RPC(id, "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")

static const struct mock_answer no_modern = {
    400, MOCK_WHOLE, NULL, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000}}", 0};
static const struct mock_answer accepted = {202, MOCK_WHOLE, NULL, "", 0};
static const struct mock_answer ended = {200, MOCK_WHOLE, NULL, "", 0};

static void open_at(struct bench *bench, const char *url, const gramc_allocator *allocator) {
    static const char *const headers[] = {"Authorization: Bearer planted", "X-Empty;", NULL};
    const struct mcp_address address = {url, headers, NULL};
    gramc_allocator own = allocator ? *allocator : mem_default();
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    if (http_new(&bench->http, &bench->loop, &own)) return;
    const struct mcp_place place = {.address = &address, .http = bench->http};
    if (mcp_client_new(&bench->client, &bench->loop, &own, &place)) assert_non_null(allocator);
    bench->call.allocator = bench->listing.allocator = own;
}

static void open_bench(struct bench *bench, const struct mock_answer *answers, size_t count) {
    memset(bench, 0, sizeof *bench);
    bench->server = mock_start(answers, count);
    open_at(bench, mock_url(bench->server), NULL);
}

/* The end of a session is still on its way when the client is closed. */
static void close_client(struct bench *bench) {
    mcp_client_close(bench->client);
    bench->client = NULL;
    while (bench->http && !http_is_idle(bench->http)) uv_run(&bench->loop, UV_RUN_ONCE);
    if (bench->http) http_close(bench->http);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    mcp_call_free(&bench->call);
    mcp_list_free(&bench->listing);
}

static void close_bench(struct bench *bench, size_t requests) {
    close_client(bench);
    assert_int_equal(mock_count(bench->server), requests);
    mock_stop(bench->server);
}

static void call_done(struct mcp_call *call) {
    ((struct bench *)call->ctx)->done++;
}

static void list_done(struct mcp_listing *listing) {
    ((struct bench *)listing->ctx)->listed++;
}

static void start(struct bench *bench, const char *arguments) {
    mcp_call_free(&bench->call);
    bench->call.tool = TEXT("echo");
    bench->call.arguments = text_of(arguments);
    bench->call.done = call_done;
    bench->call.ctx = bench;
    bench->done = 0;
    mcp_call_start(bench->client, &bench->call);
}

static void expect(struct bench *bench, enum mcp_outcome outcome, const char *result) {
    while (!bench->done) uv_run(&bench->loop, UV_RUN_ONCE);
    const char *text = bench->call.result.ptr ? bench->call.result.ptr : "";
    if (bench->call.outcome != outcome || strcmp(text, result) != 0 || bench->done != 1)
        fail_msg("outcome %d: %s", (int)bench->call.outcome, text);
}

static void list(struct bench *bench) {
    bench->listing.done = list_done;
    bench->listing.ctx = bench;
    mcp_list_start(bench->client, &bench->listing);
    while (!bench->listed) uv_run(&bench->loop, UV_RUN_ONCE);
}

static void assert_head(const struct bench *bench, size_t i, const char *part) {
    if (!strstr(mock_head(bench->server, i), part))
        fail_msg("request %zu without %s:\n%s", i, part, mock_head(bench->server, i));
}

static void assert_no_head(const struct bench *bench, size_t i, const char *part) {
    if (strstr(mock_head(bench->server, i), part))
        fail_msg("request %zu with %s:\n%s", i, part, mock_head(bench->server, i));
}

/* ## Eras */

static void test_modern(void **state) {
    const struct mock_answer answers[] = {{.body = DISCOVERED(1)},
                                          {.body = SAID(2, "hello")},
                                          {.headers = EVENTS, .body = "data: " SAID(3, "again")}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{\"a\":1}");
    expect(&bench, MCP_FINE, "hello");
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "again");
    assert_string_equal(mcp_client_version(bench.client), "2026-07-28");
    assert_head(&bench, 0, "POST /v1 ");
    assert_head(&bench, 0, "\r\nMCP-Protocol-Version: 2026-07-28\r\n");
    assert_head(&bench, 0, "\r\nMcp-Method: server/discover\r\n");
    assert_no_head(&bench, 0, "Mcp-Name");
    assert_head(&bench, 1, "\r\nMcp-Method: tools/call\r\n");
    assert_head(&bench, 1, "\r\nMcp-Name: echo\r\n");
    assert_head(&bench, 1, "\r\nAuthorization: Bearer planted\r\n");
    assert_head(&bench, 1, "\r\nX-Empty:\r\n");
    assert_head(&bench, 1, "\r\nAccept: application/json, text/event-stream\r\n");
    assert_head(&bench, 1, "\r\nContent-Type: application/json\r\n");
    assert_non_null(strstr(mock_body(bench.server, 1), "\"arguments\":{\"a\":1}"));
    assert_non_null(
        strstr(mock_body(bench.server, 1),
               "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""));
    close_bench(&bench, 3);
}

static void test_legacy(void **state) {
    const struct mock_answer answers[] = {
        no_modern,
        {.headers = SESSION("s-1"), .body = INITIALIZED(2)},
        accepted,
        {.headers = EVENTS,
         .body = "id: e1\ndata: \n\n"
                 "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
                 "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                 "{\"progressToken\":3,\"progress\":1}}\n\n"
                 "data: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}\n\n"
                 "event: message\ndata: " SAID(3, "hello") "\n\n"},
        accepted,
        ended};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "hello");
    assert_string_equal(mcp_client_version(bench.client), "2025-11-25");
    assert_int_equal(mcp_client_changes(bench.client), 1);
    while (mock_count(bench.server) < 5) uv_run(&bench.loop, UV_RUN_ONCE);
    assert_no_head(&bench, 1, "MCP-Protocol-Version");
    assert_no_head(&bench, 1, "Mcp-Session-Id");
    assert_head(&bench, 2, "\r\nMcp-Session-Id: s-1\r\n");
    assert_head(&bench, 3, "\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    assert_no_head(&bench, 3, "Mcp-Name");
    assert_non_null(strstr(mock_body(bench.server, 4), "\"id\":0,\"error\":{\"code\":-32601"));
    close_client(&bench);
    assert_int_equal(mock_count(bench.server), 6);
    assert_head(&bench, 5, "DELETE /v1 ");
    assert_head(&bench, 5, "\r\nMcp-Session-Id: s-1\r\n");
    assert_head(&bench, 5, "\r\nAuthorization: Bearer planted\r\n");
    mock_stop(bench.server);
}

/* Whatever a server of the old era says to server/discover, it is shaken hands with. */
static void test_fall_back(void **state) {
    const struct mock_answer firsts[] = {
        {404, MOCK_WHOLE, "Content-Type: text/html\r\n", "<h1>Not Found</h1>", 0},
        {405, MOCK_WHOLE, NULL, "", 0},
        {500, MOCK_WHOLE, NULL, "oops", 0},
        {200, MOCK_WHOLE, NULL, RPC(1, "\"result\":{}"), 0},
        {200, MOCK_WHOLE, NULL, "no JSON", 0},
        {200, MOCK_WHOLE, "Content-Type: text/html\r\n", "<h1>Hello</h1>", 0},
        {202, MOCK_WHOLE, NULL, "", 0},
        {200, MOCK_WHOLE, EVENTS, "data: x\n\n", 0},
        {400, MOCK_WHOLE, NULL, RPC(1, "\"error\":{\"code\":-32601,\"message\":\"m\"}"), 0},
        {400, MOCK_WHOLE, NULL, RPC(1, "\"error\":{\"code\":-32023}"), 0},
        {400, MOCK_WHOLE, NULL, RPC(1, "\"error\":{\"code\":-32019}"), 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(firsts); i++) {
        const struct mock_answer answers[] = {
            firsts[i], {.body = INITIALIZED(2)}, accepted, {.body = SAID(3, "hello")}};
        struct bench bench;
        open_bench(&bench, answers, COUNT(answers));
        start(&bench, "{}");
        expect(&bench, MCP_FINE, "hello");
        close_bench(&bench, 4);
    }
}

static void test_refused(void **state) {
    static const struct {
        struct mock_answer first, second;
        const char *why;
    } refusals[] = {
        {{401, MOCK_WHOLE, "WWW-Authenticate: Bearer\r\n", "{\"error\":\"token\"}", 0},
         {0, MOCK_HANG, NULL, NULL, 0},
         "the server answers with HTTP status 401: it wants an Authorization header: "
         "{\"error\":\"token\"}"},
        {{403, MOCK_WHOLE, NULL, "", 0},
         {0, MOCK_HANG, NULL, NULL, 0},
         "the server answers with HTTP status 403"},
        {{400, MOCK_WHOLE, NULL,
          RPC(1, "\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2031-01-01\"]}}"), 0},
         {0, MOCK_HANG, NULL, NULL, 0},
         "the server speaks no revision of the protocol that gramc knows"},
        {{400, MOCK_WHOLE, NULL,
          RPC(1, "\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}"), 0},
         {400, MOCK_WHOLE, NULL,
          RPC(2, "\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}"), 0},
         "the server refuses to say what it speaks"},
        {{400, MOCK_WHOLE, NULL, RPC(1, "\"error\":{\"code\":-32021}"), 0},
         {0, MOCK_HANG, NULL, NULL, 0},
         "the server refuses to say what it speaks"},
        {{400, MOCK_WHOLE, NULL, RPC(1, "\"error\":{\"code\":-32020}"), 0},
         {0, MOCK_HANG, NULL, NULL, 0},
         "the server refuses to say what it speaks"},
        {{404, MOCK_WHOLE, NULL, "", 0},
         {500, MOCK_WHOLE, NULL, "no\nmore", 0},
         "the server answers with HTTP status 500: no more"},
        {{404, MOCK_WHOLE, NULL, "", 0},
         {200, MOCK_WHOLE, NULL, "{}", 0},
         "the server does not answer what it was asked: 1 line was no message: {}"},
        {{404, MOCK_WHOLE, NULL, "", 0},
         {200, MOCK_WHOLE, "Content-Type: text/html\r\n", "<h1>Hello</h1>", 0},
         "the server answers with text/html and no message: <h1>Hello</h1>"},
        {{404, MOCK_WHOLE, NULL, "", 0},
         {400, MOCK_WHOLE, NULL,
          RPC(2, "\"error\":{\"code\":-32602,\"message\":\"a licence is missing\"}"), 0},
         "the server refuses the handshake (-32602): a licence is missing"},
        {{307, MOCK_WHOLE, "Location: http://127.0.0.2:1/steal\r\n", "", 0},
         {307, MOCK_WHOLE, "Location: http://127.0.0.2:1/steal\r\n", "", 0},
         "the server redirects to another origin (HTTP status 307), which is not followed"},
        {{301, MOCK_WHOLE, "Location: /other\r\n", "", 0},
         {301, MOCK_WHOLE, "Location: /other\r\n", "", 0},
         "the server answers with HTTP status 301"},
        {{200, MOCK_CUT, NULL, "{\"jsonrpc\":\"2.0\"}", 0},
         {0, MOCK_HANG, NULL, NULL, 0},
         "the server cannot be reached: transfer closed with 9 bytes remaining to read"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct mock_answer answers[] = {refusals[i].first, refusals[i].second};
        struct bench bench;
        open_bench(&bench, answers, COUNT(answers));
        start(&bench, "{}");
        expect(&bench, MCP_BROKEN, refusals[i].why);
        close_bench(&bench, refusals[i].second.body ? 2 : 1);
    }
}

/* Nobody is there; and then again, for a connection is not a crash. */
static void test_unreachable(void **state) {
    struct bench bench = {.done = 0};
    (void)state;
    open_at(&bench, "http://127.0.0.1:1/mcp", NULL);
    for (int i = 0; i < MCP_STARTS_MAX + 2; i++) {
        start(&bench, "{}");
        while (!bench.done) uv_run(&bench.loop, UV_RUN_ONCE);
        assert_int_equal(bench.call.outcome, MCP_BROKEN);
        assert_non_null(strstr(bench.call.result.ptr, "the server cannot be reached: "));
    }
    close_client(&bench);
}

/* ## Sessions and streams */

static void test_lost_session(void **state) {
    const struct mock_answer answers[] = {no_modern,
                                          {.headers = SESSION("s-1"), .body = INITIALIZED(2)},
                                          accepted,
                                          {404, MOCK_WHOLE, NULL, "{}", 0},
                                          {.headers = SESSION("s-2"), .body = INITIALIZED(4)},
                                          accepted,
                                          {.body = SAID(5, "back")},
                                          ended};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "back");
    assert_no_head(&bench, 4, "Mcp-Session-Id");
    assert_head(&bench, 6, "\r\nMcp-Session-Id: s-2\r\n");
    assert_int_equal(mcp_client_changes(bench.client), 1);
    close_bench(&bench, 8);
}

/* i10 e1: the second handshake gives no session, and the lost one is not used again. */
static void test_i10_e1_session_reset(void **state) {
    const struct mock_answer answers[] = {no_modern,
                                          {.headers = SESSION("s-1"), .body = INITIALIZED(2)},
                                          accepted,
                                          {404, MOCK_WHOLE, NULL, "{}", 0},
                                          {.body = INITIALIZED(4)},
                                          accepted,
                                          {.body = SAID(5, "back")}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "back");
    for (size_t i = 4; i < 7; i++) assert_no_head(&bench, i, "Mcp-Session-Id");
    close_bench(&bench, 7);
}

/* Nobody runs after the end of a session. */
static void test_redirected_goodbye(void **state) {
    const struct mock_answer answers[] = {no_modern,
                                          {.headers = SESSION("s-1"), .body = INITIALIZED(2)},
                                          accepted,
                                          {.body = SAID(3, "x")},
                                          {308, MOCK_WHOLE, "Location: /elsewhere\r\n", "", 0}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "x");
    close_bench(&bench, 5);
}

static void test_loses_every_session(void **state) {
    const struct mock_answer lost = {404, MOCK_WHOLE, NULL, "gone", 0};
    const struct mock_answer answers[] = {no_modern,
                                          {.headers = SESSION("a"), .body = INITIALIZED(2)},
                                          accepted,
                                          lost,
                                          {.headers = SESSION("b"), .body = INITIALIZED(4)},
                                          accepted,
                                          lost,
                                          {.headers = SESSION("c"), .body = INITIALIZED(6)},
                                          accepted,
                                          lost,
                                          {.headers = SESSION("d"), .body = INITIALIZED(8)},
                                          accepted,
                                          lost,
                                          ended};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_BROKEN, "the server answers with HTTP status 404: gone");
    close_bench(&bench, COUNT(answers));
}

/* ## i10 e2: how long a list may be */

static void expect_list(size_t pages, size_t tools, const char *why) {
    struct mock_answer *answers = calloc(pages + 1, sizeof *answers);
    struct buf *bodies = calloc(pages, sizeof *bodies);
    struct bench bench;
    assert_true(answers && bodies);
    answers[0].body = DISCOVERED(1);
    for (size_t i = 0; i < pages; i++) {
        buf_init(&bodies[i], NULL, 1 << 22);
        buf_printf(&bodies[i], "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"result\":{\"tools\":[", i + 2);
        for (size_t k = 0; k < tools; k++)
            buf_printf(&bodies[i], "%s{\"name\":\"t%zu\",\"inputSchema\":{}}", k ? "," : "", k);
        buf_puts(&bodies[i], "]");
        if (i + 1 < pages) buf_printf(&bodies[i], ",\"nextCursor\":\"%zu\"", i);
        buf_puts(&bodies[i], "}}");
        buf_putc(&bodies[i], '\0');
        assert_int_equal(buf_status(&bodies[i]), GRAMC_OK);
        answers[i + 1].body = bodies[i].ptr;
    }
    open_bench(&bench, answers, pages + 1);
    list(&bench);
    if (why) assert_string_equal(bench.listing.why, why);
    else assert_int_equal(bench.listing.outcome, MCP_FINE);
    if (!why) assert_int_equal(bench.listing.count, pages * tools);
    close_bench(&bench, why && pages > 1 ? pages : pages + 1);
    for (size_t i = 0; i < pages; i++) buf_free(&bodies[i]);
    free(bodies);
    free(answers);
}

static void test_i10_e2_lists(void **state) {
    (void)state;
    STATED(MCP_TOOLS_MAX, 10000, "the list is refused");
    STATED(MCP_PAGES_MAX, 1000, "the list is refused");
    expect_list(1, MCP_TOOLS_MAX, NULL);
    expect_list(1, MCP_TOOLS_MAX + 1, "the server lists more tools than gramc takes");
    expect_list(MCP_PAGES_MAX, 0, NULL);
    expect_list(MCP_PAGES_MAX + 1, 0, "the server lists more pages than gramc takes");
}

static void test_i10_e4_no_list(void **state) {
    static const char *const results[] = {RPC(2, "\"result\":{}"),
                                          RPC(2, "\"result\":{\"tools\":{\"name\":\"x\"}}")};
    (void)state;
    for (size_t i = 0; i < COUNT(results); i++) {
        const struct mock_answer answers[] = {{.body = DISCOVERED(1)}, {.body = results[i]}};
        struct bench bench;
        open_bench(&bench, answers, COUNT(answers));
        list(&bench);
        assert_int_equal(bench.listing.outcome, MCP_BAD_RESULT);
        assert_string_equal(bench.listing.why, "the server's list of tools is no list");
        close_bench(&bench, 2);
    }
}

/* Without a session, 404 is just an error. */
static void test_not_found(void **state) {
    const struct mock_answer answers[] = {
        no_modern,
        {.body = INITIALIZED(2)},
        accepted,
        {404, MOCK_WHOLE, NULL, RPC(3, "\"error\":{\"code\":-32601,\"message\":\"no such\"}"), 0}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_PROTOCOL_ERROR, "the server answers with an error (-32601): no such");
    close_bench(&bench, 4);
}

/* A stream that ended, or broke, before the answer is taken up behind its last event. */
static void test_reconnect(void **state) {
    const struct mock_answer firsts[] = {
        {200, MOCK_WHOLE, EVENTS, "id: e-7\nretry: 10\ndata: \n\n", 0},
        {200, MOCK_CUT, EVENTS,
         "id: e-7\nretry: 10\ndata: \n\ndata: {\"a\": \"a longer event that is cut in two\"}\n\n",
         0}};
    (void)state;
    for (size_t i = 0; i < COUNT(firsts); i++) {
        const struct mock_answer answers[] = {
            no_modern,
            {.headers = SESSION("s"), .body = INITIALIZED(2)},
            accepted,
            firsts[i],
            {200, MOCK_WHOLE, EVENTS, "id: e-8\n\n", 0},
            {200, MOCK_OPEN, EVENTS, "id: e-9\ndata: " SAID(3, "late") "\n\n", 0},
            ended};
        struct bench bench;
        open_bench(&bench, answers, COUNT(answers));
        start(&bench, "{}");
        expect(&bench, MCP_FINE, "late");
        assert_head(&bench, 4, "GET /v1 ");
        assert_head(&bench, 4, "\r\nLast-Event-ID: e-7\r\n");
        assert_head(&bench, 4, "\r\nMcp-Session-Id: s\r\n");
        assert_head(&bench, 4, "\r\nAccept: text/event-stream\r\n");
        assert_head(&bench, 5, "\r\nLast-Event-ID: e-8\r\n");
        close_bench(&bench, 7);
    }
}

/* The server waits for us: what it asks comes by a stream that we open when the answer takes long.
 */
static void test_asked_on_the_side(void **state) {
    const struct mock_answer answers[] = {
        no_modern,
        {.headers = SESSION("s"), .body = INITIALIZED(2)},
        accepted,
        {0, MOCK_HANG, NULL, NULL, 0},
        {200, MOCK_WHOLE, EVENTS,
         "id: g1\nretry: 10\ndata: "
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\"}\n\n",
         0},
        accepted,
        {200, MOCK_OPEN, EVENTS, "data: " SAID(3, "answered on the side") "\n\n", 0},
        ended};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "answered on the side");
    assert_head(&bench, 4, "GET /v1 ");
    assert_head(&bench, 4, "\r\nMcp-Session-Id: s\r\n");
    assert_no_head(&bench, 4, "Last-Event-ID");
    assert_non_null(strstr(mock_body(bench.server, 5), "\"id\":0,\"error\":{\"code\":-32601"));
    assert_head(&bench, 6, "\r\nLast-Event-ID: g1\r\n");
    close_bench(&bench, 8);
}

/* ## Servers that do not stop (i10-a2) */

/* Without the stream that a client asks for where an answer takes longer than a second, as long
 * ones may on a slow machine. */
static size_t count_but_stream(const struct bench *bench) {
    size_t count = mock_count(bench->server), streams = 0;
    for (size_t i = 0; i < count; i++)
        streams += strncmp(mock_head(bench->server, i), "GET ", 4) == 0;
    assert_in_range(streams, 0, 1);
    return count - streams;
}

static void mark(uv_timer_t *timer) {
    *(bool *)timer->data = true;
}

/* What it asks is answered, but not twenty thousand times at once, and its answer still counts. */
static void test_i10_a2_questions_without_end(void **state) {
    enum { QUESTIONS = 20000, HANGING = 64 };
    static const char question[] =
        "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\n";
    static const char answer[] = "data: " SAID(3, "at last") "\n\n";
    struct mock_answer answers[4 + HANGING] = {
        no_modern, {.headers = SESSION("s"), .body = INITIALIZED(2)}, accepted};
    struct buf body;
    struct bench bench;
    (void)state;
    buf_init(&body, NULL, 64 << 20);
    for (int i = 0; i < QUESTIONS; i++) buf_puts(&body, question);
    buf_puts(&body, answer);
    answers[3] = (struct mock_answer){.headers = EVENTS, .body = body.ptr};
    for (size_t i = 4; i < COUNT(answers); i++) answers[i].mode = MOCK_HANG;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "at last");
    uint64_t end = uv_hrtime() + 300000000;
    while (uv_hrtime() < end) uv_run(&bench.loop, UV_RUN_NOWAIT);
    assert_int_equal(count_but_stream(&bench), 4 + MCP_REPLIES_MAX);
    close_client(&bench);
    mock_stop(bench.server);
    buf_free(&body);
}

/* More events than a turn takes come all, in their order, and a deadline between them is kept. */
static void test_i10_a2_events_without_end(void **state) {
    enum { EVENTS_SENT = 10 * MCP_EVENTS_A_TURN };
    const struct mock_answer firsts[] = {
        no_modern, {.headers = SESSION("s"), .body = INITIALIZED(2)}, accepted};
    struct mock_answer answers[] = {firsts[0], firsts[1], firsts[2], {.headers = EVENTS}, ended};
    static const char changed[] =
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    struct buf body;
    struct bench bench;
    unsigned before = 0, most = 0;
    (void)state;
    buf_init(&body, NULL, 64 << 20);
    for (int i = 0; i < EVENTS_SENT; i++) buf_puts(&body, changed);
    buf_puts(&body, "data: " SAID(3, "behind them") "\n\n");
    answers[3].body = body.ptr;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    while (!bench.done) {
        uv_run(&bench.loop, UV_RUN_ONCE);
        unsigned now = mcp_client_changes(bench.client);
        if (now - before > most) most = now - before;
        before = now;
    }
    expect(&bench, MCP_FINE, "behind them");
    assert_int_equal(mcp_client_changes(bench.client), EVENTS_SENT);
    assert_true(most <= 2 * MCP_EVENTS_A_TURN);
    close_client(&bench);
    assert_int_equal(count_but_stream(&bench), 5);
    mock_stop(bench.server);
    buf_free(&body);
}

/* `retry: 0` asks for no pause; there is one all the same. */
static void test_i10_a2_retry_at_once(void **state) {
    enum { STREAMS = 100 };
    struct mock_answer answers[3 + STREAMS] = {
        no_modern, {.headers = SESSION("s"), .body = INITIALIZED(2)}, accepted};
    uv_timer_t timer;
    bool passed = false;
    struct bench bench;
    (void)state;
    for (size_t i = 3; i < COUNT(answers); i++)
        answers[i] =
            (struct mock_answer){.headers = EVENTS, .body = "id: e\nretry: 0\ndata: {}\n\n"};
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    uv_timer_init(&bench.loop, &timer);
    timer.data = &passed;
    uv_timer_start(&timer, mark, 900, 0);
    while (!passed) uv_run(&bench.loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    size_t count = mock_count(bench.server);
    assert_true(count >= 5 && count <= 8);
    close_client(&bench);
    mock_stop(bench.server);
}

/* Nobody waits any more when the time to open one has come. */
static void test_i10_e3_no_stream_behind_an_answer(void **state) {
    const struct mock_answer answers[] = {no_modern,
                                          {.headers = SESSION("s"), .body = INITIALIZED(2)},
                                          accepted,
                                          {.body = SAID(3, "at once")},
                                          ended};
    struct bench bench;
    uv_timer_t timer;
    bool passed = false;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "at once");
    uv_timer_init(&bench.loop, &timer);
    timer.data = &passed;
    uv_timer_start(&timer, mark, MCP_PATIENCE_MS + 200, 0);
    while (!passed) uv_run(&bench.loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    assert_int_equal(mock_count(bench.server), 4);
    close_bench(&bench, 5);
}

/* Most servers have none: then there is none. */
static void test_no_side_stream(void **state) {
    const struct mock_answer answers[] = {no_modern,
                                          {.headers = SESSION("s"), .body = INITIALIZED(2)},
                                          accepted,
                                          {0, MOCK_HANG, NULL, NULL, 0},
                                          {405, MOCK_WHOLE, NULL, "", 0},
                                          accepted,
                                          ended};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    while (mock_count(bench.server) < 5) uv_run(&bench.loop, UV_RUN_ONCE);
    mcp_cancel(&bench.call.request);
    while (mock_count(bench.server) < 6) uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(bench.done, 0);
    close_bench(&bench, 7);
}

static void test_no_end_of_reconnecting(void **state) {
    const struct mock_answer empty = {200, MOCK_WHOLE, EVENTS, "id: e\nretry: 1\ndata: \n\n", 0};
    struct mock_answer answers[4 + MCP_RECONNECTS_MAX] = {
        no_modern, {.body = INITIALIZED(2)}, accepted};
    struct bench bench;
    (void)state;
    for (size_t i = 3; i < COUNT(answers); i++) answers[i] = empty;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_BROKEN, "the server ends its answer over and over");
    close_bench(&bench, COUNT(answers));
}

/* Where there is nothing to take up. */
static void test_broken_stream(void **state) {
    static const struct {
        struct mock_answer second;
        const char *why;
    } streams[] = {
        {{200, MOCK_WHOLE, EVENTS, "id: 1\ndata: \n\n", 0},
         "the server ended its answer before it was whole"},
        {{200, MOCK_CUT, EVENTS, "data: " SAID(2, "x") "\n\n", 0},
         "the server ended its answer before it was whole: 1 line was no message (unterminated "
         "string): {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\""},
        {{200, MOCK_WHOLE, EVENTS, "data: no JSON\n\n", 0},
         "the server ended its answer before it was whole: 1 line was no message: no JSON"},
        {{200, MOCK_WHOLE, EVENTS, "data: " SAID(99, "x") "\n\n", 0},
         "the server ended its answer before it was whole"},
        {{200, MOCK_WHOLE, NULL, SAID(99, "x"), 0}, "the server does not answer what it was asked"},
        {{200, MOCK_WHOLE, NULL, "[1]", 0},
         "the server does not answer what it was asked: 1 line was no message: [1]"},
        {{200, MOCK_WHOLE, NULL, "[" SAID(2, "x") "]", 0},
         "the server does not answer what it was asked: 1 line was no message (messages come one "
         "by one, not in a list): [" SAID(2, "x") "]"},
        {{200, MOCK_OPEN, EVENTS, "data: " SAID(2, "\xFF") "\n\n", 0},
         "the server's answer cannot be read: 1 line was no message (invalid UTF-8 in a "
         "string): " SAID(2, "\\xff")},
        {{200, MOCK_WHOLE, NULL, "{", 17 << 20}, "the server's answer is longer than 16 MiB"},
        {{200, MOCK_WHOLE, EVENTS, "data: {", 17 << 20},
         "the server sent an event longer than 16 MiB"},
        {{0, MOCK_CLOSE, NULL, NULL, 0}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        const struct mock_answer answers[] = {{.body = DISCOVERED(1)}, streams[i].second};
        struct bench bench;
        open_bench(&bench, answers, COUNT(answers));
        start(&bench, "{}");
        if (streams[i].why) expect(&bench, MCP_BROKEN, streams[i].why);
        while (!bench.done) uv_run(&bench.loop, UV_RUN_ONCE);
        assert_int_equal(bench.call.outcome, MCP_BROKEN);
        /* libcurl itself asks again when a connection that it kept turns out to be closed. */
        close_bench(&bench, streams[i].second.mode == MOCK_CLOSE ? 3 : 2);
    }
}

/* The answer is there, the stream stays open: nobody waits for its end. */
static void test_open_stream(void **state) {
    const struct mock_answer answers[] = {
        {.body = DISCOVERED(1)},
        {200, MOCK_OPEN, EVENTS, "data: " SAID(2, "x") "\n\n", 0},
        {200, MOCK_OPEN, EVENTS, "data: " SAID(3, "y") "\n\n", 0}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "x");
    start(&bench, "{}");
    expect(&bench, MCP_FINE, "y");
    close_bench(&bench, 3);
}

static void test_redirect(void **state) {
    const struct mock_answer to = {308, MOCK_WHOLE, "Location: /elsewhere\r\n", "", 0};
    const struct mock_answer answers[] = {
        to, {.body = DISCOVERED(1)}, to, to, {.body = SAID(2, "x")}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{\"a\":1}");
    expect(&bench, MCP_FINE, "x");
    assert_head(&bench, 4, "POST /elsewhere ");
    assert_head(&bench, 4, "\r\nAuthorization: Bearer planted\r\n");
    assert_string_equal(mock_body(bench.server, 4), mock_body(bench.server, 2));
    close_bench(&bench, 5);
}

/* ## Cancels, headers, pages */

static void test_cancel(void **state) {
    const struct mock_answer hang = {0, MOCK_HANG, NULL, NULL, 0};
    const struct mock_answer legacy[] = {
        no_modern, {.headers = SESSION("s"), .body = INITIALIZED(2)}, accepted, hang, accepted,
        ended};
    const struct mock_answer modern[] = {{.body = DISCOVERED(1)}, hang};
    struct bench bench;
    (void)state;
    open_bench(&bench, legacy, COUNT(legacy));
    start(&bench, "{}");
    while (mock_count(bench.server) < 4) uv_run(&bench.loop, UV_RUN_NOWAIT);
    mcp_cancel(&bench.call.request);
    while (mock_count(bench.server) < 5) uv_run(&bench.loop, UV_RUN_NOWAIT);
    assert_non_null(strstr(mock_body(bench.server, 4), "notifications/cancelled"));
    assert_non_null(strstr(mock_body(bench.server, 4), "\"requestId\":3"));
    assert_int_equal(bench.done, 0);
    close_bench(&bench, 6);
    open_bench(&bench, modern, COUNT(modern));
    start(&bench, "{}");
    while (mock_count(bench.server) < 2) uv_run(&bench.loop, UV_RUN_NOWAIT);
    mcp_cancel(&bench.call.request);
    assert_true(http_is_idle(bench.http));
    assert_int_equal(bench.done, 0);
    close_bench(&bench, 2);
}

static void test_mirrors(void **state) {
    const struct mock_answer answers[] = {
        {.body = DISCOVERED(1)},
        {.body = RPC(
             2, "\"result\":{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\","
                "\"properties\":{\"r\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
                "\"o\":{\"type\":\"object\",\"properties\":{\"a/b\":{\"type\":\"integer\","
                "\"x-mcp-header\":\"Deep\"}}},\"u\":{\"type\":\"string\",\"x-mcp-header\":"
                "\"U\"},\"n\":{\"type\":\"boolean\",\"x-mcp-header\":\"N\"}}}},"
                "{\"name\":\"bad\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"l\":"
                "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"L\"}}}}}"
                "],\"nextCursor\":\"p2\"}")},
        {.body = RPC(3, "\"result\":{\"tools\":[]}")},
        {.body = SAID(4, "x")}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    list(&bench);
    assert_int_equal(bench.listing.outcome, MCP_FINE);
    assert_int_equal(bench.listing.count, 2);
    assert_null(bench.listing.tools->refused);
    assert_string_equal(bench.listing.tools->next->refused,
                        "an x-mcp-header where no argument simply stands");
    assert_non_null(strstr(mock_body(bench.server, 2), "\"cursor\":\"p2\""));
    bench.call.mirrors = bench.listing.tools->mirrors;
    start(&bench, "{\"r\":\"a b\",\"o\":{\"a/b\":7},\"u\":\"\xC3\xA9\\r\\nX: y\",\"n\":null}");
    expect(&bench, MCP_FINE, "x");
    assert_head(&bench, 3, "\r\nMcp-Param-Region: a b\r\n");
    assert_head(&bench, 3, "\r\nMcp-Param-Deep: 7\r\n");
    assert_head(&bench, 3, "\r\nMcp-Param-U: =?base64?w6kNClg6IHk=?=\r\n");
    assert_no_head(&bench, 3, "Mcp-Param-N:");
    close_bench(&bench, 4);
}

static void test_header_values(void **state) {
    static const char *const values[][2] = {
        {"plain", "plain"},
        {"", ""},
        {" a", "=?base64?IGE=?="},
        {"a ", "=?base64?YSA=?="},
        {"a\nb", "=?base64?YQpi?="},
        {"=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="},
        {"a b", "a b"},
        {"\xE4\xB8\x96", "=?base64?5LiW?="},
        {"=?base64?", "=?base64?"},
        {"\x7F", "=?base64?fw==?="},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        struct buf out;
        buf_init(&out, NULL, 1 << 16);
        mcp_header_value(&out, text_of(values[i][0]));
        assert_string_equal(out.ptr ? out.ptr : "", values[i][1]);
        buf_free(&out);
    }
}

/* What a header says, and that no other base64 says anything. */
static void test_values_read(void **state) {
    static const struct {
        const char *value, *text; /* NULL: it is refused */
    } rows[] = {{"plain", "plain"},
                {"  plain\t", "plain"},
                {"", ""},
                {"=?base64?\?=", ""},
                {"=?base64?=", "=?base64?="},
                {"=?base64?SGVsbG8", "=?base64?SGVsbG8"},
                {"SGVsbG8=?=", "SGVsbG8=?="},
                {"=?base64?SGVsbG8=?=", "Hello"},
                {"=?base64?SGVsbA==?=", "Hell"},
                {"=?base64?SGVs?=", "Hel"},
                {"=?base64?w6Q=?=", "\xC3\xA4"},
                {"=?base64?SGVsbG8?=", NULL},
                {"=?base64?SGVs!!!bG8=?=", NULL},
                {"=?base64?SGVsbG9=?=", NULL}, /* bits that no byte has */
                {"=?base64?SGVsbB==?=", NULL},
                {"=?base64?====?=", NULL},
                {"=?base64?S===?=", NULL},
                {"=?base64?SG==SGVs?=", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct arena arena;
        gramc_text text;
        arena_init(&arena, NULL);
        bool is_read = mcp_header_read(&text, &arena, text_of(rows[i].value));
        assert_int_equal(is_read, rows[i].text != NULL);
        if (is_read) assert_true(text_is(text, rows[i].text));
        arena_free(&arena);
    }
}

/* The server wants headers that we did not know of: its list tells. */
static void test_other_headers(void **state) {
    static const char mismatch[] =
        RPC(2, "\"error\":{\"code\":-32020,\"message\":\"header mismatch\"}");
    const struct mock_answer answers[] = {
        {.body = DISCOVERED(1)},
        {400, MOCK_WHOLE, NULL, mismatch, 0},
        {.body = RPC(3, "\"result\":{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":"
                        "\"object\",\"properties\":{\"r\":{\"type\":\"string\",\"x-mcp-header\":"
                        "\"R\"}}}}]}")},
        {.body = SAID(4, "x")},
        {400, MOCK_WHOLE, NULL,
         RPC(5, "\"error\":{\"code\":-32020,\"message\":\"header mismatch\"}"), 0},
        {.body = RPC(6, "\"result\":{\"tools\":[]}")}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{\"r\":\"here\"}");
    expect(&bench, MCP_FINE, "x");
    assert_head(&bench, 3, "\r\nMcp-Param-R: here\r\n");
    start(&bench, "{}");
    expect(&bench, MCP_PROTOCOL_ERROR, "the server does not list the tool any more");
    close_bench(&bench, 6);
}

/* ## Questions */

static void test_asked_back(void **state) {
    const struct mock_answer answers[] = {
        {.body = DISCOVERED(1)},
        {.body = RPC(2, "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\\n\","
                        "\"inputRequests\":{\"q\\\"\":{\"method\":\"elicitation/create\"},"
                        "\"r\":{\"method\":\"roots/list\"}}}")},
        {.body = RPC(3, "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"t\"}")},
        {.body = SAID(4, "without you")},
        {.body = RPC(5, "\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"m\":"
                        "{\"method\":\"sampling/createMessage\"}}}")}};
    struct bench bench;
    (void)state;
    open_bench(&bench, answers, COUNT(answers));
    start(&bench, "{\"a\":1}");
    expect(&bench, MCP_FINE, "without you");
    assert_non_null(strstr(mock_body(bench.server, 2),
                           "\"arguments\":{\"a\":1},\"inputResponses\":{\"q\\\"\":{\"action\":"
                           "\"decline\"},\"r\":{\"roots\":[]}},\"requestState\":\"s\\n\","));
    assert_non_null(strstr(mock_body(bench.server, 3), "{\"a\":1},\"requestState\":\"t\","));
    start(&bench, "{}");
    expect(&bench, MCP_BAD_RESULT,
           "the server asks for input of a person or a model, which it cannot get here");
    close_bench(&bench, 5);
}

/* ## Memory */

static void test_no_memory(void **state) {
    const struct mock_answer answers[] = {
        no_modern,
        {.headers = SESSION("s"), .body = INITIALIZED(2)},
        accepted,
        {.headers = EVENTS, .body = "id: 1\nretry: 1\ndata: \n\n"},
        {.headers = EVENTS, .body = "data: " SAID(3, "hello") "\n\n"},
        ended};
    bool fine = false;
    (void)state;
    for (long n = 1; !fine; n++) {
        struct failing failing = {.fail_at = n};
        const gramc_allocator allocator = test_failing(&failing);
        struct bench bench = {.done = 0};
        bench.server = mock_start(answers, COUNT(answers));
        open_at(&bench, mock_url(bench.server), &allocator);
        if (bench.client) {
            start(&bench, "{}");
            while (!bench.done) uv_run(&bench.loop, UV_RUN_ONCE);
            fine = !failing.failed;
            if (fine) assert_int_equal(bench.call.outcome, MCP_FINE);
        }
        close_client(&bench);
        mock_stop(bench.server);
        assert_int_equal(failing.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modern),
        cmocka_unit_test(test_legacy),
        cmocka_unit_test(test_fall_back),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_lost_session),
        cmocka_unit_test(test_loses_every_session),
        cmocka_unit_test(test_redirected_goodbye),
        cmocka_unit_test(test_i10_e4_no_list),
        cmocka_unit_test(test_not_found),
        cmocka_unit_test(test_i10_e2_lists),
        cmocka_unit_test(test_i10_e1_session_reset),
        cmocka_unit_test(test_reconnect),
        cmocka_unit_test(test_asked_on_the_side),
        cmocka_unit_test(test_i10_a2_questions_without_end),
        cmocka_unit_test(test_i10_a2_events_without_end),
        cmocka_unit_test(test_i10_a2_retry_at_once),
        cmocka_unit_test(test_i10_e3_no_stream_behind_an_answer),
        cmocka_unit_test(test_no_side_stream),
        cmocka_unit_test(test_no_end_of_reconnecting),
        cmocka_unit_test(test_broken_stream),
        cmocka_unit_test(test_open_stream),
        cmocka_unit_test(test_redirect),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_mirrors),
        cmocka_unit_test(test_header_values),
        cmocka_unit_test(test_values_read),
        cmocka_unit_test(test_other_headers),
        cmocka_unit_test(test_asked_back),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
