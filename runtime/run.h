/* One run: a conversation between user, model and tools, as a state machine. */
#ifndef RUNTIME_RUN_H
#define RUNTIME_RUN_H

#include "runtime/bound.h"
#include "runtime/budget.h"
#include "runtime/checked_call.h"
#include "runtime/loop.h"
#include "runtime/strategy.h"
#include "runtime/watch.h"

enum run_state {
    RUN_TURN,         /* take the next message, or end */
    RUN_STEP,         /* take the next task, or be done with the message */
    RUN_ASK,          /* build a request and start it */
    RUN_AWAIT_ANSWER, /* the model thinks */
    RUN_READ,         /* decide what the answer means */
    RUN_CALL,         /* check and start the calls */
    RUN_AWAIT_TOOLS,  /* the tools work */
    RUN_COLLECT,      /* put the results into the conversation */
    RUN_END,          /* tell the handler */
    RUN_OVER          /* only handles are still to be closed */
};

enum slot_outcome {
    SLOT_FINE,
    SLOT_UNKNOWN_TOOL,
    SLOT_BAD_CALL, /* the arguments do not fit */
    SLOT_SKIPPED,  /* too many calls in one answer */
    SLOT_TOOL_ERROR,
    SLOT_TIMEOUT,
    SLOT_BAD_RESULT, /* the result does not fit */
    SLOT_DENIED      /* a guard denied it, or its result */
};

/* One call of the current answer. */
struct slot {
    gramc_run *run;
    const gramc_model_call *call;
    const struct bound_tool *bound; /* NULL: unknown */
    struct checked_call checked;    /* where there is a tool */
    gramc_guarded_call guarded;     /* what guards are told of it */
    uint32_t index;
    enum slot_outcome outcome;
    bool settled;
    gramc_text text; /* what the model is told */
    gramc_text own;  /* what the tool said, while it settles */
    gramc_text sent; /* what the tool got, where the strategy wants it */
    uint64_t started;
    uint64_t queued_ns; /* of the time since then */
    uint64_t asked_ns;  /* for approval; before `started` where the tool was called */
    bool is_sent;
};

/* Failures of one kind in one tool. */
struct failures {
    uint32_t rounds; /* with at least one */
    uint32_t last;   /* of them, as run->result.requests counts; 0: none */
};

/* Of a run that does a tool of another. */
struct run_caller {
    gramc_run *run;    /* NULL: nobody called it */
    gramc_text within; /* which call: turn.iteration.call, of each run around it one, "/" between */
};

struct gramc_run {
    gramc_loop *loop;
    gramc_run *caller; /* NULL: none */
    gramc_text within;
    const gramc_named_model *named; /* as the options say, for agents that it calls */
    size_t named_count;
    uint32_t asked; /* its own requests; result.requests has those of agents that it called too */
    const gramc_bound *bound;
    const struct strategy *strategy;
    struct run_model models[RUN_ROLES]; /* those that the strategy asks */
    struct planned_request asking;      /* of the newest request */
    const gramc_model *model;           /* that it is for */
    gramc_run_handler handler;
    struct arena arena; /* the conversation, and what lasts as long; ask.arena: of one answer and
                           its calls */
    struct arena turn;  /* of one message */
    struct arena inner; /* of one step: what its strategy has for itself */
    void *plan;         /* the strategy's state, in there */
    struct buf said;    /* result.text */
    const gramc_text *messages;
    size_t message_count, next_message;
    gramc_input *inputs; /* the last one is `message`, of this turn */
    size_t input_count;
    gramc_text instruction;      /* filled in for this turn */
    gramc_text more_instruction; /* of whoever started it; empty: nothing */
    const struct bound_step *step;
    size_t next_step;     /* of this turn */
    uint32_t bad_answers; /* of this step */
    gramc_wire wire;
    uint32_t max_iterations, iteration; /* of requests, as the strategy counts them */
    uint32_t timeout_ms;
    bool streams;    /* answers that somebody reads as they come are asked for in pieces */
    bool stream;     /* and this one is */
    gramc_text seed; /* of sampling */
    struct conversation talk;
    gramc_session *session; /* NULL: none */
    long left_out;          /* of its answers, their opaque parts */
    struct buf body;
    struct ask ask;
    const struct message *assistant; /* whose calls are being made */
    struct slot *slots;
    size_t slot_count, pending;
    struct failures *call_errors, *tool_errors; /* of this step, per tool of the agent */
    struct failures unknown_calls;
    struct tool_memory memory;
    gramc_guard guard;
    gramc_approver approver;
    gramc_text tainted_by; /* the tool that brought untrusted words first; ptr NULL: none did */
    uint32_t questions;    /* for approval, that are open */
    uint64_t asked_since;  /* the first of them */
    uint64_t asked_ns;     /* of this round's time, with one open */
    struct watch watch;
    char id[33];
    uint64_t waiting_since; /* for an answer, or for tools */
    enum run_state state;
    bool stepping, canceled, timed_out, overdue, is_ready;
    struct budget budget;
    gramc_run_result result;
    char message[1024];
    uv_timer_t deadline;
    bool has_deadline;
    unsigned handles;        /* of libuv that are still to be closed */
    gramc_run *next, **link; /* in the loop's list */
    gramc_run *next_ready;
};

