/* Serves a listening socket as a proxy over HTTP: reads what is asked (proxy_request.c), has host
 * and addresses judged as those of every tool (guard.c), connects to an address that was judged,
 * and then carries bytes both ways, each side read only when the other has taken what came before.
 * A refusal is told to the program in words. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/net/proxy.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/net/guard.h"
#include "runtime/net/proxy_request.h"

enum {
    LINKS_MAX = 64,
    WAITING_MAX = 64,
    CHUNK = 16384,
    ADDRESSES_MAX = 8,
    HEAD_MS = 30000,
    REFUSED_MS = 1000, /* for a program to take in why */
    CONNECT_MS = 10000,
    IDLE_MS = 300000
};

struct proxy {
    gramc_allocator allocator;
    uv_loop_t *loop;
    uv_tcp_t listener;
    struct egress rules; /* with the hosts behind this struct */
    struct proxy_link *links;
    size_t count, size;
    bool waits, closing, is_closed; /* waits: somebody knocks, and there is no room */
};

/* One of the two ways through a link. */
struct proxy_lane {
    struct proxy_link *link;
    uv_tcp_t *from, *to;
    uv_write_t write;
    uv_shutdown_t shutdown;
    bool ended;
    char bytes[CHUNK];
};

struct proxy_link {
    struct proxy *proxy;
    struct proxy_link *next, **place;
    uv_tcp_t client, server;
    uv_timer_t timer;
    uv_getaddrinfo_t query;
    uv_connect_t connect;
    struct buf head, forward; /* what came; what the server gets first */
    struct proxy_request request;
    struct http_guard guard;
    struct sockaddr_storage addresses[ADDRESSES_MAX];
    size_t address_count, address;
    unsigned handles;
    bool asks_resolver, has_server, closing;
    int failure; /* of the last connection that was tried */
    struct proxy_lane up, down;
};

/* ## The end */

static void accept_next(struct proxy *proxy);

static void free_proxy(struct proxy *proxy) {
    gramc_allocator allocator = proxy->allocator;
    if (proxy->is_closed && !proxy->links) mem_free(&allocator, proxy, proxy->size);
}

static void free_link(struct proxy_link *link) {
    struct proxy *proxy = link->proxy;
    if (link->handles || link->asks_resolver) return;
    *link->place = link->next;
    if (link->next) link->next->place = link->place;
    buf_free(&link->head);
    buf_free(&link->forward);
    mem_free(&proxy->allocator, link, sizeof(*link));
    proxy->count--;
    if (proxy->waits && !proxy->closing) accept_next(proxy);
    free_proxy(proxy);
}

static void on_closed(uv_handle_t *handle) {
    struct proxy_link *link = handle->data;
    link->handles--;
    free_link(link);
}

static void close_one(uv_handle_t *handle) {
    if (!uv_is_closing(handle)) uv_close(handle, on_closed);
}

static void close_link(struct proxy_link *link) {
    link->closing = true;
    if (link->asks_resolver) uv_cancel((uv_req_t *)&link->query);
    close_one((uv_handle_t *)&link->client);
    close_one((uv_handle_t *)&link->timer);
    if (link->has_server) close_one((uv_handle_t *)&link->server);
}

static void on_time(uv_timer_t *timer) {
    close_link(timer->data);
}

static void be_done_within(struct proxy_link *link, uint64_t ms) {
    uv_timer_start(&link->timer, on_time, ms, 0);
}

/* ## Answers of the proxy's own */

static void on_bytes(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes);
static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out);

static void on_dropped(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    (void)bytes;
    if (len < 0) close_link(stream->data);
}

static void on_refusal_shut(uv_shutdown_t *shutdown, int status) {
    (void)shutdown, (void)status;
}

/* What the program is still sending is read and dropped: a socket that is closed with bytes unread
 * takes back what was said on it. */
