/* One comparison of arms that share no units, as online: Welch's t of the units' values, of
 * logarithms where the answer is a ratio; Newcombe's interval where every value is yes or no. What
 * was known of the units before is taken out first (CUPED), but not of a sequential experiment,
 * whose bets need values from 0 to 1. */
#include "experiment/analyse_parts.h"

#include <math.h>

/* The values of two arms, one behind the other: the candidate's first. */
struct two_arms {
    double *values, *covariates;
    size_t first, second; /* how many of each */
};

size_t units_with(const struct columns *columns, size_t arm, size_t metric, size_t *units) {
    const struct analysis *out = columns->out;
    size_t count = 0;
    for (size_t i = 0; i < out->items; i++)
        if (out->cases[i].arm == arm && !isnan(item_value(columns, i, arm, metric)))
            units[count++] = i;
    return count;
}

static bool take(struct columns *columns, const struct arm_comparison *comparison,
                 struct two_arms *both) {
    const struct analysis *out = columns->out;
    size_t *units = arena_array(&columns->scratch, out->items + (size_t)1, sizeof *units);
    size_t room = out->items + (size_t)1, at = 0;
    bool ratio = out->metrics[comparison->metric].scale == SCALE_RATIO;
    *both = (struct two_arms){.values = arena_array(&columns->scratch, room, sizeof(double)),
                              .covariates = arena_array(&columns->scratch, room, sizeof(double))};
    if (columns->scratch.oom) return false;
    for (int side = 0; side < 2; side++) {
        size_t arm = side ? 0 : comparison->arm;
        size_t count = units_with(columns, arm, comparison->metric, units);
        *(side ? &both->second : &both->first) = count;
        for (size_t i = 0; i < count; i++, at++) {
            double value = item_value(columns, units[i], arm, comparison->metric);
            both->values[at] = ratio ? log(value) : value;
            both->covariates[at] = out->cases[units[i]].covariate;
        }
    }
    return true;
}

static double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : (double)NAN;
}

/* ## The covariate */

/* Whose covariate is not known is taken to have the mean one: it is not adjusted. */
static bool fill_covariates(struct two_arms *both) {
    size_t known = 0, count = both->first + both->second;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(both->covariates[i])) continue;
        sum += both->covariates[i];
        known++;
    }
    for (size_t i = 0; i < count; i++)
        if (isnan(both->covariates[i])) both->covariates[i] = sum / (double)known;
    return known > 1;
}

static void center(double *out, const double *values, size_t count) {
    double mean = mean_of(values, count);
    for (size_t i = 0; i < count; i++) out[i] = values[i] - mean;
}

/* One theta for both arms, from what varies within each: what the arms differ in by chance before
 * must not take a part of the effect with it. */
static void adjust(struct columns *columns, struct arm_comparison *comparison,
                   struct two_arms *both) {
    size_t count = both->first + both->second;
    double *y = arena_array(&columns->scratch, count, sizeof *y);
    double *x = arena_array(&columns->scratch, count, sizeof *x);
    if (!fill_covariates(both) || !y || !x) return;
    center(y, both->values, both->first);
    center(y + both->first, both->values + both->first, both->second);
    center(x, both->covariates, both->first);
    center(x + both->first, both->covariates + both->first, both->second);
    struct stat_cuped by = stat_cuped(y, x, count, 0);
    double mean = mean_of(both->covariates, count);
    if (isnan(by.theta) || !(by.variance_before > 0)) return;
    for (size_t i = 0; i < count; i++) both->values[i] -= by.theta * (both->covariates[i] - mean);
    comparison->covariate = (struct adjustment_by){by.theta, 1 - by.variance / by.variance_before};
}

/* ## The effect */

static bool all_yes_or_no(const struct two_arms *both) {
    for (size_t i = 0; i < both->first + both->second; i++)
        if (both->values[i] != 0 && both->values[i] != 1) return false;
    return true;
}

static uint64_t passes(const double *values, size_t count) {
    return (uint64_t)(mean_of(values, count) * (double)count + 0.5);
}

