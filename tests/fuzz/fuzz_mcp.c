/* Fuzzes what an MCP server may say: each line of the input is a message to a client that waits for
 * a list and for a call. The first byte chooses the era and whether the handshake is still on. What
 * the client sends is one line of JSON each time, and nothing is answered twice. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/text.h"
#include "runtime/net/http.h"
#include "runtime/mcp/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct play {
    struct mcp_transport transport;
    uv_loop_t loop;
    struct mcp_client *client;
    struct mcp_listing listing;
    struct mcp_call call;
    int listed, called;
};

static void demand(bool condition) {
    if (!condition) abort();
}

static gramc_status take(struct mcp_transport *transport, const struct mcp_message *message) {
    struct arena arena;
    (void)transport;
    arena_init(&arena, NULL);
    demand(json_is(json_parse(&arena, message->line, NULL), JSON_OBJECT));
    demand(!memchr(message->line.ptr, '\n', message->line.len));
    arena_free(&arena);
    return GRAMC_OK;
}

static void drop(struct mcp_transport *transport, uint64_t id) {
    (void)transport;
    (void)id;
}

static void stop(struct mcp_transport *transport) {
    (void)transport;
}

static void list_done(struct mcp_listing *listing) {
    struct play *play = listing->ctx;
    demand(++play->listed == 1);
    demand(listing->outcome == MCP_FINE || listing->why[0]);
}

static void call_done(struct mcp_call *call) {
    struct play *play = call->ctx;
    demand(++play->called == 1);
}

static void open_play(struct play *play, uint8_t how) {
    static const char *const none[] = {NULL};
    static const struct mcp_address address = {"http://127.0.0.1:9/", none, NULL};
    const struct mcp_place place = {.address = &address};
    const gramc_allocator allocator = mem_default();
    memset(play, 0, sizeof(*play));
    play->transport = (struct mcp_transport){take, drop, stop};
    demand(uv_loop_init(&play->loop) == 0);
    demand(mcp_client_new(&play->client, &play->loop, &allocator, &place) == GRAMC_OK);
    play->client->transport = &play->transport;
    play->client->state = how & 2 ? MCP_PROBING : MCP_READY;
    play->client->is_modern = how & 1;
    play->client->version = how & 1 ? mcp_modern : mcp_legacy[0];
    play->client->probe = 3;
    play->client->next_id = 4;
    play->listing = (struct mcp_listing){.done = list_done, .ctx = play, .allocator = allocator};
    play->call = (struct mcp_call){
        .tool = TEXT("t"), .done = call_done, .ctx = play, .allocator = allocator};
    mcp_list_start(play->client, &play->listing);
    mcp_call_start(play->client, &play->call);
    play->listing.request.id = 1;
    play->call.request.id = 2;
}

static void close_play(struct play *play) {
    mcp_client_close(play->client);
    demand(play->listed == 1 && play->called == 1);
    mcp_list_free(&play->listing);
    mcp_call_free(&play->call);
    uv_run(&play->loop, UV_RUN_DEFAULT);
    demand(uv_loop_close(&play->loop) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct play play;
    if (size == 0 || size > 1 << 16) return 0;
    open_play(&play, data[0]);
    gramc_text rest = {(const char *)data + 1, size - 1};
    while (rest.len && play.client->transport) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.ptr) : rest.len;
        mcp_take_line(play.client, text_slice(rest, 0, len));
        rest = text_slice(rest, end ? len + 1 : len, rest.len);
        uv_run(&play.loop, UV_RUN_NOWAIT);
    }
    close_play(&play);
    return 0;
}
