/* Sockets that are watched now and then, on a loop. */
#ifndef RUNTIME_NET_SOCKETS_H
#define RUNTIME_NET_SOCKETS_H

#include <uv.h>

#include "base/mem.h"

struct socket_watcher;

struct sockets {
    uv_loop_t *loop;
    gramc_allocator allocator;
    /* These events of libuv, or an error, happened on a socket of which some are wanted. */
    void (*ready)(void *ctx, int socket, int events, bool error);
    void (*closed)(void *ctx); /* no handle is open, each time that there was one */
    void *ctx;
    struct socket_watcher **watchers; /* by descriptor; NULL: not watched */
    size_t size;
    unsigned handles; /* of libuv that are open */
};

/* A new one, which is forgotten before it is closed, at least once it was connected: it stays for
 * when something is wanted of it again, unlike others. False: it cannot be watched. */
bool sockets_keep(struct sockets *sockets, int socket);
/* From now on these events are wanted of it; 0: none. The loop goes on as long as some are. False:
 * it cannot be watched. */
bool sockets_want(struct sockets *sockets, int socket, int events);
void sockets_forget(struct sockets *sockets, int socket);
void sockets_forget_all(struct sockets *sockets);
/* Once no handle is open. */
void sockets_free(struct sockets *sockets);

#endif
