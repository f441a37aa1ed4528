/* How gramc-host is made to start what an implementation names: a plugin, or a program. */
#ifndef RUNTIME_PROCESS_PROGRAM_H
#define RUNTIME_PROCESS_PROGRAM_H

#include "base/mem.h"
#include "gramc/runtime.h"

bool impl_has_limits(const gramc_impl *impl);
/* What starts the implementation's argv by way of the host: HOST LIMITS WALLS VERB ARGV. scratch: a
 * folder that a contained program may write as well, or empty. NULL without memory. */
struct hosted {
    const gramc_impl *impl;
    const char *host;
    gramc_text scratch;
};
gramc_text *hosted_words(struct arena *arena, const struct hosted *hosted, size_t *count);
/* The path of the file that is its target, as this process sees it; {NULL, 0} without
 * memory. Has a NUL behind it and, for dlopen, a slash inside. */
gramc_text impl_file(struct arena *arena, const gramc_impl *impl);

#endif
