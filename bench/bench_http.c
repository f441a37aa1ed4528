/* What waiting costs: many runs on one loop, each calling one HTTP tool that takes its time.
 *
 *   bench_http [CALLS [DELAY_MS]]          1,000 calls, 1,000 ms each
 *
 * The server is a child process that answers every request DELAY_MS after it came. Prints the wall
 * time beside the delay, CPU time a call, the peak of memory and how many calls were open at once;
 * the server's share is not in these. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "base/text.h"
#include "gramc/runtime.h"

enum { CALLS = 1000, DELAY_MS = 1000, REQUEST_MAX = 4096 };

/* ## The server */

struct server {
    uv_loop_t loop;
    uv_tcp_t listener;
    uint64_t delay_ms;
    unsigned open, most;
    int report; /* a pipe: how many requests waited at once, at most */
};

struct client {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    struct server *server;
    char bytes[REQUEST_MAX];
    size_t len;
    int handles;
};

static void client_closed(uv_handle_t *handle) {
    struct client *client = handle->data;
    if (--client->handles == 0) free(client);
}

static void close_client(struct client *client) {
    if (uv_is_closing((uv_handle_t *)&client->tcp)) return;
    uv_close((uv_handle_t *)&client->tcp, client_closed);
    uv_close((uv_handle_t *)&client->timer, client_closed);
}

static void on_time(uv_timer_t *timer) {
    static char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ndone";
    struct client *client = timer->data;
    uv_buf_t bytes = uv_buf_init(answer, sizeof answer - 1);
    client->server->open--;
    uv_write(&client->write, (uv_stream_t *)&client->tcp, &bytes, 1, NULL);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct client *client = handle->data;
    (void)suggested;
    *out = uv_buf_init(client->bytes + client->len, (unsigned)(REQUEST_MAX - 1 - client->len));
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct client *client = stream->data;
    struct server *server = client->server;
    (void)bytes;
    if (len < 0) {
        close_client(client);
        return;
    }
    client->len += (size_t)len;
    client->bytes[client->len] = '\0';
    if (!strstr(client->bytes, "\r\n\r\n")) return;
    client->len = 0;
    if (++server->open > server->most) {
        server->most = server->open;
        if (write(server->report, &server->most, sizeof server->most) < 0) exit(1);
    }
    uv_timer_start(&client->timer, on_time, server->delay_ms, 0);
}

static void on_connection(uv_stream_t *listener, int status) {
    struct server *server = listener->data;
    struct client *client = calloc(1, sizeof *client);
    if (!client || status) exit(1);
    client->server = server;
    client->handles = 2;
    client->tcp.data = client->timer.data = client;
    uv_tcp_init(&server->loop, &client->tcp);
    uv_timer_init(&server->loop, &client->timer);
    if (uv_accept(listener, (uv_stream_t *)&client->tcp) ||
        uv_read_start((uv_stream_t *)&client->tcp, on_alloc, on_read))
        close_client(client);
}

/* The port is written to the pipe before anything else. */
static void serve(int report, uint64_t delay_ms) {
    static struct server server;
    struct sockaddr_in address;
    int len = sizeof address;
    server.report = report;
    server.delay_ms = delay_ms;
    uv_loop_init(&server.loop);
    uv_tcp_init(&server.loop, &server.listener);
    server.listener.data = &server;
    uv_ip4_addr("127.0.0.1", 0, &address);
    if (uv_tcp_bind(&server.listener, (const struct sockaddr *)&address, 0) ||
        uv_listen((uv_stream_t *)&server.listener, 4096, on_connection) ||
        uv_tcp_getsockname(&server.listener, (struct sockaddr *)&address, &len))
        exit(1);
    unsigned port = (unsigned)(address.sin_port >> 8 | (address.sin_port & 0xFF) << 8);
    if (write(report, &port, sizeof port) < 0) exit(1);
    uv_run(&server.loop, UV_RUN_DEFAULT);
}

/* ## The runs */

static const char spec_source[] =
    "[waiter:Agent {description: \"Waits\", model: \"OpenAI/mock\"} |\n"
    "  [wait:Tool {description: \"Waits\"} | (n::Int)==>(::Text)]]\n"
    "[slow:ToolLibrary {description: \"Takes its time\"} |\n"
    "  [wait:ToolImpl {http: \"GET\", url: \"http://127.0.0.1:%u/wait/${n}\", timeout: 60s}]]\n";

