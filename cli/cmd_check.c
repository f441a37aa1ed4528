/* gramc check: sources to findings, less those that a baseline knows; with --fix or --diff, first
 * to mended sources. */
#include "cli/cli.h"

#include "base/buf.h"
#include "base/text.h"
#include "cli/mend.h"

enum { OUTPUT_MAX = INT32_MAX };

static int write_baseline(struct cli *cli, const gramc_compilation *compilation, const char *path) {
    struct buf out;
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    gramc_status status = gramc_baseline_write(compilation, buf_writer(&out));
    if (status == GRAMC_IO) status = buf_status(&out);
    int code =
        status == GRAMC_OK ? cli_write_file(cli, path, buf_view(&out)) : cli_status(cli, status);
    buf_free(&out);
    return code;
}

static int apply_baseline(struct cli *cli, gramc_compilation *compilation, const char *path) {
    size_t gone;
    const struct cli_file *file = cli_read(cli, path);
    if (!file) return cli->failure;
    gramc_text text = {file->bytes, file->len};
    gramc_status status = gramc_baseline_apply(compilation, text, &gone);
    if (status == GRAMC_USAGE)
        return cli_usage(cli, "%s: this is no baseline that gramc %s can read", path,
                         gramc_version());
    if (status == GRAMC_OK && gone)
        fprintf(cli->err,
                "gramc: note: %zu of the findings in %s no longer occur; --write-baseline "
                "brings it up to date\n",
                gone, path);
    return cli_status(cli, status);
}

/* What is written is known from then on. */
static int use_baselines(struct cli *cli, gramc_compilation *compilation) {
    const char *known = cli->options[OPTION_BASELINE], *out = cli->options[OPTION_WRITE_BASELINE];
    int code = out ? write_baseline(cli, compilation, out) : EXIT_FINE;
    if (!known) known = out;
    if (code == EXIT_FINE && known) code = apply_baseline(cli, compilation, known);
    return code;
}

static int evaluate(struct cli *cli, gramc_compilation *compilation, FILE *file) {
    int code = use_baselines(cli, compilation);
    return code == EXIT_FINE ? cli_report(cli, compilation, file) : code;
}

/* --target: the rules of that provider as well, once the spec itself is sound. */
static int check_target(struct cli *cli, gramc_compilation *compilation) {
    const char *target = cli->options[OPTION_TARGET];
    if (!target) return EXIT_FINE;
    return cli_status(cli, gramc_target_check(compilation, NULL, text_of(target)));
}

static int check(struct cli *cli, gramc_compilation *compilation) {
    int code = cli_status(cli, gramc_compile_each(compilation));
    if (code == EXIT_FINE) code = check_target(cli, compilation);
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
