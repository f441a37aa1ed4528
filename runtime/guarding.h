/* Asks the guards of one phase of a call, one after the other: the program's own function
 * (gramc_run_options.guard) and the programs that the library names. What a decision leads to is
 * checked_call.c's. */
#ifndef RUNTIME_GUARDING_H
#define RUNTIME_GUARDING_H

#include "runtime/guard_answer.h"
#include "runtime/tool.h"

enum guarding_outcome {
    GUARDING_PASSED,  /* nobody objects */
    GUARDING_REWRITE, /* `text` is to stand in place; guarding_go asks those that are left */
    GUARDING_DENIED,  /* `text` is what the guard says to the model; empty: nothing */
    GUARDING_FAILED,  /* a guard does not work, which denies */
    GUARDING_NOMEM
};

struct guarding_end {
    enum guarding_outcome outcome;
    gramc_text text;         /* borrowed for the call of `ended` */
    gramc_event_guard guard; /* of REWRITE: it is told when it is known to fit */
    uint64_t started;        /* when that guard was asked */
};

struct guarding_events {
    void (*told)(void *ctx, const gramc_event_guard *guard, uint64_t started);
    /* Once for each guarding_go, perhaps before it returns, and the last thing it does. */
    void (*ended)(void *ctx, const struct guarding_end *end);
};

struct guarding {
    gramc_loop *loop;
    struct tool_memory memory; /* of the run, but that nothing is played from a recording */
    const struct bound_tool *bound;
    const gramc_guard *own; /* NULL: none */
    const gramc_guarded_call *call;
    const struct guarding_events *events;
    void *ctx;
    enum guard_phase phase;
    gramc_text result; /* AFTER: as it is now */
    enum guard_result result_kind;
    size_t step; /* who is asked next */
    uint64_t started;
    struct tool_call *handle; /* of a program that is being asked */
    bool starting, is_early;
};

/* Is there anybody to ask? */
bool guarding_has_any(const struct bound_tool *bound, const gramc_guard *own,
                      enum guard_phase phase);
/* Asks from `step` on. All but the last three members are the caller's. */
void guarding_go(struct guarding *guarding);
/* Lets go: `ended` will not be called. */
void guarding_cancel(struct guarding *guarding);
/* The words of a decision, as they are told. */
const char *guarding_phase_name(enum guard_phase phase);

#endif
