/* Tools of MCP servers as tools of an agent: what a bound tool of that kind points at. */
#ifndef RUNTIME_TOOL_MCP_H
#define RUNTIME_TOOL_MCP_H

#include "runtime/mcp/server.h"

/* Immutable; must outlive the calls that use it. */
struct mcp_endpoint {
    const struct mcp_server *server;
    gramc_text tool;                     /* its name there */
    const gramc_schema *output;          /* that the server promises; NULL: none that can be used */
    const struct mcp_parameter *mirrors; /* arguments that headers repeat */
    gramc_text pin;                      /* as in struct mcp_call */
    bool as_text;                        /* the result is a text: take the server's, not its JSON */
    const struct secrets *secrets;       /* not to be seen in results */
};

#endif
