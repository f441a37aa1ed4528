/* Sorted values become quantiles, and counts of values the ranks that enclose a quantile. */
#include "experiment/stat/stat.h"

#include "base/sort.h"
#include "experiment/stat/common.h"

static bool before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

bool stat_sort(struct arena *arena, double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i])) return false;
    if (count < 2) return true;
    double *spare = arena_array(arena, count, sizeof *spare);
    if (!spare) return false;
    const double *sorted = sort_merge(values, spare, count, sizeof *values, before, NULL);
    if (sorted != values) memcpy(values, sorted, count * sizeof *values);
    return true;
}

double stat_quantile(const double *sorted, size_t count, double p) {
    if (count == 0 || !(p >= 0 && p <= 1)) return NAN;
    double place = (double)(count - 1) * p, whole = floor(place);
    size_t at = (size_t)whole;
    if (at + 1 >= count) return sorted[count - 1];
    double share = place - whole;
    return share == 0 ? sorted[at] : (1 - share) * sorted[at] + share * sorted[at + 1];
}

struct stat_ranks stat_quantile_ranks(uint64_t n, double p, double confidence) {
    struct stat_ranks out = {0, n + 1, NAN};
    double count = (double)n, tail = (1 - confidence) / 2;
    if (!(p >= 0 && p <= 1) || !stat_is_share(confidence)) return out;
    double low = stat_binomial_quantile(tail, count, p);
    double high = stat_binomial_quantile(1 - tail, count, p) + 1;
    out.low = (uint64_t)low;
    out.high = (uint64_t)high;
    /* P(low <= X <= high - 1) */
    out.coverage = 1 - stat_binomial_tails(low - 1, count, p).lower -
                   stat_binomial_tails(high - 1, count, p).upper;
    return out;
}
