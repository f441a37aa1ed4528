/* Counts of successes become intervals of their rate, and of the difference of two rates that come
 * from different items. What shares items is in pairs.c. */
#include "experiment/stat/stat.h"

#include "experiment/stat/common.h"

struct stat_interval stat_wilson(uint64_t successes, uint64_t trials, double confidence) {
    double k = (double)successes, n = (double)trials, z = stat_z(confidence);
    if (successes > trials || !stat_is_share(confidence)) return stat_no_interval();
    if (trials == 0) return (struct stat_interval){0, 1};
    double p = k / n, middle = p + z * z / (2 * n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)), scale = 1 + z * z / n;
    return (struct stat_interval){.low = successes == 0 ? 0 : (middle - half) / scale,
                                  .high = successes == trials ? 1 : (middle + half) / scale};
}

struct stat_interval stat_clopper_pearson(uint64_t successes, uint64_t trials, double confidence) {
    double k = (double)successes, n = (double)trials, tail = (1 - confidence) / 2;
    if (successes > trials || !stat_is_share(confidence)) return stat_no_interval();
    /* Both by lower tails: 1 - tail would lose what makes a small tail. */
    return (struct stat_interval){
        .low = successes == 0 ? 0 : stat_beta_quantile(tail, k, n - k + 1),
        .high = successes == trials ? 1 : 1 - stat_beta_quantile(tail, n - k, k + 1)};
}

struct stat_interval stat_newcombe_unpaired(uint64_t successes_first, uint64_t trials_first,
                                            uint64_t successes_second, uint64_t trials_second,
                                            double confidence) {
    struct stat_interval first = stat_wilson(successes_first, trials_first, confidence);
    struct stat_interval second = stat_wilson(successes_second, trials_second, confidence);
    if (isnan(first.low) || isnan(second.low)) return stat_no_interval();
    if (!trials_first || !trials_second) return (struct stat_interval){-1, 1};
    double p = (double)successes_first / (double)trials_first;
    double q = (double)successes_second / (double)trials_second;
    return (struct stat_interval){p - q - hypot(p - first.low, second.high - q),
                                  p - q + hypot(first.high - p, q - second.low)};
}

struct stat_chi_square stat_rates_chi_square(uint64_t successes_first, uint64_t trials_first,
                                             uint64_t successes_second, uint64_t trials_second) {
    double n = (double)trials_first, m = (double)trials_second;
    double a = (double)successes_first, b = (double)successes_second;
    if (!trials_first || !trials_second || a > n || b > m)
        return (struct stat_chi_square){NAN, NAN, NAN};
    double all = n + m, passed = a + b, cross = a * m - b * n;
    struct stat_chi_square out = {0, 1, 1};
    if (!(passed > 0) || !(passed < all)) return out;
    out.statistic = cross / passed * (cross / (all - passed)) * (all / n / m);
    out.p = stat_chi_square_tails(out.statistic, 1).upper;
    return out;
}
