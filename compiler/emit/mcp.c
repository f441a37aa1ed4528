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
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    const struct json *document = schema_document(&arena, tool->signature->result, e->style);
    const struct json *type = json_get(document, "type");
    if (arena.oom) {
        e->out->state = BUF_NOMEM;
    } else if (json_is(type, JSON_STRING) && text_is(type->text, "object")) {
        emit_key(e->out, "outputSchema");
        json_put(e->out, document);
    } else if (e->findings && tool->public.result_kind == GRAMC_RESULT_JSON) {
        FIND(e->findings, D_NO_OUTPUT_SCHEMA, tool->source, tool->name_at, tool->public.name,
             text_of(e->target->name));
    }
    arena_free(&arena);
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
