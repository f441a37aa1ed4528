/* With the runtime: gramc-run's commands as well. */
#include "tests/golden/commands.h"

#include "cli/run/commands.h"

const struct command *golden_commands(void) {
    return run_commands;
}
