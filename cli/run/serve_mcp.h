/* Serving by the Model Context Protocol, over standard input and output (serve_mcp.c). */
#ifndef CLI_RUN_SERVE_MCP_H
#define CLI_RUN_SERVE_MCP_H

#include "cli/run/workshop.h"
#include "serve/mcp.h"

/* The tools of the library that the operand names, for whoever carries messages. An exit code. */
int serve_mcp_stock(struct cli *cli, struct workshop *shop, gramc_approver approver,
                    struct tool_shelf **out);
/* The same with the agent as the one tool. */
int serve_mcp_stock_agent(struct cli *cli, struct workshop *shop, const struct served_agent *agent,
                          struct tool_shelf **out);
/* Serves those tools over standard input and output. An exit code. */
int serve_mcp_library(struct cli *cli, struct workshop *shop, gramc_approver approver);
/* One tool: the agent. */
int serve_mcp_agent(struct cli *cli, struct workshop *shop, const struct served_agent *agent);

#endif
