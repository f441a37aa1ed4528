/* What is told of a run, without the secrets that were learnt on the way. */
#ifndef RUNTIME_WATCH_HIDE_H
#define RUNTIME_WATCH_HIDE_H

#include "gramc/runtime.h"
#include "runtime/secret.h"

/* Copies of what an event points at. */
struct hidden_event {
    gramc_event_start start;
    gramc_event_attempt attempt;
    gramc_event_response response;
    gramc_event_call call;
    gramc_model_call model_call;
    gramc_event_guard guard;
    gramc_event_reading reading, call_reading;
    gramc_run_result result;
};

/* Makes the event point at `hidden`, and that at texts of the arena (oom), wherever a secret
 * stands. What is within an INNER one was hidden by its own run. */
void watch_hide(struct hidden_event *hidden, gramc_event *event, const struct secrets *secrets,
                struct arena *arena);

/* Where the body of such an attempt may have been cut: of an answer that broke off there is the
 * beginning. */
enum text_cut attempt_cut(gramc_attempt_class class_);

#endif
