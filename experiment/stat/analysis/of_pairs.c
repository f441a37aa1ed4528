/* Analyses of rates and of pairs, with the distributions that they rest on: read, compute, print.
 */
#include "experiment/stat/analysis/methods.h"

/* ## Distributions */

void analyse_qnorm(struct stat_analysis *a) {
    put(a, "z", stat_normal_quantile(number(a, 0)));
}

void analyse_qt(struct stat_analysis *a) {
    put(a, "t", stat_t_quantile(number(a, 0), number(a, 1)));
}

void analyse_incomplete_beta(struct stat_analysis *a) {
    double x = number(a, 2);
    put(a, "p", stat_beta_tails(number(a, 0), number(a, 1), x, 1 - x).lower);
}

void analyse_chi_square(struct stat_analysis *a) {
    put(a, "p", stat_chi_square_tails(number(a, 0), number(a, 1)).upper);
}

/* ## Rates */

void analyse_wilson(struct stat_analysis *a) {
    if (at_most(a, "k", 0, "n", 1))
        put_interval(a, stat_wilson(count(a, 0), count(a, 1), number(a, 2)));
}

void analyse_clopper_pearson(struct stat_analysis *a) {
    if (at_most(a, "k", 0, "n", 1))
        put_interval(a, stat_clopper_pearson(count(a, 0), count(a, 1), number(a, 2)));
}

void analyse_newcombe_unpaired(struct stat_analysis *a) {
    if (!at_most(a, "k1", 0, "n1", 1) || !at_most(a, "k2", 2, "n2", 3)) return;
    put(a, "delta",
        (double)count(a, 0) / (double)count(a, 1) - (double)count(a, 2) / (double)count(a, 3));
    put_interval(a, stat_newcombe_unpaired(count(a, 0), count(a, 1), count(a, 2), count(a, 3),
                                           number(a, 4)));
}

void analyse_two_rates(struct stat_analysis *a) {
    if (!at_most(a, "k1", 0, "n1", 1) || !at_most(a, "k2", 2, "n2", 3)) return;
    struct stat_chi_square test =
        stat_rates_chi_square(count(a, 0), count(a, 1), count(a, 2), count(a, 3));
    put(a, "chisq", test.statistic);
    put(a, "p", test.p);
}

/* ## Pairs of yes and no */

void analyse_mcnemar(struct stat_analysis *a) {
    put(a, "p_exact", stat_mcnemar_exact(count(a, 0), count(a, 1)));
    put(a, "p_midp", stat_mcnemar_mid_p(count(a, 0), count(a, 1)));
}

void analyse_mcnemar_chisq(struct stat_analysis *a) {
    struct stat_chi_square plain = stat_mcnemar_chi_square(count(a, 0), count(a, 1), false);
    struct stat_chi_square corrected = stat_mcnemar_chi_square(count(a, 0), count(a, 1), true);
    put(a, "stat", plain.statistic);
    put(a, "p", plain.p);
    put(a, "stat_cc", corrected.statistic);
    put(a, "p_cc", corrected.p);
}

void analyse_newcombe_paired(struct stat_analysis *a) {
    struct stat_pairs pairs = {count(a, 0), count(a, 1), count(a, 2), count(a, 3)};
    double phi;
    struct stat_interval interval = stat_newcombe_paired(pairs, number(a, 4), &phi);
    put(a, "delta", stat_pairs_difference(pairs));
    put_interval(a, interval);
    put(a, "phi", phi);
}

void analyse_tango(struct stat_analysis *a) {
    uint64_t b = count(a, 0), c = count(a, 1), n = count(a, 2);
    if (b > n || c > n - b) {
        stat_complain(a, "n", "is less than b + c: it counts all pairs");
        return;
    }
    struct stat_pairs pairs = {.only_first = b, .only_second = c, .neither = n - b - c};
    put(a, "delta", stat_pairs_difference(pairs));
    put_interval(a, stat_tango(pairs, number(a, 3)));
}

void analyse_attrition(struct stat_analysis *a) {
    double p = stat_attrition(count(a, 0), count(a, 1));
    put(a, "p", p);
    json_member_bool(&a->writer, "alarm", p < STAT_ALARM);
}

/* ## Pairs of numbers */

static void put_mean(struct stat_analysis *a, struct stat_mean mean) {
    put(a, "mean_diff", mean.mean);
    put(a, "se", mean.se);
    put(a, "t", mean.t);
    put(a, "df", mean.df);
    put(a, "p", mean.p);
    put_interval(a, mean.interval);
}

void analyse_paired_t(struct stat_analysis *a) {
    if (!same_length(a, "b", 1, "a", 0) || !not_empty(a, "a", 0)) return;
    double *d = arena_array(a->arena, length(a, 0), sizeof *d);
    if (!d) return;
    for (size_t i = 0; i < length(a, 0); i++) d[i] = list(a, 0)[i] - list(a, 1)[i];
    put_mean(a, stat_paired_t(d, length(a, 0), number(a, 2)));
}

