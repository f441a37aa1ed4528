/* What the files of the analysis share: attempts as columns of numbers, before anything is
 * concluded from them. */
#ifndef EXPERIMENT_ANALYSE_PARTS_H
#define EXPERIMENT_ANALYSE_PARTS_H

#include <math.h>

#include "experiment/analyse.h"

struct columns {
    struct analysis *out;
    struct arena scratch;               /* emptied again and again */
    const struct analysis_input *input; /* NULL: two experiments that are over */
    const uint32_t *order;              /* of the plan; NULL: as the cases stand */
    const uint64_t *cluster;            /* one an item; NULL: each is its own */
    uint8_t *states;   /* (item * arms + arm) * repeats + repeat: enum cell_state */
    uint32_t *counts;  /* as case_result.values: cells with a value */
    double *latencies; /* as states; NaN: not known; NULL: none is */
    double *ahead[2];  /* an item's first minus second: primary metric, latency */
};

/* Empties it; that memory ran out is not forgotten. */
static inline void scratch_done(struct columns *columns) {
    if (columns->scratch.oom) columns->out->arena.oom = true;
    arena_reset(&columns->scratch);
}

/* ## analyse.c */
/* What is concluded from columns that are filled. */
gramc_status analyse_columns(struct columns *columns);

/* ## collect.c */
/* Metrics, arms, cases: what follows from the plan. */
gramc_status collect_plan(struct columns *columns);
/* Reads all attempts. */
gramc_status collect_attempts(struct columns *columns);
/* The transcripts of cases that changed, by a second reading. */
gramc_status collect_transcripts(struct columns *columns);

/* Settings, metrics and arms, without cases. */
gramc_status collect_settings(struct columns *columns);
/* What a run took, for its arm. */
void collect_usage(struct analysis *out, struct arm_result *arm, const struct attempt *attempt);
/* Why it did not pass, in the analysis' arena; not longer than that. */
gramc_text collect_reason(struct columns *columns, const struct attempt *attempt, size_t most);

/* ## collect_online.c: in place of collect_plan and collect_attempts */
gramc_status collect_online(struct columns *columns);
/* Compares how many units came with how many were to come. */
void online_ratio(struct analysis *out);

/* Numbers the clusters that cases name. */
bool collect_clusters(struct columns *columns);

/* ## transcript.c */
/* The conversation that a trace tells, in the analysis' arena. */
gramc_text transcript_of(struct columns *columns, gramc_text trace, bool *was_cut);

/* ## metrics_of.c */
/* The metrics of an experiment: the primary one, its guardrails, all others. GRAMC_FINDINGS: the
 * plan names one that is none. */
gramc_status metrics_choose(struct analysis *out, const struct analysis_input *input);
/* What of an attempt a metric is; NaN: missing. */
double metrics_value(const struct metric *metric, const struct analysis_input *input,
                     const struct attempt *attempt);

/* ## analyse_arm.c */
void analyse_arms(struct columns *columns);
/* The mean of items' values in an arm or of their differences: t, by cluster where there are some.
 * Leaves memory in `scratch`. */
struct stat_mean items_mean(struct columns *columns, const double *values, const size_t *items,
                            size_t count, double confidence);
static inline struct stat_interval no_interval(void) {
    return (struct stat_interval){(double)NAN, (double)NAN};
}

/* ## compare.c */
/* The items' values of two arms, in one metric. */
struct sample {
    const size_t *items;
    size_t count;
    double *candidate, *baseline, *difference; /* of a ratio: logarithms */
};
/* In `scratch`. */
bool sample_take(struct columns *columns, const struct arm_comparison *comparison,
                 struct sample *sample);
void compare_arms(struct columns *columns);
/* ## compare_unpaired.c: of arms that share no units */
/* The effect, its interval and its tests; `reason` where there is none. */
void compare_unpaired(struct columns *columns, struct arm_comparison *comparison);
/* The units of an arm that have the metric, in the order in which they came. */
size_t units_with(const struct columns *columns, size_t arm, size_t metric, size_t *units);
/* ## compare_tests.c */
/* From logarithms to what is told: the effect with its interval, both arms, what could be seen. */
void comparison_to_ratio(struct arm_comparison *comparison);
/* Difference or ratio with its interval at the comparison's confidence. */
void compare_estimate(struct columns *columns, struct arm_comparison *comparison,
                      const struct sample *sample);
/* The tests that assume less, and the bootstrap: where they take little time. */
void compare_tests(struct columns *columns, struct arm_comparison *comparison,
                   const struct sample *sample);
/* What the arms count, together, and what is left to do. */
void analysis_sum_arms(struct analysis *out);
/* All cells of the item are done or missing. */
static inline bool has_ended(const struct analysis *out, const struct case_result *result) {
    uint64_t ended = 0;
    for (size_t arm = 0; arm < out->arm_count; arm++)
        ended += result->arms[arm].done + result->arms[arm].missing;
    return ended == (uint64_t)out->arm_count * out->repeats;
}
/* The items that have the metric in all arms; `items` has room for all. */
size_t items_with(const struct columns *columns, size_t metric, size_t *items);
static inline double item_value(const struct columns *columns, size_t item, size_t arm,
                                size_t metric) {
    return columns->out->cases[item].values[arm * columns->out->metric_count + metric];
}
/* Repeated by tests: the seed of what is drawn. */
uint64_t analysis_seed(const struct analysis *analysis, size_t arm, size_t metric);

/* ## sequence.c */
void sequence_run(struct columns *columns, struct arm_comparison *comparison);

/* ## soundness.c */
void analyse_soundness(struct columns *columns);
/* Adds a sentence that every report shows. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void analysis_warn(struct analysis *analysis, const char *format, ...);

/* ## slices.c */
void analyse_slices(struct columns *columns);
void analyse_agreement(struct columns *columns, const struct attempt *attempt);
void analyse_agreement_end(struct columns *columns);

#endif
