/* Turns a label into a base type. The table is the language's; what a type's properties mean is
 * schema.c's. */
#include "compiler/types.h"

#include "base/text.h"
#include "jsonschema/types.h"

static const struct type_row rows[] = {
    {.label = "Text", .kind = TYPE_STRING},
    {.label = "String", .kind = TYPE_STRING},
    {.label = "Character", .kind = TYPE_STRING, .one_character = true},
    {.label = "Int", .kind = TYPE_INTEGER},
    {.label = "Integer", .kind = TYPE_INTEGER},
    {.label = "Byte", .kind = TYPE_INTEGER, .min = "-128", .max = "127"},
    {.label = "Short", .kind = TYPE_INTEGER, .min = "-32768", .max = "32767"},
    {.label = "Long",
     .kind = TYPE_INTEGER,
     .min = "-9223372036854775808",
     .max = "9223372036854775807",
     .bounds_hidden = true},
    {.label = "Double", .kind = TYPE_NUMBER},
    {.label = "Number", .kind = TYPE_NUMBER},
    {.label = "Float", .kind = TYPE_NUMBER},
    {.label = "Bool", .kind = TYPE_BOOLEAN},
    {.label = "Boolean", .kind = TYPE_BOOLEAN},
    {.label = "Object", .kind = TYPE_OBJECT},
    {.label = "Map", .kind = TYPE_MAP},
    {.label = "Array", .kind = TYPE_ARRAY},
    {.label = "Tuple", .kind = TYPE_TUPLE},
    {.label = "AnyOf", .kind = TYPE_ANY_OF},
    {.label = "OneOf", .kind = TYPE_ONE_OF},
    {.label = "Any", .kind = TYPE_ANY},
    {.label = "Null", .kind = TYPE_NULL},
    {.label = "Date", .kind = TYPE_STRING, .format = "date"},
    {.label = "Time", .kind = TYPE_STRING, .format = "time"},
    {.label = "DateTime", .kind = TYPE_STRING, .format = "date-time"},
    {.label = "Duration", .kind = TYPE_STRING, .format = "duration"},
    {.label = "Email", .kind = TYPE_STRING, .format = "email"},
    {.label = "Uri", .kind = TYPE_STRING, .format = "uri"},
    {.label = "Uuid", .kind = TYPE_STRING, .format = "uuid"},
    {.label = "Hostname", .kind = TYPE_STRING, .format = "hostname"},
    {.label = "Ipv4", .kind = TYPE_STRING, .format = "ipv4"},
    {.label = "Ipv6", .kind = TYPE_STRING, .format = "ipv6"},
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct type_row *type_find(gramc_text label) {
    for (size_t i = 0; i < ROWS; i++)
        if (text_is(label, rows[i].label)) return &rows[i];
    return NULL;
}

gramc_text type_nearest(gramc_text label) {
    gramc_text labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) labels[i] = text_of(rows[i].label);
    return text_nearest(label, labels, ROWS);
}

const char *type_label(size_t i) {
    return i < ROWS ? rows[i].label : NULL;
}

const char *type_json_name(enum type_kind kind) {
    static const enum json_type types[TYPE_KINDS] = {
        [TYPE_ANY] = JSON_TYPES,          [TYPE_NULL] = JSON_TYPE_NULL,
        [TYPE_STRING] = JSON_TYPE_STRING, [TYPE_INTEGER] = JSON_TYPE_INTEGER,
        [TYPE_NUMBER] = JSON_TYPE_NUMBER, [TYPE_BOOLEAN] = JSON_TYPE_BOOLEAN,
        [TYPE_OBJECT] = JSON_TYPE_OBJECT, [TYPE_MAP] = JSON_TYPE_OBJECT,
        [TYPE_ARRAY] = JSON_TYPE_ARRAY,   [TYPE_TUPLE] = JSON_TYPE_ARRAY,
        [TYPE_ANY_OF] = JSON_TYPES,       [TYPE_ONE_OF] = JSON_TYPES};
    return types[kind] == JSON_TYPES ? NULL : json_type_name(types[kind]);
}