void analyse_welch(struct stat_analysis *a) {
    if (!not_empty(a, "a", 0) || !not_empty(a, "b", 1)) return;
    put_mean(a, stat_welch(list(a, 0), length(a, 0), list(a, 1), length(a, 1), number(a, 2)));
}

void analyse_geometric_ratio(struct stat_analysis *a) {
    if (!same_length(a, "b", 1, "a", 0) || !not_empty(a, "a", 0)) return;
    struct stat_mean mean =
        stat_geometric_ratio(list(a, 0), list(a, 1), length(a, 0), number(a, 2));
    put(a, "ratio", mean.mean);
    put_interval(a, mean.interval);
}

void analyse_clustered(struct stat_analysis *a) {
    if (!same_length(a, "cluster", 1, "x", 0) || !not_empty(a, "x", 0)) return;
    struct stat_clustered mean =
        stat_clustered_mean(a->arena, list(a, 0), a->in[1].counts, length(a, 0), number(a, 2));
    put(a, "mean", mean.mean);
    put(a, "se_miller", mean.se);
    put(a, "se_cr1", mean.se_cr1);
    json_member_number(&a->writer, "clusters", mean.clusters);
    put(a, "lower_t_cr1", mean.interval.low);
    put(a, "upper_t_cr1", mean.interval.high);
}

void analyse_cuped(struct stat_analysis *a) {
    if (!same_length(a, "x", 1, "y", 0) || !not_empty(a, "y", 0)) return;
    struct stat_cuped adjusted = stat_cuped(list(a, 0), list(a, 1), length(a, 0), number(a, 2));
    put(a, "theta", adjusted.theta);
    put(a, "mean_adj", adjusted.mean);
    put(a, "var_y", adjusted.variance_before);
    put(a, "var_adj", adjusted.variance);
    put(a, "rho2", adjusted.correlation_squared);
}

static void put_sides(struct stat_analysis *a, struct stat_sides sides) {
    put(a, "p_two_sided", sides.two_sided);
    put(a, "p_greater", sides.greater);
}

void analyse_sign_flip_exact(struct stat_analysis *a) {
    struct stat_sides sides = stat_sign_flip_exact(a->arena, list(a, 0), length(a, 0));
    if (isnan(sides.two_sided))
        stat_complain(a, "d",
                      "has more than %d differences without a common unit, too many to count all "
                      "signs; paired_permutation_signflip draws them",
                      STAT_SIGN_FLIP_MAX);
    put_sides(a, sides);
}

void analyse_sign_flip(struct stat_analysis *a) {
    put_sides(a, stat_sign_flip(list(a, 0), length(a, 0), count(a, 1), count(a, 2)));
}

void analyse_wilcoxon(struct stat_analysis *a) {
    enum stat_zeros zeros = count(a, 1) ? STAT_ZEROS_PRATT : STAT_ZEROS_WILCOX;
    struct stat_wilcoxon out =
        stat_wilcoxon(a->arena, list(a, 0), length(a, 0), zeros, STAT_WILCOXON_EXACT_MAX);
    put(a, "V", out.rank_sum);
    put(a, "p_exact", out.exact);
    put(a, "p_normal_cc", out.normal);
}

/* ## Bootstrap */

void analyse_bootstrap(struct stat_analysis *a) {
    bool clusters = a->in[1].given;
    struct stat_bootstrap plan = {.count = length(a, 0),
                                  .values = list(a, 0),
                                  .cluster = clusters ? a->in[1].counts : NULL,
                                  .kind = count(a, 2) ? STAT_BCA : STAT_PERCENTILE,
                                  .draws = count(a, 3),
                                  .seed = count(a, 4),
                                  .confidence = number(a, 5)};
    if (!not_empty(a, "d", 0) || (clusters && !same_length(a, "cluster", 1, "d", 0))) return;
    if (plan.draws < 1 || plan.draws > 10000000) {
        stat_complain(a, "draws", "takes a whole number from 1 to 10000000");
        return;
    }
    struct stat_bootstrapped out = stat_bootstrap(a->arena, &plan);
    put(a, "mean", out.estimate);
    put(a, "se", out.se);
    put_interval(a, out.interval);
}

void analyse_bootstrap_exhaustive(struct stat_analysis *a) {
    if (!not_empty(a, "d", 0)) return;
    if (length(a, 0) > STAT_EXHAUSTIVE_MAX)
        stat_complain(a, "d",
                      "has more than %d values, too many for all samples; bootstrap draws "
                      "some",
                      STAT_EXHAUSTIVE_MAX);
    struct stat_bootstrapped out =
        stat_bootstrap_exhaustive(a->arena, list(a, 0), length(a, 0), 0.95);
    put(a, "mean", out.estimate);
    put(a, "se", out.se);
    put(a, "pct_2_5", out.interval.low);
    put(a, "pct_97_5", out.interval.high);
}
