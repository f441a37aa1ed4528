/* Tools, and agents as tools, for clients of the Model Context Protocol (docs/serve.md). Speaks the
 * stateless revision 2026-07-28 and those with a handshake up to 2025-11-25, whichever a message
 * is of.
 *
 * A shelf holds what is offered. It is const, and others may take its place: what was called stays
 * on the old one, which is given back when nobody holds it any more. */
#ifndef SERVE_MCP_H
#define SERVE_MCP_H

#include "gramc/compile.h"
#include "serve/serve.h"

struct tool_shelf;

/* What is put on a shelf: the one tool of `bound`, as gramc_bind_tool made it. */
struct shelf_item {
    const gramc_bound *bound;
    gramc_text annotations; /* a JSON object: what its server says of it; empty: nothing */
    const gramc_tool *said; /* what a spec says of the tool of that name; NULL: nothing */
};

struct shelf_options {
    const gramc_allocator *allocator;
    gramc_loop *loop;
    const struct shelf_item *items; /* what they name is borrowed until `gone` */
    size_t item_count;
    const struct served_agent *agent; /* one more tool; likewise. NULL: none */
    gramc_approver approver;          /* of the tools; an agent has its own */
    void (*gone)(void *ctx);          /* the shelf is given back */
    void *ctx;
};

/* GRAMC_AMBIGUOUS: two tools have the same name, which `why` (room for 256 bytes) tells. After a
 * failure `gone` is not called. The caller holds it. */
gramc_status shelf_new(struct tool_shelf **out, const struct shelf_options *options, char *why);
void shelf_let_go(struct tool_shelf *shelf); /* NULL is fine */

/* Where a shelf comes from, if others may take its place. */
struct shelf_source {
    /* Files that it was made of: when one of them has changed, `again` is asked for another shelf.
     * NULL: the old one stays. From then on all but the first of the files may be others. */
    const gramc_text *files;
    size_t file_count;
    struct tool_shelf *(*again)(void *ctx);
    void *ctx;
};

struct mcp_stdio;

struct mcp_stdio_options {
    const gramc_allocator *allocator;
    gramc_loop *loop;
    struct tool_shelf *shelf; /* held by it from then on */
    gramc_text instructions;  /* to the model of the client; borrowed; empty: none */
    int input, output;        /* descriptors; closed with it */
    gramc_writer log;
    uint32_t max_calls, grace_ms;      /* 0: as base/limits.def says for runs */
    const struct shelf_source *source; /* borrowed; NULL: the tools stay as they are */
};

/* One client, line by line. Answers as soon as the loop turns, which ends when the client has
 * closed its side and all calls have ended. GRAMC_IO: a descriptor cannot be used; `why` as above.
 */
gramc_status mcp_stdio_new(struct mcp_stdio **out, const struct mcp_stdio_options *options,
                           char *why);
/* As if the client had gone. Any thread. */
void mcp_stdio_stop(struct mcp_stdio *server);
/* After the loop has returned, before it is freed. NULL is fine. */
void mcp_stdio_free(struct mcp_stdio *server);

#endif
