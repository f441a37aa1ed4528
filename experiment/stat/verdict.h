/* What an interval says about a metric, for a gate. */
#ifndef EXPERIMENT_STAT_VERDICT_H
#define EXPERIMENT_STAT_VERDICT_H

#include "experiment/stat/types.h"

/* Of the candidate, seen so that larger is better, with the interval (L, U) of candidate - base and
 * a margin m >= 0. The first row that fits is the verdict:
 *
 *   regression     U < -m                 (strict: U < 0)
 *   superior       L > 0
 *   equivalent     -m < L and U < m
 *   noninferior    L > -m
 *   inconclusive   otherwise, also without an interval (NaN)
 */
enum stat_verdict {
    STAT_INCONCLUSIVE,
    STAT_SUPERIOR,
    STAT_NONINFERIOR,
    STAT_EQUIVALENT,
    STAT_REGRESSION
};

/* How a metric is meant. */
struct stat_goal {
    double margin; /* of a difference: the largest loss that does not count; of a ratio: the same as
                    * a share, 0.1 for a tenth more */
    bool lower_is_better; /* cost, latency, tokens */
    bool ratio;           /* intervals are of candidate / base, and 1 means no difference */
    bool strict;          /* any loss is a regression */
};

enum stat_verdict stat_verdict(struct stat_interval interval, struct stat_goal goal);
/* "superior", "non-inferior", ...; a constant. */
const char *stat_verdict_name(enum stat_verdict verdict);

/* Items that it would take for a verdict: with intervals that shrink as 1 / sqrt(n) round the same
 * estimate, the n at which this one is reached with that power (0.5: on average, just). The
 * verdicts looked for are superior or non-inferior, whichever is nearer, for an estimate above -m,
 * and regression below. Infinite when the estimate lies on the border; never less than `items`. */
double stat_items_needed(double estimate, struct stat_interval interval, double items,
                         struct stat_goal goal, double confidence, double power);

#endif
