/* Judges gates by an analysis, and says what a command exits with. What could not be seen is never
 * taken for good. */
#include "experiment/gate.h"

#include "base/text.h"
#include "experiment/report/words.h"

#include <math.h>
#include <stdio.h>

const char *gate_outcome_name(enum gate_outcome outcome) {
    static const char *const names[] = {"passed", "failed", "undecided"};
    return names[outcome];
}

/* ## Is there such a metric? */

static bool is_called(const struct metric *metric, gramc_text name) {
    return text_eq(metric->name, name) || (metric->kind == METRIC_PASS && text_is(name, "success"));
}

static size_t find_metric(const struct metric *metrics, size_t count, gramc_text name) {
    size_t i = 0;
    while (i < count && !is_called(&metrics[i], name)) i++;
    return i;
}

static bool is_name(gramc_text name, const struct analysis_grader *graders, size_t grader_count,
                    enum metric_scale *scale) {
    *scale = SCALE_SHARE;
    const struct metric *metric;
    for (size_t i = 0; (metric = metric_builtin(i)) != NULL; i++) {
        *scale = metric->scale;
        if (is_called(metric, name)) return true;
    }
    *scale = SCALE_SHARE;
    for (size_t i = 0; i < grader_count; i++)
        if (text_eq(graders[i].name, name)) return true;
    return text_is(name, "score");
}

static gramc_status refuse(const struct gate_rule *gate, struct gate_error *error, gramc_text name,
                           const char *what) {
    error->position = name.ptr ? (size_t)(name.ptr - gate->source.ptr) : 0;
    snprintf(error->message, sizeof error->message, "%s", what);
    return GRAMC_FINDINGS;
}

static gramc_status check_quantity(const struct gate_rule *gate, bool whole,
                                   enum metric_scale scale, struct gate_error *error) {
    if (whole || gate->quantity == GATE_MEAN) return GRAMC_OK;
    bool percentile = gate->quantity == GATE_P50 || gate->quantity == GATE_P95;
    if (percentile && !text_is(gate->metric, "latency"))
        return refuse(gate, error, gate->whole, "only latency has percentiles");
    if (gate->quantity == GATE_RATIO && scale != SCALE_RATIO)
        return refuse(gate, error, gate->whole,
                      "only cost, latency and tokens are compared by a ratio; write _difference");
    if (gate->quantity == GATE_DIFFERENCE && scale == SCALE_RATIO)
        return refuse(gate, error, gate->whole, "this metric is compared by a ratio; write _ratio");
    return GRAMC_OK;
}

gramc_status gate_check(const struct gate_rule *gate, const gramc_experiment *experiment,
                        const struct analysis_grader *graders, size_t grader_count,
                        struct gate_error *error) {
    enum metric_scale scale;
    if (gate->option == GATE_CASE_REGRESSIONS) return GRAMC_OK;
    bool whole = is_name(gate->whole, graders, grader_count, &scale);
    if (!whole && !is_name(gate->metric, graders, grader_count, &scale))
        return refuse(gate, error, gate->whole,
                      "no such metric: success, score, cost, latency, tokens, requests, calls, "
                      "callErrors, toolErrors, or a grader's name");
    if (gate->arm.len) {
        size_t i = 1;
        while (i < experiment->arm_count && !text_eq(experiment->arms[i].name, gate->arm)) i++;
        if (i >= experiment->arm_count)
            return refuse(gate, error, gate->arm,
                          "no such arm; the first one is what the others are compared with");
    }
    return check_quantity(gate, whole, scale, error);
}

/* ## One gate, one arm */

static void say(struct analysis *analysis, struct gate_result *result, enum gate_outcome outcome,
                struct buf *words) {
    result->outcome = outcome;
    result->reason = arena_text(&analysis->arena, buf_view(words));
    if (words->state == BUF_NOMEM) analysis->arena.oom = true;
}

/* As what it is called may be more than one thing: an interval within the margin and above 0. */
static bool is_no_worse(struct stat_interval interval, struct stat_goal goal) {
    enum stat_verdict verdict = stat_verdict(interval, goal);
    return verdict == STAT_SUPERIOR || verdict == STAT_NONINFERIOR || verdict == STAT_EQUIVALENT;
}

