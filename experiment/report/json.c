/* An analysis as one JSON document, with all that any other report says and the values of every
 * case, so that two experiments can be compared later. The order of members and items is fixed;
 * what is not known is null. */
#include "experiment/report/report.h"

#include "base/diag/put.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"
#include "experiment/day.h"

#include <math.h>

static void number(struct json_writer *w, const char *key, double value) {
    json_key(w, key);
    if (!isfinite(value)) json_null(w);
    else json_put_double(json_slot(w), value);
}

/* Hostile: escaped so that it is as harmless on a terminal as in a parser. */
static void text(struct json_writer *w, const char *key, gramc_text value) {
    json_key(w, key);
    diag_put_json(json_slot(w), value);
}

static void some(struct json_writer *w, const char *key, gramc_text value) {
    if (value.len) text(w, key, value);
}

static void word(struct json_writer *w, const char *key, const char *value) {
    json_member_text(w, key, text_of(value));
}

static void interval(struct json_writer *w, const struct stat_interval *of) {
    number(w, "low", of->low);
    number(w, "high", of->high);
}

static void measure(struct json_writer *w, const char *key, const struct measure *of) {
    json_member_object(w, key);
    number(w, "value", of->value);
    interval(w, &of->interval);
    json_object_end(w);
}

static void settings(struct json_writer *w, const struct analysis *a) {
    json_member_object(w, "experiment");
    text(w, "name", a->name);
    some(w, "plan", a->plan);
    some(w, "cases", a->cases_fingerprint);
    json_member_number(w, "seed", a->seed);
    json_member_number(w, "repeats", a->repeats);
    number(w, "alpha", a->alpha);
    number(w, "margin", a->margin);
    number(w, "max_missing", a->max_missing);
    word(w, "stop", a->sequential ? "sequential" : "fixed");
    some(w, "state", a->state);
    some(w, "reason", a->reason);
    json_member_bool(w, "complete", a->complete);
    json_member_bool(w, "clustered", a->clustered);
    json_member_bool(w, "historical", a->historical);
    json_object_end(w);
}

static void arm_counts(struct json_writer *w, const char *key, const uint64_t *of, size_t count) {
    json_member_array(w, key);
    for (size_t i = 0; i < count; i++) json_number(w, of[i]);
    json_array_end(w);
}

/* Lists have an entry for each arm. */
static void online(struct json_writer *w, const struct analysis *a) {
    const struct online_result *of = a->online;
    if (!of) return;
    json_member_object(w, "online");
    word(w, "analysis", "unpaired");
    json_member_number(w, "planned", of->planned);
    json_member_number(w, "seen", of->seen);
    json_member_array(w, "shares");
    for (size_t i = 0; i < a->arm_count; i++) json_put_double(json_slot(w), of->shares[i]);
    json_array_end(w);
    arm_counts(w, "units", of->units, a->arm_count);
    arm_counts(w, "analysed", of->analysed, a->arm_count);
    arm_counts(w, "messages", of->messages, a->arm_count);
    arm_counts(w, "failed", of->failed, a->arm_count);
    arm_counts(w, "told", of->told, a->arm_count);
    json_member_number(w, "with_covariate", of->with_covariate);
    json_member_number(w, "unended", of->unended);
    json_member_number(w, "crashed", of->crashed);
    json_member_number(w, "unjudged", of->unjudged);
    json_member_object(w, "sample_ratio");
    number(w, "chi_square", of->ratio.statistic);
    number(w, "p", of->ratio.p);
    json_member_bool(w, "mismatch", of->is_mismatched);
    json_object_end(w);
    json_object_end(w);
}

static void put_day(struct json_writer *w, const char *key, int64_t ms) {
    char day[DAY_ROOM];
    if (day_spell(day, ms)) json_member_text(w, key, text_of(day));
}

/* Only of what was replayed. */
static void put_replayed(struct json_writer *w, const struct analysis *a) {
    json_member_number(w, "replayed", a->replayed);
    if (!a->replayed) return;
    json_member_number(w, "model_calls", a->model_calls);
    json_member_number(w, "model_calls_replayed", a->model_calls_replayed);
    put_day(w, "recorded_first", a->recorded_first_ms);
    put_day(w, "recorded_last", a->recorded_last_ms);
}

