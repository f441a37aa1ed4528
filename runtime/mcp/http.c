/* Posts messages to an MCP server and cuts what comes back into messages. Keeps the session that
 * the server gives, connects again to a stream that ended before its answer, follows redirects
 * within the server's own origin, and ends the session when it is let go. */
#include "runtime/mcp/http.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/foreign.h"
#include "runtime/mcp/exchange.h"
#include "runtime/tool_http.h"

static bool is_wanted(const struct exchange *exchange) {
    const struct mcp_events *events = &exchange->owner->events;
    if (exchange->is_stream) return events->line != NULL;
    return events->line && exchange->id && events->waits(events->ctx, exchange->id);
}

/* Frees it. */
static void fail(struct exchange *exchange, enum mcp_failure_kind kind, const char *why) {
    struct mcp_events events = exchange->owner->events;
    struct mcp_failure failure = {.kind = kind, .why = why};
    if (exchange->kind == BODY_ERROR) failure.body = buf_view(&exchange->request.response);
    uint64_t id = exchange->id;
    bool wanted = is_wanted(exchange);
    exchange->is_busy = true;
    if (wanted && id) events.failed(events.ctx, id, &failure);
    exchange->is_busy = false;
    exchange_free(exchange);
}

/* ## Waiting */

static void on_due(uv_timer_t *timer);

static uint64_t sooner(uint64_t a, uint64_t b) {
    return a && (b == 0 || a < b) ? a : b;
}

static void set_timer(struct mcp_http *owner) {
    uint64_t due = owner->stream_due;
    for (const struct exchange *one = owner->exchanges; one; one = one->next)
        if (!one->is_dead) due = sooner(sooner(one->due, one->more_due), due);
    uv_timer_stop(&owner->timer);
    if (due == 0 || owner->closed) return;
    uint64_t now = uv_now(owner->loop);
    uv_timer_start(&owner->timer, on_due, due > now ? due - now : 0, 0);
}

static void wait_for(struct exchange *exchange, uint64_t wait_ms) {
    uv_update_time(exchange->owner->loop);
    exchange->due = uv_now(exchange->owner->loop) + wait_ms;
    set_timer(exchange->owner);
}

/* ## Sending */

static void on_data(struct http_request *request);
static void on_done(struct http_request *request);

static struct exchange *make_exchange(struct mcp_http *owner) {
    struct exchange *exchange = exchange_new(owner);
    if (!exchange) return NULL;
    exchange->request.data = on_data;
    exchange->request.done = on_done;
    return exchange;
}

/* Not before the handshake, and not where there is no session. */
static void look_for_stream_later(struct mcp_http *owner, const struct mcp_message *message) {
    bool asks = message->id && message->version && !message->stateless;
    owner->version = message->version;
    if (!asks || owner->has_stream || owner->stream_due || owner->session[0] == '\0') return;
    uv_update_time(owner->loop);
    owner->stream_due = uv_now(owner->loop) + MCP_PATIENCE_MS;
    set_timer(owner);
}

/* Whoever asks without end is not answered without end. */
static bool mark_reply(struct exchange *exchange, const struct mcp_message *message) {
    struct mcp_http *owner = exchange->owner;
    if (message->method) return true;
    if (owner->replies == MCP_REPLIES_MAX) return false;
    owner->replies++;
    exchange->is_reply = true;
    return true;
}

static gramc_status send_message(struct mcp_transport *transport,
                                 const struct mcp_message *message) {
    struct mcp_http *owner = (struct mcp_http *)(void *)transport;
    struct exchange *exchange = make_exchange(owner);
    if (!exchange) return GRAMC_NOMEM;
    if (!mark_reply(exchange, message)) {
        exchange_free(exchange);
        return GRAMC_LIMIT;
    }
    exchange->id = message->id;
    exchange->version = message->version;
    exchange->stateless = message->stateless;
    exchange->opens_session = message->method && strcmp(message->method, "initialize") == 0;
    if (exchange->opens_session) owner->session[0] = '\0';
    buf_text(&exchange->body, message->line);
    exchange_begin(exchange, false);
    exchange_add_session(exchange);
    exchange_add_message(exchange, message);
    gramc_status status = exchange_send(exchange, "POST");
    if (status != GRAMC_OK) exchange_free(exchange);
    else if (exchange->is_reply) wait_for(exchange, MCP_REPLY_MS);
    else look_for_stream_later(owner, message);
    return status;
}

