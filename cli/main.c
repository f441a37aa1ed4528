/* gramc: check, compile, parse, explain. Loads nothing but libc and PCRE2, so that it starts in the
 * time of an empty program. */
#include "cli/cli.h"

#include "base/pages.h"

int main(int argc, char **argv) {
    gramc_allocator allocator = pages_allocator();
    struct cli cli;
    cli_init(&cli, stdout, stderr, &allocator);
    return cli_main(&cli, NULL, argc, argv);
}
