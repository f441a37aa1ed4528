/* Drives libcurl's multi interface from libuv's loop: curl says which sockets and which timer it
 * wants watched, we say what happened. Handles are kept for the next request, connections live in
 * the multi handle. The only file that includes curl's headers.
 *
 * No redirect is followed, no environment variable is read (a proxy is set or there is none), and
 * http and https are the only protocols. A request with rules (egress.h) has its host looked at as
 * libcurl reads it, each address before a socket is opened to it, and that of the connection which
 * is used, new or old, before anything is sent. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "runtime/net/http.h"

#include <curl/curl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/net/guard.h"
#include "runtime/net/sockets.h"
#include "runtime/process/descriptors.h"
#include "base/number.h"

/* libcurl asks before it sends a body of more than 1 MiB. */
enum { KEPT_HEADERS = 4096, REDIRECT_MAX = 2048, LONG_BODY = 1 << 18, SENT_A_TURN = 64 };

/* For the next requests. */
enum { IDLE_HANDLES = 1024, KEPT_CONNECTIONS = 16384 };

/* What libcurl reads at a time, each request in memory of its own: thousands of them wait for short
 * answers at once. */
enum { READ_PIECE = 4096, READ_STREAM = 16384 };

struct http {
    gramc_allocator allocator;
    uv_loop_t *loop;
    CURLM *multi; /* NULL before the first request */
    uv_timer_t timer;
    struct http_request *requests; /* in flight */
    CURL *idle[IDLE_HANDLES];
    size_t idle_count;
    const char *ca_file;      /* NULL: the system's */
    struct curl_slist *names; /* that tests made up */
    unsigned handles;         /* of libuv that are open */
    bool closing;
    struct gate gate;                        /* how many requests are under way */
    struct http_request *fresh, **fresh_end; /* that data is to be told of, in order */
    bool broken;                             /* a socket could not be watched: nothing goes on */
    struct sockets sockets;
};

struct http_target {
    gramc_allocator allocator;
    struct curl_slist *headers; /* for a long body; what follows the first, for any other */
    CURLU *parsed;              /* the url, or NULL: curl need not read it for each request */
    char *url, *proxy;
    size_t url_size, proxy_size;
    uint32_t timeout_ms, connect_timeout_ms;
};

/* ## Targets */

static char *copy_string(const gramc_allocator *allocator, gramc_text text, size_t *size) {
    char *copy = mem_alloc(allocator, text.len + 1);
    if (!copy) return NULL;
    if (text.len) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *size = text.len + 1;
    return copy;
}

static bool add_header(struct http_target *target, const char *line) {
    struct curl_slist *longer = curl_slist_append(target->headers, line);
    if (longer) target->headers = longer;
    return longer != NULL;
}

static bool add_key(struct http_target *target, const struct http_target_options *options) {
    struct buf line;
    if (options->api_key.len == 0) return true;
    buf_init_secret(&line, &target->allocator, 65536);
    buf_puts(&line, options->key_header);
    buf_text(&line, options->api_key);
    bool added = buf_status(&line) == GRAMC_OK && add_header(target, line.ptr);
    buf_free(&line);
    return added;
}

static bool is_usable(const struct http_target_options *options) {
    for (size_t i = 0; i < options->api_key.len; i++)
        if ((unsigned char)options->api_key.ptr[i] < 0x20 || options->api_key.ptr[i] == 0x7F)
            return false;
    if (text_has_nul(options->proxy)) return false;
    for (size_t i = 0; i < options->url.len; i++)
        if ((unsigned char)options->url.ptr[i] <= 0x20) return false;
    return text_starts(options->url, "http://") || text_starts(options->url, "https://");
}

/* As curl itself would, with CURLOPT_PATH_AS_IS. What it refuses is told with the request. */
static CURLU *parse_url(const char *url) {
    CURLU *parsed = curl_url();
    if (parsed && curl_url_set(parsed, CURLUPART_URL, url,
                               CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)) {
        curl_url_cleanup(parsed);
        return NULL;
    }
    return parsed;
}

