/* p-values of several tests become p-values that may be read together. All five are the same walk
 * over the sorted p-values: a factor for each rank, and a running maximum or minimum. */
#include "experiment/stat/stat.h"

#include "base/sort.h"
#include "experiment/stat/common.h"

struct p_rank {
    double p;
    size_t place;
};

static bool before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct p_rank *)a)->p < ((const struct p_rank *)b)->p;
}

static const struct p_rank *sorted(struct arena *arena, const double *p, size_t count) {
    struct p_rank *items = arena_array(arena, count, sizeof *items);
    struct p_rank *spare = arena_array(arena, count, sizeof *items);
    if (!items || !spare) return NULL;
    for (size_t i = 0; i < count; i++) items[i] = (struct p_rank){p[i], i};
    return sort_merge(items, spare, count, sizeof *items, before, NULL);
}

/* 1 + 1/2 + ... + 1/count */
static double harmonic(size_t count) {
    double sum = 0;
    for (size_t i = count; i > 0; i--) sum += 1 / (double)i;
    return sum;
}

/* What the p-value of a rank (from 1) is multiplied by. */
static double factor(enum stat_adjustment how, double rank, double count, double sum) {
    switch (how) {
    case STAT_HOLM:
    case STAT_HOCHBERG: return count - rank + 1;
    case STAT_BH: return count / rank;
    case STAT_BY: return sum * count / rank;
    case STAT_BONFERRONI: break;
    }
    return count;
}

bool stat_adjust(struct arena *arena, double *out, const double *p, size_t count,
                 enum stat_adjustment how) {
    for (size_t i = 0; i < count; i++)
        if (!(p[i] >= 0 && p[i] <= 1)) return false;
    if (count == 0) return true;
    const struct p_rank *items = sorted(arena, p, count);
    if (!items) return false;
    /* Holm steps down from the smallest and never falls; the others step up and never rise. */
    bool down = how == STAT_HOLM;
    double last = down ? 0 : 1, n = (double)count, sum = how == STAT_BY ? harmonic(count) : 1;
    for (size_t i = 0; i < count; i++) {
        size_t at = down ? i : count - 1 - i;
        double value = fmin(1, items[at].p * factor(how, (double)at + 1, n, sum));
        if (how != STAT_BONFERRONI) value = last = down ? fmax(last, value) : fmin(last, value);
        out[items[at].place] = value;
    }
    return true;
}
