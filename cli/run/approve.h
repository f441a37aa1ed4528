/* Asks at the terminal whether a call may be made, or answers as --approve says. */
#ifndef CLI_RUN_APPROVE_H
#define CLI_RUN_APPROVE_H

#include "cli/run/tell.h"

struct approve;

/* NULL without memory. `tell` is told that the terminal is in use. */
struct approve *approve_start(struct cli *cli, struct tell *tell);
/* Is it approved of by --approve, or, unless it has to be by name, by --approve-all? */
bool approve_is_given(const struct cli *cli, gramc_text tool, bool by_name);
/* The same of a call: what is asked because of untrusted words has to be approved of by name. */
bool approve_is_given_call(const struct cli *cli, const gramc_guarded_call *call);
/* For gramc_run_options. */
gramc_approver approve_approver(struct approve *approve);
/* Once the loop is freed. NULL is fine. */
void approve_stop(struct approve *approve);

#endif
