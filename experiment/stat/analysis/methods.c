/* The table of all analyses: what each takes, which function computes it, and under which names
 * its results are printed. */
#include "experiment/stat/analysis/read.h"
#include "experiment/stat/stat.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"

/* ## Printing */

static void put(struct stat_analysis *a, const char *key, double value) {
    json_key(&a->writer, key);
    if (isfinite(value)) (void)json_put_double(json_slot(&a->writer), value);
    else json_null(&a->writer);
}

static void put_list(struct stat_analysis *a, const char *key, const double *values, size_t count) {
    json_member_array(&a->writer, key);
    for (size_t i = 0; i < count; i++) (void)json_put_double(json_slot(&a->writer), values[i]);
    json_array_end(&a->writer);
}

static void put_interval(struct stat_analysis *a, struct stat_interval interval) {
    put(a, "lower", interval.low);
    put(a, "upper", interval.high);
}

static void put_hex(struct stat_analysis *a, uint64_t number) {
    buf_printf(json_slot(&a->writer), "\"%016" PRIx64 "\"", number);
}

/* ## Reading: fields by their place in the table */

static double number(const struct stat_analysis *a, size_t i) {
    return a->in[i].number;
}

static uint64_t count(const struct stat_analysis *a, size_t i) {
    return a->in[i].count;
}

static const double *list(const struct stat_analysis *a, size_t i) {
    return a->in[i].numbers;
}

static size_t length(const struct stat_analysis *a, size_t i) {
    return a->in[i].length;
}

static bool at_most(struct stat_analysis *a, const char *field, size_t i, const char *of,
                    size_t most) {
    return count(a, i) <= count(a, most) ||
           stat_complain(a, field, "is more than %s: %" PRIu64 " of %" PRIu64, of, count(a, i),
                         count(a, most));
}

static bool not_empty(struct stat_analysis *a, const char *field, size_t i) {
    return length(a, i) > 0 || stat_complain(a, field, "is empty; it takes one value or more");
}

static bool same_length(struct stat_analysis *a, const char *field, size_t i, const char *other,
                        size_t j) {
    return length(a, i) == length(a, j) ||
           stat_complain(a, field, "has %zu items, %s has %zu: they belong together, one for one",
                         length(a, i), other, length(a, j));
}

/* ## Distributions */

static void qnorm(struct stat_analysis *a) {
    put(a, "z", stat_normal_quantile(number(a, 0)));
}

static void qt(struct stat_analysis *a) {
    put(a, "t", stat_t_quantile(number(a, 0), number(a, 1)));
}

static void incomplete_beta(struct stat_analysis *a) {
    double x = number(a, 2);
    put(a, "p", stat_beta_tails(number(a, 0), number(a, 1), x, 1 - x).lower);
}

static void chi_square(struct stat_analysis *a) {
    put(a, "p", stat_chi_square_tails(number(a, 0), number(a, 1)).upper);
}

/* ## Rates */

static void wilson(struct stat_analysis *a) {
    if (at_most(a, "k", 0, "n", 1))
        put_interval(a, stat_wilson(count(a, 0), count(a, 1), number(a, 2)));
}

static void clopper_pearson(struct stat_analysis *a) {
    if (at_most(a, "k", 0, "n", 1))
        put_interval(a, stat_clopper_pearson(count(a, 0), count(a, 1), number(a, 2)));
}

static void newcombe_unpaired(struct stat_analysis *a) {
    if (!at_most(a, "k1", 0, "n1", 1) || !at_most(a, "k2", 2, "n2", 3)) return;
    put(a, "delta",
        (double)count(a, 0) / (double)count(a, 1) - (double)count(a, 2) / (double)count(a, 3));
    put_interval(a, stat_newcombe_unpaired(count(a, 0), count(a, 1), count(a, 2), count(a, 3),
                                           number(a, 4)));
}

/* ## Pairs of yes and no */

static void mcnemar(struct stat_analysis *a) {
    put(a, "p_exact", stat_mcnemar_exact(count(a, 0), count(a, 1)));
    put(a, "p_midp", stat_mcnemar_mid_p(count(a, 0), count(a, 1)));
}

