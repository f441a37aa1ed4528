/* check --fix and check --diff. */
#ifndef CLI_MEND_H
#define CLI_MEND_H

#include "cli/cli.h"

/* Makes all safe fixes in the loaded sources, rewrites the files (or prints the changes, with
 * --diff) and reports what is left. Returns the exit code. */
int mend_sources(struct cli *cli, const gramc_compilation *loaded);

#endif
