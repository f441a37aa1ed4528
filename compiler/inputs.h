/* The inputs of an agent: the ${names} that its instruction and prompts hold. */
#ifndef COMPILER_INPUTS_H
#define COMPILER_INPUTS_H

#include "compiler/agent.h"

/* Lists them in the agent, each once, in the order of their first use. */
void inputs_find(struct pass *pass, struct agent *agent);

#endif
