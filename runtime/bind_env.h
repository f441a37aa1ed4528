/* The declared environment of a program or plugin, with its secrets filled in. */
#ifndef RUNTIME_BIND_ENV_H
#define RUNTIME_BIND_ENV_H

#include "runtime/bound.h"

/* What a program or plugin is started with. */
struct bound_environment {
    const gramc_text *pairs; /* NAME=value */
    size_t count;
    const char *problem;                 /* why it cannot be used; NULL: it can */
    const gramc_sandbox *sandbox, *said; /* see struct sandboxed; held, or NULL */
};

/* For a program with its argv, folder, file and env; `who` it is, for messages: "tool `x`". Decides
 * on its sandbox, too. NULL without memory; a message fails the binding. */
struct bound_environment *environment_make(gramc_bound *bound, const gramc_impl *program,
                                           gramc_text who);
/* For the vtables of kinds that start programs. */
const gramc_sandbox *environment_sandbox(const void *environment);

/* Makes choice->data, a struct bound_environment; ${env:NAME} is all that may stand in a value.
 * What may not be read or is not set is a message at the implementation, and so is a sandbox that
 * cannot be had. */
void bind_environment(gramc_bound *bound, struct bound_tool *choice);
/* The implementation of a call as it is started, with that environment; it is valid as long as what
 * is bound. False: the call has failed, since the environment cannot be used. */
bool bound_started(struct tool_call *call, gramc_impl *out);

#endif
