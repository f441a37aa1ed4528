/* What the files of the service share. Everything runs on the loop's thread. */
#ifndef SERVE_SERVICE_H
#define SERVE_SERVICE_H

#include <uv.h>

#include "base/buf.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "runtime/loop.h"
#include "serve/link.h"
#include "serve/mcp_watch.h"
#include "serve/serve.h"

enum { ADDRESS_ROOM = 128, ADDRESS_BYTES = 8, NOBODY = -1 };

struct asked;
struct web_session;

/* A connection of a client, which has requests one after the other. */
struct incoming {
    struct service *service;
    struct incoming *next, **link;
    int socket;
    unsigned char address[ADDRESS_BYTES]; /* what counts of it */
    uint64_t began_ns;
    uint64_t due_ns;    /* when it is closed, unless a request has come by then; 0: never */
    bool is_too_slow;   /* that is why it ends */
    bool has_requested; /* its first bytes were a request line */
};

struct service {
    gramc_allocator allocator;
    struct serve_options options; /* with the defaults filled in */
    struct arena arena;
    gramc_loop *loop;
    struct microhttpd http;
    struct MHD_Daemon *daemon;
    bool cuts_in_place;       /* the library: see struct request_lines */
    gramc_text address, port; /* "http://127.0.0.1:8080", "8080" */
    bool is_local;            /* nobody else's machine reaches it */
    char (*tokens)[SHA256_HEX];
    uv_poll_t readable;  /* the library has something to do */
    uv_timer_t due;      /* it wants to be asked again by then */
    uv_timer_t tick;     /* looks for what takes too long, while there are connections */
    uv_prepare_t before; /* runs the library before the loop waits, if `has_news` */
    uv_async_t stop;
    uv_timer_t grace;
    size_t handles; /* that are not closed yet */
    bool has_news;  /* a connection was resumed */
    bool is_stopping, is_hurried, may_close, is_closing, is_closed;
    struct incoming *connections;
    struct asked *requests;   /* that are under way */
    size_t running;           /* runs */
    struct tool_shelf *shelf; /* held; NULL: none */
    struct shelf_watch watch; /* of its files */
    uv_timer_t shelf_tick;    /* looks after those that hear of it */
    size_t listening;         /* MCP clients that hear of changes */
    struct web_session *sessions;
    size_t session_count;
};

/* ## Requests (request.c) */

/* A header Mcp-Param-{name}, by which an MCP client repeats an argument. */
struct asked_parameter {
    struct asked_parameter *next;
    gramc_text name, value;
};

/* What of the headers is looked at; counts, because two of a kind are an attack. */
struct asked_headers {
    gramc_text host, origin, authorization, type, length, coding, fetch_site, fetch_mode;
    gramc_text accept, mcp_revision, mcp_method, mcp_name;
    gramc_text wanted; /* names of headers that a page wants to send */
    struct asked_parameter *parameters;
    unsigned mcp_revisions, mcp_methods, mcp_names;
    bool has_twins; /* two parameters of one name */
    unsigned hosts, origins, authorizations, types, lengths, codings;
};

/* The lines of a request (lines.c), as the library cut them into C strings. */
struct request_lines {
    bool is_cut_in_place; /* this version leaves them where they were */
    const char *target;   /* of the request */
    size_t target_len;
    const char *end; /* of the newest one */
    bool is_wrong;
};
/* Target is set. */
void lines_begin(struct request_lines *lines, const char *method, const char *version);
/* The next header. */
void lines_take(struct request_lines *lines, const char *name, const char *value);
bool lines_are_right(const struct request_lines *lines);

struct endpoint_row;
struct served_run;
struct mcp_exchange;
struct outpour;
struct watched;

struct asked {
    struct service *service;
    struct asked *next, **link;
    struct MHD_Connection *connection; /* NULL: it is over */
    struct incoming *from;
    struct arena arena;
    gramc_text method, path, query; /* as they came, escapes and all */
    gramc_text rest;                /* of the path: what the route's * stands for */
    const struct endpoint_row *route;
    struct request_lines lines;
    struct asked_headers headers;
    int client; /* whose token it is: its index; NOBODY: nobody has one */
    struct buf body;
    uint64_t began_ns;
    bool begun, too_large, routed, waits;
    struct watched *watch; /* of its socket, while a run answers it */
    struct served_run *run;
    struct mcp_exchange *exchange; /* in the arena; NULL: it is no MCP client, or answered */
    struct outpour *stream;        /* the library's, until it is done with it */
    /* the answer */
    unsigned status; /* 0: there is none yet */
    const char *content_type;
    const char *policy;         /* of content; NULL: nothing may be loaded */
    const char *allow;          /* of 405 */
    gramc_text ignored;         /* of what was asked, with a NUL behind; told in a header */
    gramc_text headers_allowed; /* of a preflight, with a NUL behind; else empty */
    gramc_text param;           /* what of the request an error is about; empty: no part of it */
    gramc_text arm;             /* that answers it, the same; empty: it is not told */
    struct buf answer;
    char last_words[160]; /* for when there is no memory for others */
    bool has_last_words;
    bool sent;
    size_t bytes;
};

