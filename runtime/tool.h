/* Tool calls in flight, and the vtable that every kind of implementation fills in: how it is bound,
 * and how it is called.
 *
 * A call is an object of its own, not a part of the run: a run may end while a killed program is
 * still being reaped or a blocking function still works. It settles once (result or failure, told
 * to the run unless that has let go) and is freed when, besides, nothing holds it any more. */
#ifndef RUNTIME_TOOL_H
#define RUNTIME_TOOL_H

#include <uv.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "gramc/runtime.h"
#include "runtime/gate.h"
#include "runtime/guard_answer.h"

struct box_kind;
struct offered_tool;
struct secrets;
struct tool_call;

struct bound_tool;

struct tool_kind {
    const char *name;
    /* What stands in a trace: "math.add", "python3 say_hello.py". */
    void (*describe)(struct buf *out, const gramc_impl *impl);
    /* Starts; calls tool_settle now or later. */
    void (*call)(struct tool_call *call);
    /* The call has just settled by its deadline or a cancel: stop the work, let go soon. */
    void (*cancel)(struct tool_call *call);
    /* Frees what `state` holds; nothing uses it any more. */
    void (*close)(struct tool_call *call);
    /* At binding, once choice->impl is known: reports whatever is missing, and sets choice->data,
     * which lives as long as `bound`. May put another vtable into choice->kind. Starts nothing. Out
     * of memory is bound->arena's matter. NULL: there is nothing to look at. */
    void (*bind)(gramc_bound *bound, struct bound_tool *choice);
    /* What the box that the implementation names offers for it; it returns NULL if that is not
     * known. NULL: an implementation names no box. */
    const struct offered_tool *(*offer)(gramc_bound *bound, const gramc_impl *impl);
    /* Of what bind left: the sandbox of the program that is started, as it is said; it returns NULL
     * if there is none. NULL: nothing is started. */
    const gramc_sandbox *(*sandbox)(const void *data);
    const struct box_kind *boxes; /* that offer tools of this kind; NULL: there are none */
    bool is_constant;             /* every call answers with the target, as it is */
    bool has_own_calls;           /* what it asks and calls is recorded, and not its result */
};

#define GRAMC_KIND(id, word, value, takes, example) extern const struct tool_kind tool_##word;
#include "gramc/kinds.def"
/* NULL for a kind that this version does not know. */
const struct tool_kind *tool_kind_of(gramc_impl_kind kind);
/* That of the tools in boxes of that kind; its `boxes` is set. NULL as above. */
const struct tool_kind *tool_kind_of_box(gramc_box_kind kind);

enum tool_outcome {
    TOOL_FINE,
    TOOL_FAILED,    /* `result` says why */
    TOOL_TIMED_OUT, /* `result` is empty, or how it was told when it was recorded */
    TOOL_NOMEM
};

/* Whether one side of a tool fits, as far as it could be told before anything runs. */
struct bound_proof {
    gramc_proof answer;
    gramc_text why; /* a counterexample, or why it is not decided */
};

/* A tool of a bound agent. */
struct bound_tool {
    const gramc_task *task; /* that takes it of a box; NULL: the agent, or it is listed by name */
    bool of_box;
    const gramc_tool *tool;
    gramc_text wire_name, wire_parameters; /* in requests */
    gramc_text arguments_format; /* of an answer that is arguments; empty: it is not asked for */
    gramc_text target;           /* whose names the parameters have; empty: their own */
    const gramc_impl *impl;      /* NULL: optional, not offered */
    const struct tool_kind *kind;
    const void *data;              /* what the kind's bind left */
    const struct secrets *secrets; /* that it may have been given; NULL: none */
    uint32_t timeout_ms;
    gramc_text box; /* that offers it; empty: a ToolImpl does it */
    struct bound_proof accepts, returns;
    bool returns_unsaid;    /* it has schemas, but none of its result */
    bool untrusted;         /* what it returns may hold anybody's words */
    bool sensitive;         /* somebody has to approve of a call once such words were read */
    bool destructive, asks; /* it may destroy something; somebody has to approve of each call */
    /* Programs that are asked, in this order; they have no tool of their own. NULL: none. */
    const struct bound_tool *guards[GUARD_PHASES][GUARD_PROGRAMS];
};

