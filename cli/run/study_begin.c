/* Begins an experiment in its store, or takes it up again: what is kept with it, so that reports
 * can do without the spec, and in what a plan differs from the one that was begun. */
#include "cli/run/study.h"

#include "base/json/writer.h"
#include "base/text.h"
#include "experiment/assign.h"

enum { DETAILS_MAX = 256 << 20, PARTS_MAX = 1 << 16 };

int study_tell_store(const struct study *study, const struct store_error *error) {
    fputs("gramc: the store: ", study->cli->err);
    cli_put_safe(study->cli->err, text_of(error->message));
    fputc('\n', study->cli->err);
    return EXIT_RUN_FAILED;
}

/* ## What is kept with it, for reports without the spec */

/* All that a report of an online experiment takes. */
static void put_online(struct json_writer *w, const struct study *study) {
    const gramc_experiment *experiment = study->experiment;
    double shares[ARMS_MAX];
    assign_shares(experiment, shares);
    json_member_object(w, "online");
    json_member_number(w, "units", experiment->units);
    json_member_array(w, "shares");
    for (size_t i = 0; i < experiment->arm_count; i++) json_put_double(json_slot(w), shares[i]);
    json_array_end(w);
    json_member_array(w, "graders");
    for (size_t i = 0; i < study->grader_count; i++) {
        const struct analysis_grader *grader = &study->graders[i];
        json_object_begin(w);
        json_member_text(w, "name", grader->name);
        json_member_bool(w, "required", grader->required);
        json_member_bool(w, "judge", grader->is_judge);
        json_key(w, "weight");
        json_put_double(json_slot(w), grader->weight);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static gramc_text spell(const struct study *study, struct buf *out) {
    const gramc_experiment *experiment = study->experiment;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "experiment", experiment->name);
    json_member_text(&w, "file", text_of(study->cli->operands[0]));
    json_member_text(&w, "metric", experiment->metric);
    json_member_text(&w, "stop", experiment->stop);
    json_member_text(&w, "margin", experiment->margin);
    json_member_text(&w, "alpha", experiment->alpha);
    json_member_text(&w, "maxMissing", experiment->max_missing);
    json_member_array(&w, "guardrails");
    for (size_t i = 0; i < experiment->guardrail_count; i++)
        json_text(&w, experiment->guardrails[i]);
    json_array_end(&w);
    json_member_array(&w, "arms");
    for (size_t i = 0; i < experiment->arm_count; i++) {
        const gramc_arm *arm = &experiment->arms[i];
        json_object_begin(&w);
        json_member_text(&w, "name", arm->name);
        json_member_text(&w, "agent", arm->agent->name);
        json_member_some(&w, "library", arm->library ? arm->library->name : TEXT(""));
        json_member_some(&w, "model", text_of(study->arms[i].model_name));
        json_member_some(&w, "differs", study->arms[i].differs);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_member_array(&w, "graders");
    for (size_t i = 0; i < experiment->grader_count; i++)
        json_text(&w, experiment->graders[i].name);
    json_array_end(&w);
    if (!study->has_cases) put_online(&w, study);
    json_member_text(&w, "cases", text_of(study->cases.fingerprint));
    plan_parts_write(&w, &study->plan);
    json_member_array(&w, "items"); /* in the order of the file */
    for (size_t i = 0; i < study->cases.count; i++) json_text(&w, study->cases.items[i].id);
    json_array_end(&w);
    json_object_end(&w);
    return buf_view(out);
}

/* In what it is not the plan that the store has, as far as that is known. */
static int refuse_plan(struct study *study, struct store *store, const char *id,
                       const struct store_error *error) {
    struct cli *cli = study->cli;
    struct store_entry entry;
    struct store_error ignored;
    struct arena arena;
    struct buf parts;
    arena_init(&arena, &cli->allocator);
    buf_init(&parts, &cli->allocator, PARTS_MAX);
    for (size_t i = 0; !store_find(store, i, &entry, &ignored); i++) {
        if (!text_is(entry.id, id)) continue;
        const struct json *details = json_parse(&arena, entry.details, NULL);
        (void)plan_parts_differ(&parts, &study->plan, json_get(details, "parts"));
        break;
    }
    gramc_text differ = buf_view(&parts);
    int code = differ.len ? cli_usage(cli,
                                      "experiment `%s` was begun with another plan; what differs: "
                                      "%.*s",
                                      id, TEXT_ARGS(differ))
                          : cli_usage(cli, "%s", error->message);
    buf_free(&parts);
    arena_free(&arena);
    return code;
}

int study_begin(struct study *study, struct store *store, const char *id) {
    struct cli *cli = study->cli;
    struct store_error error = {""};
    struct buf details;
    buf_init(&details, &cli->allocator, DETAILS_MAX);
    gramc_text text = spell(study, &details);
    gramc_status status = buf_status(&details);
    if (!status) status = store_begin(store, text_of(id), &study->plan, text, &error);
    buf_free(&details);
    if (status == GRAMC_NOMEM) return cli_no_memory(cli);
    if (status == GRAMC_AMBIGUOUS) return refuse_plan(study, store, id, &error);
    if (status == GRAMC_LIMIT) return cli_usage(cli, "%s", error.message);
    return status ? study_tell_store(study, &error) : EXIT_FINE;
}
