/* Whether two members of a union can be told apart by a glance. */
#ifndef COMPILER_ARMS_H
#define COMPILER_ARMS_H

#include "compiler/schema.h"

/* True if a comparison of the two could not prove that every value of `a` is one of `b`: their JSON
 * types, constants, choices or required fields say so. False says nothing. Takes away from `steps`
 * what it did; without any left it says nothing. */
bool arms_differ(const struct schema *a, const struct schema *b, uint64_t *steps);

#endif
