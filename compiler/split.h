/* Uses of a recursive type that add to it, inside itself. */
#ifndef COMPILER_SPLIT_H
#define COMPILER_SPLIT_H

#include "compiler/definition.h"

/* What adds to a type of the same component stands in no line, as that would have no end: makes it
 * a type of its own. For a type that is recursive; its component must be known. */
void uses_split(struct pass *pass, struct gramc_spec *spec, const struct definition *owner);

#endif
