/* Rewrites a schema into that of its values with their defaults filled in: members with a default
 * are always there. For a tool's parameters, that is what the runtime sends, and the root has no
 * unknown members, since a call with one is refused before. Where an object has a most number of
 * members, a default may be left out, and nothing is promised. */
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
    bool is_full = json_get(schema, "maxProperties") || !json_is(known, JSON_OBJECT);
    for (const struct json *p = is_full ? NULL : known->first; p; p = p->next)
        if (is_filled_in(p) && !is_required(schema, p->key)) json_sink_string(out, p->key);
    json_sink_close(out, JSON_ARRAY);
}

static bool is_one_of(gramc_text key, const char *const *keys) {
    while (*keys && !text_is(key, *keys)) keys++;
    return *keys != NULL;
}

static void put_member(struct json_sink *out, const struct json *member) {
    static const char *const of_many[] = {
        "properties", "patternProperties", "prefixItems", "allOf", "anyOf", "oneOf", "$defs", NULL};
    static const char *const of_one[] = {"items", "additionalProperties", NULL};
    json_sink_key(out, member->key);
    if (member->kind >= JSON_ARRAY && is_one_of(member->key, of_many)) put_schemas(out, member);
    else if (is_one_of(member->key, of_one)) put_schema(out, member, false);
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

static const struct json *rewrite(struct arena *arena, const struct json *schema, bool is_root) {
    struct json_sink sink;
    json_sink_init(&sink, NULL, arena);
    put_schema(&sink, schema, is_root);
    return json_sink_document(&sink);
}

const struct json *subsume_filled_in(struct arena *arena, const struct json *schema) {
    return rewrite(arena, schema, false);
}

const struct json *subsume_as_sent(struct arena *arena, const struct json *parameters) {
    return rewrite(arena, parameters, true);
}
