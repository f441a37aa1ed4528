/* Judges what a run gave: the graders of an experiment, and what its cases expect. Graders that
 * only look are done at once; programs and model judges take their time on the loop. */
#ifndef EXPERIMENT_GRADE_H
#define EXPERIMENT_GRADE_H

#include "experiment/attempt.h"
#include "experiment/judge_tape.h"

/* A call as the model made it, with what came of it. */
struct graded_call {
    gramc_text name, arguments; /* JSON, as written */
    gramc_text sent;            /* defaults filled in; empty: it was not made */
    const char *outcome;        /* as in traces */
};

/* What is judged. Borrowed until the verdict. */
struct graded_run {
    const struct item *item;
    const struct attempt *attempt; /* outcome, answer, counts; its scores are not there yet */
    const struct graded_call *calls;
    size_t call_count;
    gramc_text cell_id, scratch; /* GRAMC_CELL_ID and GRAMC_SCRATCH of programs */
    struct judge_tape *tape;     /* of its judges; NULL: asked, and not kept */
    bool recorded; /* elsewhere: what the attempt does not say is not known, rather than 0 */
};

/* All graders of one experiment, compiled; immutable. It outlives the loop's runs: those of judges
 * that were canceled too. */
struct grading;

/* What graders need that go out: models of judges, programs. */
struct grading_options {
    const gramc_allocator *allocator;
    gramc_loop *loop;
    /* Makes the model of a judge; NULL: there are none, and an experiment with judges is refused.
     */
    gramc_status (*model)(void *ctx, gramc_text name, gramc_model **out);
    void *ctx;
    const gramc_prices *(*prices)(void *ctx, gramc_text model); /* NULL: not known */
};

/* GRAMC_FINDINGS: `why` has a line for people. */
gramc_status grading_new(struct grading **out, const gramc_experiment *experiment,
                         const struct cases *cases, const struct grading_options *options,
                         char why[256]);
void grading_free(struct grading *grading);

/* One a grader in order, and after them `expect` if any case has one. */
size_t grading_count(const struct grading *grading);
gramc_text grading_name(const struct grading *grading, size_t i);
bool grading_required(const struct grading *grading, size_t i);
/* A preference: it judges the two arms of a repeat together (grading_prefer). */
bool grading_is_preference(const struct grading *grading, size_t i);

/* The verdicts, valid during the call; `cost` of the judges. Called once, maybe before
 * grading_start returns (*out is then NULL), never after grading_cancel. Preferences are missing
 * there: they are asked for by grading_prefer. A run that did not end as `answered` fails every
 * grader but those of metrics. */
typedef void grading_done(void *ctx, const struct score *scores, size_t count, double cost);
struct grading_job;
gramc_status grading_start(struct grading_job **out, const struct grading *grading,
                           const struct graded_run *run, grading_done *done, void *ctx);
void grading_cancel(struct grading_job *job);
/* Asks for the i-th grader which of two answers is better, in both orders; the score is of `b`: 1
 * better, 0 worse, 0.5 a tie or disagreement. Nobody is asked about a run that did not answer: the
 * other one's answer is better. */
gramc_status grading_prefer(struct grading_job **out, const struct grading *grading, size_t i,
                            const struct graded_run *a, const struct graded_run *b,
                            grading_done *done, void *ctx);

/* It is missing because memory ran out. */
bool grading_without_memory(const struct score *score);
/* The metric `score`: the weighted mean of all but preferences; *missing where one could not judge,
 * or there is none. */
double grading_score(const struct grading *grading, const struct score *scores, bool *missing);
/* Did the cell pass: every required grader did. False with *missing set where one could not judge.
 */
bool grading_pass(const struct grading *grading, const struct score *scores, bool *missing);

#endif
