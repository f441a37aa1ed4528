/* Fuzzes JOLT: the input is a chain, a line end, a document. What compiles ends, within its
 * budgets, and gives JSON. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "gramc/jolt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static void apply(const gramc_jolt *jolt, gramc_text document) {
    struct buf out;
    struct arena arena;
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    options.max_values = 20000;
    options.context = TEXT("{\"a\":[1,{\"b\":\"c\"}]}");
    buf_init(&out, NULL, 1 << 24);
    gramc_status status = gramc_jolt_apply(jolt, document, &options, buf_writer(&out), NULL);
    demand(status == GRAMC_OK || status == GRAMC_LIMIT || status == GRAMC_FINDINGS);
    arena_init(&arena, NULL);
    if (status == GRAMC_OK) demand(json_parse(&arena, buf_view(&out), NULL) != NULL);
    arena_free(&arena);
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *bytes = (const char *)data, *line = size ? memchr(bytes, '\n', size) : NULL;
    gramc_jolt *jolt;
    gramc_json_error error;
    if (!line) return 0;
    gramc_text spec = {bytes, (size_t)(line - bytes)};
    gramc_text document = {line + 1, size - spec.len - 1};
    gramc_status status = gramc_jolt_compile(&jolt, spec, NULL, &error);
    demand((status == GRAMC_OK) == (jolt != NULL));
    demand(status == GRAMC_OK || error.message[0]);
    demand(error.position <= spec.len);
    if (jolt) apply(jolt, document);
    gramc_jolt_free(jolt);
    return 0;
}
