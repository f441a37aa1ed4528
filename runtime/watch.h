/* What a run tells of itself: one stream of events, which whoever watches it and its trace both
 * get. Where neither is there, nothing is put together. */
#ifndef RUNTIME_WATCH_H
#define RUNTIME_WATCH_H

#include "runtime/bound.h"
#include "runtime/llm.h"
#include "runtime/trace.h"

struct secrets;

struct watch {
    const gramc_clock *clock;
    void (*event)(void *ctx, const gramc_event *event); /* NULL: nobody */
    void *ctx;
    struct trace trace;
    uint64_t start; /* of the run, by the clock */
    uint32_t sequence;
    uint32_t turn, iteration;
    const char *role; /* that is asked, with its model; NULL: the agent has but one */
    gramc_text model;
    struct secrets *secrets; /* that types named on the way: in nothing that is told; NULL: none */
};

/* By the loop's clock, in nanoseconds. */
uint64_t watch_now(const struct watch *watch);
/* The same where somebody watches, else 0: for what only they are told. */
uint64_t watch_stamp(const struct watch *watch);
/* Is there anybody to tell? */
bool watch_is_on(const struct watch *watch);

void watch_start(struct watch *watch, const gramc_event_start *start);
void watch_turn(struct watch *watch, gramc_text message);
void watch_task(struct watch *watch, gramc_text name, gramc_text prompt);
/* prompt: in words of the strategy; empty: none. */
void watch_request(struct watch *watch, gramc_text body, gramc_text prompt);
void watch_attempt(struct watch *watch, const gramc_event_attempt *attempt, uint64_t started);
void watch_delta(struct watch *watch, gramc_text piece);
/* size: of the body that it was read from, 0 if there was none. */
void watch_reply(struct watch *watch, const struct reply *reply, size_t size, uint64_t started);
void watch_model_error(struct watch *watch, const gramc_event_attempt *attempt, gramc_text message,
                       uint64_t started);
void watch_call(struct watch *watch, const gramc_event_call *call);
void watch_result(struct watch *watch, const gramc_event_call *call, gramc_text text,
                  uint64_t started);
/* started: when the guard was asked. */
void watch_guard(struct watch *watch, const gramc_event_call *call, const gramc_event_guard *guard,
                 uint64_t started);
/* What happens in a run that does a tool of this one; `within`: of its own event. */
void watch_inner(struct watch *watch, gramc_text within, const gramc_event *event);
/* A structured answer, and what it was taken for. */
void watch_reading(struct watch *watch, const gramc_event_reading *reading, gramc_text text);
void watch_answer(struct watch *watch, gramc_text text);
void watch_outcome(struct watch *watch, const gramc_run_result *result);

#endif
