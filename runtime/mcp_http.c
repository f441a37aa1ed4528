/* Posts messages to an MCP server and cuts what comes back into messages. Keeps the session that
 * the server gives, connects again to a stream that ended before its answer, follows redirects
 * within the server's own origin, and ends the session when it is let go. */
#include "runtime/mcp_http.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/http.h"
#include "runtime/mcp_headers.h"
#include "runtime/sse.h"
#include "runtime/tool_http.h"

enum { HEADERS_MAX = 256, HEADER_MAX = 65536, SESSION_MAX = 1024, EXCERPT = 300 };

enum body_kind { BODY_UNKNOWN, BODY_JSON, BODY_EVENTS, BODY_ERROR, BODY_NONE };

/* One message, and what comes of it. */
struct exchange {
    struct mcp_http *owner;
    struct http_request request;
    struct exchange *next, **link;
    struct arena arena; /* header lines */
    const char *lines[HEADERS_MAX + 1];
    size_t line_count;
    struct buf body, url;
    uint64_t id, due; /* due: in the loop's time, when to go on; 0: no waiting */
    const char *version;
    struct sse events;
    enum body_kind kind;
    unsigned redirects, reconnects;
    bool opens_session, with_session, stateless;
    bool is_running, is_busy, is_dead;
};

struct mcp_http {
    struct mcp_transport transport;
    gramc_allocator allocator;
    uv_loop_t *loop;
    struct http *http;
    struct mcp_events events; /* line NULL: let go */
    char *url;
    size_t url_size;
    const char *const *headers;
    char session[SESSION_MAX]; /* empty: none */
    struct exchange *exchanges;
    uv_timer_t timer;
    bool stopping, closed;
};

static const char *const kept_headers[] = {"Mcp-Session-Id", "Content-Type", NULL};

/* ## The life of an exchange */

static void check_end(struct mcp_http *owner);

static struct exchange *exchange_new(struct mcp_http *owner) {
    struct exchange *exchange = mem_alloc(&owner->allocator, sizeof(*exchange));
    if (!exchange) return NULL;
    memset(exchange, 0, sizeof(*exchange));
    exchange->owner = owner;
    exchange->request.allocator = owner->allocator;
    arena_init(&exchange->arena, &owner->allocator);
    buf_init(&exchange->body, &owner->allocator, MCP_LINE_MAX);
    buf_init(&exchange->url, &owner->allocator, HEADER_MAX);
    sse_init(&exchange->events, &owner->allocator, MCP_LINE_MAX);
    exchange->next = owner->exchanges;
    exchange->link = &owner->exchanges;
    if (exchange->next) exchange->next->link = &exchange->next;
    owner->exchanges = exchange;
    return exchange;
}

/* One that is busy telling what came is freed when it is through. */
static void exchange_free(struct exchange *exchange) {
    struct mcp_http *owner = exchange->owner;
    if (exchange->is_running) http_cancel(&exchange->request);
    exchange->is_running = false;
    exchange->is_dead = true;
    if (exchange->is_busy) return;
    *exchange->link = exchange->next;
    if (exchange->next) exchange->next->link = exchange->link;
    http_request_free(&exchange->request);
    sse_free(&exchange->events);
    buf_free(&exchange->body);
    buf_free(&exchange->url);
    arena_free(&exchange->arena);
    mem_free(&owner->allocator, exchange, sizeof(*exchange));
    check_end(owner);
}

static bool is_wanted(const struct exchange *exchange) {
    const struct mcp_events *events = &exchange->owner->events;
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
    if (wanted) events.failed(events.ctx, id, &failure);
    exchange->is_busy = false;
    exchange_free(exchange);
}

/* ## Waiting */

static void on_due(uv_timer_t *timer);

