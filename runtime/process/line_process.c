/* Runs a program and cuts what it prints into lines. Its stderr is drained, and the end of it kept
 * for messages. The process has a group of its own, which is ended as a whole, first by an end
 * of input, then by signals. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/process/line_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { STDERR_KEPT = 300, CHUNK = 65536, LINGER_MS = 200 };

struct line_process {
    gramc_allocator allocator;
    uv_loop_t *loop;
    struct line_process_events events; /* line NULL: let go */
    uv_process_t process;
    uv_pipe_t input, output, errors;
    uv_timer_t timer;
    uv_idle_t turn;  /* what it printed is read on with the loop's next turn */
    struct buf line; /* what came of the next one */
    char tail[STDERR_KEPT + 1];
    size_t tail_len, unsent;
    int64_t exit_status;
    int exit_signal;
    unsigned handles; /* that are not closed yet */
    bool exited, output_ended, stopping, closing, tail_cut;
    const char *broken; /* why we end it; NULL: we do not */
    char chunk[CHUNK];
};

struct sending {
    uv_write_t request;
    struct line_process *process;
    size_t size;
    char bytes[];
};

/* ## The end */

static void handle_closed(uv_handle_t *handle) {
    struct line_process *process = handle->data;
    if (--process->handles) return;
    gramc_allocator allocator = process->allocator;
    buf_free(&process->line);
    mem_free(&allocator, process, sizeof(*process));
}

static void close_handle(uv_handle_t *handle) {
    if (!uv_is_closing(handle)) uv_close(handle, handle_closed);
}

static void close_all(struct line_process *process) {
    process->closing = true;
    close_handle((uv_handle_t *)&process->process);
    close_handle((uv_handle_t *)&process->input);
    close_handle((uv_handle_t *)&process->output);
    close_handle((uv_handle_t *)&process->errors);
    close_handle((uv_handle_t *)&process->timer);
    close_handle((uv_handle_t *)&process->turn);
}

static void signal_group(struct line_process *process, int number) {
    if (process->process.pid > 1) kill(-process->process.pid, number);
}

static void tell_end(struct line_process *process) {
    struct line_process_events events = process->events;
    struct exec_end end = {.status = process->exit_status,
                           .signal = process->exit_signal,
                           .broken = process->broken,
                           .nomem = process->line.state == BUF_NOMEM,
                           .tail = {process->tail, process->tail_len},
                           .tail_cut = process->tail_cut};
    process->events = (struct line_process_events){.line = NULL};
    if (events.line) events.ended(events.ctx, &end);
}

/* What it left running goes as well. */
static void check_end(struct line_process *process) {
    if (!process->exited || !process->output_ended || process->closing) return;
    signal_group(process, SIGKILL);
    close_all(process);
    tell_end(process);
}

/* It cannot be talked to any more. Its exit is waited for, so that nothing is left of it. */
static void give_up(struct line_process *process, const char *why) {
    if (process->broken) return;
    process->broken = why;
    process->output_ended = true; /* what it still prints is of no interest */
    signal_group(process, SIGKILL);
    check_end(process);
}

/* One of the two has ended, and the other has not followed. */
static void linger_passed(uv_timer_t *timer) {
    struct line_process *process = timer->data;
    if (!process->exited) {
        give_up(process, "closed its output");
        return;
    }
    process->output_ended = true;
    check_end(process);
}

static void on_exit(uv_process_t *handle, int64_t status, int term_signal) {
    struct line_process *process = handle->data;
    process->exited = true;
    process->exit_status = status;
    process->exit_signal = term_signal;
    if (!process->events.line) process->output_ended = true;
    if (!process->output_ended) uv_timer_start(&process->timer, linger_passed, LINGER_MS, 0);
    check_end(process);
}

/* ## Lines */

static void take_line(struct line_process *process, gramc_text line) {
    if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
    if (line.len && process->events.line) process->events.line(process->events.ctx, line);
}

/* The receiver may stop us in the middle. */
static void take_bytes(struct line_process *process, const char *bytes, size_t len) {
    while (len && process->events.line) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;
        if (end && process->line.len == 0) {
            take_line(process, (gramc_text){bytes, part});
        } else {
            buf_put(&process->line, bytes, part);
            if (process->line.state != BUF_FINE) {
                give_up(process, process->line.state == BUF_TOO_BIG
                                     ? "sent a line longer than 16 MiB"
                                     : "could not be read: out of memory");
                return;
            }
            if (end) {
                take_line(process, buf_view(&process->line));
                buf_reset(&process->line);
            }
        }
        part += end != NULL;
        bytes += part;
        len -= part;
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct line_process *process = handle->data;
    (void)suggested;
    *out = uv_buf_init(process->chunk, sizeof(process->chunk));
}

static void on_output(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes);

static void read_on(uv_idle_t *turn) {
    struct line_process *process = turn->data;
    uv_idle_stop(turn);
    if (!process->closing) uv_read_start((uv_stream_t *)&process->output, on_alloc, on_output);
}

/* libuv would go on reading as long as there is more: one that never stops printing would keep
 * every deadline waiting. */
static void end_turn(struct line_process *process) {
    if (process->closing) return;
    uv_read_stop((uv_stream_t *)&process->output);
    uv_idle_start(&process->turn, read_on);
}

