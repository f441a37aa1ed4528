/* `sandbox: {read: [...], write: [...], network: none, env: [...]}`, of implementations, servers
 * and libraries. */
#ifndef COMPILER_SANDBOX_H
#define COMPILER_SANDBOX_H

#include "compiler/compilation.h"
#include "gramc/spec.h"

/* NULL after a finding about the whole, or without memory; what is wrong inside is left out. */
const gramc_sandbox *sandbox_read(struct pass *pass, const struct value *value);

#endif
