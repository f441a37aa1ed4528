/* The distribution of a sum of which each part is in or out with chance 1/2: what sign flips and
 * signed ranks come to. */
#ifndef EXPERIMENT_STAT_SUBSETS_H
#define EXPERIMENT_STAT_SUBSETS_H

#include "base/mem.h"

/* P(sum = s) for s = 0 ... sum of all parts; NULL without memory. Time: count times the sum. */
const double *stat_subset_sums(struct arena *arena, const uint32_t *parts, size_t count);

#endif
