/* Calls a function of this process: at once on the loop's thread, or on one of libuv's worker
 * threads if it is marked as blocking. A worker writes into a buffer of its own, which the loop
 * takes over when the work is done; a call past its deadline is abandoned, never stopped. What
 * waits for a thread has its time still before it. */
#include <stdatomic.h>

#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/builtin.h"
#include "runtime/loop.h"

/* What takes longer until a thread has it had to wait for one. */
enum { NOTICED_NS = 1000000 };

/* A function on a worker thread. */
struct job {
    uv_work_t work;
    struct tool_call *call;
    struct tool_function function;
    gramc_text arguments; /* of the call, which this job holds */
    struct buf result;
    int failed;
    uint64_t queued;
    _Atomic uint64_t began; /* 0: it waits for a thread */
};

static void describe(struct buf *out, const gramc_impl *impl) {
    buf_text(out, impl->target);
}

static void settle(struct tool_call *call, int failed) {
    switch (buf_status(&call->result)) {
    case GRAMC_OK: break;
    case GRAMC_LIMIT: tool_fail(call, "the result is longer than 1 MiB"); return;
    default: tool_settle(call, TOOL_NOMEM); return;
    }
    if (failed && call->result.len == 0) buf_puts(&call->result, "the tool failed");
    tool_settle(call, failed ? TOOL_FAILED : TOOL_FINE);
}

/* On the worker thread. */
static void work(uv_work_t *request) {
    struct job *job = request->data;
    atomic_store(&job->began, uv_hrtime());
    job->failed = job->function.run(&job->function, job->arguments, &job->result);
}

static void worked(uv_work_t *request, int status) {
    struct job *job = request->data;
    struct tool_call *call = job->call;
    call->loop->functions--;
    if (!status && job->began - job->queued >= NOTICED_NS)
        call->queued_ns = job->began - job->queued;
    if (!call->settled) {
        struct buf spare = call->result;
        call->result = job->result;
        job->result = spare;
        settle(call, job->failed || status);
    }
    tool_let_go(call);
}

static uint64_t began(const struct tool_call *call) {
    const struct job *job = call->state;
    return atomic_load(&job->began);
}

static void call_blocking(struct tool_call *call, const struct tool_function *function) {
    struct job *job = mem_alloc(&call->loop->allocator, sizeof(*job));
    if (!job) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    *job = (struct job){.call = call,
                        .function = *function,
                        .arguments = buf_view(&call->arguments),
                        .queued = uv_hrtime()};
    job->work.data = job;
    buf_init(&job->result, &call->loop->allocator, TOOL_RESULT_MAX);
    call->state = job;
    call->began = began;
    tool_wait(call);
    tool_hold(call);
    call->loop->functions++;
    uv_queue_work(&call->loop->uv, &job->work, work, worked);
}

void tool_call_function(struct tool_call *call, const struct tool_function *function) {
    if (function->blocking) call_blocking(call, function);
    else settle(call, function->run(function, buf_view(&call->arguments), &call->result));
}

/* The registry may be gone when the function is called. */
static void bind_builtin(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    const gramc_builtins *builtins = bound->builtins;
    const gramc_builtin *found = builtins_find(builtins, impl->target);
    gramc_builtin *builtin = found ? ARENA_NEW(&bound->arena, gramc_builtin) : NULL;
    if (builtin) *builtin = *found;
    choice->data = builtin;
    if (found) return;
    bound_refuse(bound, impl,
                 BOUND_JOIN(bound, TEXT("tool `"), impl->name, TEXT("` wants the builtin `"),
                            impl->target, TEXT("`, which is not registered")),
                 bound_did_you_mean(bound, builtins_nearest(builtins, impl->target),
                                    "the embedding program registers builtins"));
}

static int run_builtin(const struct tool_function *self, gramc_text arguments, struct buf *result) {
    return self->function(self->ctx, arguments, buf_writer(result));
}

static void call_builtin(struct tool_call *call) {
    const gramc_builtin *builtin = call->bound->data;
    const struct tool_function function = {run_builtin, builtin->function, builtin->ctx,
                                           builtin->blocking};
    tool_call_function(call, &function);
}

/* Work that has not begun never will. */
void tool_cancel_function(struct tool_call *call) {
    struct job *job = call->state;
    if (job) uv_cancel((uv_req_t *)&job->work);
}

void tool_close_function(struct tool_call *call) {
    struct job *job = call->state;
    if (!job) return;
    buf_free(&job->result);
    mem_free(&call->loop->allocator, job, sizeof(*job));
}

const struct tool_kind tool_builtin = {.name = "builtin",
                                       .describe = describe,
                                       .bind = bind_builtin,
                                       .call = call_builtin,
                                       .cancel = tool_cancel_function,
                                       .close = tool_close_function};
