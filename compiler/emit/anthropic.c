/* Prints a tool as Anthropic's Messages API takes it, with a schema that its structured outputs
 * take as it is. */
#include "compiler/emit/examples.h"
#include "compiler/emit/meta.h"

/* Calls that do not fit what the spec says of its arguments are no examples of its own. */
static void put_meta(struct emission *e, const struct tool *tool) {
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    const struct json *kept = meta_of(&arena, tool, "anthropic");
    const struct json *calls = tool->public.examples.len ? NULL : json_get(kept, "input_examples");
    if (calls) json_member_value(&e->json, "input_examples", calls);
    meta_put_members(&e->json, kept);
    if (arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
}

void emit_anthropic(struct emission *e, const struct tool *tool) {
    static const struct example_members keys = {"input_schema", "input_examples"};
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    emission_put_with_examples(e, tool, &keys);
    put_meta(e, tool);
    json_object_end(&e->json);
}
