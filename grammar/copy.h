/* Patterns that outlive their tree. */
#ifndef GRAMMAR_COPY_H
#define GRAMMAR_COPY_H

#include "grammar/tree.h"

/* The pattern with all that is in it, without its siblings; texts are shared. NULL without memory
 * (arena->oom). */
struct pattern *pattern_copy(struct arena *arena, const struct pattern *pattern);

#endif
