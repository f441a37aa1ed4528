/* Prints a tool as an MCP server lists it: the schemas as they are, hints as annotations, and the
 * result's schema where every revision of the protocol takes one. */
#include "compiler/emit/examples.h"
#include "compiler/emit/meta.h"

#include "base/text.h"

static void put_hint(struct json_writer *w, const char *key, int hint) {
    if (hint >= 0) json_member_bool(w, key, hint);
}

static void put_annotations(struct json_writer *w, const struct tool *tool,
                            const struct json *kept) {
    const struct json *more = json_get(kept, "annotations");
    bool any = tool->read_only >= 0 || tool->destructive >= 0 || tool->idempotent >= 0 ||
               tool->open_world >= 0 || json_is(more, JSON_OBJECT);
    if (!any) return;
    json_member_object(w, "annotations");
    put_hint(w, "readOnlyHint", tool->read_only);
    put_hint(w, "destructiveHint", tool->destructive);
    put_hint(w, "idempotentHint", tool->idempotent);
    put_hint(w, "openWorldHint", tool->open_world);
    if (json_is(more, JSON_OBJECT)) meta_put_hints(w, more);
    json_object_end(w);
}

static void put_around(struct emission *e, const struct tool *tool) {
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    const struct json *kept = meta_of(&arena, tool, "mcp");
    put_annotations(&e->json, tool, kept);
    meta_put_members(&e->json, kept);
    if (arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
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
        json_member_value(&e->json, "outputSchema", document);
    } else if (e->findings && tool->public.result_kind == GRAMC_RESULT_JSON) {
        FIND(e->findings, D_NO_OUTPUT_SCHEMA, tool->source, tool->name_at, tool->public.name,
             text_of(e->target->name));
    }
    arena_free(&arena);
}

void emit_mcp(struct emission *e, const struct tool *tool) {
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    json_member_some(&e->json, "title", tool->public.title);
    emission_put_description(e, tool);
    json_key(&e->json, "inputSchema");
    emission_put_parameters(e, tool);
    put_result(e, tool);
    put_around(e, tool);
    json_object_end(&e->json);
}
