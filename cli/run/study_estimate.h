/* What a study will probably use, and what that rests on (study_estimate.c). */
#ifndef CLI_RUN_STUDY_ESTIMATE_H
#define CLI_RUN_STUDY_ESTIMATE_H

#include "cli/run/study.h"
#include "experiment/estimate.h"

struct study_estimate {
    struct estimate_arm arms[ARMS_MAX];
    struct estimate_range cost; /* of all arms; judges are apart */
    uint64_t judge_requests;    /* 0: nobody judges */
    struct estimate_range judge_cost;
};

/* By the recordings of --replay, or the newest runs of the same arms in the store, or the prompts
 * of some cases: the first that there is, for each arm. Asks no model. An exit code. */
int study_estimate(struct study_estimate *out, struct study *study);

#endif
