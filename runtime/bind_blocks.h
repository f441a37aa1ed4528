/* What requests say about a bound agent (bind_blocks.c). */
#ifndef RUNTIME_BIND_BLOCKS_H
#define RUNTIME_BIND_BLOCKS_H

#include "runtime/bound.h"

/* Fills in bound->own_format, the steps' blocks and the tools' arguments_format; `target`: by whose
 * rules the tools got their names. A step forgets tools that do not fit into a request. */
void bind_blocks(gramc_bound *bound, gramc_text target);

#endif
