/* Prints a tool as Anthropic's Messages API takes it, with a schema that its structured outputs
 * take as it is. */
#include "compiler/emit/target.h"

void emit_anthropic(struct emission *e, const struct tool *tool) {
    buf_putc(e->out, '{');
    emit_text(e->out, "name", emission_name(e));
    emit_text(e->out, "description", tool->public.description);
    emit_key(e->out, "input_schema");
    emission_put_parameters(e, tool);
    buf_putc(e->out, '}');
}
