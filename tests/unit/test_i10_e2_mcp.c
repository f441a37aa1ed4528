/* Stated limits of MCP servers over HTTP (base/limits.def), against scripted answers: each at the
 * limit and one past it, with what is said there. Lists, replies and starts are in test_mcp_http.c
 * and test_mcp.c. */
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
#include "runtime/mcp/client.h"
#include "runtime/mcp/exchange.h"
#include "tests/stated.h"
#include "tests/support/mock_server.h"

/* Answers are put together one after the other; bodies that are made live as long as the bench. */
enum { MOST_ANSWERS = 64 };

struct bench {
    uv_loop_t loop;
    struct http *http;
    struct mock_server *server;
    struct mcp_client *client;
    struct mcp_call call;
    bool done;
    struct mock_answer answers[MOST_ANSWERS];
    struct buf bodies[MOST_ANSWERS];
    size_t count;
    unsigned id; /* of the client's next request */
};

#define EVENTS "Content-Type: text/event-stream\r\n"

static struct buf *begin(struct bench *bench, const struct mock_answer *answer) {
    assert_true(bench->count < MOST_ANSWERS);
    bench->answers[bench->count] = *answer;
    struct buf *body = &bench->bodies[bench->count++];
    buf_init(body, NULL, 1 << 26);
    return body;
}

static void add(struct bench *bench, const struct mock_answer *answer) {
    buf_puts(begin(bench, answer), answer->body ? answer->body : "");
}

/* What answers the client's next request. */
static void add_result(struct bench *bench, const char *headers, const char *result) {
    buf_printf(begin(bench, &(struct mock_answer){.headers = headers}),
               "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{%s}}", bench->id++, result);
}

#define SAID "\"content\":[{\"type\":\"text\",\"text\":\"fine\"}]"

static void add_modern(struct bench *bench) {
    add_result(bench, NULL,
               "\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
               "\"capabilities\":{}");
}

/* Another handshake, behind a request that was answered otherwise, or not at all. */
static void add_handshake(struct bench *bench, const char *headers) {
    add_result(bench, headers, "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}");
    add(bench, &(struct mock_answer){.status = 202});
}

static void add_legacy(struct bench *bench, const char *headers) {
    bench->id++;
    add(bench, &(struct mock_answer){
                   .status = 400,
                   .body = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000}}"});
    add_handshake(bench, headers);
}

static void init(struct bench *bench) {
    memset(bench, 0, sizeof *bench);
    bench->id = 1;
}

static void call_done(struct mcp_call *call) {
    ((struct bench *)call->ctx)->done = true;
}

static void start(struct bench *bench) {
    for (size_t i = 0; i < bench->count; i++) {
        buf_putc(&bench->bodies[i], '\0');
        assert_int_equal(buf_status(&bench->bodies[i]), GRAMC_OK);
        bench->answers[i].body = bench->bodies[i].ptr;
    }
    bench->server = mock_start(bench->answers, bench->count);
    static const char *const headers[] = {NULL};
    const struct mcp_address address = {mock_url(bench->server), headers, NULL};
    gramc_allocator allocator = mem_default();
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(http_new(&bench->http, &bench->loop, &allocator), GRAMC_OK);
    const struct mcp_place place = {.address = &address, .http = bench->http};
    assert_int_equal(mcp_client_new(&bench->client, &bench->loop, &allocator, &place), GRAMC_OK);
    bench->call = (struct mcp_call){.tool = TEXT("echo"),
                                    .arguments = TEXT("{}"),
                                    .done = call_done,
                                    .ctx = bench,
                                    .allocator = allocator};
    mcp_call_start(bench->client, &bench->call);
}

static void finish(struct bench *bench) {
    mcp_client_close(bench->client);
    while (!http_is_idle(bench->http)) uv_run(&bench->loop, UV_RUN_ONCE);
    http_close(bench->http);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    mcp_call_free(&bench->call);
    mock_stop(bench->server);
    for (size_t i = 0; i < bench->count; i++) buf_free(&bench->bodies[i]);
}

