/* The colours that the server can tell apart. */
#ifndef LSP_TOKENS_H
#define LSP_TOKENS_H

#include "lsp/inside.h"

/* The member semanticTokensProvider of the capabilities. */
void put_token_legend(struct json_writer *w);

#endif
