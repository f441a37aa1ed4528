/* Rewrites the schema of a tool's parameters into the schema of what the runtime sends: members
 * with a default are always there, since it is filled in, and the root has no unknown members,
 * since a call with one is refused before. */
#include "jsonschema/subsume/subsume.h"

#include "base/json/writer.h"
#include "base/text.h"

static void put_schema(struct json_writer *w, const struct json *schema, bool is_root);

/* A list or an object of schemas. */
static void put_schemas(struct json_writer *w, const struct json *schemas) {
    bool is_list = schemas->kind == JSON_ARRAY;
    if (is_list) json_array_begin(w);
    else json_object_begin(w);
    for (const struct json *schema = schemas->first; schema; schema = schema->next) {
        if (!is_list) json_key_text(w, schema->key);
        put_schema(w, schema, false);
    }
    if (is_list) json_array_end(w);
    else json_object_end(w);
}

static bool is_required(const struct json *schema, gramc_text name) {
    const struct json *names = json_get(schema, "required");
    if (!json_is(names, JSON_ARRAY)) return false;
    for (const struct json *n = names->first; n; n = n->next)
        if (n->kind == JSON_STRING && text_eq(n->text, name)) return true;
    return false;
}

/* null as a default is not filled in. */
static bool is_filled_in(const struct json *property) {
    const struct json *value = json_get(property, "default");
    return value && value->kind != JSON_NULL;
}

static void put_required(struct json_writer *w, const struct json *schema) {
    const struct json *names = json_get(schema, "required");
    const struct json *known = json_get(schema, "properties");
    json_member_array(w, "required");
    for (const struct json *n = json_is(names, JSON_ARRAY) ? names->first : NULL; n; n = n->next)
        json_value(w, n);
    for (const struct json *p = json_is(known, JSON_OBJECT) ? known->first : NULL; p; p = p->next)
        if (is_filled_in(p) && !is_required(schema, p->key)) json_text(w, p->key);
    json_array_end(w);
}

static void put_member(struct json_writer *w, const struct json *member) {
    bool holds_schemas = text_is(member->key, "properties") || text_is(member->key, "prefixItems");
    json_key_text(w, member->key);
    if (holds_schemas && member->kind >= JSON_ARRAY) put_schemas(w, member);
    else if (text_is(member->key, "items")) put_schema(w, member, false);
    else json_value(w, member);
}

static void put_schema(struct json_writer *w, const struct json *schema, bool is_root) {
    if (schema->kind != JSON_OBJECT) {
        json_value(w, schema);
        return;
    }
    json_object_begin(w);
    for (const struct json *member = schema->first; member; member = member->next)
        if (!text_is(member->key, "required")) put_member(w, member);
    if (json_get(schema, "properties") || json_get(schema, "required")) put_required(w, schema);
    if (is_root && !json_get(schema, "additionalProperties"))
        json_member_bool(w, "additionalProperties", false);
    json_object_end(w);
}

gramc_text subsume_as_sent(struct arena *arena, gramc_text parameters) {
    const struct json *schema = json_parse(arena, parameters, NULL);
    struct buf text;
    if (!schema) return parameters;
    buf_init(&text, &arena->allocator, SOURCE_MAX);
    struct json_writer w = json_writer(&text);
    put_schema(&w, schema, true);
    return buf_to_arena(&text, arena);
}
