/* libmicrohttpd in the runtime's loop. The library has no thread of its own: it collects its
 * sockets in one epoll descriptor, which libuv watches like any other, and says how long it may be
 * left alone, which is a timer. So requests, runs and what both write belong to one thread, nothing
 * is locked, and a request that waits for its run costs a suspended connection.
 *
 * The library watches no connection that is suspended; whether its client is still there is asked
 * of the socket itself (pump_watch). Clients that dawdle are found by a tick: the library's own
 * limit counts from the last byte, which a byte now and then satisfies. */
#define _GNU_SOURCE /* POLLRDHUP, for libuv's UV_DISCONNECT */
#include <netinet/in.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "serve/service.h"

enum { TICK_MS = 250, LAST_WORDS_MS = 1000, FEWEST_CONNECTIONS = 16, WHY_SIZE = 256 };

/* ## Running it */

static void run_soon(uv_timer_t *timer);

static void run_library(struct service *service) {
    MHD_UNSIGNED_LONG_LONG ms;
    service->has_news = false;
    service->http.run(service->daemon);
    if (service->is_closing) return;
    if (service->http.timeout(service->daemon, &ms) == MHD_YES)
        uv_timer_start(&service->due, run_soon, ms, 0);
    else uv_timer_stop(&service->due);
}

static void run_soon(uv_timer_t *timer) {
    run_library(timer->data);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    run_library(poll->data);
}

/* ## Connections */

/* The library finds the end of the connection when it reads. */
static void hang_up(struct incoming *connection) {
    connection->due_ns = 0;
    shutdown(connection->socket, SHUT_RDWR);
}

static void look_around(uv_timer_t *timer) {
    struct service *service = timer->data;
    uint64_t now = uv_hrtime();
    for (struct incoming *each = service->connections; each; each = each->next)
        if (each->due_ns && each->due_ns < now) {
            each->is_too_slow = true;
            hang_up(each);
        }
    for (struct asked *asked = service->requests; asked; asked = asked->next)
        if (asked->stream) outpour_keep_alive(asked, now);
}

