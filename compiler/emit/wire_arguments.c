/* Names of parameters, there and back: a schema with the names that a target's provider takes, and
 * the arguments that a model wrote with those names as the tool's own schema has them. Each object
 * is renamed by itself, as lower_objects.c does where targets are printed. */
#include "compiler/emit/target.h"
#include "jsonschema/keywords.h"

#include "base/text.h"

#include <string.h>

enum { MOST_VIEWS = 64, DEEPEST_VIEW = 16, TEXT_MAX = INT32_MAX };

struct renaming {
    struct arena arena;
    enum name_rule rule;
    const struct json *root; /* the tool's own schema */
    bool there;              /* to the names of the wire, not back from them */
};

static enum name_rule rule_of(const struct target *target) {
    switch (target->dialect) {
    case DIALECT_GEMINI: return NAMES_GEMINI_PARAMETER;
    case DIALECT_ANTHROPIC: return NAMES_ANTHROPIC_PARAMETER;
    case DIALECT_PLAIN:
    case DIALECT_STRICT:
    case DIALECT_OLLAMA:
    case DIALECTS: return NAMES_ANY;
    }
    return NAMES_ANY;
}

gramc_status gramc_target_wire_names(gramc_text name, gramc_name_kind kind, const gramc_text *names,
                                     size_t count, char (*wire)[GRAMC_WIRE_NAME_SIZE],
                                     const gramc_allocator *allocator) {
    const struct target *target = target_find(name);
    gramc_status status = GRAMC_OK;
    struct arena arena;
    if (!target) return GRAMC_USAGE;
    arena_init(&arena, allocator);
    enum name_rule rule = kind == GRAMC_NAME_TOOL ? target->names : rule_of(target);
    gramc_text *made = arena_array(&arena, count + 1, sizeof *made);
    if (!made || !wire_names_make(&arena, rule, names, count, made)) status = GRAMC_NOMEM;
    for (size_t i = 0; i < count && status == GRAMC_OK; i++) {
        if (made[i].len >= GRAMC_WIRE_NAME_SIZE) status = GRAMC_LIMIT;
        else {
            if (made[i].len) memcpy(wire[i], made[i].ptr, made[i].len);
            wire[i][made[i].len] = '\0';
        }
    }
    arena_free(&arena);
    return status;
}

/* ## There */

/* The names of an object's properties and what they become, in order; NULL without memory. */
static gramc_text *wire_of(struct renaming *r, const struct json *properties) {
    gramc_text *names = arena_array(&r->arena, properties->count + 1, sizeof *names);
    gramc_text *wire = names ? arena_array(&r->arena, properties->count + 1, sizeof *wire) : NULL;
    size_t i = 0;
    if (!wire) return NULL;
    for (const struct json *p = properties->first; p; p = p->next) names[i++] = p->key;
    return wire_names_make(&r->arena, r->rule, names, i, wire) ? wire : NULL;
}

static void put_required(struct buf *out, const struct json *list, const struct json *properties,
                         const gramc_text *wire) {
    buf_putc(out, '[');
    for (const struct json *v = list->first; v; v = v->next) {
        size_t i = 0;
        const struct json *p = properties->first;
        for (; p && !(v->kind == JSON_STRING && text_eq(p->key, v->text)); p = p->next) i++;
        if (v != list->first) buf_putc(out, ',');
        if (p) json_put_string(out, wire[i]);
        else json_put(out, v);
    }
    buf_putc(out, ']');
}

static void put_schema(struct renaming *r, struct buf *out, const struct json *schema);

static void put_properties(struct renaming *r, struct buf *out, const struct json *properties,
                           const gramc_text *wire) {
    size_t i = 0;
    buf_putc(out, '{');
    for (const struct json *p = properties->first; p; p = p->next, i++) {
        if (i) buf_putc(out, ',');
        json_put_string(out, wire[i]);
        buf_putc(out, ':');
        put_schema(r, out, p);
    }
    buf_putc(out, '}');
}

