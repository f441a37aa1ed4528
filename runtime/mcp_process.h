/* An MCP server as a child process: lines in, lines out. Knows nothing of what they say. */
#ifndef RUNTIME_MCP_PROCESS_H
#define RUNTIME_MCP_PROCESS_H

#include <uv.h>

#include "base/buf.h"
#include "runtime/exec.h"

enum {
    MCP_LINE_MAX = 16 << 20,
    MCP_UNSENT_MAX = 64 << 20, /* bytes that the server has not taken yet */
    MCP_STOP_MS = 500          /* between closing its input, SIGTERM and SIGKILL */
};

struct mcp_process;

/* Called from the loop. After `ended` there is nothing more; the process then frees itself. */
struct mcp_process_events {
    void (*line)(void *ctx, gramc_text line);  /* without its end; borrowed */
    void (*ended)(void *ctx, const char *why); /* one line, with what it wrote to stderr last */
    void *ctx;
};

/* GRAMC_NOT_FOUND: it cannot be started; `why` then says so. The words need not outlive this. */
gramc_status mcp_process_start(struct mcp_process **out, uv_loop_t *loop,
                               const gramc_allocator *allocator, const struct exec_words *words,
                               const struct mcp_process_events *events, char why[256]);
/* Sends a line; takes a copy. GRAMC_LIMIT: the server does not read. */
gramc_status mcp_process_send(struct mcp_process *process, gramc_text line);
/* Lets go: no further events. Closes its input, and ends it if that does not. Frees itself when the
 * loop has turned; nothing of it outlives 1.2 s. */
void mcp_process_stop(struct mcp_process *process);

#endif
