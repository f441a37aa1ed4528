/* Prints one JSON Schema for a call of any tool, {"name":...,"arguments":...}, for engines that
 * make their own grammar of a schema. The named types of all tools stand in one `$defs`, where
 * those engines look for them: some follow no other reference. */
#include "compiler/emit/target.h"

#include "base/json/edit.h"
#include "base/text.h"

struct calls {
    struct emission *e;
    struct arena arena;
    struct json *definitions; /* of all tools, as references name them */
};

/* One tool's schema on its way into the larger document. */
struct moved {
    struct arena *arena;
    size_t index;    /* among the alternatives */
    unsigned number; /* behind the names of its types: 1 is none */
};

static gramc_text moved_name(const struct moved *m, gramc_text name) {
    struct buf text;
    if (m->number == 1) return name;
    buf_init(&text, &m->arena->allocator, SOURCE_MAX);
    buf_printf(&text, "%.*s-%u", TEXT_ARGS(name), m->number);
    return buf_to_arena(&text, m->arena);
}

/* `#/$defs/Name...` keeps its form; what leads elsewhere follows the arguments. */
static gramc_text moved_reference(const struct moved *m, gramc_text reference) {
    const gramc_text prefix = TEXT("#/$defs/");
    struct buf text;
    size_t at = prefix.len;
    buf_init(&text, &m->arena->allocator, SOURCE_MAX);
    if (text_starts(reference, "#/$defs/")) {
        while (at < reference.len && reference.ptr[at] != '/') at++;
        buf_text(&text, prefix);
        buf_text(&text, moved_name(m, text_slice(reference, prefix.len, at)));
    } else {
        at = 1;
        buf_printf(&text, "#/anyOf/%zu/properties/arguments", m->index);
    }
    buf_text(&text, text_slice(reference, at, reference.len));
    return buf_to_arena(&text, m->arena);
}

static void move_references(const struct moved *m, struct json *schema) {
    for (struct json *v = schema->first; v; v = v->next) {
        bool refers = schema->kind == JSON_OBJECT && text_is(v->key, "$ref") &&
                      v->kind == JSON_STRING && text_starts(v->text, "#");
        if (refers) v->text = moved_reference(m, v->text);
        else if (v->kind == JSON_OBJECT || v->kind == JSON_ARRAY) move_references(m, v);
    }
}

/* A copy that can be changed; what a schema holds as data is copied too, and has no references. */
static struct json *parameters_of(struct calls *calls, const struct tool *tool,
                                  const struct moved *m) {
    struct buf text;
    const struct json *document = emission_document(calls->e, tool, m->arena);
    if (!document) return NULL;
    buf_init(&text, &m->arena->allocator, SOURCE_MAX);
    json_put(&text, document);
    gramc_text copy = buf_to_arena(&text, m->arena);
    struct json *schema = copy.ptr ? json_parse(m->arena, copy, NULL) : NULL;
    if (schema) move_references(m, schema);
    return schema;
}

/* True if no name of its types means something else already. */
static bool names_are_free(const struct calls *calls, const struct json *own,
                           const struct moved *m) {
    for (const struct json *d = own ? own->first : NULL; d; d = d->next) {
        const struct json *other = json_get_text(calls->definitions, moved_name(m, d->key));
        if (other && !json_equal(other, d)) return false;
    }
    return true;
}

static void take_definitions(struct calls *calls, struct json *schema, const struct moved *m) {
    struct json *own = json_find(schema, "$defs");
    for (struct json *d = own ? own->first : NULL, *next; d; d = next) {
        next = d->next;
        gramc_text name = moved_name(m, d->key);
        if (!json_get_text(calls->definitions, name)) json_set(calls->definitions, name, d);
    }
    json_remove(schema, "$defs");
}

/* Types of one name that are not the same in two tools get numbers. */
static const struct json *parameters_at(struct calls *calls, const struct tool *tool,
                                        size_t index) {
    struct moved m = {&calls->arena, index, 1};
    struct json *schema = parameters_of(calls, tool, &m);
    while (schema && !names_are_free(calls, json_find(schema, "$defs"), &m)) {
        m.number++;
        schema = parameters_of(calls, tool, &m);
    }
    if (schema) take_definitions(calls, schema, &m);
    return schema;
}

static void put_call(struct calls *calls, struct json_writer *w, size_t i, size_t index) {
    const struct emission *e = calls->e;
    const struct json *parameters = parameters_at(calls, e->tools[i], index);
    if (!parameters) {
        calls->arena.oom = true;
        return;
    }
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

void emit_json_schema_call(struct emission *e, const struct agent *agent) {
    struct json_writer w = json_writer(e->out);
    struct calls calls = {.e = e};
    size_t index = 0;
    (void)agent;
    arena_init(&calls.arena, &e->out->allocator);
    calls.definitions = json_new(&calls.arena, JSON_OBJECT);
    json_object_begin(&w);
    json_member_text(&w, "$schema", TEXT("https://json-schema.org/draft/2020-12/schema"));
    json_member_array(&w, "anyOf");
    for (size_t i = 0; i < e->count && !calls.arena.oom; i++) {
        if (!e->tools[i]->signature) continue;
        json_line(&w, 0);
        put_call(&calls, &w, i, index++);
    }
    json_array_end(&w);
    if (calls.definitions && calls.definitions->first)
        json_member_value(&w, "$defs", calls.definitions);
    json_object_end(&w);
    buf_putc(e->out, '\n');
    if (calls.arena.oom) e->out->state = BUF_NOMEM;
    arena_free(&calls.arena);
}
