/* Fuzzes libraries with their configuration and the files that they name. Parts of an input are
 * separated by NUL: a configuration, an agent with libraries, and the text of every file that those
 * name. Without errors each library is bound to each agent, or refused with a message; nothing is
 * started. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gramc/compile.h"
#include "gramc/runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition) {
    if (!condition) abort();
}

static gramc_text take_part(gramc_text *left) {
    const char *end = left->len ? memchr(left->ptr, '\0', left->len) : NULL;
    size_t len = end ? (size_t)(end - left->ptr) : left->len;
    gramc_text part = text_slice(*left, 0, len);
    *left = text_slice(*left, len + (end != NULL), left->len);
    return part;
}

static int read_file(void *ctx, gramc_text path, gramc_text *out) {
    const gramc_text *file = ctx;
    *out = *file;
    return path.len && file->len ? 0 : GRAMC_NOT_FOUND;
}

static int swallow(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    demand(bytes != NULL || len == 0);
    return 0;
}

/* A plugin is code: it is not looked into. */
static bool has_plugin(const gramc_library *library) {
    for (size_t i = 0; i < library->impl_count; i++)
        if (library->impls[i].kind == GRAMC_IMPL_PLUGIN) return true;
    return false;
}

static void bind_to(const gramc_agent *agent, const gramc_library *library,
                    const gramc_reader *reader, const gramc_builtins *builtins) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bind_message message;
    gramc_bound *bound;
    options.reader = *reader;
    options.builtins = builtins;
    options.path = GRAMC_TEXT("/bin");
    gramc_status status = gramc_bind(&bound, agent, library, &options);
    demand(status == GRAMC_OK ||
           (status == GRAMC_FINDINGS && gramc_bound_message(bound, 0, &message)));
    gramc_bound_free(bound);
}

static void bind_all(gramc_compilation *compilation, const gramc_spec *spec,
                     const gramc_reader *reader) {
    gramc_builtins *builtins;
    demand(gramc_builtins_new(&builtins, NULL) == GRAMC_OK);
    for (size_t a = 0; a < gramc_spec_agent_count(spec); a++) {
        const gramc_agent *agent = gramc_spec_agent(spec, a);
        if (gramc_agent_prepare(compilation, agent)) continue;
        for (size_t l = 0; l < gramc_spec_library_count(spec); l++)
            if (!has_plugin(gramc_spec_library(spec, l)))
                bind_to(agent, gramc_spec_library(spec, l), reader, builtins);
    }
    gramc_builtins_free(builtins);
}

/* With a NUL behind each. */
struct parts {
    gramc_text config, source, file;
};

static void compile(const struct parts *parts, bool as_check) {
    struct parts own = *parts;
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec = NULL;
    options.reader = (gramc_reader){read_file, &own.file};
    demand(gramc_compilation_new(&compilation, &options) == GRAMC_OK);
    gramc_status status =
        gramc_add_configuration(compilation, TEXT("gramc.gram"), own.config.ptr, own.config.len);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS || status == GRAMC_LIMIT);
    status = gramc_add_source(compilation, TEXT("x.gram"), own.source.ptr, own.source.len);
    if (!status || status == GRAMC_FINDINGS)
        status = as_check ? gramc_compile_each(compilation) : gramc_compile(&spec, compilation);
    demand(status == GRAMC_OK || status == GRAMC_FINDINGS || status == GRAMC_LIMIT);
    demand(!gramc_findings_print(compilation, GRAMC_REPORT_TEXT, (gramc_writer){swallow, NULL}));
    if (status == GRAMC_OK && spec) bind_all(compilation, spec, &options.reader);
    gramc_compilation_free(compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = malloc(size + 1);
    demand(copy != NULL);
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    gramc_text left = {copy, size};
    struct parts parts;
    parts.config = take_part(&left);
    parts.source = take_part(&left);
    parts.file = left;
    compile(&parts, true);
    compile(&parts, false);
    free(copy);
    return 0;
}
