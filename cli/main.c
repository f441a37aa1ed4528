/* gramc: every command that reads, checks and prints. Loads nothing but libc and PCRE2, so that it
 * starts in the time of an empty program; commands that run things are handed to gramc-run. */
#include "cli/cli.h"

#include "base/pages.h"
#include "cli/start.h"

int main(int argc, char **argv) {
    start_unreadable(); /* the keys are in its environment, too */
    if (!start_with_descriptors()) return EXIT_USAGE;
    gramc_allocator allocator = pages_allocator();
    struct cli cli;
    cli_init(&cli, stdout, stderr, &allocator);
    return cli_main(&cli, NULL, argc, argv);
}
