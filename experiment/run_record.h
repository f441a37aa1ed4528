/* A run as it becomes an attempt: its events and its end go in, and what graders look at comes out
 * (run_record.c). Whoever has it starts the run, has it graded and writes it down. */
#ifndef EXPERIMENT_RUN_RECORD_H
#define EXPERIMENT_RUN_RECORD_H

#include "experiment/grade.h"

/* Whose fault an outcome of a run is: FAULT_NONE for an answer. */
enum fault fault_of_outcome(gramc_outcome outcome);

struct made_call;

struct run_record {
    struct arena arena; /* of all texts */
    struct attempt attempt;
    struct made_call *made, **made_end;
    size_t call_count;
    bool is_told; /* its end */
};

void run_record_init(struct run_record *record, const gramc_allocator *allocator);
void run_record_free(struct run_record *record);
void run_record_event(struct run_record *record, const gramc_event *event);
void run_record_end(struct run_record *record, const gramc_run_result *result);
/* Something of ours went wrong: it is nobody's answer. */
void run_record_fail(struct run_record *record, const char *outcome, const char *why);
/* In the order in which the model asked for them; NULL without memory. */
struct graded_call *run_record_calls(struct run_record *record);
/* What the graders have said. */
void run_record_scores(struct run_record *record, const struct score *scores, size_t count,
                       double cost);

#endif
