/* What a step of the strategy `prompted` knows (strategy_prompted.c), and how it speaks: by its
 * words (prompted_words.h), put together for the phase that the step is in (prompted_say.c). */
#ifndef RUNTIME_PROMPTED_H
#define RUNTIME_PROMPTED_H

#include "runtime/run.h"

enum prompted_phase {
    ANNOUNCE,    /* the tools are told */
    CONSIDER,    /* whether any is needed */
    DECIDE,      /* the same in a word */
    CHOOSE,      /* which of several */
    SHOW,        /* how it is called */
    CALL,        /* its arguments */
    REVIEW,      /* whether another call is needed */
    DECIDE_MORE, /* the same in a word */
    ANSWER,      /* what is left to say, in the step's own conversation */
    PLAIN        /* without tools, in the conversation of the run */
};

struct prompted_plan {
    enum prompted_phase phase;
    gramc_text query;                /* what the step is about */
    struct conversation talk;        /* of the step */
    gramc_text prompt;               /* the last question */
    size_t before;                   /* its messages, before the last question */
    struct bound_tool *const *tools; /* that may be called */
    size_t tool_count;
    const struct bound_tool *chosen;
    bool may;            /* the model is asked first whether it needs one */
    bool told;           /* it knows the task */
    uint32_t rounds;     /* tools that were chosen */
    uint32_t failures;   /* of the same question, in a row */
    uint32_t silences;   /* answers to it without a word, in a row */
    gramc_text result;   /* of the last call */
    gramc_text reviewed; /* what the model said of it */
    struct message call;
    gramc_model_call calls[1];
};

static inline bool prompted_is_single(const struct prompted_plan *plan) {
    return plan->tool_count == 1;
}

/* Adds the question of the phase to the conversation of the step. PLAIN has none: the task stands
 * in the run's own conversation. */
void prompted_say(gramc_run *run);
/* Adds the examples of the chosen tool as turns that nobody is asked for. */
void prompted_put_examples(gramc_run *run);
/* A text of the step, to be put together; prompted_take frees it. */
struct buf prompted_text(gramc_run *run);
gramc_text prompted_take(gramc_run *run, struct buf *text);

#endif
