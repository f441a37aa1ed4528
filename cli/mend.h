/* check --fix and check --diff. */
#ifndef CLI_MEND_H
#define CLI_MEND_H

#include "cli/cli.h"

/* Prints what is left in a compiled compilation; an exit code. */
typedef int mend_evaluate(struct cli *cli, gramc_compilation *compilation, FILE *file);

/* Makes all safe fixes in the loaded sources, rewrites the files (or prints the changes, with
 * --diff) and has checked what is left. Returns the exit code. */
int mend_sources(struct cli *cli, const gramc_compilation *loaded, mend_evaluate *evaluate);

#endif