static void counts(struct json_writer *w, const struct analysis *a) {
    json_member_object(w, "counts");
    json_member_number(w, "cases", a->items);
    json_member_number(w, "cases_run", a->items_run);
    json_member_number(w, "cases_lacking", a->items_lacking);
    json_member_number(w, "graders", a->grader_count);
    json_member_number(w, "runs", a->cells);
    json_member_number(w, "done", a->done);
    json_member_number(w, "missing", a->missing);
    json_member_number(w, "skipped", a->skipped);
    json_member_number(w, "todo", a->todo);
    put_replayed(w, a);
    json_object_end(w);
}

static const char *const scales[] = {"share", "count", "ratio"};

static void metrics(struct json_writer *w, const struct analysis *a) {
    json_member_array(w, "metrics");
    for (size_t i = 0; i < a->metric_count; i++) {
        const struct metric *metric = &a->metrics[i];
        json_object_begin(w);
        text(w, "name", metric->name);
        word(w, "role", metric_role_name(metric->role));
        word(w, "scale", scales[metric->scale]);
        word(w, "unit", metric->unit);
        json_member_bool(w, "higher_is_better", metric->higher_is_better);
        json_member_bool(w, "grader",
                         metric->kind == METRIC_GRADER || metric->kind == METRIC_PREFERENCE);
        json_object_end(w);
    }
    json_array_end(w);
}

/* ## Arms */

static void variants(struct json_writer *w, const char *key, const struct variants *of) {
    json_member_array(w, key);
    for (size_t i = 0; i < of->count; i++) {
        json_object_begin(w);
        text(w, "name", of->list[i].name);
        json_member_number(w, "runs", of->list[i].cells);
        json_object_end(w);
    }
    json_array_end(w);
}

static void numbers(struct json_writer *w, const char *key, const double *of, size_t count) {
    json_member_array(w, key);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(of[i])) json_put_double(json_slot(w), of[i]);
        else json_null(w);
    }
    json_array_end(w);
}

static void arm_metric(struct json_writer *w, const struct metric *metric,
                       const struct arm_metric *of) {
    json_object_begin(w);
    text(w, "metric", metric->name);
    json_member_number(w, "cases", of->items);
    number(w, "mean", of->mean.value);
    interval(w, &of->mean.interval);
    word(w, "method", of->method);
    if (metric->scale == SCALE_RATIO) number(w, "geometric_mean", of->geometric);
    if (metric->kind == METRIC_LATENCY) {
        measure(w, "p50", &of->p50);
        measure(w, "p95", &of->p95);
    }
    json_object_end(w);
}

static void arm(struct json_writer *w, const struct analysis *a, const struct arm_result *of) {
    json_object_begin(w);
    text(w, "name", of->name);
    some(w, "library", of->library);
    some(w, "model", of->model);
    json_member_number(w, "done", of->done);
    json_member_number(w, "missing", of->missing);
    json_member_number(w, "skipped", of->skipped);
    json_member_number(w, "todo", of->todo);
    json_member_number(w, "faults", of->faults);
    json_member_number(w, "ran_first", of->first);
    number(w, "cost", of->has_cost ? of->cost : (double)NAN);
    number(w, "judge_cost", of->judge_cost);
    json_member_number(w, "prompt_tokens", of->tokens_in);
    json_member_number(w, "completion_tokens", of->tokens_out);
    json_member_number(w, "cached_tokens", of->tokens_cached);
    variants(w, "response_models", &of->models);
    variants(w, "system_fingerprints", &of->systems);
    numbers(w, "pass_all", of->pass_all, a->repeats);
    numbers(w, "pass_any", of->pass_any, a->repeats);
    json_member_array(w, "metrics");
    for (size_t m = 0; m < a->metric_count; m++) arm_metric(w, &a->metrics[m], &of->metrics[m]);
    json_array_end(w);
    json_object_end(w);
}

/* ## Comparisons */

static void table(struct json_writer *w, const struct stat_pairs *of) {
    json_member_object(w, "table");
    json_member_number(w, "both", of->both);
    json_member_number(w, "only_arm", of->only_first);
    json_member_number(w, "only_baseline", of->only_second);
    json_member_number(w, "neither", of->neither);
    json_object_end(w);
}

