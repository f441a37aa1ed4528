/* The inside of a gramc_compilation: sources with their trees, the findings, and what the passes
 * share. Every pass takes a `struct pass`: the compilation and the source that it reads. */
#ifndef COMPILER_COMPILATION_H
#define COMPILER_COMPILATION_H

#include "base/diag/diag.h"
#include "grammar/tree.h"
#include "gramc/compile.h"

struct unit {
    struct source source;
    struct tree *tree;
    struct unit *next;
    bool has_errors; /* of syntax */
};

struct gramc_compilation {
    struct arena arena;
    struct findings findings;
    gramc_reader reader;
    bool plain, strict_vocabulary, strict, keep_types;
    bool evaluates_format; /* gramc_source_check_format was asked: the findings are those of fmt */
    struct source *first_source, *last_source; /* of all units, the configuration's too */
    struct unit *units, *last;
    const struct config *config; /* NULL: none was added */
    uint32_t withheld;           /* errors that are not reported, but leave nothing to compile */
    struct gramc_spec *spec;     /* NULL before gramc_compile */
};

struct config;
struct pass {
    gramc_compilation *compilation;
    struct arena *arena;       /* the compilation's */
    struct findings *findings; /* the compilation's */
    const struct source *source;
};

/* Parses a text that is none of `units` yet; NULL without memory. */
struct unit *unit_parse(gramc_compilation *compilation, gramc_text name, gramc_text text,
                        bool plain);

/* Frees what a spec holds outside the arena (validators); NULL is fine. */
void spec_free(struct gramc_spec *spec);

#endif
