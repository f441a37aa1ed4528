/* Asks at the terminal whether a call may be made, or answers as --approve says. */
#ifndef CLI_RUN_APPROVE_H
#define CLI_RUN_APPROVE_H

#include "cli/run/tell.h"

struct approve;

/* --approve names it, or --approve-all does. */
bool approve_is_given(const struct cli *cli, gramc_text tool);

/* NULL without memory. `tell` is told that the terminal is in use. */
struct approve *approve_start(struct cli *cli, struct tell *tell);
/* Is it approved of by --approve or --approve-all? */
bool approve_is_given(const struct cli *cli, gramc_text tool);
/* For gramc_run_options. */
gramc_approver approve_approver(struct approve *approve);
/* Once the loop is freed. NULL is fine. */
void approve_stop(struct approve *approve);

#endif
