/* A loop: libuv's, the connections, the runs and the tool calls in flight. One thread. */
#ifndef RUNTIME_LOOP_H
#define RUNTIME_LOOP_H

#include <signal.h>

#include <uv.h>

#include "base/mem.h"
#include "gramc/runtime.h"
#include "runtime/gate.h"

struct http;
struct mcp_pool;
struct secrets;
struct tool_call;
struct loaded_plugin;
struct limiter;
struct worker_pool;

struct gramc_loop {
    gramc_allocator allocator;
    uv_loop_t uv;
    uv_idle_t idle; /* active while runs are ready */
    uv_prepare_t before_waiting;
    bool (*is_over)(void *ctx); /* what the loop turns for; NULL: nothing */
    void *is_over_ctx;
    uv_async_t alarm;   /* gramc_loop_interrupt */
    uv_async_t answers; /* gramc_approval_answer */
    uv_mutex_t answered_lock;
    gramc_approval *answered, **answered_end; /* not taken yet; under the lock */
    struct http *http;
    struct mcp_pool *mcp; /* clients of MCP servers */
    struct arena arena;   /* environment */
    const gramc_text *environment;
    size_t environment_count;
    gramc_run *runs;  /* all, until freed */
    gramc_run *ready; /* to be stepped, first come first served */
    gramc_run **ready_end;
    size_t active;      /* whose done has not been called, and holders (loop_hold) */
    uint64_t run_count; /* that were ever started */
    bool has_spent;     /* a run has ended that had programs or servers of its own: see loop_turn */
    struct tool_call *calls;
    struct worker_pool *pools; /* processes that stay between calls */
    size_t idle_workers, workers_max;
    struct loaded_plugin *plugins; /* into this process; in the arena */
    struct secrets *secrets;       /* all that were ever used here; NULL: none */
    const char *ca_file;           /* by which https servers are judged; NULL: the system's */
    const char *host;              /* the path of gramc-host; NULL: not known */
    bool owns_process;
    size_t functions; /* that work on other threads */
    bool running;
    bool interrupted; /* since it last began to turn */
    uint64_t random;  /* state of a generator for waiting times */
    gramc_clock clock;
    gramc_limiter *limiter, *own_limiter; /* the second if it is the loop's; else NULL */
    struct limiter *limiters;             /* its parts in it, of the endpoints that were asked */
    struct gate programs;                 /* those that work: exec, and workers with a call */
};

/* Has what is said on this loop searched for these, too: servers and programs outlive the run that
 * they were started for. */
gramc_status loop_learn(gramc_loop *loop, const struct secrets *secrets);
/* Steps the run as soon as the loop turns. */
void loop_ready(gramc_loop *loop, gramc_run *run);
/* gramc_loop_run does not return while somebody holds the loop, as runs do. */
static inline void loop_hold(gramc_loop *loop) {
    loop->active++;
}
static inline void loop_let_go(gramc_loop *loop) {
    loop->active--;
}
/* Turns the loop until `is_over` says so, or it is interrupted. Not while it runs. */
void loop_turn_until(gramc_loop *loop, bool (*is_over)(void *ctx), void *ctx);
/* Around whatever turns the loop, or writes to pipes and sockets without turning it: a reader that
 * is gone must not end the process, and the end of a child must be heard of. A SIGPIPE that came
 * meanwhile is taken away. */
void loop_set_signals(sigset_t *before);
void loop_restore_signals(const sigset_t *before);
gramc_clock loop_system_clock(void);
/* Between 0 and 1. Not for secrets. */
double loop_random(gramc_loop *loop);

#endif
