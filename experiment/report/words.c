/* Numbers with as many digits as they deserve, and verdicts as sentences. */
#include "experiment/report/words.h"

#include "base/list.h"

#include <math.h>
#include <stdio.h>

void words_printed(struct buf *out, const char *format, double number) {
    char text[64];
    snprintf(text, sizeof text, format, number);
    for (char *at = text; *at; at++)
        if (*at == ',') *at = '.';
    buf_puts(out, text);
}

void words_number(struct buf *out, double number) {
    if (isnan(number)) buf_puts(out, "unknown");
    else if (isinf(number)) buf_puts(out, number > 0 ? "infinitely many" : "unknown");
    else words_printed(out, "%.4g", number);
}

static void percent(struct buf *out, double share) {
    if (isnan(share)) buf_puts(out, "unknown");
    else words_printed(out, "%.1f", 100 * share);
}

static void duration(struct buf *out, double ms) {
    if (isnan(ms)) buf_puts(out, "unknown");
    else if (ms >= 10000) words_printed(out, "%.1f s", ms / 1000);
    else if (ms >= 1000) words_printed(out, "%.2f s", ms / 1000);
    else words_printed(out, "%.3g ms", ms);
}

void words_value(struct buf *out, const struct metric *metric, double value) {
    if (metric->scale == SCALE_SHARE) {
        percent(out, value);
        if (!isnan(value)) buf_puts(out, " %");
    } else if (metric->kind == METRIC_LATENCY) {
        duration(out, value);
    } else {
        words_number(out, value);
    }
}

static bool has_interval(const struct measure *measure) {
    return !isnan(measure->interval.low) && !isnan(measure->interval.high);
}

void words_measure(struct buf *out, const struct metric *metric, const struct measure *measure) {
    words_value(out, metric, measure->value);
    if (isnan(measure->value) || !has_interval(measure)) return;
    buf_puts(out, " (");
    if (metric->scale == SCALE_SHARE) percent(out, measure->interval.low);
    else words_value(out, metric, measure->interval.low);
    buf_puts(out, " to ");
    if (metric->scale == SCALE_SHARE) percent(out, measure->interval.high);
    else words_value(out, metric, measure->interval.high);
    buf_putc(out, ')');
}

/* Never "-0.0". */
static void change(struct buf *out, const struct metric *metric, double value) {
    if (metric->scale == SCALE_SHARE && fabs(value) < 0.0005) buf_puts(out, "0.0");
    else if (metric->scale == SCALE_SHARE) words_printed(out, "%+.1f", 100 * value);
    else if (metric->scale == SCALE_RATIO) words_printed(out, value < 100 ? "%.3f" : "%.4g", value);
    else if (fabs(value) < 5e-7) buf_putc(out, '0');
    else words_printed(out, "%+.3g", value);
}

void words_effect(struct buf *out, const struct metric *metric, const struct measure *effect) {
    if (isnan(effect->value)) {
        buf_puts(out, "unknown");
        return;
    }
    change(out, metric, effect->value);
    buf_puts(out, metric->scale == SCALE_SHARE   ? " pp"
                  : metric->scale == SCALE_RATIO ? " times"
                                                 : "");
    if (!has_interval(effect)) return;
    buf_puts(out, " (");
    change(out, metric, effect->interval.low);
    buf_puts(out, " to ");
    change(out, metric, effect->interval.high);
    buf_putc(out, ')');
}

void words_margin(struct buf *out, const struct metric *metric, double margin) {
    if (metric->scale == SCALE_COUNT) words_printed(out, "%.3g", margin);
    else words_printed(out, metric->scale == SCALE_SHARE ? "%.3g pp" : "%.3g %%", 100 * margin);
}

void words_p(struct buf *out, double p) {
    if (isnan(p)) buf_puts(out, "p unknown");
    else if (p < 0.0001) buf_puts(out, "p < 0.0001");
    else words_printed(out, "p = %.2g", p);
}

const char *words_test(enum test_kind kind) {
    static const char *const names[] = {"McNemar, mid-p", "McNemar, exact", "t-test",
                                        "sign flips",     "Wilcoxon",       "Welch",
                                        "chi-square"};
    return names[kind];
}

/* ## Verdicts */

static void pair(struct buf *out, const struct analysis *analysis,
                 const struct arm_comparison *comparison, words_name *name, const char *between) {
    name(out, analysis->arms[comparison->arm].name);
    buf_puts(out, between);
    name(out, analysis->arms[0].name);
}

static void within(struct buf *out, const char *lead, const struct metric *metric, double margin) {
    if (!(margin > 0)) return;
    buf_puts(out, lead);
    words_margin(out, metric, margin);
}

static void unknown(struct buf *out, const struct analysis *analysis,
                    const struct arm_comparison *comparison, words_name *name) {
    buf_puts(out, "it is open whether ");
    pair(out, analysis, comparison, name, " is better or worse than ");
    if (!comparison->fixed_valid && !comparison->sequence.method)
        buf_puts(out, ": the experiment is not at its end");
    else if (isfinite(comparison->items_needed)) {
        buf_puts(out, ": about ");
        list_put_number(out, (size_t)ceil(comparison->items_needed));
        buf_puts(out, analysis->online ? " units" : " cases");
        buf_puts(out, " would tell, if what was seen is true");
    }
}

