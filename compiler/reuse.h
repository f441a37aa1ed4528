/* Parameters that are written with their name alone, and mean what the vocabulary says. */
#ifndef COMPILER_REUSE_H
#define COMPILER_REUSE_H

#include "compiler/schema.h"

struct reuse {
    struct reuse *next;
    struct field *field; /* without a schema until it is resolved */
    const struct pattern *node;
    const struct source *source;
};

/* Gives them their meaning, once all tools and definitions are read. */
void reuses_resolve(struct pass *pass, struct gramc_spec *spec);
/* Same schema, default and optionality, whatever their names. */
bool fields_mean_the_same(struct pass *pass, const struct field *a, const struct field *b);

#endif
