/* What experiments measure: the name, which way is better, and what a margin of it means. */
#ifndef EXPERIMENT_METRIC_H
#define EXPERIMENT_METRIC_H

#include "experiment/attempt.h"

enum metric_kind {
    METRIC_PASS,  /* every required grader passed */
    METRIC_SCORE, /* the weighted mean of the graders' scores */
    METRIC_COST,
    METRIC_LATENCY,
    METRIC_TOKENS,
    METRIC_REQUESTS,
    METRIC_CALLS,
    METRIC_CALL_ERRORS,
    METRIC_TOOL_ERRORS,
    METRIC_GRADER, /* the score of one */
    METRIC_PREFERENCE,
    METRIC_FEEDBACK /* online: what users say */
};

/* How two arms are compared, and what a margin of 0.05 means. */
enum metric_scale {
    SCALE_SHARE, /* 0 to 1: difference of rates; 5 percentage points */
    SCALE_COUNT, /* difference of means; 0.05 of whatever is counted */
    SCALE_RATIO  /* ratio of geometric means; 5 percent more */
};

enum metric_role { ROLE_PRIMARY, ROLE_GUARDRAIL, ROLE_EXPLORATORY };
const char *metric_role_name(enum metric_role role);

struct metric {
    gramc_text name;
    enum metric_kind kind;
    enum metric_scale scale;
    enum metric_role role;
    bool higher_is_better;
    const char *unit; /* "", "ms" */
    size_t grader;    /* GRADER, PREFERENCE: which */
};

/* The metrics that every experiment has, `score` and graders apart; NULL past the end. */
const struct metric *metric_builtin(size_t i);

/* What of an attempt the metric is; NaN: the attempt does not tell. Not for pass, score,
 * graders and feedback. */
double metric_value(enum metric_kind kind, const struct attempt *attempt);

#endif