static void set_timer(struct mcp_http *owner) {
    uint64_t due = 0;
    for (const struct exchange *one = owner->exchanges; one; one = one->next)
        if (one->due && !one->is_dead && (due == 0 || one->due < due)) due = one->due;
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

/* ## Headers */

static void add_line(struct exchange *exchange, const char *name, gramc_text value) {
    struct buf line;
    if (exchange->line_count == HEADERS_MAX) return;
    buf_init(&line, &exchange->arena.allocator, HEADER_MAX);
    buf_puts(&line, name);
    buf_puts(&line, value.len ? ": " : ";"); /* libcurl's way to send an empty one */
    buf_text(&line, value);
    gramc_text copy = {NULL, 0};
    if (buf_status(&line) == GRAMC_OK) copy = arena_text(&exchange->arena, buf_view(&line));
    else exchange->arena.oom = true;
    buf_free(&line);
    if (copy.ptr) exchange->lines[exchange->line_count++] = copy.ptr;
}

static void add_mirror(struct exchange *exchange, const struct mcp_parameter *parameter,
                       const struct json *arguments) {
    struct buf name, value;
    buf_init(&name, &exchange->arena.allocator, HEADER_MAX);
    buf_init(&value, &exchange->arena.allocator, HEADER_MAX);
    buf_puts(&name, "Mcp-Param-");
    buf_text(&name, parameter->name);
    if (mcp_mirror_value(&value, parameter, arguments) && buf_status(&name) == GRAMC_OK) {
        if (buf_status(&value) == GRAMC_OK) add_line(exchange, name.ptr, buf_view(&value));
        else exchange->arena.oom = true;
    }
    buf_free(&name);
    buf_free(&value);
}

static void add_mirrors(struct exchange *exchange, const struct mcp_message *message) {
    struct arena arena;
    if (!message->mirrors) return;
    arena_init(&arena, &exchange->arena.allocator);
    const struct json *arguments = json_parse(&arena, message->arguments, NULL);
    for (const struct mcp_parameter *one = message->mirrors; one; one = one->next)
        add_mirror(exchange, one, arguments);
    if (arena.oom) exchange->arena.oom = true;
    arena_free(&arena);
}

static void add_name(struct exchange *exchange, gramc_text name) {
    struct buf value;
    if (name.len == 0) return;
    buf_init(&value, &exchange->arena.allocator, HEADER_MAX);
    mcp_header_value(&value, name);
    if (buf_status(&value) == GRAMC_OK) add_line(exchange, "Mcp-Name", buf_view(&value));
    else exchange->arena.oom = true;
    buf_free(&value);
}

/* In the stateless revision, what a message says stands in its headers too. */
static void add_own_headers(struct exchange *exchange, const struct mcp_message *message) {
    if (message->version) add_line(exchange, "MCP-Protocol-Version", text_of(message->version));
    if (!message->stateless) return;
    if (message->method) add_line(exchange, "Mcp-Method", text_of(message->method));
    add_name(exchange, message->name);
    add_mirrors(exchange, message);
}

static void add_session(struct exchange *exchange) {
    const char *session = exchange->owner->session;
    exchange->with_session = session[0] != '\0' && !exchange->opens_session;
    if (exchange->with_session) add_line(exchange, "Mcp-Session-Id", text_of(session));
}

/* Without `Expect:` curl would wait a second before it sends a long body. */
static void add_common_headers(struct exchange *exchange, bool is_get) {
    const char *const *given = exchange->owner->headers;
    exchange->line_count = 0;
    for (; given && *given && exchange->line_count < HEADERS_MAX; given++)
        exchange->lines[exchange->line_count++] = *given;
    add_line(exchange, "Accept",
             is_get ? TEXT("text/event-stream") : TEXT("application/json, text/event-stream"));
    if (!is_get) add_line(exchange, "Content-Type", TEXT("application/json"));
    if (exchange->line_count < HEADERS_MAX) exchange->lines[exchange->line_count++] = "Expect:";
}

/* ## Sending */

static void on_data(struct http_request *request);
static void on_done(struct http_request *request);

static gramc_status post(struct exchange *exchange, const char *method) {
    struct http_request *request = &exchange->request;
    if (exchange->arena.oom || buf_status(&exchange->body) != GRAMC_OK) return GRAMC_NOMEM;
    exchange->lines[exchange->line_count] = NULL;
    exchange->kind = BODY_UNKNOWN;
    exchange->due = 0;
    request->method = method;
    request->url = exchange->url.len ? exchange->url.ptr : exchange->owner->url;
    request->headers = exchange->lines;
    request->keep = kept_headers;
    request->body = buf_view(&exchange->body);
    request->max_response = MCP_LINE_MAX;
    request->data = on_data;
    request->done = on_done;
    request->ctx = exchange;
    gramc_status status = http_start(exchange->owner->http, request);
    exchange->is_running = status == GRAMC_OK;
    return status;
}

static gramc_status send_message(struct mcp_transport *transport,
                                 const struct mcp_message *message) {
    struct mcp_http *owner = (struct mcp_http *)(void *)transport;
    struct exchange *exchange = exchange_new(owner);
    if (!exchange) return GRAMC_NOMEM;
    exchange->id = message->id;
    exchange->version = message->version;
    exchange->stateless = message->stateless;
    exchange->opens_session = message->method && strcmp(message->method, "initialize") == 0;
    if (exchange->opens_session) owner->session[0] = '\0';
    buf_text(&exchange->body, message->line);
    add_common_headers(exchange, false);
    add_session(exchange);
    add_own_headers(exchange, message);
    gramc_status status = post(exchange, "POST");
    if (status != GRAMC_OK) exchange_free(exchange);
    return status;
}

/* The stream has ended before the answer: go on behind the last event. */
static void reconnect(struct exchange *exchange) {
    buf_reset(&exchange->body);
    arena_free(&exchange->arena);
    arena_init(&exchange->arena, &exchange->owner->allocator);
    add_common_headers(exchange, true);
    add_session(exchange);
    if (exchange->version) add_line(exchange, "MCP-Protocol-Version", text_of(exchange->version));
    add_line(exchange, "Last-Event-ID", buf_view(&exchange->events.last_id));
    sse_restart(&exchange->events);
    if (post(exchange, "GET") != GRAMC_OK) fail(exchange, MCP_FAILED_NOMEM, "out of memory");
}

static void on_due(uv_timer_t *timer) {
    struct mcp_http *owner = timer->data;
    struct exchange *next;
    uint64_t now = uv_now(owner->loop);
    for (struct exchange *one = owner->exchanges; one; one = next) {
        next = one->next;
        if (one->due == 0 || one->due > now || one->is_dead) continue;
        one->due = 0;
        if (one->is_running) exchange_free(one); /* its answer is there, or it says goodbye */
        else if (is_wanted(one)) reconnect(one);
        else exchange_free(one);
        next = owner->exchanges; /* any of these may have ended others */
        if (owner->closed) return;
    }
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

/* True if the exchange lives on. */
static bool take_events(struct exchange *exchange) {
    gramc_text bytes = buf_view(&exchange->request.response);
    struct sse_event event;
    exchange->is_busy = true;
    while (!exchange->is_dead && sse_next(&exchange->events, &bytes, &event)) {
        if (event.data.len) exchange->reconnects = 0;
        tell_line(exchange, event.data);
    }
    exchange->is_busy = false;
    if (exchange->is_dead) {
        exchange_free(exchange);
        return false;
    }
    buf_reset(&exchange->request.response);
    if (exchange->events.status == GRAMC_LIMIT)
        fail(exchange, MCP_UNREACHABLE, "the server sent an event longer than 16 MiB");
    else if (exchange->events.status != GRAMC_OK) fail(exchange, MCP_FAILED_NOMEM, "out of memory");
    else return true;
    return false;
}

static void on_data(struct http_request *request) {
    struct exchange *exchange = request->ctx;
    decide_kind(exchange);
    if (exchange->kind != BODY_EVENTS || !take_events(exchange)) return;
    if (!is_wanted(exchange) && exchange->due == 0) wait_for(exchange, MCP_LINGER_MS);
}

/* ## The end of a request */

static void fail_status(struct exchange *exchange) {
    char why[EXCERPT + 200];
    long status = exchange->request.status;
    gramc_text body = text_trim(buf_view(&exchange->request.response));
    size_t len = body.len < EXCERPT ? body.len : EXCERPT;
    bool forbidden = status == 401 || status == 403;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)body.ptr[i] < 0x20) len = i;
    snprintf(why, sizeof(why), "the server answers with HTTP status %ld%s%s%.*s", status,
             status == 401 ? ": it wants an Authorization header" : "", len ? ": " : "", (int)len,
             body.ptr ? body.ptr : "");
    if (status == 404 && exchange->with_session) fail(exchange, MCP_SESSION_LOST, why);
    else fail(exchange, forbidden ? MCP_FORBIDDEN : MCP_STATUS, why);
}

