/* Calls a second of a tool of an MCP server over stdio, one after the other and eight at a time:
 *
 *   bench_mcp PROGRAM [ARGUMENT...]
 *
 * The program is a server with a tool `echo`. Its own time is part of the figure; a server that
 * does nothing (tests/mcp/server.c) shows what the client and two pipes cost. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/loop.h"

enum { ARGUMENTS = 16 };
static const double seconds_each = 1;

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
    bench->calls++;
    bench->open--;
    if (call->outcome != TOOL_FINE && bench->failed++ == 0)
        fprintf(stderr, "%.*s\n", TEXT_ARGS(buf_view(&call->result)));
    tool_release(call);
}

static bool start(struct bench *bench) {
    static const gramc_text arguments = {"{\"text\":\"hello\",\"message\":\"hello\"}", 34};
    bench->open++;
    return tool_start(bench->loop, bench->bound, arguments, on_done, bench) != NULL;
}

static double measure(struct bench *bench, long at_once) {
    double begin = now(), end = begin + seconds_each;
    bench->calls = bench->failed = bench->open = 0;
    while (now() < end) {
        while (bench->open < at_once)
            if (!start(bench)) return 0;
        uv_run(&bench->loop->uv, UV_RUN_ONCE);
    }
    while (bench->open) uv_run(&bench->loop->uv, UV_RUN_ONCE);
    return (double)bench->calls / (now() - begin);
}

/* The first call starts the server, and is not counted. */
static int print(struct bench *bench) {
    if (!start(bench)) return 1;
    while (bench->open) uv_run(&bench->loop->uv, UV_RUN_ONCE);
    double one = measure(bench, 1), eight = measure(bench, 8);
    printf("%-18s %9.0f calls/s one by one, %9.0f eight at a time%s\n", "mcp, stdio", one, eight,
           bench->failed ? ", SOME FAILED" : "");
    return bench->failed != 0;
}

static int run(const gramc_agent *agent, const gramc_text *argv, size_t argc) {
    const gramc_impl impl = {.name = TEXT("echo"),
                             .kind = GRAMC_IMPL_MCP,
                             .target = TEXT("echo"),
                             .server = TEXT("server")};
    const gramc_box box = {.name = TEXT("server"),
                           .kind = GRAMC_BOX_MCP,
                           .argv = argv,
                           .argc = argc,
                           .all_tools = true};
    const gramc_library library = {
        .name = TEXT("bench"), .impls = &impl, .impl_count = 1, .boxes = &box, .box_count = 1};
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    const gramc_text path = TEXT("PATH=/usr/bin:/bin");
    gramc_bound *bound = NULL;
    struct bench bench = {.calls = 0};
    int failed = 1;
    options.environment = &path;
    options.environment_count = 1;
    if (gramc_bind(&bound, agent, &library, NULL) == GRAMC_OK &&
        gramc_loop_new(&bench.loop, &options) == GRAMC_OK) {
        bench.bound = &bound->tools[0];
        failed = print(&bench);
    }
    gramc_loop_free(bench.loop);
    gramc_bound_free(bound);
    return failed;
}

int main(int argc, char **argv) {
    static const char source[] =
        "[caller:Agent {description: \"Calls\", model: \"OpenAI/mock\"} |\n"
        "  [echo:Tool {description: \"Echoes\"} | (text::Text)==>(message::Text)==>(::Text)]]\n";
    gramc_text words[ARGUMENTS];
    gramc_compilation *compilation;
    const gramc_spec *spec;
    size_t count = (size_t)argc - 1;
    if (argc < 2 || count > ARGUMENTS) return 2;
    for (size_t i = 0; i < count; i++) words[i] = text_of(argv[i + 1]);
    signal(SIGPIPE, SIG_IGN); /* as gramc_loop_run has it */
    if (gramc_compilation_new(&compilation, NULL)) return 1;
    if (gramc_add_source(compilation, TEXT("bench.gram"), source, strlen(source)) ||
        gramc_compile(&spec, compilation) ||
        gramc_agent_prepare(compilation, gramc_spec_agent(spec, 0)))
        return 1;
    int failed = run(gramc_spec_agent(spec, 0), words, count);
    gramc_compilation_free(compilation);
    return failed;
}
