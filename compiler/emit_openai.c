/* Prints a tool as OpenAI's chat completions take it: in the `tools` array, and in the older
 * `functions` array. */
#include "compiler/spec.h"

static void put_function(struct buf *out, const struct tool *tool, unsigned style) {
    buf_puts(out, "{\"name\":");
    json_put_string(out, tool->public.name);
    if (tool->public.description.len) {
        buf_puts(out, ",\"description\":");
        json_put_string(out, tool->public.description);
    }
    buf_puts(out, ",\"parameters\":");
    schema_print_object(out, tool->signature->parameters, style);
    buf_putc(out, '}');
}

void emit_openai(struct buf *out, const struct tool *tool, unsigned style) {
    buf_puts(out, "{\"type\":\"function\",\"function\":");
    put_function(out, tool, style);
    buf_putc(out, '}');
}

void emit_openai_functions(struct buf *out, const struct tool *tool, unsigned style) {
    put_function(out, tool, style);
}
