/* Reads requests with a Content-Length, keeps them for the test to look at, and answers from the
 * script. Knows just as much HTTP as libcurl needs to be happy. Fails by abort: it is the test that
 * is broken then. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/mock_server.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { REQUESTS_MAX = 4096, HEAD_MAX = 65536 };

struct kept {
    char *head, *body;
    size_t body_length;
};

struct mock_server {
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_async_t stop;
    uv_thread_t thread;
    uv_mutex_t lock;
    const struct mock_answer *answers;
    size_t answer_count, count;
    struct kept requests[REQUESTS_MAX];
    char url[64];
};

struct client {
    uv_tcp_t tcp;
    struct mock_server *server;
    char *bytes;
    size_t len, size;
};

static void check(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "mock server: %s failed\n", what);
    abort();
}

static char *copy(const char *bytes, size_t len) {
    char *text = malloc(len + 1);
    check(text != NULL, "malloc");
    if (len) memcpy(text, bytes, len);
    text[len] = '\0';
    return text;
}

/* ## Answers */

struct answer {
    uv_write_t write;
    char *bytes;
    int last; /* close afterwards */
};

static void client_closed(uv_handle_t *handle) {
    struct client *client = handle->data;
    free(client->bytes);
    free(client);
}

static void close_client(struct client *client) {
    if (!uv_is_closing((uv_handle_t *)&client->tcp))
        uv_close((uv_handle_t *)&client->tcp, client_closed);
}

static void written(uv_write_t *write, int status) {
    struct answer *answer = write->data;
    struct client *client = write->handle->data;
    if (answer->last || status) close_client(client);
    free(answer->bytes);
    free(answer);
}

static void send_answer(struct client *client, const struct mock_answer *scripted) {
    struct answer *answer = calloc(1, sizeof *answer);
    size_t body = strlen(scripted->body), room = body + scripted->padding + HEAD_MAX;
    check(answer && (answer->bytes = malloc(room)), "malloc");
    const char *headers = scripted->headers ? scripted->headers : "";
    char length[64] = "";
    if (scripted->mode != MOCK_OPEN)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", body + scripted->padding);
    int head =
        snprintf(answer->bytes, HEAD_MAX, "HTTP/1.1 %d Scripted\r\n%s%s%s\r\n",
                 scripted->status ? scripted->status : 200,
                 strstr(headers, "Content-Type:") ? "" : "Content-Type: application/json\r\n",
                 headers, length);
    memcpy(answer->bytes + head, scripted->body, body);
    memset(answer->bytes + (size_t)head + body, ' ', scripted->padding);
    size_t len = (size_t)head + body + scripted->padding;
    bool half = scripted->mode == MOCK_CUT || scripted->mode == MOCK_STALL;
    if (half) len = (size_t)head + body / 2;
    if (scripted->mode == MOCK_RAW) {
        memcpy(answer->bytes, scripted->body, body);
        len = body;
    }
    answer->last = scripted->mode == MOCK_CUT || scripted->mode == MOCK_RAW;
    answer->write.data = answer;
    uv_buf_t bytes = uv_buf_init(answer->bytes, (unsigned)len);
    if (uv_write(&answer->write, (uv_stream_t *)&client->tcp, &bytes, 1, written) == 0) return;
    free(answer->bytes);
    free(answer);
}

static void echo(struct client *client, size_t index, const struct mock_answer *scripted) {
    const struct kept *kept = &client->server->requests[index];
    size_t room = strlen(kept->head) + strlen(kept->body) + 1;
    char *body = malloc(room);
    check(body != NULL, "malloc");
    snprintf(body, room, "%s%s", kept->head, kept->body);
    send_answer(client, &(struct mock_answer){.status = scripted->status,
                                              .headers = scripted->headers,
                                              .body = body});
    free(body);
}

static void respond(struct client *client, size_t index) {
    static const struct mock_answer surplus = {.status = 599, .body = "the script is over"};
    struct mock_server *server = client->server;
    const struct mock_answer *answer =
        index < server->answer_count ? &server->answers[index] : &surplus;
    switch (answer->mode) {
    case MOCK_WHOLE:
    case MOCK_OPEN:
    case MOCK_CUT:
    case MOCK_STALL:
    case MOCK_RAW: send_answer(client, answer); break;
    case MOCK_ECHO: echo(client, index, answer); break;
    case MOCK_CLOSE: close_client(client); break;
    case MOCK_RESET: uv_tcp_close_reset(&client->tcp, client_closed); break;
    case MOCK_HANG: break;
    }
}

/* ## Requests */

static size_t body_length(const char *head) {
    const char *field = strstr(head, "Content-Length: ");
    return field ? (size_t)strtoul(field + strlen("Content-Length: "), NULL, 10) : 0;
}

