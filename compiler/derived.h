/* What a type may say that is built on a named one. */
#ifndef COMPILER_DERIVED_H
#define COMPILER_DERIVED_H

#include "compiler/schema.h"

/* Reports what loosens the named type that it is built on; for every type and use. */
void derived_check(struct pass *pass, const struct schema *schema);
/* Reports what a definition cannot say as a type. */
void derived_check_type(struct pass *pass, const struct definition *definition);

#endif
