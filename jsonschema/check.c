/* The public call that evaluates an instance: reads it, evaluates it, hands the verdict over. */
#include "jsonschema/evaluate.h"

#include <string.h>

#include "jsonschema/fast.h"
#include "jsonschema/verdict.h"

/* The engine for bytes goes further than the one for documents, which ran into a limit. */
static bool is_fine_as_is(const struct gramc_schema *schema, gramc_text text, unsigned flags) {
    bool unfilled;
    return run_accepts(schema, text, &unfilled) && !(unfilled && flags & GRAMC_CHECK_DEFAULTS);
}

static gramc_status check(struct verdict *verdict, const struct gramc_schema *schema,
                          gramc_text text, const gramc_check_options *options) {
    struct report report = {.max = options->max_errors ? options->max_errors : 100};
    struct evaluation evaluation;
    struct json_error error;
    report.link = &report.first;
    evaluation_init(&evaluation, schema, &verdict->arena, &report, text.len);
    struct json *root = json_parse(&verdict->arena, text, &error);
    if (root) {
        evaluate_duplicates(&evaluation, root);
        verdict_normalise(verdict, &evaluation, root, text, options->flags);
        if (!evaluate_document(&evaluation, root) &&
            verdict_leave_out(verdict, &evaluation, root)) {
            report = (struct report){.max = report.max, .link = &report.first};
            evaluate_duplicates(&evaluation, root);
            evaluate_document(&evaluation, root);
        }
    } else if (error.limit) {
        evaluation_stop(&evaluation, GRAMC_LIMIT);
    } else if (!verdict->arena.oom) {
        report_not_json(&evaluation, &error);
    }
    if (evaluation.status == GRAMC_LIMIT && is_fine_as_is(schema, text, options->flags)) {
        evaluation.status = GRAMC_OK;
        verdict->changes = NULL;
        report = (struct report){.max = report.max};
        root = NULL;
    }
    evaluation_free(&evaluation);
    verdict_finish(verdict, &evaluation, &report, root, text);
    return verdict->arena.oom ? GRAMC_NOMEM : evaluation.status;
}

gramc_status gramc_schema_check(gramc_verdict **out, const gramc_schema *schema, const char *json,
                                size_t len, const gramc_check_options *options) {
    static const gramc_check_options defaults = GRAMC_CHECK_OPTIONS_INIT;
    if (!options) options = &defaults;
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct verdict *verdict = mem_alloc(&allocator, sizeof *verdict);
    *out = NULL;
    if (!verdict) return GRAMC_NOMEM;
    memset(verdict, 0, sizeof *verdict);
    arena_init(&verdict->arena, &allocator);
    gramc_status status = check(verdict, schema, (gramc_text){json, len}, options);
    if (status == GRAMC_OK) *out = &verdict->shown;
    else gramc_verdict_free(&verdict->shown);
    return status;
}

void gramc_verdict_free(gramc_verdict *shown) {
    if (!shown) return;
    struct verdict *verdict = (struct verdict *)shown; /* its first member */
    gramc_allocator allocator = verdict->arena.allocator;
    arena_free(&verdict->arena);
    mem_free(&allocator, verdict, sizeof *verdict);
}
