/* What a client asks of a proxy, and what the server is sent in its place. */
#ifndef RUNTIME_NET_PROXY_REQUEST_H
#define RUNTIME_NET_PROXY_REQUEST_H

#include "base/buf.h"
#include "base/host.h"

enum { PROXY_HEAD_MAX = 65536 };

struct proxy_request {
    bool is_tunnel;                  /* CONNECT */
    char host[HOST_LETTERS_MAX + 3]; /* without brackets */
    uint16_t port;
    size_t head_len; /* what follows is the body's, or the tunnel's */
};

enum proxy_verdict { PROXY_MORE, PROXY_FINE, PROXY_WRONG };

/* Reads `CONNECT host:port` and `GET http://host/...` (RFC 9112) as strictly as it can be read.
 * PROXY_MORE: the head is not whole. PROXY_WRONG: `*why` says what is wrong, half a sentence.
 * `forward`: gets the head for the server; nothing for a tunnel. */
enum proxy_verdict proxy_request_read(struct proxy_request *out, gramc_text bytes,
                                      struct buf *forward, const char **why);

#endif
