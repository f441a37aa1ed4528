/* The folder that a process makes for what its runs put down, and removes at its end. One that was
 * killed leaves its folder behind: the next process of the same user that makes one removes it. */
#ifndef EXPERIMENT_SCRATCH_H
#define EXPERIMENT_SCRATCH_H

#include "base/mem.h"

enum { SCRATCH_PATH = 4000 };

struct scratch {
    char path[SCRATCH_PATH]; /* empty: there is none */
    int owner;               /* a file in it, locked as long as this process lives; -1 */
};

/* In the folder `root`, an absolute path. False: none can be made. */
bool scratch_make(struct scratch *scratch, const char *root);
/* Also one that was not made. */
void scratch_remove(struct scratch *scratch);

#endif