static void tests(struct json_writer *w, const struct arm_comparison *of) {
    json_member_array(w, "tests");
    for (int kind = 0; kind < TEST_COUNT; kind++) {
        if (isnan(of->p[kind])) continue;
        json_object_begin(w);
        word(w, "name", test_name((enum test_kind)kind));
        number(w, "p", of->p[kind]);
        json_member_bool(w, "decisive", (enum test_kind)kind == of->decisive);
        json_object_end(w);
    }
    json_array_end(w);
    number(w, "p_adjusted", of->p_adjusted);
    word(w, "adjustment", of->adjustment);
    json_member_bool(w, "fixed_tests_valid", of->fixed_valid);
}

static void sequence(struct json_writer *w, const struct sequence *of) {
    if (!of->method) return;
    json_member_object(w, "sequence");
    word(w, "method", of->method);
    json_member_number(w, "steps", of->items);
    number(w, "log_e", of->log_e);
    number(w, "p", of->p);
    interval(w, &of->interval);
    json_member_array(w, "path");
    for (size_t i = 0; i < of->points; i++) {
        json_object_begin(w);
        json_member_number(w, "steps", of->path[i].items);
        number(w, "log_e", of->path[i].log_e);
        interval(w, &of->path[i].interval);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void effect(struct json_writer *w, const struct analysis *a,
                   const struct arm_comparison *of) {
    number(w, "baseline_value", of->baseline);
    number(w, "arm_value", of->candidate);
    json_member_object(w, "effect");
    word(w, "kind", a->metrics[of->metric].scale == SCALE_RATIO ? "ratio" : "difference");
    number(w, "value", of->effect.value);
    interval(w, &of->effect.interval);
    number(w, "confidence", of->confidence);
    word(w, "method", of->method);
    json_object_end(w);
}

static void comparison(struct json_writer *w, const struct analysis *a,
                       const struct arm_comparison *of) {
    json_object_begin(w);
    text(w, "arm", a->arms[of->arm].name);
    text(w, "baseline", a->arms[0].name);
    text(w, "metric", a->metrics[of->metric].name);
    word(w, "role", metric_role_name(a->metrics[of->metric].role));
    json_member_number(w, "cases", of->items);
    json_member_number(w, "clusters", of->clusters);
    if (of->reason) word(w, "reason", of->reason);
    if (!of->reason) {
        effect(w, a, of);
        if (of->binary) table(w, &of->table);
        tests(w, of);
        json_member_object(w, "bootstrap");
        interval(w, &of->bootstrap);
        json_object_end(w);
        json_member_object(w, "missing_bounds");
        interval(w, &of->bounds);
        json_object_end(w);
        number(w, "margin", of->margin);
        number(w, "cases_needed", of->items_needed);
        number(w, "detectable", of->detectable);
        number(w, "spread", of->spread);
        if (!isnan(of->covariate.theta)) {
            json_member_object(w, "covariate");
            number(w, "theta", of->covariate.theta);
            number(w, "variance_reduction", of->covariate.reduction);
            json_object_end(w);
        }
        sequence(w, &of->sequence);
    }
    word(w, "verdict", stat_verdict_name(of->verdict));
    json_object_end(w);
}

/* ## Cases and the rest */

static void case_arm(struct json_writer *w, const struct analysis *a,
                     const struct case_result *result, size_t index) {
    const struct case_arm *of = &result->arms[index];
    json_object_begin(w);
    json_member_number(w, "passed", of->passed);
    json_member_number(w, "done", of->done);
    json_member_number(w, "missing", of->missing);
    json_member_number(w, "skipped", of->skipped);
    some(w, "reason", of->reason);
    json_member_array(w, "values");
    for (size_t m = 0; m < a->metric_count; m++) {
        double value = result->values[index * a->metric_count + m];
        if (isfinite(value)) json_put_double(json_slot(w), value);
        else json_null(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void unit(struct json_writer *w, const struct analysis *a,
                 const struct case_result *result) {
    text(w, "arm", a->arms[result->arm].name);
    json_member_number(w, "messages", result->messages);
    json_member_number(w, "unended", result->unended);
    number(w, "covariate", result->covariate);
}

static void cases(struct json_writer *w, const struct analysis *a) {
    json_member_array(w, "cases");
    for (size_t i = 0; i < a->items; i++) {
        const struct case_result *result = &a->cases[i];
        json_object_begin(w);
        text(w, "id", result->id);
        some(w, "cluster", result->cluster);
        some(w, "stratum", result->stratum);
        json_member_number(w, "place", result->place);
        if (a->online) unit(w, a, result);
        json_member_array(w, "arms");
        for (size_t k = 0; k < a->arm_count; k++) case_arm(w, a, result, k);
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void strata(struct json_writer *w, const struct analysis *a) {
    json_member_array(w, "strata");
    for (size_t i = 0; i < a->slice_count; i++) {
        const struct slice *of = &a->slices[i];
        json_object_begin(w);
        text(w, "name", of->name);
        text(w, "arm", a->arms[of->arm].name);
        json_member_number(w, "cases", of->items);
        measure(w, "effect", &of->effect);
        number(w, "p", of->p);
        number(w, "p_adjusted", of->p_adjusted);
        json_object_end(w);
    }
    json_array_end(w);
}

static void judges(struct json_writer *w, const struct analysis *a) {
    json_member_array(w, "judges");
    for (size_t i = 0; i < a->agreement_count; i++) {
        const struct agreement *of = &a->agreements[i];
        json_object_begin(w);
        text(w, "grader", of->grader);
        json_member_number(w, "both_pass", of->both);
        json_member_number(w, "only_judge_passes", of->only_judge);
        json_member_number(w, "only_label_passes", of->only_label);
        json_member_number(w, "both_fail", of->neither);
        measure(w, "agreement", &of->share);
        number(w, "kappa", of->kappa);
        json_object_end(w);
    }
    json_array_end(w);
}

static void soundness(struct json_writer *w, const struct analysis *a) {
    json_member_array(w, "attrition");
    for (size_t i = 0; a->attritions && i + 1 < a->arm_count; i++) {
        const struct attrition *of = &a->attritions[i];
        json_object_begin(w);
        text(w, "arm", a->arms[of->arm].name);
        json_member_number(w, "only_arm_lacks", of->only_arm);
        json_member_number(w, "only_baseline_lacks", of->only_first);
        number(w, "p", of->p);
        json_object_end(w);
    }
    json_array_end(w);
    json_member_array(w, "order_effects");
    for (size_t i = 0; i < a->precedence_count; i++) {
        const struct precedence *of = &a->precedences[i];
        json_object_begin(w);
        text(w, "metric", of->metric);
        json_member_number(w, "first_higher", of->higher);
        json_member_number(w, "first_lower", of->lower);
        number(w, "p", of->p);
        json_object_end(w);
    }
    json_array_end(w);
}

static void gates(struct json_writer *w, const struct experiment_report *report) {
    if (!report->gates) return;
    json_member_array(w, "gates");
    for (size_t i = 0; i < report->gates->count; i++) {
        const struct gate_result *of = &report->gates->results[i];
        json_object_begin(w);
        word(w, "option", gate_option_name(of->gate->option));
        text(w, "gate", of->gate->source);
        text(w, "arm", report->analysis->arms[of->arm].name);
        word(w, "outcome", gate_outcome_name(of->outcome));
        number(w, "seen", of->seen);
        text(w, "reason", of->reason);
        json_object_end(w);
    }
    json_array_end(w);
    json_member_number(w, "exit", (uint64_t)report->gates->code);
    some(w, "exit_reason", report->gates->reason);
}

void experiment_json(struct buf *out, const struct experiment_report *report) {
    const struct analysis *a = report->analysis;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    word(&w, "format", "gramc-experiment");
    json_member_number(&w, "version", VERSION_EXPERIMENT);
    settings(&w, a);
    online(&w, a);
    counts(&w, a);
    metrics(&w, a);
    json_member_array(&w, "arms");
    for (size_t i = 0; i < a->arm_count; i++) arm(&w, a, &a->arms[i]);
    json_array_end(&w);
    json_member_array(&w, "comparisons");
    for (size_t i = 0; i < (a->arm_count - 1) * a->metric_count; i++)
        comparison(&w, a, &a->comparisons[i]);
    json_array_end(&w);
    strata(&w, a);
    judges(&w, a);
    soundness(&w, a);
    gates(&w, report);
    json_member_array(&w, "warnings");
    for (size_t i = 0; i < a->warning_count; i++) diag_put_json(json_slot(&w), a->warnings[i]);
    json_array_end(&w);
    cases(&w, a);
    json_object_end(&w);
    buf_putc(out, '\n');
}
