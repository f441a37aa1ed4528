/* What may be concluded from an experiment. Numbers go in, intervals, p-values and verdicts come
 * out; nothing here knows what was measured. Every function names its source. All are pure, keep no
 * state between calls, and may be called from any thread.
 *
 * The unit is the item (or the cluster of items), never the repeat: average repeats first. Pairs
 * are the two arms of one item, and a difference is always first minus second: pass the candidate
 * first.
 *
 * An argument that makes no sense (a confidence of 2, more successes than trials, NaN) gives NaN
 * in all fields, as does what is undefined: the standard error of one value. Nothing observed is no
 * error: the interval is then the whole range. Functions that need memory take an arena and give
 * NaN without it (arena->oom). `confidence` is 0.95 for an interval of 95 %, `alpha` is 0.05 for a
 * test at that level. */
#ifndef EXPERIMENT_STAT_STAT_H
#define EXPERIMENT_STAT_STAT_H

#include "base/mem.h"
#include "experiment/stat/random.h"
#include "experiment/stat/sequence.h"
#include "experiment/stat/special.h"
#include "experiment/stat/types.h"
#include "experiment/stat/verdict.h"

/* ## Rates: so many successes in so many trials (rate.c) */

/* Wilson (1927): the score interval. Exactly 0 or 1 at its ends. */
struct stat_interval stat_wilson(uint64_t successes, uint64_t trials, double confidence);
/* Clopper and Pearson (1934): by quantiles of the beta distribution, never too short. */
struct stat_interval stat_clopper_pearson(uint64_t successes, uint64_t trials, double confidence);
/* first - second, of two arms that share no items: Newcombe (1998), hybrid of Wilson intervals. */
struct stat_interval stat_newcombe_unpaired(uint64_t successes_first, uint64_t trials_first,
                                            uint64_t successes_second, uint64_t trials_second,
                                            double confidence);

/* Are two such rates alike? Pearson's chi-square with one degree of freedom, not corrected; p 1 and
 * statistic 0 where all passed or none. */
struct stat_chi_square stat_rates_chi_square(uint64_t successes_first, uint64_t trials_first,
                                             uint64_t successes_second, uint64_t trials_second);

/* ## Pairs of yes and no (pairs.c) */

struct stat_pairs {
    uint64_t both, only_first, only_second, neither; /* passed */
};

/* first - second; NaN without pairs. */
double stat_pairs_difference(struct stat_pairs pairs);
/* Is the difference 0? Two-sided, by the discordant pairs alone; 1 when there are none.
 * McNemar (1947): the exact binomial test, and its mid-p form (Fagerland, Lydersen, Laake 2013),
 * which is the less conservative and the one to report. */
double stat_mcnemar_exact(uint64_t only_first, uint64_t only_second);
double stat_mcnemar_mid_p(uint64_t only_first, uint64_t only_second);
/* The same by chi-square, with Edwards' continuity correction or without. */
struct stat_chi_square stat_mcnemar_chi_square(uint64_t only_first, uint64_t only_second,
                                               bool corrected);
/* The difference: Tango's score interval (1998), found by bisection. The default: its coverage
 * holds for few pairs and extreme rates. */
struct stat_interval stat_tango(struct stat_pairs pairs, double confidence);
/* Newcombe's method 10 (1998), in closed form; *phi (may be NULL) is the correlation it uses. */
struct stat_interval stat_newcombe_paired(struct stat_pairs pairs, double confidence, double *phi);

/* ## Pairs of numbers (mean.c): n differences, first - second */

struct stat_mean {
    double mean, se, t, df, p; /* p: two-sided, of the mean being 0 */
    struct stat_interval interval;
};

/* Student's paired t. One value has a mean and nothing else; without spread the interval is a point
 * and p is 0 or 1. */
struct stat_mean stat_paired_t(const double *differences, size_t count, double confidence);
/* first / second of positive numbers (cost, latency, tokens): the ratio of geometric means, which
 * is the paired t of logarithms. `mean` and `interval` are ratios; t, df and p judge ratio 1. */
struct stat_mean stat_geometric_ratio(const double *first, const double *second, size_t count,
                                      double confidence);

