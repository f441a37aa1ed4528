/* One message of ours to an MCP server over HTTP, while it is on its way and being answered: what
 * exchange.c makes and http.c follows. */
#ifndef RUNTIME_MCP_EXCHANGE_H
#define RUNTIME_MCP_EXCHANGE_H

#include <uv.h>

#include "runtime/net/http.h"
#include "runtime/mcp/http.h"
#include "runtime/net/sse.h"

enum { EXCHANGE_HEADERS = 256, SESSION_MAX = 1024 };

enum body_kind { BODY_UNKNOWN, BODY_JSON, BODY_EVENTS, BODY_ERROR, BODY_NONE };

/* One message, and what comes of it. */
struct exchange {
    struct mcp_http *owner;
    struct http_request request;
    struct exchange *next, **link;
    struct arena arena; /* header lines */
    const char *lines[EXCHANGE_HEADERS + 1];
    size_t line_count;
    struct buf body, url;
    uint64_t id, due;  /* due: in the loop's time, when to go on; 0: no waiting */
    uint64_t more_due; /* the same for events that came and are not told yet */
    const char *version;
    struct sse events;
    enum body_kind kind;
    unsigned redirects, reconnects;
    bool opens_session, with_session, stateless;
    bool is_running, is_stream, is_reply, is_busy, is_dead;
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
    struct http_route *route;  /* NULL: nothing special */
    char session[SESSION_MAX]; /* empty: none */
    struct exchange *exchanges;
    unsigned replies; /* of the exchanges */
    uv_timer_t timer;
    const char *version; /* of the last message */
    uint64_t stream_due; /* in the loop's time, when to look whether a stream is needed; 0: never */
    bool has_stream;     /* it was opened, or refused */
    bool stopping, closed;
};

/* In the owner's list; NULL without memory. */
struct exchange *exchange_new(struct mcp_http *owner);
/* Ends it. One that is busy telling what came is freed when it is through. */
void exchange_free(struct exchange *exchange);
/* Begins its headers anew: those that the library names and those of every message. */
void exchange_begin(struct exchange *exchange, bool is_get);
void exchange_add(struct exchange *exchange, const char *name, gramc_text value);
void exchange_add_session(struct exchange *exchange);
/* In the stateless revision, what a message says stands in its headers too. */
void exchange_add_message(struct exchange *exchange, const struct mcp_message *message);
/* Sends what it has; request.data and request.done hear what comes of it. */
gramc_status exchange_send(struct exchange *exchange, const char *method);

/* ## http.c */
/* Ends the owner if it is let go and has no exchanges any more. */
void mcp_http_check_end(struct mcp_http *owner);

#endif
