/* The properties of types, `{min: 0, default: 5}`, and the keywords of JSON Schema that they are
 * printed as: one table for reading, printing, importing and formatting. */
#ifndef COMPILER_TYPE_PROPERTIES_H
#define COMPILER_TYPE_PROPERTIES_H

#include "compiler/types.h"
#include "jsonschema/keywords.h"

enum type_property {
#define PROPERTY(id, name, keyword, kinds, place, says) P_##id,
#include "compiler/type_properties.def"
#undef PROPERTY
    TYPE_PROPERTIES
};

enum property_place { PLACE_ANYWHERE, PLACE_FIELDS_ONLY, PLACE_MAPS_ONLY };

/* TEXT and JSON are kept as constraints. */
enum property_says { SAYS_TEXT, SAYS_JSON, SAYS_TYPE, SAYS_FIELDS, SAYS_OTHER };

struct type_property_row {
    gramc_text name;
    enum keyword keyword; /* K_COUNT: none of its own */
    unsigned kinds;       /* 1 << enum type_kind: types that it says something about */
    enum property_place place;
    enum property_says says;
};

/* `property` is not TYPE_PROPERTIES. */
const struct type_property_row *type_property_row(enum type_property property);
/* By its own name or a spelling of JSON Schema; TYPE_PROPERTIES: no property of types. */
enum type_property type_property_named(gramc_text spelling);
/* The same with what is said by it: `additionalProperties` tells whether there are other names, a
 * flag, or of which type they are. */
enum type_property type_property_said(gramc_text spelling, bool is_flag);
/* The name on the wire: the keyword's, its own if there is none. */
gramc_text type_property_printed(enum type_property property);
/* All that is accepted, each once; returns how many. */
enum { MOST_SPELLINGS = 2 * TYPE_PROPERTIES + 8 };
size_t type_property_spellings(gramc_text out[MOST_SPELLINGS]);

#endif
