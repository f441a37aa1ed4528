/* gramc-run: the commands that run agents, in an executable of their own so that the quick ones
 * need not load libcurl and libuv. gramc hands over to it; `gram agent` finds it as gram-agent. */
#include "base/pages.h"
#include "cli/run/commands.h"
#include "cli/start.h"

#include <unistd.h>

int main(int argc, char **argv) {
    start_unreadable();
    if (!start_with_own_environment() || !start_with_descriptors()) return EXIT_USAGE;
    start_without_size_signal();
    gramc_allocator allocator = pages_allocator();
    struct cli cli;
    cli_init(&cli, stdout, stderr, &allocator);
    int code = cli_main(&cli, run_commands, argc, argv);
    if (cli.left_behind) _exit(code);
    return code;
}