/* `Expect:` empty, or curl waits a second before it sends a long body. It looks through all headers
 * again and again, so that other requests go without. */
static bool fill_target(struct http_target *target, const struct http_target_options *options) {
    target->url = copy_string(&target->allocator, options->url, &target->url_size);
    target->proxy = copy_string(&target->allocator, options->proxy, &target->proxy_size);
    if (target->url) target->parsed = parse_url(target->url);
    return target->url && target->proxy && add_header(target, "Expect:") &&
           add_header(target, "Content-Type: application/json") &&
           add_header(target, "Accept: application/json") &&
           (!options->header || add_header(target, options->header)) && add_key(target, options);
}

gramc_status http_target_new(struct http_target **out, const gramc_allocator *allocator,
                             const struct http_target_options *options) {
    *out = NULL;
    if (!is_usable(options)) return GRAMC_USAGE;
    struct http_target *target = mem_alloc(allocator, sizeof(*target));
    if (!target) return GRAMC_NOMEM;
    *target = (struct http_target){.allocator = *allocator,
                                   .timeout_ms = options->timeout_ms,
                                   .connect_timeout_ms = options->connect_timeout_ms};
    if (!fill_target(target, options)) {
        http_target_free(target);
        return GRAMC_NOMEM;
    }
    *out = target;
    return GRAMC_OK;
}

/* Overwritten first: keys and tokens stand there. */
static void free_headers(struct curl_slist *headers) {
    for (struct curl_slist *header = headers; header; header = header->next)
        mem_wipe(header->data, strlen(header->data));
    curl_slist_free_all(headers);
}

/* A proxy's address may hold a password. */
void http_target_free(struct http_target *target) {
    if (!target) return;
    gramc_allocator allocator = target->allocator;
    free_headers(target->headers);
    curl_url_cleanup(target->parsed);
    mem_wipe(target->proxy, target->proxy_size);
    mem_free(&allocator, target->url, target->url_size);
    mem_free(&allocator, target->proxy, target->proxy_size);
    mem_free(&allocator, target, sizeof(*target));
}

/* ## Where a request may go */

/* The port of a proxy is 1080 with libcurl, but for https. */
enum { PROXY_PORT = 1080 };

static void ask_guard(struct http_guard *guard, const char *url, bool is_proxy) {
    CURLU *parsed = parse_url(url);
    char *host = NULL, *port = NULL;
    int64_t number = PROXY_PORT;
    bool secure = strncmp(url, "https:", 6) == 0;
    if (parsed && curl_url_get(parsed, CURLUPART_HOST, &host, 0)) host = NULL;
    unsigned usual = is_proxy && !secure ? 0 : CURLU_DEFAULT_PORT;
    if (parsed && curl_url_get(parsed, CURLUPART_PORT, &port, usual)) port = NULL;
    if (port && !number_to_int(&number, text_of(port))) number = 0;
    guard_asks(guard, text_of(host ? host : ""), (uint16_t)number);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parsed);
}

/* The address of the connection, also of one that another request has opened. */
static int before_request(void *ctx, char *address, char *own, int port, int own_port) {
    struct http_request *request = ctx;
    (void)own;
    (void)own_port;
    return guard_allows_spelled(request->guard, address, (uint16_t)port) ? CURL_PREREQFUNC_OK
                                                                         : CURL_PREREQFUNC_ABORT;
}

static CURLcode set_guard(CURL *easy, struct http_request *request, const char *url,
                          const char *proxy) {
    const struct http_route *route = request->route;
    bool free_to_go = !route || !route->egress.hosts;
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, request);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, free_to_go ? NULL : before_request);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, request->http->names);
    if (free_to_go) return CURLE_OK;
    request->guard = mem_alloc(&request->allocator, sizeof(*request->guard));
    if (!request->guard) return CURLE_OUT_OF_MEMORY;
    *request->guard = (struct http_guard){.rules = route->egress};
    ask_guard(request->guard, url, false);
    if (proxy && *proxy) ask_guard(request->guard, proxy, true);
    return CURLE_OK;
}

