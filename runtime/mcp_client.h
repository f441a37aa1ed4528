/* The inside of an MCP client: what its three files share. */
#ifndef RUNTIME_MCP_CLIENT_H
#define RUNTIME_MCP_CLIENT_H

#include "runtime/mcp.h"
#include "runtime/line_process.h"

/* What is asked, and what becomes of the answer. The request is not linked any more when fail or
 * answer is called; it may be started again from there. */
struct mcp_verb {
    const char *method;
    /* Members of params, without braces; false if there is none. */
    bool (*put_params)(struct mcp_request *request, struct buf *out);
    void (*fail)(struct mcp_request *request, enum mcp_outcome outcome, const char *why);
    void (*answer)(struct mcp_client *client, struct mcp_request *request,
                   const struct json *result, const struct json *error);
};

enum mcp_state {
    MCP_IDLE,         /* no server runs */
    MCP_PROBING,      /* asked by server/discover */
    MCP_INITIALIZING, /* asked by initialize; an answer to the probe may still come */
    MCP_READY
};

struct mcp_client {
    gramc_allocator allocator;
    uv_loop_t *loop;
    struct arena arena;
    struct exec_words words;
    struct line_process *process;
    enum mcp_state state;
    bool is_modern, no_probe, closing;
    const char *version;          /* NULL before the first handshake */
    uint64_t next_id;             /* never used again, not after a restart either */
    uint64_t probe, initialize;   /* ids that wait for an answer; 0: none */
    struct mcp_request *requests; /* in the order of their start */
    uv_timer_t timer;             /* of the handshake */
    uv_idle_t idle;               /* something can be sent */
    uint32_t probe_ms, handshake_ms;
    unsigned starts, changes;
    char why[512];
};

void mcp_request_start(struct mcp_client *client, struct mcp_request *request,
                       const struct mcp_verb *verb);

#endif
