/* Unions whose members are told apart by one field: `OneOf {by: kind}`. */
#ifndef COMPILER_TOLD_APART_H
#define COMPILER_TOLD_APART_H

#include "compiler/schema.h"

/* Reports members that the field does not tell apart from the others. */
void told_apart_check(struct pass *pass, const struct schema *schema);

#endif
