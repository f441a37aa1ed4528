/* An McpServer of a library, ready to be connected to: secrets filled in, address checked. And the
 * connections of a loop: one client for each server, however many tools and runs use it. */
#ifndef RUNTIME_MCP_SERVER_H
#define RUNTIME_MCP_SERVER_H

#include "base/sha256.h"
#include "runtime/mcp/mcp.h"
#include "runtime/secret.h"

enum { MCP_WHY_MAX = 256 };

struct mcp_filled; /* copies of texts with secrets in them */

/* Immutable until it is wiped; must outlive the calls that use it. */
struct mcp_server {
    const gramc_box *box;
    const gramc_text *env; /* NAME=value, env_count of the box */
    const char *url;       /* empty: a program */
    const char *const *headers;
    const struct http_route *route;      /* NULL: nothing special */
    const gramc_sandbox *sandbox, *said; /* see struct sandboxed; NULL: none */
    char digest[SHA256_HEX];             /* of all that says which server it is */
    struct mcp_filled *filled;
};

/* What those who use it let it have. */
struct mcp_given {
    const struct secrets *secrets;
    const struct egress_policy *egress; /* NULL: every library is one's own */
    struct sandboxes *sandboxes;
    const gramc_sandbox *sandbox; /* of the library; NULL: it says none */
};

/* The program of a box that has one, as it is started but for what is filled in. */
gramc_impl mcp_program(const gramc_box *box);

/* In the arena. GRAMC_FINDINGS: it cannot be as it is written; `why` is then half a sentence. */
gramc_status mcp_server_read(struct mcp_server **out, struct arena *arena, const gramc_box *box,
                             const struct mcp_given *given, char why[MCP_WHY_MAX]);
/* Overwrites what secrets were filled in; the server is of no use then. */
void mcp_server_wipe(struct mcp_server *server);

struct mcp_pool; /* the clients of a loop; NULL: none yet */

struct tool_memory;

/* The client for that server and that run; made, not yet connected, if there is none. memory NULL:
 * no run asks. NULL without memory. The loop's thread. */
struct mcp_client *mcp_pool_client(gramc_loop *loop, const struct mcp_server *server,
                                   const struct tool_memory *memory);
/* Those of one company, which will make no more calls, are to be closed. */
void mcp_pool_spend_own(gramc_loop *loop, uint64_t company);
/* Closes those, between two turns of the loop. */
void mcp_pool_close_spent(gramc_loop *loop);
/* Ends them all; the loop must turn until its HTTP is idle. */
void mcp_pool_close(gramc_loop *loop);

#endif
