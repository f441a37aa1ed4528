/* Turns a label into a base type. The table is the language's; what a type's properties mean is
 * schema.c's. */
#include "compiler/types.h"

#include "base/text.h"
#include "jsonschema/types.h"

/* One entry a type: its label, the two bytes that the label begins with and the one
 * that it ends with, what it means. */
#define TYPES(T)                                                                                   \
    T(Text, 'T', 'e', 't', .kind = TYPE_STRING)                                                    \
    T(String, 'S', 't', 'g', .kind = TYPE_STRING)                                                  \
    T(Character, 'C', 'h', 'r', .kind = TYPE_STRING, .one_character = true)                        \
    T(Int, 'I', 'n', 't', .kind = TYPE_INTEGER)                                                    \
    T(Integer, 'I', 'n', 'r', .kind = TYPE_INTEGER)                                                \
    T(Byte, 'B', 'y', 'e', .kind = TYPE_INTEGER, .min = "-128", .max = "127")                      \
    T(Short, 'S', 'h', 't', .kind = TYPE_INTEGER, .min = "-32768", .max = "32767")                 \
    T(Long, 'L', 'o', 'g', .kind = TYPE_INTEGER, .min = "-9223372036854775808",                    \
      .max = "9223372036854775807", .bounds_hidden = true)                                         \
    T(Double, 'D', 'o', 'e', .kind = TYPE_NUMBER)                                                  \
    T(Number, 'N', 'u', 'r', .kind = TYPE_NUMBER)                                                  \
    T(Float, 'F', 'l', 't', .kind = TYPE_NUMBER)                                                   \
    T(Bool, 'B', 'o', 'l', .kind = TYPE_BOOLEAN)                                                   \
    T(Boolean, 'B', 'o', 'n', .kind = TYPE_BOOLEAN)                                                \
    T(Object, 'O', 'b', 't', .kind = TYPE_OBJECT)                                                  \
    T(Map, 'M', 'a', 'p', .kind = TYPE_MAP)                                                        \
    T(Array, 'A', 'r', 'y', .kind = TYPE_ARRAY)                                                    \
    T(Tuple, 'T', 'u', 'e', .kind = TYPE_TUPLE)                                                    \
    T(AnyOf, 'A', 'n', 'f', .kind = TYPE_ANY_OF)                                                   \
    T(OneOf, 'O', 'n', 'f', .kind = TYPE_ONE_OF)                                                   \
    T(AllOf, 'A', 'l', 'f', .kind = TYPE_ALL_OF)                                                   \
    T(Any, 'A', 'n', 'y', .kind = TYPE_ANY)                                                        \
    T(Null, 'N', 'u', 'l', .kind = TYPE_NULL)                                                      \
    T(Date, 'D', 'a', 'e', .kind = TYPE_STRING, .format = "date")                                  \
    T(Time, 'T', 'i', 'e', .kind = TYPE_STRING, .format = "time")                                  \
    T(DateTime, 'D', 'a', 'e', .kind = TYPE_STRING, .format = "date-time")                         \
    T(Duration, 'D', 'u', 'n', .kind = TYPE_STRING, .format = "duration")                          \
    T(Email, 'E', 'm', 'l', .kind = TYPE_STRING, .format = "email")                                \
    T(Uri, 'U', 'r', 'i', .kind = TYPE_STRING, .format = "uri")                                    \
    T(Uuid, 'U', 'u', 'd', .kind = TYPE_STRING, .format = "uuid")                                  \
    T(Hostname, 'H', 'o', 'e', .kind = TYPE_STRING, .format = "hostname")                          \
    T(Ipv4, 'I', 'p', '4', .kind = TYPE_STRING, .format = "ipv4")                                  \
    T(Ipv6, 'I', 'p', '6', .kind = TYPE_STRING, .format = "ipv6")

#define ROW(label, first, second, last, ...) ROW_##label,
enum { TYPES(ROW) ROWS };
#undef ROW

#define ROW(name, first, second, last, ...) [ROW_##name] = {.label = #name, __VA_ARGS__},
static const struct type_row rows[] = {TYPES(ROW)};
#undef ROW

/* The only row that the label may be; ROWS: none. */
static size_t candidate(gramc_text label) {
#define ROW(name, first, second, last, ...)                                                        \
    case TEXT_KEY(sizeof #name - 1, first, second, last): return ROW_##name;
    switch (text_key(label)) {
        TYPES(ROW)
    default: return ROWS;
    }
#undef ROW
}

const struct type_row *type_find(gramc_text label) {
    size_t row = candidate(label);
    return row < ROWS && text_is(label, rows[row].label) ? &rows[row] : NULL;
}

_Static_assert((int)ROWS == TYPE_LABELS, "one place for each label");

size_t type_index(const struct type_row *row) {
    return (size_t)(row - rows);
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
        [TYPE_ANY_OF] = JSON_TYPES,       [TYPE_ONE_OF] = JSON_TYPES,
        [TYPE_ALL_OF] = JSON_TYPES};
    return types[kind] == JSON_TYPES ? NULL : json_type_name(types[kind]);
}
