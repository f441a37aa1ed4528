/* Answers an MCP client that sends its messages over HTTP, each in a POST of its own: with one JSON
 * document, or with a stream of events where something is to be told before the answer; with 202
 * where nothing is to be said. No session is kept: a client with a handshake gets none, and hears
 * of changes on a stream that it asks for with GET. */
#include "serve/mcp_exchange.h"
#include "serve/mcp_peer.h"
#include "serve/mcp_watch.h"

#include "base/text.h"
#include "runtime/mcp/client.h"

struct mcp_exchange {
    struct asked *asked;
    struct mcp_peer peer;
    gramc_text id;     /* of the request; empty: nothing is asked */
    unsigned status;   /* of an answer that is one document */
    bool is_listening; /* hears of changes, and is none of the calls that count */
    bool is_telling;   /* its messages are being written */
    bool is_lost;      /* the client takes none of them: it is to be closed */
};

static void answer_error(struct asked *asked, unsigned status, gramc_text id,
                         const struct mcp_mismatch *what) {
    struct buf out;
    buf_init(&out, &asked->service->allocator, MCP_LINE_MAX);
    mcp_say_error(&out, id, what->code, text_of(what->why), what->revision);
    reply_json(asked, status, &out);
}

/* ## What is sent */

static bool takes_stream(const struct asked *asked) {
    const gramc_text accept = asked->headers.accept; /* the library's, with a NUL behind */
    return accept.len && strstr(accept.ptr, "text/event-stream");
}

static bool begin_stream(struct asked *asked) {
    if (!outpour_begin(asked)) return false;
    reply_go_on(asked);
    return true;
}

static void put_event(struct asked *asked, const struct buf *message) {
    struct buf *out = outpour_buffer(asked);
    if (!out) return;
    buf_puts(out, "event: message\ndata: ");
    buf_text(out, buf_view(message));
    buf_puts(out, "\n\n");
    if (buf_status(message)) out->state = BUF_NOMEM;
    if (asked->exchange) asked->exchange->is_telling = true; /* see mcp_exchange_cancel */
    outpour_flush(asked);
    if (asked->exchange) asked->exchange->is_telling = false;
}

static void send_message(void *ctx, struct buf *message, bool is_answer) {
    struct mcp_exchange *exchange = ctx;
    struct asked *asked = exchange->asked;
    if (!asked->connection) return;
    if (is_answer && !asked->stream) {
        pump_unwatch(asked);
        if (asked->status) return;
        reply_json(asked, exchange->status, message);
        buf_init(message, &asked->service->allocator, 1);
    } else if (asked->stream || (!asked->status && takes_stream(asked) && begin_stream(asked))) {
        put_event(asked, message);
        if (is_answer) outpour_end(asked);
    }
}

/* ## The exchange */

static void close_exchange(struct asked *asked) {
    struct mcp_exchange *exchange = asked->exchange;
    struct service *service = asked->service;
    asked->exchange = NULL;
    if (exchange->is_listening) service->listening--;
    else service->running--;
    pump_unwatch(asked);
    mcp_peer_close(&exchange->peer);
}

/* The peer is still at work when it says that it has nothing to do: request_end closes it. */
static void stay(void *ctx) {
    (void)ctx;
}

static void tell_canceled(struct asked *asked, gramc_text id) {
    static const struct mcp_mismatch canceled = {
        MCP_CODE_INTERNAL, "the call was canceled", {"", 0}};
    struct buf out;
    if (!asked->stream && !asked->status) {
        answer_error(asked, 503, id, &canceled);
    } else if (asked->stream && id.len) {
        buf_init(&out, &asked->service->allocator, MCP_LINE_MAX);
        mcp_say_error(&out, id, canceled.code, text_of(canceled.why), canceled.revision);
        put_event(asked, &out);
        buf_free(&out);
    }
    outpour_end(asked);
}

/* From within what writes to it, its peer cannot be closed: that is done at the next tick. */
void mcp_exchange_cancel(struct asked *asked) {
    gramc_text id = asked->exchange->id;
    if (asked->exchange->is_telling) {
        asked->exchange->is_lost = true;
        return;
    }
    close_exchange(asked);
    if (asked->connection) tell_canceled(asked, id);
}

