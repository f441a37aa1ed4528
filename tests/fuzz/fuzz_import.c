/* Fuzzes the importer: any bytes as tool definitions. What is written, spec and library, must
 * always compile without an error. The first byte chooses whether an agent gets the tools. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gramc/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    char *ptr;
    size_t len;
};

static int append(void *ctx, const char *bytes, size_t len) {
    struct text *text = ctx;
    char *more = realloc(text->ptr, text->len + len + 1);
    if (!more) abort();
    memcpy(more + text->len, bytes, len);
    text->ptr = more;
    text->len += len;
    more[text->len] = '\0';
    return 0;
}

static gramc_compilation *compilation_new(void) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.max_findings = 100;
    if (gramc_compilation_new(&compilation, &options)) abort();
    return compilation;
}

static void must_compile(const struct text *spec, const struct text *library) {
    gramc_compilation *compilation = compilation_new();
    const gramc_spec *meaning;
    gramc_status status = gramc_add_source(compilation, GRAMC_TEXT("spec"), spec->ptr, spec->len);
    if (status == GRAMC_OK)
        status = gramc_add_source(compilation, GRAMC_TEXT("library"), library->ptr, library->len);
    if (status == GRAMC_OK) status = gramc_compile(&meaning, compilation);
    if (status != GRAMC_OK) {
        fputs(spec->ptr, stderr);
        fputs(library->ptr, stderr);
        abort();
    }
    gramc_compilation_free(compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gramc_import_options options = GRAMC_IMPORT_OPTIONS_INIT;
    struct text json = {NULL, 0}, spec = {NULL, 0}, library = {NULL, 0};
    if (size == 0) return 0;
    union {
        const uint8_t *bytes;
        const char *text;
    } input = {data + 1};
    append(&json, input.text, size - 1);
    if (data[0] & 1) options.agent = GRAMC_TEXT("helper");
    options.library = (gramc_writer){append, &library};
    gramc_import_file file = {GRAMC_TEXT("fuzz.json"), json.ptr, json.len};
    gramc_compilation *compilation = compilation_new();
    gramc_status status =
        gramc_import(compilation, &file, 1, &options, (gramc_writer){append, &spec});
    if (status == GRAMC_OK) must_compile(&spec, &library);
    else if (status != GRAMC_FINDINGS) abort();
    gramc_compilation_free(compilation);
    free(json.ptr);
    free(spec.ptr);
    free(library.ptr);
    return 0;
}
