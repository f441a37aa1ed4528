/* What each arm came to by itself: rates and means with intervals over items, latency percentiles,
 * and how often all of several runs of a case pass. */
#include "experiment/analyse_parts.h"

#include <math.h>

/* Through the cluster that each item stands for, which may be the item itself. */
static struct stat_mean clustered(struct columns *columns, const double *values,
                                  const size_t *items, size_t count, double confidence) {
    uint64_t *cluster = arena_array(&columns->scratch, count, sizeof *cluster);
    struct stat_mean out = {(double)NAN, (double)NAN, (double)NAN,
                            (double)NAN, (double)NAN, no_interval()};
    if (!cluster) return out;
    for (size_t i = 0; i < count; i++) cluster[i] = columns->cluster[items[i]];
    struct stat_clustered mean =
        stat_clustered_mean(&columns->scratch, values, cluster, count, confidence);
    out.mean = mean.mean;
    out.se = mean.se_cr1;
    out.df = (double)mean.clusters - 1;
    out.interval = mean.interval;
    if (out.se > 0) {
        out.t = out.mean / out.se;
        out.p = 2 * stat_t_tails(fabs(out.t), out.df).upper;
    }
    return out;
}

struct stat_mean items_mean(struct columns *columns, const double *values, const size_t *items,
                            size_t count, double confidence) {
    if (columns->cluster) return clustered(columns, values, items, count, confidence);
    return stat_paired_t(values, count, confidence);
}

static struct stat_interval within(struct stat_interval interval, double low, double high) {
    if (interval.low < low) interval.low = low;
    if (interval.high > high) interval.high = high;
    return interval;
}

static double geometric_mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0)) return (double)NAN;
        sum += log(values[i]);
    }
    return count ? exp(sum / (double)count) : (double)NAN;
}

/* A unit of several messages has passed in some of them. */
static bool is_plain_rate(const struct columns *columns, const struct metric *metric,
                          const double *values, size_t count) {
    bool plain = metric->kind == METRIC_PASS && columns->out->repeats == 1 && !columns->cluster;
    for (size_t i = 0; plain && i < count; i++) plain = values[i] == 0 || values[i] == 1;
    return plain;
}

static void summarise(struct columns *columns, size_t arm, size_t m, const size_t *items,
                      size_t count) {
    struct analysis *out = columns->out;
    const struct metric *metric = &out->metrics[m];
    struct arm_metric *to = &out->arms[arm].metrics[m];
    double *values = arena_array(&columns->scratch, count, sizeof *values), sum = 0;
    to->items = count;
    to->mean = (struct measure){(double)NAN, no_interval()};
    to->geometric = (double)NAN;
    to->method = "";
    if (!values || !count) return;
    for (size_t i = 0; i < count; i++) sum += values[i] = item_value(columns, items[i], arm, m);
    to->mean.value = sum / (double)count;
    if (metric->scale == SCALE_RATIO) to->geometric = geometric_mean(values, count);
    if (is_plain_rate(columns, metric, values, count)) {
        to->method = "Wilson";
        to->mean.interval = stat_wilson((uint64_t)(sum + 0.5), count, 1 - out->alpha);
        return;
    }
    struct stat_mean mean = items_mean(columns, values, items, count, 1 - out->alpha);
    to->method = columns->cluster ? "t by cluster" : "t";
    to->mean.interval = mean.interval;
    if (metric->scale != SCALE_SHARE) return;
    to->mean.interval = within(to->mean.interval, 0, 1);
    if (to->mean.value > 0 && to->mean.value < 1) return;
    /* All alike: no spread does not mean that nothing is left to chance. */
    to->method = "Wilson over items";
    to->mean.interval = stat_wilson(to->mean.value > 0 ? count : 0, count, 1 - out->alpha);
}

/* ## Latency */

/* By order statistics where each cell is an item of its own; else by the interval of the share of
 * cells below the quantile, over items (Woodruff 1952). */