/* Told of what it has not told yet. */
static void go_on(struct exchange *exchange) {
    exchange->more_due = 0;
    if (exchange->is_running) on_data(&exchange->request);
    else on_done(&exchange->request);
}

/* Listens; behind the last event, if there was one. */
static void get(struct exchange *exchange) {
    gramc_text last_id = buf_view(&exchange->events.last_id);
    const char *version = exchange->version;
    buf_reset(&exchange->body);
    arena_free(&exchange->arena);
    arena_init(&exchange->arena, &exchange->owner->allocator);
    exchange_begin(exchange, true);
    exchange_add_session(exchange);
    if (version) exchange_add(exchange, "MCP-Protocol-Version", text_of(version));
    if (last_id.len) exchange_add(exchange, "Last-Event-ID", last_id);
    sse_restart(&exchange->events);
    if (exchange_send(exchange, "GET") != GRAMC_OK)
        fail(exchange, MCP_FAILED_NOMEM, "out of memory");
}

static bool awaits_answers(const struct mcp_http *owner) {
    for (const struct exchange *one = owner->exchanges; one; one = one->next)
        if (is_wanted(one)) return true;
    return false;
}

static void open_stream(struct mcp_http *owner) {
    owner->stream_due = 0;
    struct exchange *exchange = awaits_answers(owner) ? make_exchange(owner) : NULL;
    if (!exchange) return;
    owner->has_stream = exchange->is_stream = true;
    exchange->version = owner->version;
    get(exchange);
}

static void on_due(uv_timer_t *timer) {
    struct mcp_http *owner = timer->data;
    struct exchange *next;
    uint64_t now = uv_now(owner->loop);
    for (struct exchange *one = owner->exchanges; one; one = next) {
        next = one->next;
        bool has_more = one->more_due && one->more_due <= now;
        bool is_due = one->due && one->due <= now;
        if (one->is_dead || (!is_due && !has_more)) continue;
        if (is_due) one->due = 0;
        if (is_due && one->is_running) exchange_free(one); /* it has answered, or says goodbye */
        else if (has_more) go_on(one);
        else if (is_wanted(one)) get(one);
        else exchange_free(one);
        next = owner->exchanges; /* any of these may have ended others */
        if (owner->closed) return;
    }
    if (owner->stream_due && owner->stream_due <= now) open_stream(owner);
    set_timer(owner);
}

/* ## What comes back */

static bool is_type(gramc_text type, const char *name) {
    size_t len = strlen(name);
    return text_is_nocase(text_slice(type, 0, type.len < len ? type.len : len), name);
}

static gramc_text kept_value(const struct http_request *request, const char *name) {
    gramc_text kept = buf_view(&request->kept);
    size_t len = strlen(name);
    while (kept.len) {
        const char *end = memchr(kept.ptr, '\n', kept.len);
        size_t line = end ? (size_t)(end - kept.ptr) : kept.len;
        if (line > len + 1 && text_starts(kept, name) && kept.ptr[len] == ':')
            return text_trim(text_slice(kept, len + 1, line));
        kept = text_slice(kept, end ? line + 1 : line, kept.len);
    }
    return kept;
}

/* Only visible ASCII, as the protocol says: it is sent back in a header. */
static void take_session(struct exchange *exchange) {
    gramc_text id = kept_value(&exchange->request, "Mcp-Session-Id");
    char *session = exchange->owner->session;
    if (!exchange->opens_session || id.len == 0 || id.len >= SESSION_MAX) return;
    for (size_t i = 0; i < id.len; i++)
        if (id.ptr[i] <= 0x20 || id.ptr[i] > 0x7E) return;
    memcpy(session, id.ptr, id.len);
    session[id.len] = '\0';
}