static void mcnemar_chisq(struct stat_analysis *a) {
    struct stat_chi_square plain = stat_mcnemar_chi_square(count(a, 0), count(a, 1), false);
    struct stat_chi_square corrected = stat_mcnemar_chi_square(count(a, 0), count(a, 1), true);
    put(a, "stat", plain.statistic);
    put(a, "p", plain.p);
    put(a, "stat_cc", corrected.statistic);
    put(a, "p_cc", corrected.p);
}

static void newcombe_paired(struct stat_analysis *a) {
    struct stat_pairs pairs = {count(a, 0), count(a, 1), count(a, 2), count(a, 3)};
    double phi;
    struct stat_interval interval = stat_newcombe_paired(pairs, number(a, 4), &phi);
    put(a, "delta", stat_pairs_difference(pairs));
    put_interval(a, interval);
    put(a, "phi", phi);
}

static void tango(struct stat_analysis *a) {
    uint64_t b = count(a, 0), c = count(a, 1), n = count(a, 2);
    if (b > n || c > n - b) {
        stat_complain(a, "n", "is less than b + c: it counts all pairs");
        return;
    }
    struct stat_pairs pairs = {.only_first = b, .only_second = c, .neither = n - b - c};
    put(a, "delta", stat_pairs_difference(pairs));
    put_interval(a, stat_tango(pairs, number(a, 3)));
}

static void attrition(struct stat_analysis *a) {
    double p = stat_attrition(count(a, 0), count(a, 1));
    put(a, "p", p);
    json_member_bool(&a->writer, "alarm", p < STAT_ALARM);
}

/* ## Pairs of numbers */

static void paired_t(struct stat_analysis *a) {
    if (!same_length(a, "b", 1, "a", 0) || !not_empty(a, "a", 0)) return;
    double *d = arena_array(a->arena, length(a, 0), sizeof *d);
    if (!d) return;
    for (size_t i = 0; i < length(a, 0); i++) d[i] = list(a, 0)[i] - list(a, 1)[i];
    struct stat_mean mean = stat_paired_t(d, length(a, 0), number(a, 2));
    put(a, "mean_diff", mean.mean);
    put(a, "se", mean.se);
    put(a, "t", mean.t);
    put(a, "df", mean.df);
    put(a, "p", mean.p);
    put_interval(a, mean.interval);
}

static void geometric_ratio(struct stat_analysis *a) {
    if (!same_length(a, "b", 1, "a", 0) || !not_empty(a, "a", 0)) return;
    struct stat_mean mean =
        stat_geometric_ratio(list(a, 0), list(a, 1), length(a, 0), number(a, 2));
    put(a, "ratio", mean.mean);
    put_interval(a, mean.interval);
}

