/* The life of one tool call: made, settled once, told to its run, freed when nobody holds it. What
 * a call does is its kind's matter: there is one tool_*.c a kind. */
#include "runtime/tool.h"

#include <stdarg.h>
#include <stddef.h>

#include "base/text.h"
#include "runtime/loop.h"
#include "runtime/secret.h"

const struct tool_kind *tool_kind_of(gramc_impl_kind kind) {
    static const struct tool_kind *const kinds[] = {
#define GRAMC_KIND(id, word, value, takes, example) [GRAMC_IMPL_##id] = &tool_##word,
#include "gramc/kinds.def"
    };
    return (size_t)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : NULL;
}

enum {
#define GRAMC_BOX(id, label, tools) BOX_KIND_##id,
#include "gramc/kinds.def"
    BOX_KINDS
};

const struct tool_kind *tool_kind_of_box(gramc_box_kind kind) {
    return (size_t)kind < BOX_KINDS ? tool_kind_of(gramc_box_tool_kind(kind)) : NULL;
}

void tool_hold(struct tool_call *call) {
    call->holds++;
}

static void destroy(struct tool_call *call) {
    *call->link = call->next;
    if (call->next) call->next->link = call->link;
    if (call->has_place) gate_leave(&call->loop->programs);
    buf_free(&call->arguments);
    buf_free(&call->result);
    mem_free(&call->loop->allocator, call, sizeof(*call));
}

void tool_let_go(struct tool_call *call) {
    if (--call->holds) return;
    call->kind->close(call);
    destroy(call);
}

static void deadline_closed(uv_handle_t *handle) {
    tool_let_go(handle->data);
}

static void stop_deadline(struct tool_call *call) {
    if (!call->has_deadline) return;
    call->has_deadline = false;
    uv_close((uv_handle_t *)&call->deadline, deadline_closed);
}

static void tell(struct tool_call *call) {
    void (*done)(void *ctx, struct tool_call *call) = call->done;
    call->done = NULL;
    if (done) done(call->ctx, call);
}

/* A short value that occurs by chance stays, where the tool was not given any. */
static enum tool_outcome hide_secrets(struct tool_call *call, enum tool_outcome outcome) {
    size_t shortest = call->bound->secrets ? SECRET_SHORTEST : SECRET_SURE;
    secrets_hide_from(call->loop->secrets, &call->result, shortest);
    if (buf_status(&call->result) == GRAMC_OK) return outcome;
    if (buf_status(&call->result) == GRAMC_NOMEM) return TOOL_NOMEM;
    buf_reset(&call->result);
    buf_puts(&call->result, "the result is longer than 1 MiB");
    return buf_status(&call->result) ? TOOL_NOMEM : TOOL_FAILED;
}

void tool_settle(struct tool_call *call, enum tool_outcome outcome) {
    if (call->settled) return;
    if (outcome != TOOL_NOMEM) outcome = hide_secrets(call, outcome);
    call->settled = true;
    call->outcome = outcome;
    stop_deadline(call);
    tell(call);
}

/* ## Waiting for a turn */

static uint64_t now(const struct tool_call *call) {
    const gramc_clock *clock = &call->loop->clock;
    return clock->now_ns(clock->ctx);
}

void tool_queued(struct tool_call *call) {
    call->queued_at = now(call);
}

void tool_dispatched(struct tool_call *call) {
    if (call->queued_at) call->queued_ns += now(call) - call->queued_at;
    call->queued_at = 0;
}

static void admitted(struct gate_wait *wait) {
    struct tool_call *call =
        (struct tool_call *)(void *)((char *)wait - offsetof(struct tool_call, wait));
    call->has_place = true;
    tool_dispatched(call);
    call->go(call);
    tool_let_go(call);
}

void tool_in_turn(struct tool_call *call, void (*go)(struct tool_call *call)) {
    struct gate *gate = &call->loop->programs;
    call->has_place = gate_try(gate);
    if (call->has_place) {
        go(call);
        return;
    }
    call->go = go;
    call->wait.admitted = admitted;
    tool_hold(call);
    tool_queued(call);
    gate_queue(gate, &call->wait);
}

