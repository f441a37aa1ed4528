/* Whether what a tool would start is there: looks, and starts nothing. */
#ifndef RUNTIME_PROCESS_LOOK_UP_H
#define RUNTIME_PROCESS_LOOK_UP_H

#include "base/mem.h"
#include "gramc/runtime.h"

enum { PROGRAM_PLACE_MAX = 4096 };
/* Where a PATH leads for a program without a slash; false: nowhere. */
bool program_find(char out[PROGRAM_PLACE_MAX], gramc_text folder, gramc_text path, gramc_text name);
/* What is wrong, in the arena, or empty: the program is none of the child's PATH (that of its own
 * env, else `path`; with neither a program without a slash is not looked for), or the script that
 * an interpreter is given is not there. *near: what may have been meant, or empty. */
gramc_text program_problem(struct arena *arena, const gramc_impl *impl, gramc_text path,
                           gramc_text *near);

#endif
