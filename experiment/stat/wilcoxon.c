/* Differences become Wilcoxon's signed-rank test: exact by the distribution of a random subset of
 * the ranks (ties and all), and by the normal distribution. */
#include "experiment/stat/stat.h"

#include "base/sort.h"
#include "experiment/stat/common.h"
#include "experiment/stat/subsets.h"

struct ranked_size {
    double size;
    bool positive;
};

static bool before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct ranked_size *)a)->size < ((const struct ranked_size *)b)->size;
}

struct ranks {
    uint32_t *twice; /* twice the mean rank of each difference other than 0: whole */
    size_t count;
    double positive, sum, squares; /* of the ranks; of those of positive differences */
};

/* Sizes that differ by rounding alone are tied. */
static bool tied(double a, double b) {
    return b - a <= 1e-12 * b;
}

static void rank_all(struct ranks *ranks, const struct ranked_size *items, size_t count) {
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && tied(items[i].size, items[end].size);) end++;
        double rank = ((double)i + 1 + (double)end) / 2;
        if (items[i].size == 0) continue;
        for (size_t j = i; j < end; j++) {
            ranks->twice[ranks->count++] = (uint32_t)(i + 1 + end);
            ranks->sum += rank;
            ranks->squares += rank * rank;
            if (items[j].positive) ranks->positive += rank;
        }
    }
}

static double exact(struct arena *arena, const struct ranks *ranks) {
    uint64_t total = 0, observed = (uint64_t)(2 * ranks->positive);
    double below = 0, above = 0;
    for (size_t i = 0; i < ranks->count; i++) total += ranks->twice[i];
    const double *chances = stat_subset_sums(arena, ranks->twice, ranks->count);
    if (!chances) return NAN;
    for (uint64_t s = 0; s <= total; s++) {
        if (s <= observed) below += chances[s];
        if (s >= observed) above += chances[s];
    }
    return fmin(1, 2 * fmin(below, above));
}

static double normal(const struct ranks *ranks) {
    double distance = fmax(0, fabs(ranks->positive - ranks->sum / 2) - 0.5);
    if (ranks->positive == ranks->sum / 2) return 1;
    return fmin(1, 2 * stat_normal_cdf(-distance / sqrt(ranks->squares / 4)));
}

struct stat_wilcoxon stat_wilcoxon(struct arena *arena, const double *differences, size_t count,
                                   enum stat_zeros zeros, size_t exact_max) {
    struct stat_wilcoxon out = {NAN, NAN, NAN};
    struct ranked_size *items = arena_array(arena, count + 1, sizeof *items);
    struct ranked_size *spare = arena_array(arena, count + 1, sizeof *spare);
    struct ranks ranks = {.twice = arena_array(arena, count + 1, sizeof *ranks.twice)};
    size_t kept = 0;
    if (!items || !spare || !ranks.twice) return out;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(differences[i])) return out;
        if (differences[i] == 0 && zeros == STAT_ZEROS_WILCOX) continue;
        items[kept++] = (struct ranked_size){fabs(differences[i]), differences[i] > 0};
    }
    rank_all(&ranks, sort_merge(items, spare, kept, sizeof *items, before, NULL), kept);
    out.rank_sum = ranks.positive;
    if (kept <= exact_max && kept <= STAT_WILCOXON_EXACT_MAX) out.exact = exact(arena, &ranks);
    out.normal = normal(&ranks);
    return out;
}
