/* A proxy for one sandboxed program, on the loop: what it asks goes where the rules let requests
 * go, and nowhere else. */
#ifndef RUNTIME_NET_PROXY_H
#define RUNTIME_NET_PROXY_H

#include <uv.h>

#include "base/mem.h"
#include "runtime/net/egress.h"

struct proxy;

/* Takes the socket that listens, which waits in `from` to be accepted, and serves it. The rules are
 * copied. NULL: it cannot be served, and whoever asks it is turned away. */
struct proxy *proxy_open(uv_loop_t *loop, const gramc_allocator *allocator,
                         const struct egress *rules, uv_stream_t *from);
/* Ends all connections; frees itself when the loop has turned. NULL is fine. */
void proxy_close(struct proxy *proxy);

#endif
