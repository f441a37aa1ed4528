/* Turns libuv's loop until no run is left. Runs that may go on without waiting stand in the ready
 * list, which an idle handle empties. Asking models is ask.c's work, calling tools tool.c's. */
#include "runtime/loop.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "runtime/limiter.h"
#include "runtime/net/http.h"
#include "runtime/mcp/server.h"
#include "base/options.h"
#include "runtime/approval.h"
#include "runtime/capacity.h"
#include "runtime/run.h"
#include "runtime/secret.h"
#include "runtime/tool.h"
#include "runtime/process/worker.h"

/* ## Secrets */

gramc_status loop_learn(gramc_loop *loop, const struct secrets *secrets) {
    return secrets_merge(&loop->secrets, &loop->allocator, secrets);
}

/* ## Ready runs */

static void step_ready(uv_idle_t *idle) {
    gramc_loop *loop = idle->data;
    gramc_run *run = loop->ready;
    loop->ready = NULL;
    loop->ready_end = &loop->ready;
    uv_idle_stop(&loop->idle);
    while (run) {
        gramc_run *next = run->next_ready;
        run->is_ready = false;
        run_step(run);
        run = next;
    }
}

void loop_ready(gramc_loop *loop, gramc_run *run) {
    if (run->is_ready) return;
    run->is_ready = true;
    run->next_ready = NULL;
    *loop->ready_end = run;
    loop->ready_end = &run->next_ready;
    uv_idle_start(&loop->idle, step_ready);
}

