/* The tools of a library, for MCP clients, as its files are now (mcp_stock.c). */
#ifndef CLI_RUN_MCP_STOCK_H
#define CLI_RUN_MCP_STOCK_H

#include "cli/run/workshop.h"
#include "serve/mcp.h"

struct mcp_stock;

/* Reads the library that the operand names. An exit code; to be freed after a failure, too, and
 * behind all that holds its shelves. */
int mcp_stock_open(struct mcp_stock **out, struct cli *cli, struct workshop *shop,
                   gramc_approver approver);
struct tool_shelf *mcp_stock_shelf(const struct mcp_stock *stock);
const struct shelf_source *mcp_stock_source(const struct mcp_stock *stock);
void mcp_stock_free(struct mcp_stock *stock); /* NULL is fine */

#endif