/* Only those that keep the method, and only within the server's own origin: headers may hold
 * secrets. True if the request goes on, or has been failed. */
static bool redirect(struct exchange *exchange) {
    struct http_request *request = &exchange->request;
    char why[256];
    if (request->status < 300 || request->status > 399) return false;
    gramc_text to = text_of(request->redirect);
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
    if (buf_status(&exchange->url) != GRAMC_OK || post(exchange, request->method) != GRAMC_OK)
        fail(exchange, MCP_FAILED_NOMEM, "out of memory");
    return true;
}

static void fail_transfer(struct exchange *exchange) {
    struct http_request *request = &exchange->request;
    char why[400];
    switch (request->failure) {
    case HTTP_NOMEM: fail(exchange, MCP_FAILED_NOMEM, "out of memory"); return;
    case HTTP_TOO_BIG:
        fail(exchange, MCP_UNREACHABLE, "the server's answer is longer than 16 MiB");
        return;
    default:
        snprintf(why, sizeof(why), "the server cannot be reached: %s", request->error);
        fail(exchange, MCP_UNREACHABLE, why);
    }
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
    int64_t wait = exchange->events.retry_ms < 0 ? MCP_RECONNECT_MS : exchange->events.retry_ms;
    if (exchange->stateless || exchange->events.last_id.len == 0)
        fail(exchange, exchange->request.failure == HTTP_FINE ? MCP_STATUS : MCP_UNREACHABLE,
             "the server ended its answer before it was whole");
    else if (++exchange->reconnects > MCP_RECONNECTS_MAX)
        fail(exchange, MCP_UNREACHABLE, "the server ends its answer over and over");
    else wait_for(exchange, (uint64_t)(wait < MCP_RECONNECT_MAX_MS ? wait : MCP_RECONNECT_MAX_MS));
}

