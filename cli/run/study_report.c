/* What an experiment found, from the store that its runs are kept in: at the end of a run, and
 * whenever it is asked for. Runs nothing and binds nothing. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/run/report.h"
#include "cli/run/study.h"

/* What an analysis is made of besides the attempts. */
struct study_findings {
    struct study *study;
    struct store *store;
    struct arena arena;
    struct analysis_input input;
    gramc_text models[ARMS_MAX], libraries[ARMS_MAX];
    struct store_error error;
};

/* ## Graders, in the order of an attempt's scores */

static bool expects(const struct cases *cases) {
    for (size_t i = 0; i < cases->count; i++)
        if (cases->items[i].expect) return true;
    return false;
}

static size_t list_graders(const struct study *study, struct analysis_grader *out) {
    const gramc_experiment *experiment = study->experiment;
    size_t count = 0;
    for (size_t i = 0; i < experiment->grader_count; i++) {
        const gramc_grader *grader = &experiment->graders[i];
        double weight = 1;
        (void)number_to_double(&weight, grader->weight);
        out[count++] =
            (struct analysis_grader){.name = grader->name,
                                     .required = grader->required,
                                     .is_judge = grader->kind == GRAMC_GRADER_RUBRIC,
                                     .is_preference = grader->kind == GRAMC_GRADER_PREFER,
                                     .weight = weight};
    }
    if (expects(&study->cases))
        out[count++] =
            (struct analysis_grader){.name = TEXT("expect"), .required = true, .weight = 1};
    return count;
}

/* ## The analysis */

static gramc_status each(void *ctx, bool traces, store_visit *visit, void *visit_ctx) {
    struct study_findings *findings = ctx;
    return store_each(findings->store, traces, visit, visit_ctx, &findings->error);
}

/* What the store keeps of the arms: with which models they ran. */
static void read_details(struct study_findings *findings, gramc_text details) {
    const struct json *json = json_parse(&findings->arena, details, NULL);
    const struct json *arms = json_get(json, "arms");
    size_t i = 0;
    for (const struct json *arm = json_is(arms, JSON_ARRAY) ? arms->first : NULL;
         arm && i < ARMS_MAX; arm = arm->next, i++) {
        const struct json *model = json_get(arm, "model"), *library = json_get(arm, "library");
        if (json_is(model, JSON_STRING)) findings->models[i] = model->text;
        if (json_is(library, JSON_STRING)) findings->libraries[i] = library->text;
    }
}

static int begin(struct study_findings *findings, struct study *study, struct store *store) {
    *findings = (struct study_findings){.study = study, .store = store};
    arena_init(&findings->arena, &study->cli->allocator);
    struct analysis_grader *graders =
        arena_array(&findings->arena, study->experiment->grader_count + 1, sizeof *graders);
    if (!graders) return cli_no_memory(study->cli);
    findings->input = (struct analysis_input){.plan = &study->plan,
                                              .graders = graders,
                                              .grader_count = list_graders(study, graders),
                                              .each = each,
                                              .ctx = findings,
                                              .transcripts = report_wants_transcripts(study->cli)};
    return EXIT_FINE;
}

static int find_entry(struct study_findings *findings, gramc_text id, struct store_entry *out) {
    struct cli *cli = findings->study->cli;
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !status; i++) {
        status = store_find(findings->store, i, out, &findings->error);
        if (!status && text_eq(out->id, id)) break;
    }
    if (!status) return EXIT_FINE;
    fprintf(cli->err, "gramc: the store: %s\n", findings->error.message);
    return EXIT_RUN_FAILED;
}

/* What was kept under `id`, which the store has taken up. */
static int analyse_entry(struct study_findings *findings, gramc_text id, struct analysis *out) {
    struct cli *cli = findings->study->cli;
    struct store_entry entry;
    int code = find_entry(findings, id, &entry);
    if (code != EXIT_FINE) return code;
    read_details(findings, arena_text(&findings->arena, entry.details));
    findings->input.libraries = findings->libraries;
    findings->input.models = findings->models;
    findings->input.state = text_of(store_status_name(entry.status));
    bool says_more = !text_eq(entry.reason, findings->input.state);
    findings->input.reason = arena_text(&findings->arena, says_more ? entry.reason : TEXT(""));
    if (findings->arena.oom) return cli_no_memory(cli);
    gramc_status status = analyse(out, &findings->input, &cli->allocator);
    if (status == GRAMC_FINDINGS)
        return cli_usage(cli, "the experiment names a metric or a number that is none");
    if (status != GRAMC_IO) return cli_status(cli, status);
    fprintf(cli->err, "gramc: the store: %s\n", findings->error.message);
    return EXIT_RUN_FAILED;
}

