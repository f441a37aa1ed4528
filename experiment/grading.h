/* What the files of the graders share: one experiment's graders, compiled, and one job that judges
 * a run with all of them. */
#ifndef EXPERIMENT_GRADING_H
#define EXPERIMENT_GRADING_H

#include "base/expectation.h"
#include "base/json/json.h"
#include "experiment/grade.h"

struct judge; /* grade_judge.h */

struct compiled_grader {
    const gramc_grader *says;  /* NULL: it is what the cases expect */
    const struct json *checks; /* of GRAMC_GRADER_CHECKS */
    gramc_schema *type;        /* NULL: none */
    struct judge *judge;       /* NULL: no model is asked */
    double threshold, weight, min, max;
    bool has_threshold, has_min, has_max;
};

struct grading {
    gramc_allocator allocator;
    struct arena arena;
    const gramc_experiment *experiment;
    struct grading_options options;
    struct compiled_grader *graders;
    size_t count;
    bool expects; /* the last one is `expect` */
};

/* ## One verdict while it is made */

struct ruling {
    struct arena *arena; /* of the reason */
    double value;
    bool pass, missing;
    gramc_text reason;
};

/* The first reason stays; one line, cut where it is long. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void verdict_fail(struct ruling *verdict, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void verdict_miss(struct ruling *verdict, const char *format, ...);
/* A text in quotes, or a value as JSON, cut to what fits a line. Of the verdict's arena. */
gramc_text verdict_quote(struct ruling *verdict, gramc_text text);
gramc_text verdict_json(struct ruling *verdict, const struct json *value);

/* ## ${fields} (grade_fill.c) */

/* A value with the case's fields in its texts: a text that is nothing but ${field} stands for what
 * the field holds. `patterns`: the texts are regular expressions, in which a field stands for
 * itself. NULL without memory. */
const struct json *fill_value(struct arena *arena, const struct json *value,
                              const struct item *item, bool patterns);
gramc_text fill_text(struct arena *arena, gramc_text text, const struct item *item);

/* ## What is told by looking */

/* The answer as JSON, alone or in a fence; NULL: it is none. */
const struct json *answer_json(struct arena *arena, gramc_text answer);

/* One check of an expectation: did it hold? The verdict has the reason if not. */
bool check_equals(struct ruling *verdict, const struct graded_run *run, const struct json *wanted);
bool check_contains(struct ruling *verdict, const struct graded_run *run,
                    const struct json *wanted);
bool check_matches(struct ruling *verdict, const struct graded_run *run, const struct json *wanted);
bool check_json(struct ruling *verdict, const struct graded_run *run, const struct json *wanted);
bool check_pointer(struct ruling *verdict, const struct graded_run *run, const struct json *wanted);
bool check_not_calls(struct ruling *verdict, const struct graded_run *run,
                     const struct json *wanted);
/* `calls` is the member of that name; `object` may say arguments and mode beside it. */
bool check_calls(struct ruling *verdict, const struct grading *grading,
                 const struct graded_run *run, const struct json *object, const struct json *calls);
bool check_type(struct ruling *verdict, const struct graded_run *run, const gramc_schema *type);

/* All checks of an object as a case's `expect`, and a type beside it (NULL: none): the score is the
 * share that held. */
void judge_expectation(struct ruling *verdict, const struct grading *grading,
                       const struct graded_run *run, const struct json *object,
                       const gramc_schema *type);
void judge_metric(struct ruling *verdict, const struct compiled_grader *grader,
                  const struct graded_run *run);
/* True if the run came to its end; otherwise nothing of it is right, and the verdict says so. */
bool judge_outcome(struct ruling *verdict, const struct graded_run *run);

/* ## What takes time */

/* One thing that a job waits for, among others. */
struct grading_part {
    struct grading_job *job;
    size_t index; /* of the score */
    struct ruling verdict;
    struct buf said; /* what its judge was asked and said, for the tape */
};

/* The run, the case and the answer as a JSON object: for programs. */
gramc_text graded_run_json(struct arena *arena, const struct graded_run *run);

/* Starts it; `part` is told by part_done once, maybe at once, and never after the stop. */
struct program_part;
gramc_status program_start(struct program_part **out, struct grading_part *part,
                           const struct grading *grading, const struct compiled_grader *grader,
                           const struct graded_run *run);
void program_stop(struct program_part *program);
void part_done(struct grading_part *part, double cost);

#endif
