/* The messages that clients of an MCP server send, of both eras (mcp_message.c), and the answers to
 * them (mcp_say.c). Pure: bytes in, bytes out. */
#ifndef SERVE_MCP_MESSAGE_H
#define SERVE_MCP_MESSAGE_H

#include "base/json/writer.h"

enum mcp_code {
    MCP_CODE_PARSE = -32700,
    MCP_CODE_REQUEST = -32600,
    MCP_CODE_METHOD = -32601,
    MCP_CODE_PARAMS = -32602,
    MCP_CODE_INTERNAL = -32603,
    MCP_CODE_HEADERS = -32020,
    MCP_CODE_VERSION = -32022
};

enum mcp_said_kind {
    MCP_SAID_REQUEST,
    MCP_SAID_NOTIFICATION,
    MCP_SAID_REPLY /* to a question; we ask none */
};

struct mcp_said {
    enum mcp_said_kind kind;
    gramc_text id; /* JSON; "null" where the message has none that can be answered */
    gramc_text method;
    const struct json *params; /* an object, or NULL */
    const struct json *meta;   /* likewise: its _meta */
    bool is_modern;            /* stateless: it says itself by which revision it is meant */
    gramc_text revision;       /* that it says; empty: none */
    enum mcp_code code;        /* of what is wrong with it, if `wrong` */
    const char *wrong;         /* a sentence; NULL: nothing */
};

/* Everything is in the arena, or borrowed from the bytes. False without memory. */
bool mcp_said_read(struct mcp_said *out, struct arena *arena, gramc_text bytes);

/* ## Answers: one message each, without a line's end */
/* Begins an answer; its result is what is written next. */
struct json_writer mcp_say_begin(struct buf *out, gramc_text id);
/* Ends it, behind the result. */
void mcp_say_end(struct json_writer *w);
/* Begins a notification and its params, which mcp_say_told ends. */
struct json_writer mcp_say_tell(struct buf *out, const char *method);
void mcp_say_told(struct json_writer *w);
/* `requested`: the revision, where the code is MCP_CODE_VERSION. */
void mcp_say_error(struct buf *out, gramc_text id, enum mcp_code code, gramc_text message,
                   gramc_text requested);
/* The member `key`: who we are. */
void mcp_say_who(struct json_writer *w, const char *key);

extern const char mcp_key_revision[], mcp_key_capabilities[], mcp_key_server[],
    mcp_key_subscription[];

#endif
