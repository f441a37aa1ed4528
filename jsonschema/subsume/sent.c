/* Rewrites the schema of a tool's parameters into the schema of what the runtime sends: members
 * with a default are always there, since it is filled in, and the root has no unknown members,
 * since a call with one is refused before. */
#include "jsonschema/subsume/subsume.h"

#include "base/text.h"

static void put_schema(struct buf *out, const struct json *schema, bool is_root);

static void put_key(struct buf *out, const char *key, bool *comma) {
    if (*comma) buf_putc(out, ',');
    *comma = true;
    json_put_string(out, text_of(key));
    buf_putc(out, ':');
}

/* A list or an object of schemas. */
static void put_schemas(struct buf *out, const struct json *schemas) {
    bool is_list = schemas->kind == JSON_ARRAY;
    buf_putc(out, is_list ? '[' : '{');
    for (const struct json *schema = schemas->first; schema; schema = schema->next) {
        if (schema != schemas->first) buf_putc(out, ',');
        if (!is_list) json_put_string(out, schema->key);
        if (!is_list) buf_putc(out, ':');
        put_schema(out, schema, false);
    }
    buf_putc(out, is_list ? ']' : '}');
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

static void put_required(struct buf *out, const struct json *schema, bool *comma) {
    const struct json *names = json_get(schema, "required");
    const struct json *known = json_get(schema, "properties");
    bool inner = false;
    put_key(out, "required", comma);
    buf_putc(out, '[');
    for (const struct json *n = json_is(names, JSON_ARRAY) ? names->first : NULL; n; n = n->next) {
        if (inner) buf_putc(out, ',');
        json_put(out, n);
        inner = true;
    }
    for (const struct json *p = json_is(known, JSON_OBJECT) ? known->first : NULL; p; p = p->next) {
        if (!is_filled_in(p) || is_required(schema, p->key)) continue;
        if (inner) buf_putc(out, ',');
        json_put_string(out, p->key);
        inner = true;
    }
    buf_putc(out, ']');
}

static void put_member(struct buf *out, const struct json *member) {
    bool holds_schemas = text_is(member->key, "properties") || text_is(member->key, "prefixItems");
    json_put_string(out, member->key);
    buf_putc(out, ':');
    if (holds_schemas && member->kind >= JSON_ARRAY) put_schemas(out, member);
    else if (text_is(member->key, "items")) put_schema(out, member, false);
    else json_put(out, member);
}

static void put_schema(struct buf *out, const struct json *schema, bool is_root) {
    bool comma = false;
    if (schema->kind != JSON_OBJECT) {
        json_put(out, schema);
        return;
    }
    buf_putc(out, '{');
    for (const struct json *member = schema->first; member; member = member->next) {
        if (text_is(member->key, "required")) continue;
        if (comma) buf_putc(out, ',');
        comma = true;
        put_member(out, member);
    }
    if (json_get(schema, "properties") || json_get(schema, "required"))
        put_required(out, schema, &comma);
    if (is_root && !json_get(schema, "additionalProperties")) {
        put_key(out, "additionalProperties", &comma);
        buf_puts(out, "false");
    }
    buf_putc(out, '}');
}

gramc_text subsume_as_sent(struct arena *arena, gramc_text parameters) {
    const struct json *schema = json_parse(arena, parameters, NULL);
    struct buf text;
    if (!schema) return parameters;
    buf_init(&text, &arena->allocator, SOURCE_MAX);
    put_schema(&text, schema, true);
    return buf_to_arena(&text, arena);
}
