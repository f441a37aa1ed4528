/* What an experiment found, from the store that its runs are kept in, without running or binding
 * anything. What the report looks like is report.c's. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/run/report_online.h"
#include "cli/run/study.h"

enum { KEPT_ID = 256 };

/* ## Graders, in the order of an attempt's scores: as grading_count has them */

static bool expects(const struct cases *cases) {
    for (size_t i = 0; i < cases->count; i++)
        if (cases->items[i].expect) return true;
    return false;
}

static int list_graders(struct study *study) {
    const gramc_experiment *experiment = study->experiment;
    struct analysis_grader *list =
        arena_array(&study->arena, experiment->grader_count + 1, sizeof *list);
    if (!list) return cli_no_memory(study->cli);
    study->graders = list;
    for (size_t i = 0; i < experiment->grader_count; i++) {
        const gramc_grader *grader = &experiment->graders[i];
        double weight = 1;
        (void)number_to_double(&weight, grader->weight);
        list[study->grader_count++] =
            (struct analysis_grader){.name = grader->name,
                                     .required = grader->required,
                                     .is_judge = grader->kind == GRAMC_GRADER_RUBRIC,
                                     .is_preference = grader->kind == GRAMC_GRADER_PREFER,
                                     .weight = weight};
    }
    if (expects(&study->cases))
        list[study->grader_count++] =
            (struct analysis_grader){.name = TEXT("expect"), .required = true, .weight = 1};
    return EXIT_FINE;
}

/* ## The runs */

/* The newest of the experiment's name. */
static int find_runs(struct study *study, struct store *store, struct store_entry *out) {
    struct store_error error = {""};
    gramc_text base = study_base_id(study);
    bool exact = study->cli->options[OPTION_ID] != NULL;
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; !status; i++) {
        status = store_find(store, i, out, &error);
        if (!status && (exact ? text_eq(out->id, base) : study_is_id(out->id, base))) break;
    }
    if (status == GRAMC_NOT_FOUND)
        return cli_usage(study->cli, "%s has no runs of %.*s", study_store_name(study),
                         TEXT_ARGS(base));
    return status ? study_tell_store(study, &error) : EXIT_FINE;
}

/* With which models the arms ran. */
static void take_models(struct study *study, const struct json *details) {
    const struct json *arms = json_get(details, "arms");
    size_t i = 0;
    for (const struct json *arm = json_is(arms, JSON_ARRAY) ? arms->first : NULL;
         arm && i < study->arm_count; arm = arm->next, i++) {
        const struct json *model = json_get(arm, "model"), *differs = json_get(arm, "differs");
        if (json_is(differs, JSON_STRING))
            study->arms[i].differs = arena_text(&study->arena, differs->text);
        if (!json_is(model, JSON_STRING)) continue;
        snprintf(study->arms[i].model_name, sizeof study->arms[i].model_name, "%.*s",
                 TEXT_ARGS(model->text));
    }
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
    if (same) take_models(study, details);
    bool no_memory = arena.oom;
    arena_free(&arena);
    if (no_memory) return cli_no_memory(study->cli);
    if (same) return EXIT_FINE;
    return cli_usage(study->cli, "the cases or settings are no longer those that %.*s was run with",
                     TEXT_ARGS(entry->id));
}

/* "aborted: no model": the store keeps both in one. */
static gramc_text behind_colon(gramc_text reason) {
    const char *colon = reason.len ? memchr(reason.ptr, ':', reason.len) : NULL;
    if (!colon) return (gramc_text){NULL, 0};
    return text_trim(text_slice(reason, (size_t)(colon - reason.ptr) + 1, reason.len));
}

static int report_entry(struct study *study, struct store *store) {
    struct store_entry entry;
    struct store_error error = {""};
    char id[KEPT_ID], reason[KEPT_ID];
    int code = find_runs(study, store, &entry);
    if (code == EXIT_FINE) code = check_same(study, &entry);
    if (code != EXIT_FINE) return code;
    gramc_text state = text_of(store_status_name(entry.status));
    snprintf(id, sizeof id, "%.*s", TEXT_ARGS(entry.id));
    gramc_text why = behind_colon(entry.reason);
    snprintf(reason, sizeof reason, "%.*s", TEXT_ARGS(why));
    snprintf(study->plan.fingerprint, sizeof study->plan.fingerprint, "%.*s",
             TEXT_ARGS(entry.plan));
    if (store_take_up(store, text_of(id), &error)) return study_tell_store(study, &error);
    return study_report(study, store, state, text_of(reason));
}

static int report_store(struct study *study) {
    struct store *store = NULL;
    struct store_error error = {""};
    int code = EXIT_FINE;
    gramc_status status =
        store_open(&store, text_of(study->store_path), &study->cli->allocator, &error);
    if (!status) {
        code = report_entry(study, store);
        status = store_close(store, &error);
    }
    if (status == GRAMC_NOMEM) return cli_no_memory(study->cli);
    return status ? study_tell_store(study, &error) : code;
}

/* Served experiments need no cases, and offline ones of the same name may stand beside them. */
static int report_if_online(struct study *study, bool *is_online) {
    struct store *store = NULL;
    struct store_entry entry;
    struct store_error error = {""};
    int code = study_find_store(study, false);
    if (code != EXIT_FINE || study_store_is_missing(study)) return code;
    if (store_open(&store, text_of(study->store_path), &study->cli->allocator, &error))
        return study_tell_store(study, &error);
    code = find_runs(study, store, &entry);
    *is_online = code != EXIT_FINE || report_is_online(&entry);
    if (code == EXIT_FINE && *is_online)
        code = report_online(study->cli, store, &entry, &study->request);
    gramc_status status = store_close(store, &error);
    return status && code == EXIT_FINE ? study_tell_store(study, &error) : code;
}

int study_report_kept(struct study *study) {
    struct cli *cli = study->cli;
    bool is_online = false;
    int code = study->experiment->units ? report_if_online(study, &is_online) : EXIT_FINE;
    if (is_online || code != EXIT_FINE) return code;
    code = study_read_cases(study);
    if (code == EXIT_FINE) code = list_graders(study);
    if (code == EXIT_FINE)
        code = report_check(cli, &study->request, study->experiment, study->graders,
                            study->grader_count);
    if (code == EXIT_FINE) code = study_find_store(study, false);
    if (code != EXIT_FINE) return code;
    if (study_store_is_missing(study))
        return cli_usage(cli, "there is no store %s yet", study->store_path);
    study->arm_count = study->experiment->arm_count;
    gramc_status status =
        plan_make(&study->plan, study->experiment, &study->cases, NULL, &cli->allocator);
    return status ? cli_status(cli, status) : report_store(study);
}

int study_analyse(struct study *study) {
    const struct experiment_format *format = study->request.format;
    for (size_t i = 0; !study->cli->options[OPTION_FORMAT] && experiment_format(i); i++)
        if (text_is(text_of(experiment_format(i)->name), "json")) format = experiment_format(i);
    study->request.format = format;
    return study_report_kept(study);
}
