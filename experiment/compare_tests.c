/* One comparison in numbers. Pass with one repeat is a table of pairs: Tango's interval, McNemar's
 * test. Everything else is a mean of differences over items, of logarithms where the answer is a
 * ratio: Student's t, by cluster where there are some; and beside it what assumes less. */
#include "experiment/analyse_parts.h"

#include <math.h>

enum {
    EXACT_ITEMS = 200,   /* more are not enumerated */
    ROBUST_ITEMS = 2000, /* above, only the primary metric is tested in other ways */
    FLIPS_MAX = 100000,  /* draws of signs */
    RESAMPLES = 2000,    /* of the bootstrap */
    DRAWN_MAX = 10000000 /* numbers that one test may draw */
};

/* ## Pairs of yes and no */

static struct stat_pairs table_of(const struct sample *sample) {
    struct stat_pairs table = {0, 0, 0, 0};
    for (size_t i = 0; i < sample->count; i++) {
        bool candidate = sample->candidate[i] > 0.5, baseline = sample->baseline[i] > 0.5;
        if (candidate && baseline) table.both++;
        else if (candidate) table.only_first++;
        else if (baseline) table.only_second++;
        else table.neither++;
    }
    return table;
}

static double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : (double)NAN;
}

static double spread_of(const double *values, size_t count) {
    double mean = mean_of(values, count), sum = 0;
    for (size_t i = 0; i < count; i++) sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(sum / (double)(count - 1)) : (double)NAN;
}

static void estimate_pairs(struct arm_comparison *comparison, const struct sample *sample) {
    struct stat_pairs table = table_of(sample);
    comparison->table = table;
    comparison->effect.value = stat_pairs_difference(table);
    comparison->effect.interval = stat_tango(table, comparison->confidence);
    comparison->method = "Tango";
    comparison->p[TEST_MCNEMAR_MID] = stat_mcnemar_mid_p(table.only_first, table.only_second);
    comparison->p[TEST_MCNEMAR] = stat_mcnemar_exact(table.only_first, table.only_second);
}

/* ## Means */

/* No spread among a few items does not prove that there is none: as wide as Tango's interval of so
 * many pairs without a discordant one. */
static struct stat_interval without_spread(const struct arm_comparison *comparison, double value,
                                           size_t count) {
    struct stat_pairs alike = {.both = count};
    struct stat_interval wide = stat_tango(alike, comparison->confidence);
    return (struct stat_interval){fmax(-1, value + wide.low), fmin(1, value + wide.high)};
}

static void estimate_mean(struct columns *columns, struct arm_comparison *comparison,
                          const struct sample *sample, bool share) {
    struct stat_mean mean = items_mean(columns, sample->difference, sample->items, sample->count,
                                       comparison->confidence);
    comparison->effect.value = mean.mean;
    comparison->effect.interval = mean.interval;
    comparison->method = columns->cluster ? "t by cluster" : "t";
    comparison->p[TEST_T] = mean.p;
    if (!share) return;
    struct stat_interval *interval = &comparison->effect.interval;
    interval->low = fmax(interval->low, -1);
    interval->high = fmin(interval->high, 1);
    if (comparison->spread > 0) return;
    *interval = without_spread(comparison, mean.mean, comparison->clusters);
    comparison->method = "Tango of items without a difference";
    comparison->p[TEST_T] = (double)NAN;
}

void comparison_to_ratio(struct arm_comparison *comparison) {
    struct measure *effect = &comparison->effect;
    effect->value = exp(effect->value);
    effect->interval.low = exp(effect->interval.low);
    effect->interval.high = exp(effect->interval.high);
    comparison->baseline = exp(comparison->baseline);
    comparison->candidate = exp(comparison->candidate);
    comparison->detectable = exp(comparison->detectable);
}

static bool has_logarithms(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (!isfinite(sample->difference[i])) return false;
    return true;
}

static size_t clusters_of(struct columns *columns, const struct sample *sample) {
    if (!columns->cluster) return sample->count;
    size_t count = 0;
    bool *seen = arena_zalloc(&columns->scratch, columns->out->items * sizeof *seen);
    for (size_t i = 0; seen && i < sample->count; i++) {
        bool *at = &seen[columns->cluster[sample->items[i]]];
        count += !*at;
        *at = true;
    }
    return count;
}

