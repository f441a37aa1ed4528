/* A model that thinks for as long as it is told: an OpenAI-compatible server on 127.0.0.1.
 *
 *   agent_mock
 *
 * Prints its port, serves until its standard input ends, and then prints how many requests waited
 * at once, at most. What it answers is in the path, which is /WHAT/MS/chat/completions: after MS
 * milliseconds,
 *   agent   a call of get_weather; then, asked with its result, a sentence
 *   say     that sentence at once
 *   text    200 words; as 200 deltas where a stream is asked for, all of them at once
 *   drip    the same stream, one delta every MS milliseconds */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <uv.h>

enum { REQUEST_MAX = 16384, DELTAS = 200, EVENT_MAX = 512, WORDS_MAX = DELTAS * 12 };

enum answer { CALL, SENTENCE, WORDS, STREAM, DRIP, ANSWERS };

struct bytes {
    char *ptr;
    size_t len;
};

struct mock {
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_pipe_t input;
    char byte[1]; /* of the input, which nobody reads */
    struct bytes answers[ANSWERS];
    struct bytes events[DELTAS + 3]; /* of a stream, its head with the first */
    unsigned waiting, most;
};

struct client {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    struct mock *mock;
    char bytes[REQUEST_MAX];
    size_t len;
    enum answer answer;
    uint64_t wait_ms;
    size_t next_event;
    int handles;
};

static void die(const char *why) {
    fprintf(stderr, "agent_mock: %s\n", why);
    exit(1);
}

/* ## Answers */

static struct bytes copy(const char *text) {
    struct bytes out = {strdup(text), strlen(text)};
    if (!out.ptr) die("out of memory");
    return out;
}

static struct bytes with_head(const char *body) {
    size_t size = strlen(body) + 256;
    struct bytes out = {malloc(size), 0};
    if (!out.ptr) die("out of memory");
    out.len = (size_t)snprintf(out.ptr, size,
                               "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Content-Length: %zu\r\n\r\n%s",
                               strlen(body), body);
    return out;
}

static const char *word(size_t i) {
    static const char *const words[] = {" It",    " will", " be",      " sunny", " in",
                                        " Paris", ",",     " perhaps", " with",  " clouds"};
    return words[i % (sizeof words / sizeof words[0])];
}

static const char call_body[] =
    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1730000000,\"model\":"
    "\"mock\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,"
    "\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":"
    "\"get_weather\",\"arguments\":\"{\\\"location\\\": \\\"Paris, France\\\", \\\"unit\\\": "
    "\\\"celsius\\\", \\\"days\\\": 3}\"}}],\"refusal\":null},\"logprobs\":null,"
    "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":120,\"completion_tokens\":20,"
    "\"total_tokens\":140}}";

#define TEXT_BEGIN                                                                                 \
    "{\"id\":\"chatcmpl-2\",\"object\":\"chat.completion\",\"created\":1730000000,\"model\":"      \
    "\"mock\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
#define TEXT_END                                                                                   \
    "\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{"              \
    "\"prompt_tokens\":160,\"completion_tokens\":200,\"total_tokens\":360}}"
#define CHUNK_BEGIN                                                                                \
    "data: {\"id\":\"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG\",\"object\":"                         \
    "\"chat.completion.chunk\",\"created\":1730000000,\"model\":\"mock\",\"service_tier\":"        \
    "\"default\",\"system_fingerprint\":\"fp_fc9f1d7035\",\"choices\":["
#define CHUNK_END "]%s}\n\n"

static struct bytes make_words(void) {
    static char body[sizeof TEXT_BEGIN + WORDS_MAX + sizeof TEXT_END];
    size_t len = (size_t)snprintf(body, sizeof body, TEXT_BEGIN);
    for (size_t i = 0; i < DELTAS; i++)
        len += (size_t)snprintf(body + len, sizeof body - len, "%s", word(i));
    snprintf(body + len, sizeof body - len, TEXT_END);
    return with_head(body);
}

