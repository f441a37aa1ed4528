/* An experiment that is carried out by those who use a service: every message is recorded before it
 * is answered and when it was, in the store that offline experiments are kept in (online.c). It
 * starts no runs; who serves does. Everything on the loop's thread.
 *
 * Whatever becomes of a run counts for the arm that its unit was assigned to: a failure is recorded
 * as one, and never dropped. */
#ifndef EXPERIMENT_ONLINE_H
#define EXPERIMENT_ONLINE_H

#include "experiment/assign.h"
#include "experiment/run_cell.h"
#include "experiment/store/store.h"

struct online_options {
    const struct plan *plan; /* without cases; borrowed, as is all of this */
    struct store *store;     /* it was begun there */
    bool is_shared;          /* other processes may serve it, too */
    struct cell_graders graders;
    gramc_loop *loop;
    const gramc_allocator *allocator;
};

struct online;
/* Runs that a process before has not brought to an end are recorded as crashed: all in a file,
 * those that began over an hour ago where others may work in the database. */
gramc_status online_new(struct online **out, const struct online_options *options,
                        struct store_error *error);
/* What is still being graded is left as it is recorded. */
void online_free(struct online *online);
const gramc_experiment *online_experiment(const struct online *online);

/* A session or a user: what is drawn, and what is analysed. */
struct online_unit {
    uint32_t arm;
    char name[UNIT_NAME + 1];
};
void online_assign(struct online_unit *out, const struct online *online, gramc_text key);

/* A message of a unit, which is to be answered by its arm. */
struct online_message {
    const struct online_unit *unit;
    double covariate; /* NaN: not told */
    const gramc_text *messages;
    size_t message_count;
    const gramc_input *inputs;
    size_t input_count;
};

struct online_run;
/* Recorded when it returns. Not GRAMC_OK: nothing is, and nobody may be shown an arm. */
gramc_status online_begin(struct online_run **out, struct online *online,
                          const struct online_message *message, struct store_error *error);
/* The message's place in the store. */
uint32_t online_place(const struct online_run *run);
/* What the run is started with besides: its trace is kept, and arms share no processes. */
void online_prepare(struct online_run *run, gramc_run_options *options);
void online_event(struct online_run *run, const gramc_event *event);
/* One of these two, and `run` is gone for the caller. It is committed when they return, unless the
 * database takes longer than a second; grading may go on. */
void online_end(struct online_run *run, const gramc_run_result *result);
void online_fail(struct online_run *run, const char *why);

/* What somebody says of the message at that place: 0 to 1. */
gramc_status online_feedback(struct online *online, uint32_t place, double value,
                             struct store_error *error);

/* The first field of a case that the grader names and no message has; empty: there is none. */
gramc_text online_lacks(const gramc_grader *grader, const gramc_agent *agent);

#endif
