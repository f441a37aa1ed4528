/* Properties that say nothing under the agent's strategy. */
#ifndef COMPILER_STRATEGY_H
#define COMPILER_STRATEGY_H

#include "compiler/agent.h"

void strategy_check(struct pass *pass, struct agent *agent, const struct subject *subject);

#endif
