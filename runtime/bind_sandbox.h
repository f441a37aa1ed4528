/* The sandbox of what a bound tool starts. */
#ifndef RUNTIME_BIND_SANDBOX_H
#define RUNTIME_BIND_SANDBOX_H

#include "runtime/bound.h"
#include "runtime/sandbox.h"

/* Decides on a program of the library (see sandbox_decide). What cannot be had is a message at the
 * program about `who` it is. False without memory. */
bool bind_sandbox(struct sandboxed *out, gramc_bound *bound, const gramc_impl *program,
                  gramc_text who);

#endif
