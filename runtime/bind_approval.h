/* Which tools have to be approved of, call by call. */
#ifndef RUNTIME_BIND_APPROVAL_H
#define RUNTIME_BIND_APPROVAL_H

#include "runtime/bound.h"

/* Once all tools are chosen. */
void bind_approvals(gramc_bound *bound);

#endif
