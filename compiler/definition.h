/* Named types and vocabulary: the top-level patterns that define what a name means. */
#ifndef COMPILER_DEFINITION_H
#define COMPILER_DEFINITION_H

#include "compiler/schema.h"

struct gramc_spec;

enum definition_state { DEFINITION_NEW, DEFINITION_BUSY, DEFINITION_DONE };

/* A name that a type's schema mentions. */
struct mention {
    struct mention *next;
    struct definition *to;
};

struct definition {
    struct definition *next;
    gramc_text name;
    struct span name_at;
    const struct source *source;
    const struct pattern *pattern; /* NULL once it has been read */
    struct name base;              /* its first label */
    const struct type_row *row;    /* the base type in the end; NULL: it has none, it is no type */
    struct field field; /* its schema, and what a parameter that reuses it takes besides */
    enum definition_state state;
    bool is_type, is_word;    /* something names it as its type; a parameter reuses it */
    bool cyclic;              /* it is built on itself: reported, and not to be followed */
    bool by_reference;        /* recursive or very large: printed under $defs, not in line */
    bool inhabited;           /* some finite value satisfies it */
    bool settled;             /* its unions end at something other than themselves */
    uint32_t walk;            /* which search for a union of itself came by; 0: none */
    struct mention *mentions; /* these three for the search of cycles */
    uint32_t index, low, component;
    bool on_stack;
    uint32_t links;       /* of the chain of bases, itself included */
    uint32_t size, depth; /* printed in line: schemas in all, and inside each other */
    /* Of a type that has no name in the source, what it is made from; NULL: a named type. Of a
     * record that was cut (cut.c) a copy of what says how; NULL: one that a use adds to (split.c).
     */
    const struct schema *cut_from, *cut_by;
};

/* Notes a top-level pattern that may be a definition. */
void definition_collect(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* Once all are noted: follows bases, reads those that are types, and reports the others through
 * `not_a_type`. */
void definitions_read(struct pass *pass, struct gramc_spec *spec,
                      void (*not_a_type)(struct pass *pass, const struct pattern *pattern));
/* Finds recursion, and what would be too large in line; before any schema is printed. */
void definitions_measure(struct pass *pass, struct gramc_spec *spec);
/* Finds types without values, names and fields that are defined twice; checks data. */
void definitions_check(struct pass *pass, struct gramc_spec *spec);

/* The type of that name; NULL if there is none. */
/* Whatever bears the name, even if it turned out to be no type. */
const struct definition *definition_named(const struct pass *pass, gramc_text name);
struct definition *definition_find(const struct pass *pass, gramc_text name);
/* The definition that is spelt most like it; {NULL, 0} if none is near. */
gramc_text definition_nearest(const struct pass *pass, gramc_text name);

#endif