int study_report(struct study *study, struct store *store, gramc_text id,
                 const struct report_request *request) {
    struct study_findings findings;
    struct analysis analysis;
    int code = begin(&findings, study, store);
    if (code == EXIT_FINE) code = analyse_entry(&findings, id, &analysis);
    if (code == EXIT_FINE) {
        code = report_write(study->cli, &analysis, request);
        analysis_free(&analysis);
    }
    arena_free(&findings.arena);
    return code;
}

int study_check_report(struct study *study, struct report_request *out) {
    struct study_findings findings;
    int code = report_prepare(study->cli, out);
    if (code != EXIT_FINE) return code;
    code = begin(&findings, study, NULL);
    if (code == EXIT_FINE)
        code = report_check(study->cli, out, study->experiment, findings.input.graders,
                            findings.input.grader_count);
    arena_free(&findings.arena);
    return code;
}

/* ## Without running */

/* The newest of the experiment's name. */
static int take_up(struct study *study, struct store *store, struct store_entry *out) {
    struct cli *cli = study->cli;
    struct store_error error = {""};
    gramc_text base = study_base_id(study);
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !status; i++) {
        status = store_find(store, i, out, &error);
        if (!status && study_is_id(out->id, base)) break;
    }
    if (status == GRAMC_NOT_FOUND)
        return cli_usage(cli, "%s has no runs of %.*s", study->store_path, TEXT_ARGS(base));
    if (!status) return EXIT_FINE;
    fprintf(cli->err, "gramc: the store: %s\n", error.message);
    return EXIT_RUN_FAILED;
}

/* The runs must be of these cases and settings: a report of others would be wrong. */
static int check_same(struct study *study, const struct store_entry *entry) {
    const struct plan *plan = &study->plan;
    struct arena arena;
    arena_init(&arena, &study->cli->allocator);
    const struct json *details = json_parse(&arena, entry->details, NULL);
    const struct json *cases = json_get(details, "cases");
    bool same = entry->items == plan->items && entry->repeats == plan->repeats &&
                entry->arms == plan->arms && entry->seed == plan->seed &&
                json_is(cases, JSON_STRING) &&
                text_eq(cases->text, text_of(study->cases.fingerprint));
    bool no_memory = arena.oom;
    arena_free(&arena);
    if (no_memory) return cli_no_memory(study->cli);
    if (same) return EXIT_FINE;
    return cli_usage(study->cli, "the cases or settings are no longer those that %.*s was run with",
                     TEXT_ARGS(entry->id));
}

static int report_entry(struct study *study, struct store *store,
                        const struct report_request *request) {
    struct store_entry entry;
    struct store_error error = {""};
    char id[STUDY_ID];
    int code = take_up(study, store, &entry);
    if (code == EXIT_FINE) code = check_same(study, &entry);
    if (code != EXIT_FINE) return code;
    snprintf(id, sizeof id, "%.*s", TEXT_ARGS(entry.id));
    size_t len = entry.plan.len < sizeof study->plan.fingerprint - 1
                     ? entry.plan.len
                     : sizeof study->plan.fingerprint - 1;
    memcpy(study->plan.fingerprint, entry.plan.ptr, len);
    study->plan.fingerprint[len] = '\0';
    if (store_take_up(store, text_of(id), &error)) {
        fprintf(study->cli->err, "gramc: the store: %s\n", error.message);
        return EXIT_RUN_FAILED;
    }
    return study_report(study, store, text_of(id), request);
}

static int report_store(struct study *study, const struct report_request *request) {
    struct cli *cli = study->cli;
    struct store *store = NULL;
    struct store_error error = {""};
    int code = EXIT_FINE;
    gramc_status status =
        plan_make(&study->plan, study->experiment, &study->cases, NULL, &cli->allocator);
    if (status) return cli_status(cli, status);
    status = store_open(&store, text_of(study->store_path), &cli->allocator, &error);
    if (!status) {
        code = report_entry(study, store, request);
        status = store_close(store, &error);
    }
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (!status) return code;
    fprintf(cli->err, "gramc: the store: %s\n", error.message);
    return EXIT_RUN_FAILED;
}

int study_report_kept(struct study *study) {
    struct report_request request;
    int code = study_read_cases(study);
    if (code == EXIT_FINE) code = study_check_report(study, &request);
    if (code == EXIT_FINE) code = study_find_store(study, false);
    if (code != EXIT_FINE) return code;
    if (access(study->store_path, F_OK) != 0)
        return cli_usage(study->cli, "there is no store %s yet", study->store_path);
    return report_store(study, &request);
}

int study_analyse(struct study *study) {
    if (!study->cli->options[OPTION_FORMAT]) study->cli->options[OPTION_FORMAT] = "json";
    return study_report_kept(study);
}
