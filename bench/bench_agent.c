/* What a run costs, many of them at once: two requests to a model with one tool call between them,
 * or one that is answered with a text, whole or as a stream.
 *
 *   bench_agent URL RUNS AT_ONCE [agent|text|stream [trace|watch]]
 *
 * URL is an OpenAI-compatible server that asks for get_weather(location, unit, days) and then
 * answers, as agent/mock.c does; on another core, or the model is what is measured. With `watch`
 * somebody is told all events, deltas among them. Tracing goes to /dev/null. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "gramc/runtime.h"
#include "measure.h"

static const char spec_source[] =
    "[weatherman:Agent {description: \"Knows the weather\", instruction: \"You answer questions "
    "about the weather.\", model: \"OpenAI/mock\"} |\n"
    "  [get_weather:Tool {description: \"Get the weather forecast for a place\"} |\n"
    "    (location::Text {description: \"City and country\"})\n"
    "    ==>(unit::Text {enum: [\"celsius\", \"fahrenheit\"], default: \"celsius\"})\n"
    "    ==>(days::Int {min: 1, max: 14, default: 1})==>(::Text)]]\n"
    "[talker:Agent {description: \"Talks\", instruction: \"You answer questions about the "
    "weather.\", model: \"OpenAI/mock\"}]\n"
    "[forecast:ToolLibrary {description: \"Always sunny\"} |\n"
    "  [get_weather:ToolImpl {returns: \"21 degrees and sunny\"}]]\n";

/* What a run is to be. */
struct kind {
    const char *name;
    size_t agent;
    uint32_t calls; /* of tools, in each */
    bool stream;
};

static const struct kind kinds[] = {
    {"agent", 0, 1, false}, {"text", 1, 0, false}, {"stream", 1, 0, true}};

struct bench {
    gramc_loop *loop;
    const gramc_bound *bound;
    const struct kind *kind;
    gramc_run_options options;
    gramc_run_handler handler;
    long to_start, failed, deltas;
};

static void start_one(struct bench *bench);

static void on_done(void *ctx, const gramc_run_result *result) {
    struct bench *bench = ctx;
    bool good = result->outcome == GRAMC_OUTCOME_ANSWERED && result->calls == bench->kind->calls;
    if (!good && bench->failed++ == 0)
        fprintf(stderr, "%s: %.*s\n", gramc_outcome_name(result->outcome),
                TEXT_ARGS(result->message));
    start_one(bench);
}

static void on_event(void *ctx, const gramc_event *event) {
    struct bench *bench = ctx;
    if (event->kind == GRAMC_EVENT_DELTA) bench->deltas++;
}

static void start_one(struct bench *bench) {
    if (bench->to_start-- <= 0) return;
    if (gramc_run_start(NULL, bench->loop, bench->bound, &bench->options, &bench->handler))
        bench->failed++;
}

static int discard(void *ctx, const char *bytes, size_t len) {
    return write(*(int *)ctx, bytes, len) != (ssize_t)len;
}

static void run_all(void *ctx, long runs, long at_once) {
    struct bench *bench = ctx;
    bench->to_start = runs;
    for (long i = 0; i < at_once; i++) start_one(bench);
    if (gramc_loop_run(bench->loop)) bench->failed++;
}

static int run(struct bench *bench, const char *url, long runs, long at_once) {
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    const gramc_text question = TEXT("What will the weather be like in Paris?");
    gramc_model *model = NULL;
    endpoint.base_url = text_of(url);
    endpoint.api_key = TEXT("not-a-key");
    endpoint.stream = bench->kind->stream;
    bench->options.messages = &question;
    bench->options.message_count = 1;
    bench->handler.done = on_done;
    bench->handler.ctx = bench;
    if (gramc_model_new_endpoint(&model, &endpoint) || gramc_loop_new(&bench->loop, NULL)) {
        bench->failed++;
    } else {
        bench->options.model = model;
        measure(run_all, bench, runs, at_once);
    }
    gramc_loop_free(bench->loop);
    gramc_model_free(model);
    if (bench->failed) fprintf(stderr, "%ld runs failed\n", bench->failed);
    if (bench->handler.event) fprintf(stderr, "%ld deltas\n", bench->deltas);
    return bench->failed != 0;
}

static const struct kind *kind_named(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

int main(int argc, char **argv) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_bound *bound = NULL;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    struct bench bench = {.kind = kind_named(argc > 4 ? argv[4] : "agent"), .options = options};
    long at_once = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    const char *also = argc > 5 ? argv[5] : "";
    int failed = 1, trace = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (at_once < 1 || !bench.kind) {
        fputs("bench_agent URL RUNS AT_ONCE [agent|text|stream [trace|watch]]\n", stderr);
        return 2;
    }
    if (strcmp(also, "trace") == 0) bench.options.trace = (gramc_writer){discard, &trace};
    if (strcmp(also, "watch") == 0) bench.handler.event = on_event;
    if (gramc_compilation_new(&compilation, NULL)) return 1;
    if (!gramc_add_source(compilation, TEXT("bench.gram"), spec_source, sizeof spec_source - 1) &&
        !gramc_compile(&spec, compilation)) {
        const gramc_agent *agent = gramc_spec_agent(spec, bench.kind->agent);
        if (!gramc_agent_prepare(compilation, agent) &&
            !gramc_bind(&bound, agent, gramc_spec_library(spec, 0), NULL)) {
            bench.bound = bound;
            failed = run(&bench, argv[1], strtol(argv[2], NULL, 10), at_once);
        }
    }
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
    return failed;
}
