/* A client of MCP servers (https://modelcontextprotocol.io): tools only, over stdio or Streamable
 * HTTP. Speaks the stateless protocol of 2026-07-28 and, with servers that do not, the one with a
 * handshake up to 2025-11-25. Declares no capabilities. Everything a server says is hostile text.
 *
 * The server is started, or connected to, with the first request, and again after it has ended, a
 * few times. All belongs to the thread of its loop. */
#ifndef RUNTIME_MCP_MCP_H
#define RUNTIME_MCP_MCP_H

#include <uv.h>

#include "base/sha256.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "gramc/compile.h"
#include "runtime/process/exec.h"
#include "runtime/mcp/headers.h"
#include "runtime/mcp/http.h"

struct mcp_client;
struct secrets;

/* Where a server is: a program or an address, the other being NULL. */
struct mcp_place {
    const struct exec_words *words;
    const struct mcp_address *address;
    struct http *http;              /* for an address; must outlive the client, see http.h */
    struct secrets *const *secrets; /* the loop's, to be kept out of what is shown; NULL: none */
};

/* Nothing is started yet. Words and address are copied. */
gramc_status mcp_client_new(struct mcp_client **out, uv_loop_t *loop,
                            const gramc_allocator *allocator, const struct mcp_place *place);
/* Fails what is going on (`done` is called), ends the server. The memory goes as the loop turns. */
void mcp_client_close(struct mcp_client *client);
/* "2026-07-28", "2025-11-25"...; empty before the first answer. */
const char *mcp_client_version(const struct mcp_client *client);
/* How often the server has said that its tools have changed, or was started again. */
unsigned mcp_client_changes(const struct mcp_client *client);

/* Writes why no answer came, and behind it what came of the server instead, if anything did. */
void mcp_client_tell(const struct mcp_client *client, const char *why, char *out, size_t size);

enum mcp_outcome {
    MCP_FINE,
    MCP_TOOL_ERROR,     /* the tool says that it failed */
    MCP_PROTOCOL_ERROR, /* the server answers with an error of its own */
    MCP_BAD_RESULT,     /* what it answers is not what the protocol, or its schema, says */
    MCP_BROKEN,         /* no answer: it ended, or cannot be started */
    MCP_NOMEM
};

/* What requests share; filled in by the client. */
struct mcp_request {
    struct mcp_client *client; /* NULL: not going on */
    struct mcp_request *next, **link;
    const struct mcp_verb *verb;
    uint64_t id;       /* 0: waits to be sent */
    unsigned sessions; /* that were lost with it */
};

/* One call of a tool. */
struct mcp_call {
    struct mcp_request request;
    /* In; borrowed until done or mcp_cancel. */
    gramc_text tool;                     /* its name on the server */
    gramc_text arguments;                /* a JSON object */
    const gramc_schema *output;          /* what its structured content must fit; NULL: anything */
    const struct mcp_parameter *mirrors; /* of the tool, as it is listed */
    gramc_text pin; /* of the list that the server is held to (mcp_listing_digest); empty: none */
    bool as_text;   /* what the server says in words is wanted, if there is any, not in JSON */
    void (*done)(struct mcp_call *call);
    void *ctx;
    gramc_allocator allocator;
    /* Out. */
    enum mcp_outcome outcome;
    struct buf result; /* for the model: the answer, or what went wrong */
    /* The client's own. */
    struct mcp_client *client;
    struct buf replies; /* to what the server asked about this call: members of params */
    unsigned rounds;
    struct mcp_listing *relisted; /* where the server wanted other headers than `mirrors`: */
    const struct mcp_parameter *other_mirrors; /* these, in its arena */
};

/* Starts a call; done comes later, never from inside this, unless there is no memory. */
void mcp_call_start(struct mcp_client *client, struct mcp_call *call);
/* Ends it without calling done; tells the server. Does nothing if it is over. */
void mcp_call_cancel(struct mcp_call *call);
void mcp_call_free(struct mcp_call *call);

struct mcp_tool {
    struct mcp_tool *next;
    gramc_text name, title, description;
    gramc_text input, output; /* JSON Schemas; output may be empty */
    gramc_text annotations;   /* JSON, or empty; what the server says of itself */
    struct mcp_parameter *mirrors;
    const char *refused; /* why it cannot be called; NULL: it can */
};

/* The tools of a server, all pages. */
struct mcp_listing {
    struct mcp_request request;
    void (*done)(struct mcp_listing *listing);
    void *ctx;
    gramc_allocator allocator;
    /* Out. */
    enum mcp_outcome outcome;
    char why[512];
    struct arena arena;
    struct mcp_tool *tools, **tools_end;
    size_t count, pages;
    gramc_text cursor;
    bool uses_headers; /* the server wants arguments repeated in headers */
    unsigned changes;  /* mcp_client_changes when it was asked for */
};
/* Of all that models are shown of the tools. */
void mcp_listing_digest(const struct mcp_listing *listing, char hex[SHA256_HEX]);

void mcp_list_start(struct mcp_client *client, struct mcp_listing *listing);
void mcp_list_free(struct mcp_listing *listing);

/* Ends a request without calling done; tells the server if it was sent. Does nothing if it is over.
 */
void mcp_cancel(struct mcp_request *request);

/* ## What a result means (result.c) */
/* Writes what a model should see of the result of tools/call; says what it amounts to. `output` and
 * `as_text` are those of the call; secrets are hidden in what is cut, the rest is the caller's. */
enum mcp_outcome mcp_result_read(struct buf *out, const struct json *result,
                                 const gramc_schema *output, bool as_text,
                                 const struct secrets *secrets);

/* ## Schemas (dialect.c) */
/* A copy in the arena; without its `$schema` if that is draft-07 and makes no difference. Empty
 * without memory (arena->oom). */
gramc_text mcp_plain_schema(struct arena *arena, gramc_text schema);

/* ## What a server asks back (questions.c) */
/* True if the result of a call is no answer yet, but questions. */
bool mcp_asks_back(const struct json *result);
/* Writes the members of params that repeat the call with replies: nobody is there to be asked, so
 * every question is declined. False if one cannot be. */
bool mcp_decline(struct buf *out, const struct json *result);

#endif