static void free_guard(struct http_request *request) {
    mem_free(&request->allocator, request->guard, sizeof(*request->guard));
    request->guard = NULL;
}

bool http_pretend(struct http *http, const char *const *names) {
    struct curl_slist *list = NULL, *longer;
    for (; *names; names++, list = longer)
        if (!(longer = curl_slist_append(list, *names))) break;
    curl_slist_free_all(http->names);
    http->names = list;
    return !*names;
}

/* ## The end of a request */

static void unlink_fresh(struct http_request *request) {
    if (!request->fresh) return;
    request->fresh = false;
    *request->fresh_link = request->next_fresh;
    if (request->next_fresh) request->next_fresh->fresh_link = request->fresh_link;
    else request->http->fresh_end = request->fresh_link;
}

static void link_fresh(struct http_request *request) {
    struct http *http = request->http;
    if (request->fresh) return;
    request->fresh = true;
    request->next_fresh = NULL;
    request->fresh_link = http->fresh_end;
    *http->fresh_end = request;
    http->fresh_end = &request->next_fresh;
}

static void unlink_request(struct http_request *request) {
    *request->link = request->next;
    if (request->next) request->next->link = request->link;
    request->link = NULL;
    unlink_fresh(request);
}

/* Takes the handle out of the multi handle and keeps it for the next request. */
static void detach(struct http_request *request) {
    struct http *http = request->http;
    CURL *easy = request->easy;
    unlink_request(request);
    request->easy = NULL;
    free_headers(request->header_list);
    request->header_list = NULL;
    curl_multi_remove_handle(http->multi, easy);
    free_guard(request);
    if (http->idle_count < IDLE_HANDLES && !http->closing) http->idle[http->idle_count++] = easy;
    else curl_easy_cleanup(easy);
    gate_leave(&http->gate);
}

static bool read_header(CURL *easy, const char *name, gramc_text *out) {
    struct curl_header *header;
    const char *type = NULL;
    if (strcmp(name, "Content-Type") == 0) curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    if (type) { /* curl has it at hand, and need not search for it */
        *out = text_of(type);
        return true;
    }
    if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return false;
    *out = text_of(header->value);
    return true;
}

static void read_retry_headers(struct http_request *request) {
    CURL *easy = request->easy;
    gramc_text value;
    curl_off_t seconds = 0;
    if (read_header(easy, "x-should-retry", &value)) {
        request->may_retry = text_is_nocase(value, "true");
        request->must_not_retry = text_is_nocase(value, "false");
    }
    if (read_header(easy, "retry-after-ms", &value) &&
        number_to_double(&request->retry_after_ms, value))
        return;
    request->retry_after_ms = -1;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds > 0) request->retry_after_ms = (double)seconds * 1000;
}

static void keep_headers(struct http_request *request) {
    if (request->headed) return;
    request->headed = true;
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &request->status);
    for (size_t i = 0; request->keep && request->keep[i]; i++) {
        gramc_text value;
        if (!read_header(request->easy, request->keep[i], &value)) continue;
        buf_puts(&request->kept, request->keep[i]);
        buf_puts(&request->kept, ": ");
        buf_text(&request->kept, value);
        buf_putc(&request->kept, '\n');
    }
}

gramc_text http_kept(const struct http_request *request, const char *name) {
    gramc_text rest = buf_view(&request->kept);
    size_t len = strlen(name);
    while (rest.len) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t line = end ? (size_t)(end - rest.ptr) : rest.len;
        if (line > len && rest.ptr[len] == ':' && memcmp(rest.ptr, name, len) == 0)
            return text_trim(text_slice(rest, len + 1, line));
        rest = text_slice(rest, end ? line + 1 : line, rest.len);
    }
    return (gramc_text){NULL, 0};
}

