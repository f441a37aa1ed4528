/* One line on a terminal while an experiment runs: how far it is, how fast, what it has cost, and
 * what may be said of the result by now (study_progress.c). */
#ifndef CLI_RUN_STUDY_PROGRESS_H
#define CLI_RUN_STUDY_PROGRESS_H

#include "cli/cli.h"
#include "experiment/engine.h"
#include "experiment/stop.h"

struct study_progress {
    const struct cli *cli;
    bool shows;           /* it is a terminal, and not told to be quiet */
    uint64_t shown_at_ms; /* by the clock of engines */
    struct stop *stop;    /* NULL: nothing may be said before the end */
    gramc_text metric;
};

void study_progress_init(struct study_progress *progress, const struct cli *cli, gramc_text metric);
/* Writes the line, unless it is too soon to do it again. */
void study_progress_show(struct study_progress *progress, const struct engine_progress *at);
/* Clears the line: somebody else writes to the terminal. */
void study_progress_hide(const struct study_progress *progress);

#endif
