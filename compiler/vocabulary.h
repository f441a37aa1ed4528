/* One name with two types: within an agent and across the compilation. */
#ifndef COMPILER_VOCABULARY_H
#define COMPILER_VOCABULARY_H

#include "compiler/spec.h"

/* Learns the names of a tool as it is read; all tools in order, or none is taken for known. */
void vocabulary_learn(struct pass *pass, struct gramc_spec *spec, const struct tool *tool);
void vocabulary_check(struct pass *pass, const struct gramc_spec *spec);

#endif
