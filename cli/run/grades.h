/* Answers that were recorded elsewhere, and what graders say of them (gramc grade). */
#ifndef CLI_RUN_GRADES_H
#define CLI_RUN_GRADES_H

#include "cli/run/study.h"
#include "experiment/gate.h"
#include "experiment/grade.h"

/* One answer, with its scores once it is graded. */
struct graded_answer {
    struct graded_run run;
    struct attempt attempt;
    unsigned line; /* in the file of answers */
    size_t arm;    /* of the experiment's, or arm_count: the answer names none */
    const struct score *scores;
    bool pass, missing; /* of all that is required */
    double score;
    bool score_missing;
};

struct grades {
    struct study *study;
    struct grading *grading;
    struct arena arena;
    struct graded_answer *answers;
    size_t count;
    bool *answered;      /* has the arm an answer to the case: [arm * cases + case] */
    gramc_text *unknown; /* ids that no case has */
    size_t unknown_count;
    double judge_cost;
    bool json; /* --format */
};

/* All return an exit code, after a message if it is not EXIT_FINE. */
/* Reads the file of --answers. */
int grades_read(struct grades *grades);
/* Has every answer graded, a few at a time. */
int grades_judge(struct grades *grades, gramc_loop *loop);

/* What one grader, or all of them together, said of the answers of an arm. */
struct grade_sum {
    size_t passed, missing, count;
    size_t scored;
    double score; /* the mean of those that have one */
};
struct grade_sum grades_sum(const struct grades *grades, size_t arm, size_t grader);
/* The same of `pass`, whose score is that of the metric `score`. */
struct grade_sum grades_sum_all(const struct grades *grades, size_t arm);
/* "answers" where none was named. */
gramc_text grades_arm_name(const struct grades *grades, size_t arm);
bool grades_has_arm(const struct grades *grades, size_t arm);
/* How many cases have no answer in that arm, and whether the i-th has. */
size_t grades_unanswered(const struct grades *grades, size_t arm);
bool grades_answers_case(const struct grades *grades, size_t arm, const struct item *item);

/* ## Gates (grades_gate.c): --min, of pass (or success), score or a grader */
struct grade_gate {
    struct gate_rule rule;
    bool passed;
    double seen;
    gramc_text arm;
};
struct grade_gates {
    struct grade_gate *list; /* one a gate and arm */
    size_t count;
};
int grades_gate(const struct grades *grades, struct arena *arena, struct grade_gates *out);

/* ## Printing (grades_print.c) */
int grades_print(const struct grades *grades, const struct grade_gates *gates);
int grades_print_json(const struct grades *grades, const struct grade_gates *gates);

#endif
