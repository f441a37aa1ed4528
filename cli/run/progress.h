/* What a run waits for, on one line of a terminal that is rewritten every second (progress.c). */
#ifndef CLI_RUN_PROGRESS_H
#define CLI_RUN_PROGRESS_H

#include "cli/cli.h"

struct progress;

/* NULL where there is no terminal that can rewrite a line, or no thread: every call here takes
 * that. */
struct progress *progress_start(struct cli *cli);
/* From now on the run waits for that. A line shows up when a second has passed. */
void progress_wait(struct progress *progress, const char *format, gramc_text subject);
/* Clears the line, until the next wait: somebody else writes to the terminal. */
void progress_hide(struct progress *progress);
void progress_stop(struct cli *cli, struct progress *progress);

#endif
