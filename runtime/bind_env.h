/* The declared environment of a program or plugin, with its secrets filled in. */
#ifndef RUNTIME_BIND_ENV_H
#define RUNTIME_BIND_ENV_H

#include "runtime/bound.h"

/* What a program or plugin is started with. */
struct bound_environment {
    const gramc_text *pairs; /* NAME=value, env_count of the implementation */
    const char *problem;     /* why it cannot be used; NULL: it can */
};

/* Makes choice->data, a struct bound_environment; ${env:NAME} is all that may stand in a value.
 * What may not be read or is not set is a message at the implementation. */
void bind_environment(gramc_bound *bound, struct bound_tool *choice);
/* The implementation of a call as it is started, with that environment; it is valid as long as what
 * is bound. False: the call has failed, since the environment cannot be used. */
bool bound_started(struct tool_call *call, gramc_impl *out);

#endif
