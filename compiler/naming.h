/* Names that are not written as the configuration asks. */
#ifndef COMPILER_NAMING_H
#define COMPILER_NAMING_H

#include "compiler/spec.h"

void naming_check(struct pass *pass, const struct gramc_spec *spec);

#endif
