/* How fast a spec becomes printed schemas: 10 MB of agents with tools, from text to the `tools`
 * array of all of them, several times; prints the best, and the memory beside the source. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/pages.h"
#include "base/text.h"
#include "bench/spec_text.h"
#include "gramc/compile.h"

enum { ROUNDS = 7 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The allocator of gramc itself, watched. */
struct meter {
    gramc_allocator pages;
    size_t live, peak;
};

static void *metered(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct meter *meter = ctx;
    meter->live += new_size - (ptr ? old_size : 0);
    if (meter->live > meter->peak) meter->peak = meter->live;
    return meter->pages.alloc(NULL, ptr, old_size, new_size);
}

static int count(void *ctx, const char *bytes, size_t len) {
    size_t *written = ctx;
    (void)bytes;
    *written += len;
    return 0;
}

static size_t compile(gramc_text text, const gramc_allocator *allocator, size_t *tools) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec;
    size_t written = 0;
    options.allocator = allocator;
    options.forget_trees = true;
    if (gramc_compilation_new(&compilation, &options) ||
        gramc_add_source(compilation, TEXT("bench"), text.ptr, text.len) ||
        gramc_compile(&spec, compilation) ||
        gramc_emit(spec, NULL, TEXT("openai"), (gramc_writer){count, &written}))
        exit(1);
    *tools = gramc_spec_tool_count(spec);
    gramc_compilation_free(compilation);
    return written;
}

int main(void) {
    struct buf text;
    struct meter meter = {pages_allocator(), 0, 0};
    const gramc_allocator allocator = {metered, &meter};
    double best = 1e9;
    size_t written = 0, tools = 0;
    spec_text(&text, 10000000);
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        written = compile(buf_view(&text), &allocator, &tools);
        double time = seconds() - start;
        if (time < best) best = time;
    }
    double size = (double)text.len;
    printf(
        "compile: %.0f MB/s from text to schemas, %.2f us a tool (%zu tools, %.1f MB out), memory "
        "%.2f times the source, source included\n",
        size / best / 1e6, best * 1e6 / (double)tools, tools, (double)written / 1e6,
        1 + (double)meter.peak / size);
    buf_free(&text);
    return 0;
}
