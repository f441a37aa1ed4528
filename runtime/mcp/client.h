/* The inside of an MCP client: what its files share. */
#ifndef RUNTIME_MCP_CLIENT_H
#define RUNTIME_MCP_CLIENT_H

#include "base/json/writer.h"
#include "runtime/mcp/mcp.h"
#include "runtime/mcp/transport.h"

/* What is asked, and what becomes of the answer. The request is not linked any more when fail or
 * answer is called; it may be started again from there. */
struct mcp_verb {
    const char *method;
    /* Writes members of params. */
    void (*put_params)(struct mcp_request *request, struct json_writer *w);
    /* What of it headers repeat; NULL: nothing. */
    void (*describe)(const struct mcp_request *request, struct mcp_message *message);
    void (*fail)(struct mcp_request *request, enum mcp_outcome outcome, const char *why);
    void (*answer)(struct mcp_client *client, struct mcp_request *request,
                   const struct json *result, const struct json *error);
};

enum mcp_state {
    MCP_IDLE,         /* no server runs */
    MCP_PROBING,      /* asked by server/discover */
    MCP_INITIALIZING, /* asked by initialize; an answer to the probe may still come */
    MCP_READY
};

enum { MCP_STRAY_MS = 200, STRAY_SHOWN = 120 };

/* What a server printed, or sent, that is no message. */
struct mcp_strays {
    unsigned count;              /* of lines */
    char shown[STRAY_SHOWN + 4]; /* the beginning of one of them: of an answer, if there was one */
    const char *problem;         /* with that one; NULL: nothing more is known */
    bool is_answer;              /* it looks like an answer that cannot be read */
    uint64_t id;                 /* that stands in it; 0: none was found */
    uint64_t before;             /* it may be the answer to what has an id below this */
};

struct mcp_client {
    gramc_allocator allocator;
    uv_loop_t *loop;
    struct arena arena;
    struct exec_words words; /* argv NULL: the server is at the address */
    struct mcp_address address;
    struct http *http;
    struct secrets *const *secrets;
    struct mcp_transport *transport; /* NULL: idle */
    enum mcp_state state;
    bool is_modern, no_probe, probed_twice, closing;
    const char *version;          /* NULL before the first handshake */
    uint64_t next_id;             /* never used again, not after a restart either */
    uint64_t probe, initialize;   /* ids that wait for an answer; 0: none */
    struct mcp_request *requests; /* in the order of their start */
    uv_timer_t timer;             /* of the handshake */
    uv_timer_t patience;          /* with an answer that cannot be read */
    uv_idle_t idle;               /* something can be sent */
    struct mcp_strays strays;     /* since it last answered */
    uint32_t probe_ms, handshake_ms;
    unsigned starts, changes;
    char listed[SHA256_HEX]; /* the digest of its last list */
    bool has_listed;
    unsigned listed_at; /* `changes` then */
    char why[512];
};

/* What the loop knows by now; NULL: nothing. */
const struct secrets *mcp_client_secrets(const struct mcp_client *client);

void mcp_request_start(struct mcp_client *client, struct mcp_request *request,
                       const struct mcp_verb *verb);
/* Takes a message of the server's. */
void mcp_take_line(struct mcp_client *client, gramc_text line);

/* Writes `what`, and the code and message of an error behind it, this in `longest` bytes. */
void mcp_put_error(struct buf *out, const char *what, const struct mcp_client *client,
                   const struct json *error, size_t longest);

/* ## What a server is held to (pin.c) */
/* Keeps the digest of a list that has come. */
void mcp_pin_note(struct mcp_client *client, const struct mcp_listing *listing);
/* Whether its last list is that one; `holds`: and nothing has happened to it since. */
bool mcp_pin_says(const struct mcp_client *client, gramc_text pin);
bool mcp_pin_holds(const struct mcp_client *client, gramc_text pin);

/* ## What is no message (strays.c) */
/* Counts a line; true if it looks like an answer, which then will not come. */
bool mcp_stray_take(struct mcp_client *client, gramc_text line, const struct json_error *error);
/* Writes `why`, and behind it what came instead of messages, if anything did. */
void mcp_strays_tell(char *out, size_t size, const char *why, const struct mcp_strays *strays);

/* ## Writing (write.c). GRAMC_OK, GRAMC_NOMEM, GRAMC_LIMIT, GRAMC_NOT_FOUND. */
extern const char mcp_modern[];
/* The revisions with a handshake, newest first: the first is asked for. Ends with NULL. */
extern const char *const mcp_legacy[];

gramc_status mcp_send_probe(struct mcp_client *client);
gramc_status mcp_send_initialize(struct mcp_client *client);
gramc_status mcp_send_initialized(struct mcp_client *client);
gramc_status mcp_send_request(struct mcp_client *client, struct mcp_request *request);
void mcp_send_cancelled(struct mcp_client *client, uint64_t id);
/* Answers what the server asks: only ping is known. */
void mcp_send_reply(struct mcp_client *client, const struct json *id, const struct json *method);

#endif