/* One chunk of the transfer encoding. */
static struct bytes make_event(const char *head, const char *choice, const char *usage,
                               const char *rest) {
    char event[EVENT_MAX], chunk[EVENT_MAX + 256];
    snprintf(event, sizeof event, CHUNK_BEGIN "%s" CHUNK_END "%s", choice, usage, rest);
    snprintf(chunk, sizeof chunk, "%s%zx\r\n%s\r\n", head, strlen(event), event);
    return copy(chunk);
}

static void make_events(struct mock *mock) {
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    static const char usage[] = ",\"usage\":{\"prompt_tokens\":160,\"completion_tokens\":200,"
                                "\"total_tokens\":360}";
    struct bytes *event = mock->events;
    *event++ = make_event(head,
                          "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\","
                          "\"refusal\":null},\"logprobs\":null,\"finish_reason\":null}",
                          ",\"usage\":null", "");
    for (size_t i = 0; i < DELTAS; i++) {
        char choice[160];
        snprintf(choice, sizeof choice,
                 "{\"index\":0,\"delta\":{\"content\":\"%s\"},\"logprobs\":null,"
                 "\"finish_reason\":null}",
                 word(i));
        *event++ = make_event("", choice, ",\"usage\":null", "");
    }
    *event++ =
        make_event("", "{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"stop\"}",
                   ",\"usage\":null", "");
    *event = make_event("", "", usage, "data: [DONE]\n\n");
    event->ptr = realloc(event->ptr, event->len + 6);
    if (!event->ptr) die("out of memory");
    memcpy(event->ptr + event->len, "0\r\n\r\n", 6);
    event->len += 5;
}

static struct bytes join_events(const struct mock *mock) {
    struct bytes out = {malloc((DELTAS + 3) * (EVENT_MAX + 256)), 0};
    if (!out.ptr) die("out of memory");
    for (size_t i = 0; i < DELTAS + 3; i++) {
        memcpy(out.ptr + out.len, mock->events[i].ptr, mock->events[i].len);
        out.len += mock->events[i].len;
    }
    return out;
}

static void make_answers(struct mock *mock) {
    mock->answers[CALL] = with_head(call_body);
    mock->answers[SENTENCE] = with_head(TEXT_BEGIN "It is 21 degrees and sunny in Paris." TEXT_END);
    mock->answers[WORDS] = make_words();
    make_events(mock);
    mock->answers[STREAM] = join_events(mock);
}

/* ## Clients */

static void client_closed(uv_handle_t *handle) {
    struct client *client = handle->data;
    if (--client->handles == 0) free(client);
}

static void close_client(struct client *client) {
    if (uv_is_closing((uv_handle_t *)&client->tcp)) return;
    if (uv_is_active((uv_handle_t *)&client->timer)) client->mock->waiting--;
    uv_close((uv_handle_t *)&client->tcp, client_closed);
    uv_close((uv_handle_t *)&client->timer, client_closed);
}

static void send_bytes(struct client *client, struct bytes bytes) {
    uv_buf_t all = uv_buf_init(bytes.ptr, (unsigned)bytes.len);
    int sent = uv_try_write((uv_stream_t *)&client->tcp, &all, 1);
    if (sent < 0 && sent != UV_EAGAIN) {
        close_client(client);
        return;
    }
    if (sent > 0) all = uv_buf_init(bytes.ptr + sent, (unsigned)(bytes.len - (size_t)sent));
    if (all.len) uv_write(&client->write, (uv_stream_t *)&client->tcp, &all, 1, NULL);
}

static void on_time(uv_timer_t *timer) {
    struct client *client = timer->data;
    struct mock *mock = client->mock;
    if (client->answer == DRIP && client->next_event < DELTAS + 2) {
        uv_timer_start(timer, on_time, client->wait_ms, 0);
        send_bytes(client, mock->events[client->next_event++]);
        return;
    }
    mock->waiting--;
    send_bytes(client,
               client->answer == DRIP ? mock->events[DELTAS + 2] : mock->answers[client->answer]);
}

static size_t length_of_body(const char *head, const char *end) {
    static const char name[] = "\ncontent-length:";
    for (const char *at = head; at < end && (at = strchr(at, '\n')) && at < end; at++)
        if (strncasecmp(at, name, sizeof name - 1) == 0)
            return strtoul(at + sizeof name - 1, NULL, 10);
    die("a request without a Content-Length");
    return 0;
}

