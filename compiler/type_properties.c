/* Looks up the properties of types in their table, type_properties.def, by whatever spelling. How a
 * value is read is schema_properties.c's, how it is printed emit/json_schema.c's. */
#include "compiler/type_properties.h"

#include "base/text.h"

#include <string.h>

#define KIND(kind) (1U << TYPE_##kind)
#define NUMERIC (KIND(INTEGER) | KIND(NUMBER))
#define ARRAY_OR_TUPLE (KIND(ARRAY) | KIND(TUPLE))
#define UNION (KIND(ANY_OF) | KIND(ONE_OF))
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

static bool is_name(gramc_text key, gramc_text name) {
    return key.len == name.len && memcmp(key.ptr, name.ptr, name.len) == 0;
}

enum type_property type_property_named(gramc_text spelling) {
    if (!spelling.len) return TYPE_PROPERTIES;
    for (size_t i = 0; i < TYPE_PROPERTIES; i++)
        if (is_name(spelling, rows[i].name)) return (enum type_property)i;
    for (size_t i = 0; i < OTHERS; i++)
        if (text_is(spelling, others[i].spelling)) return others[i].property;
    enum keyword keyword = keyword_named(spelling);
    size_t i = keyword == K_COUNT ? TYPE_PROPERTIES : 0;
    while (i < TYPE_PROPERTIES && rows[i].keyword != keyword) i++;
    return (enum type_property)i;
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
