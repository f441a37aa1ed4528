/* The schema IR: what a type in a signature means, before any target prints it. Small and closed;
 * every target prints from it. */
#ifndef COMPILER_SCHEMA_H
#define COMPILER_SCHEMA_H

#include "base/buf.h"
#include "base/json/sink.h"
#include "base/map.h"
#include "compiler/compilation.h"
#include "compiler/type_properties.h"

struct definition;
struct raw_schema; /* raw_schema.h */

/* One property that was said as text or JSON. Most types say two or three, so they are a list and
 * no struct. */
struct constraint {
    struct constraint *next;
    gramc_text text; /* a text (title, description, format, pattern), else JSON, compact */
    struct span at;  /* of the value */
    enum type_property property;
    bool has_document; /* it is the beginning of a struct data_constraint */
    bool is_described; /* and that of a struct described_enum */
};

/* One that holds a list or map: built once, with spans in `text`. */
struct data_constraint {
    struct constraint constraint;
    const struct json *document;
};
/* NULL: not a list or map. */
/* `enum: {red: "stop"}`: as many texts as there are members. */
struct described_enum {
    struct data_constraint data;
    const gramc_text *descriptions;
};

const struct json *constraint_json(const struct constraint *c);

/* A flag that a type may leave to the type that it is built on. */
enum said { UNSAID, SAID_TRUE, SAID_FALSE };

/* A type as it is used at one place. What is not said here is as in `base`: a named type's own
 * schema, or the parameter that is reused. Ask through the functions below, which follow it. */
struct schema {
    const struct type_row *type; /* the base type in the end; NULL: none, or an unknown one */
    const struct schema *base;
    const struct definition *definition; /* the named type that `base` belongs to, if it is one */
    struct constraint *constraints;
    struct schema *inner;         /* of an array's items; NULL is any */
    struct schema *values;        /* of a map, of names without a field; NULL: any */
    struct schema *keys;          /* of an object's names; NULL: any */
    struct field *patterns;       /* of names that match, besides those of the base */
    struct field *fields;         /* TYPE_OBJECT: besides those of the base */
    struct member *members;       /* of a tuple or union */
    struct member *all;           /* what a value must fit besides, and besides those of the base */
    const struct raw_schema *raw; /* `schema`: its keywords replace ours */
    struct span span;             /* of what says it */
    uint8_t kind;                 /* enum type_kind */
    uint8_t open, unique, nullable, deprecated; /* enum said */
    bool has_fields;                            /* said, though perhaps empty */
};