static void leave_queue(struct tool_call *call) {
    gate_forget(&call->loop->programs, &call->wait);
    tool_let_go(call);
}

/* ## Settling from outside */

/* Settles from outside; the kind is told to stop before the run hears of it. */
static void settle_early(struct tool_call *call, enum tool_outcome outcome) {
    call->settled = true;
    call->outcome = outcome;
    buf_reset(&call->result);
    stop_deadline(call);
    if (call->wait.waiting) leave_queue(call);
    else call->kind->cancel(call);
    tell(call);
}

void tool_fail(struct tool_call *call, const char *format, ...) {
    va_list args;
    if (call->settled) return;
    buf_reset(&call->result);
    va_start(args, format);
    buf_vprintf(&call->result, format, args);
    va_end(args);
    tool_settle(call, buf_status(&call->result) ? TOOL_NOMEM : TOOL_FAILED);
}

static void deadline_passed(uv_timer_t *timer);

/* Work that began later than its deadline was armed has its whole time all the same. */
static bool has_time_left(struct tool_call *call) {
    uint64_t began = call->began ? call->began(call) : 0;
    uint64_t worked_ms = began ? (uv_hrtime() - began) / 1000000 : 0;
    if (!call->began || worked_ms >= call->bound->timeout_ms) return false;
    uv_timer_start(&call->deadline, deadline_passed, call->bound->timeout_ms - worked_ms, 0);
    return true;
}

static void deadline_passed(uv_timer_t *timer) {
    struct tool_call *call = timer->data;
    if (has_time_left(call)) return;
    tool_hold(call);
    settle_early(call, TOOL_TIMED_OUT);
    tool_let_go(call);
}

/* libuv's timers live in their handle: neither of these calls can fail. */
void tool_wait(struct tool_call *call) {
    uv_timer_init(&call->loop->uv, &call->deadline);
    call->deadline.data = call;
    call->has_deadline = true;
    tool_hold(call);
    uv_update_time(&call->loop->uv);
    uv_timer_start(&call->deadline, deadline_passed, call->bound->timeout_ms, 0);
}

bool tool_is_own(const struct tool_memory *memory, gramc_isolation isolation) {
    return memory && isolation == GRAMC_ISOLATION_RUN;
}

uint64_t tool_company(const struct tool_memory *memory, gramc_isolation isolation) {
    if (!memory) return 0;
    return isolation == GRAMC_ISOLATION_RUN ? memory->own : memory->company;
}

struct tool_call *tool_start(gramc_loop *loop, const struct bound_tool *bound, gramc_text arguments,
                             void (*done)(void *ctx, struct tool_call *call), void *ctx) {
    return tool_start_in(NULL, loop, bound, arguments, done, ctx);
}

static bool is_played(const struct tool_memory *memory, const struct bound_tool *bound) {
    return memory && memory->recording && !bound->kind->has_own_calls;
}

struct tool_call *tool_start_in(struct tool_memory *memory, gramc_loop *loop,
                                const struct bound_tool *bound, gramc_text arguments,
                                void (*done)(void *ctx, struct tool_call *call), void *ctx) {
    struct tool_call *call = mem_alloc(&loop->allocator, sizeof(*call));
    if (!call) return NULL;
    *call = (struct tool_call){.loop = loop,
                               .memory = memory,
                               .kind = is_played(memory, bound) ? &tool_replay : bound->kind,
                               .bound = bound,
                               .done = done,
                               .ctx = ctx,
                               .holds = 2, /* the run's and ours */
                               .next = loop->calls,
                               .link = &loop->calls};
    if (call->next) call->next->link = &call->next;
    loop->calls = call;
    buf_init(&call->arguments, &loop->allocator, (size_t)INT32_MAX);
    buf_init(&call->result, &loop->allocator, TOOL_RESULT_MAX);
    buf_text(&call->arguments, arguments);
    if (buf_status(&call->arguments)) tool_settle(call, TOOL_NOMEM);
    else call->kind->call(call);
    tool_let_go(call);
    return call;
}

void tool_release(struct tool_call *call) {
    call->done = NULL;
    if (!call->settled) settle_early(call, TOOL_FAILED);
    tool_let_go(call);
}
