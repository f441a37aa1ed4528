/* How a tool is done, in a few words (done_by.c). */
#ifndef CLI_RUN_DONE_BY_H
#define CLI_RUN_DONE_BY_H

#include "base/mem.h"
#include "gramc/compile.h"

/* In the arena; without memory it is empty and arena->oom is set. */
gramc_text done_by(struct arena *arena, const gramc_impl *impl);

#endif
