/* The commands that gramc-run adds, when the runtime is built. */
#ifndef TESTS_GOLDEN_COMMANDS_H
#define TESTS_GOLDEN_COMMANDS_H

#include "cli/cli.h"

const struct command *golden_commands(void);
/* One that stands still, so that equal runs say the same; NULL without a runtime. */
const struct gramc_clock *golden_clock(void);

#endif
