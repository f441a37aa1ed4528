/* Without a runtime: only gramc's own commands. */
#include "tests/golden/commands.h"

const struct command *golden_commands(void) {
    return NULL;
}

const struct gramc_clock *golden_clock(void) {
    return NULL;
}