static void on_output(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct line_process *process = stream->data;
    if (len > 0) take_bytes(process, bytes->base, (size_t)len);
    if (len == CHUNK) end_turn(process);
    if (len >= 0) return;
    process->output_ended = true;
    bool alive = !process->exited && process->events.line && !process->broken;
    if (alive) uv_timer_start(&process->timer, linger_passed, LINGER_MS, 0);
    check_end(process);
}

static void on_errors(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct line_process *process = stream->data;
    const char *from = bytes->base;
    if (len <= 0) return;
    size_t count = (size_t)len;
    if (process->tail_len + count > STDERR_KEPT) process->tail_cut = true;
    if (count > STDERR_KEPT) from += count - STDERR_KEPT, count = STDERR_KEPT;
    if (process->tail_len + count > STDERR_KEPT) {
        size_t surplus = process->tail_len + count - STDERR_KEPT;
        memmove(process->tail, process->tail + surplus, process->tail_len - surplus);
        process->tail_len -= surplus;
    }
    memcpy(process->tail + process->tail_len, from, count);
    process->tail_len += count;
}

static void on_sent(uv_write_t *request, int status) {
    struct sending *sending = request->data;
    (void)status; /* a server that does not read any more will end, or time out */
    sending->process->unsent -= sending->size;
    mem_free(&sending->process->allocator, sending, sizeof(*sending) + sending->size);
}

size_t line_process_unsent(const struct line_process *process) {
    return process->unsent;
}

gramc_status line_process_send(struct line_process *process, gramc_text line) {
    if (process->unsent + line.len > LINE_UNSENT_MAX) return GRAMC_LIMIT;
    if (process->stopping || process->closing) return GRAMC_NOT_FOUND;
    size_t size = line.len + 1;
    struct sending *sending = mem_alloc(&process->allocator, sizeof(*sending) + size);
    if (!sending) return GRAMC_NOMEM;
    sending->process = process;
    sending->size = size;
    sending->request.data = sending;
    memcpy(sending->bytes, line.ptr, line.len);
    sending->bytes[line.len] = '\n';
    uv_buf_t bytes = uv_buf_init(sending->bytes, (unsigned)size);
    process->unsent += size;
    if (uv_write(&sending->request, (uv_stream_t *)&process->input, &bytes, 1, on_sent) == 0)
        return GRAMC_OK;
    process->unsent -= size;
    mem_free(&process->allocator, sending, sizeof(*sending) + size);
    return GRAMC_NOT_FOUND;
}

/* ## Starting and stopping */

static void adopt(struct line_process *process, uv_handle_t *handle) {
    handle->data = process;
    process->handles++;
}

static void init_handles(struct line_process *process) {
    uv_pipe_t *pipes[] = {&process->input, &process->output, &process->errors};
    uv_timer_init(process->loop, &process->timer);
    adopt(process, (uv_handle_t *)&process->timer);
    uv_idle_init(process->loop, &process->turn);
    adopt(process, (uv_handle_t *)&process->turn);
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        uv_pipe_init(process->loop, pipes[i], 0);
        adopt(process, (uv_handle_t *)pipes[i]);
    }
}

/* libuv initialises the process handle even where spawning fails. */
static int spawn(struct line_process *process, const struct exec_words *words) {
    const struct exec_streams streams = {&process->input, &process->output, &process->errors,
                                         on_exit};
    int error = exec_spawn(process->loop, &process->process, words, &streams);
    adopt(process, (uv_handle_t *)&process->process);
    return error;
}

gramc_status line_process_start(struct line_process **out, uv_loop_t *loop,
                                const gramc_allocator *allocator, const struct exec_words *words,
                                const struct line_process_events *events, char why[256]) {
    struct line_process *process = mem_alloc(allocator, sizeof(*process));
    *out = NULL;
    if (!process) return GRAMC_NOMEM;
    memset(process, 0, offsetof(struct line_process, chunk));
    process->allocator = *allocator;
    process->loop = loop;
    buf_init(&process->line, allocator, LINE_LONGEST);
    init_handles(process);
    int error = spawn(process, words);
    if (error) {
        snprintf(why, 256, "%s `%s` cannot be started: %s", events->noun, words->argv[0],
                 uv_strerror(error));
        process->process.pid = 0;
        close_all(process);
        return GRAMC_NOT_FOUND;
    }
    process->events = *events;
    uv_read_start((uv_stream_t *)&process->output, on_alloc, on_output);
    uv_read_start((uv_stream_t *)&process->errors, on_alloc, on_errors);
    *out = process;
    return GRAMC_OK;
}

static void kill_now(uv_timer_t *timer) {
    signal_group(timer->data, SIGKILL);
}

static void ask_to_end(uv_timer_t *timer) {
    signal_group(timer->data, SIGTERM);
    uv_timer_start(timer, kill_now, LINE_STOP_MS, 0);
}

/* Most servers end with their input; what they have not read by then is lost. The others get
 * signals. */
void line_process_stop(struct line_process *process) {
    process->events = (struct line_process_events){.line = NULL};
    if (process->stopping || process->closing) return;
    process->stopping = true;
    process->output_ended = true;
    if (process->exited) {
        check_end(process);
        return;
    }
    close_handle((uv_handle_t *)&process->input);
    uv_timer_start(&process->timer, ask_to_end, LINE_STOP_MS, 0);
}

void line_process_kill(struct line_process *process) {
    process->events = (struct line_process_events){.line = NULL};
    if (process->closing) return;
    process->stopping = process->output_ended = true;
    signal_group(process, SIGKILL);
    check_end(process);
}