static void put_schemas(struct renaming *r, struct buf *out, const struct json *holder) {
    bool list = holder->kind == JSON_ARRAY;
    buf_putc(out, list ? '[' : '{');
    for (const struct json *m = holder->first; m; m = m->next) {
        if (m != holder->first) buf_putc(out, ',');
        if (!list) {
            json_put_string(out, m->key);
            buf_putc(out, ':');
        }
        put_schema(r, out, m);
    }
    buf_putc(out, list ? ']' : '}');
}

static void put_member(struct renaming *r, struct buf *out, const struct json *member,
                       const struct json *properties, const gramc_text *wire) {
    enum keyword_content content = keyword_content(member);
    bool required = text_is(member->key, "required") && member->kind == JSON_ARRAY && wire;
    json_put_string(out, member->key);
    buf_putc(out, ':');
    if (member == properties) put_properties(r, out, properties, wire);
    else if (required) put_required(out, member, properties, wire);
    else if (content == CONTENT_SCHEMA) put_schema(r, out, member);
    else if (content == CONTENT_SCHEMAS) put_schemas(r, out, member);
    else json_put(out, member);
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void put_schema(struct renaming *r, struct buf *out, const struct json *schema) {
    const struct json *properties = json_get(schema, "properties");
    const gramc_text *wire = json_is(properties, JSON_OBJECT) ? wire_of(r, properties) : NULL;
    if (!wire) properties = NULL;
    if (schema->kind != JSON_OBJECT) {
        json_put(out, schema);
        return;
    }
    buf_putc(out, '{');
    for (const struct json *m = schema->first; m; m = m->next) {
        if (m != schema->first) buf_putc(out, ',');
        put_member(r, out, m, properties, wire);
    }
    buf_putc(out, '}');
}

/* ## And back */

/* All schemas that speak of one place: what is referred to, and the members of unions. */
struct views {
    const struct json *list[MOST_VIEWS];
    size_t count;
};

/* Recursion is bounded by DEEPEST_VIEW. */
static void add_view(const struct renaming *r, struct views *views, const struct json *schema,
                     unsigned depth) {
    static const char *const unions[] = {"anyOf", "oneOf", "allOf"};
    const struct json *reference = json_get(schema, "$ref");
    if (!json_is(schema, JSON_OBJECT) || depth == DEEPEST_VIEW || views->count == MOST_VIEWS)
        return;
    views->list[views->count++] = schema;
    if (json_is(reference, JSON_STRING) && text_starts(reference->text, "#"))
        add_view(r, views, json_at(r->root, text_slice(reference->text, 1, reference->text.len)),
                 depth + 1);
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++) {
        const struct json *list = json_get(schema, unions[i]);
        for (const struct json *m = json_is(list, JSON_ARRAY) ? list->first : NULL; m; m = m->next)
            add_view(r, views, m, depth + 1);
    }
}

/* Finds what a name on the wire was, or what a name becomes there, and adds to `inner` what is said
 * about its value. */
static gramc_text find_name(struct renaming *r, const struct views *views, gramc_text name,
                            struct views *inner) {
    gramc_text found = name;
    bool known = false;
    for (size_t i = 0; i < views->count; i++) {
        const struct json *properties = json_get(views->list[i], "properties");
        const gramc_text *wire = json_is(properties, JSON_OBJECT) ? wire_of(r, properties) : NULL;
        size_t n = 0;
        for (const struct json *p = wire ? properties->first : NULL; p; p = p->next, n++) {
            if (!text_eq(r->there ? p->key : wire[n], name)) continue;
            if (!known) found = r->there ? wire[n] : p->key;
            known = true;
            add_view(r, inner, p, 0);
        }
    }
    for (size_t i = 0; i < views->count && !known; i++)
        add_view(r, inner, json_get(views->list[i], "additionalProperties"), 0);
    return found;
}

