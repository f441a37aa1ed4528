/* Numbers become the mean of their distribution with its standard error: pairs, ratios, clusters,
 * and means that a covariate makes sharper. */
#include "experiment/stat/stat.h"

#include "base/sort.h"
#include "experiment/stat/common.h"

/* ## Sums */

/* Neumaier's sum (1974), so that the order of items makes no difference that anybody sees. */
struct total {
    double sum, lost;
};

static void add(struct total *total, double value) {
    double sum = total->sum + value;
    if (fabs(total->sum) >= fabs(value)) total->lost += (total->sum - sum) + value;
    else total->lost += (value - sum) + total->sum;
    total->sum = sum;
}

static double mean_of(const double *values, size_t count) {
    struct total total = {0, 0};
    for (size_t i = 0; i < count; i++) add(&total, values[i]);
    return (total.sum + total.lost) / (double)count;
}

/* Of (a - mean a) (b - mean b); with a = b, of squares. */
static double sum_of_products(const double *a, double mean_a, const double *b, double mean_b,
                              size_t count) {
    struct total total = {0, 0};
    for (size_t i = 0; i < count; i++) add(&total, (a[i] - mean_a) * (b[i] - mean_b));
    return total.sum + total.lost;
}

/* ## Student's t */

/* What a mean and its standard error say; se is 0 where all values are alike. */
static struct stat_mean judge_mean(double mean, double se, double df, double confidence) {
    struct stat_mean out = {.mean = mean, .se = se, .df = df, .p = NAN, .t = NAN};
    out.interval = stat_no_interval();
    if (!stat_is_share(confidence) || isnan(mean))
        return (struct stat_mean){NAN, NAN, NAN, NAN, NAN, stat_no_interval()};
    if (!(df > 0)) return out;
    double half = se == 0 ? 0 : stat_t_of(confidence, df) * se;
    out.interval = (struct stat_interval){mean - half, mean + half};
    if (se > 0) out.t = mean / se;
    else if (mean != 0) out.t = mean > 0 ? INFINITY : -INFINITY;
    out.p = mean == 0 ? 1 : se > 0 ? 2 * stat_t_tails(fabs(out.t), df).upper : 0;
    return out;
}

struct stat_mean stat_paired_t(const double *differences, size_t count, double confidence) {
    double n = (double)count, mean = count ? mean_of(differences, count) : NAN;
    double squares = sum_of_products(differences, mean, differences, mean, count);
    double se = count > 1 ? sqrt(squares / (n - 1) / n) : NAN;
    return judge_mean(mean, se, n - 1, confidence);
}

/* The same of logarithms of ratios, without an array of them. */
struct stat_mean stat_geometric_ratio(const double *first, const double *second, size_t count,
                                      double confidence) {
    struct total logs = {0, 0}, squares = {0, 0};
    double n = (double)count;
    for (size_t i = 0; i < count; i++) add(&logs, log(first[i]) - log(second[i]));
    double mean = (logs.sum + logs.lost) / n;
    for (size_t i = 0; i < count; i++) {
        double distance = log(first[i]) - log(second[i]) - mean;
        add(&squares, distance * distance);
    }
    double se = count > 1 ? sqrt((squares.sum + squares.lost) / (n - 1) / n) : NAN;
    if (isinf(mean)) mean = NAN; /* of zero, or too large to be a cost */
    struct stat_mean out = judge_mean(mean, se, n - 1, confidence);
    out.mean = exp(out.mean);
    out.interval = (struct stat_interval){exp(out.interval.low), exp(out.interval.high)};
    return out;
}

/* ## Two arms that share nothing */

/* The square of its mean's standard error. */
static double squared_error(const double *values, double mean, size_t count) {
    double n = (double)count;
    return sum_of_products(values, mean, values, mean, count) / (n - 1) / n;
}

