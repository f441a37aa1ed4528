/* Looks up the properties of types in their table, type_properties.def, by whatever spelling. How a
 * value is read is schema_properties.c's, how it is printed schema_json.c's. */
#include "compiler/type_properties.h"

#include "base/text.h"

#define KIND(kind) (1U << TYPE_##kind)
#define NUMERIC (KIND(INTEGER) | KIND(NUMBER))
#define ARRAY_OR_TUPLE (KIND(ARRAY) | KIND(TUPLE))
#define CHOICE (KIND(ANY_OF) | KIND(ONE_OF))
#define UNION (CHOICE | KIND(ALL_OF))
#define NAMED (KIND(OBJECT) | KIND(MAP))
#define EVERY ((1U << TYPE_KINDS) - 1)

static const struct type_property_row rows[TYPE_PROPERTIES] = {
#define PROPERTY(id, name, keyword, kinds, place, says)                                            \
    {{name, sizeof(name) - 1}, K_##keyword, kinds, PLACE_##place, SAYS_##says},
#include "compiler/type_properties.def"
#undef PROPERTY
};

/* Spellings beside a property's name and its keyword. */
static const struct {
    const char *spelling;
    enum type_property property;
} others[] = {{"elementType", P_ITEMS}, {"prefixItems", P_ITEMS}, {"oneOf", P_OF}};

enum { OTHERS = sizeof others / sizeof *others };

_Static_assert(OTHERS <= MOST_SPELLINGS - 2 * TYPE_PROPERTIES, "room for all spellings");

const struct type_property_row *type_property_row(enum type_property property) {
    return &rows[property];
}

/* The only property that this may be a spelling of; TYPE_PROPERTIES: none. */
static enum type_property candidate(gramc_text spelling) {
    switch (text_key(spelling)) {
    case TEXT_KEY(4, 't', 'y', 'e'): return P_TYPE;
    case TEXT_KEY(5, 't', 'i', 'e'): return P_TITLE;
    case TEXT_KEY(11, 'd', 'e', 'n'): return P_DESCRIPTION;
    case TEXT_KEY(6, 'f', 'o', 't'): return P_FORMAT;
    case TEXT_KEY(5, 'i', 't', 's'):
    case TEXT_KEY(11, 'e', 'l', 'e'):
    case TEXT_KEY(11, 'p', 'r', 's'): return P_ITEMS;
    case TEXT_KEY(4, 'e', 'n', 'm'): return P_ENUM;
    case TEXT_KEY(5, 'c', 'o', 't'): return P_CONST;
    case TEXT_KEY(3, 'm', 'i', 'n'):
    case TEXT_KEY(7, 'm', 'i', 'm'): return P_MIN;
    case TEXT_KEY(3, 'm', 'a', 'x'):
    case TEXT_KEY(7, 'm', 'a', 'm'): return P_MAX;
    case TEXT_KEY(5, 'r', 'a', 'e'): return P_RANGE;
    case TEXT_KEY(5, 'a', 'b', 'e'): return P_ABOVE;
    case TEXT_KEY(5, 'b', 'e', 'w'): return P_BELOW;
    case TEXT_KEY(10, 'm', 'u', 'f'): return P_MULTIPLE_OF;
    case TEXT_KEY(9, 'm', 'i', 'h'): return P_MIN_LENGTH;
    case TEXT_KEY(9, 'm', 'a', 'h'): return P_MAX_LENGTH;
    case TEXT_KEY(7, 'p', 'a', 'n'): return P_PATTERN;
    case TEXT_KEY(8, 'm', 'i', 's'): return P_MIN_ITEMS;
    case TEXT_KEY(8, 'm', 'a', 's'): return P_MAX_ITEMS;
    case TEXT_KEY(13, 'm', 'i', 's'): return P_MIN_NAMES;
    case TEXT_KEY(13, 'm', 'a', 's'): return P_MAX_NAMES;
    case TEXT_KEY(6, 'u', 'n', 'e'):
    case TEXT_KEY(11, 'u', 'n', 's'): return P_UNIQUE;
    case TEXT_KEY(2, 'b', 'y', 'y'): return P_BY;
    case TEXT_KEY(2, 'o', 'f', 'f'):
    case TEXT_KEY(5, 'a', 'n', 'f'):
    case TEXT_KEY(5, 'o', 'n', 'f'): return P_OF;
    case TEXT_KEY(5, 'a', 'l', 'f'): return P_ALL_OF;
    case TEXT_KEY(6, 'f', 'i', 's'):
    case TEXT_KEY(10, 'p', 'r', 's'): return P_FIELDS;
    case TEXT_KEY(4, 'o', 'p', 'n'):
    case TEXT_KEY(20, 'a', 'd', 's'): return P_OPEN;
    case TEXT_KEY(6, 'v', 'a', 's'): return P_VALUES;
    case TEXT_KEY(4, 'k', 'e', 's'):
    case TEXT_KEY(13, 'p', 'r', 's'): return P_KEYS;
    case TEXT_KEY(8, 'p', 'a', 's'):
    case TEXT_KEY(17, 'p', 'a', 's'): return P_PATTERNS;
    case TEXT_KEY(6, 's', 'e', 't'): return P_SECRET;
    case TEXT_KEY(4, 'p', 'i', 'k'): return P_PICK;
    case TEXT_KEY(4, 'o', 'm', 't'): return P_OMIT;
    case TEXT_KEY(7, 'p', 'a', 'l'): return P_PARTIAL;
    case TEXT_KEY(8, 'n', 'u', 'e'): return P_NULLABLE;
    case TEXT_KEY(7, 'd', 'e', 't'): return P_DEFAULT;
    case TEXT_KEY(8, 'e', 'x', 's'): return P_EXAMPLES;
    case TEXT_KEY(10, 'd', 'e', 'd'): return P_DEPRECATED;
    case TEXT_KEY(4, 'm', 'e', 'a'): return P_META;
    case TEXT_KEY(8, 'r', 'e', 'y'): return P_READ_ONLY;
    case TEXT_KEY(9, 'w', 'r', 'y'): return P_WRITE_ONLY;
    case TEXT_KEY(4, 'r', 'e', 't'): return P_REST;
    case TEXT_KEY(6, 's', 'c', 'a'): return P_SCHEMA;
    case TEXT_KEY(4, 'n', 'a', 'e'): return P_NAME;
    case TEXT_KEY(8, 'r', 'e', 'd'): return P_REQUIRED;
    case TEXT_KEY(8, 'o', 'p', 'l'): return P_OPTIONAL;
    case TEXT_KEY(16, 'e', 'x', 'm'):
        return text_is(spelling, "exclusiveMinimum") ? P_ABOVE : P_BELOW;
    default: return TYPE_PROPERTIES;
    }
}

static bool is_spelling(gramc_text text, enum type_property property) {
    if (text_eq(text, rows[property].name)) return true;
    bool same = text_eq(text, type_property_printed(property));
    for (size_t i = 0; i < OTHERS && !same; i++)
        same = others[i].property == property && text_is(text, others[i].spelling);
    return same;
}

enum type_property type_property_named(gramc_text spelling) {
    enum type_property property = candidate(spelling);
    bool known = property != TYPE_PROPERTIES && is_spelling(spelling, property);
    return known ? property : TYPE_PROPERTIES;
}

enum type_property type_property_said(gramc_text spelling, bool is_flag) {
    enum type_property property = type_property_named(spelling);
    bool is_type = property == P_OPEN && !is_flag && !text_eq(spelling, rows[P_OPEN].name);
    return is_type ? P_VALUES : property;
}

gramc_text type_property_printed(enum type_property property) {
    const struct type_property_row *row = &rows[property];
    return row->keyword == K_COUNT ? row->name : keyword_row(row->keyword)->name;
}

size_t type_property_spellings(gramc_text out[MOST_SPELLINGS]) {
    size_t count = 0;
    for (enum type_property p = 0; p < TYPE_PROPERTIES; p++) {
        gramc_text printed = type_property_printed(p);
        out[count++] = rows[p].name;
        if (!text_eq(printed, rows[p].name) && type_property_named(printed) == p)
            out[count++] = printed;
    }
    for (size_t i = 0; i < OTHERS; i++) out[count++] = text_of(others[i].spelling);
    return count;
}
