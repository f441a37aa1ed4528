/* A program that keeps its HTTP tools in a database and fills in templates by an engine of its own:
 *
 *     toolstore DB load FILE             puts the tools of a toolbox file (YAML) into it
 *     toolstore DB list [UPSTREAM]       one line a tool
 *     toolstore DB remove UPSTREAM TOOL
 *     toolstore DB call LIBRARY TOOL ARGUMENTS
 *
 * LIBRARY is gram: [tools:ToolLibrary | [crm:HttpToolBox {store: "crm", url: "https://..."}]]. Only
 * the public headers are used. */
#include <gramc/compile.h>
#include <gramc/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mustache.h"
#include "sqlite_store.h"

static gramc_text text(const char *string) {
    return (gramc_text){string, strlen(string)};
}

static int say(const char *what, const char *why) {
    fprintf(stderr, "toolstore: %s%s%s\n", what, why[0] ? ": " : "", why);
    return 1;
}

/* With the NUL behind it that sources need. NULL after a message. */
static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t size = 0, got = 1;
    *len = 0;
    while (file && got) {
        char *more = realloc(bytes, size += 65536);
        if (!more) break;
        bytes = more;
        got = fread(bytes + *len, 1, size - *len - 1, file);
        *len += got;
        bytes[*len] = '\0';
    }
    if (!file || got) say(path, "cannot be read");
    if (file) fclose(file);
    if (file && !got) return bytes;
    free(bytes);
    return NULL;
}

static int print(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    return fwrite(bytes, 1, len, stdout) == len ? 0 : 1;
}

/* ## The commands */

static int load(const gramc_toolbox_host *host, const char *path) {
    char why[256] = "";
    size_t len, replaced;
    char *bytes = read_file(path, &len);
    if (!bytes) return 1;
    const gramc_text file = {bytes, len};
    gramc_status status = gramc_toolstore_load(host, text(path), file, &replaced, why, NULL);
    free(bytes);
    if (status != GRAMC_OK) return say("nothing was loaded", why);
    printf("%zu replaced\n", replaced);
    return 0;
}

static gramc_status list_tool(void *ctx, const gramc_stored_tool *tool) {
    (void)ctx;
    printf("%.*s %.*s\n", (int)tool->upstream.len, tool->upstream.ptr, (int)tool->name.len,
           tool->name.ptr);
    return GRAMC_OK;
}

static int list(const gramc_toolbox_host *host, const char *upstream) {
    const gramc_tool_taker taker = {list_tool, NULL};
    char why[256] = "";
    gramc_status status = host->store->each(host->store->ctx, text(upstream), taker, why);
    return status == GRAMC_OK ? 0 : say("the store cannot be read", why);
}

static int take_out(const gramc_toolbox_host *host, const char *upstream, const char *tool) {
    char why[256] = "";
    gramc_status status = host->store->remove(host->store->ctx, text(upstream), text(tool), why);
    return status == GRAMC_OK ? 0 : say("there is no such tool", why);
}

static int call_bound(const gramc_bound *bound, const char *tool, const char *arguments) {
    const gramc_writer out = {print, NULL};
    gramc_call_outcome outcome = GRAMC_CALL_TOOL_ERROR;
    gramc_loop *loop;
    if (gramc_loop_new(&loop, NULL)) return say("no memory", "");
    gramc_status status = gramc_call(&outcome, loop, bound, text(tool), text(arguments), out);
    gramc_loop_free(loop);
    putchar('\n');
    return status == GRAMC_OK && outcome == GRAMC_CALL_FINE ? 0 : 1;
}

static int bind_and_call(const gramc_toolbox_host *host, const gramc_library *library,
                         const char *tool, const char *arguments) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bind_message message;
    gramc_bound *bound = NULL;
    int code = 1;
    options.toolboxes = host;
    gramc_status status = gramc_bind_tool(&bound, library, text(tool), &options);
    for (size_t i = 0; bound && gramc_bound_message(bound, i, &message); i++)
        fprintf(stderr, "toolstore: %.*s\n", (int)message.message.len, message.message.ptr);
    if (status == GRAMC_OK) code = call_bound(bound, tool, arguments);
    gramc_bound_free(bound);
    return code;
}

static int call(const gramc_toolbox_host *host, char **words) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    size_t len;
    char *bytes = read_file(words[0], &len);
    if (!bytes) return 1;
    int code = 1;
    if (gramc_compilation_new(&compilation, NULL)) return say("no memory", "");
    gramc_status status = gramc_add_source(compilation, text(words[0]), bytes, len);
    if (status == GRAMC_OK) status = gramc_compile(&spec, compilation);
    if (status != GRAMC_OK || gramc_spec_library_count(spec) != 1)
        say(words[0], "holds no library, or several, or has errors");
    else code = bind_and_call(host, gramc_spec_library(spec, 0), words[1], words[2]);
    gramc_compilation_free(compilation);
    free(bytes);
    return code;
}

static int obey(const gramc_toolbox_host *host, int count, char **words) {
    if (count == 2 && !strcmp(words[0], "load")) return load(host, words[1]);
    if (count >= 1 && count <= 2 && !strcmp(words[0], "list"))
        return list(host, count == 2 ? words[1] : "");
    if (count == 3 && !strcmp(words[0], "remove")) return take_out(host, words[1], words[2]);
    if (count == 4 && !strcmp(words[0], "call")) return call(host, words + 1);
    return say("load FILE, list [UPSTREAM], remove UPSTREAM TOOL, call LIBRARY TOOL ARGUMENTS", "");
}

int main(int argc, char **argv) {
    char why[256] = "";
    gramc_toolstore store;
    if (argc < 3) return say("name a database and what to do", "");
    if (sqlite_store_open(&store, argv[1], why)) return say(argv[1], why);
    const gramc_toolbox_host host = {.store = &store, .engines = &mustache, .engine_count = 1};
    int code = obey(&host, argc - 2, argv + 2);
    sqlite_store_close(&store);
    return code;
}
