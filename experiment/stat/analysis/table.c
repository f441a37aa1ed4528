/* The table of all analyses: what each takes, and which function computes it. */
#include "experiment/stat/analysis/methods.h"

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
     analyse_wilson},
    {"clopper_pearson_ci",
     "a rate: exact interval",
     {FIELD("k", TAKES_COUNT), FIELD("n", TAKES_COUNT), CONF},
     analyse_clopper_pearson},
    {"newcombe_hybrid_score_unpaired_ci",
     "two rates of different items: interval of the difference",
     {FIELD("k1", TAKES_COUNT), FIELD("n1", TAKES_COUNT), FIELD("k2", TAKES_COUNT),
      FIELD("n2", TAKES_COUNT), CONF},
     analyse_newcombe_unpaired},
    {"two_rates_chisq",
     "two rates of different items: Pearson's chi-square",
     {FIELD("k1", TAKES_COUNT), FIELD("n1", TAKES_COUNT), FIELD("k2", TAKES_COUNT),
      FIELD("n2", TAKES_COUNT)},
     analyse_two_rates},
    {"tango_score_paired_diff_ci",
     "pairs: score interval of the difference",
     {B_AND_C, FIELD("n", TAKES_COUNT), CONF},
     analyse_tango},
    {"newcombe_method10_paired_diff_ci",
     "pairs: interval of the difference in closed form",
     {FIELD("e", TAKES_COUNT), FIELD("f", TAKES_COUNT), FIELD("g", TAKES_COUNT),
      FIELD("h", TAKES_COUNT), CONF},
     analyse_newcombe_paired},
    {"mcnemar_exact_midp", "pairs: McNemar's test, exact and mid-p", {B_AND_C}, analyse_mcnemar},
    {"mcnemar_chisq", "pairs: McNemar's test by chi-square", {B_AND_C}, analyse_mcnemar_chisq},
    {"paired_t",
     "pairs of numbers: Student's t of a - b",
     {FIELD("a", TAKES_NUMBERS), FIELD("b", TAKES_NUMBERS), CONF},
     analyse_paired_t},
    {"welch_t",
     "two lists of different items: Welch's t of mean(a) - mean(b)",
     {FIELD("a", TAKES_NUMBERS), FIELD("b", TAKES_NUMBERS), CONF},
     analyse_welch},
    {"paired_geometric_mean_ratio",
     "pairs of costs: ratio a / b of geometric means",
     {FIELD("a", TAKES_POSITIVES), FIELD("b", TAKES_POSITIVES), CONF},
     analyse_geometric_ratio},
    {"paired_permutation_signflip_exact",
     "differences: all sign flips",
     {FIELD("d", TAKES_NUMBERS)},
     analyse_sign_flip_exact},
    {"paired_permutation_signflip",
     "differences: random sign flips",
     {FIELD("d", TAKES_NUMBERS), FIELD_OR("draws", TAKES_COUNT, "100000"),
      FIELD_OR("seed", TAKES_SEED, "0")},
     analyse_sign_flip},
    {"wilcoxon_signed_rank",
     "differences: Wilcoxon's signed ranks",
     {FIELD("d", TAKES_NUMBERS), {"zeros", TAKES_WORD, "\"wilcox\"", {"wilcox", "pratt"}}},
     analyse_wilcoxon},
    {"bootstrap",
     "a mean: bootstrap, percentile or bca, by cluster",
     {FIELD("d", TAKES_NUMBERS),
      FIELD_OR("cluster", TAKES_NAMES, "null"),
      {"kind", TAKES_WORD, "\"percentile\"", {"percentile", "bca"}},
      FIELD_OR("draws", TAKES_COUNT, "10000"),
      FIELD_OR("seed", TAKES_SEED, "0"),
      CONF},
     analyse_bootstrap},
    {"bootstrap_exhaustive_mean",
     "a mean: bootstrap over all samples",
     {FIELD("d", TAKES_NUMBERS)},
     analyse_bootstrap_exhaustive},
    {"clustered_se_mean",
     "a mean of values in clusters",
     {FIELD("x", TAKES_NUMBERS), FIELD("cluster", TAKES_NAMES), CONF},
     analyse_clustered},
    {"cuped",
     "a mean less what a covariate explains",
     {FIELD("y", TAKES_NUMBERS), FIELD("x", TAKES_NUMBERS),
      FIELD("x_population_mean", TAKES_NUMBER)},
     analyse_cuped},
    {"p_adjust",
     "p-values of several tests: Holm, BH, BY, Hochberg, Bonferroni",
     {FIELD("p", TAKES_RATES)},
     analyse_p_adjust},
    {"two_proportion_power",
     "power for two rates of different items",
     {FIELD("n_per_arm", TAKES_POSITIVE), FIELD("p1", TAKES_RATE), FIELD("p2", TAKES_RATE), ALPHA},
     analyse_power_two_rates},
    {"two_proportion_sample_size",
     "items for two rates of different items",
     {FIELD("p1", TAKES_RATE), FIELD("p2", TAKES_RATE), ALPHA, POWER},
     analyse_items_two_rates},
    {"mcnemar_exact_power",
     "power of McNemar's test",
     {FIELD("n", TAKES_COUNT), P10_AND_P01, ALPHA},
     analyse_power_mcnemar},
    {"mcnemar_sample_size_connor",
     "pairs for McNemar's test",
     {P10_AND_P01, ALPHA, POWER},
     analyse_items_mcnemar},
    {"mde_paired_mean",
     "smallest mean difference that is detected",
     {FIELD("n", TAKES_POSITIVE), FIELD("sd_diff", TAKES_NOT_NEGATIVE), ALPHA, POWER},
     analyse_detectable},
    {"miller2024_sample_size",
     "items with repeats",
     {FIELD("omega2", TAKES_NOT_NEGATIVE), FIELD("sigma2_a", TAKES_NOT_NEGATIVE),
      FIELD("sigma2_b", TAKES_NOT_NEGATIVE), FIELD("K_a", TAKES_POSITIVE),
      FIELD("K_b", TAKES_POSITIVE), FIELD("delta", TAKES_NUMBER), ALPHA, POWER},
     analyse_items_repeats},
    {"pass_at_k_and_pass_hat_k",
     "repeats of an item: one of k passes, all k do",
     {FIELD("n", TAKES_COUNT), FIELD("c", TAKES_COUNT), FIELD("k", TAKES_COUNT)},
     analyse_pass},
    {"pass_k_mean_over_tasks",
     "the same over items",
     {FIELD("n_c", TAKES_TABLES), FIELD("k", TAKES_COUNT)},
     analyse_pass_mean},
    {"quantile_type7",
     "quantiles",
     {FIELD("x", TAKES_NUMBERS), FIELD("p", TAKES_RATES)},
     analyse_quantiles},
    {"order_statistic_quantile_ci",
     "ranks that enclose a quantile",
     {FIELD("n", TAKES_COUNT), FIELD("p", TAKES_RATE), CONF},
     analyse_quantile_ranks},
    {"sample_ratio_mismatch_chisq",
     "counts of arms against their weights",
     {FIELD("observed", TAKES_COUNTS), FIELD("weights", TAKES_POSITIVES)},
     analyse_ratio_mismatch},
    {"attrition", "items that only one arm lacks", {B_AND_C}, analyse_attrition},
    {"mcnemar_beta_mixture_evalue",
     "pairs: e-value, at any time",
     {B_AND_C, FIELD_OR("alpha0", TAKES_POSITIVE, "1"), FIELD_OR("beta0", TAKES_POSITIVE, "1")},
     analyse_pairs_evalue},
    {"beta_binomial_confidence_sequence",
     "a rate, at any time",
     {FIELD("k", TAKES_COUNT), FIELD("n", TAKES_COUNT), ALPHA},
     analyse_rate_sequence},
    {"hedged_betting_eprocess_paired_diff",
     "differences: e-process by betting",
     {FIELD("d", TAKES_DIFFERENCES), FIELD_OR("m0_d", TAKES_DIFFERENCE, "0"), ALPHA,
      FIELD_OR("theta", TAKES_RATE, "0.5"), FIELD_OR("trunc", TAKES_RATE, "0.5")},
     analyse_betting_eprocess},
    {"hedged_betting_cs_paired_diff",
     "differences: confidence sequence by betting",
     {FIELD("d", TAKES_DIFFERENCES), ALPHA, FIELD_OR("theta", TAKES_RATE, "0.5"),
      FIELD_OR("trunc", TAKES_RATE, "0.5")},
     analyse_betting_sequence},
    {"predictable_mixture_empirical_bernstein_cs_paired_diff",
     "differences: empirical Bernstein, at any time",
     {FIELD("d", TAKES_DIFFERENCES), ALPHA},
     analyse_bernstein},
    {"subgaussian_normal_mixture_cs_radius",
     "half width of a normal mixture, for sigma 1",
     {FIELD("t", TAKES_POSITIVE), FIELD("rho2", TAKES_POSITIVE), ALPHA,
      FIELD_OR("sigma", TAKES_NOT_NEGATIVE, "1")},
     analyse_normal_mixture},
    {"asymptotic_cs_halfwidth_growthbook",
     "half width for an estimated variance, at any time, large n",
     {FIELD("s2", TAKES_NOT_NEGATIVE), FIELD("n", TAKES_POSITIVE),
      FIELD("tuning_N", TAKES_POSITIVE), ALPHA},
     analyse_asymptotic},
    {"verdict",
     "what an interval means for a gate",
     {FIELD("lower", TAKES_NUMBER),
      FIELD("upper", TAKES_NUMBER),
      FIELD_OR("margin", TAKES_NOT_NEGATIVE, "0"),
      {"better", TAKES_WORD, "\"higher\"", {"higher", "lower"}},
      {"scale", TAKES_WORD, "\"difference\"", {"difference", "ratio"}},
      FIELD_OR("strict", TAKES_FLAG, "false")},
     analyse_verdict},
    {"qnorm", "quantile of the normal distribution", {FIELD("p", TAKES_SHARE)}, analyse_qnorm},
    {"qt",
     "quantile of Student's t",
     {FIELD("p", TAKES_SHARE), FIELD("df", TAKES_POSITIVE)},
     analyse_qt},
    {"regularized_incomplete_beta",
     "I_x(a, b)",
     {FIELD("a", TAKES_POSITIVE), FIELD("b", TAKES_POSITIVE), FIELD("x", TAKES_RATE)},
     analyse_incomplete_beta},
    {"chisq_sf",
     "upper tail of chi-square",
     {FIELD("x", TAKES_NUMBER), FIELD("df", TAKES_POSITIVE)},
     analyse_chi_square},
    {"splitmix64",
     "random numbers",
     {FIELD("seed", TAKES_SEED), FIELD("count", TAKES_COUNT)},
     analyse_splitmix64},
    {"xoshiro256starstar_seeded_by_splitmix64",
     "random numbers",
     {FIELD("seed", TAKES_SEED), FIELD("count", TAKES_COUNT)},
     analyse_xoshiro},
    {"fisher_yates_xoshiro_lemire",
     "a random order",
     {FIELD("n", TAKES_COUNT), FIELD("seed", TAKES_SEED)},
     analyse_shuffle},
    {"sampling_seed",
     "H(seed, item, repeat)",
     {FIELD("seed", TAKES_SEED), FIELD("item", TAKES_TEXT), FIELD("repeat", TAKES_COUNT)},
     analyse_sampling_seed},
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
