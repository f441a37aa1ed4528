/* gramc grade: the graders of an experiment, on answers that were recorded elsewhere. Runs no
 * agent; programs and models that judge are run. It never passes on nothing: what was not judged,
 * and what was not answered, is said. */
#include "base/number.h"
#include "base/text.h"
#include "cli/run/grades.h"

#include <string.h>

/* ## What is missing */

static void list_unanswered(const struct grades *grades, size_t arm, size_t left) {
    struct cli *cli = grades->study->cli;
    const struct cases *cases = &grades->study->cases;
    size_t shown = 0;
    fputs("gramc: warning: ", cli->err);
    cli_put_safe(cli->err, grades_arm_name(grades, arm));
    fprintf(cli->err, ": %zu of %zu cases %s no answer:", left, cases->count,
            left == 1 ? "has" : "have");
    for (size_t i = 0; i < cases->count && shown < 5; i++) {
        if (grades_answers_case(grades, arm, &cases->items[i])) continue;
        fputs(shown++ ? ", " : " ", cli->err);
        cli_put_safe(cli->err, cases->items[i].id);
    }
    fputs(left > shown ? ", ...\n" : "\n", cli->err);
}

static void list_unknown(const struct grades *grades) {
    struct cli *cli = grades->study->cli;
    for (size_t i = 0; i < grades->unknown_count && i < 5; i++) {
        fputs("gramc: there is no case ", cli->err);
        cli_put_safe(cli->err, grades->unknown[i]);
        fputs(" to be answered\n", cli->err);
    }
    if (grades->unknown_count > 5)
        fprintf(cli->err, "gramc: nor are there %zu others\n", grades->unknown_count - 5);
}

/* More cases that were not answered or not judged than the experiment allows: no gate can pass. */
static bool is_too_little(const struct grades *grades) {
    double most = 0;
    size_t cases = grades->study->cases.count;
    if (!number_to_double(&most, grades->study->experiment->max_missing)) most = 0;
    for (size_t arm = 0; arm <= grades->study->experiment->arm_count; arm++) {
        if (!grades_has_arm(grades, arm)) continue;
        size_t lost = grades_unanswered(grades, arm) + grades_sum_all(grades, arm).missing;
        if ((double)lost > most * (double)cases) return true;
    }
    return false;
}

static bool is_judged(const struct grades *grades) {
    for (size_t i = 0; i < grades->count; i++)
        if (!grades->answers[i].missing) return true;
    return false;
}

/* ## The exit code */

static int conclude(const struct grades *grades, const struct grade_gates *gates) {
    struct cli *cli = grades->study->cli;
    bool failed = false;
    for (size_t i = 0; i < gates->count; i++) failed = failed || !gates->list[i].passed;
    if (!is_judged(grades)) {
        fputs("gramc: nothing could be judged\n", cli->err);
        return EXIT_RUN_FAILED;
    }
    if (gates->count && is_too_little(grades)) {
        fputs("gramc: too many cases were not answered or not judged for a gate to pass "
              "(maxMissing)\n",
              cli->err);
        return EXIT_RUN_FAILED;
    }
    return failed || grades->unknown_count ? EXIT_FINDINGS : EXIT_FINE;
}

static int print(const struct grades *grades, const struct grade_gates *gates) {
    int code = grades->json ? grades_print_json(grades, gates) : grades_print(grades, gates);
    list_unknown(grades);
    for (size_t arm = 0; arm <= grades->study->experiment->arm_count; arm++) {
        size_t left = grades_has_arm(grades, arm) ? grades_unanswered(grades, arm) : 0;
        if (left) list_unanswered(grades, arm, left);
    }
    return code == EXIT_FINE ? conclude(grades, gates) : code;
}

/* ## The steps */

static int judge(struct grades *grades) {
    struct grade_gates gates;
    int code = grades_judge(grades, grades->study->shop.loop);
    if (code == EXIT_FINE) code = grades_gate(grades, &grades->arena, &gates);
    return code == EXIT_FINE ? print(grades, &gates) : code;
}

static int compile_graders(struct grades *grades) {
    struct study *study = grades->study;
    struct grading_options options;
    char why[256] = "";
    int code = judges_open(&study->judges, study->cli, study->choice.compilation, study->experiment,
                           study->shop.loop, &options);
    if (code != EXIT_FINE) return code;
    gramc_status status =
        grading_new(&grades->grading, study->experiment, &study->cases, &options, why);
    if (status != GRAMC_FINDINGS) return cli_status(study->cli, status);
    return cli_usage(study->cli, "%s", why);
}

/* bfcl asks the tools for their types, which are printed when an agent is prepared. */
static int prepare_agents(struct study *study) {
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; i < study->experiment->arm_count && status == GRAMC_OK; i++)
        status = gramc_agent_prepare(study->choice.compilation, study->experiment->arms[i].agent);
    return cli_status(study->cli, status);
}

static int grade(struct grades *grades) {
    struct study *study = grades->study;
    struct cli *cli = study->cli;
    int code = study_open(study, cli);
    if (code == EXIT_FINE) code = study_read_cases(study);
    if (code == EXIT_FINE) code = prepare_agents(study);
    if (code == EXIT_FINE) code = grades_read(grades);
    if (code == EXIT_FINE) code = workshop_open(&study->shop, cli, study->choice.compilation);
    if (code == EXIT_FINE) code = compile_graders(grades);
    if (code != EXIT_FINE) return code;
    if (grading_count(grades->grading) == 0) {
        cli_usage(cli,
                  "nothing judges: the experiment has no grader, and no case expects anything");
        return EXIT_RUN_FAILED;
    }
    if (grades->count == 0) {
        list_unknown(grades);
        cli_usage(cli, "%s: there is no answer to any case", cli->options[OPTION_ANSWERS]);
        return EXIT_RUN_FAILED;
    }
    return judge(grades);
}

int cmd_grade(struct cli *cli) {
    struct study study = {.cli = cli};
    struct grades grades = {.study = &study};
    if (cli->operand_count != 1) return cli_usage(cli, "grade: name one file with an experiment");
    if (!cli->options[OPTION_ANSWERS])
        return cli_usage(cli, "grade: name the answers with --answers FILE.jsonl");
    const char *format = cli->options[OPTION_FORMAT];
    grades.json = format && strcmp(format, "json") == 0;
    if (format && !grades.json && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    cli->options[OPTION_FORMAT] = NULL; /* it is about grades, not findings */
    arena_init(&grades.arena, &cli->allocator);
    buf_init(&study.texts, &cli->allocator, CLI_PATH);
    int code = grade(&grades);
    study_close(&study);
    grading_free(grades.grading); /* behind the loop: it outlives the runs of judges */
    arena_free(&grades.arena);
    return code;
}
