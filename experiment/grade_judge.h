/* Models that judge answers: by a rubric, or which of two is better. */
#ifndef EXPERIMENT_GRADE_JUDGE_H
#define EXPERIMENT_GRADE_JUDGE_H

#include "experiment/grading.h"

/* An agent without tools that answers with a verdict, bound to its model. */
gramc_status judge_new(struct judge **out, const gramc_grader *grader,
                       const struct grading_options *options, char why[256]);
void judge_free(struct judge *judge); /* NULL is fine */

struct judge_call;
/* Asks by the rubric; `part` is told by part_done once, later, and never after the stop. */
gramc_status judge_start(struct judge_call **out, struct grading_part *part,
                         const struct grading *grading, const struct compiled_grader *grader,
                         const struct graded_run *run);
/* Asks which of two answers is better, in both orders. */
gramc_status judge_prefer(struct judge_call **out, struct grading_part *part,
                          const struct grading *grading, const struct compiled_grader *grader,
                          const struct graded_run *a, const struct graded_run *b);
void judge_stop(struct judge_call *call);

#endif
