/* gramc-run by a clock that stands still: every run of it takes no time at all, so that what two
 * of them report can be compared byte by byte. It waits by the system's clock all the same. */
#include "cli/start.h"
#include "tests/golden/commands.h"

int main(int argc, char **argv) {
    struct cli cli;
    gramc_allocator allocator = mem_default();
    if (!start_with_descriptors()) return EXIT_USAGE;
    start_without_size_signal();
    cli_init(&cli, stdout, stderr, &allocator);
    cli.clock = golden_clock();
    return cli_main(&cli, golden_commands(), argc, argv);
}