struct stat_mean stat_welch(const double *first, size_t first_count, const double *second,
                            size_t second_count, double confidence) {
    double a = first_count ? mean_of(first, first_count) : NAN;
    double b = second_count ? mean_of(second, second_count) : NAN;
    if (first_count < 2 || second_count < 2) return judge_mean(a - b, NAN, NAN, confidence);
    double va = squared_error(first, a, first_count), vb = squared_error(second, b, second_count);
    double na = (double)first_count - 1, nb = (double)second_count - 1;
    /* Without any spread the fraction is 0 / 0. */
    double df = va + vb > 0 ? (va + vb) * (va + vb) / (va * va / na + vb * vb / nb) : na + nb;
    return judge_mean(a - b, sqrt(va + vb), df, confidence);
}

/* ## Clusters */

struct clustered_value {
    uint64_t cluster;
    double value;
};

static bool before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct clustered_value *)a)->cluster <
           ((const struct clustered_value *)b)->cluster;
}

/* The values beside their clusters, sorted by these; NULL without memory. */
static const struct clustered_value *by_cluster(struct arena *arena, const double *values,
                                                const uint64_t *cluster, size_t count) {
    struct clustered_value *members = arena_array(arena, count, sizeof *members);
    struct clustered_value *spare = arena_array(arena, count, sizeof *members);
    if (!members || !spare) return NULL;
    for (size_t i = 0; i < count; i++) members[i] = (struct clustered_value){cluster[i], values[i]};
    return sort_merge(members, spare, count, sizeof *members, before, NULL);
}

struct stat_clustered stat_clustered_mean(struct arena *arena, const double *values,
                                          const uint64_t *cluster, size_t count,
                                          double confidence) {
    struct stat_clustered out = {NAN, NAN, NAN, 0, {NAN, NAN}};
    const struct clustered_value *members =
        count ? by_cluster(arena, values, cluster, count) : NULL;
    if (!members || !stat_is_share(confidence)) return out;
    struct total squares = {0, 0};
    out.mean = mean_of(values, count);
    for (size_t i = 0; i < count; out.clusters++) {
        struct total residual = {0, 0};
        uint64_t own = members[i].cluster;
        for (; i < count && members[i].cluster == own; i++)
            add(&residual, members[i].value - out.mean);
        double sum = residual.sum + residual.lost;
        add(&squares, sum * sum);
    }
    double groups = (double)out.clusters;
    out.se = sqrt(squares.sum + squares.lost) / (double)count;
    if (out.clusters < 2) return out;
    out.se_cr1 = out.se * sqrt(groups / (groups - 1));
    double half = stat_t_of(confidence, groups - 1) * out.se_cr1;
    out.interval = (struct stat_interval){out.mean - half, out.mean + half};
    return out;
}

/* ## CUPED */

struct stat_cuped stat_cuped(const double *values, const double *covariate, size_t count,
                             double covariate_mean) {
    struct stat_cuped out = {NAN, NAN, NAN, NAN, NAN};
    if (count < 2 || isnan(covariate_mean)) return out;
    double y = mean_of(values, count), x = mean_of(covariate, count), free = (double)count - 1;
    double yy = sum_of_products(values, y, values, y, count);
    double xx = sum_of_products(covariate, x, covariate, x, count);
    double xy = sum_of_products(values, y, covariate, x, count);
    /* A covariate that never changes explains nothing. */
    out.theta = xx > 0 ? xy / xx : xx == 0 ? 0 : NAN;
    out.mean = y - out.theta * (x - covariate_mean);
    out.variance_before = yy / free;
    struct total squares = {0, 0};
    for (size_t i = 0; i < count; i++) {
        double rest = values[i] - y - out.theta * (covariate[i] - x);
        add(&squares, rest * rest);
    }
    out.variance = (squares.sum + squares.lost) / free;
    out.correlation_squared = xx > 0 && yy > 0 ? xy / xx * (xy / yy) : isnan(out.theta) ? NAN : 0;
    return out;
}