static void on_told(uv_write_t *write, int status) {
    struct proxy_lane *lane = write->data;
    struct proxy_link *link = lane->link;
    if (link->closing) return;
    be_done_within(link, REFUSED_MS);
    if (status < 0 || uv_read_start((uv_stream_t *)&link->client, on_room, on_dropped) ||
        uv_shutdown(&lane->shutdown, (uv_stream_t *)&link->client, on_refusal_shut))
        close_link(link);
}

static void tell(struct proxy_link *link, const char *status, const char *before, const char *why) {
    uv_buf_t bytes;
    int body = snprintf(NULL, 0, "%s%s\n", before, why);
    int len = snprintf(link->down.bytes, CHUNK,
                       "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
                       "Content-Length: %d\r\nConnection: close\r\n\r\n%s%s\n",
                       status, body, before, why);
    uv_read_stop((uv_stream_t *)&link->client);
    bytes = uv_buf_init(link->down.bytes, (unsigned)len);
    if (uv_write(&link->down.write, (uv_stream_t *)&link->client, &bytes, 1, on_told))
        close_link(link);
}

/* ## Both ways */

static struct proxy_lane *lane_from(uv_handle_t *handle) {
    struct proxy_link *link = handle->data;
    return handle == (uv_handle_t *)&link->client ? &link->up : &link->down;
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    (void)suggested;
    *out = uv_buf_init(lane_from(handle)->bytes, CHUNK);
}

static void on_passed(uv_write_t *write, int status) {
    struct proxy_lane *lane = write->data;
    struct proxy_link *link = lane->link;
    if (link->closing) return;
    if (status < 0 || uv_read_start((uv_stream_t *)lane->from, on_room, on_bytes)) close_link(link);
}

static void on_shut(uv_shutdown_t *shutdown, int status) {
    struct proxy_link *link = ((struct proxy_lane *)shutdown->data)->link;
    if (!link->closing && (status < 0 || (link->up.ended && link->down.ended))) close_link(link);
}

static void end_lane(struct proxy_lane *lane) {
    uv_read_stop((uv_stream_t *)lane->from);
    lane->ended = true;
    if (uv_shutdown(&lane->shutdown, (uv_stream_t *)lane->to, on_shut)) close_link(lane->link);
}

static void on_bytes(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct proxy_lane *lane = lane_from((uv_handle_t *)stream);
    if (len == 0) return;
    be_done_within(lane->link, IDLE_MS);
    if (len == UV_EOF) {
        end_lane(lane);
        return;
    }
    uv_read_stop(stream);
    uv_buf_t all = uv_buf_init(bytes->base, len < 0 ? 0 : (unsigned)len);
    if (len < 0 || uv_write(&lane->write, (uv_stream_t *)lane->to, &all, 1, on_passed))
        close_link(lane->link);
}

/* What goes first: the server's head, or the word that the tunnel is there; and behind the head
 * what came with it. */
