/* Prints what a tool's `meta` keeps for one provider or protocol, under its name: members of the
 * definition that the language has no word for. Only whoever compiles sees them: a run sends what
 * the spec itself says. */
#include "compiler/emit/meta.h"

#include "base/text.h"

/* What the printers say themselves. */
static const char *const said[] = {"name",         "description",    "title",
                                   "type",         "function",       "parameters",
                                   "inputSchema",  "outputSchema",   "annotations",
                                   "input_schema", "input_examples", "parametersJsonSchema"};

static bool is_in(gramc_text key, const char *const *list, size_t count) {
    size_t i = 0;
    while (i < count && !text_is(key, list[i])) i++;
    return i < count;
}

const struct json *meta_of(struct arena *arena, const struct tool *tool, const char *provider) {
    const struct json *meta = tool->meta.len ? json_parse(arena, tool->meta, NULL) : NULL;
    const struct json *kept = json_get(meta, provider);
    return json_is(kept, JSON_OBJECT) ? kept : NULL;
}

static void put_members(struct json_writer *w, const struct json *kept, const char *const *list,
                        size_t count) {
    for (const struct json *m = kept ? kept->first : NULL; m; m = m->next) {
        if (is_in(m->key, list, count)) continue;
        json_key_text(w, m->key);
        json_value(w, m);
    }
}

void meta_put_members(struct json_writer *w, const struct json *kept) {
    put_members(w, kept, said, sizeof said / sizeof *said);
}

void meta_put_hints(struct json_writer *w, const struct json *annotations) {
    static const char *const hints[] = {"readOnlyHint", "destructiveHint", "idempotentHint",
                                        "openWorldHint"};
    put_members(w, annotations, hints, sizeof hints / sizeof *hints);
}

void emission_put_meta(struct emission *e, const struct tool *tool, const char *provider) {
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    meta_put_members(&e->json, meta_of(&arena, tool, provider));
    if (arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
}
