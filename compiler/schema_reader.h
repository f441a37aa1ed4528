/* What schema.c (types) and schema_properties.c (what they say) share. */
#ifndef COMPILER_SCHEMA_READER_H
#define COMPILER_SCHEMA_READER_H

#include "compiler/schema.h"

/* One type being read: from a node's record or from a map. */
struct reader {
    struct pass *pass;
    struct schema *schema;
    struct field *field; /* NULL: neither parameter nor field */
    const struct property *first;
    uint64_t seen; /* rows of the table, as bits */
    bool from_map; /* `type` is a property like others */
    bool required_said;
};

/* True for the properties of types. */
bool type_has_property(gramc_text key);
/* Reads all properties of a record or map into reader->schema and reader->field. */
void properties_of_type(struct reader *reader, const struct property *first);

/* A type inside a value: its name, [T], or a map. NULL gives an empty schema to fill in. */
struct schema *schema_of_value(struct pass *pass, const struct value *value);
/* The same for the items of an array, the values of a map, a field: it may be shared with others.
 */
struct schema *schema_inside(struct pass *pass, const struct value *value);
/* A list of types, of a tuple or union. */
struct member *members_of_value(struct pass *pass, const struct value *list);
/* Makes a label the type of reader->schema. */
void reader_set_type(struct reader *reader, gramc_text label, struct span span);
void reader_say(struct reader *reader, enum type_property property, gramc_text text,
                struct span at);
void reader_wrong_value(struct reader *reader, const struct property *p, const char *wanted);
/* `patterns`, a map from regular expression to type. */
void reader_read_patterns(struct reader *reader, const struct property *p);
/* `fields`, as a list of maps or a map from name to type. */
void reader_read_fields(struct reader *reader, const struct property *p);

#endif