void compare_estimate(struct columns *columns, struct arm_comparison *comparison,
                      const struct sample *sample) {
    enum metric_scale scale = columns->out->metrics[comparison->metric].scale;
    if (scale == SCALE_RATIO && !has_logarithms(sample)) {
        comparison->reason = "a value is 0, which has no ratio";
        return;
    }
    comparison->clusters = clusters_of(columns, sample);
    comparison->baseline = mean_of(sample->baseline, sample->count);
    comparison->candidate = mean_of(sample->candidate, sample->count);
    comparison->spread = spread_of(sample->difference, sample->count);
    comparison->detectable =
        stat_detectable((double)sample->count, comparison->spread, columns->out->alpha, 0.8);
    if (comparison->binary) estimate_pairs(comparison, sample);
    else estimate_mean(columns, comparison, sample, scale == SCALE_SHARE);
    if (scale == SCALE_RATIO) comparison_to_ratio(comparison);
}

/* ## What assumes less */

/* Whole clusters change their signs: their sums take the place of items. */
static size_t exchangeable(struct columns *columns, const struct sample *sample, double **out) {
    *out = sample->difference;
    if (!columns->cluster) return sample->count;
    size_t all = columns->out->items, count = 0;
    double *sums = arena_zalloc(&columns->scratch, all * sizeof *sums);
    bool *seen = arena_zalloc(&columns->scratch, all * sizeof *seen);
    if (!sums || !seen) return 0;
    for (size_t i = 0; i < sample->count; i++) {
        uint64_t cluster = columns->cluster[sample->items[i]];
        sums[cluster] += sample->difference[i];
        seen[cluster] = true;
    }
    for (size_t i = 0; i < all; i++)
        if (seen[i]) sums[count++] = sums[i];
    *out = sums;
    return count;
}

static uint64_t draws_for(size_t count, uint64_t most) {
    uint64_t draws = DRAWN_MAX / (count ? count : 1);
    return draws < 200 ? 200 : draws > most ? most : draws;
}

static double sign_flip(struct columns *columns, const double *values, size_t count,
                        uint64_t seed) {
    if (count <= EXACT_ITEMS) {
        struct stat_sides exact = stat_sign_flip_exact(&columns->scratch, values, count);
        if (!isnan(exact.two_sided)) return exact.two_sided;
    }
    return stat_sign_flip(values, count, draws_for(count, FLIPS_MAX), seed).two_sided;
}

static void bootstrap(struct columns *columns, struct arm_comparison *comparison,
                      const struct sample *sample, uint64_t seed) {
    uint64_t *cluster = NULL;
    if (columns->cluster) {
        cluster = arena_array(&columns->scratch, sample->count, sizeof *cluster);
        if (!cluster) return;
        for (size_t i = 0; i < sample->count; i++) cluster[i] = columns->cluster[sample->items[i]];
    }
    struct stat_bootstrap plan = {.count = sample->count,
                                  .cluster = cluster,
                                  .values = sample->difference,
                                  .draws = draws_for(sample->count, RESAMPLES),
                                  .seed = seed,
                                  .confidence = comparison->confidence,
                                  .kind =
                                      sample->count > ROBUST_ITEMS ? STAT_PERCENTILE : STAT_BCA};
    comparison->bootstrap = stat_bootstrap(&columns->scratch, &plan).interval;
    if (columns->out->metrics[comparison->metric].scale != SCALE_RATIO) return;
    comparison->bootstrap.low = exp(comparison->bootstrap.low);
    comparison->bootstrap.high = exp(comparison->bootstrap.high);
}

void compare_tests(struct columns *columns, struct arm_comparison *comparison,
                   const struct sample *sample) {
    bool primary = comparison->metric == 0;
    if (comparison->binary || sample->count < 2) return;
    if (!(comparison->spread > 0) && sample->difference[0] == 0) return;
    if (sample->count > ROBUST_ITEMS && !primary) return;
    uint64_t seed = analysis_seed(columns->out, comparison->arm, comparison->metric);
    double *values;
    size_t count = exchangeable(columns, sample, &values);
    if (columns->scratch.oom) return;
    comparison->p[TEST_SIGN_FLIP] = sign_flip(columns, values, count, seed);
    if (columns->out->metrics[comparison->metric].scale == SCALE_SHARE)
        comparison->decisive = TEST_SIGN_FLIP;
    if (!(comparison->spread > 0)) return;
    if (!columns->cluster) {
        struct stat_wilcoxon ranks =
            stat_wilcoxon(&columns->scratch, values, count, STAT_ZEROS_WILCOX,
                          count <= EXACT_ITEMS ? EXACT_ITEMS : 0);
        comparison->p[TEST_WILCOXON] = isnan(ranks.exact) ? ranks.normal : ranks.exact;
    }
    bootstrap(columns, comparison, sample, seed);
}
