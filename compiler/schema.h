/* The schema IR: what a type in a signature means, before any target prints it. Small and closed;
 * every target prints from it. JSON texts in it are complete values, numbers as they were spelled.
 * An empty text (len 0) means: not said. */
#ifndef COMPILER_SCHEMA_H
#define COMPILER_SCHEMA_H

#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "compiler/compilation.h"
#include "compiler/types.h"

enum openness { OPEN_UNSAID, OPEN_YES, OPEN_NO };

struct schema {
    enum type_kind kind;
    const struct type_row *type;
    struct span span; /* of what says it */
    gramc_text title, description;
    gramc_text format, pattern;
    gramc_text enumeration, constant, examples; /* JSON */
    struct span enumeration_at, constant_at, examples_at, pattern_at, hatch_at;
    gramc_text minimum, maximum, above, below, multiple_of;
    gramc_text min_length, max_length, min_items, max_items;
    struct schema *items;     /* TYPE_ARRAY: NULL is any */
    struct schema *values;    /* TYPE_MAP: NULL is any */
    struct field *fields;     /* TYPE_OBJECT */
    const struct json *hatch; /* `schema`: its keywords replace ours */
    enum openness open;
    bool has_fields; /* said, though perhaps empty */
    bool unique, nullable, deprecated;
};

/* A field of an object, or a parameter of a signature. */
struct field {
    struct field *next;
    gramc_text identifier; /* in gram */
    gramc_text name;       /* on the wire */
    struct span span;      /* of the name */
    struct schema *schema;
    gramc_text default_json; /* {NULL, 0}: none */
    struct span default_at;
    bool optional; /* not in `required` */
};

/* Fields or parameters in order, each name once. */
struct field_list {
    struct field *first, **tail;
    uint32_t count;
    struct map seen; /* used once the list is long */
};
void field_list_init(struct field_list *list, struct arena *arena);
/* Appends, or returns the earlier field of the same wire name and appends nothing. */
struct field *field_list_add(struct field_list *list, struct field *field);

/* Reads label and properties of a node as a type; `field` takes default, optional, required and
 * name, and is NULL for a result. NULL with findings if there is no type. */
struct schema *schema_of_node(struct pass *pass, const struct pattern *node, struct field *field);

enum schema_style {
    SCHEMA_PRINTED, /* what goes out */
    SCHEMA_CHECKED  /* with the bounds that are only checked (Long) */
};
/* Prints one schema as JSON Schema 2020-12, compact. default_json may be empty. */
void schema_print(struct buf *out, const struct schema *schema, gramc_text default_json,
                  enum schema_style style);
/* Prints an object schema with these fields as properties; none prints empty properties. */
void schema_print_object(struct buf *out, const struct field *fields, enum schema_style style);

/* Reports bounds that contradict each other, patterns that cannot be compiled, and defaults, enum
 * members, constants and examples that do not fit, here and in everything inside. field is NULL
 * for a result. */
void schema_check(struct pass *pass, const struct schema *schema, const struct field *field);

#endif