struct MHD_Connection;
enum MHD_Result request_go_on(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request);
/* The request line was read. */
void *request_begin(void *ctx, const char *uri, struct MHD_Connection *connection);
void request_end(void *ctx, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode code);
/* Is this the name of a header that repeats an argument? Cuts it down to that of the argument. */
bool request_is_parameter(gramc_text *name);
/* A run that answered it has ended: gives it back if the library has, too. */
void request_free_if_over(struct asked *asked);
/* Its run ends soon, if it has one. */
void request_cancel(struct asked *asked);

/* ## Routes (routes.c) */
enum endpoint_flags {
    ROUTE_OPEN = 1,
    ROUTE_BODY = 2,
    ROUTE_PAGE = 4,
    ROUTE_GET_RUNS = 8,
    ROUTE_SHELF = 16,
    ROUTE_ONLINE = 32
};
struct endpoint_row {
    const char *method, *path; /* a * stands for one segment */
    unsigned flags; /* OPEN: without a token; BODY: JSON is wanted; PAGE: may be linked to */
    void (*answer)(struct asked *asked);
};
/* Sets route and rest; false after a refusal. */
bool route_find(struct asked *asked);

/* ## Who may ask (admit.c) */
/* False after a refusal. */
bool admit_request(struct asked *asked);
bool admit_client(struct asked *asked);
/* Is this origin on the list of those that may ask? */
bool admit_origin(const struct asked *asked);
/* Looks at every byte, whatever it finds: how long it takes says nothing. */
bool is_same_hash(const char a[SHA256_HEX], const char b[SHA256_HEX]);

/* ## Answers (reply.c) */
/* Takes the JSON that the buffer holds; frees the buffer. */
void reply_json(struct asked *asked, unsigned status, struct buf *json);
/* A constant. */
void reply_constant(struct asked *asked, unsigned status, const char *type, gramc_text bytes);
/* An error in the shape of OpenAI's. `code` is a word for programs. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void reply_error(struct asked *asked, unsigned status, const char *code, const char *format, ...);
/* The object of such an error. `param` may be empty. */
void reply_put_error(struct buf *out, unsigned status, const char *code, gramc_text message,
                     gramc_text param);
void reply_nomem(struct asked *asked);
/* There is something to send: a connection that waited goes on. */
void reply_go_on(struct asked *asked);
/* Hands the answer to the library. */
enum MHD_Result reply_send(struct asked *asked);
/* The same for a response, which is given back. */
enum MHD_Result reply_queue(struct asked *asked, struct MHD_Response *response);

/* ## Answers that come in pieces (outpour.c) */
/* Begins to answer with a stream of events. False without memory. */
bool outpour_begin(struct asked *asked);
/* What is written to it goes to the client when it is flushed. NULL: the client is gone. */
struct buf *outpour_buffer(struct asked *asked);
void outpour_flush(struct asked *asked);
/* It will not be sent, or its request is over. */
void outpour_drop(struct asked *asked);
/* Nothing more comes. */
void outpour_end(struct asked *asked);
enum MHD_Result outpour_send(struct asked *asked);
/* A line that means nothing, where nothing has come for a while. */
void outpour_keep_alive(struct asked *asked, uint64_t now_ns);

/* ## The library in the loop (pump.c) */
gramc_status pump_start(struct service *service, int socket, char *why);
/* The library has news: a connection was resumed. */
void pump_wake(struct service *service);
/* A request is over: is that what stopping waits for? */
void pump_look(struct service *service);
void pump_stop(struct service *service);
/* While nobody reads from the client: request_cancel if it goes. False without memory. */
bool pump_watch(struct asked *asked);
void pump_unwatch(struct asked *asked);

/* ## Listening (listen.c) */
/* A socket that listens at options.listen, or -1 with the status and `why`. Sets address and
 * is_local. */
int listen_open(struct service *service, gramc_status *status, char *why);

/* ## The log (log.c) */
/* `note`: how it has ended, if not with an answer that was taken; empty: it has. */
void log_request(const struct asked *asked, const char *note);
/* A connection ends that never brought a request. */
void log_connection(const struct incoming *connection);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void log_line(const struct service *service, const char *format, ...);

/* ## Endpoints */
void answer_health(struct asked *asked);
void answer_mcp(struct asked *asked);
void answer_mcp_stream(struct asked *asked);
/* Ends what an MCP client asked for, and answers that it was ended, if it still listens. */
void mcp_exchange_cancel(struct asked *asked);
/* Looks whether the tools have changed, and tells who wants to know; and that calls still work. */
void mcp_exchanges_tick(struct service *service);
/* Nobody will hear of changes any more. */
void mcp_exchanges_dismiss(struct service *service);

#endif