/* All that was scripted is asked for, and nothing else. `refused` NULL: the call gives "fine". */
static void expect(struct bench *bench, enum mcp_outcome outcome, const char *refused) {
    start(bench);
    while (!bench->done) uv_run(&bench->loop, UV_RUN_ONCE);
    if (!refused) outcome = MCP_FINE;
    const char *text = bench->call.result.ptr ? bench->call.result.ptr : "";
    if (bench->call.outcome != outcome || strcmp(text, refused ? refused : "fine") != 0)
        fail_msg("outcome %d: %.200s", (int)bench->call.outcome, text);
    assert_int_equal(mock_count(bench->server), bench->count);
    finish(bench);
}

/* ## How often */

static void sessions(void **state) {
    static const char *const headers = "mcp-session-id: s\r\n";
    (void)state;
    STATED(MCP_SESSIONS_MAX, 3, "the call fails");
    for (int more = 0; more < 2; more++) {
        struct bench bench;
        init(&bench);
        for (int i = 0; i < MCP_SESSIONS_MAX + more; i++) {
            if (i) add_handshake(&bench, headers);
            else add_legacy(&bench, headers);
            add(&bench, &(struct mock_answer){.status = 404, .body = "gone"});
            bench.id++;
        }
        if (!more) add_handshake(&bench, NULL);
        if (!more) add_result(&bench, NULL, SAID);
        expect(&bench, MCP_BROKEN, more ? "the server answers with HTTP status 404: gone" : NULL);
    }
}

static void rounds(void **state) {
    (void)state;
    STATED(MCP_ROUNDS_MAX, 8, "the call fails");
    for (int more = 0; more < 2; more++) {
        struct bench bench;
        init(&bench);
        add_modern(&bench);
        for (int i = 0; i < MCP_ROUNDS_MAX + more; i++)
            add_result(&bench, NULL, "\"resultType\":\"input_required\",\"requestState\":\"s\"");
        if (!more) add_result(&bench, NULL, SAID);
        expect(&bench, MCP_BAD_RESULT, more ? "the server asks back over and over" : NULL);
    }
}

static void redirects(void **state) {
    (void)state;
    STATED(MCP_REDIRECTS_MAX, 5, "the call fails");
    for (int more = 0; more < 2; more++) {
        struct bench bench;
        init(&bench);
        add_modern(&bench);
        for (int i = 0; i < MCP_REDIRECTS_MAX + more; i++)
            add(&bench, &(struct mock_answer){.status = 308, .headers = "Location: /v1/x\r\n"});
        if (!more) add_result(&bench, NULL, SAID);
        expect(&bench, MCP_BROKEN, more ? "the server redirects over and over" : NULL);
    }
}

/* The first stream answers the request, each of the others a reconnection. */
static void reconnections(void **state) {
    (void)state;
    STATED(MCP_RECONNECTS_MAX, 10, "the call fails");
    for (int more = 0; more < 2; more++) {
        struct bench bench;
        init(&bench);
        add_legacy(&bench, NULL);
        for (int i = 0; i < MCP_RECONNECTS_MAX + more; i++)
            add(&bench,
                &(struct mock_answer){.headers = EVENTS, .body = "id: e\nretry: 1\ndata: \n\n"});
        if (!more) add_result(&bench, NULL, SAID);
        expect(&bench, MCP_BROKEN, more ? "the server ends its answer over and over" : NULL);
    }
}