/* gramc_run_start, in a call of another run. The model is the caller's, unless the options say one:
 * GRAMC_NOT_FOUND if it cannot be asked for this agent. `within` lives as long as the run. */
gramc_status run_start_in(gramc_run **out, gramc_loop *loop, const gramc_bound *bound,
                          const gramc_run_options *options, const gramc_run_handler *handler,
                          const struct run_caller *caller);
/* Goes on until the run has to wait or is over, in which case it may be freed. */
void run_step(gramc_run *run);
/* Decides how the run ends; printf. The first one counts. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void run_end(gramc_run *run, gramc_outcome outcome, const char *format, ...);
void run_nomem(gramc_run *run);
/* A line for people; printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void run_note(gramc_run *run, const char *format, ...);
bool run_is_ending(const gramc_run *run);
/* A handle of the run has been closed. */
void run_handle_closed(gramc_run *run);
/* Of the model that is asked. */
gramc_text run_model_id(const gramc_run *run);
/* By which a model is asked in that role; NULL: the strategy has none. */
const struct protocol *run_protocol(const gramc_run *run, enum run_role role);
/* The tools and the kind of answer of the step, as that role's model is told of them. */
void run_ask_as(const gramc_run *run, struct planned_request *asking, enum run_role role);
/* `auto`, `none`, `required` or the name on the wire of a tool of this step, as its task says, else
 * the agent. Empty: neither does, or the tool is one that only other tasks have. */
gramc_text run_tool_choice(const gramc_run *run);

/* ## The session (run_session.c). Without one, nothing is done and all is well. */
/* Puts its messages in front of those of the run. False without memory. */
bool run_resume(gramc_run *run);
/* Says where another agent continues the session than the one that answered last. */
void run_tell_session(gramc_run *run);
/* Leaves the conversation there. False without memory: the session is as it was. */
bool run_keep_session(gramc_run *run);
/* Another run may have it. */
void run_leave_session(gramc_run *run);

/* ## One round of calls (round.c) */
/* Makes slots for the calls of `run->assistant` and starts them all. */
void round_start(gramc_run *run);
/* Counts what failed, which may end the run. */
void round_count(gramc_run *run);
/* Puts the results into the conversation that was asked, in the order of the calls. */
void round_put_results(gramc_run *run);
/* True if every call went well and its tool returns to the user directly. */
bool round_is_direct(const gramc_run *run);
bool round_wants_direct(const gramc_run *run, const struct message *assistant);
gramc_text round_direct_answer(gramc_run *run);
/* Where in the run the call is that is being started just now: for struct run_caller. */
gramc_text round_place(const gramc_run *run, struct arena *arena);
/* Lets go of calls that still work. */
void round_cancel(gramc_run *run);

#endif
