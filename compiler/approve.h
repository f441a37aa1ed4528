/* `approve: always`, of tools, implementations and boxes. */
#ifndef COMPILER_APPROVE_H
#define COMPILER_APPROVE_H

#include "compiler/compilation.h"
#include "gramc/spec.h"

/* GRAMC_APPROVE_UNSAID after a finding. */
gramc_approve approve_read(struct pass *pass, const struct value *value);
/* As it is written; empty: it is not said. */
gramc_text approve_word(gramc_approve approve);

/* Of a tristate: -1 is nothing. */
gramc_said said_of(int tristate);
/* "true", "false"; ptr NULL: nothing is said. */
gramc_text said_word(gramc_said said);

#endif
