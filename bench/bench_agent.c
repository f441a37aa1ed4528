/* What a run costs: two requests to a model with one tool call between them, many runs at once.
 *
 *   bench_agent URL RUNS CONCURRENCY [trace]
 *
 * URL is an OpenAI-compatible server that asks for get_weather(location, unit, days) and then
 * answers; a mock on another core, or the model is what is measured. Prints wall and CPU time a
 * run, runs a second and the peak of memory. Tracing goes to /dev/null. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "gramc/runtime.h"

static const char spec_source[] =
    "[weatherman:Agent {description: \"Knows the weather\", instruction: \"You answer questions "
    "about the weather.\", model: \"OpenAI/mock\"} |\n"
    "  [get_weather:Tool {description: \"Get the weather forecast for a place\"} |\n"
    "    (location::Text {description: \"City and country\"})\n"
    "    ==>(unit::Text {enum: [\"celsius\", \"fahrenheit\"], default: \"celsius\"})\n"
    "    ==>(days::Int {min: 1, max: 14, default: 1})==>(::Text)]]\n"
    "[forecast:ToolLibrary {description: \"Always sunny\"} |\n"
    "  [get_weather:ToolImpl {returns: \"21 degrees and sunny\"}]]\n";

struct bench {
    gramc_loop *loop;
    const gramc_bound *bound;
    gramc_run_options options;
    long to_start, answered, failed;
};

static void start_one(struct bench *bench);

static void on_done(void *ctx, const gramc_run_result *result) {
    struct bench *bench = ctx;
    if (result->outcome == GRAMC_OUTCOME_ANSWERED && result->calls == 1) bench->answered++;
    else if (bench->failed++ == 0)
        fprintf(stderr, "%s: %.*s\n", gramc_outcome_name(result->outcome),
                TEXT_ARGS(result->message));
    start_one(bench);
}

static void start_one(struct bench *bench) {
    gramc_run_handler handler = {.done = on_done, .ctx = bench};
    if (bench->to_start-- <= 0) return;
    if (gramc_run_start(NULL, bench->loop, bench->bound, &bench->options, &handler))
        bench->failed++;
}

static int discard(void *ctx, const char *bytes, size_t len) {
    return write(*(int *)ctx, bytes, len) != (ssize_t)len;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static int measure(struct bench *bench, long runs, long concurrency) {
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    double start = seconds();
    bench->to_start = runs;
    for (long i = 0; i < concurrency; i++) start_one(bench);
    if (gramc_loop_run(bench->loop)) return 1;
    double wall = seconds() - start;
    getrusage(RUSAGE_SELF, &after);
    double cpu = seconds_of(after.ru_utime) + seconds_of(after.ru_stime) -
                 seconds_of(before.ru_utime) - seconds_of(before.ru_stime);
    printf("%ld runs, %ld at once: %.0f runs/s, %.4f ms CPU a run, %.1f MB at most, %ld failed\n",
           runs, concurrency, (double)bench->answered / wall, cpu * 1000 / (double)runs,
           (double)after.ru_maxrss / 1024, bench->failed);
    return bench->failed != 0;
}

static int run(struct bench *bench, const char *url, long runs, long concurrency, int trace) {
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_text question = TEXT("What will the weather be like in Paris?");
    gramc_model *model = NULL;
    int failed = 1;
    endpoint.base_url = text_of(url);
    endpoint.api_key = TEXT("not-a-key");
    bench->options = options;
    bench->options.messages = &question;
    bench->options.message_count = 1;
    if (trace >= 0) bench->options.trace = (gramc_writer){discard, &trace};
    if (!gramc_model_new_endpoint(&model, &endpoint) && !gramc_loop_new(&bench->loop, NULL)) {
        bench->options.model = model;
        failed = measure(bench, runs, concurrency);
    }
    gramc_loop_free(bench->loop);
    gramc_model_free(model);
    return failed;
}

int main(int argc, char **argv) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_bound *bound = NULL;
    int failed = 1;
    if (argc < 4) {
        fputs("bench_agent URL RUNS CONCURRENCY [trace]\n", stderr);
        return 2;
    }
    int trace = argc > 4 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (gramc_compilation_new(&compilation, NULL)) return 1;
    if (!gramc_add_source(compilation, TEXT("bench.gram"), spec_source, sizeof spec_source - 1) &&
        !gramc_compile(&spec, compilation) &&
        !gramc_agent_prepare(compilation, gramc_spec_agent(spec, 0)) &&
        !gramc_bind(&bound, gramc_spec_agent(spec, 0), gramc_spec_library(spec, 0), NULL)) {
        struct bench bench = {.bound = bound};
        failed = run(&bench, argv[1], strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10), trace);
    }
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
    return failed;
}
