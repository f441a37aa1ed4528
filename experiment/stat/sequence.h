/* Looking at the data while it comes in: e-processes and confidence sequences, which hold at every
 * moment at once (Ville's inequality), so that a run may stop whenever it likes. A fixed-n p-value
 * may not. They are valid if items come in random order and each item steps once: one step is one
 * finished item (or cluster) with all its repeats, in the planned order.
 *
 * Reject at level alpha the first time that an e-value reaches 1 / alpha. */
#ifndef EXPERIMENT_STAT_SEQUENCE_H
#define EXPERIMENT_STAT_SEQUENCE_H

#include "base/mem.h"
#include "experiment/stat/types.h"

/* ## Pairs of yes and no: exact (sequence.c) */

struct stat_evalue {
    double log_e; /* e itself may pass every double */
    double e;
    double p; /* min(1, 1 / e): valid at any time */
};

/* E = B(b + a0, c + b0) / B(a0, b0) 2^(b + c) over discordant pairs: a beta mixture over the chance
 * that the first wins one, against 1/2. a0 = b0 = 1 is the uniform mixture. */
struct stat_evalue stat_pairs_evalue(uint64_t only_first, uint64_t only_second, double a0,
                                     double b0);

/* The same, one item after the other. */
struct stat_pairs_process {
    uint64_t only_first, only_second;
    double a0, b0;
    struct stat_evalue now;
    double greatest_log_e; /* so far: what may be compared with ln(1 / alpha) */
};

void stat_pairs_process_init(struct stat_pairs_process *process);
/* O(1). Both pass or both fail: nothing changes. */
void stat_pairs_process_step(struct stat_pairs_process *process, bool first, bool second);

/* ## One rate */

/* {p : p^k (1 - p)^(n - k) / B(k + 1, n - k + 1) > alpha}: Robbins' mixture, valid at all n. */
struct stat_interval stat_rate_sequence(uint64_t successes, uint64_t trials, double alpha);

/* ## Bounded differences: hedged betting (betting.c). Waudby-Smith and Ramdas, "Estimating means of
 * bounded random variables by betting" (2024).
 *
 * A bettor wins money if the mean differs from m; K+ bets that it is greater, K- that it is less.
 * e = theta K+ + (1 - theta) K- is an e-process for mean m; the confidence sequence is all m for
 * which neither theta K+ nor (1 - theta) K- has reached 1 / alpha. */

struct stat_betting_options {
    double alpha;
    double m0;    /* the difference that the e-process judges; -margin for non-inferiority */
    double theta; /* the share of the money that is on "greater" */
    double trunc; /* bets stake at most this share */
};

/* alpha 0.05, m0 0, theta 1/2, trunc 1/2. */
struct stat_betting_options stat_betting_defaults(void);

struct stat_bet {
    double x, lambda; /* the outcome on [0, 1]; the stake, chosen before it was seen */
};

/* One end of the interval; the upper one is seen in a mirror, as a lower one of 1 - x. */
struct stat_end {
    double m;          /* on [0, 1]: as last asked for */
    double log_wealth; /* of the bettor against m */
    bool moved;        /* that bettor has reached the goal since */
};

struct stat_betting {
    struct stat_betting_options options;
    gramc_allocator allocator;
    struct stat_bet *bets; /* one an item: the interval needs all */
    size_t count, size;
    double sum, squares;        /* of the outcomes: what the next stake is made of */
    double log_plus, log_minus; /* ln K+, ln K- at m0 */
    double greatest_log_e;
    struct stat_end low, high;
};

/* NULL: malloc. Takes no memory yet. */
void stat_betting_init(struct stat_betting *betting, const struct stat_betting_options *options,
                       const gramc_allocator *allocator);
void stat_betting_free(struct stat_betting *betting);
/* One more difference, in [-1, 1]; a metric with other bounds is scaled to them first. O(1)
 * amortised. GRAMC_USAGE for a difference outside (nothing changes), GRAMC_NOMEM. */
gramc_status stat_betting_step(struct stat_betting *betting, double difference);

struct stat_betting_values {
    double log_plus, log_minus; /* ln K+, ln K- at m0 */
    double log_max;             /* ln max(theta K+, (1 - theta) K-) */
    double log_e;
    double p; /* min(1, 1 / the greatest e so far) */
};

struct stat_betting_values stat_betting_values(const struct stat_betting *betting);
/* The confidence sequence of the mean difference by now: the intersection of all so far. Valid at
 * all times. K+ falls and K- rises in m, hence so do their maxima over time, and one bisection over
 * them finds the intersection: some 55 passes over the items for each end that has moved since the
 * last time, nothing otherwise. Should the ends have crossed, low > high: something that was
 * assumed is wrong.
 */
struct stat_interval stat_betting_interval(struct stat_betting *betting);
/* The same from the last step alone; always some 55 passes for each end. */
struct stat_interval stat_betting_interval_now(const struct stat_betting *betting);

/* ## The same question in closed form, with wider answers */

/* Empirical Bernstein with predictable mixtures (Waudby-Smith and Ramdas 2024, theorem 2), for
 * differences in [-1, 1]. O(1) a step. */
struct stat_bernstein {
    double alpha;
    uint64_t count;
    double sum, squares;            /* of the outcomes on [0, 1]: make the next stake */
    double stakes, staked, penalty; /* sums of lambda, lambda x, v psi(lambda) */
    struct stat_interval running;   /* on [0, 1] */
};

void stat_bernstein_init(struct stat_bernstein *bernstein, double alpha);
/* False outside of [-1, 1]; nothing changes then. */
bool stat_bernstein_step(struct stat_bernstein *bernstein, double difference);

struct stat_bernstein_values {
    double center, radius;         /* of the last step */
    struct stat_interval interval; /* intersection of all so far */
};

struct stat_bernstein_values stat_bernstein_values(const struct stat_bernstein *bernstein);

/* Robbins (1970): the half width of a normal mixture round the mean of t values that are
 * sigma-sub-Gaussian, sigma taken as 1. */
double stat_normal_mixture_radius(double t, double rho2, double alpha);

struct stat_asymptotic {
    double rho, radius;
};

/* Howard et al. (2021) as GrowthBook uses it: a variance that is estimated, for large n; sharpest
 * at n = tuning. */
struct stat_asymptotic stat_asymptotic_radius(double variance, double n, double tuning,
                                              double alpha);

#endif
