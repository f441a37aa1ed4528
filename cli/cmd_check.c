/* gramc check: sources to findings; with --fix or --diff, first to mended sources. */
#include "cli/cli.h"

#include "cli/mend.h"

static int check(struct cli *cli, gramc_compilation *compilation) {
    const gramc_spec *spec;
    int code = cli_status(cli, gramc_compile(&spec, compilation));
    return code == EXIT_FINE ? cli_report(cli, compilation, cli->out) : code;
}

int cmd_check(struct cli *cli) {
    gramc_compilation *compilation;
    if (cli->operand_count == 0) return cli_usage(cli, "check: name a file, a folder, or -");
    int code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    bool mends = cli->options[OPTION_FIX] || cli->options[OPTION_DIFF];
    code = mends ? mend_sources(cli, compilation) : check(cli, compilation);
    gramc_compilation_free(compilation);
    return code;
}
