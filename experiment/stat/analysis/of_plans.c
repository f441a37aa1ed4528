/* Analyses for planning and reading an experiment: several tests, power, repeats, quantiles, sound
 * counts, sequences, verdicts, random numbers. */
#include "experiment/stat/analysis/methods.h"

/* ## Several tests */

void analyse_p_adjust(struct stat_analysis *a) {
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

void analyse_power_two_rates(struct stat_analysis *a) {
    double n = number(a, 0), p1 = number(a, 1), p2 = number(a, 2), alpha = number(a, 3);
    put(a, "power", stat_power_two_rates(n, p1, p2, alpha, false));
    put(a, "power_strict", stat_power_two_rates(n, p1, p2, alpha, true));
}

void analyse_items_two_rates(struct stat_analysis *a) {
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

void analyse_power_mcnemar(struct stat_analysis *a) {
    if (!are_cells(a, "p10", 1)) return;
    if (count(a, 0) > STAT_POWER_MAX)
        stat_complain(a, "n", "is above %d; mcnemar_sample_size_connor has no limit",
                      STAT_POWER_MAX);
    struct stat_mcnemar_power power =
        stat_power_mcnemar(count(a, 0), number(a, 1), number(a, 2), number(a, 3));
    put(a, "power_exact", power.exact);
    put(a, "power_midp", power.mid_p);
}

void analyse_items_mcnemar(struct stat_analysis *a) {
    if (!are_cells(a, "p10", 0)) return;
    if (number(a, 0) == number(a, 1))
        stat_complain(a, "p01", "is p10: no number of pairs tells them apart");
    put(a, "n", stat_items_mcnemar(number(a, 0), number(a, 1), number(a, 2), number(a, 3)));
}

void analyse_detectable(struct stat_analysis *a) {
    put(a, "mde", stat_detectable(number(a, 0), number(a, 1), number(a, 2), number(a, 3)));
}

void analyse_items_repeats(struct stat_analysis *a) {
    struct stat_variances variances = {number(a, 0), number(a, 1), number(a, 2)};
    if (number(a, 5) == 0) stat_complain(a, "delta", "is 0: no number of items detects that");
    put(a, "n",
        stat_items_repeats(variances, number(a, 3), number(a, 4), number(a, 5), number(a, 6),
                           number(a, 7)));
}

/* ## Repeats and quantiles */

void analyse_pass(struct stat_analysis *a) {
    if (!at_most(a, "c", 1, "n", 0)) return;
    struct stat_pass pass = stat_pass(count(a, 0), count(a, 1), count(a, 2));
    put(a, "pass_at_k", pass.at_k);
    put(a, "pass_hat_k", pass.hat_k);
}

/* The mean over the tasks with k runs or more; how many have not, if there are any. */
void analyse_pass_mean(struct stat_analysis *a) {
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

void analyse_quantiles(struct stat_analysis *a) {
    size_t n = length(a, 0);
    double *sorted = arena_array(a->arena, n + 1, sizeof *sorted);
    double *out = arena_array(a->arena, length(a, 1) + 1, sizeof *out);
    if (!not_empty(a, "x", 0) || !sorted || !out) return;
    memcpy(sorted, list(a, 0), n * sizeof *sorted);
    if (!stat_sort(a->arena, sorted, n)) return;
    for (size_t i = 0; i < length(a, 1); i++) out[i] = stat_quantile(sorted, n, list(a, 1)[i]);
    put_list(a, "q", out, length(a, 1));
}

void analyse_quantile_ranks(struct stat_analysis *a) {
    struct stat_ranks ranks = stat_quantile_ranks(count(a, 0), number(a, 1), number(a, 2));
    json_member_number(&a->writer, "rank_lower", ranks.low);
    json_member_number(&a->writer, "rank_upper", ranks.high);
    put(a, "coverage", ranks.coverage);
}

/* ## Soundness */

void analyse_ratio_mismatch(struct stat_analysis *a) {
    if (!same_length(a, "weights", 1, "observed", 0) || !not_empty(a, "observed", 0)) return;
    struct stat_chi_square out = stat_ratio_mismatch(a->in[0].counts, list(a, 1), length(a, 0));
    if (isnan(out.statistic)) stat_complain(a, "observed", "are all 0: nothing was assigned yet");
    put(a, "chisq", out.statistic);
    put(a, "df", out.df);
    put(a, "p", out.p);
}

/* ## Sequences */

void analyse_pairs_evalue(struct stat_analysis *a) {
    struct stat_evalue value =
        stat_pairs_evalue(count(a, 0), count(a, 1), number(a, 2), number(a, 3));
    put(a, "e", value.e);
    put(a, "p_anytime", value.p);
}

void analyse_rate_sequence(struct stat_analysis *a) {
    if (at_most(a, "k", 0, "n", 1))
        put_interval(a, stat_rate_sequence(count(a, 0), count(a, 1), number(a, 2)));
}

void analyse_normal_mixture(struct stat_analysis *a) {
    double unit = stat_normal_mixture_radius(number(a, 0), number(a, 1), number(a, 2));
    put(a, "radius", unit);
}

void analyse_bernstein(struct stat_analysis *a) {
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

void analyse_betting_eprocess(struct stat_analysis *a) {
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

void analyse_betting_sequence(struct stat_analysis *a) {
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

void analyse_asymptotic(struct stat_analysis *a) {
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

void analyse_splitmix64(struct stat_analysis *a) {
    uint64_t state = count(a, 0);
    if (!is_modest(a, "count", 1)) return;
    json_member_array(&a->writer, "u64_hex");
    for (uint64_t i = 0; i < count(a, 1); i++) put_hex(a, stat_splitmix64(&state));
    json_array_end(&a->writer);
}

void analyse_xoshiro(struct stat_analysis *a) {
    struct stat_random random = stat_random_seeded(count(a, 0));
    if (!is_modest(a, "count", 1)) return;
    json_member_array(&a->writer, "u64_hex");
    for (uint64_t i = 0; i < count(a, 1); i++) put_hex(a, stat_random_next(&random));
    json_array_end(&a->writer);
}

void analyse_shuffle(struct stat_analysis *a) {
    if (!is_modest(a, "n", 0)) return;
    size_t n = (size_t)count(a, 0), *order = arena_array(a->arena, n + 1, sizeof *order);
    if (!order) return;
    stat_random_order(count(a, 1), order, n);
    json_member_array(&a->writer, "order");
    for (size_t i = 0; i < n; i++) json_number(&a->writer, order[i]);
    json_array_end(&a->writer);
}

void analyse_sampling_seed(struct stat_analysis *a) {
    uint64_t seed = stat_sampling_seed(count(a, 0), a->in[1].text, count(a, 2));
    json_key(&a->writer, "u64_hex");
    put_hex(a, seed);
    json_member_number(&a->writer, "seed31", seed >> 33);
}

/* ## Verdicts */

void analyse_verdict(struct stat_analysis *a) {
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
