/* gramc serve --mcp over standard input and output: gives the tools of a shelf to the one client
 * that started this process. What is said to it is serve/'s matter. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/serve_mcp.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/run/run.h"

enum { WHY_LENGTH = 256 };

/* Nobody else may read or write there: what something prints goes to standard error. */
static bool take_pipes(int *input, int *output) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    *input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    *output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nothing < 0 || *input < 0 || *output < 0) return false;
    bool moved = dup2(nothing, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    close(nothing);
    return moved;
}

static int write_log(void *ctx, const char *bytes, size_t len) {
    return fwrite(bytes, 1, len, ctx) == len ? 0 : 1;
}

static void stop(void *ctx) {
    mcp_stdio_stop(ctx);
}

static int turn(struct cli *cli, gramc_loop *loop, struct mcp_stdio *server) {
    struct interrupt *interrupt = interrupt_start_with(cli, stop, server);
    if (!interrupt) return cli_no_memory(cli);
    gramc_status status = gramc_loop_run(loop);
    interrupt_stop(cli, interrupt);
    return cli_status(cli, status);
}

static int read_numbers(struct cli *cli, struct mcp_stdio_options *options) {
    const char *calls = cli->options[OPTION_MAX_RUNS], *grace = cli->options[OPTION_GRACE];
    if (calls && !run_parse_count(calls, &options->max_calls))
        return cli_usage(cli, "--max-runs takes a number from 1, not %s", calls);
    if (grace && !run_parse_duration(grace, &options->grace_ms))
        return cli_usage(cli, "--grace takes a time such as 500ms, 30s or 5m, not %s", grace);
    return EXIT_FINE;
}

int serve_mcp_stdio(struct cli *cli, gramc_loop *loop, struct tool_shelf *shelf,
                    const struct shelf_source *source) {
    struct mcp_stdio *server;
    char why[WHY_LENGTH];
    struct mcp_stdio_options options = {
        .allocator = &cli->allocator, .loop = loop, .shelf = shelf, .source = source};
    int code = read_numbers(cli, &options);
    if (code != EXIT_FINE) return code;
    options.log = (gramc_writer){write_log, cli->err};
    if (!take_pipes(&options.input, &options.output))
        return cli_usage(cli, "serve: standard input and output cannot be used");
    gramc_status status = mcp_stdio_new(&server, &options, why);
    if (status) return status == GRAMC_IO ? cli_usage(cli, "serve: %s", why) : cli_no_memory(cli);
    code = turn(cli, loop, server);
    mcp_stdio_free(server);
    return code;
}
