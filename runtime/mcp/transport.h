/* What carries messages to an MCP server and back: a child's standard streams (process.c) or
 * HTTP (http.c). It knows how messages travel; what they mean is the client's. */
#ifndef RUNTIME_MCP_TRANSPORT_H
#define RUNTIME_MCP_TRANSPORT_H

#include "base/json/json.h"
#include "base/limits.h"

struct mcp_parameter;
struct secrets;

struct mcp_message {
    gramc_text line;     /* JSON without line ends; borrowed */
    uint64_t id;         /* of a request; 0: nothing comes back */
    const char *method;  /* a constant; NULL: an answer */
    const char *version; /* a constant: the revision spoken; NULL before that is known */
    bool stateless;
    gramc_text name;                     /* of the tool that is called, or empty */
    const struct mcp_parameter *mirrors; /* arguments that HTTP repeats in headers */
    gramc_text arguments;                /* of the call, for these */
};

enum mcp_failure_kind {
    MCP_UNREACHABLE, /* it cannot be reached, or did not answer to the end */
    MCP_STATUS,      /* it answers with an HTTP status that says no */
    MCP_FORBIDDEN,   /* 401, 403: asking otherwise will not help */
    MCP_SESSION_LOST,
    MCP_FAILED_NOMEM
};

/* Why no answer to a request will come. */
struct mcp_failure {
    enum mcp_failure_kind kind;
    const char *why; /* one line */
    gramc_text body; /* of an answer with such a status */
};

/* Called from the loop, never from inside send. Each may send, drop, and stop the transport. */
struct mcp_events {
    void (*line)(void *ctx, gramc_text line);  /* a message; borrowed */
    void (*ended)(void *ctx, const char *why); /* the server is gone, and the transport with it */
    void (*failed)(void *ctx, uint64_t id, const struct mcp_failure *failure);
    bool (*waits)(void *ctx, uint64_t id); /* an answer to that request is still to come */
    void *ctx;
    struct secrets *const *secrets; /* to be kept out of what is told; NULL: none */
};

/* Each is the first member of a larger struct. */
struct mcp_transport {
    /* Takes copies. GRAMC_LIMIT: the server does not read. GRAMC_NOT_FOUND: it is gone. */
    gramc_status (*send)(struct mcp_transport *transport, const struct mcp_message *message);
    /* The answer is not wanted any more. */
    void (*drop)(struct mcp_transport *transport, uint64_t id);
    /* Lets go: no further events. Ends the server, or the session; frees itself as the loop turns,
     * within 1.2 s. */
    void (*stop)(struct mcp_transport *transport);
};

#endif
