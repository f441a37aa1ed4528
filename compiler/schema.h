/* The schema IR: what a type in a signature means, before any target prints it. Small and closed;
 * every target prints from it. */
#ifndef COMPILER_SCHEMA_H
#define COMPILER_SCHEMA_H

#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "compiler/compilation.h"
#include "compiler/types.h"

/* In the order in which they are printed. */
enum keyword {
    KEYWORD_TITLE,
    KEYWORD_DESCRIPTION,
    KEYWORD_FORMAT,
    KEYWORD_ENUM,
    KEYWORD_CONST,
    KEYWORD_MINIMUM,
    KEYWORD_MAXIMUM,
    KEYWORD_EXCLUSIVE_MINIMUM,
    KEYWORD_EXCLUSIVE_MAXIMUM,
    KEYWORD_MULTIPLE_OF,
    KEYWORD_MIN_LENGTH,
    KEYWORD_MAX_LENGTH,
    KEYWORD_PATTERN,
    KEYWORD_MIN_ITEMS,
    KEYWORD_MAX_ITEMS,
    KEYWORD_EXAMPLES,
    KEYWORDS
};

/* One keyword that was said. Most types say two or three, so they are a list and no struct. */
struct constraint {
    struct constraint *next;
    gramc_text text; /* a text (title, description, format, pattern), else JSON as it was spelled */
    struct span at;  /* of the value */
    enum keyword keyword;
};

enum openness { OPEN_UNSAID, OPEN_YES, OPEN_NO };

struct schema {
    const struct type_row *type; /* NULL: no label, or an unknown one */
    struct constraint *constraints;
    struct schema *inner;      /* of an array's items or a map's values; NULL is any */
    struct field *fields;      /* TYPE_OBJECT */
    const struct hatch *hatch; /* `schema`: its keywords replace ours */
    struct span span;          /* of what says it */
    uint8_t kind;              /* enum type_kind */
    uint8_t open;              /* enum openness */
    bool has_fields;           /* said, though perhaps empty */
    bool unique, nullable, deprecated;
};

struct hatch {
    const struct json *json;
    struct span at;
};

/* A field of an object, or a parameter of a signature. */
struct field {
    struct field *next;
    gramc_text identifier; /* in gram */
    gramc_text name;       /* on the wire */
    struct schema *schema;
    const struct constraint *fallback; /* its default; NULL: none */
    struct span span;                  /* of the name */
    bool optional;                     /* not in `required` */
};

/* What was said for a keyword; NULL: nothing. */
const struct constraint *schema_find(const struct schema *schema, enum keyword keyword);
/* The same, as text; empty: nothing. */
gramc_text schema_get(const struct schema *schema, enum keyword keyword);

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
/* Prints one schema as JSON Schema 2020-12, compact. fallback may be NULL. */
void schema_print(struct buf *out, const struct schema *schema, const struct constraint *fallback,
                  enum schema_style style);
/* Prints an object schema with these fields as properties; none prints empty properties. */
void schema_print_object(struct buf *out, const struct field *fields, enum schema_style style);

/* Reports bounds that contradict each other, patterns that cannot be compiled, and defaults, enum
 * members, constants and examples that do not fit, here and in everything inside. field is NULL
 * for a result. */
void schema_check(struct pass *pass, const struct schema *schema, const struct field *field);

#endif
