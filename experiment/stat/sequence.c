/* Counts become e-values and intervals that hold at every moment: the beta mixture for pairs and
 * for one rate, and two closed forms of half widths. Betting is in betting.c. */
#include "experiment/stat/sequence.h"

#include "experiment/stat/common.h"

/* ## Pairs */

static struct stat_evalue evalue_of(double log_e) {
    return (struct stat_evalue){log_e, exp(log_e), exp(fmin(0, -log_e))};
}

struct stat_evalue stat_pairs_evalue(uint64_t only_first, uint64_t only_second, double a0,
                                     double b0) {
    static const double log_two = 0.69314718055994530942;
    double b = (double)only_first, c = (double)only_second;
    if (!(a0 > 0) || !(b0 > 0) || isinf(a0) || isinf(b0))
        return (struct stat_evalue){NAN, NAN, NAN};
    if (b + c == 0) return evalue_of(0);
    return evalue_of(stat_log_beta(b + a0, c + b0) - stat_log_beta(a0, b0) + (b + c) * log_two);
}

void stat_pairs_process_init(struct stat_pairs_process *process) {
    *process = (struct stat_pairs_process){.a0 = 1, .b0 = 1, .now = evalue_of(0)};
}

void stat_pairs_process_step(struct stat_pairs_process *process, bool first, bool second) {
    if (first == second) return;
    if (first) process->only_first++;
    else process->only_second++;
    process->now =
        stat_pairs_evalue(process->only_first, process->only_second, process->a0, process->b0);
    process->greatest_log_e = fmax(process->greatest_log_e, process->now.log_e);
}

/* ## One rate */

/* ln of the mixture's density ratio, less ln alpha: positive inside the interval. */
static double inside(double k, double n, double p, double log_beta, double log_alpha) {
    double log_likelihood = 0;
    if (k > 0) log_likelihood += k * log(p);
    if (k < n) log_likelihood += (n - k) * log1p(-p);
    return log_likelihood - log_beta - log_alpha;
}

static double bisect_rate(double k, double n, double end, double log_alpha) {
    double log_beta = stat_log_beta(k + 1, n - k + 1), near = k / n, far = end;
    for (;;) {
        double middle = near + (far - near) / 2;
        if (middle == near || middle == far) return middle;
        if (inside(k, n, middle, log_beta, log_alpha) > 0) near = middle;
        else far = middle;
    }
}

struct stat_interval stat_rate_sequence(uint64_t successes, uint64_t trials, double alpha) {
    double k = (double)successes, n = (double)trials;
    if (successes > trials || !stat_is_share(alpha)) return stat_no_interval();
    if (trials == 0) return (struct stat_interval){0, 1};
    return (struct stat_interval){.low = successes == 0 ? 0 : bisect_rate(k, n, 0, log(alpha)),
                                  .high =
                                      successes == trials ? 1 : bisect_rate(k, n, 1, log(alpha))};
}

/* ## Half widths in closed form */

double stat_normal_mixture_radius(double t, double rho2, double alpha) {
    if (!(t > 0) || !(rho2 > 0) || !stat_is_share(alpha)) return NAN;
    double scaled = t * rho2;
    return sqrt(2 * (scaled + 1) / (t * scaled) * (0.5 * log1p(scaled) - log(alpha)));
}

struct stat_asymptotic stat_asymptotic_radius(double variance, double n, double tuning,
                                              double alpha) {
    struct stat_asymptotic out = {NAN, NAN};
    if (!(variance >= 0) || !(n > 0) || !(tuning > 0) || !stat_is_share(alpha)) return out;
    double twice = -2 * log(alpha);
    out.rho = sqrt((twice + log1p(twice)) / tuning);
    out.radius = sqrt(variance) * stat_normal_mixture_radius(n, out.rho * out.rho, alpha);
    return out;
}
