/* Prints one JSON Schema for a call of any tool, {"name":...,"arguments":...}, for engines that
 * make their own grammar of a schema. The schemas of arguments stand in it as they are, but for
 * what their references lead to. */
#include "compiler/emit/target.h"

#include "base/json/edit.h"
#include "base/text.h"

/* `#/...` becomes what it is in the larger document. */
static void move_references(struct arena *arena, struct json *schema, gramc_text to) {
    struct buf text;
    for (struct json *v = schema->first; v; v = v->next) {
        bool refers = schema->kind == JSON_OBJECT && text_is(v->key, "$ref") &&
                      v->kind == JSON_STRING && text_starts(v->text, "#");
        if (refers) {
            buf_init(&text, &arena->allocator, SOURCE_MAX);
            buf_text(&text, to);
            buf_text(&text, text_slice(v->text, 1, v->text.len));
            v->text = buf_to_arena(&text, arena);
        } else if (v->kind == JSON_OBJECT || v->kind == JSON_ARRAY) {
            move_references(arena, v, to);
        }
    }
}

/* A copy that can be changed; what a schema holds as data is copied too, and has no references. */
static struct json *parameters_at(struct emission *e, const struct tool *tool, size_t index,
                                  struct arena *arena) {
    struct buf text;
    char at[64];
    const struct json *document = emission_document(e, tool, arena);
    if (!document) return NULL;
    buf_init(&text, &arena->allocator, SOURCE_MAX);
    json_put(&text, document);
    gramc_text copy = buf_to_arena(&text, arena);
    struct json *schema = copy.ptr ? json_parse(arena, copy, NULL) : NULL;
    struct buf to;
    buf_init(&to, &arena->allocator, sizeof at);
    buf_printf(&to, "#/anyOf/%zu/properties/arguments", index);
    gramc_text pointer = buf_to_arena(&to, arena);
    if (schema && pointer.ptr) move_references(arena, schema, pointer);
    return schema;
}

static void put_call(struct emission *e, struct json_writer *w, size_t i, size_t index) {
    struct arena arena;
    arena_init(&arena, &e->out->allocator);
    const struct json *parameters = parameters_at(e, e->tools[i], index, &arena);
    if (parameters) {
        json_object_begin(w);
        json_member_text(w, "type", TEXT("object"));
        json_member_some(w, "description", e->tools[i]->public.description);
        json_member_object(w, "properties");
        json_member_object(w, "name");
        json_member_text(w, "const", e->names[i]);
        json_object_end(w);
        json_member_value(w, "arguments", parameters);
        json_object_end(w);
        json_member_raw(w, "required", TEXT("[\"name\",\"arguments\"]"));
        json_member_bool(w, "additionalProperties", false);
        json_object_end(w);
    }
    if (!parameters || arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&arena);
}

void emit_json_schema_call(struct emission *e, const struct agent *agent) {
    struct json_writer w = json_writer(e->out);
    size_t index = 0;
    (void)agent;
    json_object_begin(&w);
    json_member_text(&w, "$schema", TEXT("https://json-schema.org/draft/2020-12/schema"));
    json_member_array(&w, "anyOf");
    for (size_t i = 0; i < e->count; i++) {
        if (!e->tools[i]->signature) continue;
        json_line(&w, 0);
        put_call(e, &w, i, index++);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_putc(e->out, '\n');
}
