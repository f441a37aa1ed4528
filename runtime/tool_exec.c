/* Runs a program for a call, without a shell: the arguments go to its standard input, what it
 * prints is the result, another exit status than 0 is a failure. It has a session and so a process
 * group of its own, which is killed as a whole; both pipes are drained; it inherits no descriptor
 * of ours and no environment but what is stated. process/exec_words.c makes its argv and
 * environment. */
#include <signal.h>
#include <string.h>

#include "base/text.h"
#include "runtime/bind_env.h"
#include "runtime/process/exec.h"
#include "runtime/loop.h"
#include "runtime/process/program.h"
#include "runtime/tool.h"
#include "runtime/process/worker.h"

enum {
    STDERR_KEPT = 400,
    CHUNK = 16384,
    LINGER_MS = 200 /* that a child of the program may hold its pipes after it has ended */
};

struct exec {
    struct tool_call *call;
    uv_process_t process;
    uv_pipe_t input, output, errors;
    uv_timer_t linger;
    uv_write_t write;
    bool spawned, exited, output_ended, errors_ended;
    bool closing; /* every handle is being closed */
    int64_t exit_status;
    int exit_signal;
    struct buf tail; /* end of what it wrote to stderr */
    bool tail_cut;
    char chunk[CHUNK];
};

static void describe(struct buf *out, const gramc_impl *impl) {
    for (size_t i = 0; i < impl->argc; i++) {
        if (i) buf_putc(out, ' ');
        buf_text(out, impl->argv[i]);
    }
}

static void handle_closed(uv_handle_t *handle) {
    struct exec *exec = handle->data;
    tool_let_go(exec->call);
}

static void close_handle(uv_handle_t *handle) {
    if (!uv_is_closing(handle)) uv_close(handle, handle_closed);
}

static void close_all(struct exec *exec) {
    exec->closing = true;
    close_handle((uv_handle_t *)&exec->process);
    close_handle((uv_handle_t *)&exec->input);
    close_handle((uv_handle_t *)&exec->output);
    close_handle((uv_handle_t *)&exec->errors);
    close_handle((uv_handle_t *)&exec->linger);
}

/* The leader may be gone, its group goes on. Closing the process handle would leave a zombie, so
 * that one waits for on_exit. */
static void kill_group(struct exec *exec) {
    if (exec->spawned && exec->process.pid > 1) kill(-exec->process.pid, SIGKILL);
}

static void report_exit(struct exec *exec) {
    const struct exec_end end = {.status = exec->exit_status,
                                 .signal = exec->exit_signal,
                                 .tail = buf_view(&exec->tail),
                                 .tail_cut = exec->tail_cut};
    char why[STDERR_KEPT + 100];
    exec_explain_end(why, sizeof(why), "the program", &end);
    tool_fail(exec->call, "%s", why);
}

static void strip_line_end(struct buf *result) {
    if (result->len && result->ptr[result->len - 1] == '\n') result->len--;
    if (result->len && result->ptr[result->len - 1] == '\r') result->len--;
}

static void finish(struct exec *exec) {
    if (exec->call->settled) return;
    if (exec->exit_status || exec->exit_signal) {
        report_exit(exec);
        return;
    }
    strip_line_end(&exec->call->result);
    tool_settle(exec->call, TOOL_FINE);
}

/* Done when the program has ended and both pipes have. */
static void check_done(struct exec *exec) {
    if (!exec->exited || !exec->output_ended || !exec->errors_ended || exec->closing) return;
    close_all(exec);
    finish(exec);
}

static void linger_passed(uv_timer_t *timer) {
    struct exec *exec = timer->data;
    kill_group(exec);
    exec->output_ended = exec->errors_ended = true;
    check_done(exec);
}

static void on_exit(uv_process_t *process, int64_t status, int term_signal) {
    struct exec *exec = process->data;
    exec->exited = true;
    exec->exit_status = status;
    exec->exit_signal = term_signal;
    if (exec->call->settled) close_all(exec);
    else if (!exec->output_ended || !exec->errors_ended)
        uv_timer_start(&exec->linger, linger_passed, LINGER_MS, 0);
    check_done(exec);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct exec *exec = handle->data;
    (void)suggested;
    *out = uv_buf_init(exec->chunk, sizeof(exec->chunk));
}

static void keep_tail(struct exec *exec, const char *bytes, size_t len) {
    struct buf *tail = &exec->tail;
    if (tail->len + len > STDERR_KEPT) exec->tail_cut = true;
    if (len > STDERR_KEPT) {
        bytes += len - STDERR_KEPT;
        len = STDERR_KEPT;
    }
    if (tail->len + len > STDERR_KEPT) {
        size_t surplus = tail->len + len - STDERR_KEPT;
        memmove(tail->ptr, tail->ptr + surplus, tail->len - surplus);
        tail->len -= surplus;
    }
    buf_put(tail, bytes, len);
}

static void on_errors(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct exec *exec = stream->data;
    if (len > 0) keep_tail(exec, bytes->base, (size_t)len);
    if (len >= 0) return;
    exec->errors_ended = true;
    check_done(exec);
}

/* Too much, or no memory for it: the program need not go on. */
static void refuse_output(struct exec *exec) {
    bool too_long = exec->call->result.state == BUF_TOO_BIG;
    kill_group(exec);
    if (too_long) tool_fail(exec->call, "the program printed more than 1 MiB");
    else tool_settle(exec->call, TOOL_NOMEM);
}

