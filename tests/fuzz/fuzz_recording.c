/* Fuzzes the recordings that tools of the kind `replay` answer from: any bytes as the file. It is
 * bound or refused with a message, and a call that was bound has an end. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "gramc/compile.h"
#include "gramc/runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

/* The calls that the corpus holds, one after the other. */
static void call(const gramc_bound *bound) {
    static const char *const arguments[] = {"{\"n\":1}", "{\"n\":1}", "{\"n\":2}", "{}"};
    gramc_loop *loop;
    demand(gramc_loop_new(&loop, NULL) == GRAMC_OK);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        gramc_call_outcome outcome;
        struct buf text;
        buf_init(&text, NULL, 1 << 24);
        demand(gramc_call(&outcome, loop, bound, GRAMC_TEXT("t"),
                          (gramc_text){arguments[i], strlen(arguments[i])},
                          buf_writer(&text)) == GRAMC_OK);
        demand(outcome == GRAMC_CALL_FINE || outcome == GRAMC_CALL_TOOL_ERROR ||
               outcome == GRAMC_CALL_BAD_RESULT || outcome == GRAMC_CALL_BAD_ARGUMENTS);
        buf_free(&text);
    }
    gramc_loop_free(loop);
}

static void bind_to(const char *path) {
    char program[200];
    gramc_compilation *compilation;
    const gramc_spec *spec;
    gramc_bound *bound;
    gramc_bind_message message;
    int len = snprintf(program, sizeof program,
                       "[l:ToolLibrary {description: \"d\"} | [t:ToolImpl {replay: \"%s\"} |"
                       " (n::Int {optional: true})==>(::Any)]]",
                       path);
    demand(gramc_compilation_new(&compilation, NULL) == GRAMC_OK);
    demand(gramc_add_source(compilation, GRAMC_TEXT("l"), program, (size_t)len) == GRAMC_OK);
    demand(gramc_compile(&spec, compilation) == GRAMC_OK);
    gramc_status status =
        gramc_bind_tool(&bound, gramc_spec_library(spec, 0), GRAMC_TEXT("t"), NULL);
    demand(status == GRAMC_OK ||
           (status == GRAMC_FINDINGS && gramc_bound_message(bound, 0, &message)));
    if (status == GRAMC_OK) call(bound);
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/gramc-recording-XXXXXX";
    int file = mkstemp(path);
    demand(file >= 0 && write(file, data, size) == (ssize_t)size && !close(file));
    bind_to(path);
    demand(!unlink(path));
    return 0;
}
