/* Experiments that never ran: cases, arms and attempts made by hand, for tests of what is concluded
 * from them. */
#ifndef TESTS_SUPPORT_TRIAL_H
#define TESTS_SUPPORT_TRIAL_H

#include "experiment/analyse.h"

enum { TRIAL_ARMS = 3, TRIAL_GRADERS = 3 };

struct trial {
    struct arena arena;
    gramc_experiment experiment;
    gramc_arm arms[TRIAL_ARMS];
    struct item *items;
    struct cases cases;
    struct plan plan;
    struct analysis_grader graders[TRIAL_GRADERS];
    struct analysis_input input;
    struct attempt *attempts; /* [(item * repeats + repeat) * arms + arm] */
    struct score *scores;     /* TRIAL_GRADERS an attempt */
};

/* Every run done, every grader passed; arms "old", "new", "third", one grader "right". Change what
 * should be otherwise, then trial_plan(). */
void trial_init(struct trial *trial, uint32_t items, uint32_t repeats, uint32_t arms);
/* After cases and settings are final. */
void trial_plan(struct trial *trial);
void trial_free(struct trial *trial);

struct attempt *trial_at(struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm);
/* By the first grader, with a reason that names the case. */
void trial_pass(struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm, bool pass);
void trial_score(struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm, double score);
/* In all arms: what it costs and takes, a little different from run to run. */
void trial_usage(struct trial *trial);

#endif
