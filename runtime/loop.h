/* A loop: libuv's, the connections, the runs and the tool calls in flight. One thread. */
#ifndef RUNTIME_LOOP_H
#define RUNTIME_LOOP_H

#include <uv.h>

#include "base/mem.h"
#include "gramc/runtime.h"

struct http;
struct mcp_pool;
struct tool_call;

struct gramc_loop {
    gramc_allocator allocator;
    uv_loop_t uv;
    uv_idle_t idle;   /* active while runs are ready */
    uv_async_t alarm; /* gramc_loop_interrupt */
    struct http *http;
    struct mcp_pool *mcp; /* clients of MCP servers */
    struct arena arena;   /* environment */
    const gramc_text *environment;
    size_t environment_count;
    gramc_run *runs;  /* all, until freed */
    gramc_run *ready; /* to be stepped, first come first served */
    gramc_run **ready_end;
    size_t active; /* whose done has not been called */
    struct tool_call *calls;
    bool running;
    bool interrupted; /* since it last began to turn */
    uint64_t random;  /* state of a generator for waiting times */
};

/* Steps the run as soon as the loop turns. */
void loop_ready(gramc_loop *loop, gramc_run *run);
/* Turns the loop until `is_over` says so, or it is interrupted. Not while it runs. */
void loop_turn_until(gramc_loop *loop, bool (*is_over)(void *ctx), void *ctx);
/* Between 0 and 1. Not for secrets. */
double loop_random(gramc_loop *loop);

#endif