static void add_items(struct renaming *r, const struct views *views, size_t index,
                      struct views *inner) {
    for (size_t i = 0; i < views->count; i++) {
        const struct json *tuple = json_get(views->list[i], "prefixItems");
        const struct json *item = json_is(tuple, JSON_ARRAY) ? tuple->first : NULL;
        for (size_t n = 0; item && n < index; n++) item = item->next;
        add_view(r, inner, item ? item : json_get(views->list[i], "items"), 0);
    }
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
static void put_value(struct renaming *r, struct buf *out, const struct json *value,
                      const struct views *views) {
    bool list = value->kind == JSON_ARRAY;
    size_t index = 0;
    if (!views->count || (!list && value->kind != JSON_OBJECT)) {
        json_put(out, value);
        return;
    }
    buf_putc(out, list ? '[' : '{');
    for (const struct json *m = value->first; m; m = m->next, index++) {
        struct views inner = {.count = 0};
        if (m != value->first) buf_putc(out, ',');
        if (list) add_items(r, views, index, &inner);
        else {
            json_put_string(out, find_name(r, views, m->key, &inner));
            buf_putc(out, ':');
        }
        put_value(r, out, m, &inner);
    }
    buf_putc(out, list ? ']' : '}');
}

void wire_put_arguments(struct buf *out, struct arena *arena, const struct target *target,
                        const struct json *schema, const struct json *arguments) {
    struct renaming r = {.rule = rule_of(target), .root = schema, .there = true};
    struct views views = {.count = 0};
    arena_init(&r.arena, &arena->allocator);
    if (schema && r.rule != NAMES_ANY) add_view(&r, &views, schema, 0);
    put_value(&r, out, arguments, &views);
    if (r.arena.oom) arena->oom = true;
    arena_free(&r.arena);
}

/* ## The public calls */

static gramc_status convert(gramc_text target_name, const gramc_tool *tool,
                            const gramc_text *arguments, const gramc_allocator *allocator,
                            gramc_writer writer) {
    const struct target *target = target_find(target_name);
    struct renaming r = {.there = false};
    struct buf out;
    gramc_status status = GRAMC_FINDINGS;
    if (!target) return GRAMC_USAGE;
    arena_init(&r.arena, allocator);
    buf_init(&out, &r.arena.allocator, TEXT_MAX);
    r.rule = rule_of(target);
    /* The text of a tool made by hand comes from elsewhere. */
    r.root = tool->document ? tool->document : json_parse(&r.arena, tool->parameters, NULL);
    const struct json *value = arguments ? json_parse(&r.arena, *arguments, NULL) : NULL;
    if (r.root && !arguments) put_schema(&r, &out, r.root);
    if (r.root && value) {
        struct views views = {.count = 0};
        add_view(&r, &views, r.root, 0);
        put_value(&r, &out, value, &views);
    }
    if (r.arena.oom) status = GRAMC_NOMEM;
    else if (r.root && (value || !arguments)) status = buf_send(&out, writer);
    buf_free(&out);
    arena_free(&r.arena);
    return status;
}

gramc_status gramc_target_schema(gramc_text target, const gramc_tool *tool,
                                 const gramc_allocator *allocator, gramc_writer writer) {
    return convert(target, tool, NULL, allocator, writer);
}

static void put_examples(struct buf *out, struct arena *arena, const struct target *target,
                         const gramc_tool *tool) {
    const struct json *list = json_parse(arena, tool->examples, NULL);
    const struct json *schema =
        tool->document ? tool->document : json_parse(arena, tool->parameters, NULL);
    buf_putc(out, '[');
    for (const struct json *v = list ? list->first : NULL; v; v = v->next) {
        if (v != list->first) buf_putc(out, ',');
        wire_put_arguments(out, arena, target, schema, v);
    }
    buf_putc(out, ']');
}

gramc_status gramc_target_examples(gramc_text target_name, const gramc_tool *tool,
                                   const gramc_allocator *allocator, gramc_writer writer) {
    const struct target *target = target_find(target_name);
    struct arena arena;
    struct buf out;
    if (!target) return GRAMC_USAGE;
    arena_init(&arena, allocator);
    buf_init(&out, &arena.allocator, TEXT_MAX);
    if (tool->examples.len) put_examples(&out, &arena, target, tool);
    gramc_status status = arena.oom ? GRAMC_NOMEM : buf_send(&out, writer);
    buf_free(&out);
    arena_free(&arena);
    return status;
}

gramc_status gramc_target_arguments(gramc_text target, const gramc_tool *tool, gramc_text arguments,
                                    const gramc_allocator *allocator, gramc_writer writer) {
    return convert(target, tool, &arguments, allocator, writer);
}
