/* With the runtime: gramc-run's commands as well. */
#include "tests/golden/commands.h"

#include "cli/run/commands.h"
#include "gramc/runtime.h"

const struct command *golden_commands(void) {
    return run_commands;
}

static uint64_t now_ns(void *ctx) {
    (void)ctx;
    return 1000000000;
}

static int64_t wall_ms(void *ctx) {
    (void)ctx;
    return 1700000000000;
}

static const gramc_clock still = {now_ns, wall_ms, NULL};

const struct gramc_clock *golden_clock(void) {
    return &still;
}
