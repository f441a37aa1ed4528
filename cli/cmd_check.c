/* gramc check: sources to findings, and nothing else. */
#include "cli/cli.h"

#include "base/text.h"

/* --target: the rules of that provider as well, once the spec itself is sound. */
static int check_target(struct cli *cli, const gramc_compilation *compilation,
                        const gramc_spec *spec) {
    const char *target = cli->options[OPTION_TARGET];
    if (!target || gramc_finding_count(compilation, GRAMC_ERROR)) return EXIT_FINE;
    return cli_status(cli, gramc_target_check(spec, NULL, text_of(target)));
}

int cmd_check(struct cli *cli) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    if (cli->operand_count == 0) return cli_usage(cli, "check: name a file, a folder, or -");
    int code = EXIT_FINE;
    if (cli->options[OPTION_TARGET]) code = cli_know_target(cli, cli->options[OPTION_TARGET]);
    if (code != EXIT_FINE) return code;
    code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    code = cli_status(cli, gramc_compile(&spec, compilation));
    if (code == EXIT_FINE) code = check_target(cli, compilation, spec);
    if (code == EXIT_FINE) code = cli_report(cli, compilation, cli->out);
    gramc_compilation_free(compilation);
    return code;
}