/* Takes one whole request off the front; 0 if there is none yet. */
static int take_request(struct client *client) {
    struct mock_server *server = client->server;
    client->bytes[client->len] = '\0';
    const char *end = strstr(client->bytes, "\r\n\r\n");
    if (!end) return 0;
    size_t head = (size_t)(end - client->bytes) + 4, body = body_length(client->bytes);
    if (client->len < head + body) return 0;
    uv_mutex_lock(&server->lock);
    size_t index = server->count++;
    check(index < REQUESTS_MAX, "keeping requests");
    server->requests[index] =
        (struct kept){copy(client->bytes, head), copy(client->bytes + head, body), body};
    uv_mutex_unlock(&server->lock);
    client->len -= head + body;
    memmove(client->bytes, client->bytes + head + body, client->len);
    respond(client, index);
    return 1;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct client *client = handle->data;
    if (client->size < client->len + suggested + 1) {
        client->size = 2 * (client->len + suggested + 1);
        client->bytes = realloc(client->bytes, client->size);
        check(client->bytes != NULL, "realloc");
    }
    *out = uv_buf_init(client->bytes + client->len, (unsigned)suggested);
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct client *client = stream->data;
    (void)bytes;
    if (len < 0) {
        close_client(client);
        return;
    }
    client->len += (size_t)len;
    while (client->len && !uv_is_closing((uv_handle_t *)stream) && take_request(client)) continue;
}

static void on_connection(uv_stream_t *listener, int status) {
    struct mock_server *server = listener->data;
    struct client *client = calloc(1, sizeof *client);
    check(client && status == 0, "listening");
    client->server = server;
    client->tcp.data = client;
    check(uv_tcp_init(&server->loop, &client->tcp) == 0, "uv_tcp_init");
    check(uv_accept(listener, (uv_stream_t *)&client->tcp) == 0, "uv_accept");
    check(uv_read_start((uv_stream_t *)&client->tcp, on_alloc, on_read) == 0, "uv_read_start");
}

/* ## Life */

static void close_handle(uv_handle_t *handle, void *ctx) {
    struct mock_server *server = ctx;
    if (uv_is_closing(handle)) return;
    int is_client = handle->type == UV_TCP && handle != (uv_handle_t *)&server->listener;
    uv_close(handle, is_client ? client_closed : NULL);
}

static void on_stop(uv_async_t *async) {
    struct mock_server *server = async->data;
    uv_walk(&server->loop, close_handle, server);
}

static void serve(void *ctx) {
    struct mock_server *server = ctx;
    uv_run(&server->loop, UV_RUN_DEFAULT);
}

struct mock_server *mock_start(const struct mock_answer *answers, size_t count) {
    struct mock_server *server = calloc(1, sizeof *server);
    struct sockaddr_in address;
    int len = sizeof address;
    check(server != NULL, "calloc");
    server->answers = answers;
    server->answer_count = count;
    check(uv_mutex_init(&server->lock) == 0 && uv_loop_init(&server->loop) == 0, "uv_loop_init");
    check(uv_async_init(&server->loop, &server->stop, on_stop) == 0, "uv_async_init");
    check(uv_tcp_init(&server->loop, &server->listener) == 0, "uv_tcp_init");
    server->stop.data = server->listener.data = server;
    uv_ip4_addr("127.0.0.1", 0, &address);
    check(uv_tcp_bind(&server->listener, (const struct sockaddr *)&address, 0) == 0, "bind");
    check(uv_listen((uv_stream_t *)&server->listener, 128, on_connection) == 0, "listen");
    check(uv_tcp_getsockname(&server->listener, (struct sockaddr *)&address, &len) == 0, "name");
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u/v1",
             (unsigned)(address.sin_port >> 8 | (address.sin_port & 0xFF) << 8));
    check(uv_thread_create(&server->thread, serve, server) == 0, "uv_thread_create");
    return server;
}

const char *mock_url(const struct mock_server *server) {
    return server->url;
}

size_t mock_count(struct mock_server *server) {
    uv_mutex_lock(&server->lock);
    size_t count = server->count;
    uv_mutex_unlock(&server->lock);
    return count;
}

const char *mock_head(struct mock_server *server, size_t i) {
    check(i < mock_count(server), "looking at a request that never came");
    return server->requests[i].head;
}

const char *mock_body(struct mock_server *server, size_t i) {
    check(i < mock_count(server), "looking at a request that never came");
    return server->requests[i].body;
}

size_t mock_body_length(struct mock_server *server, size_t i) {
    check(i < mock_count(server), "looking at a request that never came");
    return server->requests[i].body_length;
}

void mock_stop(struct mock_server *server) {
    uv_async_send(&server->stop);
    uv_thread_join(&server->thread);
    uv_loop_close(&server->loop);
    uv_mutex_destroy(&server->lock);
    for (size_t i = 0; i < server->count; i++) {
        free(server->requests[i].head);
        free(server->requests[i].body);
    }
    free(server);
}
