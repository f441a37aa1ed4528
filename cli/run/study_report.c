/* Graders and reports of a study: what judges are asked with, what analysis needs of the store, and
 * the exit code that gates give. What a report looks like is report.c's. */
#include "cli/run/study.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* ## Graders */

static const gramc_grader *grader_of(const struct study *study, size_t i) {
    const gramc_experiment *experiment = study->experiment;
    return i < experiment->grader_count ? &experiment->graders[i] : NULL;
}

/* Runs that nothing judges cost as much as others, and say nothing of success. */
static int check_judged(struct study *study) {
    if (study->grader_count || !text_is(study->experiment->metric, "pass")) return EXIT_FINE;
    return cli_usage(study->cli, "nothing judges the answers: give the cases an `expect`, or %s",
                     study->experiment == &study->made ? "say --expect TEXT"
                                                       : "the experiment a Grader");
}

/* What analysis is told of them; the last one may be what the cases expect. */
static int list_graders(struct study *study) {
    size_t count = grading_count(study->grading);
    struct analysis_grader *list = arena_array(&study->arena, count + 1, sizeof *study->graders);
    uint32_t *preferences = arena_array(&study->arena, count + 1, sizeof *preferences);
    if (!list || !preferences) return cli_no_memory(study->cli);
    for (size_t i = 0; i < count; i++) {
        const gramc_grader *grader = grader_of(study, i);
        double weight = 1;
        if (grader) (void)number_to_double(&weight, grader->weight);
        list[i] =
            (struct analysis_grader){.name = grading_name(study->grading, i),
                                     .required = grading_required(study->grading, i),
                                     .is_judge = grader && grader->kind == GRAMC_GRADER_RUBRIC,
                                     .is_preference = grading_is_preference(study->grading, i),
                                     .weight = weight};
        study->has_judges |= list[i].is_judge || list[i].is_preference;
        if (list[i].is_preference) preferences[study->preference_count++] = (uint32_t)i;
    }
    study->preferences = preferences;
    study->graders = list;
    study->grader_count = count;
    return check_judged(study);
}

/* A limit that nothing would ever reach is no limit. */
static int check_prices(struct study *study) {
    struct cli *cli = study->cli;
    const gramc_experiment *experiment = study->experiment;
    if (!experiment->max_judge_cost.len && !cli->options[OPTION_MAX_JUDGE_COST]) return EXIT_FINE;
    for (size_t i = 0; i < experiment->grader_count; i++) {
        const gramc_grader *grader = &experiment->graders[i];
        bool judges = grader->kind == GRAMC_GRADER_RUBRIC || grader->kind == GRAMC_GRADER_PREFER;
        if (!judges || judges_price(&study->judges, grader->model)) continue;
        const char *other = cli->options[OPTION_JUDGE];
        gramc_text model = other ? text_of(other) : grader->model;
        return cli_usage(
            cli,
            "the cost of judges is limited, and there is no price of %.*s (grader %.*s); add "
            "[`...`:Model {inputPerMillion: ..., outputPerMillion: ...}] to gramc.gram",
            TEXT_ARGS(model), TEXT_ARGS(grader->name));
    }
    return EXIT_FINE;
}

int study_open_graders(struct study *study) {
    struct cli *cli = study->cli;
    struct grading_options options;
    char why[256] = "";
    int code = judges_open(&study->judges, cli, study->choice.compilation, study->experiment,
                           study->shop.loop, &options);
    if (code == EXIT_FINE) code = check_prices(study);
    if (code != EXIT_FINE) return code;
    study->judges.choice.asks_nothing = study->choice.asks_nothing || study_plays_judges(study);
    gramc_status status =
        grading_new(&study->grading, study->experiment, &study->cases, &options, why);
    if (status == GRAMC_FINDINGS) {
        fputs("gramc: ", cli->err);
        cli_put_safe(cli->err, text_of(why));
        fputc('\n', cli->err);
        return EXIT_FINDINGS;
    }
    if (status) return cli_status(cli, status);
    code = list_graders(study);
    if (code != EXIT_FINE) return code;
    return report_check(cli, &study->request, study->experiment, study->graders,
                        study->grader_count);
}

/* ## What was found */

struct study_reading {
    struct store *store;
    struct store_error error;
};

static gramc_status each(void *ctx, bool traces, store_visit *visit, void *visit_ctx) {
    struct study_reading *reading = ctx;
    return store_each(reading->store, traces, visit, visit_ctx, &reading->error);
}

int study_report(struct study *study, struct store *store, gramc_text state, gramc_text reason) {
    struct cli *cli = study->cli;
    struct study_reading reading = {.store = store};
    struct analysis analysis;
    gramc_text libraries[ARMS_MAX], models[ARMS_MAX], differences[ARMS_MAX];
    for (size_t i = 0; i < study->arm_count; i++) {
        const gramc_library *library = study->experiment->arms[i].library;
        libraries[i] = library ? library->name : TEXT("");
        models[i] = text_of(study->arms[i].model_name);
        differences[i] = study->arms[i].differs;
    }
    const struct analysis_input input = {.plan = &study->plan,
                                         .graders = study->graders,
                                         .grader_count = study->grader_count,
                                         .each = each,
                                         .ctx = &reading,
                                         .transcripts = report_wants_transcripts(cli),
                                         .state = state,
                                         .reason = reason,
                                         .libraries = libraries,
                                         .models = models,
                                         .differences = differences};
    gramc_status status = analyse(&analysis, &input, &cli->allocator);
    if (status == GRAMC_FINDINGS)
        return cli_usage(cli, "the experiment names a metric that is none, or no number");
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (status) {
        fprintf(cli->err, "gramc: the store: %s\n", reading.error.message);
        return EXIT_RUN_FAILED;
    }
    int code = report_write(cli, &analysis, &study->request);
    analysis_free(&analysis);
    return code;
}
