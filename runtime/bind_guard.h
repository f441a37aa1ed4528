/* The guards that a library names: programs that are asked about the calls of its tools. */
#ifndef RUNTIME_BIND_GUARD_H
#define RUNTIME_BIND_GUARD_H

#include "runtime/bound.h"

/* Gives each tool that has an implementation its guards: the library's, then the implementation's,
 * with the tool's deadline. One that is not there is a message. Once all tools are chosen. */
void bind_guards(gramc_bound *bound);

#endif
