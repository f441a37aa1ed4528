/* Tables of pairs of yes and no become p-values and intervals of the difference. The tests look at
 * the discordant pairs alone; the intervals need all. */
#include "experiment/stat/stat.h"

#include "experiment/stat/common.h"
#include "experiment/stat/pairs_parts.h"

#include <float.h>

static double total(struct stat_pairs pairs) {
    return (double)pairs.both + (double)pairs.only_first + (double)pairs.only_second +
           (double)pairs.neither;
}

double stat_pairs_difference(struct stat_pairs pairs) {
    return ((double)pairs.only_first - (double)pairs.only_second) / total(pairs);
}

/* ## McNemar */

/* P(X <= k) for X ~ Bin(n, 1/2) and k <= n / 2: from the largest term down, each a ratio of the
 * last, all positive. */
static double half_tail(double k, double n) {
    double term = 1, sum = 1;
    for (double i = k; i > 0 && term > sum * (DBL_EPSILON / 4); i--) {
        term *= i / (n - i + 1);
        sum += term;
    }
    return sum * stat_binomial_pmf(k, n, 0.5);
}

struct stat_mcnemar_p stat_mcnemar_p(double b, double c) {
    double n = b + c, least = fmin(b, c);
    if (b == c) return (struct stat_mcnemar_p){1, 1};
    double tail = half_tail(least, n), own = stat_binomial_pmf(least, n, 0.5);
    return (struct stat_mcnemar_p){.exact = fmin(1, 2 * tail), .mid = fmin(1, 2 * tail - own)};
}

double stat_mcnemar_exact(uint64_t only_first, uint64_t only_second) {
    return stat_mcnemar_p((double)only_first, (double)only_second).exact;
}

double stat_mcnemar_mid_p(uint64_t only_first, uint64_t only_second) {
    return stat_mcnemar_p((double)only_first, (double)only_second).mid;
}

struct stat_chi_square stat_mcnemar_chi_square(uint64_t only_first, uint64_t only_second,
                                               bool corrected) {
    double b = (double)only_first, c = (double)only_second, distance = fabs(b - c);
    if (corrected) distance = fmax(0, distance - 1);
    struct stat_chi_square out = {0, 1, 1};
    if (b + c > 0) out.statistic = distance * distance / (b + c);
    out.p = stat_chi_square_tails(out.statistic, 1).upper;
    return out;
}

/* ## Newcombe's method 10: e, f, g, h are his names for the table */

static double correlation(struct stat_pairs pairs) {
    double e = (double)pairs.both, f = (double)pairs.only_first, g = (double)pairs.only_second,
           h = (double)pairs.neither, n = e + f + g + h;
    double margins = (e + f) * (g + h) * (e + g) * (f + h), product = e * h - f * g;
    if (margins == 0) return 0;
    /* A positive association is corrected for continuity, but not beyond 0. */
    if (product > 0) product = fmax(0, product - n / 2);
    return product / sqrt(margins);
}

/* sqrt(a^2 - 2 phi a b + b^2); not negative for |phi| <= 1 but for rounding. */
static double joined(double a, double b, double phi) {
    return sqrt(fmax(0, a * a - 2 * phi * a * b + b * b));
}

struct stat_interval stat_newcombe_paired(struct stat_pairs pairs, double confidence, double *phi) {
    uint64_t n = pairs.both + pairs.only_first + pairs.only_second + pairs.neither;
    uint64_t first = pairs.both + pairs.only_first, second = pairs.both + pairs.only_second;
    struct stat_interval a = stat_wilson(first, n, confidence);
    struct stat_interval b = stat_wilson(second, n, confidence);
    double rho = correlation(pairs), difference = stat_pairs_difference(pairs);
    if (phi) *phi = rho;
    if (isnan(a.low)) return stat_no_interval();
    if (n == 0) return (struct stat_interval){-1, 1};
    double p = (double)first / (double)n, q = (double)second / (double)n;
    return (struct stat_interval){difference - joined(p - a.low, b.high - q, rho),
                                  difference + joined(a.high - p, q - b.low, rho)};
}

/* ## Tango */

/* The score statistic for a true difference d, which falls as d rises. The second cell's
 * probability is the larger root of a quadratic, in the form that does not cancel. */
static double score(double b, double c, double n, double d) {
    double linear = -b - c + (2 * n - b + c) * d, constant = -c * d * (1 - d);
    double root = sqrt(fmax(0, linear * linear - 8 * n * constant));
    double q = linear > 0 ? -2 * constant / (root + linear) : (root - linear) / (4 * n);
    double distance = b - c - n * d, variance = n * (2 * q + d * (1 - d));
    if (variance <= 0) return distance > 0 ? INFINITY : distance < 0 ? -INFINITY : 0;
    return distance / sqrt(variance);
}

/* Where the score is z, between `inside` (whose score is 0) and an end, which is the answer if the
 * score never gets there. */
static double bisect_score(double b, double c, double n, double inside, double end, double z) {
    double near = inside, far = end;
    for (;;) {
        double middle = near + (far - near) / 2;
        if (middle == near || middle == far) return middle;
        if (fabs(score(b, c, n, middle)) < z) near = middle;
        else far = middle;
    }
}

struct stat_interval stat_tango(struct stat_pairs pairs, double confidence) {
    double b = (double)pairs.only_first, c = (double)pairs.only_second, n = total(pairs);
    double z = stat_z(confidence), inside = (b - c) / n;
    if (!stat_is_share(confidence)) return stat_no_interval();
    if (n == 0) return (struct stat_interval){-1, 1};
    return (struct stat_interval){bisect_score(b, c, n, inside, -1, z),
                                  bisect_score(b, c, n, inside, 1, z)};
}
