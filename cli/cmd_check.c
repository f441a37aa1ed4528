/* gramc check: sources to findings, less those that a baseline knows; with --fix or --diff, first
 * to mended sources. */
#include "cli/cli.h"

#include "base/text.h"
#include "cli/known.h"
#include "cli/mend.h"

static gramc_status write_baseline(const void *compilation, gramc_writer writer) {
    return gramc_baseline_write(compilation, writer);
}

static gramc_status apply_baseline(void *compilation, gramc_text baseline, size_t *gone) {
    return gramc_baseline_apply(compilation, baseline, gone);
}

static int evaluate(struct cli *cli, gramc_compilation *compilation, FILE *file) {
    int code = cli_use_baselines(cli, compilation, write_baseline, apply_baseline, "findings");
    return code == EXIT_FINE ? cli_report(cli, compilation, file) : code;
}

/* --target: the rules of that provider as well, once the spec itself is sound. */
static int check(struct cli *cli, gramc_compilation *compilation) {
    const char *target = cli->options[OPTION_TARGET];
    int code = cli_status(cli, gramc_compile_each(compilation));
    if (code == EXIT_FINE && target)
        code = cli_status(cli, gramc_target_check(compilation, NULL, text_of(target)));
    return code == EXIT_FINE ? evaluate(cli, compilation, cli->out) : code;
}

int cmd_check(struct cli *cli) {
    gramc_compilation *compilation;
    if (cli->operand_count == 0) return cli_usage(cli, "check: name a file, a folder, or -");
    int code = EXIT_FINE;
    if (cli->options[OPTION_TARGET]) code = cli_know_target(cli, cli->options[OPTION_TARGET]);
    if (code != EXIT_FINE) return code;
    code = cli_load(cli, &compilation, cli->operands, cli->operand_count);
    if (code != EXIT_FINE) return code;
    bool mends = cli->options[OPTION_FIX] || cli->options[OPTION_DIFF];
    code = mends ? mend_sources(cli, compilation, evaluate) : check(cli, compilation);
    gramc_compilation_free(compilation);
    return code;
}
