/* An MCP server at an HTTP address (Streamable HTTP): each message is a POST, answered by JSON or
 * by a stream of events. Knows nothing of what the messages say. */
#ifndef RUNTIME_MCP_HTTP_H
#define RUNTIME_MCP_HTTP_H

#include <uv.h>

#include "runtime/mcp/transport.h"
#include "base/limits.h"

struct http;
struct http_route;

enum {
    MCP_RECONNECT_MS = 1000,  /* where the server does not say how long to wait */
    MCP_PATIENCE_MS = 1000,   /* then a request may be waiting for an answer of ours: see below */
    MCP_LINGER_MS = 1000,     /* for the end of a stream whose answer is there, and of a session */
    MCP_EVENTS_A_TURN = 4096, /* of one stream; then the loop, and its deadlines, have their turn */
    MCP_REPLY_MS = 5000       /* that the server may take to accept a reply */
};

/* Borrowed until the transport has stopped. */
struct mcp_address {
    const char *url;
    const char *const *headers;     /* "Name: value" each, up to a NULL; they may hold secrets */
    const struct http_route *route; /* NULL: nothing special */
};

/* In a session, a server may ask us something on a stream of its own, which we open with a GET when
 * an answer takes its time; most servers never need it, or refuse it. */

/* Connects nowhere yet. `http` must outlive the end of the session, which is a request of its own
 * and comes up to MCP_LINGER_MS after the stop. Only NULL for want of memory. */
struct mcp_transport *mcp_http_start(uv_loop_t *loop, struct http *http,
                                     const gramc_allocator *allocator,
                                     const struct mcp_address *address,
                                     const struct mcp_events *events);

#endif
