/* Prints a tool as OpenAI takes it: chat completions (`tools`, the older `functions`, and strict
 * mode) and the Responses API, whose tools are flat. Ollama takes the same form with fewer keywords
 * of JSON Schema. What strict mode makes of a schema is lower.c's. */
#include "compiler/emit/target.h"

static void put_function(struct emission *e, const struct tool *tool) {
    emit_text(e->out, "name", emission_name(e));
    emit_text(e->out, "description", tool->public.description);
    emit_key(e->out, "parameters");
}

static void put_strict(struct buf *out, bool strict) {
    emit_key(out, "strict");
    buf_puts(out, strict ? "true" : "false");
}

void emit_openai_functions(struct emission *e, const struct tool *tool) {
    buf_putc(e->out, '{');
    put_function(e, tool);
    emission_put_parameters(e, tool);
    buf_putc(e->out, '}');
}

void emit_openai(struct emission *e, const struct tool *tool) {
    buf_puts(e->out, "{\"type\":\"function\",\"function\":");
    emit_openai_functions(e, tool);
    buf_putc(e->out, '}');
}

void emit_ollama(struct emission *e, const struct tool *tool) {
    emit_openai(e, tool);
}

void emit_openai_strict(struct emission *e, const struct tool *tool) {
    buf_puts(e->out, "{\"type\":\"function\",\"function\":{");
    put_function(e, tool);
    put_strict(e->out, emission_put_parameters(e, tool));
    buf_puts(e->out, "}}");
}

/* `strict` has to be there. */
void emit_openai_responses(struct emission *e, const struct tool *tool) {
    buf_puts(e->out, "{\"type\":\"function\"");
    put_function(e, tool);
    emission_put_parameters(e, tool);
    put_strict(e->out, false);
    buf_putc(e->out, '}');
}