/* Welch (1947): first - second of two arms that share no items, each with a variance of its own;
 * Satterthwaite's degrees of freedom. Fewer than two values in an arm: a mean and nothing else. */
struct stat_mean stat_welch(const double *first, size_t first_count, const double *second,
                            size_t second_count, double confidence);

struct stat_clustered {
    double mean, se; /* Miller, "Adding error bars to evals" (2024): no small-sample correction */
    double se_cr1;   /* the variance times G / (G - 1) */
    size_t clusters; /* G; warn below 10 */
    struct stat_interval interval; /* by se_cr1 and t with G - 1 degrees of freedom */
};

/* The mean of values that come in clusters; cluster[i] is any number that names value i's. */
struct stat_clustered stat_clustered_mean(struct arena *arena, const double *values,
                                          const uint64_t *cluster, size_t count, double confidence);

struct stat_cuped {
    double theta, mean, variance_before, variance, correlation_squared;
};

/* Deng, Xu, Kohavi, Walker (2013): the mean of `values` with what a covariate explains taken out.
 * For arms that are not paired; a pair is its own covariate. */
struct stat_cuped stat_cuped(const double *values, const double *covariate, size_t count,
                             double covariate_mean);

/* ## Tests that assume no distribution (signflip.c, wilcoxon.c) */

struct stat_sides {
    double two_sided, greater; /* p-values; greater: the first is */
};

enum { STAT_SIGN_FLIP_MAX = 40 }; /* differences other than 0 that are enumerated */

/* Fisher (1935): all 2^n signs are alike if the arms are. Exact, for differences that are multiples
 * of a common unit (scores of repeats are) or not more than STAT_SIGN_FLIP_MAX; else NaN. */
struct stat_sides stat_sign_flip_exact(struct arena *arena, const double *differences,
                                       size_t count);
/* The same from so many random draws of signs: (1 + hits) / (1 + draws), Phipson and Smyth (2010).
 * The same seed gives the same answer. */
struct stat_sides stat_sign_flip(const double *differences, size_t count, uint64_t draws,
                                 uint64_t seed);

enum stat_zeros { STAT_ZEROS_WILCOX, STAT_ZEROS_PRATT };
enum { STAT_WILCOXON_EXACT_MAX = 1000 };

struct stat_wilcoxon {
    double rank_sum; /* V, of the positive differences, ties having their mean rank */
    double exact;    /* two-sided; NaN for more than `exact_max` differences other than 0 */
    double normal;   /* by the normal approximation, corrected for ties and continuity */
};

/* Wilcoxon's signed ranks (1945). Differences of 0 are left out before ranking (Wilcoxon) or after
 * (Pratt 1959). The exact test takes time that grows with the cube of their number, so that more
 * than `exact_max` are not counted out; that is at most STAT_WILCOXON_EXACT_MAX. */
struct stat_wilcoxon stat_wilcoxon(struct arena *arena, const double *differences, size_t count,
                                   enum stat_zeros zeros, size_t exact_max);

/* ## Bootstrap (bootstrap.c) */

/* A statistic of the items that were drawn: their indices, with repetitions. */
typedef double stat_statistic(void *ctx, const size_t *items, size_t count);

enum stat_bootstrap_kind { STAT_PERCENTILE, STAT_BCA };

struct stat_bootstrap {
    size_t count;            /* items */
    const uint64_t *cluster; /* as for stat_clustered_mean: whole clusters are drawn; NULL: items */
    stat_statistic *statistic; /* NULL: the mean of `values` */
    void *ctx;
    const double *values;
    uint64_t draws, seed;
    double confidence;
    enum stat_bootstrap_kind kind;
};

struct stat_bootstrapped {
    double estimate, se;
    struct stat_interval interval;
};

/* Efron's bootstrap: percentiles (1979) or bias-corrected and accelerated (BCa, 1987; the
 * acceleration by leaving out one cluster or item at a time). Time and memory grow with `draws`. */
struct stat_bootstrapped stat_bootstrap(struct arena *arena, const struct stat_bootstrap *plan);