static void keep_redirect(struct http_request *request) {
    const char *url = NULL;
    curl_easy_getinfo(request->easy, CURLINFO_REDIRECT_URL, &url);
    if (url) buf_puts(&request->redirect, url);
    if (buf_status(&request->redirect)) buf_free(&request->redirect);
}

/* curl calls it a lack of memory when a line of the head passes its own limit. */
static bool has_long_head(struct http_request *request) {
    static const char message[] = "a header of it is too long";
    long status = 0;
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status) memcpy(request->error, message, sizeof(message));
    return status != 0;
}

static enum http_failure failure_of(struct http_request *request, CURLcode code) {
    if (request->response.state == BUF_TOO_BIG) return HTTP_TOO_BIG;
    if (request->response.state == BUF_NOMEM) return HTTP_NOMEM;
    switch (code) {
    case CURLE_OK: return HTTP_FINE;
    case CURLE_OPERATION_TIMEDOUT: return HTTP_TIMED_OUT;
    case CURLE_OUT_OF_MEMORY: return has_long_head(request) ? HTTP_REFUSED : HTTP_NOMEM;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return HTTP_UNREACHABLE;
    default: return HTTP_REFUSED;
    }
}

/* How long libcurl tried is a time, not a reason: equal failures are told in equal words. */
static void drop_duration(char *error) {
    char *after = strstr(error, " after ");
    size_t digits = after ? strspn(after + 7, "0123456789") : 0;
    char *rest = digits ? after + 7 + digits : NULL;
    if (rest && strncmp(rest, " ms", 3) == 0) memmove(after, rest + 3, strlen(rest + 3) + 1);
}

/* Whatever libcurl says then: it only saw that there was no socket. */
static void tell_refusal(struct http_request *request) {
    request->failure = HTTP_REFUSED;
    memcpy(request->error, request->guard->why, sizeof(request->guard->why));
}

static void complete(struct http_request *request, CURLcode code) {
    request->failure = failure_of(request, code);
    keep_headers(request);
    if (code != CURLE_OK || request->status < 200 || request->status > 299)
        read_retry_headers(request);
    keep_redirect(request);
    if (code != CURLE_OK && request->guard && request->guard->why[0]) tell_refusal(request);
    if (code != CURLE_OK && request->error[0] == '\0') {
        gramc_text why = text_of(curl_easy_strerror(code));
        size_t len = why.len < sizeof(request->error) ? why.len : sizeof(request->error) - 1;
        memcpy(request->error, why.ptr, len);
        request->error[len] = '\0';
    }
    drop_duration(request->error);
    detach(request);
    request->done(request);
}

static void fail_all(struct http *http) {
    while (http->requests) {
        struct http_request *request = http->requests;
        detach(request);
        request->failure = HTTP_NOMEM;
        request->done(request);
    }
}

/* Not from inside curl, where no request may be canceled. The receiver may change the list. */
static void tell_data(struct http *http) {
    while (http->fresh) {
        struct http_request *request = http->fresh;
        unlink_fresh(request);
        keep_headers(request);
        request->data(request);
    }
}

static void read_messages(struct http *http) {
    CURLMsg *message;
    int left;
    tell_data(http);
    if (http->broken) fail_all(http); /* before curl tells it in its way */
    while ((message = curl_multi_info_read(http->multi, &left))) {
        char *request = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
        complete((struct http_request *)(void *)request, code);
    }
}

/* ## Sockets and the timer */

static void free_when_closed(struct http *http) {
    if (http->handles == 0 && http->sockets.handles == 0) {
        gramc_allocator allocator = http->allocator;
        sockets_free(&http->sockets);
        mem_free(&allocator, http, sizeof(*http));
    }
}

