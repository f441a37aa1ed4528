/* gramc.lock: what libraries and the servers of their boxes were when somebody looked
 * (docs/lock.md). */
#ifndef CLI_RUN_LOCK_H
#define CLI_RUN_LOCK_H

#include "cli/run/run.h"

#define LOCK_FILE "gramc.lock"

struct lock;

/* Reads the lock of the project: of the spec's, if there is one, else of the current folder. A
 * project without one has an empty lock. An exit code; free it by lock_free, NULL is fine. */
int lock_read(struct lock **out, struct cli *cli, bool has_spec);
void lock_free(struct lock *lock);

enum lock_state {
    LOCK_NOTHING, /* it says nothing of the library */
    LOCK_OTHER,   /* the library has changed since */
    LOCK_SAME
};
enum lock_state lock_state_of(struct lock *lock, const gramc_library *library);
/* Says on `err` how the library differs from what the lock has; for LOCK_OTHER. */
void lock_tell_library(struct lock *lock, const gramc_library *library);
/* Says on `err` how tools of boxes differ; of boxes of which nothing is offered nothing is said.
 * The number of tools that do. */
size_t lock_compare(struct lock *lock, const gramc_library *library,
                    const gramc_offering *offering);
/* Has the lock say what the library and its boxes are now; NULL: it has no boxes. Boxes that were
 * not asked stay as they were. */
int lock_set(struct lock *lock, const gramc_library *library, const gramc_offering *offering);
/* Writes it, whole or not at all; `check`: only says whether that would change the file, by the
 * exit code 1. */
int lock_write(struct lock *lock, bool check);

#endif
