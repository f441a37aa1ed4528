/* One name with two types: within an agent and across the compilation. */
#ifndef COMPILER_VOCABULARY_H
#define COMPILER_VOCABULARY_H

#include "compiler/spec.h"

void vocabulary_check(struct pass *pass, const struct gramc_spec *spec);

#endif
