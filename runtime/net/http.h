/* HTTP on a loop: send a request, get an answer. Everything of libcurl is behind this header. */
#ifndef RUNTIME_NET_HTTP_H
#define RUNTIME_NET_HTTP_H

#include <uv.h>

#include "base/buf.h"
#include "runtime/gate.h"
#include "runtime/net/egress.h"

struct http;        /* the connections of one loop */
struct http_guard;  /* where a request may go, and what it was refused */
struct http_target; /* where to, with which headers; immutable, free to share between threads */

/* How a server is reached, besides its address. NULL: as every other. */
struct http_route {
    const char *ca_file, *certificate, *key; /* PEM files */
    const char *proxy;
    struct egress egress; /* where it may lead; hosts NULL: anywhere */
};

/* In one piece; NULL without memory. */
struct http_route *http_route_copy(const gramc_allocator *allocator,
                                   const struct http_route *route);
void http_route_free(const gramc_allocator *allocator, struct http_route *route);

enum http_failure {
    HTTP_FINE,        /* there is a status and a body */
    HTTP_UNREACHABLE, /* no connection, or it broke before the answer was complete */
    HTTP_TIMED_OUT,
    HTTP_TOO_BIG, /* the answer passed its limit */
    HTTP_REFUSED, /* libcurl will not do it: a wrong URL, TLS that cannot be trusted */
    HTTP_NOMEM
};

struct http_request {
    /* In. All borrowed until done is called or http_cancel. */
    const struct http_target *target; /* NULL: url and headers say it all */
    const char *method;               /* NULL: POST */
    const char *url;                  /* NULL: the target's */
    const char *const *headers;       /* "Name: value" each, up to a NULL; NULL: the target's */
    const struct http_route *route;   /* NULL: there is nothing special */
    const char *const *keep;          /* names of headers of the answer to keep, up to a NULL */
    gramc_text body;                  /* of a POST or PUT */
    size_t max_response;
    void (*done)(struct http_request *request);
    /* NULL: the whole answer is waited for. Else called as parts of the body come, status and kept
     * headers being known: it may take bytes out of `response`, which holds only what it left, and
     * may cancel any request. What comes last is left to done. */
    void (*data)(struct http_request *request);
    /* NULL: nobody wants to know. Else called when a request that had to wait is sent: not if
     * http_start sent it. */
    void (*begun)(struct http_request *request);
    void *ctx;
    gramc_allocator allocator;
    /* Out. */
    enum http_failure failure;
    char error[256]; /* what libcurl says about a failure */
    long status;
    struct buf response;
    struct buf kept;     /* "Name: value\n" each */
    struct buf redirect; /* where the answer would send us; empty: nowhere, or too far to say */
    bool may_retry, must_not_retry; /* x-should-retry: true, false */
    double retry_after_ms;          /* what the server asks for; negative: nothing */
    /* http.c's own. */
    struct http *http;
    void *easy, *header_list;
    struct http_guard *guard; /* NULL: it may go anywhere */
    bool fresh, headed;       /* has bytes that data has not seen; its headers are kept */
    struct http_request *next, **link;
    struct http_request *next_fresh, **fresh_link;
    struct gate_wait wait;
};

struct http_target_options {
    gramc_text url, api_key, proxy;
    const char *key_header; /* what stands before the key: "Authorization: Bearer " */
    const char *header;     /* one more; NULL: none */
    uint32_t timeout_ms, connect_timeout_ms;
};

/* GRAMC_USAGE: neither http nor https, a control character in the key, a NUL in the proxy. */
gramc_status http_target_new(struct http_target **out, const gramc_allocator *allocator,
                             const struct http_target_options *options);
void http_target_free(struct http_target *target);

gramc_status http_new(struct http **out, uv_loop_t *loop, const gramc_allocator *allocator);
/* Judges servers by the certificates of that file (borrowed), not by the system's. Before the first
 * request. */
void http_trust(struct http *http, const char *ca_file);
/* For tests: what names lead to, "HOST:PORT:ADDRESS,ADDRESS" each, up to a NULL; nobody is asked
 * for these. Also between two requests. False without memory. */
bool http_pretend(struct http *http, const char *const *names);
/* From here on at most so many requests are under way at a time, over as many connections, idle
 * ones included; the others wait in order. Before the first request. */
void http_limit(struct http *http, size_t most);
/* Closes; no request may be in flight. Memory goes when the loop has turned. */
void http_close(struct http *http);
/* No request is in flight or waits. */
bool http_is_idle(const struct http *http);

/* Starts, or has it wait for its turn; its time limits begin when it is sent. done is called later,
 * from the loop. Frees nothing of the request. */
gramc_status http_start(struct http *http, struct http_request *request);
/* It has not been sent yet. */
bool http_waits(const struct http_request *request);
/* Ends it without calling done. Does nothing if none is in flight. */
void http_cancel(struct http_request *request);
/* The value of a header that was kept; empty: it was not sent. The name is spelled as in `keep`. */
gramc_text http_kept(const struct http_request *request, const char *name);
/* Frees what came out. */
void http_request_free(struct http_request *request);

#endif