static void handle_closed(struct http *http) {
    http->handles--;
    free_when_closed(http);
}

static void timer_closed(uv_handle_t *handle) {
    handle_closed(handle->data);
}

static void sockets_closed(void *ctx) {
    free_when_closed(ctx);
}

static void gate_closed(uv_handle_t *handle) {
    struct gate *gate = handle->data;
    handle_closed((struct http *)(void *)((char *)gate - offsetof(struct http, gate)));
}

static void on_socket_event(void *ctx, int socket, int events, bool error) {
    struct http *http = ctx;
    int action = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
                 (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0) | (error ? CURL_CSELECT_ERR : 0);
    int running;
    curl_multi_socket_action(http->multi, socket, action, &running);
    read_messages(http);
}

/* curl wants a socket watched otherwise, or no more. */
static int socket_wanted(CURL *easy, curl_socket_t socket, int what, void *ctx, void *known) {
    struct http *http = ctx;
    int events = what == CURL_POLL_REMOVE ? 0
                                          : (what != CURL_POLL_OUT ? UV_READABLE : 0) |
                                                (what != CURL_POLL_IN ? UV_WRITABLE : 0);
    (void)easy;
    (void)known;
    if (sockets_want(&http->sockets, socket, events)) return 0;
    http->broken = true;
    return -1;
}

static void on_timer(uv_timer_t *timer) {
    struct http *http = timer->data;
    int running;
    curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    read_messages(http);
}

/* Called on change only; ours fires once and is not started again by itself, as curl expects. */
static int timer_wanted(CURLM *multi, long timeout_ms, void *ctx) {
    struct http *http = ctx;
    (void)multi;
    if (http->closing) return 0;
    if (timeout_ms < 0) uv_timer_stop(&http->timer);
    else uv_timer_start(&http->timer, on_timer, (uint64_t)timeout_ms, 0);
    return 0;
}

gramc_status http_new(struct http **out, uv_loop_t *loop, const gramc_allocator *allocator) {
    struct http *http = mem_alloc(allocator, sizeof(*http));
    *out = http;
    if (!http) return GRAMC_NOMEM;
    *http = (struct http){.allocator = *allocator, .loop = loop, .handles = 2};
    http->fresh_end = &http->fresh;
    gate_init(&http->gate, loop, SIZE_MAX);
    http->gate.a_turn = SENT_A_TURN;
    http->sockets = (struct sockets){.loop = loop,
                                     .allocator = *allocator,
                                     .ready = on_socket_event,
                                     .closed = sockets_closed,
                                     .ctx = http};
    uv_timer_init(loop, &http->timer);
    http->timer.data = http;
    return GRAMC_OK;
}

void http_trust(struct http *http, const char *ca_file) {
    http->ca_file = ca_file;
}

/* With the first request: a loop that never makes one need not pay for TLS libraries, and libcurl
 * opens a pair of sockets that programs would inherit. */
static bool open_multi(struct http *http) {
    if (http->multi) return true;
    if (curl_global_init(CURL_GLOBAL_DEFAULT)) return false;
    struct descriptors before;
    descriptors_note(&before);
    http->multi = curl_multi_init();
    descriptors_close_new_on_exec(&before); /* it wakes itself by a pair of sockets */
    if (!http->multi) {
        curl_global_cleanup();
        return false;
    }
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, timer_wanted);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    if (http->gate.most <= LONG_MAX)
        curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)http->gate.most);
    /* Its own measure, four for each request under way, closes those that the next ones need. */
    long kept = http->gate.most < KEPT_CONNECTIONS ? (long)http->gate.most : KEPT_CONNECTIONS;
    curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, kept);
    return true;
}

void http_limit(struct http *http, size_t most) {
    http->gate.most = most;
}

bool http_is_idle(const struct http *http) {
    return http->requests == NULL && http->gate.queue == NULL;
}

