/* What the analyses share: how they read their inputs, by their place in the table, and how they
 * write their results; and the analyses themselves, for the table. */
#ifndef EXPERIMENT_STAT_ANALYSIS_METHODS_H
#define EXPERIMENT_STAT_ANALYSIS_METHODS_H

#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "experiment/stat/analysis/read.h"
#include "experiment/stat/stat.h"

static inline void put(struct stat_analysis *a, const char *key, double value) {
    json_key(&a->writer, key);
    if (isfinite(value)) (void)json_put_double(json_slot(&a->writer), value);
    else json_null(&a->writer);
}

static inline void put_list(struct stat_analysis *a, const char *key, const double *values,
                            size_t count) {
    json_member_array(&a->writer, key);
    for (size_t i = 0; i < count; i++) (void)json_put_double(json_slot(&a->writer), values[i]);
    json_array_end(&a->writer);
}

static inline void put_interval(struct stat_analysis *a, struct stat_interval interval) {
    put(a, "lower", interval.low);
    put(a, "upper", interval.high);
}

static inline void put_hex(struct stat_analysis *a, uint64_t number) {
    buf_printf(json_slot(&a->writer), "\"%016" PRIx64 "\"", number);
}

static inline double number(const struct stat_analysis *a, size_t i) {
    return a->in[i].number;
}

static inline uint64_t count(const struct stat_analysis *a, size_t i) {
    return a->in[i].count;
}

static inline const double *list(const struct stat_analysis *a, size_t i) {
    return a->in[i].numbers;
}

static inline size_t length(const struct stat_analysis *a, size_t i) {
    return a->in[i].length;
}

static inline bool at_most(struct stat_analysis *a, const char *field, size_t i, const char *of,
                           size_t most) {
    return count(a, i) <= count(a, most) ||
           stat_complain(a, field, "is more than %s: %" PRIu64 " of %" PRIu64, of, count(a, i),
                         count(a, most));
}

static inline bool not_empty(struct stat_analysis *a, const char *field, size_t i) {
    return length(a, i) > 0 || stat_complain(a, field, "is empty; it takes one value or more");
}

static inline bool same_length(struct stat_analysis *a, const char *field, size_t i,
                               const char *other, size_t j) {
    return length(a, i) == length(a, j) ||
           stat_complain(a, field, "has %zu items, %s has %zu: they belong together, one for one",
                         length(a, i), other, length(a, j));
}

void analyse_qnorm(struct stat_analysis *a);
void analyse_qt(struct stat_analysis *a);
void analyse_incomplete_beta(struct stat_analysis *a);
void analyse_chi_square(struct stat_analysis *a);
void analyse_wilson(struct stat_analysis *a);
void analyse_clopper_pearson(struct stat_analysis *a);
void analyse_newcombe_unpaired(struct stat_analysis *a);
void analyse_mcnemar(struct stat_analysis *a);
void analyse_mcnemar_chisq(struct stat_analysis *a);
void analyse_newcombe_paired(struct stat_analysis *a);
void analyse_tango(struct stat_analysis *a);
void analyse_attrition(struct stat_analysis *a);
void analyse_paired_t(struct stat_analysis *a);
void analyse_geometric_ratio(struct stat_analysis *a);
void analyse_clustered(struct stat_analysis *a);
void analyse_welch(struct stat_analysis *a);
void analyse_two_rates(struct stat_analysis *a);
void analyse_cuped(struct stat_analysis *a);
void analyse_sign_flip_exact(struct stat_analysis *a);
void analyse_sign_flip(struct stat_analysis *a);
void analyse_wilcoxon(struct stat_analysis *a);
void analyse_bootstrap(struct stat_analysis *a);
void analyse_bootstrap_exhaustive(struct stat_analysis *a);
void analyse_p_adjust(struct stat_analysis *a);
void analyse_power_two_rates(struct stat_analysis *a);
void analyse_items_two_rates(struct stat_analysis *a);
void analyse_power_mcnemar(struct stat_analysis *a);
void analyse_items_mcnemar(struct stat_analysis *a);
void analyse_detectable(struct stat_analysis *a);
void analyse_items_repeats(struct stat_analysis *a);
void analyse_pass(struct stat_analysis *a);
void analyse_pass_mean(struct stat_analysis *a);
void analyse_quantiles(struct stat_analysis *a);
void analyse_quantile_ranks(struct stat_analysis *a);
void analyse_ratio_mismatch(struct stat_analysis *a);
void analyse_pairs_evalue(struct stat_analysis *a);
void analyse_rate_sequence(struct stat_analysis *a);
void analyse_normal_mixture(struct stat_analysis *a);
void analyse_bernstein(struct stat_analysis *a);
void analyse_betting_eprocess(struct stat_analysis *a);
void analyse_betting_sequence(struct stat_analysis *a);
void analyse_asymptotic(struct stat_analysis *a);
void analyse_splitmix64(struct stat_analysis *a);
void analyse_xoshiro(struct stat_analysis *a);
void analyse_shuffle(struct stat_analysis *a);
void analyse_sampling_seed(struct stat_analysis *a);
void analyse_verdict(struct stat_analysis *a);

#endif
