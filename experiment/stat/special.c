/* Gamma, normal and gamma-like distributions: what is known of them in closed form or as a quickly
 * converging series becomes a number. The beta family is in special_beta.c. */
#include "experiment/stat/special.h"

#include "experiment/stat/special_parts.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum { MOST_TERMS = 10000000 };

static const double half_log_two_pi = 0.91893853320467274178;
static const double pi = 3.14159265358979323846;

/* ## ln Gamma */

/* ln Gamma(2 + e) for |e| <= 1/2: (1 - Euler's constant) e + sum over k of
 * (-1)^k (zeta(k) - 1) e^k / k. */
static double log_gamma_near_two(double e) {
    static const double terms[] = {
        0.42278433509846713939,    0.32246703342411321824,    -0.067352301053198095133,
        0.020580808427784547879,   -0.0073855510286739852663, 0.0028905103307415232858,
        -0.0011927539117032609771, 0.00050966952474304242234, -0.00022315475845357937976,
        9.9457512781808533715e-5,  -4.49262367381331417e-5,   2.0507212775670691553e-5,
        -9.439488275268395904e-6,  4.3748667899074878042e-6,  -2.0392157538013662368e-6,
        9.5514121304074198329e-7,  -4.4924691987645660433e-7, 2.1207184805554665869e-7,
        -1.0043224823968099609e-7, 4.7698101693639805658e-8,  -2.271109460894316491e-8,
        1.0838659214896954091e-8,  -5.1834750419700466551e-9, 2.4836745438024783172e-9,
        -1.1921401405860912074e-9, 5.7313672416788620133e-10, -2.7595228851242331452e-10};
    double sum = 0;
    for (size_t i = sizeof terms / sizeof *terms; i-- > 0;) sum = (sum + terms[i]) * e;
    return sum;
}

/* Stirling's series for what ln Gamma(x + 1) has beyond (x + 1/2) ln x - x + ln(2 pi) / 2. */
static double stirling_series(double x) {
    static const double terms[] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                                   1. / 1188, -691. / 360360, 1. / 156,  -3617. / 122400};
    double sum = 0, square = x * x;
    for (size_t i = sizeof terms / sizeof *terms; i-- > 0;) sum = sum / square + terms[i];
    return sum / x;
}

enum { STIRLING_FROM = 12 };

double stat_log_gamma(double x) {
    double product = 1;
    if (!(x > 0)) return NAN;
    if (isinf(x)) return x;
    if (x >= STIRLING_FROM) return (x - 0.5) * log(x) - x + half_log_two_pi + stirling_series(x);
    if (x < 0.5) return stat_log_gamma(x + 1) - log(x);
    if (x < 1.5) return log_gamma_near_two(x - 1) - log1p(x - 1);
    for (; x > 2.5; x--) product *= x - 1;
    return log_gamma_near_two(x - 2) + log(product);
}

double stat_stirling_error(double x) {
    if (x >= STIRLING_FROM) return stirling_series(x);
    return stat_log_gamma(x + 1) - (x + 0.5) * log(x) + x - half_log_two_pi;
}

double stat_log_beta(double a, double b) {
    double sum = a + b;
    if (!(a > 0) || !(b > 0)) return NAN;
    if (sum < STIRLING_FROM) return stat_log_gamma(a) + stat_log_gamma(b) - stat_log_gamma(sum);
    /* Gamma(x) = Gamma(x + 1) / x, each in Stirling's form; the large terms meet in logarithms of
     * ratios. */
    double small = a < b ? a : b, large = a < b ? b : a;
    return stat_stirling_error(a) + stat_stirling_error(b) - stat_stirling_error(sum) +
           half_log_two_pi + small * log(small / sum) - large * log1p(small / large) -
           0.5 * log(small) - 0.5 * log1p(-small / sum);
}

/* ## Deviance: x ln(x / mean) + mean - x, without cancellation near x = mean (Loader) */

double stat_deviance(double x, double mean) {
    if (fabs(x - mean) >= 0.1 * (x + mean)) return x * log(x / mean) + mean - x;
    double v = (x - mean) / (x + mean), sum = (x - mean) * v, term = 2 * x * v;
    for (int j = 3;; j += 2) {
        term *= v * v;
        double next = sum + term / j;
        if (next == sum) return sum;
        sum = next;
    }
}

/* ## Normal */

double stat_normal_cdf(double x) {
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

/* For p <= 1/2: the quantile is negative, and known there to a relative 1e-15. */
static double lower_normal_quantile(double p) {
    double t = sqrt(-2 * log(p));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int i = 0; i < 3; i++) {
        double density = exp(-0.5 * x * x - half_log_two_pi);
        if (density == 0) break;
        double step = (stat_normal_cdf(x) - p) / density;
        x -= step / (1 + 0.5 * x * step);
    }
    return x;
}

double stat_normal_quantile(double p) {
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0) return -INFINITY;
    if (p == 1) return INFINITY;
    if (p == 0.5) return 0;
    return p < 0.5 ? lower_normal_quantile(p) : -lower_normal_quantile(1 - p);
}

/* ## Incomplete gamma */

/* x^a e^-x / Gamma(a + 1), a Poisson probability where a is whole. */
static double gamma_factor(double a, double x) {
    return exp(-stat_stirling_error(a) - stat_deviance(a, x)) / sqrt(2 * pi * a);
}

static double lower_gamma(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; n < MOST_TERMS && term > sum * (DBL_EPSILON / 4); n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * gamma_factor(a, x);
}

static double upper_gamma(double a, double x) {
    double tiny = 1e-300, b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int i = 1; i < MOST_TERMS; i++) {
        double numerator = -i * (i - a);
        b += 2;
        d = numerator * d + b;
        if (fabs(d) < tiny) d = tiny;
        c = b + numerator / c;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        double factor = d * c;
        h *= factor;
        if (fabs(factor - 1) < DBL_EPSILON) break;
    }
    return h * a * gamma_factor(a, x);
}

struct stat_tails stat_gamma_tails(double a, double x) {
    struct stat_tails tails = {NAN, NAN};
    if (!(a > 0) || isnan(x)) return tails;
    if (x <= 0) return (struct stat_tails){0, 1};
    if (isinf(x)) return (struct stat_tails){1, 0};
    if (x < a + 1) {
        tails.lower = lower_gamma(a, x);
        tails.upper = 1 - tails.lower;
    } else {
        tails.upper = upper_gamma(a, x);
        tails.lower = 1 - tails.upper;
    }
    return tails;
}

struct stat_tails stat_chi_square_tails(double x, double df) {
    return stat_gamma_tails(df / 2, x / 2);
}