/* None of the replies is taken by the server; what is asked beyond them is not answered. */
static void replies(void **state) {
    (void)state;
    STATED(MCP_REPLIES_MAX, 16, "more is not answered");
    for (size_t more = 0; more < 2; more++) {
        struct bench bench;
        init(&bench);
        add_legacy(&bench, NULL);
        struct buf *body = begin(&bench, &(struct mock_answer){.headers = EVENTS});
        for (size_t i = 0; i < MCP_REPLIES_MAX + more; i++)
            buf_puts(body, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\n");
        buf_printf(body, "data: {\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{" SAID "}}\n\n",
                   bench.id);
        size_t before = bench.count;
        while (bench.count < before + MCP_REPLIES_MAX + 1)
            add(&bench, &(struct mock_answer){.mode = MOCK_HANG});
        start(&bench);
        uint64_t end = uv_hrtime() + 300000000;
        while (uv_hrtime() < end) uv_run(&bench.loop, UV_RUN_NOWAIT);
        assert_string_equal(bench.call.result.ptr, "fine");
        assert_int_equal(mock_count(bench.server), before + MCP_REPLIES_MAX);
        finish(&bench);
    }
}

/* ## How much */

static void results(void **state) {
    (void)state;
    STATED(MCP_RESULT_MAX, 1 << 20, "the call fails");
    for (size_t more = 0; more < 2; more++) {
        struct bench bench;
        init(&bench);
        add_modern(&bench);
        struct buf *body = begin(&bench, &(struct mock_answer){.status = 200});
        buf_puts(body, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\","
                       "\"text\":\"");
        for (size_t i = 0; i < MCP_RESULT_MAX + more; i++) buf_putc(body, 'x');
        buf_puts(body, "\"}]}}");
        start(&bench);
        while (!bench.done) uv_run(&bench.loop, UV_RUN_ONCE);
        assert_int_equal(bench.call.outcome, more ? MCP_BAD_RESULT : MCP_FINE);
        if (!more) assert_int_equal(bench.call.result.len, MCP_RESULT_MAX);
        else
            assert_string_equal(bench.call.result.ptr,
                                "the server's result is longer than 1 MiB; ask for less of it");
        finish(&bench);
    }
}

/* A message, blanks within, that is so many bytes long: the body, or a line of an event stream. */
static void expect_message(const char *headers, const char *before, const char *after,
                           size_t length, const char *refused) {
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":2,", tail[] = "\"result\":{" SAID "}}";
    struct bench bench;
    init(&bench);
    add_modern(&bench);
    struct buf *body = begin(&bench, &(struct mock_answer){.headers = headers});
    buf_puts(body, before);
    buf_puts(body, head);
    while (body->len < length - strlen(tail)) buf_putc(body, ' ');
    buf_puts(body, tail);
    assert_int_equal(body->len, length);
    buf_puts(body, after);
    expect(&bench, MCP_BROKEN, refused);
}

static void messages(void **state) {
    (void)state;
    STATED(MCP_LINE_MAX, 16 << 20, "the server is given up");
    expect_message(NULL, "", "", MCP_LINE_MAX, NULL);
    expect_message(NULL, "", "", MCP_LINE_MAX + 1, "the server's answer is longer than 16 MiB");
    expect_message(EVENTS, "data: ", "\n\n", MCP_LINE_MAX, NULL);
    expect_message(EVENTS, "data: ", "\n\n", MCP_LINE_MAX + 1,
                   "the server sent an event longer than 16 MiB");
}

/* ## How long */

static uint64_t now_ms(void) {
    return uv_hrtime() / 1000000;
}

/* Real time: what is answered late decides nothing any more. */
static void probe(void **state) {
    struct bench bench;
    (void)state;
    STATED(MCP_PROBE_MS, 3000, "the handshake of the older ones is tried");
    init(&bench);
    bench.id++;
    add(&bench, &(struct mock_answer){.mode = MOCK_HANG});
    add_handshake(&bench, NULL);
    add_result(&bench, NULL, SAID);
    start(&bench);
    while (bench.client->state != MCP_PROBING) uv_run(&bench.loop, UV_RUN_ONCE);
    uint64_t began = now_ms();
    while (bench.client->state == MCP_PROBING) uv_run(&bench.loop, UV_RUN_ONCE);
    uint64_t took = now_ms() - began;
    assert_true(took >= MCP_PROBE_MS - 10 && took < MCP_PROBE_MS + 1500);
    while (!bench.done) uv_run(&bench.loop, UV_RUN_ONCE);
    assert_string_equal(bench.call.result.ptr, "fine");
    finish(&bench);
}

/* A minute is not waited for: the timer is looked at. test_mcp.c shows what it does. */
static void handshake(void **state) {
    struct bench bench;
    (void)state;
    STATED(MCP_HANDSHAKE_MS, 60000, "it does not answer the handshake");
    init(&bench);
    bench.id++;
    add(&bench, &(struct mock_answer){.status = 404, .body = "{}"});
    add(&bench, &(struct mock_answer){.mode = MOCK_HANG});
    start(&bench);
    while (bench.client->state != MCP_INITIALIZING) uv_run(&bench.loop, UV_RUN_ONCE);
    uint64_t left = uv_timer_get_due_in(&bench.client->timer);
    assert_true(left > MCP_HANDSHAKE_MS - 500 && left <= MCP_HANDSHAKE_MS);
    finish(&bench);
}

/* How long it waits before it connects again to a server that asks for so many milliseconds. */
static void expect_wait(uint64_t asked, uint64_t wait) {
    struct bench bench;
    uint64_t due = 0;
    init(&bench);
    add_legacy(&bench, NULL);
    buf_printf(begin(&bench, &(struct mock_answer){.headers = EVENTS}),
               "id: e\nretry: %u\ndata: \n\n", (unsigned)asked);
    start(&bench);
    while (due == 0) {
        uv_run(&bench.loop, UV_RUN_ONCE);
        const struct mcp_http *owner =
            (const struct mcp_http *)(const void *)bench.client->transport;
        for (const struct exchange *one = owner ? owner->exchanges : NULL; one; one = one->next)
            if (one->due) due = one->due;
    }
    uint64_t left = due - uv_now(&bench.loop);
    if (left > wait || left + 40 < wait)
        fail_msg("asked for %u, waits %u", (unsigned)asked, (unsigned)left);
    finish(&bench);
}

static void waits(void **state) {
    (void)state;
    STATED(MCP_RECONNECT_MAX_MS, 60000, "the wait is this long");
    STATED(MCP_RECONNECT_MIN_MS, 250, "the wait is this long");
    expect_wait(MCP_RECONNECT_MAX_MS - 1000, MCP_RECONNECT_MAX_MS - 1000);
    expect_wait(MCP_RECONNECT_MAX_MS, MCP_RECONNECT_MAX_MS);
    expect_wait(MCP_RECONNECT_MAX_MS + 1000, MCP_RECONNECT_MAX_MS);
    expect_wait(MCP_RECONNECT_MIN_MS + 100, MCP_RECONNECT_MIN_MS + 100);
    expect_wait(MCP_RECONNECT_MIN_MS, MCP_RECONNECT_MIN_MS);
    expect_wait(MCP_RECONNECT_MIN_MS - 100, MCP_RECONNECT_MIN_MS);
}

/* ## Headers that repeat arguments */

static const char *read_mirrors(const char *schema, size_t *count) {
    struct mcp_parameter *list;
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *document = json_parse(&arena, text_of(schema), NULL);
    assert_non_null(document);
    const char *why = mcp_mirrors_read(&list, &arena, document);
    for (*count = 0; list; list = list->next) ++*count;
    arena_free(&arena);
    return why;
}

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
}

