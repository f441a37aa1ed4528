/* gramc check: sources to findings, and nothing else. */
#include "cli/cli.h"

int cmd_check(struct cli *cli) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    if (cli->operand_count == 0) return cli_usage(cli, "check: name a file, a folder, or -");
    int code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    code = cli_status(cli, gramc_compile(&spec, compilation));
    if (code == EXIT_FINE) code = cli_report(cli, compilation, cli->out);
    gramc_compilation_free(compilation);
    return code;
}
