/* What the files share that describe one schema as a type: label.c says what it is, property.c what
 * its keywords say, type.c puts fields and definitions together. */
#ifndef COMPILER_IMPORTER_DESCRIPTION_H
#define COMPILER_IMPORTER_DESCRIPTION_H

#include "compiler/importer/parts.h"
#include "compiler/type_properties.h"

enum { LARGEST_RAW = 1 << 18 };

/* One type being described. */
struct description {
    struct importer *in;
    const struct json *schema;
    gramc_text label;
    enum type_kind kind;
    struct doc *properties;         /* a list in braces */
    struct doc *items;              /* the value of the property of that name; NULL: none */
    struct doc *elements;           /* of a definition: its fields */
    struct buf raw;                 /* members of `schema`, as JSON */
    struct json *kept;              /* annotations, for `meta`; NULL: there are none */
    const struct import_type *type; /* of a definition; NULL: it is none */
    bool nullable, is_field;
    bool fields_open; /* the fields are said as elements */
};

/* Keywords that the label or the members of it have said already. */
struct type_words {
    const char *keywords[8];
    size_t count;
};

/* ## property.c */

void words_note(struct type_words *said, const char *keyword);
bool words_have(const struct type_words *said, gramc_text keyword);

/* `key: value` in its braces. */
void description_add(struct description *d, const char *key, struct doc *value);
/* `name: value` in a map */
void description_entry(struct description *d, struct doc *map, gramc_text name, struct doc *value);
bool description_is_marked(const struct description *d, enum import_mark mark);
/* In the last round: a part of the schema is left out. */
void description_lose(struct description *d, const struct json *at, gramc_text why);
/* The member stands in `schema`. */
void description_raw(struct description *d, const struct json *member);
/* It has no property: if it demands nothing it stands in `meta`, else in `schema`. */
void description_rest(struct description *d, const struct json *member);
/* `meta` with what was kept. */
void description_add_meta(struct description *d);
void description_add_raw(struct description *d);
/* What a schema says for a property; NULL: nothing, or it is not written by its keyword. */
const struct json *description_said(const struct json *schema, enum type_property property);
/* The value as the property, or as raw schema. */
void description_property(struct description *d, enum type_property property,
                          const struct json *value);
/* All members that were not said already. */
void description_keywords(struct description *d, const struct type_words *said);

/* ## label.c */

void description_label(struct description *d, const char *label, enum type_kind kind);
/* The name of a named type is the label. False: the schema is not of one. */
bool description_choose_named(struct description *d, struct type_words *said);
/* The label by what the schema says of itself, with its members. */
void description_choose(struct description *d, struct type_words *said);
/* `allOf`, as AllOf or beside the type that there is. */
void description_choose_all(struct description *d, struct type_words *said);

/* ## type.c */

struct description description_new(struct importer *in, const struct json *schema, bool is_field);
/* Each required name once, and each of them a property. */
bool description_requires_fields(const struct json *schema);
bool description_requires_once(const struct json *schema);
/* `required: ["id"]`: what `schema` demands and has no property for. */
void description_required_names(struct description *d, const struct json *schema);

#endif