/* splitmix64: https://prng.di.unimi.it/splitmix64.c (public domain) */
double loop_random(gramc_loop *loop) {
    uint64_t z = loop->random += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* ## Making and freeing */

static void on_alarm(uv_async_t *async) {
    gramc_loop *loop = async->data;
    loop->interrupted = true;
    for (gramc_run *run = loop->runs; run; run = run->next) gramc_run_cancel(run);
}

/* A text with a NUL would be another one to the programs. */
static bool are_usable(const gramc_loop_options *options) {
    for (size_t i = 0; i < options->environment_count; i++)
        if (text_has_nul(options->environment[i])) return false;
    return !text_has_nul(options->host) && !text_has_nul(options->ca_file);
}

static gramc_status copy_options(gramc_loop *loop, const gramc_loop_options *options) {
    gramc_text *copy =
        arena_array(&loop->arena, options->environment_count + 1, sizeof(gramc_text));
    for (size_t i = 0; copy && i < options->environment_count; i++)
        copy[i] = arena_text(&loop->arena, options->environment[i]);
    loop->environment = copy;
    loop->environment_count = options->environment_count;
    if (options->ca_file.len) loop->ca_file = arena_text(&loop->arena, options->ca_file).ptr;
    if (options->host.len) loop->host = arena_text(&loop->arena, options->host).ptr;
    return loop->arena.oom ? GRAMC_NOMEM : GRAMC_OK;
}

/* Timers run before the loop waits: what they have ended is not waited for. */
static void look_before_waiting(uv_prepare_t *prepare) {
    gramc_loop *loop = prepare->data;
    if (loop->is_over && loop->is_over(loop->is_over_ctx)) uv_stop(&loop->uv);
}

static void close_idles(gramc_loop *loop) {
    uv_close((uv_handle_t *)&loop->idle, NULL);
    uv_close((uv_handle_t *)&loop->before_waiting, NULL);
    gate_close(&loop->programs, NULL);
}

/* *opened: what approvals_free is for is there. */
static gramc_status init_handles(gramc_loop *loop, const gramc_loop_options *options,
                                 bool *opened) {
    struct capacity can = capacity_find(options->max_programs, options->max_connections);
    uv_idle_init(&loop->uv, &loop->idle);
    uv_prepare_init(&loop->uv, &loop->before_waiting);
    uv_prepare_start(&loop->before_waiting, look_before_waiting);
    uv_unref((uv_handle_t *)&loop->before_waiting);
    loop->before_waiting.data = loop;
    gate_init(&loop->programs, &loop->uv, can.programs);
    loop->idle.data = loop;
    loop->alarm.data = loop;
    if (uv_async_init(&loop->uv, &loop->alarm, on_alarm)) {
        close_idles(loop);
        return GRAMC_NOMEM;
    }
    gramc_status status = approvals_open(loop);
    bool has_approvals = status == GRAMC_OK;
    if (!status) status = http_new(&loop->http, &loop->uv, &loop->allocator);
    if (!status && loop->ca_file) http_trust(loop->http, loop->ca_file);
    if (!status) http_limit(loop->http, can.connections);
    if (status) {
        close_idles(loop);
        uv_close((uv_handle_t *)&loop->alarm, NULL);
        if (has_approvals) approvals_close(loop);
    }
    *opened = has_approvals;
    return status;
}

static uint64_t system_now(void *ctx) {
    (void)ctx;
    return uv_hrtime();
}

static int64_t system_wall(void *ctx) {
    uv_timeval64_t now;
    (void)ctx;
    return uv_gettimeofday(&now) ? -1 : now.tv_sec * 1000 + now.tv_usec / 1000;
}

gramc_clock loop_system_clock(void) {
    return (gramc_clock){system_now, system_wall, NULL};
}

gramc_status gramc_loop_new(gramc_loop **out, const gramc_loop_options *given) {
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    *out = NULL;
    if (!are_usable(&options)) return GRAMC_USAGE;
    gramc_allocator allocator = options.allocator ? *options.allocator : mem_default();
    bool opened = false;
    gramc_loop *loop = mem_alloc(&allocator, sizeof(*loop));
    if (!loop) return GRAMC_NOMEM;
    *loop = (gramc_loop){
        .allocator = allocator, .random = uv_hrtime(), .owns_process = options.owns_process};
    loop->clock = options.clock ? *options.clock : loop_system_clock();
    loop->ready_end = &loop->ready;
    loop->workers_max = options.max_workers ? options.max_workers : WORKERS_DEFAULT;
    arena_init(&loop->arena, &allocator);
    gramc_status status = copy_options(loop, &options);
    if (!status && !options.limiter) status = gramc_limiter_new(&loop->own_limiter, &allocator);
    loop->limiter = options.limiter ? options.limiter : loop->own_limiter;
    if (!status && uv_loop_init(&loop->uv)) status = GRAMC_NOMEM;
    if (!status && (status = init_handles(loop, &options, &opened))) {
        uv_run(&loop->uv, UV_RUN_DEFAULT);
        uv_loop_close(&loop->uv);
        if (opened) approvals_free(loop);
    }
    if (status) {
        gramc_limiter_free(loop->own_limiter);
        arena_free(&loop->arena);
        mem_free(&allocator, loop, sizeof(*loop));
        return status;
    }
    *out = loop;
    return GRAMC_OK;
}

void gramc_loop_interrupt(gramc_loop *loop) {
    uv_async_send(&loop->alarm);
}

/* libuv writes to pipes whose reader may be gone: SIGPIPE is kept off this thread, and one that
 * came meanwhile is taken out before the mask is restored. It learns from SIGCHLD that a program
 * has ended: where the caller, or who started it, has that blocked, it would wait for ever. */
void loop_set_signals(sigset_t *before) {
    sigset_t pipe_only, child_only;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigemptyset(&child_only);
    sigaddset(&child_only, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &pipe_only, before);
    pthread_sigmask(SIG_UNBLOCK, &child_only, NULL);
}

void loop_restore_signals(const sigset_t *before) {
    sigset_t pipe_only, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    struct timespec at_once = {0, 0};
    if (!sigismember(before, SIGPIPE) && !sigpending(&pending) && sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_only, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* What a run had for itself is closed when nothing of it is being called any more: a run may end in
 * the middle of an answer of its own program. */
static void turn(gramc_loop *loop) {
    uv_run(&loop->uv, UV_RUN_ONCE);
    if (!loop->has_spent) return;
    loop->has_spent = false;
    worker_close_spent(loop);
    mcp_pool_close_spent(loop);
}

void loop_turn_until(gramc_loop *loop, bool (*is_over)(void *ctx), void *ctx) {
    sigset_t before;
    loop->running = true;
    loop->interrupted = false;
    loop->is_over = is_over;
    loop->is_over_ctx = ctx;
    loop_set_signals(&before);
    while (!is_over(ctx) && !loop->interrupted) turn(loop);
    loop_restore_signals(&before);
    loop->is_over = NULL;
    loop->running = false;
}

static bool nothing_runs(void *ctx) {
    return ((const gramc_loop *)ctx)->active == 0;
}

gramc_status gramc_loop_run(gramc_loop *loop) {
    sigset_t before;
    if (loop->running) return GRAMC_USAGE;
    loop->running = true;
    loop->is_over = nothing_runs;
    loop->is_over_ctx = loop;
    loop_set_signals(&before);
    while (loop->active) turn(loop);
    loop_restore_signals(&before);
    loop->is_over = NULL;
    loop->running = false;
    return GRAMC_OK;
}

/* Ends all that can be ended. What cannot, a function on another thread, keeps the loop alive. */
static void end_all(gramc_loop *loop) {
    while (loop->active) {
        for (gramc_run *run = loop->runs; run; run = run->next) gramc_run_cancel(run);
        uv_run(&loop->uv, UV_RUN_ONCE);
    }
    while (loop->ready) step_ready(&loop->idle); /* over, but still in the list */
    limiters_close(loop);
    worker_close_pools(loop);
    close_idles(loop);
    uv_close((uv_handle_t *)&loop->alarm, NULL);
    approvals_close(loop);
    mcp_pool_close(loop);
    while (!http_is_idle(loop->http)) uv_run(&loop->uv, UV_RUN_ONCE); /* sessions are ended */
    http_close(loop->http);
}

static void patience_passed(uv_timer_t *timer) {
    *(bool *)timer->data = true;
}

/* False if a function still works when patience is over. */
static bool turn_out(gramc_loop *loop, uint32_t patience_ms) {
    uv_timer_t timer;
    bool passed = false;
    uv_timer_init(&loop->uv, &timer);
    timer.data = &passed;
    uv_update_time(&loop->uv);
    uv_timer_start(&timer, patience_passed, patience_ms, 0);
    while (loop->functions && !passed) uv_run(&loop->uv, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&loop->uv, loop->functions ? UV_RUN_NOWAIT : UV_RUN_DEFAULT);
    return loop->functions == 0;
}

static void free_loop(gramc_loop *loop) {
    uv_loop_close(&loop->uv);
    approvals_free(loop);
    gramc_allocator allocator = loop->allocator;
    secrets_free(loop->secrets);
    gramc_limiter_free(loop->own_limiter);
    arena_free(&loop->arena);
    mem_free(&allocator, loop, sizeof(*loop));
}

void gramc_loop_free(gramc_loop *loop) {
    sigset_t before;
    if (!loop) return;
    loop_set_signals(&before);
    end_all(loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    loop_restore_signals(&before);
    free_loop(loop);
}

gramc_status gramc_loop_close(gramc_loop *loop, uint32_t patience_ms) {
    sigset_t before;
    if (!loop) return GRAMC_OK;
    loop_set_signals(&before);
    end_all(loop);
    bool ended = turn_out(loop, patience_ms);
    loop_restore_signals(&before);
    if (!ended) return GRAMC_LIMIT;
    free_loop(loop);
    return GRAMC_OK;
}
