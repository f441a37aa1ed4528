/* Prints a tool as Anthropic's Messages API takes it, with a schema that its structured outputs
 * take as it is. */
#include "compiler/emit/examples.h"

void emit_anthropic(struct emission *e, const struct tool *tool) {
    static const struct example_members keys = {"input_schema", "input_examples"};
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    emission_put_with_examples(e, tool, &keys);
    json_object_end(&e->json);
}
