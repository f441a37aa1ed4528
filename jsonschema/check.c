/* The public call that evaluates an instance: by its bytes if they are fine, else by a document,
 * that can be explained. Hands the verdict over. */
#include "jsonschema/evaluate.h"

#include <stdio.h>
#include <string.h>

#include "jsonschema/fast.h"
#include "jsonschema/output.h"
#include "jsonschema/verdict.h"

/* One pass over the bytes, which settles what is valid once it is filled in. False says nothing. */
static bool accept(struct verdict *verdict, const struct gramc_schema *schema, gramc_text text,
                   unsigned flags, uint64_t *spent) {
    struct fills fills;
    gramc_verdict *shown = &verdict->shown;
    fills_init(&fills, &verdict->arena, text, flags);
    bool fine = run_with_fills(schema, text, &fills);
    *spent = fills.spent;
    if (!fine) return false;
    shown->normalised = text;
    if (fills.change_count) {
        gramc_adjustment *changes =
            arena_array(&verdict->arena, fills.change_count, sizeof *changes);
        shown->normalised = fills_apply(&fills, text);
        if (!changes || !shown->normalised.ptr || !fills_show(&fills, text, changes)) return false;
        shown->adjustments = changes;
        shown->adjustment_count = fills.change_count;
    }
    return shown->valid = true;
}

/* Most of what is wrong has nothing in it that would be changed. */
static bool may_change(const struct gramc_schema *schema, gramc_text text, unsigned flags) {
    if (flags & GRAMC_CHECK_COERCE) return true;
    if (flags & GRAMC_CHECK_DEFAULTS && schema->has_defaults) return true;
    return flags & GRAMC_CHECK_NULL_ABSENT && run_has_null(text);
}

static void tell_reader(gramc_json_error *out, const struct json_error *error) {
    out->position = error->position;
    out->pointer[0] = '\0';
    snprintf(out->message, sizeof out->message, "%s", error->message);
}

static void find_output(struct verdict *verdict, struct evaluation *evaluation,
                        const struct json *root, unsigned flags) {
    bool all = flags & GRAMC_CHECK_UNITS, valid = !evaluation->report->total;
    if (evaluation->status == GRAMC_OK && (all || (flags & GRAMC_CHECK_ANNOTATIONS && valid)))
        output_walk(verdict, evaluation, root, all);
}

/* Nobody asks for more than what is wrong, and nothing is filled in or converted. */
static bool may_outline(const struct gramc_schema *schema, unsigned flags) {
    unsigned more = GRAMC_CHECK_COERCE | GRAMC_CHECK_UNITS | GRAMC_CHECK_ANNOTATIONS;
    return !(flags & more) && !(flags & GRAMC_CHECK_DEFAULTS && schema->has_defaults);
}

/* The thorough way: reads a document, changes it, evaluates it, and can say what is wrong. Of what
 * was refused only in places, no more is read than that (but for `whole`). */
static gramc_status explain(struct verdict *verdict, const struct gramc_schema *schema,
                            gramc_text text, const gramc_check_options *options, bool whole,
                            uint64_t spent) {
    struct report report = {.max = options->max_errors ? options->max_errors : 100};
    struct evaluation evaluation;
    struct json_error error;
    report.link = &report.first;
    evaluation_init(&evaluation, schema, &verdict->arena, &report, text.len);
    evaluation.error = options->error;
    struct json *root = NULL;
    if (!whole && may_outline(schema, options->flags))
        root = run_outline(schema, text, options->flags, &verdict->arena, &spent);
    evaluation_spend(&evaluation, spent);
    bool outlined = root != NULL;
    if (!root) root = json_parse(&verdict->arena, text, &error);
    if (root) {
        evaluate_duplicates(&evaluation, root);
        if (!outlined && may_change(schema, text, options->flags))
            verdict_normalise(verdict, &evaluation, root, text, options->flags);
        if (!evaluate_document(&evaluation, root) &&
            verdict_leave_out(verdict, &evaluation, root)) {
            report = (struct report){.max = report.max, .link = &report.first};
            evaluate_duplicates(&evaluation, root);
            evaluate_document(&evaluation, root);
        }
        find_output(verdict, &evaluation, root, options->flags);
    } else if (error.limit) {
        evaluation_stop(&evaluation, GRAMC_LIMIT);
        if (options->error) tell_reader(options->error, &error);
    } else if (!verdict->arena.oom) {
        report_not_json(&evaluation, &error);
    }
    evaluation_free(&evaluation);
    verdict_finish(verdict, &evaluation, &report, root, text);
    return verdict->arena.oom ? GRAMC_NOMEM : evaluation.status;
}

/* Member by member: its room is left as it is, and for all that stands before it together a
 * compiler would rather loop. */
static void verdict_init(struct verdict *verdict, const gramc_allocator *allocator) {
    verdict->shown = (gramc_verdict){.valid = false};
    verdict->violations = NULL;
    verdict->output = NULL;
    verdict->output_all = false;
    verdict->changes = NULL;
    verdict->link = NULL;
    verdict->fill_count = 0;
    arena_init(&verdict->arena, allocator);
    verdict->arena.cursor = (char *)verdict->room;
    verdict->arena.end = (char *)verdict->room + sizeof verdict->room;
}

static gramc_status check(gramc_verdict **out, const struct gramc_schema *schema, gramc_text text,
                          const gramc_check_options *options, bool thoroughly) {
    static const gramc_check_options defaults = GRAMC_CHECK_OPTIONS_INIT;
    if (!options) options = &defaults;
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct verdict *verdict = mem_alloc(&allocator, sizeof *verdict);
    gramc_status status = GRAMC_OK;
    uint64_t spent = 0;
    *out = NULL;
    if (!verdict) return GRAMC_NOMEM;
    verdict_init(verdict, &allocator);
    thoroughly |= (options->flags & (GRAMC_CHECK_ANNOTATIONS | GRAMC_CHECK_UNITS)) != 0;
    if (thoroughly || !accept(verdict, schema, text, options->flags, &spent))
        status = explain(verdict, schema, text, options, thoroughly, spent);
    if (status == GRAMC_OK) *out = &verdict->shown;
    else gramc_verdict_free(&verdict->shown);
    return status;
}

gramc_status gramc_schema_check(gramc_verdict **out, const gramc_schema *schema, const char *json,
                                size_t len, const gramc_check_options *options) {
    return check(out, schema, (gramc_text){json, len}, options, false);
}

gramc_status verdict_by_document(gramc_verdict **out, const gramc_schema *schema, gramc_text text,
                                 const gramc_check_options *options) {
    return check(out, schema, text, options, true);
}

void gramc_verdict_free(gramc_verdict *shown) {
    if (!shown) return;
    struct verdict *verdict = (struct verdict *)shown; /* its first member */
    gramc_allocator allocator = verdict->arena.allocator;
    arena_free(&verdict->arena);
    mem_free(&allocator, verdict, sizeof *verdict);
}
