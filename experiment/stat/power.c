/* Rates, variances and levels become numbers of items, and the chance that so many are enough. */
#include "experiment/stat/stat.h"

#include "experiment/stat/common.h"
#include "experiment/stat/pairs_parts.h"

#include <float.h>

/* Not by 1 - alpha: a small alpha would be rounded. */
static double level_z(double alpha) {
    return -stat_normal_quantile(alpha / 2);
}

/* z of a two-sided test plus z of its power. */
static double both_z(double alpha, double power) {
    return level_z(alpha) + stat_normal_quantile(power);
}

/* ## Two rates of different items */

static bool are_rates(double first, double second) {
    return first >= 0 && first <= 1 && second >= 0 && second <= 1;
}

double stat_power_two_rates(double n, double first, double second, double alpha, bool strict) {
    double distance = fabs(first - second) * sqrt(n), z = level_z(alpha);
    double pooled = (first + second) * (1 - (first + second) / 2);
    double own = first * (1 - first) + second * (1 - second);
    if (!are_rates(first, second) || !stat_is_share(alpha) || !(n > 0)) return NAN;
    if (own == 0) return distance > z * sqrt(pooled) ? 1 : 0; /* always the same table */
    double power = stat_normal_cdf((distance - z * sqrt(pooled)) / sqrt(own));
    if (strict) power += stat_normal_cdf(-(distance + z * sqrt(pooled)) / sqrt(own));
    return power;
}

double stat_items_two_rates(double first, double second, double alpha, double power) {
    double pooled = (first + second) * (1 - (first + second) / 2);
    double own = first * (1 - first) + second * (1 - second);
    if (!are_rates(first, second) || !stat_is_share(alpha) || !stat_is_share(power)) return NAN;
    if (first == second) return INFINITY;
    double root = level_z(alpha) * sqrt(pooled) + stat_normal_quantile(power) * sqrt(own);
    /* As much power as that takes no items at all. */
    if (root <= 0) return 0;
    return root * root / ((first - second) * (first - second));
}

/* ## McNemar */

/* The most discordant pairs of the rarer kind among m with which the test still rejects; -1: never.
 */
static double most_rejected(double m, double alpha, bool mid, double start) {
    double k = start;
    for (; k >= 0; k--) {
        struct stat_mcnemar_p p = stat_mcnemar_p(k, m - k);
        if ((mid ? p.mid : p.exact) <= alpha * (1 + 16 * DBL_EPSILON)) break;
    }
    return k;
}

/* P(min(b, m - b) <= k) for b ~ Bin(m, share). */
static double outside(double k, double m, double share) {
    if (k < 0) return 0;
    return stat_binomial_tails(k, m, share).lower + stat_binomial_tails(m - k - 1, m, share).upper;
}

struct stat_mcnemar_power stat_power_mcnemar(uint64_t n, double only_first, double only_second,
                                             double alpha) {
    double discordant = only_first + only_second, share = only_first / discordant;
    struct stat_mcnemar_power out = {0, 0};
    bool good = only_first >= 0 && only_second >= 0 && discordant <= 1 + 4 * DBL_EPSILON;
    if (!good || !stat_is_share(alpha) || n > STAT_POWER_MAX)
        return (struct stat_mcnemar_power){NAN, NAN};
    if (discordant == 0) return out;
    double exact = -1, mid = -1;
    for (uint64_t i = 1; i <= n; i++) {
        double m = (double)i, chance = stat_binomial_pmf(m, (double)n, fmin(1, discordant));
        /* One more pair moves either border by one at most. */
        exact = most_rejected(m, alpha, false, fmin(exact + 1, floor((m - 1) / 2)));
        mid = most_rejected(m, alpha, true, fmin(mid + 1, floor((m - 1) / 2)));
        if (chance < 1e-18) continue;
        out.exact += chance * outside(exact, m, share);
        out.mid_p += chance * (mid == exact ? outside(exact, m, share) : outside(mid, m, share));
    }
    return out;
}

double stat_items_mcnemar(double only_first, double only_second, double alpha, double power) {
    double discordant = only_first + only_second, difference = only_first - only_second;
    bool good = only_first >= 0 && only_second >= 0 && discordant <= 1 + 4 * DBL_EPSILON;
    if (!good || !stat_is_share(alpha) || !stat_is_share(power)) return NAN;
    if (difference == 0) return INFINITY;
    double rest = fmax(0, discordant - difference * difference);
    double root = level_z(alpha) * sqrt(discordant) + stat_normal_quantile(power) * sqrt(rest);
    return root <= 0 ? 0 : root * root / (difference * difference);
}

/* ## Means */

double stat_detectable(double n, double sd_difference, double alpha, double power) {
    if (!(n > 0) || !(sd_difference >= 0) || !stat_is_share(alpha) || !stat_is_share(power))
        return NAN;
    return both_z(alpha, power) * sd_difference / sqrt(n);
}

double stat_items_repeats(struct stat_variances variances, double repeats_first,
                          double repeats_second, double difference, double alpha, double power) {
    double z = both_z(alpha, power);
    double variance = variances.between + variances.within_first / repeats_first +
                      variances.within_second / repeats_second;
    if (!(variances.between >= 0) || !(variances.within_first >= 0) ||
        !(variances.within_second >= 0) || !(repeats_first > 0) || !(repeats_second > 0))
        return NAN;
    if (!stat_is_share(alpha) || !stat_is_share(power) || isnan(difference)) return NAN;
    if (difference == 0) return INFINITY;
    return z * z * variance / (difference * difference);
}
