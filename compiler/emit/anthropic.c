/* Prints a tool as Anthropic's Messages API takes it, with a schema that its structured outputs
 * take as it is. */
#include "compiler/emit/target.h"

void emit_anthropic(struct emission *e, const struct tool *tool) {
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    json_member_some(&e->json, "description", tool->public.description);
    json_key(&e->json, "input_schema");
    emission_put_parameters(e, tool);
    json_object_end(&e->json);
}