/* One who has IPv6 has many addresses: 64 bits of them count. */
static void address_of(unsigned char out[ADDRESS_BYTES], const struct sockaddr *address) {
    memset(out, 0, ADDRESS_BYTES);
    if (address && address->sa_family == AF_INET)
        memcpy(out, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    if (address && address->sa_family == AF_INET6)
        memcpy(out, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
               ADDRESS_BYTES);
}

/* One address does not take all connections from the others. On loopback there are no others. */
static enum MHD_Result accept_if_few(void *ctx, const struct sockaddr *from, socklen_t len) {
    const struct service *service = ctx;
    unsigned char address[ADDRESS_BYTES];
    unsigned most = service->options.max_connections / 2, count = 0;
    (void)len;
    if (service->is_local) return MHD_YES;
    if (service->options.max_of_address < most) most = service->options.max_of_address;
    address_of(address, from);
    for (const struct incoming *each = service->connections; each; each = each->next)
        count += memcmp(each->address, address, ADDRESS_BYTES) == 0;
    if (count < most) return MHD_YES;
    log_line(service, "a connection is refused, its address has %u", count);
    return MHD_NO;
}

static void connection_begins(struct service *service, struct MHD_Connection *connection,
                              void **context) {
    const union MHD_ConnectionInfo *info =
        service->http.info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct incoming *made = mem_alloc(&service->allocator, sizeof(*made));
    *context = made;
    if (!made) return; /* its requests are refused */
    *made =
        (struct incoming){.service = service, .socket = info->connect_fd, .began_ns = uv_hrtime()};
    info = service->http.info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    address_of(made->address, info ? info->client_addr : NULL);
    made->due_ns = made->began_ns + service->options.header_ms * UINT64_C(1000000);
    made->next = service->connections;
    made->link = &service->connections;
    if (made->next) made->next->link = &made->next;
    service->connections = made;
    if (!uv_is_active((uv_handle_t *)&service->tick))
        uv_timer_start(&service->tick, look_around, TICK_MS, TICK_MS);
}

/* There may be room for another one, which the library sees when it is run again. */
static void connection_ends(struct service *service, struct incoming *ended) {
    pump_wake(service);
    if (!ended) return;
    if (!ended->has_requested) log_connection(ended);
    *ended->link = ended->next;
    if (ended->next) ended->next->link = ended->link;
    mem_free(&service->allocator, ended, sizeof(*ended));
    if (!service->connections) uv_timer_stop(&service->tick);
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
    if (code == MHD_CONNECTION_NOTIFY_STARTED) connection_begins(ctx, connection, context);
    else connection_ends(ctx, *context);
}

/* ## Clients that go while they wait */

struct watched {
    uv_poll_t poll;
    struct service *service;
    struct asked *asked; /* NULL: it is watched no more */
};

static void free_watch(uv_handle_t *handle) {
    struct watched *watched = handle->data;
    struct service *service = watched->service;
    mem_free(&service->allocator, watched, sizeof(*watched));
    service->handles--;
    pump_look(service);
}

static void on_disconnect(uv_poll_t *poll, int status, int events) {
    struct watched *watched = poll->data;
    struct asked *asked = watched->asked;
    (void)status;
    (void)events;
    pump_unwatch(asked);
    request_cancel(asked);
}

bool pump_watch(struct asked *asked) {
    struct service *service = asked->service;
    struct watched *watched = mem_alloc(&service->allocator, sizeof(*watched));
    if (!watched || !asked->from ||
        uv_poll_init(&service->loop->uv, &watched->poll, asked->from->socket)) {
        mem_free(&service->allocator, watched, sizeof(*watched));
        return false;
    }
    watched->service = service;
    watched->asked = asked;
    watched->poll.data = watched;
    service->handles++;
    asked->watch = watched;
    uv_poll_start(&watched->poll, UV_DISCONNECT, on_disconnect);
    return true;
}

void pump_unwatch(struct asked *asked) {
    struct watched *watched = asked->watch;
    if (!watched) return;
    asked->watch = NULL;
    watched->asked = NULL;
    uv_close((uv_handle_t *)&watched->poll, free_watch);
}

/* ## Tools for MCP clients */

static void look_after_shelf(uv_timer_t *timer) {
    mcp_exchanges_tick(timer->data);
}

/* ## Stopping */

static void handle_closed(uv_handle_t *handle) {
    struct service *service = handle->data;
    service->handles--;
    pump_look(service);
}

/* Nothing is suspended any more: the library would not have that. */
static void close_all(struct service *service) {
    uv_handle_t *handles[] = {(uv_handle_t *)&service->readable,  (uv_handle_t *)&service->due,
                              (uv_handle_t *)&service->tick,      (uv_handle_t *)&service->before,
                              (uv_handle_t *)&service->stop,      (uv_handle_t *)&service->grace,
                              (uv_handle_t *)&service->shelf_tick};
    service->http.run(service->daemon); /* what was resumed */
    service->is_closing = true;
    for (size_t i = 0; i < sizeof(handles) / sizeof(*handles); i++)
        uv_close(handles[i], handle_closed);
    service->http.stop(service->daemon);
    service->daemon = NULL;
}

static void before_waiting(uv_prepare_t *prepare) {
    struct service *service = prepare->data;
    if (service->may_close) close_all(service);
    else if (service->has_news) run_library(service);
}

void pump_wake(struct service *service) {
    service->has_news = true;
}

/* Called from within the library, too, which cannot be stopped there. */
void pump_look(struct service *service) {
    bool quiet = !service->requests || (service->is_hurried && !service->running);
    if (!service->is_closing) {
        service->may_close = service->is_stopping && quiet;
        return;
    }
    if (service->handles || service->is_closed) return;
    service->is_closed = true;
    loop_let_go(service->loop);
}

/* Streams have been told their end; who does not take it in a second has had his chance. */
static void words_are_over(uv_timer_t *timer) {
    struct service *service = timer->data;
    for (struct incoming *each = service->connections; each; each = each->next) hang_up(each);
    service->is_hurried = true;
    pump_look(service);
}

static void end_runs(struct service *service) {
    for (struct asked *asked = service->requests; asked; asked = asked->next) request_cancel(asked);
    uv_timer_start(&service->grace, words_are_over, LAST_WORDS_MS, 0);
}

static void grace_is_over(uv_timer_t *timer) {
    struct service *service = timer->data;
    log_line(service, "the time for what runs is over, %zu run%s canceled", service->running,
             service->running == 1 ? " is" : "s are");
    end_runs(service);
}

static void begin_to_stop(struct service *service) {
    if (service->is_stopping) return;
    service->is_stopping = true;
    int listener = service->http.quiesce(service->daemon);
    if (listener >= 0) close(listener);
    log_line(service, "stopping; %zu run%s under way", service->running,
             service->running == 1 ? " is" : "s are");
    uv_timer_start(&service->grace, grace_is_over, service->options.grace_ms, 0);
    mcp_exchanges_dismiss(service);
    pump_look(service);
}

static void on_stop(uv_async_t *async) {
    begin_to_stop(async->data);
}

static bool has_closed(void *ctx) {
    return ((const struct service *)ctx)->is_closed;
}

void pump_stop(struct service *service) {
    if (!service->daemon && service->is_closed) return;
    if (!service->is_closing) {
        begin_to_stop(service);
        end_runs(service);
    }
    loop_turn_until(service->loop, has_closed, service);
}

/* ## Starting */

/* Each connection has a descriptor, and each run what its model and tools need. */
static unsigned most_connections(const struct service *service) {
    struct rlimit limit;
    unsigned wanted = service->options.max_connections;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / 4 >= wanted) return wanted;
    unsigned quarter = (unsigned)(limit.rlim_cur / 4);
    return quarter < FEWEST_CONNECTIONS ? FEWEST_CONNECTIONS : quarter;
}