enum { STAT_EXHAUSTIVE_MAX = 11 };
/* All n^n samples of at most STAT_EXHAUSTIVE_MAX values, for their mean: what the random bootstrap
 * comes close to. */
struct stat_bootstrapped stat_bootstrap_exhaustive(struct arena *arena, const double *values,
                                                   size_t count, double confidence);

/* ## Several tests at once (adjust.c) */

enum stat_adjustment {
    STAT_HOLM,     /* 1979: any one false alarm; for guardrails, and arms against the first */
    STAT_HOCHBERG, /* 1988 */
    STAT_BONFERRONI,
    STAT_BH, /* Benjamini and Hochberg (1995): the share of false alarms; for exploring */
    STAT_BY  /* Benjamini and Yekutieli (2001) */
};

/* Writes `count` adjusted p-values in the order of `p`; false for a p that is none, or without
 * memory. */
bool stat_adjust(struct arena *arena, double *out, const double *p, size_t count,
                 enum stat_adjustment how);

/* ## How many items (power.c). Two-sided at level alpha. */

/* Of two arms that share no items, n in each, as R's power.prop.test has it; `strict` counts
 * rejections in the wrong direction too. */
double stat_power_two_rates(double n, double first, double second, double alpha, bool strict);
/* Its inverse, not rounded; infinite for equal rates. */
double stat_items_two_rates(double first, double second, double alpha, double power);

struct stat_mcnemar_power {
    double exact, mid_p;
};

enum { STAT_POWER_MAX = 100000 };
/* P(McNemar's test rejects) over all tables of n pairs, with these probabilities of the two kinds
 * of discordant pairs; n up to STAT_POWER_MAX. */
struct stat_mcnemar_power stat_power_mcnemar(uint64_t n, double only_first, double only_second,
                                             double alpha);
/* Connor (1987): pairs that McNemar's test takes; infinite for equal probabilities. */
double stat_items_mcnemar(double only_first, double only_second, double alpha, double power);
/* The smallest mean difference that n pairs detect. */
double stat_detectable(double n, double sd_difference, double alpha, double power);

struct stat_variances {
    double between;                     /* omega^2, of the items' true differences */
    double within_first, within_second; /* sigma^2, of the repeats of one item */
};

/* Miller (2024): items for detecting `difference`, with so many repeats of each item in each arm.
 */
double stat_items_repeats(struct stat_variances variances, double repeats_first,
                          double repeats_second, double difference, double alpha, double power);

/* ## Repeats (pass.c) */

struct stat_pass {
    double at_k;  /* Chen et al. (2021): at least one of k runs passes */
    double hat_k; /* Yao et al. (2024), pass^k: all k runs pass */
};

/* Unbiased, of c passes in n runs of one item; NaN for k > n. */
struct stat_pass stat_pass(uint64_t runs, uint64_t passes, uint64_t k);

/* ## Quantiles (quantile.c) */

/* Hyndman and Fan's type 7 (1996), of values in ascending order; 0 <= p <= 1. */
double stat_quantile(const double *sorted, size_t count, double p);
/* Sorts in place, ascending; false for NaN. */
bool stat_sort(struct arena *arena, double *values, size_t count);

struct stat_ranks {
    uint64_t low, high; /* 1-based, [x_(low), x_(high)); 0 and n + 1 stand for the infinities */
    double coverage;
};

/* Which order statistics of n values enclose the p-quantile (Conover 1999, by binomial ranks). */
struct stat_ranks stat_quantile_ranks(uint64_t n, double p, double confidence);

/* ## Is the experiment sound (soundness.c) */

/* Sample-ratio mismatch (Fabijan et al. 2019): do the arms' counts fit their weights? Pearson's
 * chi-square; alarm below 0.001. For arms that are assigned, not paired. */
struct stat_chi_square stat_ratio_mismatch(const uint64_t *observed, const double *weights,
                                           size_t count);
/* Attrition: are more results missing in one arm? Exact McNemar over the items that only one arm
 * lacks; alarm below STAT_ALARM. */
double stat_attrition(uint64_t missing_only_first, uint64_t missing_only_second);
#define STAT_ALARM 0.001

#endif
