/* The declared environment of a program or plugin, with its secrets filled in. */
#ifndef RUNTIME_BIND_ENV_H
#define RUNTIME_BIND_ENV_H

#include "runtime/bound.h"

/* Fills in choice->env; ${env:NAME} is all that may stand in a value. What may not be read or is
 * not set is a message at the implementation. */
void bind_environment(gramc_bound *bound, struct bound_tool *choice);
/* The implementation as it is started: with that environment. Valid as long as what is bound. */
gramc_impl bound_started(const struct bound_tool *choice);

#endif