static void begin(struct proxy_link *link) {
    static const char ready[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    gramc_text head = buf_view(&link->head);
    bool failed = false;
    uv_buf_t answer = uv_buf_init(link->down.bytes, sizeof ready - 1);
    memcpy(link->down.bytes, ready, sizeof ready - 1);
    buf_text(&link->forward, text_slice(head, link->request.head_len, head.len));
    uv_buf_t first = uv_buf_init(link->forward.ptr, (unsigned)link->forward.len);
    be_done_within(link, IDLE_MS);
    if (buf_status(&link->forward)) failed = true;
    else if (first.len)
        failed = uv_write(&link->up.write, (uv_stream_t *)&link->server, &first, 1, on_passed);
    else failed = uv_read_start((uv_stream_t *)&link->client, on_room, on_bytes);
    if (!failed && link->request.is_tunnel)
        failed = uv_write(&link->down.write, (uv_stream_t *)&link->client, &answer, 1, on_passed);
    else if (!failed) failed = uv_read_start((uv_stream_t *)&link->server, on_room, on_bytes);
    if (failed) close_link(link);
}

/* ## Connecting */

static void try_address(struct proxy_link *link);

static void on_server_closed(uv_handle_t *handle) {
    struct proxy_link *link = handle->data;
    link->handles--;
    link->has_server = false;
    if (link->closing) free_link(link);
    else try_address(link);
}

static void on_connected(uv_connect_t *connect, int status) {
    struct proxy_link *link = connect->data;
    if (link->closing) return;
    if (status == 0) {
        begin(link);
        return;
    }
    link->failure = status;
    uv_close((uv_handle_t *)&link->server, on_server_closed);
}

static void try_address(struct proxy_link *link) {
    if (link->address == link->address_count) {
        tell(link, "502 Bad Gateway", "the server cannot be reached: ", uv_strerror(link->failure));
        return;
    }
    const struct sockaddr *at = (const struct sockaddr *)&link->addresses[link->address++];
    uv_tcp_init(link->proxy->loop, &link->server);
    link->server.data = link;
    link->handles++;
    link->has_server = true;
    link->failure = uv_tcp_connect(&link->connect, &link->server, at, on_connected);
    if (link->failure) uv_close((uv_handle_t *)&link->server, on_server_closed);
}

static void add_address(struct proxy_link *link, const struct sockaddr *at, size_t size) {
    if (link->address_count < ADDRESSES_MAX && guard_allows(&link->guard, at))
        memcpy(&link->addresses[link->address_count++], at, size);
}

static void connect_link(struct proxy_link *link) {
    be_done_within(link, CONNECT_MS);
    if (link->address_count) try_address(link);
    else if (link->guard.why[0])
        tell(link, "403 Forbidden", "the server cannot be asked: ", link->guard.why);
    else tell(link, "502 Bad Gateway", "the server cannot be reached: ", "it has no address");
}

static void on_resolved(uv_getaddrinfo_t *query, int status, struct addrinfo *found) {
    struct proxy_link *link = query->data;
    link->asks_resolver = false;
    for (struct addrinfo *one = found; !link->closing && one; one = one->ai_next)
        add_address(link, one->ai_addr, one->ai_addrlen);
    uv_freeaddrinfo(found);
    if (link->closing) free_link(link);
    else if (status < 0)
        tell(link, "502 Bad Gateway", "the server cannot be reached: ", uv_strerror(status));
    else connect_link(link);
}

/* An address, however it is spelled, is asked of nobody. */
static bool take_address(struct proxy_link *link) {
    unsigned char bytes[HOST_ADDRESS];
    static const unsigned char mapped[12] = {[10] = 0xFF, 0xFF};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(link->request.port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(link->request.port)};
    if (!host_address(text_of(link->request.host), bytes)) return false;
    memcpy(&four.sin_addr, bytes + sizeof mapped, 4);
    memcpy(&six.sin6_addr, bytes, sizeof bytes);
    if (memcmp(bytes, mapped, sizeof mapped) == 0)
        add_address(link, (const struct sockaddr *)&four, sizeof four);
    else add_address(link, (const struct sockaddr *)&six, sizeof six);
    return true;
}

static void look_up(struct proxy_link *link) {
    char port[8];
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    guard_asks(&link->guard, text_of(link->request.host), link->request.port);
    if (link->guard.is_refused || take_address(link)) {
        connect_link(link);
        return;
    }
    snprintf(port, sizeof port, "%u", (unsigned)link->request.port);
    int failure = uv_getaddrinfo(link->proxy->loop, &link->query, on_resolved, link->request.host,
                                 port, &hints);
    link->asks_resolver = failure == 0;
    if (failure)
        tell(link, "502 Bad Gateway", "the server cannot be reached: ", uv_strerror(failure));
}

/* ## Being asked */

/* Looked for where it can be new alone: a head may come byte by byte. */
static bool may_be_whole(const struct buf *head, size_t before) {
    for (size_t i = before < 3 ? 3 : before; i < head->len; i++)
        if (memcmp(head->ptr + i - 3, "\r\n\r\n", 4) == 0) return true;
    return head->len >= PROXY_HEAD_MAX;
}

static void on_head(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct proxy_link *link = stream->data;
    const char *why = "";
    size_t before = link->head.len;
    if (len == 0) return;
    if (len > 0) buf_put(&link->head, bytes->base, (size_t)len);
    if (len < 0 || buf_status(&link->head)) {
        close_link(link);
        return;
    }
    if (!may_be_whole(&link->head, before)) return;
    enum proxy_verdict verdict =
        proxy_request_read(&link->request, buf_view(&link->head), &link->forward, &why);
    if (verdict == PROXY_MORE) return;
    uv_read_stop(stream);
    if (verdict == PROXY_FINE) look_up(link);
    else tell(link, "400 Bad Request", "the request cannot be taken: ", why);
}

static void join(struct proxy_lane *lane, struct proxy_link *link, uv_tcp_t *from, uv_tcp_t *to) {
    lane->link = link;
    lane->from = from;
    lane->to = to;
    lane->write.data = lane->shutdown.data = lane;
}

static void link_up(struct proxy *proxy, struct proxy_link *link) {
    memset(link, 0, sizeof(*link));
    link->proxy = proxy;
    link->guard.rules = proxy->rules;
    buf_init(&link->head, &proxy->allocator, PROXY_HEAD_MAX + CHUNK);
    buf_init(&link->forward, &proxy->allocator, 2 * (PROXY_HEAD_MAX + CHUNK));
    join(&link->up, link, &link->client, &link->server);
    join(&link->down, link, &link->server, &link->client);
    link->query.data = link->connect.data = link->client.data = link->timer.data = link;
    link->next = proxy->links;
    link->place = &proxy->links;
    if (link->next) link->next->place = &link->next;
    proxy->links = link;
    proxy->count++;
    uv_tcp_init(proxy->loop, &link->client);
    uv_timer_init(proxy->loop, &link->timer);
    link->handles = 2;
}

/* libuv knocks no more until somebody was let in. */
static void accept_next(struct proxy *proxy) {
    struct proxy_link *link = NULL;
    proxy->waits = proxy->count >= LINKS_MAX;
    if (!proxy->waits) link = mem_alloc(&proxy->allocator, sizeof(*link));
    proxy->waits = !link;
    if (!link) return;
    link_up(proxy, link);
    be_done_within(link, HEAD_MS);
    if (uv_accept((uv_stream_t *)&proxy->listener, (uv_stream_t *)&link->client) ||
        uv_read_start((uv_stream_t *)&link->client, on_room, on_head))
        close_link(link);
}

static void on_knock(uv_stream_t *listener, int status) {
    if (status == 0) accept_next(listener->data);
}

/* ## Opening and closing */

static void on_listener_closed(uv_handle_t *handle) {
    struct proxy *proxy = handle->data;
    proxy->is_closed = true;
    free_proxy(proxy);
}

void proxy_close(struct proxy *proxy) {
    if (!proxy || proxy->closing) return;
    proxy->closing = true;
    for (struct proxy_link *link = proxy->links; link; link = link->next) close_link(link);
    uv_close((uv_handle_t *)&proxy->listener, on_listener_closed);
}

struct proxy *proxy_open(uv_loop_t *loop, const gramc_allocator *allocator,
                         const struct egress *rules, uv_stream_t *from) {
    size_t len = strlen(rules->hosts) + 1, size = sizeof(struct proxy) + len;
    struct proxy *proxy = mem_alloc(allocator, size);
    if (!proxy) return NULL;
    *proxy = (struct proxy){.allocator = *allocator, .loop = loop, .size = size};
    memcpy(proxy + 1, rules->hosts, len);
    proxy->rules = (struct egress){(const char *)(proxy + 1), rules->only};
    uv_tcp_init(loop, &proxy->listener);
    proxy->listener.data = proxy;
    if (!uv_accept(from, (uv_stream_t *)&proxy->listener) &&
        !uv_listen((uv_stream_t *)&proxy->listener, WAITING_MAX, on_knock))
        return proxy;
    proxy_close(proxy);
    return NULL;
}
