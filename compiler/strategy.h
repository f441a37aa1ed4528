/* Properties that say nothing under the agent's strategy. */
#ifndef COMPILER_STRATEGY_H
#define COMPILER_STRATEGY_H

#include "compiler/agent.h"

void strategy_check(struct pass *pass, struct agent *agent, const struct subject *subject);
/* Whether `coerce` is on where the agent does not say. */
bool strategy_coerces(const gramc_agent *agent);

#endif