void words_verdict(struct buf *out, const struct analysis *analysis,
                   const struct arm_comparison *comparison, words_name *name) {
    const struct metric *metric = &analysis->metrics[comparison->metric];
    double margin = comparison->margin;
    if (comparison->reason) {
        buf_puts(out, "nothing can be said of ");
        pair(out, analysis, comparison, name, " and ");
        buf_puts(out, ": ");
        buf_puts(out, comparison->reason);
        return;
    }
    switch (comparison->verdict) {
    case STAT_SUPERIOR: pair(out, analysis, comparison, name, " is better than "); break;
    case STAT_NONINFERIOR:
        pair(out, analysis, comparison, name, " is not worse than ");
        within(out, " by ", metric, margin);
        break;
    case STAT_EQUIVALENT:
        pair(out, analysis, comparison, name, " is as good as ");
        within(out, ", within ", metric, margin);
        break;
    case STAT_REGRESSION:
        pair(out, analysis, comparison, name, " is worse than ");
        within(out, ", by more than ", metric, margin);
        break;
    case STAT_INCONCLUSIVE: unknown(out, analysis, comparison, name); break;
    }
}

void words_power(struct buf *out, const struct analysis *analysis,
                 const struct arm_comparison *comparison) {
    const struct metric *metric = &analysis->metrics[comparison->metric];
    if (isnan(comparison->detectable) || !(comparison->spread > 0)) {
        buf_puts(out, analysis->online
                          ? "no two units of an arm differ: nothing says how many it takes"
                          : "no two cases differ in their difference: nothing says how many it "
                            "takes");
        return;
    }
    list_put_number(out, comparison->items);
    buf_puts(out, analysis->online ? " units" : " cases");
    buf_puts(out, " show, with 80 % power, a difference of ");
    struct measure least = {comparison->detectable, {(double)NAN, (double)NAN}};
    words_effect(out, metric, &least);
    struct stat_pairs table = comparison->table;
    double n = (double)comparison->items;
    double needed = comparison->binary
                        ? stat_items_mcnemar((double)table.only_first / n,
                                             (double)table.only_second / n, analysis->alpha, 0.8)
                        : (double)NAN;
    if (!isfinite(needed)) return;
    buf_puts(out, "; the one that was seen takes ");
    list_put_number(out, (size_t)ceil(needed));
}

int words_direction(const struct analysis *analysis, const struct arm_comparison *comparison) {
    const struct metric *metric = &analysis->metrics[comparison->metric];
    double zero = metric->scale == SCALE_RATIO ? 1 : 0;
    if (!comparison->fixed_valid && !comparison->sequence.method) return 0;
    struct stat_interval interval = comparison->effect.interval;
    int up = interval.low > zero ? 1 : interval.high < zero ? -1 : 0;
    return metric->higher_is_better ? up : -up;
}

/* ## Online */

void words_online(struct buf *out, const struct analysis *analysis) {
    const struct online_result *online = analysis->online;
    uint64_t messages = 0;
    for (size_t i = 0; i < analysis->arm_count; i++) messages += online->messages[i];
    buf_puts(out, "online, unpaired: ");
    list_put_number(out, analysis->items);
    buf_puts(out, " of ");
    list_put_number(out, online->planned);
    buf_puts(out, " planned units, ");
    list_put_number(out, (size_t)messages);
    buf_puts(out, messages == 1 ? " message, " : " messages, ");
    buf_count(out, analysis->arm_count, "arm");
    buf_printf(out, "; assigned by hash, seed %llu", (unsigned long long)analysis->seed);
    if (analysis->sequential) buf_puts(out, ", sequential: the first message of each unit");
}

void words_shares(struct buf *out, const struct analysis *analysis) {
    const struct online_result *online = analysis->online;
    buf_puts(out, "sample ratio ");
    for (size_t i = 0; i < analysis->arm_count; i++) {
        if (i) buf_puts(out, ":");
        list_put_number(out, (size_t)online->units[i]);
    }
    buf_puts(out, ", to be expected ");
    for (size_t i = 0; i < analysis->arm_count; i++) {
        if (i) buf_puts(out, ":");
        words_printed(out, "%.1f", online->shares[i] * online->seen);
    }
    buf_puts(out, ", chi-square ");
    words_p(out, online->ratio.p);
}

bool words_covariate(struct buf *out, const struct analysis *analysis,
                     const struct arm_comparison *comparison) {
    if (isnan(comparison->covariate.theta)) return false;
    buf_puts(out, "CUPED: the covariate, known of ");
    list_put_number(out, analysis->online->with_covariate);
    buf_puts(out, " units, takes ");
    words_printed(out, "%.1f %% of the variance away", 100 * comparison->covariate.reduction);
    return true;
}