static const char *nested(const char *open, const char *close, size_t depth, size_t *count) {
    struct buf schema;
    buf_init(&schema, NULL, 1 << 16);
    put_times(&schema, open, depth);
    buf_puts(&schema, "{\"type\":\"string\",\"x-mcp-header\":\"H\"}");
    put_times(&schema, close, depth);
    buf_putc(&schema, '\0');
    const char *why = read_mirrors(schema.ptr, count);
    buf_free(&schema);
    return why;
}

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

/* An argument below `properties`; and, elsewhere, one for which the tool would be left out. */
static void mirror_depth(void **state) {
    static const char elsewhere[] = "an x-mcp-header where no argument simply stands";
    size_t count;
    (void)state;
    STATED(MCP_MIRROR_DEPTH, 16, "what stands deeper is not seen");
    for (size_t more = 0; more < 2; more++) {
        assert_null(nested("{\"properties\":{\"a\":", "}}", MCP_MIRROR_DEPTH + more, &count));
        assert_int_equal(count, !more);
        const char *why = nested("{\"not\":", "}", MCP_MIRROR_DEPTH + more, &count);
        if (more) assert_null(why);
        else assert_string_equal(why, elsewhere);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions),      cmocka_unit_test(rounds),  cmocka_unit_test(redirects),
        cmocka_unit_test(reconnections), cmocka_unit_test(replies), cmocka_unit_test(results),
        cmocka_unit_test(messages),      cmocka_unit_test(probe),   cmocka_unit_test(handshake),
        cmocka_unit_test(waits),         cmocka_unit_test(mirrors), cmocka_unit_test(mirror_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
