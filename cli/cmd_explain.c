/* gramc explain: a row of the findings table, or of the table of changes, for people. */
#include "cli/cli.h"
#include "gramc/diff.h"

#include "base/text.h"

static bool explain_change(struct cli *cli, gramc_text code) {
    static const char *const impacts[] = {"not affected", "cosmetic", "additive", "breaking"};
    const gramc_diff_kind *row = gramc_diff_explain(0);
    for (size_t i = 0; row && !text_is_nocase(code, row->code) && !text_is(code, row->slug);)
        row = gramc_diff_explain(++i);
    if (!row) return false;
    fprintf(cli->out, "%s: %s (callers: %s; implementers: %s)\n\n  %s\n\n%s\n", row->code,
            row->slug, impacts[row->caller], impacts[row->implementer], row->message,
            row->explanation);
    return true;
}

/* One line each, codes in order; the changes of gramc diff behind. */
static int list_all(struct cli *cli) {
    static const char *const grades[] = {
        [GRAMC_NOTE] = "note", [GRAMC_WARNING] = "warning", [GRAMC_ERROR] = "error"};
    gramc_explanation row;
    for (size_t i = 0; gramc_explain(i, &row); i++)
        fprintf(cli->out, "%s  %-8s %s\n", row.code, grades[row.severity], row.slug);
    for (size_t i = 0; gramc_diff_explain(i); i++)
        fprintf(cli->out, "%s   %-8s %s\n", gramc_diff_explain(i)->code, "change",
                gramc_diff_explain(i)->slug);
    return EXIT_FINE;
}

int cmd_explain(struct cli *cli) {
    gramc_explanation row;
    if (cli->operand_count == 0) return list_all(cli);
    if (cli->operand_count != 1) return cli_usage(cli, "explain: name one code, such as G0203");
    gramc_text code = text_of(cli->operands[0]);
    size_t i = 0;
    while (gramc_explain(i, &row) && !text_is_nocase(code, row.code) && !text_is(code, row.slug))
        i++;
    if (!gramc_explain(i, &row) && explain_change(cli, code)) return EXIT_FINE;
    if (!gramc_explain(i, &row))
        return cli_usage(cli, "explain: there is no finding %s; gramc explain lists them",
                         cli->operands[0]);
    fprintf(cli->out, "%s: %s (%s)\n\n  %s\n\n%s\n", row.code, row.slug,
            row.severity == GRAMC_ERROR     ? "error"
            : row.severity == GRAMC_WARNING ? "warning"
                                            : "note",
            row.message, row.explanation);
    if (row.bad[0]) fprintf(cli->out, "\nGives it:\n\n  %s\n", row.bad);
    if (row.good[0]) fprintf(cli->out, "\nInstead:\n\n  %s\n", row.good);
    return EXIT_FINE;
}
