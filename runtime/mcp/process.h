/* An MCP server as a child process: lines in, lines out. Knows nothing of what they say. */
#ifndef RUNTIME_MCP_PROCESS_H
#define RUNTIME_MCP_PROCESS_H

#include <uv.h>

#include "runtime/process/child.h"
#include "runtime/mcp/transport.h"

/* GRAMC_NOT_FOUND: it cannot be started; `why` then says so. The words need not outlive this. Of
 * the events, `failed` is never called: the answers end with the process. */
gramc_status mcp_process_start(struct mcp_transport **out, uv_loop_t *loop,
                               const gramc_allocator *allocator, const struct exec_words *words,
                               const struct mcp_events *events, char why[CHILD_WHY_MAX]);

#endif
