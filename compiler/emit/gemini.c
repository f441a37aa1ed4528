/* Prints a tool as a function declaration of Gemini's generateContent, its parameters in the older
 * `parameters` form that every model takes: like OpenAPI 3.0, types in capitals. */
#include "compiler/emit/target.h"

/* A function without parameters has no `parameters`: an object without properties is refused. */
void emit_gemini(struct emission *e, const struct tool *tool) {
    buf_putc(e->out, '{');
    emit_text(e->out, "name", emission_name(e));
    emit_text(e->out, "description", tool->public.description);
    if (tool->signature->parameters || tool->signature->arguments.raw) {
        emit_key(e->out, "parameters");
        emission_put_parameters(e, tool);
    }
    buf_putc(e->out, '}');
}
