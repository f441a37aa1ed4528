/* Makes the HTTP requests of an MCP client: headers that the library names, that the protocol
 * wants, and that repeat what stands in the message. What comes back is http.c's. */
#include "runtime/mcp/exchange.h"

#include <string.h>

#include "base/text.h"
#include "runtime/mcp/headers.h"

enum { HEADER_MAX = 65536 };

static const char *const kept_headers[] = {"Mcp-Session-Id", "Content-Type", NULL};

/* ## The life of an exchange */

struct exchange *exchange_new(struct mcp_http *owner) {
    struct exchange *exchange = mem_alloc(&owner->allocator, sizeof(*exchange));
    if (!exchange) return NULL;
    memset(exchange, 0, sizeof(*exchange));
    exchange->owner = owner;
    exchange->request.allocator = owner->allocator;
    exchange->request.ctx = exchange;
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
void exchange_free(struct exchange *exchange) {
    struct mcp_http *owner = exchange->owner;
    if (exchange->is_running) http_cancel(&exchange->request);
    exchange->is_running = false;
    exchange->is_dead = true;
    if (exchange->is_busy) return;
    owner->replies -= exchange->is_reply;
    *exchange->link = exchange->next;
    if (exchange->next) exchange->next->link = exchange->link;
    http_request_free(&exchange->request);
    sse_free(&exchange->events);
    buf_free(&exchange->body);
    buf_free(&exchange->url);
    arena_free(&exchange->arena);
    mem_free(&owner->allocator, exchange, sizeof(*exchange));
    mcp_http_check_end(owner);
}

/* ## Headers */

void exchange_add(struct exchange *exchange, const char *name, gramc_text value) {
    struct buf line;
    if (exchange->line_count == EXCHANGE_HEADERS) return;
    buf_init(&line, &exchange->arena.allocator, HEADER_MAX);
    buf_puts(&line, name);
    buf_puts(&line, value.len ? ": " : ";"); /* libcurl's way to send an empty one */
    buf_text(&line, value);
    gramc_text copy = buf_to_arena(&line, &exchange->arena);
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
        if (buf_status(&value) == GRAMC_OK) exchange_add(exchange, name.ptr, buf_view(&value));
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
    if (buf_status(&value) == GRAMC_OK) exchange_add(exchange, "Mcp-Name", buf_view(&value));
    else exchange->arena.oom = true;
    buf_free(&value);
}

/* In the stateless revision, what a message says stands in its headers too. */
void exchange_add_message(struct exchange *exchange, const struct mcp_message *message) {
    if (message->version) exchange_add(exchange, "MCP-Protocol-Version", text_of(message->version));
    if (!message->stateless) return;
    if (message->method) exchange_add(exchange, "Mcp-Method", text_of(message->method));
    add_name(exchange, message->name);
    add_mirrors(exchange, message);
}

void exchange_add_session(struct exchange *exchange) {
    const char *session = exchange->owner->session;
    exchange->with_session = session[0] != '\0' && !exchange->opens_session;
    if (exchange->with_session) exchange_add(exchange, "Mcp-Session-Id", text_of(session));
}

/* Without `Expect:` curl would wait a second before it sends a long body. */
void exchange_begin(struct exchange *exchange, bool is_get) {
    const char *const *given = exchange->owner->headers;
    exchange->line_count = 0;
    for (; given && *given && exchange->line_count < EXCHANGE_HEADERS; given++)
        exchange->lines[exchange->line_count++] = *given;
    exchange_add(exchange, "Accept",
                 is_get ? TEXT("text/event-stream") : TEXT("application/json, text/event-stream"));
    if (!is_get) exchange_add(exchange, "Content-Type", TEXT("application/json"));
    if (exchange->line_count < EXCHANGE_HEADERS)
        exchange->lines[exchange->line_count++] = "Expect:";
}

/* ## Sending */

gramc_status exchange_send(struct exchange *exchange, const char *method) {
    struct http_request *request = &exchange->request;
    if (exchange->arena.oom || buf_status(&exchange->body) != GRAMC_OK) return GRAMC_NOMEM;
    exchange->lines[exchange->line_count] = NULL;
    exchange->kind = BODY_UNKNOWN;
    exchange->due = 0;
    request->method = method;
    request->url = exchange->url.len ? exchange->url.ptr : exchange->owner->url;
    request->headers = exchange->lines;
    request->route = exchange->owner->route;
    request->keep = kept_headers;
    request->body = buf_view(&exchange->body);
    request->max_response = MCP_LINE_MAX;
    gramc_status status = http_start(exchange->owner->http, request);
    exchange->is_running = status == GRAMC_OK;
    return status;
}