struct member {
    struct member *next;
    struct schema *schema;
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

/* The constraints that were said, here or by the base: PROPERTY_BIT() of each. */
#define PROPERTY_BIT(property) (UINT64_C(1) << (property))
_Static_assert(TYPE_PROPERTIES <= 64, "a bit for each property");
uint64_t schema_said(const struct schema *schema);
/* What was said for a property, here or by the base; NULL: nothing. */
const struct constraint *schema_find(const struct schema *schema, enum type_property property);
/* The same, as text; empty: nothing. */
gramc_text schema_get(const struct schema *schema, enum type_property property);
bool schema_is_nullable(const struct schema *schema);
bool schema_is_unique(const struct schema *schema);
bool schema_is_deprecated(const struct schema *schema);
enum said schema_open(const struct schema *schema);
const struct schema *schema_inner(const struct schema *schema);
const struct schema *schema_values(const struct schema *schema);
const struct schema *schema_keys(const struct schema *schema);
bool schema_has_patterns(const struct schema *schema);
/* True if that name must be there: a field that is not optional, or one of `required`. */
bool schema_requires(const struct schema *schema, gramc_text name);
const struct member *schema_members(const struct schema *schema);
/* True for AnyOf and OneOf: one of its members decides. */
bool schema_is_choice(const struct schema *schema);
/* True if it, or its base, says types that a value must fit besides. */
bool schema_has_all(const struct schema *schema);
const struct raw_schema *schema_raw(const struct schema *schema);
bool schema_has_fields(const struct schema *schema);
/* All fields, those of the base first:
 *     struct field_walk walk = field_walk(schema);
 *     for (const struct field *f; (f = field_next(&walk)) != NULL;) ... */
enum { WALKED_LINKS = 8 };
struct field_walk {
    const struct schema *schema, *at; /* where it began; whose fields it is at */
    const struct field *next;
    /* What follows `at`, the next one last: a chain is gone through from its end, where it leads.
     */
    const struct schema *links[WALKED_LINKS];
    unsigned left, newest;
};
struct field_walk field_walk(const struct schema *schema);
const struct field *field_next(struct field_walk *walk);

/* The types that it says itself, each once, whatever they are for:
 *     struct part_walk walk = part_walk(schema);
 *     for (const struct schema *part; part_next(&walk, &part);) ...
 * A part is NULL where an error was found. */
struct part_walk {
    const struct schema *schema;
    const struct field *field;
    const struct member *member;
    unsigned stage;
    bool skips_fields;
};
struct part_walk part_walk(const struct schema *schema);
bool part_next(struct part_walk *walk, const struct schema **part);

/* True for what is built on a named type and has fields, items, members or patterns besides. */
bool schema_adds_parts(const struct schema *schema);

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
 * name, and is NULL for a result. NULL with findings if there is no type. That of a field
 * may be shared with others. */
struct schema *schema_of_node(struct pass *pass, const struct pattern *node, struct field *field);

/* Fills in a schema that exists: label and record of a pattern that has a label. */
void schema_read(struct pass *pass, struct schema *schema, const struct pattern *node,
                 struct field *field);
/* Makes `field` a use of another parameter or definition; the node's own properties replace. */
void schema_reuse(struct pass *pass, struct field *field, const struct pattern *node,
                  const struct field *other);
/* Reads the elements of a named type: the fields of a record, the members of a tuple or union. */
void schema_read_elements(struct pass *pass, struct schema *schema, const struct pattern *first);

enum schema_style {
    SCHEMA_PRINTED = 0,
    SCHEMA_CHECKED = 1,         /* with the bounds that are only checked (Long) */
    SCHEMA_META = 4,            /* with what `meta` says */
    SCHEMA_DEFS = 2,            /* all named types as references, not only the recursive ones */
    SCHEMA_WITHOUT_CHOICES = 8, /* the root without its enum and const */
    SCHEMA_FLAT = 16,   /* nothing about what is inside a value: for scalars and what is empty */
    SCHEMA_OUTLINE = 32 /* nor what other types say, named ones or members: does it compile? */
};
/* Describes a whole schema as JSON Schema 2020-12: $defs at its end if it needs any. `style` is
 * schema_style, or-ed. True if it has bounds that are checked and not printed. */
bool schema_put(struct json_sink *sink, const struct schema *schema, unsigned style);
/* As bytes, compact. */
void schema_print(struct buf *out, const struct schema *schema, unsigned style);
/* As bytes of the arena and as a document with spans in them, at once. */
struct built_schema {
    gramc_text text;
    const struct json *document; /* NULL as in schema_document */
    bool hides_bounds;           /* some are checked and not printed */
};
struct built_schema schema_build(struct arena *arena, const struct schema *schema, unsigned style);
/* As a document; NULL without memory (arena->oom), and when it is nested too deeply for JSON. Its
 * texts are those of the schema. */
const struct json *schema_document(struct arena *arena, const struct schema *schema,
                                   unsigned style);

/* Reports bounds that contradict each other, patterns that cannot be compiled, and defaults, enum
 * members, constants and examples that do not fit, here and in everything inside. field is NULL
 * for a result. */
void schema_check(struct pass *pass, const struct schema *schema, const struct field *field);
/* What no value satisfies though nothing in it contradicts itself, and what never counts
 * (impossible.c). For schemas whose parts are sound. */
void impossible_check(struct pass *pass, const struct schema *schema);
/* Example calls of a tool: each must be arguments that these accept. `closed`: others than those
 * that are named are refused. */
void examples_check(struct pass *pass, const struct schema *arguments, bool closed,
                    const struct constraint *examples);

#endif
