/* Prints a tool as OpenAI takes it: chat completions (`tools`, the older `functions`, and strict
 * mode) and the Responses API, whose tools are flat. Ollama takes the same form with fewer keywords
 * of JSON Schema. What strict mode makes of a schema is lower.c's. */
#include "compiler/emit/examples.h"
#include "compiler/emit/meta.h"

#include "base/text.h"

/* Gives what emission_put_parameters gives. */
static bool put_function(struct emission *e, const struct tool *tool) {
    json_member_text(&e->json, "name", emission_name(e));
    emission_put_description(e, tool);
    json_key(&e->json, "parameters");
    return emission_put_parameters(e, tool);
}

void emit_openai_functions(struct emission *e, const struct tool *tool) {
    json_object_begin(&e->json);
    put_function(e, tool);
    json_object_end(&e->json);
}

static void begin_tool(struct emission *e) {
    json_object_begin(&e->json);
    json_member_text(&e->json, "type", TEXT("function"));
}

void emit_openai(struct emission *e, const struct tool *tool) {
    begin_tool(e);
    json_member_object(&e->json, "function");
    put_function(e, tool);
    emission_put_meta(e, tool, "openai");
    json_object_end(&e->json);
    json_object_end(&e->json);
}

void emit_ollama(struct emission *e, const struct tool *tool) {
    begin_tool(e);
    json_key(&e->json, "function");
    emit_openai_functions(e, tool);
    json_object_end(&e->json);
}

void emit_openai_strict(struct emission *e, const struct tool *tool) {
    begin_tool(e);
    json_member_object(&e->json, "function");
    bool strict = put_function(e, tool);
    json_member_bool(&e->json, "strict", strict);
    json_object_end(&e->json);
    json_object_end(&e->json);
}

/* `strict` has to be there. */
void emit_openai_responses(struct emission *e, const struct tool *tool) {
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    const struct json *kept = meta_of(&arena, tool, "openai");
    begin_tool(e);
    put_function(e, tool);
    if (!json_get(kept, "strict")) json_member_bool(&e->json, "strict", false);
    meta_put_members(&e->json, kept);
    json_object_end(&e->json);
    if (arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
}
