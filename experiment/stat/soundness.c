/* Counts of what is there and what is missing become a p-value for "nothing but chance". */
#include "experiment/stat/stat.h"

#include "experiment/stat/common.h"

struct stat_chi_square stat_ratio_mismatch(const uint64_t *observed, const double *weights,
                                           size_t count) {
    struct stat_chi_square out = {0, (double)count - 1, 1};
    double all = 0, weight = 0;
    for (size_t i = 0; i < count; i++) {
        all += (double)observed[i];
        weight += weights[i];
        if (!(weights[i] > 0) || isinf(weights[i])) all = NAN;
    }
    if (count == 0 || !(all > 0)) return (struct stat_chi_square){NAN, NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        double expected = all * weights[i] / weight, distance = (double)observed[i] - expected;
        out.statistic += distance * distance / expected;
    }
    if (count > 1) out.p = stat_chi_square_tails(out.statistic, out.df).upper;
    return out;
}

double stat_attrition(uint64_t missing_only_first, uint64_t missing_only_second) {
    return stat_mcnemar_exact(missing_only_first, missing_only_second);
}
