/* Compares each arm with the first in every metric: an interval, tests, and a verdict. Several
 * questions at once cost some certainty each: the primary metric pays for several arms and the
 * guardrails for their number (Holm), intervals included; everything else is exploratory
 * (Benjamini and Hochberg). */
#include "experiment/analyse_parts.h"

#include <math.h>

size_t items_with(const struct columns *columns, size_t metric, size_t *items) {
    const struct analysis *out = columns->out;
    size_t count = 0;
    for (size_t i = 0; i < out->items; i++) {
        bool all = true;
        for (size_t arm = 0; arm < out->arm_count && all; arm++)
            all = !isnan(item_value(columns, i, arm, metric));
        if (all) items[count++] = i;
    }
    return count;
}

bool sample_take(struct columns *columns, const struct arm_comparison *comparison,
                 struct sample *sample) {
    struct analysis *out = columns->out;
    struct arena *scratch = &columns->scratch;
    size_t *items = arena_array(scratch, out->items, sizeof *items);
    if (!items) return false;
    size_t count = items_with(columns, comparison->metric, items);
    *sample = (struct sample){.items = items, .count = count};
    sample->candidate = arena_array(scratch, count, sizeof(double));
    sample->baseline = arena_array(scratch, count, sizeof(double));
    sample->difference = arena_array(scratch, count, sizeof(double));
    if (scratch->oom) return false;
    bool ratio = out->metrics[comparison->metric].scale == SCALE_RATIO;
    for (size_t i = 0; i < count; i++) {
        double a = item_value(columns, items[i], comparison->arm, comparison->metric);
        double b = item_value(columns, items[i], 0, comparison->metric);
        sample->candidate[i] = ratio ? log(a) : a;
        sample->baseline[i] = ratio ? log(b) : b;
        sample->difference[i] = sample->candidate[i] - sample->baseline[i];
    }
    return true;
}

static void judge(const struct analysis *out, struct arm_comparison *comparison) {
    const struct metric *metric = &out->metrics[comparison->metric];
    struct stat_goal goal = {.margin = comparison->margin,
                             .lower_is_better = !metric->higher_is_better,
                             .ratio = metric->scale == SCALE_RATIO};
    comparison->verdict = stat_verdict(comparison->effect.interval, goal);
    comparison->items_needed =
        stat_items_needed(comparison->effect.value, comparison->effect.interval,
                          (double)comparison->items, goal, comparison->confidence, 0.8);
}

static void begin(struct columns *columns, struct arm_comparison *comparison, size_t arm,
                  size_t m) {
    const struct analysis *out = columns->out;
    *comparison = (struct arm_comparison){.metric = m, .arm = arm, .margin = out->margin};
    comparison->confidence = 1 - out->alpha;
    comparison->baseline = comparison->candidate = (double)NAN;
    comparison->effect = (struct measure){(double)NAN, no_interval()};
    comparison->bootstrap = comparison->bounds = no_interval();
    comparison->p_adjusted = comparison->items_needed = (double)NAN;
    comparison->detectable = comparison->spread = (double)NAN;
    for (size_t i = 0; i < TEST_COUNT; i++) comparison->p[i] = (double)NAN;
    comparison->covariate = (struct adjustment_by){(double)NAN, (double)NAN};
    comparison->binary = out->metrics[m].kind == METRIC_PASS && out->repeats == 1 &&
                         !columns->cluster && !out->online;
    comparison->decisive = comparison->binary ? TEST_MCNEMAR_MID : TEST_T;
    comparison->method = "";
    comparison->adjustment =
        out->metrics[m].role == ROLE_EXPLORATORY ? "Benjamini-Hochberg" : "Holm";
    comparison->fixed_valid = out->complete && !(out->sequential && m == 0);
}

/* What an arm would have, were it without the item. */
static double filled(const struct columns *columns, size_t item, size_t arm, size_t metric,
                     double fill) {
    double value = item_value(columns, item, arm, metric);
    return isnan(value) ? fill : value;
}

/* Items that lack a cell, once all against the arm and once all for it. */
static void bound(const struct columns *columns, struct arm_comparison *comparison) {
    const struct analysis *out = columns->out;
    double low = 0, high = 0, count = 0;
    if (out->metrics[comparison->metric].scale != SCALE_SHARE) return;
    for (size_t i = 0; i < out->items; i++) {
        if (!has_ended(out, &out->cases[i])) continue;
        low += filled(columns, i, comparison->arm, comparison->metric, 0) -
               filled(columns, i, 0, comparison->metric, 1);
        high += filled(columns, i, comparison->arm, comparison->metric, 1) -
                filled(columns, i, 0, comparison->metric, 0);
        count++;
    }
    if (count > 0) comparison->bounds = (struct stat_interval){low / count, high / count};
}

static void compare(struct columns *columns, struct arm_comparison *comparison) {
    struct sample sample;
    if (columns->out->online) {
        compare_unpaired(columns, comparison);
        return;
    }
    if (!sample_take(columns, comparison, &sample)) return;
    comparison->items = sample.count;
    if (!sample.count) {
        comparison->reason = "no case has a value in every arm";
        return;
    }
    compare_estimate(columns, comparison, &sample);
    if (comparison->reason) return;
    compare_tests(columns, comparison, &sample);
    bound(columns, comparison);
}

