/* What a client says about its documents. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include "lsp/inside.h"

typedef void notification_handler(struct lsp *lsp, const struct json *params);
notification_handler did_open, did_change, did_save, did_close;

#endif