static void on_output(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct exec *exec = stream->data;
    if (len > 0 && !exec->call->settled) {
        buf_put(&exec->call->result, bytes->base, (size_t)len);
        if (exec->call->result.state != BUF_FINE) refuse_output(exec);
    }
    if (len >= 0) return;
    exec->output_ended = true;
    check_done(exec);
}

/* A program need not read its input: a broken pipe here means nothing. */
static void on_written(uv_write_t *request, int status) {
    struct exec *exec = request->data;
    (void)status;
    close_handle((uv_handle_t *)&exec->input);
}

static void adopt(struct exec *exec, uv_handle_t *handle) {
    handle->data = exec;
    tool_hold(exec->call);
}

static void init_handles(struct exec *exec) {
    uv_loop_t *loop = &exec->call->loop->uv;
    uv_pipe_t *pipes[] = {&exec->input, &exec->output, &exec->errors};
    uv_timer_init(loop, &exec->linger);
    adopt(exec, (uv_handle_t *)&exec->linger);
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        uv_pipe_init(loop, pipes[i], 0);
        adopt(exec, (uv_handle_t *)pipes[i]);
    }
    tool_wait(exec->call);
}

/* libuv initialises the process handle even where spawning fails. */
static int spawn(struct exec *exec, const struct exec_words *words) {
    const struct exec_streams streams = {&exec->input, &exec->output, &exec->errors, on_exit};
    int error = exec_spawn(&exec->call->loop->uv, &exec->process, words, &streams);
    adopt(exec, (uv_handle_t *)&exec->process);
    exec->spawned = error == 0;
    return error;
}

static void feed(struct exec *exec) {
    struct buf *arguments = &exec->call->arguments;
    uv_buf_t bytes = uv_buf_init(arguments->ptr, (unsigned)arguments->len);
    exec->write.data = exec;
    if (uv_write(&exec->write, (uv_stream_t *)&exec->input, &bytes, 1, on_written))
        close_handle((uv_handle_t *)&exec->input);
}

static void start(struct exec *exec, struct exec_words *words) {
    int error = spawn(exec, words);
    if (error) {
        tool_fail(exec->call, "the program `%s` cannot be started: %s", words->argv[0],
                  uv_strerror(error));
        close_all(exec);
        return;
    }
    uv_read_start((uv_stream_t *)&exec->output, on_alloc, on_output);
    uv_read_start((uv_stream_t *)&exec->errors, on_alloc, on_errors);
    feed(exec);
}

static void run_program(struct tool_call *call, const gramc_impl *impl) {
    struct exec *exec = mem_alloc(&call->loop->allocator, sizeof(*exec));
    struct arena arena;
    struct exec_words words;
    if (!exec) {
        tool_settle(call, TOOL_NOMEM);
        return;
    }
    memset(exec, 0, offsetof(struct exec, chunk));
    exec->call = call;
    buf_init(&exec->tail, &call->loop->allocator, STDERR_KEPT);
    call->state = exec;
    arena_init(&arena, &call->loop->allocator);
    if (exec_words(&words, &arena, impl, call->loop)) {
        init_handles(exec);
        start(exec, &words);
    } else {
        tool_settle(call, TOOL_NOMEM);
    }
    arena_wipe(&arena); /* its environment */
}

static void run_persistent(struct tool_call *call, const gramc_impl *impl) {
    struct worker_program program = {impl, "the program", false, TEXT("")};
    worker_call(call, &program);
}

/* Limits are set by gramc-host, which then becomes the program. */
static void call_limited(struct tool_call *call,
                         void (*run)(struct tool_call *call, const gramc_impl *impl)) {
    gramc_impl started, *impl = &started;
    struct arena arena;
    if (!bound_started(call, &started)) return;
    if (!impl_has_limits(impl)) {
        run(call, impl);
        return;
    }
    if (!call->loop->host) {
        tool_fail(call, "there is no gramc-host to set the limits of the program");
        return;
    }
    arena_init(&arena, &call->loop->allocator);
    impl = impl_hosted(&arena, impl, call->loop->host, TEXT("exec"), impl->argv, impl->argc);
    if (impl) run(call, impl);
    else tool_settle(call, TOOL_NOMEM);
    arena_free(&arena);
}

static void call_exec(struct tool_call *call) {
    call_limited(call, run_program);
}

static void call_persistent(struct tool_call *call) {
    call_limited(call, run_persistent);
}

/* What is left is closed when the killed program has been reaped. */
static void cancel(struct tool_call *call) {
    struct exec *exec = call->state;
    if (!exec || !exec->spawned) return;
    kill_group(exec);
    if (exec->exited && !exec->closing) close_all(exec);
}

static void close_exec(struct tool_call *call) {
    struct exec *exec = call->state;
    if (!exec) return;
    buf_free(&exec->tail);
    mem_free(&call->loop->allocator, exec, sizeof(*exec));
}

static const struct tool_kind persistent = {.name = "exec",
                                            .describe = describe,
                                            .call = call_persistent,
                                            .cancel = worker_cancel,
                                            .close = worker_close_call};

static void bind_exec(gramc_bound *bound, struct bound_tool *choice) {
    const gramc_impl *impl = choice->impl;
    if (impl->persistent) choice->kind = &persistent;
    if (impl->argc == 0)
        bound_refuse(
            bound, impl,
            BOUND_JOIN(bound, TEXT("tool `"), impl->name, TEXT("` names no program to run")),
            TEXT("exec takes the program and its arguments"));
    bind_environment(bound, choice);
}

const struct tool_kind tool_exec = {.name = "exec",
                                    .describe = describe,
                                    .bind = bind_exec,
                                    .call = call_exec,
                                    .cancel = cancel,
                                    .close = close_exec};