static struct stat_interval quantile_interval(struct columns *columns, const struct arm_result *arm,
                                              size_t index, struct measure *at, double p) {
    struct analysis *out = columns->out;
    size_t n = arm->latency_count, count = 0;
    /* Messages of one unit are not independent. */
    if (out->online && out->online->messages[index] > out->online->units[index])
        return no_interval();
    if (out->repeats == 1 && !columns->cluster) {
        struct stat_ranks ranks = stat_quantile_ranks(n, p, 1 - out->alpha);
        return (struct stat_interval){
            ranks.low >= 1 ? arm->latencies[ranks.low - 1] : (double)NAN,
            ranks.high >= 1 && ranks.high <= n ? arm->latencies[ranks.high - 1] : (double)NAN};
    }
    double *shares = arena_array(&columns->scratch, out->items, sizeof *shares);
    size_t *items = arena_array(&columns->scratch, out->items, sizeof *items);
    if (!shares || !items) return no_interval();
    for (size_t i = 0; i < out->items; i++) {
        const double *cells = columns->latencies + (i * out->arm_count + index) * out->repeats;
        double below = 0;
        for (size_t r = 0; r < out->repeats; r++)
            below += isnan(cells[r]) ? (double)NAN : cells[r] <= at->value;
        if (isnan(below)) continue;
        shares[count] = below / out->repeats;
        items[count++] = i;
    }
    struct stat_mean mean = items_mean(columns, shares, items, count, 1 - out->alpha);
    double half = (mean.interval.high - mean.interval.low) / 2;
    if (isnan(half)) return no_interval();
    double low = p - half < 0 ? 0 : p - half, high = p + half > 1 ? 1 : p + half;
    return (struct stat_interval){stat_quantile(arm->latencies, n, low),
                                  stat_quantile(arm->latencies, n, high)};
}

static void latencies_of(struct columns *columns, size_t index) {
    struct analysis *out = columns->out;
    struct arm_result *arm = &out->arms[index];
    arm->latencies = arena_array(&out->arena, (size_t)arm->done, sizeof *arm->latencies);
    if (!arm->latencies) return;
    for (size_t i = 0; i < out->items; i++) {
        const double *cells = columns->latencies + (i * out->arm_count + index) * out->repeats;
        for (size_t r = 0; r < out->repeats; r++)
            if (!isnan(cells[r])) arm->latencies[arm->latency_count++] = cells[r];
    }
    if (!stat_sort(&columns->scratch, arm->latencies, arm->latency_count)) arm->latency_count = 0;
}

static void percentiles(struct columns *columns, size_t index) {
    struct analysis *out = columns->out;
    struct arm_result *arm = &out->arms[index];
    if (columns->latencies && !columns->out->online) latencies_of(columns, index);
    for (size_t m = 0; m < out->metric_count; m++) {
        struct measure *const at[] = {&arm->metrics[m].p50, &arm->metrics[m].p95};
        static const double shares[] = {0.5, 0.95};
        for (size_t k = 0; k < 2; k++) {
            *at[k] = (struct measure){(double)NAN, no_interval()};
            if (out->metrics[m].kind != METRIC_LATENCY || !arm->latency_count) continue;
            at[k]->value = stat_quantile(arm->latencies, arm->latency_count, shares[k]);
            at[k]->interval = quantile_interval(columns, arm, index, at[k], shares[k]);
        }
    }
}

/* ## Repeats */

static void passes_of(struct columns *columns, size_t index) {
    struct analysis *out = columns->out;
    struct arm_result *arm = &out->arms[index];
    size_t pass = analysis_metric(out, METRIC_PASS);
    arm->pass_all = arena_array(&out->arena, out->repeats, sizeof *arm->pass_all);
    arm->pass_any = arena_array(&out->arena, out->repeats, sizeof *arm->pass_any);
    if (!arm->pass_all || !arm->pass_any) return;
    for (uint32_t k = 1; k <= out->repeats; k++) {
        double all = 0, any = 0, count = 0;
        for (size_t i = 0; i < out->items; i++) {
            const struct case_arm *at = &out->cases[i].arms[index];
            if (out->online || isnan(item_value(columns, i, index, pass))) continue;
            struct stat_pass of_k = stat_pass(out->repeats, at->passed, k);
            all += of_k.hat_k;
            any += of_k.at_k;
            count++;
        }
        arm->pass_all[k - 1] = count > 0 ? all / count : (double)NAN;
        arm->pass_any[k - 1] = count > 0 ? any / count : (double)NAN;
    }
}

void analyse_arms(struct columns *columns) {
    struct analysis *out = columns->out;
    size_t *items = arena_array(&out->arena, out->items, sizeof *items);
    if (!items) return;
    for (size_t arm = 0; arm < out->arm_count; arm++) {
        out->arms[arm].metrics =
            arena_zalloc(&out->arena, out->metric_count * sizeof *out->arms[arm].metrics);
        if (!out->arms[arm].metrics) return;
    }
    for (size_t m = 0; m < out->metric_count; m++) {
        size_t count = out->online ? 0 : items_with(columns, m, items);
        for (size_t arm = 0; arm < out->arm_count; arm++) {
            if (out->online) count = units_with(columns, arm, m, items);
            summarise(columns, arm, m, items, count);
            scratch_done(columns);
        }
    }
    for (size_t arm = 0; arm < out->arm_count; arm++) {
        percentiles(columns, arm);
        passes_of(columns, arm);
        scratch_done(columns);
    }
}
