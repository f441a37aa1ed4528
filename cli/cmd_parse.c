/* gramc parse: one source to its tree. */
#include "cli/cli.h"

#include "base/text.h"

static int choose_format(struct cli *cli, gramc_tree_format *format) {
    int chosen = 0;
    *format = GRAMC_TREE_JSON;
    if (cli->options[OPTION_JSON]) chosen++;
    if (cli->options[OPTION_SEXP]) *format = GRAMC_TREE_SEXP, chosen++;
    if (cli->options[OPTION_TREE]) *format = GRAMC_TREE_TEXT, chosen++;
    return chosen > 1 ? cli_usage(cli, "parse: choose one of --json, --sexp and --tree")
                      : EXIT_FINE;
}

int cmd_parse(struct cli *cli) {
    gramc_compilation *compilation;
    gramc_tree_format format;
    if (cli->operand_count != 1) return cli_usage(cli, "parse: name one file, or -");
    int code = choose_format(cli, &format);
    if (code == EXIT_FINE) code = cli_load_gram(cli, &compilation, cli->operands, 1);
    if (code != EXIT_FINE) return code;
    code = cli_report(cli, compilation, cli->err);
    if (code == EXIT_FINE)
        code = cli_status(cli, gramc_tree_print(compilation, format,
                                                format == GRAMC_TREE_JSON ? cli_json_writer(cli)
                                                                          : cli_text_writer(cli)));
    gramc_compilation_free(compilation);
    return code;
}