static void decide_kind(struct exchange *exchange) {
    long status = exchange->request.status;
    gramc_text type = kept_value(&exchange->request, "Content-Type");
    if (exchange->kind != BODY_UNKNOWN) return;
    if (status < 200 || status >= 300) {
        exchange->kind = BODY_ERROR;
        return;
    }
    take_session(exchange);
    if (is_type(type, "text/event-stream")) exchange->kind = BODY_EVENTS;
    else if (is_type(type, "application/json")) exchange->kind = BODY_JSON;
    else exchange->kind = BODY_NONE;
}

static void tell_line(struct exchange *exchange, gramc_text line) {
    struct mcp_events events = exchange->owner->events;
    if (events.line && text_trim(line).len) events.line(events.ctx, line);
}

/* As many as one turn of the loop may bring. The rest is put off. */
static void tell_events(struct exchange *exchange) {
    struct buf *response = &exchange->request.response;
    gramc_text bytes = buf_view(response);
    struct sse_event event;
    int left = MCP_EVENTS_A_TURN;
    while (left && !exchange->is_dead && sse_next(&exchange->events, &bytes, &event)) {
        if (event.data.len) exchange->reconnects = 0;
        tell_line(exchange, event.data);
        left--;
    }
    if (exchange->is_dead) return;
    if (bytes.len && !left) {
        memmove(response->ptr, bytes.ptr, bytes.len);
        exchange->more_due = uv_now(exchange->owner->loop) + 1;
        set_timer(exchange->owner);
    } else {
        bytes.len = 0;
    }
    response->len = bytes.len;
}

/* True if the exchange lives on. */
static bool take_events(struct exchange *exchange) {
    exchange->is_busy = true;
    tell_events(exchange);
    exchange->is_busy = false;
    if (exchange->is_dead) {
        exchange_free(exchange);
        return false;
    }
    if (exchange->events.status == GRAMC_LIMIT)
        fail(exchange, MCP_UNREACHABLE, "the server sent an event longer than 16 MiB");
    else if (exchange->events.status != GRAMC_OK) fail(exchange, MCP_FAILED_NOMEM, "out of memory");
    else return true;
    return false;
}

static void on_data(struct http_request *request) {
    struct exchange *exchange = request->ctx;
    decide_kind(exchange);
    if (exchange->kind != BODY_EVENTS || exchange->more_due || !take_events(exchange)) return;
    if (!is_wanted(exchange) && exchange->due == 0) wait_for(exchange, MCP_LINGER_MS);
}

/* ## The end of a request */

/* Without memory its ptr is NULL. */
static gramc_text show(struct exchange *exchange, gramc_text words) {
    struct secrets *const *secrets = exchange->owner->events.secrets;
    const struct foreign how = {.secrets = secrets ? *secrets : NULL, .longest = FOREIGN_WORDS};
    return foreign_text(&exchange->arena, words, &how);
}

static void fail_status(struct exchange *exchange) {
    char why[FOREIGN_WORDS + 200];
    long status = exchange->request.status;
    gramc_text body = show(exchange, buf_view(&exchange->request.response));
    bool forbidden = status == 401 || status == 403;
    snprintf(why, sizeof(why), "the server answers with HTTP status %ld%s%s%.*s", status,
             status == 401 ? ": it wants an Authorization header" : "", body.len ? ": " : "",
             TEXT_ARGS(body));
    if (!body.ptr) fail(exchange, MCP_FAILED_NOMEM, "out of memory");
    else if (status == 404 && exchange->with_session) fail(exchange, MCP_SESSION_LOST, why);
    else fail(exchange, forbidden ? MCP_FORBIDDEN : MCP_STATUS, why);
}

/* Only those that keep the method, and only within the server's own origin: headers may hold
 * secrets. True if the request goes on, or has been failed. */