static bool condition_holds(enum gate_condition condition, struct stat_interval interval,
                            struct stat_goal goal) {
    enum stat_verdict verdict = stat_verdict(interval, goal);
    struct stat_goal other_way = goal;
    other_way.lower_is_better = !goal.lower_is_better;
    switch (condition) {
    case GATE_REGRESSION: return verdict == STAT_REGRESSION;
    case GATE_INCONCLUSIVE: return verdict == STAT_INCONCLUSIVE;
    case GATE_NOT_SUPERIOR: return verdict != STAT_SUPERIOR;
    case GATE_NOT_NON_INFERIOR: return !is_no_worse(interval, goal);
    case GATE_NOT_EQUIVALENT:
        return !is_no_worse(interval, goal) || !is_no_worse(interval, other_way);
    }
    return true;
}

static void judge_condition(struct analysis *analysis, const struct arm_comparison *comparison,
                            struct gate_result *result, struct buf *words) {
    const struct gate_rule *gate = result->gate;
    const struct metric *metric = &analysis->metrics[comparison->metric];
    struct stat_goal goal = {.margin = gate->has_margin ? gate->value : comparison->margin,
                             .lower_is_better = !metric->higher_is_better,
                             .ratio = metric->scale == SCALE_RATIO};
    bool valid = comparison->fixed_valid || comparison->sequence.method;
    if (comparison->reason || !valid || isnan(comparison->effect.interval.low)) {
        buf_puts(words, comparison->reason ? comparison->reason
                        : valid            ? "too few cases for an interval"
                                           : "the experiment is not at its end");
        say(analysis, result, GATE_UNDECIDED, words);
        return;
    }
    struct stat_interval interval = comparison->effect.interval;
    buf_printf(words, "%s: ", stat_verdict_name(stat_verdict(interval, goal)));
    words_effect(words, metric, &comparison->effect);
    bool fails = condition_holds(gate->condition, interval, goal);
    result->seen = comparison->effect.value;
    say(analysis, result, fails ? GATE_FAILED : GATE_PASSED, words);
}

static struct measure quantity_of(const struct analysis *analysis, size_t arm, size_t metric,
                                  enum gate_quantity quantity) {
    const struct arm_metric *of = &analysis->arms[arm].metrics[metric];
    const struct arm_comparison *comparison = analysis_comparison(analysis, arm, metric);
    switch (quantity) {
    case GATE_P50: return of->p50;
    case GATE_P95: return of->p95;
    case GATE_RATIO:
    case GATE_DIFFERENCE: return comparison->effect;
    default: return of->mean;
    }
}

static void judge_bound(struct analysis *analysis, size_t metric, enum gate_quantity quantity,
                        struct gate_result *result, struct buf *words) {
    const struct gate_rule *gate = result->gate;
    struct measure of = quantity_of(analysis, result->arm, metric, quantity);
    result->seen = gate->end == GATE_LOWER   ? of.interval.low
                   : gate->end == GATE_UPPER ? of.interval.high
                                             : of.value;
    if (isnan(result->seen)) {
        buf_puts(words, isnan(of.value) ? "there is no such value"
                                        : "too few cases for that end of its interval");
        say(analysis, result, GATE_UNDECIDED, words);
        return;
    }
    bool holds =
        gate->option == GATE_MIN ? result->seen >= gate->value : result->seen <= gate->value;
    words_number(words, result->seen);
    buf_puts(words, holds ? " holds " : " does not hold ");
    buf_puts(words, gate->option == GATE_MIN ? ">= " : "<= ");
    words_number(words, gate->value);
    say(analysis, result, holds ? GATE_PASSED : GATE_FAILED, words);
}

static void judge_cases(struct analysis *analysis, struct gate_result *result, struct buf *words) {
    size_t pass = analysis_metric(analysis, METRIC_PASS);
    size_t count = analysis_changes(analysis, result->arm, CASE_REGRESSED);
    if (!analysis_comparison(analysis, result->arm, pass)->items) {
        buf_puts(words, "no case was judged in both arms");
        say(analysis, result, GATE_UNDECIDED, words);
        return;
    }
    result->seen = (double)count;
    buf_count(words, count, "case");
    buf_puts(words, " that always passed never did");
    say(analysis, result, (double)count <= result->gate->value ? GATE_PASSED : GATE_FAILED, words);
}

