/* How a tool is done, in a few words (manner.c). */
#ifndef CLI_RUN_MANNER_H
#define CLI_RUN_MANNER_H

#include "base/mem.h"
#include "gramc/compile.h"

/* In the arena; without memory it is empty and arena->oom is set. */
gramc_text way_of(struct arena *arena, const gramc_impl *impl);

#endif