static bool redirect(struct exchange *exchange) {
    struct http_request *request = &exchange->request;
    char why[256];
    bool let_go = exchange->owner->events.line == NULL; /* and the headers with it */
    if (request->status < 300 || request->status > 399 || let_go) return false;
    gramc_text to = buf_view(&request->redirect);
    if (!http_same_origin(to, text_of(exchange->owner->url))) {
        snprintf(why, sizeof(why),
                 "the server redirects to another origin (HTTP status %ld), which is not followed",
                 request->status);
        fail(exchange, MCP_STATUS, why);
        return true;
    }
    if (request->status != 307 && request->status != 308) return false;
    if (++exchange->redirects > MCP_REDIRECTS_MAX) {
        fail(exchange, MCP_STATUS, "the server redirects over and over");
        return true;
    }
    buf_reset(&exchange->url);
    buf_text(&exchange->url, to);
    if (buf_status(&exchange->url) != GRAMC_OK ||
        exchange_send(exchange, request->method) != GRAMC_OK)
        fail(exchange, MCP_FAILED_NOMEM, "out of memory");
    return true;
}

static void fail_transfer(struct exchange *exchange) {
    struct http_request *request = &exchange->request;
    char why[FOREIGN_WORDS + 100];
    gramc_text error = show(exchange, text_of(request->error));
    switch (error.ptr ? request->failure : HTTP_NOMEM) {
    case HTTP_NOMEM: fail(exchange, MCP_FAILED_NOMEM, "out of memory"); return;
    case HTTP_TOO_BIG:
        fail(exchange, MCP_UNREACHABLE, "the server's answer is longer than 16 MiB");
        return;
    default:
        snprintf(why, sizeof(why), "the server cannot be reached: %.*s", TEXT_ARGS(error));
        fail(exchange, MCP_UNREACHABLE, why);
    }
}

/* What the server asks for, within reason. */
static uint64_t reconnect_wait(int64_t retry_ms) {
    if (retry_ms < 0) return MCP_RECONNECT_MS;
    if (retry_ms < MCP_RECONNECT_MIN_MS) return MCP_RECONNECT_MIN_MS;
    return retry_ms < MCP_RECONNECT_MAX_MS ? (uint64_t)retry_ms : MCP_RECONNECT_MAX_MS;
}

/* A stream that broke off, or ended without the answer. */
static void end_stream(struct exchange *exchange) {
    struct sse_event event;
    exchange->is_busy = true;
    if (sse_end(&exchange->events, &event)) tell_line(exchange, event.data);
    exchange->is_busy = false;
    if (exchange->is_dead || !is_wanted(exchange)) {
        exchange_free(exchange);
        return;
    }
    bool can_go_on = exchange->is_stream || exchange->events.last_id.len;
    if (exchange->stateless || !can_go_on)
        fail(exchange, exchange->request.failure == HTTP_FINE ? MCP_STATUS : MCP_UNREACHABLE,
             "the server ended its answer before it was whole");
    else if (++exchange->reconnects > MCP_RECONNECTS_MAX)
        fail(exchange, MCP_UNREACHABLE, "the server ends its answer over and over");
    else wait_for(exchange, reconnect_wait(exchange->events.retry_ms));
}

/* What it says that is no message of ours to read: of what type, and how it begins. */
static void fail_type(struct exchange *exchange) {
    char why[2 * FOREIGN_WORDS + 100];
    gramc_text type = show(exchange, kept_value(&exchange->request, "Content-Type"));
    gramc_text body = show(exchange, buf_view(&exchange->request.response));
    if (!type.ptr || !body.ptr) {
        fail(exchange, MCP_FAILED_NOMEM, "out of memory");
        return;
    }
    snprintf(why, sizeof(why), "the server answers with %.*s and no message%s%.*s", TEXT_ARGS(type),
             body.len ? ": " : "", TEXT_ARGS(body));
    fail(exchange, MCP_STATUS, why);
}

