/* Asks a grader which of two answers is better: for the engine, beside the cells of run_cell.h. */
#ifndef EXPERIMENT_RUN_PREFERENCE_H
#define EXPERIMENT_RUN_PREFERENCE_H

#include "experiment/engine.h"

struct preference_job;
struct run_cells_options; /* run_cell.h */

/* All that are being asked. */
struct preference_jobs {
    gramc_allocator allocator;
    const struct run_cells_options *options;
    struct preference_job *first;
};

/* See cell_runner.prefer. */
gramc_status preference_start(struct preference_jobs *jobs, const struct preference_start *start,
                              preference_done *done, void *ticket);
/* Tells all of them that they were canceled. */
void preferences_cancel(struct preference_jobs *jobs);
/* Tells nobody. */
void preferences_free(struct preference_jobs *jobs);

#endif
