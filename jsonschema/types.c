/* Names of the types of JSON Schema, there and back, and the type of a value. */
#include "jsonschema/types.h"

#include "base/text.h"

static const char *const names[JSON_TYPES] = {
    [JSON_TYPE_NULL] = "null",     [JSON_TYPE_BOOLEAN] = "boolean", [JSON_TYPE_INTEGER] = "integer",
    [JSON_TYPE_NUMBER] = "number", [JSON_TYPE_STRING] = "string",   [JSON_TYPE_ARRAY] = "array",
    [JSON_TYPE_OBJECT] = "object"};

enum json_type json_type_named(gramc_text name) {
    enum json_type type = 0;
    while (type < JSON_TYPES && !text_is(name, names[type])) type++;
    return type;
}

const char *json_type_name(enum json_type type) {
    return names[type];
}

unsigned type_bits_named(gramc_text name) {
    enum json_type type = json_type_named(name);
    if (type == JSON_TYPES) return 0;
    return type == JSON_TYPE_NUMBER ? TYPE_BIT_NUMBER : 1U << type;
}

unsigned type_of(const struct json *value) {
    switch ((enum json_kind)value->kind) {
    case JSON_NULL: return TYPE_BIT_NULL;
    case JSON_FALSE:
    case JSON_TRUE: return TYPE_BIT_BOOLEAN;
    case JSON_NUMBER:
        return json_number_is_integer(value->text) ? TYPE_BIT_INTEGER : TYPE_BIT_FRACTION;
    case JSON_STRING: return TYPE_BIT_STRING;
    case JSON_ARRAY: return TYPE_BIT_ARRAY;
    case JSON_OBJECT: return TYPE_BIT_OBJECT;
    }
    return 0;
}
