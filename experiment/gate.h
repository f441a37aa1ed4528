/* Gates: what an experiment must have found for a merge to go on, as command lines say it.
 *
 *   --fail-if 'regression(success, margin=2pp)'   conditions: regression, inconclusive,
 *                                                 not_superior, not_non_inferior, not_equivalent
 *   --min 'success>=0.9@lower'                    @lower, @upper, @point (the default)
 *   --max 'cost_ratio<=1.2@upper'                 METRIC, METRIC_p50, METRIC_p95 of an arm;
 *                                                 METRIC_ratio, METRIC_difference to the first
 *   --case-regressions 0                          cases that always passed and now never do
 *
 * `ARM.METRIC` means that arm; else every arm but the first must hold. Numbers may end in pp, %, ms
 * or s. Any name may stand in backticks. */
#ifndef EXPERIMENT_GATE_H
#define EXPERIMENT_GATE_H

#include "experiment/analyse.h"

enum gate_option { GATE_FAIL_IF, GATE_MIN, GATE_MAX, GATE_CASE_REGRESSIONS };
enum gate_condition {
    GATE_REGRESSION,
    GATE_INCONCLUSIVE,
    GATE_NOT_SUPERIOR,
    GATE_NOT_NON_INFERIOR,
    GATE_NOT_EQUIVALENT
};
enum gate_quantity { GATE_MEAN, GATE_P50, GATE_P95, GATE_RATIO, GATE_DIFFERENCE };
enum gate_end { GATE_POINT, GATE_LOWER, GATE_UPPER };

struct gate_rule {
    enum gate_option option;
    gramc_text source; /* as it was written; borrowed, as the names are */
    gramc_text arm;    /* empty: every one but the first */
    gramc_text metric;
    gramc_text whole; /* the metric with what looks like the quantity */
    enum gate_condition condition;
    enum gate_quantity quantity;
    enum gate_end end;
    double value; /* bound, margin or number of cases */
    bool has_margin;
};

struct gate_error {
    size_t position; /* in the source, in bytes */
    char message[160];
};

/* GRAMC_FINDINGS with the error. Takes no memory. */
gramc_status gate_parse(struct gate_rule *out, enum gate_option option, gramc_text source,
                        struct gate_error *error);
/* Is there such a metric and such an arm? Before anything runs: the same graders as for analyse().
 */
gramc_status gate_check(const struct gate_rule *gate, const gramc_experiment *experiment,
                        const struct analysis_grader *graders, size_t grader_count,
                        struct gate_error *error);
/* "--min": how the option is called. */
const char *gate_option_name(enum gate_option option);

enum gate_outcome { GATE_PASSED, GATE_FAILED, GATE_UNDECIDED };
const char *gate_outcome_name(enum gate_outcome outcome);

struct gate_result {
    const struct gate_rule *gate;
    size_t arm;
    enum gate_outcome outcome;
    double seen; /* what was compared with the gate's value; NaN: nothing */
    gramc_text reason;
};

/* What a command exits with; as cli.h has it. */
enum gate_exit { GATES_PASSED = 0, GATES_FAILED = 1, GATES_NOTHING = 3, GATES_INCONCLUSIVE = 4 };

struct gate_report {
    struct gate_result *results;
    size_t count;
    enum gate_exit code;
    gramc_text reason; /* why it is not 0; empty: it is */
};

/* One result a gate and arm. Texts live in the analysis' arena. Never passes on nothing: no case
 * with a value of the primary metric, more missing than the experiment allows, a gate without
 * anything to look at. GRAMC_NOMEM. */
gramc_status gates_judge(struct gate_report *out, struct analysis *analysis,
                         const struct gate_rule *gates, size_t count, bool require_decision);

#endif
