/* The registry of functions that a library reaches by name. */
#ifndef RUNTIME_BUILTIN_H
#define RUNTIME_BUILTIN_H

#include "base/mem.h"
#include "gramc/runtime.h"

struct builtin_entry {
    gramc_builtin builtin;
    struct builtin_entry *next;
};

struct gramc_builtins {
    struct arena arena;
    struct builtin_entry *first, *last;
    size_t count;
};

/* NULL if nobody registered it. */
const gramc_builtin *builtins_find(const gramc_builtins *builtins, gramc_text name);
/* The registered name nearest to `name`, or {NULL, 0}. */
gramc_text builtins_nearest(const gramc_builtins *builtins, gramc_text name);

/* The i-th function that every registry starts with; NULL past the end. */
const gramc_builtin *builtin_standard(size_t i);

#endif
