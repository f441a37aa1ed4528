/* gramc diff: two specs to the changes between them, and an exit code for a merge to depend on. */
#include "cli/cli.h"
#include "gramc/diff.h"

#include "base/text.h"
#include "cli/git.h"
#include "cli/known.h"

#include <string.h>

/* One side: a compilation that was compiled. */
struct diff_side {
    gramc_compilation *compilation;
    const gramc_spec *spec;
};

/* The first operand says which files may be read: each side has a project of its own. */
static int open_side(struct cli *cli, struct diff_side *side, char **operand) {
    cli->operands = operand;
    cli->operand_count = 1;
    int code = git_is_path(*operand) ? git_load(cli, &side->compilation, *operand)
                                     : cli_load(cli, &side->compilation, operand, 1);
    if (code == EXIT_FINE && !gramc_compiled(side->compilation, 0))
        code = cli_status(cli, gramc_compile_each(side->compilation));
    if (code == EXIT_FINE) side->spec = gramc_compiled(side->compilation, 0);
    if (code == EXIT_FINE && !side->spec)
        code = cli_status(cli, gramc_compile(&side->spec, side->compilation));
    return code;
}

/* What is wrong with a side, so that nothing is compared. */
static int report_side(struct cli *cli, const struct diff_side *side) {
    bool report = cli_wants_report(cli);
    return cli_report_as(cli, side->compilation, report ? cli->out : cli->err,
                         report ? cli->options[OPTION_FORMAT] : NULL);
}

static bool is_in_error(const struct diff_side *side) {
    return gramc_finding_count(side->compilation, GRAMC_ERROR) > 0;
}

/* What was wrong with the old side is said, but nobody can mend it there: it fails nothing. */
static void tell_old(struct cli *cli, const struct diff_side *side, const char *operand,
                     size_t not_compared) {
    if (!is_in_error(side)) return;
    cli_report_as(cli, side->compilation, cli->err, "concise");
    fputs("gramc: note: ", cli->err);
    cli_put_safe(cli->err, text_of(operand));
    fputs(": what is wrong with the old side does not count here", cli->err);
    if (not_compared)
        fprintf(cli->err, "; %zu file%s of it cannot be compared", not_compared,
                not_compared == 1 ? "" : "s");
    fputc('\n', cli->err);
}

/* The least impact that fails; NONE: none does. */
static bool find_limit(const char *name, gramc_impact *out) {
    static const struct {
        const char *name;
        gramc_impact least;
    } rows[] = {{"breaking", GRAMC_IMPACT_BREAKING},
                {"additive", GRAMC_IMPACT_ADDITIVE},
                {"any", GRAMC_IMPACT_COSMETIC},
                {"none", GRAMC_IMPACT_NONE}};
    *out = GRAMC_IMPACT_BREAKING;
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) != 0) continue;
        *out = rows[i].least;
        return true;
    }
    return !name;
}

static bool fails(const gramc_diff *diff, gramc_impact limit) {
    for (gramc_impact i = limit; limit && i <= GRAMC_IMPACT_BREAKING; i++)
        if (gramc_diff_count(diff, i)) return true;
    return false;
}

static gramc_status write_baseline(const void *diff, gramc_writer writer) {
    return gramc_diff_baseline_write(diff, writer);
}

static gramc_status apply_baseline(void *diff, gramc_text baseline, size_t *gone) {
    return gramc_diff_baseline_apply(diff, baseline, gone);
}

static int print(struct cli *cli, const struct diff_side sides[2], const char *old,
                 gramc_report_format format, gramc_impact limit) {
    gramc_diff *diff;
    if (is_in_error(&sides[1])) return report_side(cli, &sides[1]);
    gramc_status status = gramc_diff_new(&diff, sides[0].spec, sides[1].spec, &cli->allocator);
    if (status == GRAMC_FINDINGS) return report_side(cli, &sides[0]);
    int code = cli_status(cli, status);
    if (code != EXIT_FINE) return code;
    tell_old(cli, &sides[0], old, gramc_diff_not_compared(diff));
    code = cli_use_baselines(cli, diff, write_baseline, apply_baseline, "changes");
    if (code == EXIT_FINE) {
        code = cli_status(cli, gramc_diff_print(diff, format, limit, cli_writer(cli->out)));
        cli->reported = true;
    }
    if (code == EXIT_FINE && fails(diff, limit)) code = EXIT_FINDINGS;
    gramc_diff_free(diff);
    return code;
}

int cmd_diff(struct cli *cli) {
    struct diff_side sides[2] = {{NULL, NULL}, {NULL, NULL}};
    gramc_report_format format;
    gramc_impact limit;
    char **operands = cli->operands;
    if (cli->operand_count != 2) return cli_usage(cli, "diff: name the old spec and the new one");
    if (!find_limit(cli->options[OPTION_FAIL_ON], &limit))
        return cli_usage(cli, "--fail-on takes breaking, additive, any or none, not %s",
                         cli->options[OPTION_FAIL_ON]);
    int code = cli_find_format(cli, cli->options[OPTION_FORMAT], cli->out, &format);
    for (size_t i = 0; i < 2 && code == EXIT_FINE; i++)
        code = open_side(cli, &sides[i], operands + i);
    if (code == EXIT_FINE) code = print(cli, sides, operands[0], format, limit);
    for (size_t i = 0; i < 2; i++) gramc_compilation_free(sides[i].compilation);
    return code;
}
