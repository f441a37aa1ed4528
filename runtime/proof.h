/* Does an implementation fit its tool? Decided by comparing schemas, before anything runs. */
#ifndef RUNTIME_PROOF_H
#define RUNTIME_PROOF_H

#include "runtime/bound.h"
#include "runtime/offered.h"

/* Compares the choice's tool with what does it: by the schemas of the implementation's own
 * signature, else by those of the box (`offered`, may be NULL). Sets choice->accepts and
 * choice->returns, and reports. */
void proof_make(gramc_bound *bound, struct bound_tool *choice, const struct offered_tool *offered);
/* The one note about all tools whose implementations do not say what they return. */
void proof_summarise(gramc_bound *bound);

#endif