/* What the calls of one run share. */
struct tool_memory {
    gramc_run *run; /* NULL: there is none */
    struct arena *arena;
    struct replay_marks *replays;
    const struct recording *recording; /* answers every call; NULL: the tools do */
    const struct bound_tool *missed;   /* of which a call was not recorded; NULL: none */
    const gramc_text *environment;     /* of programs that are started for one call */
    size_t environment_count;
    uint32_t company; /* what stays between calls is shared with the same number alone */
    uint64_t own;     /* a number that no other run of the loop has */
};

/* Whether what stays between calls is this run's alone, and ends with it. */
bool tool_is_own(const struct tool_memory *memory, gramc_isolation isolation);
/* With whom it is shared. memory NULL: with calls that stand alone. */
uint64_t tool_company(const struct tool_memory *memory, gramc_isolation isolation);

struct tool_call {
    gramc_loop *loop;
    struct tool_memory *memory; /* of the run; NULL: the call stands alone */
    const struct tool_kind *kind;
    const struct bound_tool *bound; /* valid until the call has settled */
    struct buf arguments;           /* what is handed over */
    struct buf result;
    enum tool_outcome outcome;
    void (*done)(void *ctx, struct tool_call *call); /* NULL: settled, or the run let go */
    void *ctx;
    void *state;    /* of the kind */
    unsigned holds; /* by handles, work requests and the code that runs just now */
    bool settled;
    uv_timer_t deadline;
    bool has_deadline;
    struct tool_call *next, **link; /* in the loop's list */
    struct gate_wait wait;          /* for a place among the programs */
    bool has_place;                 /* given back when the call is freed */
    void (*go)(struct tool_call *call);
    uint64_t (*began)(const struct tool_call *call); /* by uv_hrtime, 0: it has not yet; NULL: with
                                                      * tool_wait */
    uint64_t queued_at;                              /* since when it waits, by the loop's clock */
    uint64_t queued_ns; /* it has waited so long for its turn; 0: it was dispatched at once */
};

/* Starts a call; `arguments` are copied. done may be called before this returns. NULL without
 * memory (done is then not called). The caller's hold on it lasts until tool_release, which done
 * may call: what this returns is then no longer valid. */
struct tool_call *tool_start(gramc_loop *loop, const struct bound_tool *bound, gramc_text arguments,
                             void (*done)(void *ctx, struct tool_call *call), void *ctx);
/* The same, for a call of a run. */
struct tool_call *tool_start_in(struct tool_memory *memory, gramc_loop *loop,
                                const struct bound_tool *bound, gramc_text arguments,
                                void (*done)(void *ctx, struct tool_call *call), void *ctx);
/* The run lets go: done will not be called; a call that still works is canceled. */
void tool_release(struct tool_call *call);

/* ## For the kinds */
/* Tells the run, if it still listens. Only the first one counts. */
void tool_settle(struct tool_call *call, enum tool_outcome outcome);
/* Settles as TOOL_FAILED; printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tool_fail(struct tool_call *call, const char *format, ...);
/* Arms the deadline: the kind will settle later. The work begins now. */
void tool_wait(struct tool_call *call);
/* Calls `go` when the loop has room for one more program at work, perhaps at once. A call that is
 * canceled before that is not told to its kind. */
void tool_in_turn(struct tool_call *call, void (*go)(struct tool_call *call));
/* It waits for its turn from here on, and has it: the time between is told apart. */
void tool_queued(struct tool_call *call);
void tool_dispatched(struct tool_call *call);
void tool_hold(struct tool_call *call);
void tool_let_go(struct tool_call *call);

/* ## Functions of this process (tool_builtin.c), for kinds that come down to one */
struct tool_function {
    /* On the loop's thread, or on a worker's if `blocking`; then `self` is a copy, and ctx must
     * live as long as the loop. Anything but 0: it failed, and `result` says why. */
    int (*run)(const struct tool_function *self, gramc_text arguments, struct buf *result);
    gramc_function function;
    void *ctx;
    bool blocking;
};

void tool_call_function(struct tool_call *call, const struct tool_function *function);
void tool_cancel_function(struct tool_call *call);
void tool_close_function(struct tool_call *call);

#endif