static void estimate_rates(struct arm_comparison *comparison, const struct two_arms *both) {
    uint64_t first = passes(both->values, both->first);
    uint64_t second = passes(both->values + both->first, both->second);
    comparison->effect.value = comparison->candidate - comparison->baseline;
    comparison->effect.interval =
        stat_newcombe_unpaired(first, both->first, second, both->second, comparison->confidence);
    comparison->method = "Newcombe, unpaired";
    comparison->decisive = TEST_RATES;
    comparison->p[TEST_RATES] = stat_rates_chi_square(first, both->first, second, both->second).p;
}

/* No spread among some units does not prove that there is none: as wide as of so many that are all
 * alike. */
static void without_spread(struct arm_comparison *comparison, const struct two_arms *both) {
    struct stat_interval wide = stat_newcombe_unpaired(both->first, both->first, both->second,
                                                       both->second, comparison->confidence);
    double value = comparison->effect.value;
    comparison->effect.interval =
        (struct stat_interval){fmax(-1, value + wide.low), fmin(1, value + wide.high)};
    comparison->method = "Newcombe, of units without a difference";
    comparison->p[TEST_WELCH] = (double)NAN;
}

static void estimate_means(struct arm_comparison *comparison, const struct two_arms *both,
                           bool share) {
    struct stat_mean mean = stat_welch(both->values, both->first, both->values + both->first,
                                       both->second, comparison->confidence);
    struct stat_interval *interval = &comparison->effect.interval;
    comparison->effect.value = mean.mean;
    *interval = mean.interval;
    comparison->method = isnan(comparison->covariate.theta) ? "Welch's t" : "Welch's t, CUPED";
    comparison->decisive = TEST_WELCH;
    comparison->p[TEST_WELCH] = mean.p;
    if (!share) return;
    interval->low = fmax(interval->low, -1);
    interval->high = fmin(interval->high, 1);
    if (!(mean.se > 0)) without_spread(comparison, both);
}

static double spread_of(const double *values, size_t count) {
    double mean = mean_of(values, count), sum = 0;
    for (size_t i = 0; i < count; i++) sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sum / (double)(count - 1) / (double)count : (double)NAN;
}

static void estimate(struct columns *columns, struct arm_comparison *comparison,
                     struct two_arms *both) {
    enum metric_scale scale = columns->out->metrics[comparison->metric].scale;
    comparison->candidate = mean_of(both->values, both->first);
    comparison->baseline = mean_of(both->values + both->first, both->second);
    bool rates = scale == SCALE_SHARE && all_yes_or_no(both);
    if (!columns->out->sequential) adjust(columns, comparison, both);
    /* The standard error of the difference, as if it were one unit's: what stat_detectable takes.
     */
    double error = sqrt(spread_of(both->values, both->first) +
                        spread_of(both->values + both->first, both->second));
    comparison->spread = error * sqrt((double)comparison->items);
    comparison->detectable = stat_detectable(1, error, columns->out->alpha, 0.8);
    if (rates && isnan(comparison->covariate.theta)) estimate_rates(comparison, both);
    else estimate_means(comparison, both, scale == SCALE_SHARE);
    if (scale == SCALE_RATIO) comparison_to_ratio(comparison);
}

static const char *why_not(const struct analysis *out, const struct two_arms *both) {
    if (out->online->is_mismatched)
        return "the arms did not get their shares of the units, so that they are not the same "
               "kind of units";
    if (both->first < 2 || both->second < 2) return "an arm has fewer than two units with a value";
    for (size_t i = 0; i < both->first + both->second; i++)
        if (!isfinite(both->values[i])) return "a value is 0, which has no ratio";
    return NULL;
}

void compare_unpaired(struct columns *columns, struct arm_comparison *comparison) {
    struct two_arms both;
    if (!take(columns, comparison, &both)) return;
    comparison->items = comparison->clusters = both.first + both.second;
    comparison->covariate = (struct adjustment_by){(double)NAN, (double)NAN};
    comparison->reason = why_not(columns->out, &both);
    if (!comparison->reason) estimate(columns, comparison, &both);
}
