/* A call of a tool between two checks: the arguments before it starts, what it returns before
 * anybody reads it; behind each of them the guards are asked. What is said about it is the
 * caller's: round.c words it for models, call.c for people. */
#ifndef RUNTIME_CHECKED_CALL_H
#define RUNTIME_CHECKED_CALL_H

#include "runtime/tool.h"

enum checked_outcome {
    CHECKED_FINE,          /* `text` is the result; empty where the tool has none */
    CHECKED_BAD_ARGUMENTS, /* the tool was not called; `text` says what is wrong with them */
    CHECKED_TOOL_ERROR,    /* `text` is the tool's reason */
    CHECKED_TIMEOUT,       /* `text` is empty, or what was said of it when it was recorded */
    CHECKED_BAD_RESULT,    /* `text` says what is wrong with it */
    CHECKED_DENIED,        /* by a guard; `text` is what it says to the model, or empty */
    CHECKED_NOMEM
};

struct held;

struct checked_end {
    enum checked_outcome outcome;
    gramc_text text; /* borrowed for the call of `done` */
    bool unread;     /* a limit was passed in checking it: `text` says which one, and where */
    gramc_text own;  /* what the tool itself said; ptr NULL: it was not called, or said nothing */
    uint64_t queued_ns; /* it waited so long for its turn */
    uint64_t asked_ns;  /* and so long for somebody's approval */
    bool after;         /* DENIED: the tool was called, and the model does not get its result */
    bool failed;        /* DENIED: because the guard does not work */
};

struct checked_events {
    /* The arguments are good, and handed over in these bytes; reading NULL: as they came. NULL:
     * nobody wants to know. */
    void (*sent)(void *ctx, gramc_text arguments, const gramc_event_reading *reading);
    /* A guard has decided. NULL: nobody wants to know. */
    void (*guarded)(void *ctx, const gramc_event_guard *guard, uint64_t started);
    /* Somebody is asked for approval from here on, or no more. NULL: nobody wants to know. */
    void (*asking)(void *ctx, bool asking);
    /* Once, perhaps before checked_call_start returns. */
    void (*done)(void *ctx, const struct checked_end *end);
};

struct checked_call {
    gramc_loop *loop;
    const struct bound_tool *bound;
    const struct checked_events *events;
    void *ctx;
    const gramc_guard *guard;       /* of the run; NULL: none */
    const gramc_approver *approver; /* of the run; NULL: nobody has to approve */
    const gramc_text *tainted_by;   /* of the run; NULL: there is no conversation */
    const gramc_guarded_call *told; /* what that is told of the call, but the arguments */
    struct tool_memory *memory;
    struct tool_call *handle; /* while it works */
    struct held *held;        /* while guards are asked; NULL: there are none */
    bool starting, is_early;  /* the tool was done before its call returned */
    bool over;                /* done has been called, or nobody waits any more */
    gramc_text own;           /* as in struct checked_end, as is the next */
    uint64_t queued_ns, asked_ns;
    unsigned coerce; /* flags of gramc_schema_check: arguments are converted, nothing being lost */
    bool tolerant;   /* and mended where a model wrote what is no JSON */
};

/* `call` has loop, bound, events, ctx, guard, approver, tainted_by, told, coerce and tolerant, and
 * stays where it is until `done`. `memory` as in tool_start_in. Arguments of blanks alone are an
 * empty object: models leave them out. */
void checked_call_start(struct checked_call *call, struct tool_memory *memory,
                        gramc_text arguments);
/* Lets go, if it still works: done will not be called. */
void checked_call_cancel(struct checked_call *call);

/* What is wrong with arguments or a result, as models are told. */
void checked_put_violations(struct buf *out, const gramc_verdict *verdict);

#endif