static void end_json(struct exchange *exchange) {
    bool is_typed = kept_value(&exchange->request, "Content-Type").len;
    exchange->is_busy = true;
    if (exchange->kind == BODY_JSON) tell_line(exchange, buf_view(&exchange->request.response));
    exchange->is_busy = false;
    if (exchange->is_dead || !is_wanted(exchange)) exchange_free(exchange);
    else if (exchange->kind == BODY_NONE && is_typed) fail_type(exchange);
    else fail(exchange, MCP_STATUS, "the server does not answer what it was asked");
}

static void on_done(struct http_request *request) {
    struct exchange *exchange = request->ctx;
    exchange->is_running = false;
    exchange->due = 0;
    if (request->failure == HTTP_FINE) decide_kind(exchange);
    if (exchange->more_due) return;
    if (exchange->kind == BODY_EVENTS && request->failure != HTTP_NOMEM) {
        if (take_events(exchange) && !exchange->more_due) end_stream(exchange);
    } else if (request->failure != HTTP_FINE) {
        fail_transfer(exchange);
    } else if (exchange->kind != BODY_ERROR) {
        end_json(exchange);
    } else if (!redirect(exchange)) {
        fail_status(exchange);
    }
}

/* ## The end of all */

static void drop(struct mcp_transport *transport, uint64_t id) {
    struct mcp_http *owner = (struct mcp_http *)(void *)transport;
    for (struct exchange *one = owner->exchanges; one; one = one->next) {
        if (one->id != id || one->is_dead) continue;
        exchange_free(one);
        return;
    }
}

static void timer_closed(uv_handle_t *handle) {
    struct mcp_http *owner = handle->data;
    gramc_allocator allocator = owner->allocator;
    mem_free(&allocator, owner->url, owner->url_size);
    http_route_free(&allocator, owner->route);
    mem_free(&allocator, owner, sizeof(*owner));
}

void mcp_http_check_end(struct mcp_http *owner) {
    if (!owner->stopping || owner->closed || owner->exchanges) return;
    owner->closed = true;
    uv_close((uv_handle_t *)&owner->timer, timer_closed);
}

static void end_session(struct mcp_http *owner) {
    struct exchange *exchange = owner->session[0] ? make_exchange(owner) : NULL;
    if (!exchange) return;
    exchange_begin(exchange, true);
    exchange_add_session(exchange);
    if (exchange_send(exchange, "DELETE") != GRAMC_OK) exchange_free(exchange);
    else wait_for(exchange, MCP_LINGER_MS);
}

static void stop(struct mcp_transport *transport) {
    struct mcp_http *owner = (struct mcp_http *)(void *)transport;
    struct exchange *next;
    owner->events = (struct mcp_events){.line = NULL};
    owner->stream_due = 0;
    for (struct exchange *one = owner->exchanges; one; one = next) {
        next = one->next;
        exchange_free(one);
    }
    end_session(owner);
    owner->stopping = true;
    mcp_http_check_end(owner);
}

struct mcp_transport *mcp_http_start(uv_loop_t *loop, struct http *http,
                                     const gramc_allocator *allocator,
                                     const struct mcp_address *address,
                                     const struct mcp_events *events) {
    struct mcp_http *owner = mem_alloc(allocator, sizeof(*owner));
    if (!owner) return NULL;
    *owner = (struct mcp_http){.transport = {send_message, drop, stop},
                               .allocator = *allocator,
                               .loop = loop,
                               .http = http,
                               .events = *events,
                               .url_size = strlen(address->url) + 1,
                               .headers = address->headers};
    owner->url = mem_alloc(allocator, owner->url_size);
    if (address->route) owner->route = http_route_copy(allocator, address->route);
    if (!owner->url || (address->route && !owner->route)) {
        mem_free(allocator, owner->url, owner->url_size);
        http_route_free(allocator, owner->route);
        mem_free(allocator, owner, sizeof(*owner));
        return NULL;
    }
    memcpy(owner->url, address->url, owner->url_size);
    uv_timer_init(loop, &owner->timer);
    owner->timer.data = owner;
    return &owner->transport;
}