/* Escapes stay as they are: a name with a NUL or a slash in it would be another one. */
static size_t leave_escaped(void *ctx, struct MHD_Connection *connection, char *text) {
    (void)ctx;
    (void)connection;
    return strlen(text);
}

static bool start_library(struct service *service, int listener) {
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    service->options.max_connections = most_connections(service);
    service->daemon = service->http.start(
        flags, 0, accept_if_few, service, request_go_on, service,      /**/
        MHD_OPTION_LISTEN_SOCKET, listener,                            /**/
        MHD_OPTION_CONNECTION_LIMIT, service->options.max_connections, /**/
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_HEADERS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (service->options.idle_ms + 999) / 1000,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, request_begin, service, MHD_OPTION_NOTIFY_COMPLETED,
        request_end, service, MHD_OPTION_NOTIFY_CONNECTION, on_connection, service, MHD_OPTION_END);
    service->cuts_in_place = text_starts(text_of(service->http.version()), "0.9.");
    return service->daemon != NULL;
}

static void init_handles(struct service *service, int epoll) {
    uv_loop_t *uv = &service->loop->uv;
    uv_timer_init(uv, &service->due);
    uv_timer_init(uv, &service->tick);
    uv_timer_init(uv, &service->grace);
    uv_timer_init(uv, &service->shelf_tick);
    service->shelf_tick.data = service;
    if (service->shelf)
        uv_timer_start(&service->shelf_tick, look_after_shelf, SHELF_TICK_MS, SHELF_TICK_MS);
    uv_prepare_init(uv, &service->before);
    uv_prepare_start(&service->before, before_waiting);
    uv_poll_init(uv, &service->readable, epoll);
    service->readable.data = service->due.data = service->tick.data = service;
    service->grace.data = service->before.data = service->stop.data = service;
    uv_poll_start(&service->readable, UV_READABLE, on_readable);
    service->handles = 7;
    loop_hold(service->loop);
}

gramc_status pump_start(struct service *service, int listener, char *why) {
    if (uv_async_init(&service->loop->uv, &service->stop, on_stop)) return GRAMC_NOMEM;
    if (!start_library(service, listener)) {
        snprintf(why, WHY_SIZE, "the HTTP library does not start");
        uv_close((uv_handle_t *)&service->stop, NULL);
        uv_run(&service->loop->uv, UV_RUN_NOWAIT);
        return GRAMC_IO;
    }
    init_handles(service,
                 service->http.daemon_info(service->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd);
    run_library(service);
    return GRAMC_OK;
}
