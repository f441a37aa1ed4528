/* The inside of a gramc_compilation: sources with their trees, the findings, and what the passes
 * share. Every pass takes a `struct pass`: the compilation and the source that it reads. */
#ifndef COMPILER_COMPILATION_H
#define COMPILER_COMPILATION_H

#include "base/diag.h"
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
    bool plain, strict_vocabulary, keep_types;
    struct unit *units, *last;
    struct gramc_spec *spec; /* NULL before gramc_compile */
};

struct pass {
    gramc_compilation *compilation;
    struct arena *arena;       /* the compilation's */
    struct findings *findings; /* the compilation's */
    const struct source *source;
};

/* Frees what a spec holds outside the arena (validators); NULL is fine. */
void spec_free(struct gramc_spec *spec);

#endif