static const char script[] =
    "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
    "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"a\",\"name\":\"wait\","
    "\"arguments\":\"{\\\"n\\\":1}\"}]}\n"
    "{\"event\":\"model.response\",\"content\":\"done\"}\n";

struct tally {
    long answered, failed;
};

static void on_done(void *ctx, const gramc_run_result *result) {
    struct tally *tally = ctx;
    if (result->outcome == GRAMC_OUTCOME_ANSWERED && result->tool_errors == 0) tally->answered++;
    else if (tally->failed++ == 0)
        fprintf(stderr, "%s: %.*s\n", gramc_outcome_name(result->outcome),
                TEXT_ARGS(result->message));
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu_seconds(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

static int start_all(gramc_loop *loop, const gramc_bound *bound, const gramc_model *model,
                     long calls, struct tally *tally) {
    static const gramc_text message = {"Wait.", 5};
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = {.done = on_done, .ctx = tally};
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    for (long i = 0; i < calls; i++)
        if (gramc_run_start(NULL, loop, bound, &options, &handler)) return 1;
    return 0;
}

static int measure(const gramc_bound *bound, const gramc_model *model, long calls, long delay_ms) {
    struct rusage before, after;
    struct tally tally = {0, 0};
    gramc_loop *loop;
    if (gramc_loop_new(&loop, NULL)) return 1;
    getrusage(RUSAGE_SELF, &before);
    double start = seconds();
    int failed = start_all(loop, bound, model, calls, &tally) || gramc_loop_run(loop);
    double wall = seconds() - start;
    getrusage(RUSAGE_SELF, &after);
    gramc_loop_free(loop);
    printf("%ld calls of %ld ms each on one loop: %.3f s wall, %.3f s CPU (%.3f ms a call), "
           "%.1f MB at most (%.1f before), %ld failed\n",
           calls, delay_ms, wall, cpu_seconds(&after) - cpu_seconds(&before),
           (cpu_seconds(&after) - cpu_seconds(&before)) * 1e3 / (double)calls,
           (double)after.ru_maxrss / 1024, (double)before.ru_maxrss / 1024, tally.failed);
    return failed || tally.failed || tally.answered != calls;
}

static int run(unsigned port, long calls, long delay_ms) {
    char source[1024];
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_bound *bound = NULL;
    gramc_model *model = NULL;
    int len = snprintf(source, sizeof source, spec_source, port);
    if (gramc_compilation_new(&compilation, NULL)) return 1;
    int failed = gramc_add_source(compilation, TEXT("bench.gram"), source, (size_t)len) ||
                 gramc_compile(&spec, compilation) ||
                 gramc_agent_prepare(compilation, gramc_spec_agent(spec, 0)) ||
                 gramc_bind(&bound, gramc_spec_agent(spec, 0), gramc_spec_library(spec, 0), NULL) ||
                 gramc_model_new_script(&model, text_of(script), NULL, NULL) ||
                 measure(bound, model, calls, delay_ms);
    gramc_model_free(model);
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
    return failed;
}

/* The last number that the server wrote. */
static unsigned read_most(int report) {
    unsigned most = 0, next;
    while (read(report, &next, sizeof next) == (ssize_t)sizeof next) most = next;
    return most;
}

static void allow_sockets(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv) {
    long calls = argc > 1 ? strtol(argv[1], NULL, 10) : CALLS;
    long delay_ms = argc > 2 ? strtol(argv[2], NULL, 10) : DELAY_MS;
    int report[2];
    unsigned port;
    if (calls < 1 || delay_ms < 0 || pipe(report)) return 2;
    allow_sockets();
    pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        close(report[0]);
        serve(report[1], (uint64_t)delay_ms);
        _exit(1);
    }
    close(report[1]);
    if (read(report[0], &port, sizeof port) != (ssize_t)sizeof port) return 2;
    int failed = run(port, calls, delay_ms);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    printf("the server held %u of them at once\n", read_most(report[0]));
    if (failed) fputs("bench_http: not every call was answered\n", stderr);
    return failed;
}