static struct mcp_exchange *open_exchange(struct asked *asked, bool is_listening) {
    struct service *service = asked->service;
    struct mcp_exchange *exchange = ARENA_NEW(&asked->arena, struct mcp_exchange);
    if (!exchange || !pump_watch(asked)) {
        reply_nomem(asked);
        return NULL;
    }
    *exchange = (struct mcp_exchange){.asked = asked, .status = 200, .is_listening = is_listening};
    exchange->peer = (struct mcp_peer){.allocator = service->allocator,
                                       .loop = service->loop,
                                       .shelf = service->shelf,
                                       .max_calls = 1,
                                       .is_watched = service->options.source != NULL,
                                       .send = send_message,
                                       .idle = stay,
                                       .ctx = exchange};
    asked->exchange = exchange;
    if (is_listening) service->listening++;
    else service->running++;
    mcp_peer_open(&exchange->peer);
    return exchange;
}

/* Half of the connections are left to those that call. */
static bool has_room(const struct service *service, bool is_listening) {
    return is_listening ? service->listening < service->options.max_connections / 2
                        : service->running < service->options.max_runs;
}

static void start(struct asked *asked, const struct mcp_said *said) {
    static const struct mcp_mismatch busy = {
        MCP_CODE_INTERNAL, "as much is under way as is taken", {"", 0}};
    static const struct mcp_mismatch no_stream = {
        MCP_CODE_REQUEST, "what is to be told takes an Accept with text/event-stream", {"", 0}};
    bool is_listening = said->is_modern && text_is(said->method, "subscriptions/listen");
    if (!has_room(asked->service, is_listening)) {
        answer_error(asked, 503, said->id, &busy);
    } else if (is_listening && !takes_stream(asked)) {
        answer_error(asked, 406, said->id, &no_stream);
    } else {
        struct mcp_exchange *exchange = open_exchange(asked, is_listening);
        if (!exchange) return;
        exchange->id = said->id;
        if (said->is_modern && !mcp_peer_knows(said)) exchange->status = 404;
        mcp_peer_take_said(&exchange->peer, said);
    }
}

void answer_mcp(struct asked *asked) {
    struct mcp_said said;
    struct mcp_mismatch mismatch;
    if (!mcp_said_read(&said, &asked->arena, buf_view(&asked->body))) {
        reply_nomem(asked);
        return;
    }
    bool fits = mcp_headers_fit(asked, &said, &mismatch);
    const struct mcp_mismatch wrong = {said.code, said.wrong, said.revision};
    if (asked->arena.oom) reply_nomem(asked);
    else if (!fits) answer_error(asked, 400, said.id, &mismatch);
    else if (said.wrong) answer_error(asked, 400, said.id, &wrong);
    else if (said.kind != MCP_SAID_REQUEST) reply_constant(asked, 202, NULL, TEXT(""));
    else start(asked, &said);
}

/* A stream for those with a handshake, on which they hear of changes. There is nothing else that a
 * server would say unasked, and nothing of it is said again to who comes back. */
void answer_mcp_stream(struct asked *asked) {
    bool is_modern = text_is(text_trim(asked->headers.mcp_revision), mcp_modern);
    bool is_get = text_is(asked->method, "GET");
    if (!is_get || is_modern || !takes_stream(asked)) {
        asked->allow = "POST";
        reply_error(asked, 405, "wrong_method", "here only POST is answered");
    } else if (!has_room(asked->service, true)) {
        reply_error(asked, 503, "busy", "as many are listening as are taken");
    } else {
        struct mcp_exchange *exchange = open_exchange(asked, true);
        if (!exchange) return;
        exchange->peer.is_greeted = true;
        if (!begin_stream(asked)) {
            reply_nomem(asked);
            return;
        }
        buf_puts(outpour_buffer(asked), ":\n\n"); /* so that the headers are sent */
        outpour_flush(asked);
    }
}

/* ## All of them */

void mcp_exchanges_tick(struct service *service) {
    struct tool_shelf *shelf = shelf_watch_look(&service->watch);
    for (struct asked *asked = service->requests; asked; asked = asked->next) {
        struct mcp_exchange *exchange = asked->exchange;
        if (!exchange) continue;
        if (shelf) mcp_peer_change(&exchange->peer, shelf);
        mcp_peer_tick(&exchange->peer);
        if (exchange->is_lost) mcp_exchange_cancel(asked);
    }
    if (!shelf) return;
    shelf_let_go(service->shelf);
    service->shelf = shelf;
}

void mcp_exchanges_dismiss(struct service *service) {
    for (struct asked *asked = service->requests; asked; asked = asked->next) {
        if (!asked->exchange || !asked->exchange->is_listening) continue;
        mcp_peer_dismiss(&asked->exchange->peer);
        outpour_end(asked);
    }
}
