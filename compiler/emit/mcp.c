/* Prints a tool as an MCP server lists it: the schemas as they are, hints as annotations, and the
 * result's schema where every revision of the protocol takes one. */
#include "compiler/emit/target.h"

#include "base/text.h"

static void put_hint(struct buf *out, const char *key, int hint) {
    if (hint < 0) return;
    emit_key(out, key);
    buf_puts(out, hint ? "true" : "false");
}

static void put_annotations(struct buf *out, const struct tool *tool) {
    bool any = tool->read_only >= 0 || tool->destructive >= 0 || tool->idempotent >= 0 ||
               tool->open_world >= 0;
    if (!any) return;
    emit_key(out, "annotations");
    buf_putc(out, '{');
    put_hint(out, "readOnlyHint", tool->read_only);
    put_hint(out, "destructiveHint", tool->destructive);
    put_hint(out, "idempotentHint", tool->idempotent);
    put_hint(out, "openWorldHint", tool->open_world);
    buf_putc(out, '}');
}

/* Older revisions want an object. A text needs no schema, and of nothing there is none. */
static void put_result(struct emission *e, const struct tool *tool) {
    struct buf schema;
    buf_init(&schema, &e->out->allocator, SOURCE_MAX);
    schema_print(&schema, tool->signature->result, e->style);
    if (buf_status(&schema) != GRAMC_OK) {
        e->out->state = schema.state;
    } else if (text_starts(buf_view(&schema), "{\"type\":\"object\"")) {
        emit_key(e->out, "outputSchema");
        buf_text(e->out, buf_view(&schema));
    } else if (e->findings && tool->public.result_kind == GRAMC_RESULT_JSON) {
        FIND(e->findings, D_NO_OUTPUT_SCHEMA, tool->source, tool->name_at, tool->public.name,
             text_of(e->target->name));
    }
    buf_free(&schema);
}

void emit_mcp(struct emission *e, const struct tool *tool) {
    buf_putc(e->out, '{');
    emit_text(e->out, "name", emission_name(e));
    emit_text(e->out, "title", tool->public.title);
    emit_text(e->out, "description", tool->public.description);
    emit_key(e->out, "inputSchema");
    emission_put_parameters(e, tool);
    put_result(e, tool);
    put_annotations(e->out, tool);
    buf_putc(e->out, '}');
}
