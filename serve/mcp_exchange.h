/* MCP over HTTP: what its files share (mcp_http.c, mcp_headers.c). */
#ifndef SERVE_MCP_EXCHANGE_H
#define SERVE_MCP_EXCHANGE_H

#include "serve/mcp_message.h"
#include "serve/service.h"

struct mcp_mismatch {
    enum mcp_code code;
    const char *why;
    gramc_text revision; /* that is asked for */
};

/* Do the headers of a request say what its body says? */
bool mcp_headers_fit(struct asked *asked, const struct mcp_said *said, struct mcp_mismatch *out);

#endif
