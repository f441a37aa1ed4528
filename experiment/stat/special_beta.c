/* The beta family: incomplete beta function, Student's t and binomial probabilities, which are the
 * same integral, and their inverses by Newton's method inside a bracket. */
#include "experiment/stat/special.h"

#include "experiment/stat/special_parts.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum { MOST_FRACTIONS = 10000000, MOST_STEPS = 400 };

/* x^a y^b Gamma(a + b + 1) / (Gamma(a + 1) Gamma(b + 1)) for a, b > 0, in Loader's form. */
static double binomial_factor(double a, double b, double x, double y) {
    static const double two_pi = 6.28318530717958647693;
    double n = a + b;
    if (x <= 0 || y <= 0) return 0;
    double exponent = stat_stirling_error(n) - stat_stirling_error(a) - stat_stirling_error(b) -
                      stat_deviance(a, n * x) - stat_deviance(b, n * y);
    return exp(exponent) * sqrt(n / (two_pi * a * b));
}

/* ## Incomplete beta */

static double guarded(double value) {
    return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* The even part of the continued fraction of I_x(a, b), which converges quickly for
 * x < (a + 1) / (a + b + 2). 1 plus its odd coefficient is written in whichever of x and y is
 * small, so that nothing cancels near 1. */
static double beta_fraction(double a, double b, double x, double y) {
    double c = 1e-300, d = 0, fraction = c, above = 1;
    for (int i = 0; i < MOST_FRACTIONS; i++) {
        double m = i, below = (a + 2 * m) * (a + 2 * m + 1), product = (a + m) * (a + b + m);
        double even = i ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) : 0;
        double odd = x <= 0.5 ? below - product * x
                              : a * (2 * m + 1 - b) + m * (3 * m + 2 - b) + product * y;
        double whole = even + odd / below;
        if (i) above *= -even;
        d = 1 / guarded(whole + above * d);
        c = guarded(whole + above / c);
        fraction *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
        above = -product * x / below;
    }
    return fraction;
}

/* `factor` is x^a y^b / B(a, b). */
static struct stat_tails beta_tails(double a, double b, double x, double y, double factor) {
    struct stat_tails tails;
    if (x < (a + 1) / (a + b + 2)) {
        tails.lower = fmin(1, factor / a * beta_fraction(a, b, x, y));
        tails.upper = 1 - tails.lower;
    } else {
        tails.upper = fmin(1, factor / b * beta_fraction(b, a, y, x));
        tails.lower = 1 - tails.upper;
    }
    return tails;
}

/* x^a y^b / B(a, b). */
static double beta_factor(double a, double b, double x, double y) {
    return binomial_factor(a, b, x, y) * (a / (a + b)) * b;
}

struct stat_tails stat_beta_tails(double a, double b, double x, double y) {
    if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1) || !(y >= 0 && y <= 1))
        return (struct stat_tails){NAN, NAN};
    if (isinf(a) || isinf(b)) return (struct stat_tails){NAN, NAN};
    if (x == 0) return (struct stat_tails){0, 1};
    if (y == 0) return (struct stat_tails){1, 0};
    return beta_tails(a, b, x, y, beta_factor(a, b, x, y));
}

/* ## Student's t: the beta integral with a = df / 2, b = 1 / 2, x = 1 / (1 + t^2 / df) */

/* Beyond, the distribution is the normal one to within rounding. */
static const double normal_from = 1e15;

/* Its factor: t times the density. By log1p, because x itself is rounded where df is large. */
static double t_factor(double square, double df) {
    double log_y = -log1p(1 / square), log_x = -log1p(square);
    return exp(df / 2 * log_x + 0.5 * log_y - stat_log_beta(df / 2, 0.5));
}

struct stat_tails stat_t_tails(double t, double df) {
    if (isnan(t) || !(df > 0)) return (struct stat_tails){NAN, NAN};
    if (df > normal_from) return (struct stat_tails){stat_normal_cdf(t), stat_normal_cdf(-t)};
    double square = t / df * t;
    if (square == 0) return (struct stat_tails){0.5, 0.5};
    double y = isinf(square) ? 1 : square / (1 + square);
    double tail = 0.5 * beta_tails(df / 2, 0.5, 1 / (1 + square), y, t_factor(square, df)).lower;
    return t > 0 ? (struct stat_tails){1 - tail, tail} : (struct stat_tails){tail, 1 - tail};
}

/* ## Inverses: u > 0 with tail(u) = target, where ln tail is nearly linear in ln u */

