/* --baseline and --write-baseline. */
#ifndef CLI_KNOWN_H
#define CLI_KNOWN_H

#include "cli/cli.h"

typedef gramc_status baseline_writer(const void *what, gramc_writer writer);
typedef gramc_status baseline_applier(void *what, gramc_text baseline, size_t *gone);

/* Writes what there is, if that is asked for, and takes out what is known; what is written is known
 * from then on. `noun`: "findings". An exit code, after a message. */
int cli_use_baselines(struct cli *cli, void *what, baseline_writer *write, baseline_applier *apply,
                      const char *noun);

#endif