static void end_json(struct exchange *exchange) {
    exchange->is_busy = true;
    if (exchange->kind == BODY_JSON) tell_line(exchange, buf_view(&exchange->request.response));
    exchange->is_busy = false;
    if (!exchange->is_dead && is_wanted(exchange))
        fail(exchange, MCP_STATUS, "the server does not answer what it was asked");
    else exchange_free(exchange);
}

static void on_done(struct http_request *request) {
    struct exchange *exchange = request->ctx;
    exchange->is_running = false;
    exchange->due = 0;
    if (request->failure == HTTP_FINE) decide_kind(exchange);
    if (exchange->kind == BODY_EVENTS && request->failure != HTTP_NOMEM) {
        if (take_events(exchange)) end_stream(exchange);
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
    mem_free(&allocator, owner, sizeof(*owner));
}

static void check_end(struct mcp_http *owner) {
    if (!owner->stopping || owner->closed || owner->exchanges) return;
    owner->closed = true;
    uv_close((uv_handle_t *)&owner->timer, timer_closed);
}

static void end_session(struct mcp_http *owner) {
    struct exchange *exchange = owner->session[0] ? exchange_new(owner) : NULL;
    if (!exchange) return;
    add_common_headers(exchange, true);
    add_session(exchange);
    owner->session[0] = '\0';
    if (post(exchange, "DELETE") != GRAMC_OK) exchange_free(exchange);
    else wait_for(exchange, MCP_LINGER_MS);
}

static void stop(struct mcp_transport *transport) {
    struct mcp_http *owner = (struct mcp_http *)(void *)transport;
    struct exchange *next;
    owner->events = (struct mcp_events){.line = NULL};
    for (struct exchange *one = owner->exchanges; one; one = next) {
        next = one->next;
        exchange_free(one);
    }
    end_session(owner);
    owner->stopping = true;
    check_end(owner);
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
    if (!owner->url) {
        mem_free(allocator, owner, sizeof(*owner));
        return NULL;
    }
    memcpy(owner->url, address->url, owner->url_size);
    uv_timer_init(loop, &owner->timer);
    owner->timer.data = owner;
    return &owner->transport;
}
