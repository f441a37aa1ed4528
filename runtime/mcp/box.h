/* McpServers of a library as boxes of tools: asked what they offer before binding, and bound, tool
 * by tool. */
#ifndef RUNTIME_MCP_BOX_H
#define RUNTIME_MCP_BOX_H

#include "runtime/bind_box.h"
#include "base/limits.h"
#include "runtime/tool_mcp.h"

extern const struct box_kind mcp_boxes;

/* Starts or connects to the servers, all at once, and turns the loop until each has listed its
 * tools or failed, at most for the question's time. What goes wrong stands in `failure`, without
 * secrets. The servers go on running, for the calls of runs on the same loop. The loop's thread. */
gramc_status mcp_boxes_ask(const struct box_question *question);

/* The server of a box; reports what is wrong with it. NULL after a message, or without memory
 * (bound->arena.oom). Lives as long as `bound`. */
const struct mcp_server *mcp_box_bind(gramc_bound *bound, const gramc_box *box);
/* A tool of it, for a tool whose result is of that kind. `offered` NULL: all that is known of it is
 * its name there. NULL without memory. */
const struct mcp_endpoint *mcp_box_endpoint(gramc_bound *bound, const struct mcp_server *server,
                                            const struct offered_tool *offered, gramc_text tool,
                                            gramc_result_kind kind);
/* Of a `ToolImpl {mcp: everything, tool: "echo"}`: the box is the library's, and what is known of
 * it bound->offered's. NULL after a message, or without memory. */
const struct mcp_endpoint *mcp_bind_impl(gramc_bound *bound, const gramc_impl *impl,
                                         const gramc_tool *tool);

#endif
