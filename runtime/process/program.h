/* How gramc-host is made to start what an implementation names: a plugin, or a program that has
 * limits. */
#ifndef RUNTIME_PROCESS_PROGRAM_H
#define RUNTIME_PROCESS_PROGRAM_H

#include "base/mem.h"
#include "gramc/runtime.h"

bool impl_has_limits(const gramc_impl *impl);
/* A copy of the implementation whose argv starts it by way of the host: HOST LIMITS VERB WORDS.
 * NULL without memory. */
gramc_impl *impl_hosted(struct arena *arena, const gramc_impl *impl, const char *host,
                        gramc_text verb, const gramc_text *words, size_t count);
/* The path of the file that is its target, as this process sees it; {NULL, 0} without
 * memory. Has a NUL behind it and, for dlopen, a slash inside. */
gramc_text impl_file(struct arena *arena, const gramc_impl *impl);

#endif
