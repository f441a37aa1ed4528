/* Looks at a JSON Schema as it is printed and says which of a few shapes it has: what a type of a
 * programming language can say of it. All else (bounds, patterns) is left to gramc, which checks.
 */
#include "compiler/stub/stub.h"

#include "base/text.h"

enum stub_shape stub_type_shape(gramc_text type) {
    static const struct {
        const char *name;
        enum stub_shape shape;
    } types[] = {{"string", SHAPE_TEXT},     {"integer", SHAPE_INTEGER}, {"number", SHAPE_NUMBER},
                 {"boolean", SHAPE_BOOLEAN}, {"null", SHAPE_NULL},       {"array", SHAPE_ARRAY},
                 {"object", SHAPE_MAP}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_is(type, types[i].name)) return types[i].shape;
    return SHAPE_ANY;
}

enum stub_shape stub_shape(const struct json *schema) {
    const struct json *type = json_get(schema, "type"), *fields = json_get(schema, "properties");
    bool both = json_get(schema, "anyOf") || json_get(schema, "oneOf");
    if (json_is(json_get(schema, "$ref"), JSON_STRING)) return SHAPE_REFERENCE;
    if (json_is(json_get(schema, "enum"), JSON_ARRAY) || json_get(schema, "const"))
        return SHAPE_VALUES;
    if (json_get(schema, "allOf")) return SHAPE_ANY;
    if (both && !fields) return SHAPE_UNION;
    if (json_is(type, JSON_ARRAY)) return SHAPE_TYPES;
    enum stub_shape shape = json_is(type, JSON_STRING) ? stub_type_shape(type->text) : SHAPE_ANY;
    if (shape == SHAPE_MAP && json_is(fields, JSON_OBJECT) && fields->count) return SHAPE_RECORD;
    return shape;
}

gramc_text stub_reference(struct arena *arena, const struct json *schema) {
    static const char prefix[] = "#/$defs/";
    gramc_text name = json_get(schema, "$ref")->text;
    if (!text_starts(name, prefix)) return (gramc_text){NULL, 0};
    name = text_slice(name, sizeof prefix - 1, name.len);
    char *out = arena_alloc(arena, name.len + 1);
    size_t len = 0;
    if (!out) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < name.len; i++) { /* RFC 6901 */
        bool escaped = name.ptr[i] == '~' && i + 1 < name.len;
        out[len++] = !escaped ? name.ptr[i] : name.ptr[++i] == '1' ? '/' : '~';
    }
    return (gramc_text){out, len};
}

const struct json *stub_values(const struct json *schema) {
    const struct json *list = json_get(schema, "enum");
    return json_is(list, JSON_ARRAY) ? list->first : json_get(schema, "const");
}

const struct json *stub_members(const struct json *schema) {
    const struct json *list = json_get(schema, "anyOf");
    if (!json_is(list, JSON_ARRAY)) list = json_get(schema, "oneOf");
    return json_is(list, JSON_ARRAY) ? list->first : NULL;
}

bool stub_is_there(const struct json *object, const struct json *property) {
    const struct json *required = json_get(object, "required");
    const struct json *fallback = json_get(property, "default");
    if (fallback && fallback->kind != JSON_NULL) return true;
    for (const struct json *r = json_is(required, JSON_ARRAY) ? required->first : NULL; r;
         r = r->next)
        if (json_is(r, JSON_STRING) && text_eq(r->text, property->key)) return true;
    return false;
}

gramc_text stub_description(const struct json *schema) {
    const struct json *text = json_get(schema, "description");
    return json_is(text, JSON_STRING) ? text->text : (gramc_text){NULL, 0};
}

/* Types say these, or nobody has to keep them. */
static bool is_typed(gramc_text keyword) {
    static const char *const typed[] = {"type",        "properties", "required", "items",   "enum",
                                        "const",       "anyOf",      "oneOf",    "$ref",    "$defs",
                                        "description", "title",      "default",  "examples"};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (text_is(keyword, typed[i])) return true;
    return false;
}

gramc_text stub_bounds(struct stub *s, const struct json *schema) {
    enum { LONGEST = 400 };
    struct buf out;
    if (!json_is(schema, JSON_OBJECT)) return (gramc_text){NULL, 0};
    buf_init(&out, &s->arena->allocator, INT32_MAX);
    for (const struct json *k = schema->first; k; k = k->next) {
        bool is_map = text_is(k->key, "additionalProperties") && k->kind != JSON_FALSE;
        if (is_typed(k->key) || (is_map && !json_get(schema, "properties"))) continue;
        size_t start = out.len;
        buf_puts(&out, start ? ", " : "");
        buf_text(&out, k->key);
        buf_puts(&out, " ");
        json_put(&out, k);
        if (out.state != BUF_FINE || out.len - start < LONGEST) continue;
        out.len = start;
        buf_puts(&out, start ? ", " : "");
        buf_text(&out, k->key);
    }
    return buf_to_arena(&out, s->arena);
}

const struct json *stub_behind_reference(const struct stub *s, const struct json *schema) {
    for (size_t links = 0; schema && stub_shape(schema) == SHAPE_REFERENCE; links++) {
        gramc_text name = stub_reference(s->arena, schema);
        size_t i = 0;
        while (i < s->definition_count && !text_eq(s->definitions[i]->key, name)) i++;
        if (links > s->definition_count) return NULL;
        schema = i < s->definition_count ? s->definitions[i] : NULL;
    }
    return schema;
}

/* MCP wants to see "type": "object" at the top, also beside a reference. */
gramc_text stub_output_schema(struct stub *s, const struct stub_tool *t) {
    const struct json *type = json_get(stub_behind_reference(s, t->result), "type");
    struct buf out;
    if (!json_is(type, JSON_STRING) || !text_is(type->text, "object")) return (gramc_text){NULL, 0};
    buf_init(&out, &s->arena->allocator, INT32_MAX);
    json_put(&out, t->promise);
    gramc_text text = buf_to_arena(&out, s->arena);
    if (json_get(t->promise, "type") || text.len < 2) return text;
    buf_init(&out, &s->arena->allocator, INT32_MAX);
    buf_puts(&out, "{\"type\":\"object\",");
    buf_text(&out, text_slice(text, 1, text.len));
    return buf_to_arena(&out, s->arena);
}