static enum answer choose(const char *path, const char *body) {
    bool streams = strstr(body, "\"stream\":true") != NULL;
    if (strncmp(path, "/agent/", 7) == 0) return strstr(body, "\"tool_call_id\"") ? SENTENCE : CALL;
    if (strncmp(path, "/say/", 5) == 0) return SENTENCE;
    if (strncmp(path, "/text/", 6) == 0) return streams ? STREAM : WORDS;
    if (strncmp(path, "/drip/", 6) == 0 && streams) return DRIP;
    die("a request that it does not know");
    return CALL;
}

static void take_request(struct client *client) {
    struct mock *mock = client->mock;
    const char *path = strchr(client->bytes, ' ');
    char *head_end = strstr(client->bytes, "\r\n\r\n");
    if (!head_end || !path++) return;
    char *body = head_end + 4;
    size_t len = length_of_body(client->bytes, head_end);
    if (client->len < (size_t)(body - client->bytes) + len) return;
    client->answer = choose(path, body);
    client->wait_ms = strtoul(path + strcspn(path + 1, "/") + 2, NULL, 10);
    client->next_event = 0;
    client->len = 0;
    if (++mock->waiting > mock->most) mock->most = mock->waiting;
    if (client->wait_ms) uv_timer_start(&client->timer, on_time, client->wait_ms, 0);
    else on_time(&client->timer);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct client *client = handle->data;
    (void)suggested;
    *out = uv_buf_init(client->bytes + client->len, (unsigned)(REQUEST_MAX - 1 - client->len));
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct client *client = stream->data;
    (void)bytes;
    if (len < 0) {
        close_client(client);
        return;
    }
    client->len += (size_t)len;
    client->bytes[client->len] = '\0';
    take_request(client);
}

static void on_connection(uv_stream_t *listener, int status) {
    struct mock *mock = listener->data;
    struct client *client = calloc(1, sizeof *client);
    if (!client || status) die("cannot take a connection");
    client->mock = mock;
    client->handles = 2;
    client->tcp.data = client->timer.data = client;
    uv_tcp_init(&mock->loop, &client->tcp);
    uv_timer_init(&mock->loop, &client->timer);
    if (uv_accept(listener, (uv_stream_t *)&client->tcp) ||
        uv_read_start((uv_stream_t *)&client->tcp, on_alloc, on_read))
        close_client(client);
    else uv_tcp_nodelay(&client->tcp, 1);
}

/* ## Serving */

static void input_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct mock *mock = handle->data;
    (void)suggested;
    *out = uv_buf_init(mock->byte, sizeof mock->byte);
}

static void input_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct mock *mock = stream->data;
    (void)bytes;
    if (len >= 0) return;
    printf("%u\n", mock->most);
    fflush(stdout);
    uv_stop(&mock->loop);
}

static void begin(struct mock *mock) {
    struct sockaddr_in address;
    int len = sizeof address;
    make_answers(mock);
    uv_loop_init(&mock->loop);
    uv_tcp_init(&mock->loop, &mock->listener);
    uv_pipe_init(&mock->loop, &mock->input, 0);
    mock->listener.data = mock->input.data = mock;
    uv_ip4_addr("127.0.0.1", 0, &address);
    if (uv_tcp_bind(&mock->listener, (const struct sockaddr *)&address, 0) ||
        uv_listen((uv_stream_t *)&mock->listener, 4096, on_connection) ||
        uv_tcp_getsockname(&mock->listener, (struct sockaddr *)&address, &len))
        die("cannot listen");
    if (uv_pipe_open(&mock->input, STDIN_FILENO) ||
        uv_read_start((uv_stream_t *)&mock->input, input_alloc, input_read))
        die("its standard input is no pipe");
    const unsigned char *port = (const unsigned char *)&address.sin_port;
    printf("%u\n", (unsigned)port[0] << 8 | port[1]);
    fflush(stdout);
}

int main(void) {
    static struct mock mock;
    begin(&mock);
    return uv_run(&mock.loop, UV_RUN_DEFAULT) < 0;
}
