/* Properties of agents, tools and libraries, read by table: which names there are, what kind of
 * value each takes, where it goes. Whatever is not in the table is a finding. */
#ifndef COMPILER_PROPERTIES_H
#define COMPILER_PROPERTIES_H

#include "compiler/compilation.h"

enum property_kind {
    PROPERTY_TEXT,     /* gramc_text: a string, a symbol, a fence, or {file: "prompt.md"} */
    PROPERTY_NAME,     /* the same, and not empty */
    PROPERTY_NUMBER,   /* gramc_text: a number as it is spelled */
    PROPERTY_COUNT,    /* uint32_t: a whole number from 1 up */
    PROPERTY_FLAG,     /* bool */
    PROPERTY_TRISTATE, /* int: 1 or 0; the caller presets what means "not said" */
    PROPERTY_DURATION, /* uint32_t: milliseconds, from 500ms, 30s, 5m, 1h */
    PROPERTY_META,     /* gramc_text: a map, as JSON */
    PROPERTY_VALUE,    /* const struct value *: for the caller to read */
    PROPERTY_IGNORED   /* known, kept in the tree, no meaning here (`meta`) */
};

struct property_row {
    const char *name;
    enum property_kind kind;
    size_t offset; /* in the struct that is filled in */
};

/* Fills `into` from the properties; `owner` names the pattern in messages ("agents"). */
void properties_read(struct pass *pass, const struct property *first,
                     const struct property_row *rows, size_t row_count, void *into,
                     const char *owner);

/* The value of one text property; false after a finding. */
bool text_property_read(struct pass *pass, const struct property *property, gramc_text *out);
/* Says that a file that the source names cannot be read, and why; `failure` is a reader's. */
void find_unreadable(struct pass *pass, struct span at, gramc_text path, int failure);
/* True if the table has a row of that name. */
bool rows_have(const struct property_row *rows, size_t count, gramc_text key);

/* The property of that name, or NULL. */
const struct property *property_find(const struct subject *subject, const char *name);
/* Where its value stands; empty: there is none of that name. */
struct span property_place(const struct subject *subject, const char *name);

/* Says that the property takes something else, and how it is written if that can be guessed. */
void find_wrong_value(struct pass *pass, const struct property *property, const char *wanted);
/* The same of a value that may stand deeper in a property. */
void find_wrong_value_of(struct pass *pass, const struct value *value, gramc_text key,
                         const char *wanted);
/* Says that the value is no such whole number: with the number itself where it is one. */
void find_wrong_count(struct pass *pass, const struct property *property, const char *wanted);

/* Milliseconds of a measurement such as 30s; false with a finding. */
bool duration_read(struct pass *pass, const struct property *property, uint32_t *out);

#endif
