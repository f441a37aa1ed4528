/* Runs a program for a call, without a shell: the arguments go to its standard input, what it
 * prints is the result, another exit status than 0 is a failure. What it leaves running is killed,
 * also when it went well (process/child.c). It inherits no descriptor of
 * ours and no environment but what is stated: process/exec_words.c makes its argv and environment.
 */
#include "base/diag/diag.h"
#include "base/text.h"
#include "runtime/bind_env.h"
#include "runtime/loop.h"
#include "runtime/process/child.h"
#include "runtime/process/look_up.h"
#include "runtime/process/program.h"
#include "runtime/process/worker.h"
#include "runtime/tool.h"

static void describe(struct buf *out, const gramc_impl *impl) {
    for (size_t i = 0; i < impl->argc; i++) {
        if (i) buf_putc(out, ' ');
        buf_text(out, impl->argv[i]);
    }
}

/* ## What it prints, and how it ends */

static struct child *take_child(struct tool_call *call) {
    struct child *child = call->state;
    call->state = NULL;
    return child;
}

/* Too much, or no memory for it: the program need not go on. */
static void refuse_output(struct tool_call *call) {
    child_kill(take_child(call));
    if (call->result.state == BUF_TOO_BIG) tool_fail(call, "the program printed more than 1 MiB");
    else tool_settle(call, TOOL_NOMEM);
    tool_let_go(call);
}

static void on_output(void *ctx, const char *bytes, size_t len) {
    struct tool_call *call = ctx;
    buf_put(&call->result, bytes, len);
    if (call->result.state != BUF_FINE) refuse_output(call);
}

static void strip_line_end(struct buf *result) {
    if (result->len && result->ptr[result->len - 1] == '\n') result->len--;
    if (result->len && result->ptr[result->len - 1] == '\r') result->len--;
}

static void on_ended(void *ctx, const struct child_end *end) {
    struct tool_call *call = ctx;
    char why[CHILD_WHY_MAX];
    call->state = NULL;
    if (end->nomem) {
        tool_settle(call, TOOL_NOMEM);
    } else if (end->status || end->signal) {
        child_explain_end(why, sizeof(why), "the program", end);
        tool_fail(call, "%s", why);
    } else {
        strip_line_end(&call->result);
        tool_settle(call, TOOL_FINE);
    }
    tool_let_go(call);
}

/* ## Starting */

/* Whether it reads its input is its own matter. */
static void feed(struct tool_call *call, struct child *child) {
    if (child_send(child, buf_view(&call->arguments), TEXT("")) == GRAMC_NOMEM) {
        child_kill(take_child(call));
        tool_settle(call, TOOL_NOMEM);
        tool_let_go(call);
    } else {
        child_end_input(child);
    }
}

static void start(struct tool_call *call, const struct exec_words *words) {
    const struct child_events events = {
        .output = on_output, .ended = on_ended, .ctx = call, .noun = "the program"};
    struct child *child;
    char why[CHILD_WHY_MAX] = "";
    gramc_status status =
        child_start(&child, &call->loop->uv, &call->loop->allocator, words, &events, why);
    if (status == GRAMC_NOMEM) {
        tool_settle(call, TOOL_NOMEM);
    } else if (status) {
        tool_fail(call, "%s", why);
    } else {
        call->state = child;
        tool_hold(call);
        tool_wait(call);
        feed(call, child);
    }
}

static void run_program(struct tool_call *call, const gramc_impl *impl) {
    struct arena arena;
    struct exec_words words;
    arena_init(&arena, &call->loop->allocator);
    if (exec_words(&words, &arena, impl, call->loop, call->memory)) start(call, &words);
    else tool_settle(call, TOOL_NOMEM);
    arena_wipe(&arena); /* its environment */
}

static void run_persistent(struct tool_call *call, const gramc_impl *impl) {
    struct worker_program program = {impl, "the program", false, TEXT("")};
    worker_call(call, &program);
}

/* Limits are set by gramc-host. */
static void call_limited(struct tool_call *call,
                         void (*run)(struct tool_call *call, const gramc_impl *impl)) {
    gramc_impl impl;
    if (!bound_started(call, &impl)) return;
    if ((impl_has_limits(&impl) || impl.sandbox) && !call->loop->host)
        tool_fail(call, "there is no gramc-host to set the limits of the program");
    else run(call, &impl);
}

static void start_program(struct tool_call *call) {
    call_limited(call, run_program);
}

static void call_exec(struct tool_call *call) {
    tool_in_turn(call, start_program);
}

static void call_persistent(struct tool_call *call) {
    call_limited(call, run_persistent);
}

static void cancel(struct tool_call *call) {
    struct child *child = take_child(call);
    if (!child) return;
    child_kill(child);
    tool_let_go(call);
}

/* The call holds nothing but its child, which holds the call. */
static void close_exec(struct tool_call *call) {
    (void)call;
}

static const struct tool_kind persistent = {.name = "exec",
                                            .describe = describe,
                                            .sandbox = environment_sandbox,
                                            .call = call_persistent,
                                            .cancel = worker_cancel,
                                            .close = worker_close_call};

static void check_program(gramc_bound *bound, const gramc_impl *impl) {
    gramc_text near, why = program_problem(&bound->arena, impl, bound->path, &near);
    const struct bind_place place = {impl->file, impl->start, impl->end};
    if (why.len)
        BOUND_TELL(bound, D_IMPL_CANNOT_WORK, &place, bound_did_you_mean(bound, near, ""),
                   impl->name, why);
}

static void bind_exec(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    if (impl->persistent) choice->kind = &persistent;
    if (impl->argc == 0)
        bound_refuse(
            bound, impl,
            BOUND_JOIN(bound, TEXT("tool `"), impl->name, TEXT("` names no program to run")),
            TEXT("exec takes the program and its arguments"));
    else if (bound->path.ptr) check_program(bound, impl);
    bind_environment(bound, choice);
}

const struct tool_kind tool_exec = {.name = "exec",
                                    .describe = describe,
                                    .bind = bind_exec,
                                    .sandbox = environment_sandbox,
                                    .call = call_exec,
                                    .cancel = cancel,
                                    .close = close_exec};
