/* One planned run with all that belongs to it: its folder and environment, the reset before it, the
 * agent's run with the arm's model and library, and its graders. What came of it becomes an
 * attempt. */
#ifndef EXPERIMENT_RUN_CELL_H
#define EXPERIMENT_RUN_CELL_H

#include "experiment/cassette_folder.h"
#include "experiment/grade.h"
#include "experiment/engine.h"
#include "experiment/run_record.h"

/* The agent of an arm: what the arm writes replaces what the agent says. Shallow: both must live
 * on. It is bound in the agent's place. */
gramc_agent arm_agent(const gramc_arm *arm);

/* What an arm is run with. */
struct run_arm {
    const gramc_bound *bound;
    const gramc_model *model;
    const gramc_prices *prices;      /* NULL: not known */
    const gramc_named_model *models; /* as in gramc_run_options */
    size_t model_count;
};

/* How cells are graded (grade.h); tests have others. start NULL: they are not. */
struct cell_graders {
    gramc_status (*start)(struct grading_job **out, const struct grading *grading,
                          const struct graded_run *run, grading_done *done, void *ctx);
    gramc_status (*prefer)(struct grading_job **out, const struct grading *grading, size_t i,
                           const struct graded_run *a, const struct graded_run *b,
                           grading_done *done, void *ctx);
    void (*cancel)(struct grading_job *job);
    const struct grading *grading;
};

struct run_cells_options {
    const struct plan *plan; /* borrowed, as is all of this */
    gramc_loop *loop;
    const struct run_arm *arms; /* one an arm of the plan */
    struct cell_graders graders;
    gramc_text folder; /* absolute, there, and ours: each cell has a folder of its own in it */
    bool keep_traces;
    /* Recorded runs that are played instead of asking models and calling tools, but for those that
     * are live; NULL: none are. */
    const struct cassette_folder *cassettes;
    bool live_models, live_tools;
    bool plays_judges;     /* they are played, too */
    gramc_run_options run; /* limits of each run: iterations, times, tokens, cost */
    const gramc_allocator *allocator;
    /* Called with every event of every run. May be NULL. */
    void (*event)(void *ctx, const struct cell_start *cell, const gramc_event *event);
    void *ctx;
};

struct run_cells;
gramc_status run_cells_new(struct run_cells **out, const struct run_cells_options *options);
/* Borrowed. */
const struct cell_runner *run_cells_runner(const struct run_cells *cells);
/* Cancels what is left: graders and waits; runs are the loop's to cancel. The loop must turn once
 * more before it is freed. */
void run_cells_free(struct run_cells *cells);

/* Turns the loop until the engine is over. True: it was interrupted, and what ran was canceled. */
bool run_cells_drive(struct run_cells *cells, struct engine *engine);

#endif
