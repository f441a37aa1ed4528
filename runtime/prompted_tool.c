/* Writes a tool, its arguments and the shape of a call as text for a model that knows no tool
 * calls. What a type cannot say in one word stands there as JSON Schema. */
#include "runtime/prompted_tool.h"

#include "base/json/json.h"
#include "base/text.h"
#include "runtime/prompted_words.h"

static const struct json *parse(struct arena *arena, gramc_text schema) {
    return schema.len ? json_parse(arena, schema, NULL) : NULL;
}

static bool is_simple(const struct json *schema) {
    const struct json *type = json_get(schema, "type");
    return json_is(type, JSON_STRING) && !text_is(type->text, "object") &&
           !text_is(type->text, "array");
}

static void put_enum(struct buf *out, const struct json *words) {
    for (const struct json *word = words->first; word; word = word->next) {
        if (word != words->first) buf_puts(out, " or ");
        json_put(out, word);
    }
}

static void put_type(struct buf *out, const struct json *schema);

/* Several types, as words or as schemas. */
static void put_either(struct buf *out, const struct json *list) {
    for (const struct json *item = list->first; item; item = item->next) {
        if (item != list->first) buf_puts(out, " or ");
        if (item->kind == JSON_STRING) buf_text(out, item->text);
        else put_type(out, item);
    }
}

static void put_type(struct buf *out, const struct json *schema) {
    const struct json *words = json_get(schema, "enum"), *type = json_get(schema, "type");
    const struct json *any = json_get(schema, "anyOf"), *items = json_get(schema, "items");
    if (!any) any = json_get(schema, "oneOf");
    if (json_is(words, JSON_ARRAY) && words->first) put_enum(out, words);
    else if (json_is(type, JSON_ARRAY) && type->first) put_either(out, type);
    else if (json_is(any, JSON_ARRAY) && any->first) put_either(out, any);
    else if (json_is(type, JSON_STRING)) buf_text(out, type->text);
    else buf_puts(out, "any");
    if (!json_is(type, JSON_STRING) || !text_is(type->text, "array") || !is_simple(items)) return;
    buf_puts(out, " of ");
    put_type(out, items);
}

static bool is_required(const struct json *schema, gramc_text name) {
    const struct json *required = json_get(schema, "required");
    for (const struct json *item = required ? required->first : NULL; item; item = item->next)
        if (text_eq(item->text, name)) return true;
    return false;
}

static const struct json *first_parameter(const struct json *schema) {
    const struct json *properties = json_get(schema, "properties");
    return json_is(properties, JSON_OBJECT) ? properties->first : NULL;
}

void prompted_put_tool(struct buf *out, struct arena *arena, const struct bound_tool *tool) {
    const struct json *schema = parse(arena, tool->wire_parameters);
    const struct json *result = parse(arena, tool->tool->result);
    const struct json *first = first_parameter(schema);
    buf_text(out, tool->wire_name);
    buf_puts(out, "(");
    for (const struct json *p = first; p; p = p->next) {
        if (p != first) buf_puts(out, ", ");
        buf_text(out, p->key);
        buf_puts(out, is_required(schema, p->key) ? ": " : "?: ");
        put_type(out, p);
    }
    buf_puts(out, ")");
    if (result && tool->tool->result_kind != GRAMC_RESULT_NULL) {
        buf_puts(out, " -> ");
        put_type(out, result);
    }
    if (tool->tool->description.len) buf_puts(out, ": ");
    buf_text(out, tool->tool->description);
}

void prompted_put_shape(struct buf *out, struct arena *arena, const struct bound_tool *tool) {
    const struct json *first = first_parameter(parse(arena, tool->wire_parameters));
    buf_puts(out, "{");
    for (const struct json *p = first; p; p = p->next) {
        if (p != first) buf_puts(out, ", ");
        json_put_string(out, p->key);
        buf_puts(out, ": <");
        put_type(out, p);
        buf_puts(out, ">");
    }
    buf_puts(out, "}");
}

static void put_parameter(struct buf *out, const struct json *p, bool required) {
    const struct json *description = json_get(p, "description");
    buf_puts(out, "\n* ");
    buf_text(out, p->key);
    buf_puts(out, " (");
    if (is_simple(p)) put_type(out, p);
    else json_put(out, p);
    buf_puts(out, required ? ")" : ", optional: leave it out unless the task says it)");
    if (!json_is(description, JSON_STRING)) return;
    buf_puts(out, ": ");
    buf_text(out, description->text);
}

void prompted_put_parameters(struct buf *out, struct arena *arena, const struct bound_tool *tool) {
    const struct json *schema = parse(arena, tool->wire_parameters);
    const struct json *first = first_parameter(schema);
    buf_puts(out, first ? WORDS_PARAMETERS : WORDS_NO_PARAMETERS);
    for (const struct json *p = first; p; p = p->next)
        put_parameter(out, p, is_required(schema, p->key));
}
