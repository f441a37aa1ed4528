/* Calls a second through each kind of implementation, arguments and results of a few bytes:
 *
 *   bench_kinds HOST FOLDER WORKER
 *
 * HOST is gramc-host, FOLDER holds libcalc.so of specs/plugin, WORKER is a program that stays.
 * One call after the other shows what a call costs, eight at a time how far the kind goes. What a
 * run adds (checks, tracing, the model) is bench_agent's. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/loop.h"

static const double seconds_each = 0.5;

struct bench {
    gramc_loop *loop;
    const struct bound_tool *bound;
    long calls, failed, open;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_done(void *ctx, struct tool_call *call) {
    struct bench *bench = ctx;
    gramc_text result = buf_view(&call->result);
    bench->calls++;
    bench->open--;
    if (call->outcome != TOOL_FINE && bench->failed++ == 0)
        fprintf(stderr, "%s: %.*s\n", call->kind->name, TEXT_ARGS(result));
    tool_release(call);
}

/* Calls are started here and never by on_done, since kinds that answer at once would nest. */
static double measure(struct bench *bench, long at_once) {
    double start = now(), end = start + seconds_each;
    bench->calls = bench->failed = bench->open = 0;
    while (now() < end) {
        while (bench->open < at_once) {
            bench->open++;
            if (!tool_start(bench->loop, bench->bound, TEXT("{\"a\":3,\"b\":4}"), on_done, bench))
                return 0;
            if (bench->open == 0) break;
        }
        if (bench->open) uv_run(&bench->loop->uv, UV_RUN_ONCE);
    }
    while (bench->open) uv_run(&bench->loop->uv, UV_RUN_ONCE);
    return (double)bench->calls / (now() - start);
}

static int print_kind(struct bench *bench, const char *name) {
    double one = measure(bench, 1), eight = measure(bench, 8);
    printf("%-18s %9.0f calls/s one by one, %9.0f eight at a time%s\n", name, one, eight,
           bench->failed ? ", SOME FAILED" : "");
    return bench->failed != 0;
}

/* ## A server that answers every request with a 7 */

static void *serve_connection(void *ctx) {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Content-Length: 1\r\n\r\n7";
    int connection = *(int *)ctx;
    char request[8192];
    ssize_t got;
    free(ctx);
    /* A request of a few bytes comes in one piece. */
    while ((got = read(connection, request, sizeof request)) > 0)
        if (write(connection, answer, sizeof answer - 1) < 0) break;
    close(connection);
    return NULL;
}

static void *serve(void *ctx) {
    int listener = *(int *)ctx;
    for (;;) {
        pthread_t thread;
        int *connection = malloc(sizeof *connection);
        if (!connection) return NULL;
        *connection = accept(listener, NULL, NULL);
        if (*connection < 0 || pthread_create(&thread, NULL, serve_connection, connection)) {
            free(connection);
            return NULL;
        }
        pthread_detach(thread);
    }
}

/* The URL that it can be asked under; false: it cannot be started. */
static bool start_server(char *url, size_t size) {
    static int listener;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    pthread_t thread;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&address, len) ||
        listen(listener, 64) || getsockname(listener, (struct sockaddr *)&address, &len) ||
        pthread_create(&thread, NULL, serve, &listener))
        return false;
    pthread_detach(thread);
    snprintf(url, size, "http://127.0.0.1:%d/${a}/${b}", ntohs(address.sin_port));
    return true;
}

/* ## What is called */

static const char spec_source[] =
    "[calculator:Agent {description: \"Adds\", model: \"OpenAI/mock\"} |\n"
    "  [add:Tool {description: \"Adds\"} | (a::Int)==>(b::Int)==>(::Int)]]\n";

static const gramc_text exec_argv[] = {{"echo", 4}, {"7", 1}};

struct row {
    const char *name;
    gramc_impl impl;
};

static const struct row rows[] = {
    {"builtin", {.kind = GRAMC_IMPL_BUILTIN, .target = {"math.add", 8}}},
    {"returns", {.kind = GRAMC_IMPL_RETURNS, .target = {"7", 1}}},
    {"plugin in process",
     {.kind = GRAMC_IMPL_PLUGIN, .target = {"libcalc.so", 10}, .in_process = true}},
    {"plugin in a host", {.kind = GRAMC_IMPL_PLUGIN, .target = {"libcalc.so", 10}}},
    {"http", {.kind = GRAMC_IMPL_HTTP, .method = {"GET", 3}}},
    {"exec, staying", {.kind = GRAMC_IMPL_EXEC, .persistent = true}},
    {"exec", {.kind = GRAMC_IMPL_EXEC, .argv = exec_argv, .argc = 2}},
};

static gramc_impl make_impl(const struct row *row, char **argv, const char *url,
                            gramc_text words[2]) {
    gramc_impl impl = row->impl;
    impl.name = TEXT("add");
    if (impl.kind == GRAMC_IMPL_HTTP) impl.target = text_of(url);
    if (impl.kind == GRAMC_IMPL_PLUGIN) {
        impl.folder = text_of(argv[2]);
        impl.symbol = TEXT("calc_add");
    }
    if (impl.kind == GRAMC_IMPL_EXEC && impl.persistent) {
        words[0] = text_of(argv[3]);
        words[1] = TEXT("echo");
        impl.argv = words;
        impl.argc = 2;
    }
    return impl;
}

static int run_row(const struct row *row, const gramc_agent *agent, const gramc_builtins *builtins,
                   char **argv, const char *url) {
    gramc_text words[2], path = TEXT("PATH=/usr/bin:/bin");
    gramc_impl impl = make_impl(row, argv, url, words);
    const gramc_library library = {.name = TEXT("bench"), .impls = &impl, .impl_count = 1};
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_bound *bound = NULL;
    struct bench bench = {.calls = 0};
    bind.builtins = builtins;
    options.environment = &path;
    options.environment_count = 1;
    options.host = text_of(argv[1]);
    int failed = gramc_bind(&bound, agent, &library, &bind) != GRAMC_OK ||
                 gramc_loop_new(&bench.loop, &options) != GRAMC_OK;
    if (!failed) {
        bench.bound = &bound->tools[0];
        failed = print_kind(&bench, row->name);
    } else {
        fprintf(stderr, "%s: cannot be bound\n", row->name);
    }
    gramc_loop_free(bench.loop);
    gramc_bound_free(bound);
    return failed;
}

int main(int argc, char **argv) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_builtins *builtins;
    char url[64];
    int failed = 0;
    if (argc != 4) return 2;
    signal(SIGPIPE, SIG_IGN); /* as gramc_loop_run has it */
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!start_server(url, sizeof url)) return 1;
    if (gramc_compilation_new(&compilation, NULL) || gramc_builtins_new(&builtins, NULL)) return 1;
    if (gramc_add_source(compilation, TEXT("bench.gram"), spec_source, strlen(spec_source)) ||
        gramc_compile(&spec, compilation) ||
        gramc_agent_prepare(compilation, gramc_spec_agent(spec, 0)))
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        failed |= run_row(&rows[i], gramc_spec_agent(spec, 0), builtins, argv, url);
    gramc_builtins_free(builtins);
    gramc_compilation_free(compilation);
    return failed;
}