/* What was only played took no time that anybody would wait: it must not pass for being fast. */
static bool is_unknown(const struct analysis *analysis, size_t metric) {
    return analysis->replayed && analysis->metrics[metric].kind == METRIC_LATENCY;
}

static void judge_one(struct analysis *analysis, struct gate_result *result) {
    const struct gate_rule *gate = result->gate;
    struct buf words;
    buf_init(&words, &analysis->arena.allocator, 4096);
    size_t metric = find_metric(analysis->metrics, analysis->metric_count, gate->whole);
    enum gate_quantity quantity = GATE_MEAN;
    if (metric == analysis->metric_count) {
        metric = find_metric(analysis->metrics, analysis->metric_count, gate->metric);
        quantity = gate->quantity;
    }
    if (gate->option == GATE_CASE_REGRESSIONS) {
        judge_cases(analysis, result, &words);
    } else if (metric == analysis->metric_count) {
        buf_puts(&words, "there is no such metric");
        say(analysis, result, GATE_UNDECIDED, &words);
    } else if (is_unknown(analysis, metric)) {
        buf_puts(&words, "runs were replayed: their times say nothing");
        say(analysis, result, GATE_UNDECIDED, &words);
    } else if (gate->option == GATE_FAIL_IF) {
        judge_condition(analysis, analysis_comparison(analysis, result->arm, metric), result,
                        &words);
    } else {
        judge_bound(analysis, metric, quantity, result, &words);
    }
    buf_free(&words);
}

/* ## All of them */

/* Why nothing can be said at all; NULL: something can. */
static const char *nothing(const struct analysis *analysis, bool gated) {
    if (!analysis->items) return "there are no cases";
    if (!analysis->done && analysis->missing) return "every run is missing: infrastructure failed";
    if (!analysis->done) return "no run was made";
    if (analysis->items_lacking > analysis->max_missing * analysis->items_run)
        return "more cases lack a run than the experiment allows";
    if (gated && !analysis->complete && !analysis->sequential)
        return "the experiment is not at its end";
    const struct arm_comparison *primary = analysis_comparison(analysis, 1, 0);
    if (!primary->items && !analysis->grader_count) return "no grader judged anything";
    if (!primary->items) return "no case has a value of the metric in every arm";
    return NULL;
}

static bool is_undecided(const struct analysis *analysis) {
    for (size_t arm = 1; arm < analysis->arm_count; arm++)
        if (analysis_comparison(analysis, arm, 0)->verdict == STAT_INCONCLUSIVE) return true;
    return false;
}

static void conclude(struct gate_report *out, const struct analysis *analysis, bool gated,
                     bool require_decision) {
    size_t failed = 0, undecided = 0;
    for (size_t i = 0; i < out->count; i++) {
        failed += out->results[i].outcome == GATE_FAILED;
        undecided += out->results[i].outcome == GATE_UNDECIDED;
    }
    const char *why = nothing(analysis, gated);
    out->code = GATES_PASSED;
    out->reason = (gramc_text){NULL, 0};
    if (why || undecided) {
        out->code = GATES_NOTHING;
        out->reason = why ? text_of(why) : TEXT("a gate had nothing to look at");
    } else if (failed) {
        out->code = GATES_FAILED;
        out->reason = TEXT("a gate failed");
    } else if (require_decision && is_undecided(analysis)) {
        out->code = GATES_INCONCLUSIVE;
        out->reason = TEXT("the result is inconclusive, and a decision is required");
    }
}

gramc_status gates_judge(struct gate_report *out, struct analysis *analysis,
                         const struct gate_rule *gates, size_t count, bool require_decision) {
    *out = (struct gate_report){.count = 0};
    size_t room = count * (analysis->arm_count - 1);
    if (room) out->results = arena_array(&analysis->arena, room, sizeof *out->results);
    if (room && !out->results) return GRAMC_NOMEM;
    for (size_t i = 0; i < count; i++)
        for (size_t arm = 1; arm < analysis->arm_count; arm++) {
            if (gates[i].arm.len && !text_eq(gates[i].arm, analysis->arms[arm].name)) continue;
            struct gate_result *result = &out->results[out->count++];
            *result = (struct gate_result){.gate = &gates[i], .arm = arm, .seen = (double)NAN};
            judge_one(analysis, result);
        }
    conclude(out, analysis, count > 0, require_decision);
    return analysis->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}
