/* Serving by the Model Context Protocol, over standard input and output (serve_mcp.c). */
#ifndef CLI_RUN_SERVE_MCP_H
#define CLI_RUN_SERVE_MCP_H

#include "cli/cli.h"
#include "serve/mcp.h"

/* `source`: of other tools, when they change; NULL: they do not. An exit code. */
int serve_mcp_stdio(struct cli *cli, gramc_loop *loop, struct tool_shelf *shelf,
                    const struct shelf_source *source);

#endif
