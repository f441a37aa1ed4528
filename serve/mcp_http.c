/* Answers an MCP client that sends its messages over HTTP, each in a POST of its own: with one JSON
 * document, or with 202 where nothing is to be said. No session is kept: a client with a handshake
 * gets none, and does without. Nobody can listen for changes here, or for progress. */
#include "serve/mcp_peer.h"
#include "serve/service.h"

#include "base/text.h"

struct mcp_exchange {
    struct asked *asked;
    struct mcp_peer peer;
    unsigned status; /* of the answer */
};

static void answer_error(struct asked *asked, unsigned status, const struct mcp_said *said,
                         enum mcp_code code, const char *why) {
    struct buf out;
    buf_init(&out, &asked->service->allocator, MCP_LINE_MAX);
    mcp_say_error(&out, said->id, code, text_of(why), said->revision);
    reply_json(asked, status, &out);
}

/* ## Headers: what stands in them and in the body is the same */

static const char *wrong_with_headers(const struct asked *asked, const struct mcp_said *said) {
    const struct asked_headers *headers = &asked->headers;
    const struct json *name = json_get(said->params, "name");
    if (!said->is_modern || !said->revision.len) return NULL;
    if (!text_eq(text_trim(headers->mcp_revision), said->revision))
        return "MCP-Protocol-Version is not what the body says";
    if (!text_eq(text_trim(headers->mcp_method), said->method))
        return "Mcp-Method is not what the body says";
    if (!text_is(said->method, "tools/call") || !json_is(name, JSON_STRING)) return NULL;
    return text_eq(text_trim(headers->mcp_name), name->text) ? NULL
                                                             : "Mcp-Name is not what the body says";
}

/* ## The exchange */

static void close_exchange(struct asked *asked) {
    struct mcp_exchange *exchange = asked->exchange;
    asked->exchange = NULL;
    asked->service->running--;
    pump_unwatch(asked);
    mcp_peer_close(&exchange->peer);
}

static void send_answer(void *ctx, struct buf *message) {
    struct mcp_exchange *exchange = ctx;
    struct asked *asked = exchange->asked;
    pump_unwatch(asked);
    if (asked->connection && !asked->status) reply_json(asked, exchange->status, message);
    buf_init(message, &asked->service->allocator, 1);
}

/* The peer is still at work when it says that it has nothing to do: request_end closes it. */
static void stay(void *ctx) {
    (void)ctx;
}

void mcp_exchange_cancel(struct asked *asked) {
    close_exchange(asked);
    if (asked->connection && !asked->status)
        reply_error(asked, 503, "canceled", "the call was canceled");
}

static void start(struct asked *asked, const struct mcp_said *said) {
    struct service *service = asked->service;
    if (service->running >= service->options.max_runs) {
        reply_error(asked, 503, "busy", "%zu calls are under way, and no more are taken",
                    service->running);
        return;
    }
    struct mcp_exchange *exchange = ARENA_NEW(&asked->arena, struct mcp_exchange);
    if (!exchange || !pump_watch(asked)) {
        reply_nomem(asked);
        return;
    }
    bool is_unknown = said->is_modern && !mcp_peer_knows(said);
    *exchange = (struct mcp_exchange){.asked = asked, .status = is_unknown ? 404 : 200};
    exchange->peer = (struct mcp_peer){.allocator = service->allocator,
                                       .loop = service->loop,
                                       .shelf = service->options.shelf,
                                       .max_calls = 1,
                                       .send = send_answer,
                                       .idle = stay,
                                       .ctx = exchange};
    asked->exchange = exchange;
    service->running++;
    mcp_peer_open(&exchange->peer);
    mcp_peer_take_said(&exchange->peer, said);
}

void answer_mcp(struct asked *asked) {
    struct mcp_said said;
    if (!mcp_said_read(&said, &asked->arena, buf_view(&asked->body))) {
        reply_nomem(asked);
        return;
    }
    bool is_request = said.kind == MCP_SAID_REQUEST;
    const char *mismatch = is_request ? wrong_with_headers(asked, &said) : NULL;
    if (mismatch) answer_error(asked, 400, &said, MCP_CODE_HEADERS, mismatch);
    else if (said.wrong) answer_error(asked, 400, &said, said.code, said.wrong);
    else if (!is_request) reply_constant(asked, 202, NULL, TEXT(""));
    else if (text_is(said.method, "subscriptions/listen"))
        answer_error(asked, 404, &said, MCP_CODE_METHOD, "changes are not told over HTTP");
    else start(asked, &said);
}