void http_close(struct http *http) {
    http->closing = true;
    while (http->idle_count) curl_easy_cleanup(http->idle[--http->idle_count]);
    if (http->multi) {
        curl_multi_cleanup(http->multi);
        curl_global_cleanup();
    }
    curl_slist_free_all(http->names);
    sockets_forget_all(&http->sockets);
    uv_close((uv_handle_t *)&http->timer, timer_closed);
    gate_close(&http->gate, gate_closed);
}

/* ## Requests */

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx) {
    struct http_request *request = ctx;
    buf_put(&request->response, bytes, size * count);
    if (request->data) link_fresh(request);
    return request->response.state == BUF_FINE ? size * count : 0;
}

/* Programs that tools start must not inherit our connections. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address) {
    struct http_request *request = ctx;
    struct http *http = request->http;
    (void)purpose;
    if (request->guard && !guard_allows(request->guard, &address->addr)) return CURL_SOCKET_BAD;
    int opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (opened < 0 || sockets_keep(&http->sockets, opened)) return opened;
    http->broken = true;
    close(opened);
    return CURL_SOCKET_BAD;
}

static int close_socket(void *ctx, curl_socket_t socket) {
    struct http *http = ctx;
    sockets_forget(&http->sockets, socket);
    return close(socket);
}

/* What is the same for every request of ours. */
static CURL *easy_new(struct http *http) {
    CURL *easy = curl_easy_init();
    if (!easy) return NULL;
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a name that is looked up is not waited for */
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "gramc");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, http);
    if (http->ca_file && curl_easy_setopt(easy, CURLOPT_CAINFO, http->ca_file)) {
        curl_easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

/* A handle may have made another kind of request before: everything is said anew. Each of these
 * options sets the method on its way, so the order matters. */
static void set_method(CURL *easy, const struct http_request *request) {
    const char *method = request->method ? request->method : "POST";
    bool is_post = strcmp(method, "POST") == 0;
    bool has_body = is_post || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0 ||
                    (request->body.len && strcmp(method, "DELETE") == 0);
    const char *body = request->body.len ? request->body.ptr : "";
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, has_body ? body : NULL);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     has_body ? (curl_off_t)request->body.len : (curl_off_t)-1);
    curl_easy_setopt(easy, CURLOPT_NOBODY, 0L);
    if (has_body) curl_easy_setopt(easy, CURLOPT_POST, 1L);
    else curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (strcmp(method, "HEAD") == 0) curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, is_post ? NULL : method);
}

static bool make_headers(struct http_request *request) {
    for (size_t i = 0; request->headers && request->headers[i]; i++) {
        struct curl_slist *longer = curl_slist_append(request->header_list, request->headers[i]);
        if (!longer) return false;
        request->header_list = longer;
    }
    return true;
}

/* A handle keeps its last URL: the same target need not be set again. The parsed one is what
 * counts; the text is what curl tells of it. */
static CURLcode set_url(CURL *easy, const char *url, CURLU *parsed) {
    const char *last = NULL;
    if (parsed) curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &last);
    CURLcode code = CURLE_OK;
    if (!last || strcmp(last, url) != 0) code = curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_CURLU, parsed);
    return code;
}

static struct curl_slist *headers_of(const struct http_request *request,
                                     const struct http_target *target) {
    if (request->headers) return request->header_list;
    return !target->headers || request->body.len >= LONG_BODY ? target->headers
                                                              : target->headers->next;
}

/* Handles are used again: what one request says, the next one must unsay. */
static CURLcode set_route(CURL *easy, struct http_request *request,
                          const struct http_target *target) {
    static const struct http_route usual = {.ca_file = NULL};
    const struct http_route *route = request->route ? request->route : &usual;
    const char *trusted = route->ca_file ? route->ca_file : request->http->ca_file;
    const char *proxy = route->proxy ? route->proxy : target->proxy;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROXY, proxy ? proxy : "");
    if (!code && trusted) code = curl_easy_setopt(easy, CURLOPT_CAINFO, trusted);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSLCERT, route->certificate);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSLKEY, route->key);
    if (!code) code = set_guard(easy, request, request->url ? request->url : target->url, proxy);
    return code;
}

