/* Messages of JSON-RPC 2.0 with the header of the protocol, in and out. */
#ifndef LSP_MESSAGE_H
#define LSP_MESSAGE_H

#include "lsp/inside.h"

enum rpc_error {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_NOT_INITIALIZED = -32002,
    RPC_FAILED = -32803,
    RPC_CANCELLED = -32800
};

/* Takes all whole messages out of lsp->in. False: the bytes are no messages, and nothing behind
 * them can be understood. */
bool messages_take(struct lsp *lsp);
/* The next one, or NULL; the caller frees it. */
struct lsp_message *message_next(struct lsp *lsp);
void message_free(struct lsp *lsp, struct lsp_message *message);
void messages_free(struct lsp *lsp);

/* An answer: begin, write one value, end. `id` is JSON as it came. */
struct json_writer response_begin(struct lsp *lsp, const struct json *id);
void response_end(struct lsp *lsp, struct json_writer *w);
/* Throws away what was written since response_begin and answers with an error. */
void response_error(struct lsp *lsp, const struct json *id, int code, const char *message);

#endif
