/* An interval and what counts as a loss become a verdict, and the number of items that would have
 * given one. */
#include "experiment/stat/verdict.h"

#include "experiment/stat/common.h"

/* Seen so that larger is better and 0 means no difference: ratios by their logarithms. */
static struct stat_interval seen(struct stat_interval interval, struct stat_goal goal) {
    if (goal.ratio) interval = (struct stat_interval){log(interval.low), log(interval.high)};
    if (goal.lower_is_better) interval = (struct stat_interval){-interval.high, -interval.low};
    return interval;
}

/* Of a loss, in the same terms: a tenth more cost is log 1.1, a tenth less of a good is -log 0.9.
 */
static double loss(struct stat_goal goal) {
    if (!goal.ratio) return goal.margin;
    return goal.lower_is_better ? log1p(goal.margin) : -log1p(-goal.margin);
}

enum stat_verdict stat_verdict(struct stat_interval interval, struct stat_goal goal) {
    struct stat_interval benefit = seen(interval, goal);
    double margin = loss(goal), low = benefit.low, high = benefit.high;
    if (!(low <= high) || !(margin >= 0)) return STAT_INCONCLUSIVE;
    if (high < (goal.strict ? 0 : -margin)) return STAT_REGRESSION;
    if (low > 0) return STAT_SUPERIOR;
    if (low > -margin) return high < margin ? STAT_EQUIVALENT : STAT_NONINFERIOR;
    return STAT_INCONCLUSIVE;
}

const char *stat_verdict_name(enum stat_verdict verdict) {
    static const char *const names[] = {[STAT_INCONCLUSIVE] = "inconclusive",
                                        [STAT_SUPERIOR] = "superior",
                                        [STAT_NONINFERIOR] = "non-inferior",
                                        [STAT_EQUIVALENT] = "equivalent",
                                        [STAT_REGRESSION] = "regression"};
    return names[verdict];
}

double stat_items_needed(double estimate, struct stat_interval interval, double items,
                         struct stat_goal goal, double confidence, double power) {
    struct stat_interval benefit = seen(interval, goal);
    struct stat_interval point = seen((struct stat_interval){estimate, estimate}, goal);
    double margin = loss(goal), z = stat_z(confidence);
    if (!stat_is_share(confidence) || !stat_is_share(power) || !(margin >= 0)) return NAN;
    if (isnan(point.low) || isnan(benefit.low) || isnan(benefit.high)) return NAN;
    /* How many times as wide as it may be the interval is, on the side that decides. */
    double at = point.low, border = goal.strict ? 0 : -margin, wider = INFINITY;
    if (at > -margin) wider = (at - benefit.low) / (at + margin);
    if (at < border) wider = fmin(wider, (benefit.high - at) / (border - at));
    wider *= (z + stat_normal_quantile(power)) / z;
    return fmax(items, ceil(items * wider * wider));
}