static void clustered(struct stat_analysis *a) {
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

static void cuped(struct stat_analysis *a) {
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

static void sign_flip_exact(struct stat_analysis *a) {
    struct stat_sides sides = stat_sign_flip_exact(a->arena, list(a, 0), length(a, 0));
    if (isnan(sides.two_sided))
        stat_complain(a, "d",
                      "has more than %d differences without a common unit, too many to count all "
                      "signs; paired_permutation_signflip draws them",
                      STAT_SIGN_FLIP_MAX);
    put_sides(a, sides);
}

static void sign_flip(struct stat_analysis *a) {
    put_sides(a, stat_sign_flip(list(a, 0), length(a, 0), count(a, 1), count(a, 2)));
}

static void wilcoxon(struct stat_analysis *a) {
    enum stat_zeros zeros = count(a, 1) ? STAT_ZEROS_PRATT : STAT_ZEROS_WILCOX;
    struct stat_wilcoxon out = stat_wilcoxon(a->arena, list(a, 0), length(a, 0), zeros);
    put(a, "V", out.rank_sum);
    put(a, "p_exact", out.exact);
    put(a, "p_normal_cc", out.normal);
}

/* ## Bootstrap */

static void bootstrap(struct stat_analysis *a) {
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

static void bootstrap_exhaustive(struct stat_analysis *a) {
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

/* ## Several tests */

static void p_adjust(struct stat_analysis *a) {
    static const char *const names[] = {[STAT_HOLM] = "holm",
                                        [STAT_BH] = "BH",
                                        [STAT_BY] = "BY",
                                        [STAT_HOCHBERG] = "hochberg",
                                        [STAT_BONFERRONI] = "bonferroni"};
    static const enum stat_adjustment order[] = {STAT_HOLM, STAT_BH, STAT_BY, STAT_HOCHBERG,
                                                 STAT_BONFERRONI};
    double *adjusted = arena_array(a->arena, length(a, 0) + 1, sizeof *adjusted);
    if (!adjusted) return;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!stat_adjust(a->arena, adjusted, list(a, 0), length(a, 0), order[i])) return;
        put_list(a, names[order[i]], adjusted, length(a, 0));
    }
}

/* ## Power */

static void power_two_rates(struct stat_analysis *a) {
    double n = number(a, 0), p1 = number(a, 1), p2 = number(a, 2), alpha = number(a, 3);
    put(a, "power", stat_power_two_rates(n, p1, p2, alpha, false));
    put(a, "power_strict", stat_power_two_rates(n, p1, p2, alpha, true));
}

static void items_two_rates(struct stat_analysis *a) {
    if (number(a, 0) == number(a, 1))
        stat_complain(a, "p2", "is p1: no number of items tells them apart");
    double n = stat_items_two_rates(number(a, 0), number(a, 1), number(a, 2), number(a, 3));
    put(a, "n_per_arm", n);
    put(a, "n_ceil", ceil(n));
}

static bool are_cells(struct stat_analysis *a, const char *first, size_t i) {
    return number(a, i) + number(a, i + 1) <= 1 + 1e-12 ||
           stat_complain(a, first,
                         "and the other kind of discordant pairs are more than 1 together");
}

static void power_mcnemar(struct stat_analysis *a) {
    if (!are_cells(a, "p10", 1)) return;
    if (count(a, 0) > STAT_POWER_MAX)
        stat_complain(a, "n", "is above %d; mcnemar_sample_size_connor has no limit",
                      STAT_POWER_MAX);
    struct stat_mcnemar_power power =
        stat_power_mcnemar(count(a, 0), number(a, 1), number(a, 2), number(a, 3));
    put(a, "power_exact", power.exact);
    put(a, "power_midp", power.mid_p);
}

static void items_mcnemar(struct stat_analysis *a) {
    if (!are_cells(a, "p10", 0)) return;
    if (number(a, 0) == number(a, 1))
        stat_complain(a, "p01", "is p10: no number of pairs tells them apart");
    put(a, "n", stat_items_mcnemar(number(a, 0), number(a, 1), number(a, 2), number(a, 3)));
}

static void detectable(struct stat_analysis *a) {
    put(a, "mde", stat_detectable(number(a, 0), number(a, 1), number(a, 2), number(a, 3)));
}

static void items_repeats(struct stat_analysis *a) {
    struct stat_variances variances = {number(a, 0), number(a, 1), number(a, 2)};
    if (number(a, 5) == 0) stat_complain(a, "delta", "is 0: no number of items detects that");
    put(a, "n",
        stat_items_repeats(variances, number(a, 3), number(a, 4), number(a, 5), number(a, 6),
                           number(a, 7)));
}

/* ## Repeats and quantiles */

static void pass(struct stat_analysis *a) {
    if (!at_most(a, "c", 1, "n", 0)) return;
    struct stat_pass pass = stat_pass(count(a, 0), count(a, 1), count(a, 2));
    put(a, "pass_at_k", pass.at_k);
    put(a, "pass_hat_k", pass.hat_k);
}

/* The mean over the tasks with k runs or more; how many have not, if there are any. */
static void pass_mean(struct stat_analysis *a) {
    const uint64_t *tables = a->in[0].counts;
    double at = 0, hat = 0, scored = 0, unscored = 0;
    if (!not_empty(a, "n_c", 0)) return;
    for (size_t i = 0; i < length(a, 0); i += 2) {
        struct stat_pass pass = stat_pass(tables[i], tables[i + 1], count(a, 1));
        if (tables[i + 1] > tables[i])
            stat_complain(a, "n_c", "item %zu has more passes than runs", i / 2 + 1);
        else if (isnan(pass.at_k)) unscored++;
        else at += pass.at_k, hat += pass.hat_k, scored++;
    }
    put(a, "pass_at_k", at / scored);
    put(a, "pass_hat_k", hat / scored);
    if (unscored > 0) put(a, "unscored", unscored);
}

static void quantiles(struct stat_analysis *a) {
    size_t n = length(a, 0);
    double *sorted = arena_array(a->arena, n + 1, sizeof *sorted);
    double *out = arena_array(a->arena, length(a, 1) + 1, sizeof *out);
    if (!not_empty(a, "x", 0) || !sorted || !out) return;
    memcpy(sorted, list(a, 0), n * sizeof *sorted);
    if (!stat_sort(a->arena, sorted, n)) return;
    for (size_t i = 0; i < length(a, 1); i++) out[i] = stat_quantile(sorted, n, list(a, 1)[i]);
    put_list(a, "q", out, length(a, 1));
}

static void quantile_ranks(struct stat_analysis *a) {
    struct stat_ranks ranks = stat_quantile_ranks(count(a, 0), number(a, 1), number(a, 2));
    json_member_number(&a->writer, "rank_lower", ranks.low);
    json_member_number(&a->writer, "rank_upper", ranks.high);
    put(a, "coverage", ranks.coverage);
}

/* ## Soundness */

static void ratio_mismatch(struct stat_analysis *a) {
    if (!same_length(a, "weights", 1, "observed", 0) || !not_empty(a, "observed", 0)) return;
    struct stat_chi_square out = stat_ratio_mismatch(a->in[0].counts, list(a, 1), length(a, 0));
    if (isnan(out.statistic)) stat_complain(a, "observed", "are all 0: nothing was assigned yet");
    put(a, "chisq", out.statistic);
    put(a, "df", out.df);
    put(a, "p", out.p);
}

/* ## Sequences */

static void pairs_evalue(struct stat_analysis *a) {
    struct stat_evalue value =
        stat_pairs_evalue(count(a, 0), count(a, 1), number(a, 2), number(a, 3));
    put(a, "e", value.e);
    put(a, "p_anytime", value.p);
}

static void rate_sequence(struct stat_analysis *a) {
    if (at_most(a, "k", 0, "n", 1))
        put_interval(a, stat_rate_sequence(count(a, 0), count(a, 1), number(a, 2)));
}

static void normal_mixture(struct stat_analysis *a) {
    double unit = stat_normal_mixture_radius(number(a, 0), number(a, 1), number(a, 2));
    put(a, "radius", unit);
}

static void bernstein(struct stat_analysis *a) {
    struct stat_bernstein bernstein;
    stat_bernstein_init(&bernstein, number(a, 1));
    for (size_t i = 0; i < length(a, 0); i++) (void)stat_bernstein_step(&bernstein, list(a, 0)[i]);
    struct stat_bernstein_values values = stat_bernstein_values(&bernstein);
    put(a, "center_d", values.center);
    put(a, "radius_d", values.radius);
    put(a, "lower_d", values.interval.low);
    put(a, "upper_d", values.interval.high);
}

/* All differences of field 0. False without memory. */
static bool bet(struct stat_analysis *a, struct stat_betting *betting, double m0, double alpha,
                double theta, double trunc) {
    struct stat_betting_options options = {alpha, m0, theta, trunc};
    gramc_status status = GRAMC_OK;
    stat_betting_init(betting, &options, &a->arena->allocator);
    for (size_t i = 0; i < length(a, 0) && status == GRAMC_OK; i++)
        status = stat_betting_step(betting, list(a, 0)[i]);
    if (status == GRAMC_NOMEM) a->arena->oom = true;
    if (status == GRAMC_USAGE) stat_complain(a, "trunc", "takes a number above 0, up to 1");
    return status == GRAMC_OK;
}

static void betting_eprocess(struct stat_analysis *a) {
    struct stat_betting betting;
    if (bet(a, &betting, number(a, 1), number(a, 2), number(a, 3), number(a, 4))) {
        struct stat_betting_values values = stat_betting_values(&betting);
        put(a, "K_plus", exp(values.log_plus));
        put(a, "K_minus", exp(values.log_minus));
        put(a, "K_hedged_max", exp(values.log_max));
        put(a, "e_avg", exp(values.log_e));
    }
    stat_betting_free(&betting);
}

static void betting_sequence(struct stat_analysis *a) {
    struct stat_betting betting;
    if (bet(a, &betting, 0, number(a, 1), number(a, 2), number(a, 3))) {
        struct stat_interval now = stat_betting_interval_now(&betting);
        struct stat_interval running = stat_betting_interval(&betting);
        put(a, "lower_d", now.low);
        put(a, "upper_d", now.high);
        put(a, "lower_d_running", running.low);
        put(a, "upper_d_running", running.high);
    }
    stat_betting_free(&betting);
}

static void asymptotic(struct stat_analysis *a) {
    struct stat_asymptotic out =
        stat_asymptotic_radius(number(a, 0), number(a, 1), number(a, 2), number(a, 3));
    put(a, "rho", out.rho);
    put(a, "halfwidth", out.radius);
}

/* ## Random numbers */

enum { MOST_NUMBERS = 1000000 };

static bool is_modest(struct stat_analysis *a, const char *field, size_t i) {
    return count(a, i) <= MOST_NUMBERS ||
           stat_complain(a, field, "is above %d, more than anybody reads", MOST_NUMBERS);
}

static void splitmix64(struct stat_analysis *a) {
    uint64_t state = count(a, 0);
    if (!is_modest(a, "count", 1)) return;
    json_member_array(&a->writer, "u64_hex");
    for (uint64_t i = 0; i < count(a, 1); i++) put_hex(a, stat_splitmix64(&state));
    json_array_end(&a->writer);
}

static void xoshiro(struct stat_analysis *a) {
    struct stat_random random = stat_random_seeded(count(a, 0));
    if (!is_modest(a, "count", 1)) return;
    json_member_array(&a->writer, "u64_hex");
    for (uint64_t i = 0; i < count(a, 1); i++) put_hex(a, stat_random_next(&random));
    json_array_end(&a->writer);
}

static void shuffle(struct stat_analysis *a) {
    if (!is_modest(a, "n", 0)) return;
    size_t n = (size_t)count(a, 0), *order = arena_array(a->arena, n + 1, sizeof *order);
    if (!order) return;
    stat_random_order(count(a, 1), order, n);
    json_member_array(&a->writer, "order");
    for (size_t i = 0; i < n; i++) json_number(&a->writer, order[i]);
    json_array_end(&a->writer);
}

static void sampling_seed(struct stat_analysis *a) {
    uint64_t seed = stat_sampling_seed(count(a, 0), a->in[1].text, count(a, 2));
    json_key(&a->writer, "u64_hex");
    put_hex(a, seed);
    json_member_number(&a->writer, "seed31", seed >> 33);
}

/* ## Verdicts */

static void verdict(struct stat_analysis *a) {
    struct stat_interval interval = {number(a, 0), number(a, 1)};
    struct stat_goal goal = {.margin = number(a, 2),
                             .lower_is_better = count(a, 3) == 1,
                             .ratio = count(a, 4) == 1,
                             .strict = count(a, 5) == 1};
    if (interval.low > interval.high) stat_complain(a, "lower", "is more than upper");
    if (goal.ratio && !(interval.low > 0))
        stat_complain(a, "lower", "is not above 0, as a ratio is");
    json_member_text(&a->writer, "verdict",
                     text_of(stat_verdict_name(stat_verdict(interval, goal))));
}

/* ## The table */

#define CONF                                                                                       \
    {                                                                                              \
        "conf", TAKES_SHARE, "0.95", {                                                             \
            NULL                                                                                   \
        }                                                                                          \
    }
#define ALPHA                                                                                      \
    {                                                                                              \
        "alpha", TAKES_SHARE, "0.05", {                                                            \
            NULL                                                                                   \
        }                                                                                          \
    }
#define POWER                                                                                      \
    {                                                                                              \
        "power", TAKES_SHARE, "0.8", {                                                             \
            NULL                                                                                   \
        }                                                                                          \
    }
#define FIELD(name, takes)                                                                         \
    {                                                                                              \
        name, takes, NULL, {                                                                       \
            NULL                                                                                   \
        }                                                                                          \
    }
#define FIELD_OR(name, takes, without)                                                             \
    {                                                                                              \
        name, takes, without, {                                                                    \
            NULL                                                                                   \
        }                                                                                          \
    }
#define B_AND_C FIELD("b", TAKES_COUNT), FIELD("c", TAKES_COUNT)
#define P10_AND_P01 FIELD("p10", TAKES_RATE), FIELD("p01", TAKES_RATE)

static const struct stat_method methods[] = {
    {"wilson_ci",
     "a rate: score interval",
     {FIELD("k", TAKES_COUNT), FIELD("n", TAKES_COUNT), CONF},
     wilson},
    {"clopper_pearson_ci",
     "a rate: exact interval",
     {FIELD("k", TAKES_COUNT), FIELD("n", TAKES_COUNT), CONF},
     clopper_pearson},
    {"newcombe_hybrid_score_unpaired_ci",
     "two rates of different items: interval of the difference",
     {FIELD("k1", TAKES_COUNT), FIELD("n1", TAKES_COUNT), FIELD("k2", TAKES_COUNT),
      FIELD("n2", TAKES_COUNT), CONF},
     newcombe_unpaired},
    {"tango_score_paired_diff_ci",
     "pairs: score interval of the difference",
     {B_AND_C, FIELD("n", TAKES_COUNT), CONF},
     tango},
    {"newcombe_method10_paired_diff_ci",
     "pairs: interval of the difference in closed form",
     {FIELD("e", TAKES_COUNT), FIELD("f", TAKES_COUNT), FIELD("g", TAKES_COUNT),
      FIELD("h", TAKES_COUNT), CONF},
     newcombe_paired},
    {"mcnemar_exact_midp", "pairs: McNemar's test, exact and mid-p", {B_AND_C}, mcnemar},
    {"mcnemar_chisq", "pairs: McNemar's test by chi-square", {B_AND_C}, mcnemar_chisq},
    {"paired_t",
     "pairs of numbers: Student's t of a - b",
     {FIELD("a", TAKES_NUMBERS), FIELD("b", TAKES_NUMBERS), CONF},
     paired_t},
    {"paired_geometric_mean_ratio",
     "pairs of costs: ratio a / b of geometric means",
     {FIELD("a", TAKES_POSITIVES), FIELD("b", TAKES_POSITIVES), CONF},
     geometric_ratio},
    {"paired_permutation_signflip_exact",
     "differences: all sign flips",
     {FIELD("d", TAKES_NUMBERS)},
     sign_flip_exact},
    {"paired_permutation_signflip",
     "differences: random sign flips",
     {FIELD("d", TAKES_NUMBERS), FIELD_OR("draws", TAKES_COUNT, "100000"),
      FIELD_OR("seed", TAKES_SEED, "0")},
     sign_flip},
    {"wilcoxon_signed_rank",
     "differences: Wilcoxon's signed ranks",
     {FIELD("d", TAKES_NUMBERS), {"zeros", TAKES_WORD, "\"wilcox\"", {"wilcox", "pratt"}}},
     wilcoxon},
    {"bootstrap",
     "a mean: bootstrap, percentile or bca, by cluster",
     {FIELD("d", TAKES_NUMBERS),
      FIELD_OR("cluster", TAKES_NAMES, "null"),
      {"kind", TAKES_WORD, "\"percentile\"", {"percentile", "bca"}},
      FIELD_OR("draws", TAKES_COUNT, "10000"),
      FIELD_OR("seed", TAKES_SEED, "0"),
      CONF},
     bootstrap},
    {"bootstrap_exhaustive_mean",
     "a mean: bootstrap over all samples",
     {FIELD("d", TAKES_NUMBERS)},
     bootstrap_exhaustive},
    {"clustered_se_mean",
     "a mean of values in clusters",
     {FIELD("x", TAKES_NUMBERS), FIELD("cluster", TAKES_NAMES), CONF},
     clustered},
    {"cuped",
     "a mean less what a covariate explains",
     {FIELD("y", TAKES_NUMBERS), FIELD("x", TAKES_NUMBERS),
      FIELD("x_population_mean", TAKES_NUMBER)},
     cuped},
    {"p_adjust",
     "p-values of several tests: Holm, BH, BY, Hochberg, Bonferroni",
     {FIELD("p", TAKES_RATES)},
     p_adjust},
    {"two_proportion_power",
     "power for two rates of different items",
     {FIELD("n_per_arm", TAKES_POSITIVE), FIELD("p1", TAKES_RATE), FIELD("p2", TAKES_RATE), ALPHA},
     power_two_rates},
    {"two_proportion_sample_size",
     "items for two rates of different items",
     {FIELD("p1", TAKES_RATE), FIELD("p2", TAKES_RATE), ALPHA, POWER},
     items_two_rates},
    {"mcnemar_exact_power",
     "power of McNemar's test",
     {FIELD("n", TAKES_COUNT), P10_AND_P01, ALPHA},
     power_mcnemar},
    {"mcnemar_sample_size_connor",
     "pairs for McNemar's test",
     {P10_AND_P01, ALPHA, POWER},
     items_mcnemar},
    {"mde_paired_mean",
     "smallest mean difference that is detected",
     {FIELD("n", TAKES_POSITIVE), FIELD("sd_diff", TAKES_NOT_NEGATIVE), ALPHA, POWER},
     detectable},
    {"miller2024_sample_size",
     "items with repeats",
     {FIELD("omega2", TAKES_NOT_NEGATIVE), FIELD("sigma2_a", TAKES_NOT_NEGATIVE),
      FIELD("sigma2_b", TAKES_NOT_NEGATIVE), FIELD("K_a", TAKES_POSITIVE),
      FIELD("K_b", TAKES_POSITIVE), FIELD("delta", TAKES_NUMBER), ALPHA, POWER},
     items_repeats},
    {"pass_at_k_and_pass_hat_k",
     "repeats of an item: one of k passes, all k do",
     {FIELD("n", TAKES_COUNT), FIELD("c", TAKES_COUNT), FIELD("k", TAKES_COUNT)},
     pass},
    {"pass_k_mean_over_tasks",
     "the same over items",
     {FIELD("n_c", TAKES_TABLES), FIELD("k", TAKES_COUNT)},
     pass_mean},
    {"quantile_type7",
     "quantiles",
     {FIELD("x", TAKES_NUMBERS), FIELD("p", TAKES_RATES)},
     quantiles},
    {"order_statistic_quantile_ci",
     "ranks that enclose a quantile",
     {FIELD("n", TAKES_COUNT), FIELD("p", TAKES_RATE), CONF},
     quantile_ranks},
    {"sample_ratio_mismatch_chisq",
     "counts of arms against their weights",
     {FIELD("observed", TAKES_COUNTS), FIELD("weights", TAKES_POSITIVES)},
     ratio_mismatch},
    {"attrition", "items that only one arm lacks", {B_AND_C}, attrition},
    {"mcnemar_beta_mixture_evalue",
     "pairs: e-value, at any time",
     {B_AND_C, FIELD_OR("alpha0", TAKES_POSITIVE, "1"), FIELD_OR("beta0", TAKES_POSITIVE, "1")},
     pairs_evalue},
    {"beta_binomial_confidence_sequence",
     "a rate, at any time",
     {FIELD("k", TAKES_COUNT), FIELD("n", TAKES_COUNT), ALPHA},
     rate_sequence},
    {"hedged_betting_eprocess_paired_diff",
     "differences: e-process by betting",
     {FIELD("d", TAKES_DIFFERENCES), FIELD_OR("m0_d", TAKES_DIFFERENCE, "0"), ALPHA,
      FIELD_OR("theta", TAKES_RATE, "0.5"), FIELD_OR("trunc", TAKES_RATE, "0.5")},
     betting_eprocess},
    {"hedged_betting_cs_paired_diff",
     "differences: confidence sequence by betting",
     {FIELD("d", TAKES_DIFFERENCES), ALPHA, FIELD_OR("theta", TAKES_RATE, "0.5"),
      FIELD_OR("trunc", TAKES_RATE, "0.5")},
     betting_sequence},
    {"predictable_mixture_empirical_bernstein_cs_paired_diff",
     "differences: empirical Bernstein, at any time",
     {FIELD("d", TAKES_DIFFERENCES), ALPHA},
     bernstein},
    {"subgaussian_normal_mixture_cs_radius",
     "half width of a normal mixture, for sigma 1",
     {FIELD("t", TAKES_POSITIVE), FIELD("rho2", TAKES_POSITIVE), ALPHA,
      FIELD_OR("sigma", TAKES_NOT_NEGATIVE, "1")},
     normal_mixture},
    {"asymptotic_cs_halfwidth_growthbook",
     "half width for an estimated variance, at any time, large n",
     {FIELD("s2", TAKES_NOT_NEGATIVE), FIELD("n", TAKES_POSITIVE),
      FIELD("tuning_N", TAKES_POSITIVE), ALPHA},
     asymptotic},
    {"verdict",
     "what an interval means for a gate",
     {FIELD("lower", TAKES_NUMBER),
      FIELD("upper", TAKES_NUMBER),
      FIELD_OR("margin", TAKES_NOT_NEGATIVE, "0"),
      {"better", TAKES_WORD, "\"higher\"", {"higher", "lower"}},
      {"scale", TAKES_WORD, "\"difference\"", {"difference", "ratio"}},
      FIELD_OR("strict", TAKES_FLAG, "false")},
     verdict},
    {"qnorm", "quantile of the normal distribution", {FIELD("p", TAKES_SHARE)}, qnorm},
    {"qt", "quantile of Student's t", {FIELD("p", TAKES_SHARE), FIELD("df", TAKES_POSITIVE)}, qt},
    {"regularized_incomplete_beta",
     "I_x(a, b)",
     {FIELD("a", TAKES_POSITIVE), FIELD("b", TAKES_POSITIVE), FIELD("x", TAKES_RATE)},
     incomplete_beta},
    {"chisq_sf",
     "upper tail of chi-square",
     {FIELD("x", TAKES_NUMBER), FIELD("df", TAKES_POSITIVE)},
     chi_square},
    {"splitmix64",
     "random numbers",
     {FIELD("seed", TAKES_SEED), FIELD("count", TAKES_COUNT)},
     splitmix64},
    {"xoshiro256starstar_seeded_by_splitmix64",
     "random numbers",
     {FIELD("seed", TAKES_SEED), FIELD("count", TAKES_COUNT)},
     xoshiro},
    {"fisher_yates_xoshiro_lemire",
     "a random order",
     {FIELD("n", TAKES_COUNT), FIELD("seed", TAKES_SEED)},
     shuffle},
    {"sampling_seed",
     "H(seed, item, repeat)",
     {FIELD("seed", TAKES_SEED), FIELD("item", TAKES_TEXT), FIELD("repeat", TAKES_COUNT)},
     sampling_seed},
};

enum { METHODS = sizeof methods / sizeof *methods };

const struct stat_method *stat_method(size_t i) {
    return i < METHODS ? &methods[i] : NULL;
}

const struct stat_method *stat_method_find(gramc_text name) {
    for (size_t i = 0; i < METHODS; i++)
        if (text_is(name, methods[i].name)) return &methods[i];
    return NULL;
}

gramc_text stat_method_nearest(gramc_text name) {
    gramc_text names[METHODS];
    for (size_t i = 0; i < METHODS; i++) names[i] = text_of(methods[i].name);
    return text_nearest(name, names, METHODS);
}

gramc_status stat_analyse(struct buf *out, struct arena *arena, const struct stat_method *method,
                          const struct json *inputs, struct stat_complaint *complaint) {
    struct stat_analysis analysis = {
        .arena = arena, .writer = json_writer(out), .complaint = complaint};
    json_object_begin(&analysis.writer);
    if (stat_read_inputs(&analysis, method, inputs)) method->run(&analysis);
    json_object_end(&analysis.writer);
    if (arena->oom) return GRAMC_NOMEM;
    return analysis.refused ? GRAMC_USAGE : buf_status(out);
}
