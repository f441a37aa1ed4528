/* Rewrites the schema of a tool's parameters into the schema of what the runtime sends: members
 * with a default are always there, since it is filled in, and the root has no unknown members,
 * since a call with one is refused before. */
#include "base/json/sink.h"
#include "base/text.h"
#include "jsonschema/subsume/subsume.h"

static void put_schema(struct json_sink *out, const struct json *schema, bool is_root);

/* A list or an object of schemas. */
static void put_schemas(struct json_sink *out, const struct json *schemas) {
    json_sink_open(out, (enum json_kind)schemas->kind);
    for (const struct json *schema = schemas->first; schema; schema = schema->next) {
        if (schemas->kind == JSON_OBJECT) json_sink_key(out, schema->key);
        put_schema(out, schema, false);
    }
    json_sink_close(out, (enum json_kind)schemas->kind);
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

static void put_required(struct json_sink *out, const struct json *schema) {
    const struct json *names = json_get(schema, "required");
    const struct json *known = json_get(schema, "properties");
    json_sink_name(out, "required");
    json_sink_open(out, JSON_ARRAY);
    for (const struct json *n = json_is(names, JSON_ARRAY) ? names->first : NULL; n; n = n->next)
        json_sink_value(out, n);
    for (const struct json *p = json_is(known, JSON_OBJECT) ? known->first : NULL; p; p = p->next)
        if (is_filled_in(p) && !is_required(schema, p->key)) json_sink_string(out, p->key);
    json_sink_close(out, JSON_ARRAY);
}

static void put_member(struct json_sink *out, const struct json *member) {
    bool holds_schemas = text_is(member->key, "properties") || text_is(member->key, "prefixItems");
    json_sink_key(out, member->key);
    if (holds_schemas && member->kind >= JSON_ARRAY) put_schemas(out, member);
    else if (text_is(member->key, "items")) put_schema(out, member, false);
    else json_sink_value(out, member);
}

static void put_schema(struct json_sink *out, const struct json *schema, bool is_root) {
    if (schema->kind != JSON_OBJECT) {
        json_sink_value(out, schema);
        return;
    }
    json_sink_open(out, JSON_OBJECT);
    for (const struct json *member = schema->first; member; member = member->next)
        if (!text_is(member->key, "required")) put_member(out, member);
    if (json_get(schema, "properties") || json_get(schema, "required")) put_required(out, schema);
    if (is_root && !json_get(schema, "additionalProperties")) {
        json_sink_name(out, "additionalProperties");
        json_sink_word(out, JSON_FALSE);
    }
    json_sink_close(out, JSON_OBJECT);
}

const struct json *subsume_as_sent(struct arena *arena, const struct json *parameters) {
    struct json_sink sink;
    json_sink_init(&sink, NULL, arena);
    put_schema(&sink, parameters, true);
    return json_sink_document(&sink);
}
