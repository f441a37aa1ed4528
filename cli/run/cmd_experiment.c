/* gramc experiment FILE VERB: plans, runs, resumes and reports an experiment. Each verb is a row
 * of a table; what it does is study_run.c's, or the report's. */
#include "cli/run/study.h"

#include <string.h>

#include "base/text.h"

/* ## Verbs */

int study_prepare(struct study *study) {
    int code = study_read_cases(study);
    if (code == EXIT_FINE) code = study_bind(study);
    if (code == EXIT_FINE) code = study_open_graders(study);
    return code == EXIT_FINE ? study_plan(study) : code;
}

static int do_plan(struct study *study) {
    study->choice.asks_nothing = true;
    int code = study_prepare(study);
    return code == EXIT_FINE ? study_print_plan(study) : code;
}

static int do_run(struct study *study) {
    int code = study_prepare(study);
    return code == EXIT_FINE ? study_run(study, STUDY_RUN) : code;
}

static int do_resume(struct study *study) {
    int code = study_prepare(study);
    return code == EXIT_FINE ? study_run(study, STUDY_RESUME) : code;
}

static const struct {
    const char *name;
    int (*run)(struct study *study);
} verbs[] = {{"plan", do_plan},
             {"run", do_run},
             {"resume", do_resume},
             {"status", study_status},
             {"report", study_report_kept},
             {"analyse", study_analyse},
             {"power", study_power}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static size_t find_verb(const char *name) {
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return i;
    return VERBS;
}

/* The operands come in either order. */
static int choose_verb(struct cli *cli, size_t *out) {
    if (cli->operand_count != 2)
        return cli_usage(cli, "experiment: name a file and what is to be done: plan, run, resume, "
                              "status, report, analyse, power");
    *out = find_verb(cli->operands[1]);
    if (*out == VERBS && (*out = find_verb(cli->operands[0])) < VERBS) {
        char *verb = cli->operands[0];
        cli->operands[0] = cli->operands[1];
        cli->operands[1] = verb;
    }
    if (*out < VERBS) return EXIT_FINE;
    return cli_usage(cli,
                     "experiment: %s is none of plan, run, resume, status, report, analyse, power",
                     cli->operands[1]);
}

int cmd_experiment(struct cli *cli) {
    struct study study = {.cli = cli};
    size_t verb;
    int code = choose_verb(cli, &verb);
    if (code != EXIT_FINE) return code;
    code = study_init(&study, cli);
    if (code == EXIT_FINE) code = study_open(&study, cli);
    if (code == EXIT_FINE) code = verbs[verb].run(&study);
    study_close(&study);
    return code;
}
