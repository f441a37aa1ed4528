/* The types that a label can name: one table, both vocabularies. */
#ifndef COMPILER_TYPES_H
#define COMPILER_TYPES_H

#include "gramc/gramc.h"

enum type_kind {
    TYPE_ANY,
    TYPE_NULL,
    TYPE_STRING,
    TYPE_INTEGER,
    TYPE_NUMBER,
    TYPE_BOOLEAN,
    TYPE_OBJECT, /* fields, open or not */
    TYPE_MAP,    /* any names, values of one type */
    TYPE_ARRAY,
    TYPE_TUPLE,  /* a fixed number of items, each of its own type */
    TYPE_ANY_OF, /* at least one of its members fits */
    TYPE_ONE_OF, /* exactly one */
    TYPE_ALL_OF, /* all of them: it says no type of its own */
    TYPE_KINDS
};

struct type_row {
    const char *label;
    enum type_kind kind;
    const char *format;    /* printed and asserted */
    const char *min, *max; /* bounds that belong to the type */
    bool bounds_hidden;    /* checked, not printed */
    bool one_character;
};

/* NULL if the label names no type. */
const struct type_row *type_find(gramc_text label);
/* Which row it is, from 0 up. */
enum { TYPE_LABELS = 32 };
size_t type_index(const struct type_row *row);
/* The label nearest to a misspelt one; {NULL, 0} if none is near. */
gramc_text type_nearest(gramc_text label);
/* The i-th label, NULL past the end. */
const char *type_label(size_t i);
/* "string", "integer"...; NULL for TYPE_ANY and unions. */
const char *type_json_name(enum type_kind kind);

#endif
