/* What is said to an MCP client, wherever memory runs out. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "gramc/spec.h"
#include "serve/mcp_peer.h"

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* An allocator whose n-th request fails, once; 0: none does. */
struct faulty {
    size_t until, live;
    bool failed;
};

static void *faulty_alloc(void *ctx, void *old, size_t old_size, size_t size) {
    struct faulty *faulty = ctx;
    (void)old_size;
    if (!size) {
        faulty->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (faulty->until && --faulty->until == 0) {
        faulty->failed = true;
        return NULL;
    }
    faulty->live += old == NULL;
    return realloc(old, size);
}

struct heard {
    size_t messages, answers, results, errors, broken;
};

static void hear(void *ctx, struct buf *message, bool is_answer) {
    struct heard *heard = ctx;
    struct arena arena;
    heard->messages++;
    heard->answers += is_answer;
    if (buf_status(message)) {
        heard->broken++;
        return;
    }
    arena_init(&arena, NULL);
    const struct json *root = json_parse(&arena, buf_view(message), NULL);
    assert_non_null(root);
    heard->results += json_get(root, "result") != NULL;
    heard->errors += json_get(root, "error") != NULL;
    arena_free(&arena);
}

static void do_nothing(void *ctx) {
    (void)ctx;
}

static const char *const messages[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"ping\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"server/discover\",\"params\":{" META "}}",
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"ping\","
    "\"arguments\":{}," META "}}",
    "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"subscriptions/listen\",\"params\":{"
    "\"notifications\":{\"toolsListChanged\":true}," META "}}",
};
enum { MESSAGES = sizeof(messages) / sizeof(*messages) };

/* All messages to one peer; says whether memory ran out on the way. */
static bool converse(size_t fault, struct heard *heard) {
    struct faulty faulty = {.until = 0};
    const gramc_allocator allocator = {faulty_alloc, &faulty};
    const gramc_impl impl = {
        .name = TEXT("ping"), .kind = GRAMC_IMPL_RETURNS, .target = TEXT("\"pong\"")};
    gramc_library_maker *maker;
    const gramc_library *library;
    gramc_bound *bound;
    gramc_loop *loop;
    gramc_bind_options binding = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options looping = GRAMC_LOOP_OPTIONS_INIT;
    char why[256];
    assert_int_equal(gramc_library_maker_new(&maker, TEXT("t"), TEXT(""), NULL), GRAMC_OK);
    assert_int_equal(gramc_library_maker_add_impl(maker, &impl), GRAMC_OK);
    assert_int_equal(gramc_library_maker_finish(&library, maker, (gramc_reader){NULL, NULL}),
                     GRAMC_OK);
    assert_int_equal(gramc_bind_tool(&bound, library, TEXT("ping"), &binding), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, &looping), GRAMC_OK);
    faulty.until = fault;
    const struct shelf_item item = {bound, TEXT(""), NULL};
    const struct shelf_options options = {
        .allocator = &allocator, .loop = loop, .items = &item, .item_count = 1};
    struct tool_shelf *shelf;
    gramc_status status = shelf_new(&shelf, &options, why);
    assert_true(status == GRAMC_OK || (status == GRAMC_NOMEM && faulty.failed));
    if (status == GRAMC_OK) {
        struct mcp_peer peer = {.allocator = allocator,
                                .loop = loop,
                                .shelf = shelf,
                                .max_calls = 2,
                                .is_watched = true,
                                .send = hear,
                                .idle = do_nothing,
                                .ctx = heard};
        mcp_peer_open(&peer);
        for (size_t i = 0; i < MESSAGES; i++) mcp_peer_take(&peer, text_of(messages[i]));
        mcp_peer_change(&peer, shelf);
        mcp_peer_dismiss(&peer);
        mcp_peer_close(&peer);
        shelf_let_go(shelf);
    }
    assert_int_equal(faulty.live, 0);
    assert_int_equal(gramc_loop_close(loop, 0), 0);
    gramc_bound_free(bound);
    gramc_library_maker_free(maker);
    return faulty.failed;
}

static void all_is_answered(void **state) {
    struct heard heard = {0};
    (void)state;
    assert_false(converse(0, &heard));
    assert_int_equal(heard.results, MESSAGES); /* that of listening at the end */
    assert_int_equal(heard.errors, 0);
    assert_int_equal(heard.answers, MESSAGES);
    assert_int_equal(heard.messages, MESSAGES + 2); /* it is acknowledged, and a change told */
}

/* Whatever fails, nothing leaks, and whoever asked hears of it, unless it cannot even be said. */
static void memory_runs_out(void **state) {
    size_t faults = 0;
    struct heard heard;
    (void)state;
    for (;; faults++) {
        heard = (struct heard){0};
        if (!converse(faults + 1, &heard)) break;
        assert_true(heard.messages == 0 || heard.messages >= MESSAGES);
    }
    assert_true(faults > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_is_answered),
                                       cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
