/* Watches sockets for libcurl, which wants each watched from a request to its answer, then not, and
 * then again for the next one. A watcher stays with libuv in between, until the socket is closed,
 * so that neither libuv nor the system hears of that: it would be six calls of the system a
 * request. What an idle socket has to say is found out by the next request. */
#include "runtime/net/sockets.h"

#include <fcntl.h>
#include <string.h>

enum { FEW = 64 };

struct socket_watcher {
    uv_poll_t poll;
    struct sockets *sockets;
    int socket;
    int wanted, active; /* events: that are asked for, and that libuv looks for */
    bool kept;          /* we are told when it is closed, once it is connected */
    bool connected;
};

static void watcher_closed(uv_handle_t *handle) {
    struct socket_watcher *watcher = handle->data;
    struct sockets *sockets = watcher->sockets;
    mem_free(&sockets->allocator, watcher, sizeof(*watcher));
    if (--sockets->handles == 0) sockets->closed(sockets->ctx);
}

/* Its user is first let read and write where there is an error, which brings the error and what
 * came before; told that there is one, it only learns that there is. */
static void on_event(uv_poll_t *poll, int status, int events) {
    struct socket_watcher *watcher = poll->data;
    const struct sockets *sockets = watcher->sockets;
    int both = UV_READABLE | UV_WRITABLE;
    if (status < 0) watcher->active = 0; /* libuv looks no more */
    if (!watcher->wanted) {
        watcher->active = 0;
        uv_poll_stop(poll);
        return;
    }
    sockets->ready(sockets->ctx, watcher->socket, status < 0 ? both : events, false);
    if (status < 0 && !uv_is_closing((uv_handle_t *)poll) && watcher->wanted)
        sockets->ready(sockets->ctx, watcher->socket, 0, true);
}

static bool make_room(struct sockets *sockets, size_t socket) {
    size_t unit = sizeof(struct socket_watcher *), size = sockets->size ? sockets->size : FEW;
    if (socket < sockets->size) return true;
    while (size <= socket) size *= 2;
    void *longer = sockets->allocator.alloc(sockets->allocator.ctx, sockets->watchers,
                                            sockets->size * unit, size * unit);
    if (!longer) return false;
    sockets->watchers = longer;
    memset(sockets->watchers + sockets->size, 0, (size - sockets->size) * unit);
    sockets->size = size;
    return true;
}

static struct socket_watcher *find(const struct sockets *sockets, int socket) {
    return socket >= 0 && (size_t)socket < sockets->size ? sockets->watchers[socket] : NULL;
}

static struct socket_watcher *make(struct sockets *sockets, int socket, bool kept) {
    if (socket < 0 || !make_room(sockets, (size_t)socket)) return NULL;
    struct socket_watcher *watcher = mem_alloc(&sockets->allocator, sizeof(*watcher));
    if (!watcher) return NULL;
    *watcher = (struct socket_watcher){.sockets = sockets, .socket = socket, .kept = kept};
    if (uv_poll_init_socket(sockets->loop, &watcher->poll, socket)) {
        mem_free(&sockets->allocator, watcher, sizeof(*watcher));
        return NULL;
    }
    watcher->poll.data = watcher;
    sockets->watchers[socket] = watcher;
    sockets->handles++;
    return watcher;
}

void sockets_forget(struct sockets *sockets, int socket) {
    struct socket_watcher *watcher = find(sockets, socket);
    if (!watcher) return;
    watcher->wanted = 0;
    sockets->watchers[socket] = NULL;
    uv_close((uv_handle_t *)&watcher->poll, watcher_closed);
}

bool sockets_keep(struct sockets *sockets, int socket) {
    sockets_forget(sockets, socket);
    struct socket_watcher *watcher = make(sockets, socket, true);
    if (watcher) uv_unref((uv_handle_t *)&watcher->poll);
    return watcher;
}

/* Others may run programs, which must not inherit it. */
static struct socket_watcher *make_for_now(struct sockets *sockets, int socket) {
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    return make(sockets, socket, false);
}

/* libcurl closes what it does not get connected without a word. */
static void want_nothing(struct sockets *sockets, struct socket_watcher *watcher) {
    watcher->wanted = 0;
    if (watcher->kept && watcher->connected) uv_unref((uv_handle_t *)&watcher->poll);
    else sockets_forget(sockets, watcher->socket);
}

bool sockets_want(struct sockets *sockets, int socket, int events) {
    struct socket_watcher *watcher = find(sockets, socket);
    if (events && !watcher) watcher = make_for_now(sockets, socket);
    if (!watcher) return !events;
    if (!events) {
        want_nothing(sockets, watcher);
        return true;
    }
    watcher->wanted = events;
    watcher->connected |= events == UV_READABLE;
    uv_ref((uv_handle_t *)&watcher->poll);
    if (watcher->active == events) return true;
    watcher->active = events;
    return uv_poll_start(&watcher->poll, events, on_event) == 0;
}

void sockets_forget_all(struct sockets *sockets) {
    for (size_t i = 0; i < sockets->size; i++) sockets_forget(sockets, (int)i);
}

void sockets_free(struct sockets *sockets) {
    mem_free(&sockets->allocator, sockets->watchers,
             sockets->size * sizeof(struct socket_watcher *));
    sockets->watchers = NULL;
    sockets->size = 0;
}
