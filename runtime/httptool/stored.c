/* Asks the host's store for the tools of one upstream and puts them together to what a toolbox file
 * says, so that one reader reads both. A tool has a line to itself, behind that of the upstream: so
 * messages name the tool by its line. What is no JSON object could end the document in the middle
 * and is not let in. */
#include "runtime/httptool/stored.h"

#include <stdio.h>

#include "base/json/writer.h"
#include "base/limits.h"
#include "base/text.h"

struct store_gathering {
    struct buf text;
    struct json_writer writer;
    struct arena *arena;
    gramc_text url;
    size_t count;
    char *why;
};

/* Printed anew, in one line. False: it is none. */
static bool put_object(struct store_gathering *g, gramc_text definition) {
    struct arena scratch;
    arena_init(&scratch, &g->arena->allocator);
    const struct json *json = json_parse(&scratch, definition, NULL);
    bool is_object = json && json->kind == JSON_OBJECT;
    if (is_object) json_line(&g->writer, 0);
    if (is_object) json_value(&g->writer, json);
    if (scratch.oom) g->arena->oom = true;
    arena_free(&scratch);
    return is_object;
}

static gramc_status take(void *ctx, const gramc_stored_tool *tool) {
    struct store_gathering *g = ctx;
    if (!put_object(g, tool->definition)) {
        snprintf(g->why, 256, "what its store says of the tool `%.*s` is no JSON object",
                 tool->name.len < 150 ? (int)tool->name.len : 150, tool->name.ptr);
        return g->arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    }
    if (tool->url.len) g->url = arena_text(g->arena, tool->url);
    g->count++;
    return g->arena->oom ? GRAMC_NOMEM : buf_status(&g->text);
}

static gramc_status ask_store(struct store_gathering *g, const gramc_toolstore *store,
                              gramc_text upstream) {
    const gramc_tool_taker taker = {take, g};
    char why[256] = "";
    json_object_begin(&g->writer);
    json_key_text(&g->writer, upstream);
    json_object_begin(&g->writer);
    json_member_array(&g->writer, "tools");
    gramc_status status = store->each(store->ctx, upstream, taker, why);
    json_array_end(&g->writer);
    if (g->url.len) json_member_text(&g->writer, "url", g->url);
    json_object_end(&g->writer);
    json_object_end(&g->writer);
    if (status == GRAMC_NOMEM || g->arena->oom) return GRAMC_NOMEM;
    why[255] = '\0';
    if (status != GRAMC_OK && !g->why[0])
        snprintf(g->why, 256, "its store cannot be read%s%.200s", why[0] ? ": " : "", why);
    if (status == GRAMC_OK && !g->count)
        snprintf(g->why, 256, "its store has no tools of `%.*s`",
                 upstream.len < 150 ? (int)upstream.len : 150, upstream.ptr);
    return g->why[0] ? GRAMC_IO : buf_status(&g->text);
}

gramc_status store_document(gramc_text *out, struct arena *arena, const gramc_toolbox_host *host,
                            gramc_text upstream, char why[256]) {
    struct store_gathering g = {.arena = arena, .why = why};
    why[0] = '\0';
    if (!host || !host->store) {
        snprintf(why, 256, "its tools stand in a store, and this program has none");
        return GRAMC_IO;
    }
    buf_init(&g.text, &arena->allocator, SOURCE_MAX);
    g.writer = json_writer(&g.text);
    gramc_status status = ask_store(&g, host->store, upstream);
    if (status == GRAMC_OK) *out = buf_to_arena(&g.text, arena);
    if (status == GRAMC_OK && !out->ptr) status = GRAMC_NOMEM;
    if (status != GRAMC_OK) buf_free(&g.text);
    return status;
}

gramc_text store_name(struct arena *arena, gramc_text upstream) {
    struct buf name;
    buf_init(&name, &arena->allocator, SOURCE_MAX);
    buf_puts(&name, "store ");
    buf_text(&name, upstream);
    return buf_to_arena(&name, arena);
}
