/* The types of JSON Schema, and sets of them. What a document is written in (null, false, true ...)
 * is base/json's json_kind. */
#ifndef JSONSCHEMA_TYPES_H
#define JSONSCHEMA_TYPES_H

#include "base/json/json.h"

enum json_type {
    JSON_TYPE_NULL,
    JSON_TYPE_BOOLEAN,
    JSON_TYPE_INTEGER,
    JSON_TYPE_NUMBER,
    JSON_TYPE_STRING,
    JSON_TYPE_ARRAY,
    JSON_TYPE_OBJECT,
    JSON_TYPES
};

/* Sets of types. A number has one of two bits, by its value: whole numbers are integers. */
enum type_bit {
    TYPE_BIT_NULL = 1 << JSON_TYPE_NULL,
    TYPE_BIT_BOOLEAN = 1 << JSON_TYPE_BOOLEAN,
    TYPE_BIT_INTEGER = 1 << JSON_TYPE_INTEGER,
    TYPE_BIT_FRACTION = 1 << JSON_TYPE_NUMBER,
    TYPE_BIT_STRING = 1 << JSON_TYPE_STRING,
    TYPE_BIT_ARRAY = 1 << JSON_TYPE_ARRAY,
    TYPE_BIT_OBJECT = 1 << JSON_TYPE_OBJECT,
    TYPE_BIT_NUMBER = TYPE_BIT_INTEGER | TYPE_BIT_FRACTION,
    TYPE_BIT_ALL = (1 << JSON_TYPES) - 1
};

/* As `type` says it; JSON_TYPES for a name that is none. */
enum json_type json_type_named(gramc_text name);
const char *json_type_name(enum json_type type);
/* The set that a name stands for: "number" has both bits. 0 for a name that is none. */
unsigned type_bits_named(gramc_text name);
/* Of a value: one bit. */
unsigned type_of(const struct json *value);

#endif