static CURLcode set_up(CURL *easy, struct http_request *request) {
    static const struct http_target nowhere = {.url = NULL};
    const struct http_target *target = request->target ? request->target : &nowhere;
    if (!make_headers(request)) return CURLE_OUT_OF_MEMORY;
    CURLcode code = request->url ? set_url(easy, request->url, NULL)
                                 : set_url(easy, target->url, target->parsed);
    if (!code) code = set_route(easy, request, target);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_of(request, target));
    set_method(easy, request);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)(request->data ? READ_STREAM : READ_PIECE));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)target->timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)target->connect_timeout_ms);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, request);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, request);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->error);
    return code;
}

/* Large ones are not kept for the next answer. */
static void restart(struct buf *buf, const gramc_allocator *allocator, size_t max) {
    bool stays = buf->ptr && buf->size <= KEPT_HEADERS && buf->size <= max;
    if (stays) {
        buf_reset(buf);
        buf->max = max;
        return;
    }
    buf_free(buf);
    buf_init(buf, allocator, max);
}

static void reset_result(struct http_request *request) {
    restart(&request->response, &request->allocator, request->max_response);
    restart(&request->kept, &request->allocator, KEPT_HEADERS);
    restart(&request->redirect, &request->allocator, REDIRECT_MAX);
    request->header_list = NULL;
    request->guard = NULL;
    request->failure = HTTP_FINE;
    request->error[0] = '\0';
    request->status = 0;
    request->headed = false;
    request->may_retry = request->must_not_retry = false;
    request->retry_after_ms = -1;
}

_Static_assert(sizeof(((struct http_request *)0)->error) >= CURL_ERROR_SIZE,
               "curl writes its error there");

/* Has a place. */
static gramc_status send_now(struct http *http, struct http_request *request) {
    if (http->broken || !open_multi(http)) return GRAMC_NOMEM;
    CURL *easy = http->idle_count ? http->idle[--http->idle_count] : easy_new(http);
    if (!easy) return GRAMC_NOMEM;
    if (set_up(easy, request) || curl_multi_add_handle(http->multi, easy)) {
        curl_easy_cleanup(easy);
        free_headers(request->header_list);
        request->header_list = NULL;
        free_guard(request);
        return GRAMC_NOMEM;
    }
    request->easy = easy;
    request->next = http->requests;
    request->link = &http->requests;
    if (request->next) request->next->link = &request->next;
    http->requests = request;
    return GRAMC_OK;
}

static void admitted(struct gate_wait *wait) {
    struct http_request *request =
        (struct http_request *)(void *)((char *)wait - offsetof(struct http_request, wait));
    if (send_now(request->http, request) == GRAMC_OK) {
        if (request->begun) request->begun(request);
        return;
    }
    gate_leave(&request->http->gate);
    request->failure = HTTP_NOMEM;
    request->done(request);
}

gramc_status http_start(struct http *http, struct http_request *request) {
    reset_result(request);
    request->http = http;
    if (gate_try(&http->gate)) {
        gramc_status status = send_now(http, request);
        if (status) gate_leave(&http->gate);
        return status;
    }
    request->wait.admitted = admitted;
    gate_queue(&http->gate, &request->wait);
    return GRAMC_OK;
}

bool http_waits(const struct http_request *request) {
    return request->wait.waiting;
}

void http_cancel(struct http_request *request) {
    if (request->easy) detach(request);
    else if (http_waits(request)) gate_forget(&request->http->gate, &request->wait);
}

void http_request_free(struct http_request *request) {
    buf_free(&request->response);
    buf_free(&request->kept);
    buf_free(&request->redirect);
}
