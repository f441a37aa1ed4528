/* Agents over HTTP: answers requests of programs and browsers with runs (docs/serve.md).
 *
 * A service lives on a loop and belongs to its thread; service_stop may come from any. It holds the
 * loop (gramc_loop_run goes on) until it has stopped. It never prints: what is to be logged goes to
 * a writer, without secrets, queries and bodies. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "gramc/runtime.h"

struct service;
struct tool_shelf;
struct online;
struct shelf_source;

/* One agent with one library. All of it is borrowed. */
struct served_agent {
    const gramc_agent *agent;
    gramc_text library; /* its name; empty: there is none */
    const gramc_bound *bound;
    const gramc_model *model;
    gramc_run_options options; /* budgets, prices, approver, wire; the rest is the request's */
};

/* Numbers that are 0 are what base/limits.def says. */
struct serve_options {
    const gramc_allocator *allocator;
    gramc_loop *loop;
    gramc_text listen;                 /* "127.0.0.1:8080", "[::1]:0", "0.0.0.0:80" */
    const struct served_agent *agents; /* the libraries of one agent side by side, the first of them
                                        * answers where none is named. Borrowed */
    size_t agent_count;
    struct tool_shelf *shelf; /* for MCP clients, at /mcp (serve/mcp.h); NULL: none. Held */
    const struct shelf_source *source; /* of others in its place; NULL: there will be none */
    /* An experiment whose arms the agents are, one each, all served under the first one's name
     * (experiment/online.h); borrowed; NULL: none. */
    struct online *online;
    bool shows_arm;           /* to clients, in a header and in what they are told of the run */
    const gramc_text *tokens; /* one for each client; none: everybody is let in. Kept as hashes */
    size_t token_count;
    const gramc_text *hosts;   /* further names that clients may know the server by. Borrowed */
    const gramc_text *origins; /* pages of these may ask. Borrowed */
    size_t host_count, origin_count;
    gramc_session_store *store; /* where sessions are kept; borrowed. NULL: in memory */
    bool allow_get;             /* GET /AGENT?message= */
    bool refuse_system;         /* messages of the system, of OpenAI's clients */
    gramc_writer log;
    uint32_t max_connections, max_of_address, max_runs, max_sessions;
    uint32_t header_ms, body_ms, idle_ms, session_ms, grace_ms;
};

/* Listens, and answers as soon as the loop turns. GRAMC_USAGE: `listen` is no address, or one that
 * others reach and there is no token; GRAMC_IO: it cannot be listened on; GRAMC_FINDINGS: the HTTP
 * library is not installed. `why` (room for 256 bytes) then says more. */
gramc_status service_new(struct service **out, const struct serve_options *options, char *why);
/* Where it listens: "http://127.0.0.1:8080". Lives as long as it. */
gramc_text service_address(const struct service *service);
/* No new requests; what runs may end within the grace period, and is canceled then. Any thread. */
void service_stop(struct service *service);
/* After the loop has returned, before it is freed. NULL is fine. */
void service_free(struct service *service);

#endif