struct tail_problem {
    double a, b, target;
    bool upper;    /* the upper tail is meant, else the lower one */
    bool mirrored; /* u is y, else x */
    bool is_t;     /* u is t, the tail is Student's with a degrees of freedom */
};

/* The tail at u; *slope is u times its derivative. */
static double tail_at(const struct tail_problem *problem, double u, double *slope) {
    double a = problem->a, b = problem->b, x = u, y = 1 - u;
    if (problem->is_t) {
        *slope = -t_factor(u / a * u, a);
        return stat_t_tails(u, a).upper;
    }
    if (problem->mirrored) x = 1 - u, y = u;
    struct stat_tails tails = stat_beta_tails(a, b, x, y);
    double density = beta_factor(a, b, x, y) / (x * y);
    *slope = (problem->upper != problem->mirrored ? -1 : 1) * u * density;
    return problem->upper ? tails.upper : tails.lower;
}

/* The tail is monotone in u between 0 and `high`. */
static double solve_tail(const struct tail_problem *problem, double start, double high,
                         bool rising) {
    double low = 0, u = start;
    for (int i = 0; i < MOST_STEPS; i++) {
        double slope, tail = tail_at(problem, u, &slope);
        if (tail == problem->target) return u;
        if ((tail < problem->target) == rising) low = u;
        else high = u;
        double step = tail > 0 ? log(tail / problem->target) * tail / slope : NAN;
        double next = u * exp(-step);
        if (fabs(step) < DBL_EPSILON / 2) return u;
        if (!(next > low && next < high)) {
            if (isinf(high)) next = u * 16;
            else if (low > 0 && high / low > 4) next = sqrt(low) * sqrt(high);
            else next = low > 0 ? low + (high - low) / 2 : high / 16;
        }
        if (next == u || next == low || next == high || next == 0) return next;
        u = next;
    }
    return u;
}

double stat_beta_quantile(double p, double a, double b) {
    if (!(p >= 0 && p <= 1) || !(a > 0) || !(b > 0)) return NAN;
    if (p == 0 || p == 1) return p;
    struct stat_tails middle = stat_beta_tails(a, b, 0.5, 0.5);
    struct tail_problem problem = {.a = a, .b = b, .target = p};
    if (p > 0.5) problem.upper = true, problem.target = 1 - p;
    problem.mirrored =
        problem.upper ? middle.upper > problem.target : middle.lower < problem.target;
    /* u runs to 1/2, and there the tail of x rises with x. */
    bool rising = problem.upper == problem.mirrored;
    double mean = problem.mirrored ? b / (a + b) : a / (a + b);
    double u = solve_tail(&problem, fmin(mean, 0.5), 0.5, rising);
    return problem.mirrored ? 1 - u : u;
}

/* ## Quantile of Student's t */

double stat_t_quantile(double p, double df) {
    if (!(p >= 0 && p <= 1) || !(df > 0)) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
    if (df > normal_from) return stat_normal_quantile(p);
    if (p == 0.5) return 0;
    struct tail_problem problem = {.a = df, .target = p < 0.5 ? p : 1 - p, .is_t = true};
    double start = -stat_normal_quantile(problem.target);
    double t = solve_tail(&problem, start, INFINITY, false);
    return p < 0.5 ? -t : t;
}

/* ## Binomial */

static bool is_binomial(double n, double p) {
    return n >= 0 && p >= 0 && p <= 1 && !isinf(n);
}

double stat_binomial_pmf(double k, double n, double p) {
    if (!is_binomial(n, p) || isnan(k)) return NAN;
    if (k < 0 || k > n) return 0;
    if (p == 0 || p == 1) return k == n * p;
    if (k == 0) return exp(n * log1p(-p));
    if (k == n) return exp(n * log(p));
    return binomial_factor(k, n - k, p, 1 - p);
}

struct stat_tails stat_binomial_tails(double k, double n, double p) {
    if (!is_binomial(n, p) || isnan(k)) return (struct stat_tails){NAN, NAN};
    if (k < 0) return (struct stat_tails){0, 1};
    if (k >= n) return (struct stat_tails){1, 0};
    return stat_beta_tails(n - k, k + 1, 1 - p, p);
}

double stat_binomial_quantile(double q, double n, double p) {
    if (!is_binomial(n, p) || !(q >= 0 && q <= 1)) return NAN;
    double low = -1, high = n, wanted = q * (1 - 64 * DBL_EPSILON);
    if (q == 0) return 0;
    while (high - low > 1) {
        double middle = floor(low + (high - low) / 2);
        if (stat_binomial_tails(middle, n, p).lower >= wanted) high = middle;
        else low = middle;
    }
    return high;
}
