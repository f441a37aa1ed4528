/* gramc experiment FILE VERB: plans, runs, resumes and reports an experiment. Each verb is a row
 * of a table; what it does is study_run.c's, or the report's. */
#include "cli/run/study.h"

#include <string.h>

#include "base/text.h"

/* ## Plan */

enum { PLACES_SHOWN = 5 };

static void put_arms(const struct study *study) {
    FILE *out = study->cli->out;
    for (size_t i = 0; i < study->arm_count; i++) {
        const gramc_arm *arm = &study->experiment->arms[i];
        fputs(i ? "           " : "Arms:      ", out);
        cli_put_safe(out, arm->name);
        fputs(": agent ", out);
        cli_put_safe(out, arm->agent->name);
        if (arm->library) {
            fputs(", library ", out);
            cli_put_safe(out, arm->library->name);
        }
        fprintf(out, ", model %s", study->arms[i].model_name);
        if (!study->arms[i].has_prices) fputs(" (no price known)", out);
        fputc('\n', out);
    }
}

static void put_order(const struct study *study) {
    const struct plan *plan = &study->plan;
    uint32_t arms[ARMS_MAX], first[ARMS_MAX] = {0};
    FILE *out = study->cli->out;
    fputs("Order:     ", out);
    for (uint32_t place = 0; place < plan->items && place < PLACES_SHOWN; place++) {
        if (place) fputs(", ", out);
        cli_put_safe(out, plan->cases->items[plan->order[place]].id);
    }
    fputs(plan->items > PLACES_SHOWN ? ", ...\nFirst:     " : "\nFirst:     ", out);
    for (uint32_t item = 0; item < plan->items; item++)
        for (uint32_t repeat = 0; repeat < plan->repeats; repeat++) {
            plan_arms(plan, item, repeat, arms);
            first[arms[0]]++;
        }
    for (uint32_t i = 0; i < plan->arms; i++) {
        fprintf(out, "%s%u time%s ", i ? ", " : "", (unsigned)first[i], text_plural(first[i]));
        cli_put_safe(out, study->experiment->arms[i].name);
    }
    fputc('\n', out);
}

int study_print_plan(struct study *study) {
    const struct plan *plan = &study->plan;
    FILE *out = study->cli->out;
    fputs("Experiment ", out);
    cli_put_safe(out, study->experiment->name);
    fprintf(out, "\nRuns:      %llu = %u cases x %u repeat%s x %u arms\n",
            (unsigned long long)plan_cells(plan), (unsigned)plan->items, (unsigned)plan->repeats,
            text_plural(plan->repeats), (unsigned)plan->arms);
    put_arms(study);
    put_order(study);
    fprintf(out, "Seed:      %llu\nPlan:      %.12s\n", (unsigned long long)plan->seed,
            plan->fingerprint);
    return EXIT_FINE;
}

/* ## Verbs */

static int prepare(struct study *study) {
    int code = study_read_cases(study);
    if (code == EXIT_FINE) code = study_bind(study);
    if (code == EXIT_FINE) code = study_open_graders(study);
    return code == EXIT_FINE ? study_plan(study) : code;
}

static int do_plan(struct study *study) {
    study->choice.asks_nothing = true;
    int code = prepare(study);
    return code == EXIT_FINE ? study_print_plan(study) : code;
}

static int do_run(struct study *study) {
    int code = prepare(study);
    return code == EXIT_FINE ? study_run(study, STUDY_RUN) : code;
}

static int do_resume(struct study *study) {
    int code = prepare(study);
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