/* ## Several at once */

struct family {
    struct arm_comparison **members;
    size_t count;
};

static double decisive_p(const struct arm_comparison *comparison) {
    double p = comparison->p[comparison->decisive];
    return isnan(p) ? 1 : p;
}

static bool adjust(struct columns *columns, struct family *family, enum stat_adjustment how) {
    double *p = arena_array(&columns->scratch, family->count, sizeof *p);
    double *adjusted = arena_array(&columns->scratch, family->count, sizeof *adjusted);
    if (!p || !adjusted) return false;
    for (size_t i = 0; i < family->count; i++) p[i] = decisive_p(family->members[i]);
    if (!stat_adjust(&columns->scratch, adjusted, p, family->count, how)) return false;
    for (size_t i = 0; i < family->count; i++)
        if (!isnan(family->members[i]->p[family->members[i]->decisive]))
            family->members[i]->p_adjusted = adjusted[i];
    return true;
}

/* How many tests of a family Holm's procedure still had before it when it came to this one: its
 * level is alpha divided by that. Those behind the first that is not rejected share its level. */
static size_t holm_divisor(const struct analysis *out, const struct family *family, size_t member) {
    double own = decisive_p(family->members[member]);
    size_t before = 0, rejected = 0;
    for (size_t i = 0; i < family->count; i++) {
        double p = decisive_p(family->members[i]);
        before += p < own || (!(p > own) && i < member);
        rejected += family->members[i]->p_adjusted <= out->alpha;
    }
    return family->count - (before < rejected ? before : rejected);
}

/* An interval at the level that Holm leaves, so that it and the adjusted p tell the same. */
static void widen(struct columns *columns, struct family *family) {
    for (size_t i = 0; i < family->count; i++) {
        struct arm_comparison *comparison = family->members[i];
        struct sample sample;
        size_t divisor = holm_divisor(columns->out, family, i);
        if (divisor <= 1 || comparison->reason) continue;
        comparison->confidence = 1 - columns->out->alpha / (double)divisor;
        if (columns->out->online) {
            compare_unpaired(columns, comparison);
        } else {
            if (!sample_take(columns, comparison, &sample)) return;
            compare_estimate(columns, comparison, &sample);
        }
        scratch_done(columns);
    }
}

static void adjust_role(struct columns *columns, enum metric_role role) {
    struct analysis *out = columns->out;
    size_t all = (out->arm_count - 1) * out->metric_count;
    struct family family = {.count = 0};
    family.members = arena_array(&out->arena, all, sizeof(struct arm_comparison *));
    if (!family.members) return;
    for (size_t i = 0; i < all; i++) {
        struct arm_comparison *comparison = &out->comparisons[i];
        if (out->metrics[comparison->metric].role == role && !comparison->reason)
            family.members[family.count++] = comparison;
    }
    if (!family.count) return;
    bool explored = role == ROLE_EXPLORATORY;
    if (adjust(columns, &family, explored ? STAT_BH : STAT_HOLM) && !explored)
        widen(columns, &family);
    scratch_done(columns);
}

/* Looking before the end spoils what was computed for a fixed number of items: it is not shown. */
static void take_back(struct arm_comparison *comparison) {
    for (size_t i = 0; i < TEST_COUNT; i++) comparison->p[i] = (double)NAN;
    comparison->p_adjusted = (double)NAN;
    comparison->bootstrap = no_interval();
}

static void decide(struct columns *columns, struct arm_comparison *comparison) {
    struct analysis *out = columns->out;
    bool primary = comparison->metric == 0;
    if (comparison->reason) return;
    bool guards = out->metrics[comparison->metric].role == ROLE_GUARDRAIL;
    if (out->sequential ? primary || guards : primary && !out->online)
        sequence_run(columns, comparison);
    scratch_done(columns);
    if (!comparison->fixed_valid) take_back(comparison);
    bool sequential = out->sequential && comparison->sequence.method;
    if (sequential && (primary || !comparison->fixed_valid)) {
        comparison->effect.interval = comparison->sequence.interval;
        comparison->confidence = 1 - out->alpha / (double)(out->arm_count - 1);
        comparison->method = "a confidence sequence (betting)";
    }
    judge(out, comparison);
    if (!comparison->fixed_valid && !sequential) comparison->verdict = STAT_INCONCLUSIVE;
}

void compare_arms(struct columns *columns) {
    struct analysis *out = columns->out;
    size_t all = (out->arm_count - 1) * out->metric_count;
    out->comparisons = arena_array(&out->arena, all, sizeof *out->comparisons);
    if (!out->comparisons) return;
    for (size_t i = 0; i < all; i++) {
        begin(columns, &out->comparisons[i], 1 + i / out->metric_count, i % out->metric_count);
        compare(columns, &out->comparisons[i]);
        scratch_done(columns);
    }
    for (int role = ROLE_PRIMARY; role <= ROLE_EXPLORATORY; role++)
        adjust_role(columns, (enum metric_role)role);
    for (size_t i = 0; i < all; i++) decide(columns, &out->comparisons[i]);
}
