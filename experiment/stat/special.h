/* The distributions that the analyses rest on. Each function is accurate to about 1e-13 of its
 * value; both tails are computed, so that a small one is never 1 minus the other. An argument that
 * is no number, or that the distribution does not have, gives NaN. Pure; any thread. */
#ifndef EXPERIMENT_STAT_SPECIAL_H
#define EXPERIMENT_STAT_SPECIAL_H

#include <stdbool.h>
#include <stdint.h>

/* P(X <= x) and P(X > x). */
struct stat_tails {
    double lower, upper;
};

/* ln Gamma(x), x > 0: Taylor series round 2, Stirling's series from 12 on (Abramowitz and Stegun
 * 6.1.33, 6.1.41). */
double stat_log_gamma(double x);
/* ln B(a, b), without the loss of subtracting large ln Gamma. */
double stat_log_beta(double a, double b);

/* By erfc of the C library. */
double stat_normal_cdf(double x);
/* Its inverse, 0 < p < 1 (0 and 1 give the infinities): a rational start (Abramowitz and Stegun
 * 26.2.23), then Halley's method. */
double stat_normal_quantile(double p);

/* The regularised incomplete beta function I_x(a, b) and 1 - I_x(a, b), at x = 1 - y; a, b > 0. The
 * caller gives both, whichever of them is the exact one. Continued fraction (DLMF 8.17.22) by
 * Lentz, its factor in Loader's form (2000), which does not cancel for large a and b. */
struct stat_tails stat_beta_tails(double a, double b, double x, double y);
/* x with I_x(a, b) = p. */
double stat_beta_quantile(double p, double a, double b);

/* The regularised incomplete gamma functions P(a, x), Q(a, x): series and continued fraction (DLMF
 * 8.7.1, 8.9.2). */
struct stat_tails stat_gamma_tails(double a, double x);
struct stat_tails stat_chi_square_tails(double x, double df);

/* Student's t; df > 0, not necessarily whole; infinite: the normal distribution. */
struct stat_tails stat_t_tails(double t, double df);
double stat_t_quantile(double p, double df);

/* X ~ Bin(n, p); the counts are whole. Loader, "Fast and accurate computation of binomial
 * probabilities" (2000). */
double stat_binomial_pmf(double k, double n, double p);
struct stat_tails stat_binomial_tails(double k, double n, double p);
/* The smallest k with P(X <= k) >= q, up to rounding. */
double stat_binomial_quantile(double q, double n, double p);

#endif
