/* Strategies: how an agent gets from a text of the user to an answer. One vtable, a file each
 * (strategy_*.c). run.c drives them: it asks, waits, makes the calls and counts what they use; a
 * strategy says who is asked what, and what an answer means. */
#ifndef RUNTIME_STRATEGY_H
#define RUNTIME_STRATEGY_H

#include "runtime/role.h"

/* One request, before it is sent: what a strategy decides. It is filled in as for the agent's own
 * model, the conversation, the tools of the step and its kind of answer. */
struct planned_request {
    enum run_role role;        /* whose model is asked */
    struct conversation *talk; /* what is sent, and what the answer is added to */
    struct arena *arena;       /* of that conversation */
    const gramc_agent *agent;  /* its sampling; a copy where the strategy wants another */
    gramc_text instruction;    /* empty: no system message */
    gramc_text tools;          /* a block of the step; empty: none */
    gramc_text tool_choice;    /* empty: it is left to the model */
    gramc_text answer_format;  /* empty: any text */
    gramc_text prompt;         /* its newest message, where a strategy asks in words of its own */
    /* For a model without a mind: */
    const struct bound_tool
        *arguments_of;   /* the answer is arguments of that tool; NULL: it is not */
    gramc_text simplest; /* an answer that can be taken; empty: any text */
    bool stream;         /* as the run is asked to; false: nobody hears its pieces */
};

struct strategy {
    const char *name;
    unsigned roles;      /* that it asks: 1 << RUN_AGENT and so on */
    size_t room;         /* of its state in a run: run->plan, zero when a step begins */
    const char *answers; /* the JSON Schema of answers that it asks for itself, for
                          * gramc_bound.own_format; NULL: none */
    bool wants_sent;     /* what tools get: slot.sent */
    bool asks_arguments; /* as an answer, for bound_tool.arguments_format */
    /* A step begins: what the user, or the task, says. It may ask for the first request by
     * run->state = RUN_ASK, or leave it so. */
    void (*begin)(gramc_run *run, gramc_text text);
    /* What is asked next. */
    void (*ask)(gramc_run *run, struct planned_request *asking);
    /* An answer is there: leads to RUN_CALL with run->assistant set, to RUN_ASK, to an answer
     * (answer.h) or to the end of the run. */
    void (*read)(gramc_run *run, const struct reply *reply);
    /* The calls of run->assistant are settled, in run->slots, and counted. Leads on likewise. */
    void (*collect)(gramc_run *run);
};

extern const struct strategy strategy_direct, strategy_evaluated, strategy_prompted;

/* That of the agent; NULL: this version cannot run it. */
const struct strategy *strategy_of(const gramc_agent *agent);

#endif
