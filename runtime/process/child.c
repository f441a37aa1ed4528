/* Starts a program, watches its exit and keeps the end of its stderr for messages. The program is a
 * child of gramc-host, which tells its end (report.h) and ends all that it started, in whatever
 * session, when the socket to it is closed. Without a host the program is our own child, and what
 * is ended is its process group. What is written and read is the caller's. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/process/child.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/foreign.h"
#include "runtime/process/descriptors.h"
#include "runtime/net/egress.h"
#include "runtime/net/proxy.h"
#include "runtime/process/report.h"

enum {
    CHUNK = 65536,
    STDERR_KEPT = 4096,
    EXIT_UNSTARTED = 127,
    LINGER_MS = 200, /* that what it left running may hold its pipes, or it may live without */
    STOP_MS = 500,   /* between closing its input, SIGTERM and SIGKILL */
    PROGRAM_SHOWN = 400
};

struct child {
    gramc_allocator allocator;
    struct child_events events; /* ended NULL: let go */
    uv_process_t process;
    uv_pipe_t input, output, errors;
    uv_pipe_t host; /* the socket to it */
    uv_timer_t timer;
    struct secrets *const *secrets;
    uv_idle_t turn;         /* output is read on with the loop's next turn */
    char tail[STDERR_KEPT]; /* of stderr */
    size_t tail_len, unsent;
    int64_t exit_status;
    int exit_signal;
    unsigned handles;      /* that are not closed yet */
    bool supervised, gone; /* gone: the process that we started */
    bool exited, output_ended, errors_ended, input_ending, stopping, closing, tail_cut;
    const char *broken; /* why we end it, or why it did not start; NULL: neither */
    struct host_report report;
    size_t report_len;    /* that has come */
    struct egress egress; /* of its proxy; hosts NULL: it has none */
    char *hosts;          /* its own copy */
    size_t hosts_size;
    struct proxy *proxy;
    char program[PROGRAM_SHOWN]; /* its name */
    char unstarted[CHILD_WHY_MAX];
    char chunk[CHUNK];
};

struct sending {
    uv_write_t request;
    struct child *child;
    size_t size;
    char bytes[];
};

/* ## The end */

static const char *limit_of(int number) {
    if (number == SIGXCPU) return ", its limit of CPU time";
    return number == SIGXFSZ ? ", its limit of the size of a file" : "";
}

void child_explain_end(char *out, size_t size, const char *noun, const struct child_end *end) {
    gramc_text tail = end->tail;
    const char *colon = tail.len ? ": " : "";
    if (end->broken) snprintf(out, size, "%s %s%s%.*s", noun, end->broken, colon, TEXT_ARGS(tail));
    else if (end->signal)
        snprintf(out, size, "%s was ended by signal %d%s%s%.*s", noun, end->signal,
                 limit_of(end->signal), colon, TEXT_ARGS(tail));
    else
        snprintf(out, size, "%s ended with exit status %lld%s%.*s", noun, (long long)end->status,
                 colon, TEXT_ARGS(tail));
}

static void handle_closed(uv_handle_t *handle) {
    struct child *child = handle->data;
    if (--child->handles) return;
    gramc_allocator allocator = child->allocator;
    mem_free(&allocator, child->hosts, child->hosts_size);
    mem_free(&allocator, child, sizeof(*child));
}

static void close_handle(uv_handle_t *handle) {
    if (!uv_is_closing(handle)) uv_close(handle, handle_closed);
}

static void close_all(struct child *child) {
    child->closing = true;
    proxy_close(child->proxy);
    child->proxy = NULL;
    close_handle((uv_handle_t *)&child->process);
    close_handle((uv_handle_t *)&child->input);
    close_handle((uv_handle_t *)&child->output);
    close_handle((uv_handle_t *)&child->errors);
    close_handle((uv_handle_t *)&child->host);
    close_handle((uv_handle_t *)&child->timer);
    close_handle((uv_handle_t *)&child->turn);
}

/* The leader may be gone, its group goes on. A host hands SIGTERM on. */
static void signal_group(const struct child *child, int number) {
    if (child->process.pid > 1) kill(-child->process.pid, number);
}

/* A program of the same user can stop its host; that must not save it. */
static void kill_all(struct child *child) {
    if (!child->supervised) {
        signal_group(child, SIGKILL);
        return;
    }
    close_handle((uv_handle_t *)&child->host);
    proxy_close(child->proxy);
    child->proxy = NULL;
    if (!child->gone) signal_group(child, SIGCONT);
}

static void let_go(struct child *child) {
    child->events = (struct child_events){.ended = NULL};
}

/* Its last words. */
static void put_tail(struct buf *out, const struct child *child) {
    const struct foreign how = {.secrets = child->secrets ? *child->secrets : NULL,
                                .longest = FOREIGN_WORDS,
                                .cut = child->tail_cut ? CUT_AT_START : CUT_NOWHERE,
                                .end_counts = true,
                                .keeps_lines = true};
    foreign_put(out, (gramc_text){child->tail, child->tail_len}, &how);
}

static void tell_end(struct child *child) {
    struct child_events events = child->events;
    struct buf tail;
    buf_init(&tail, &child->allocator, CHILD_WHY_MAX);
    put_tail(&tail, child);
    struct child_end end = {.status = child->exit_status,
                            .signal = child->exit_signal,
                            .broken = child->broken,
                            .nomem = tail.state == BUF_NOMEM,
                            .tail = buf_view(&tail)};
    let_go(child);
    if (events.ended) events.ended(events.ctx, &end);
    buf_free(&tail);
}

/* What it left running goes as well, which ends stderr where it has not ended. */
static void check_end(struct child *child) {
    if (!child->exited || !child->output_ended || child->closing) return;
    kill_all(child);
    if (!child->errors_ended || (child->supervised && !child->gone)) return;
    close_all(child);
    tell_end(child);
}

/* Its exit is waited for, so that nothing is left of it; what it still prints is of no interest. */
void child_give_up(struct child *child, const char *why) {
    if (child->broken) return;
    child->broken = why;
    child->output_ended = true;
    kill_all(child);
    check_end(child);
}

/* It has ended and its pipes have not, or its output has and it goes on. */
static void linger_passed(uv_timer_t *timer) {
    struct child *child = timer->data;
    if (!child->exited) {
        child_give_up(child, child->events.closed);
        return;
    }
    child->output_ended = child->errors_ended = true;
    check_end(child);
}

static void take_end(struct child *child, int64_t status, int term_signal) {
    child->exited = true;
    child->exit_status = status;
    child->exit_signal = term_signal;
    if (!child->events.ended) child->output_ended = child->errors_ended = true;
    uv_timer_start(&child->timer, linger_passed, LINGER_MS, 0);
    check_end(child);
}

/* Of the host: it has told the program's end before, unless it was killed itself. */
static void on_exit(uv_process_t *process, int64_t status, int term_signal) {
    struct child *child = process->data;
    child->gone = true;
    if (child->exited) check_end(child);
    else take_end(child, status, term_signal);
}

/* ## What the host tells */

static void explain_start(struct child *child, const char *failure) {
    snprintf(child->unstarted, sizeof(child->unstarted), "`%s` %s: %s", child->program, failure,
             uv_strerror(-child->report.value));
    if (!child->broken) child->broken = child->unstarted;
    take_end(child, EXIT_UNSTARTED, 0);
}

static const char *wall_that_fails(const struct host_report *report) {
    static const char *const words[] = {
        [WALL_SCRATCH] = "cannot be given a scratch folder",
        [WALL_NETWORK] = "cannot be contained, for this system cannot hold `network: hosts`",
        [WALL_FILES] = "cannot be contained, for this system cannot hold `read` and `write`",
        [WALL_CALLS] = "cannot be contained, for this system cannot hold `network: none`"};
    bool is_known = report->wall >= 0 && report->wall < (int)(sizeof words / sizeof *words);
    return is_known ? words[report->wall] : "cannot be contained";
}

/* Where it may connect to, it does by a proxy of ours, which goes with it. */
static void serve_network(struct child *child) {
    if (child->egress.hosts && !child->proxy && !child->stopping)
        child->proxy = proxy_open(child->timer.loop, &child->allocator, &child->egress,
                                  (uv_stream_t *)&child->host);
}

static void take_report(struct child *child) {
    switch ((enum report_kind)child->report.kind) {
    case REPORT_EXITED: take_end(child, child->report.value, 0); return;
    case REPORT_SIGNALED: take_end(child, 0, child->report.value); return;
    case REPORT_NOT_STARTED: explain_start(child, "cannot be started"); return;
    case REPORT_NOT_LIMITED: explain_start(child, "cannot be given its limits"); return;
    case REPORT_NOT_CONTAINED: explain_start(child, wall_that_fails(&child->report)); return;
    case REPORT_LISTENS: serve_network(child); return;
    }
}

static void on_report_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct child *child = handle->data;
    (void)suggested;
    *out = uv_buf_init((char *)&child->report + child->report_len,
                       (unsigned)(sizeof(child->report) - child->report_len));
}

/* Of the ends only the first counts; what follows one that did not start is that it exited. */
static void on_report(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct child *child = stream->data;
    (void)bytes;
    if (len > 0) child->report_len += (size_t)len;
    if (len >= 0 && child->report_len < sizeof(child->report)) return;
    child->report_len = 0;
    if (len > 0 && !child->exited) take_report(child);
    if (len < 0 || child->exited) uv_read_stop(stream);
}

/* ## Reading and writing */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct child *child = handle->data;
    (void)suggested;
    *out = uv_buf_init(child->chunk, sizeof(child->chunk));
}

static void on_output(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes);

static void read_on(uv_idle_t *turn) {
    struct child *child = turn->data;
    uv_idle_stop(turn);
    uv_read_start((uv_stream_t *)&child->output, on_alloc, on_output);
}

/* libuv would go on reading as long as there is more: one that never stops printing would keep
 * every deadline waiting. */
static void end_turn(struct child *child) {
    uv_read_stop((uv_stream_t *)&child->output);
    uv_idle_start(&child->turn, read_on);
}

static void on_output(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct child *child = stream->data;
    if (len > 0 && child->events.output && !child->broken)
        child->events.output(child->events.ctx, bytes->base, (size_t)len);
    if (len == CHUNK && !child->closing) end_turn(child);
    if (len >= 0) return;
    child->output_ended = true;
    if (!child->exited && child->events.closed && !child->broken)
        uv_timer_start(&child->timer, linger_passed, LINGER_MS, 0);
    check_end(child);
}

static void keep_tail(struct child *child, const char *bytes, size_t len) {
    if (child->tail_len + len > STDERR_KEPT) child->tail_cut = true;
    if (len > STDERR_KEPT) {
        bytes += len - STDERR_KEPT;
        len = STDERR_KEPT;
    }
    if (child->tail_len + len > STDERR_KEPT) {
        size_t surplus = child->tail_len + len - STDERR_KEPT;
        memmove(child->tail, child->tail + surplus, child->tail_len - surplus);
        child->tail_len -= surplus;
    }
    memcpy(child->tail + child->tail_len, bytes, len);
    child->tail_len += len;
}

static void on_errors(uv_stream_t *stream, ssize_t len, const uv_buf_t *bytes) {
    struct child *child = stream->data;
    if (len > 0) keep_tail(child, bytes->base, (size_t)len);
    if (len >= 0) return;
    child->errors_ended = true;
    check_end(child);
}

static void end_input_when_sent(struct child *child) {
    if (child->input_ending && child->unsent == 0) close_handle((uv_handle_t *)&child->input);
}

/* A program need not read its input, and one that does not will end or time out: a broken pipe
 * means nothing here. */
static void on_sent(uv_write_t *request, int status) {
    struct sending *sending = request->data;
    struct child *child = sending->child;
    (void)status;
    child->unsent -= sending->size;
    mem_free(&child->allocator, sending, sizeof(*sending) + sending->size);
    end_input_when_sent(child);
}

gramc_status child_send(struct child *child, gramc_text bytes, gramc_text tail) {
    if (child->stopping || child->closing || child->input_ending) return GRAMC_NOT_FOUND;
    size_t size = bytes.len + tail.len;
    struct sending *sending = mem_alloc(&child->allocator, sizeof(*sending) + size);
    if (!sending) return GRAMC_NOMEM;
    sending->child = child;
    sending->size = size;
    sending->request.data = sending;
    if (bytes.len) memcpy(sending->bytes, bytes.ptr, bytes.len);
    if (tail.len) memcpy(sending->bytes + bytes.len, tail.ptr, tail.len);
    uv_buf_t all = uv_buf_init(sending->bytes, (unsigned)size);
    child->unsent += size;
    if (uv_write(&sending->request, (uv_stream_t *)&child->input, &all, 1, on_sent) == 0)
        return GRAMC_OK;
    child->unsent -= size;
    mem_free(&child->allocator, sending, sizeof(*sending) + size);
    return GRAMC_NOT_FOUND;
}

size_t child_unsent(const struct child *child) {
    return child->unsent;
}

void child_end_input(struct child *child) {
    child->input_ending = true;
    end_input_when_sent(child);
}

/* ## Starting */

static void adopt(struct child *child, uv_handle_t *handle) {
    handle->data = child;
    child->handles++;
}

static void init_handles(struct child *child, uv_loop_t *loop) {
    uv_pipe_t *pipes[] = {&child->input, &child->output, &child->errors, &child->host};
    uv_timer_init(loop, &child->timer);
    adopt(child, (uv_handle_t *)&child->timer);
    uv_idle_init(loop, &child->turn);
    adopt(child, (uv_handle_t *)&child->turn);
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        uv_pipe_init(loop, pipes[i], pipes[i] == &child->host); /* sockets come with reports */
        adopt(child, (uv_handle_t *)pipes[i]);
    }
}

/* libuv initialises the process handle even where spawning fails. */
static int spawn(struct child *child, uv_loop_t *loop, const struct exec_words *words) {
    uv_stdio_container_t stdio[SUPERVISOR_SOCKET + 1] = {
        {UV_CREATE_PIPE | UV_READABLE_PIPE, {.stream = (uv_stream_t *)&child->input}},
        {UV_CREATE_PIPE | UV_WRITABLE_PIPE, {.stream = (uv_stream_t *)&child->output}},
        {UV_CREATE_PIPE | UV_WRITABLE_PIPE, {.stream = (uv_stream_t *)&child->errors}},
        {UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
         {.stream = (uv_stream_t *)&child->host}},
    };
    uv_process_options_t options = {.exit_cb = on_exit,
                                    .file = words->argv[0],
                                    .args = words->argv,
                                    .env = words->environment,
                                    .cwd = words->folder,
                                    .flags = UV_PROCESS_DETACHED,
                                    .stdio_count = words->supervised ? 4 : 3,
                                    .stdio = stdio};
    if (words->owns_process && !words->supervised) descriptors_close_all_on_exec();
    int error = uv_spawn(loop, &child->process, &options);
    adopt(child, (uv_handle_t *)&child->process);
    return error;
}

/* The rules outlive who gave them. */
static bool copy_rules(struct child *child, const struct egress *rules) {
    if (!rules) return true;
    child->hosts_size = strlen(rules->hosts) + 1;
    child->hosts = mem_alloc(&child->allocator, child->hosts_size);
    if (!child->hosts) return false;
    memcpy(child->hosts, rules->hosts, child->hosts_size);
    child->egress = (struct egress){child->hosts, rules->only};
    return true;
}

static struct child *make_child(const gramc_allocator *allocator, const struct exec_words *words) {
    struct child *child = mem_alloc(allocator, sizeof(*child));
    if (!child) return NULL;
    memset(child, 0, offsetof(struct child, chunk));
    child->allocator = *allocator;
    child->secrets = words->secrets;
    child->supervised = words->supervised;
    snprintf(child->program, sizeof(child->program), "%s",
             words->program ? words->program : words->argv[0]);
    if (copy_rules(child, words->egress)) return child;
    mem_free(allocator, child, sizeof(*child));
    return NULL;
}

static void listen_to(struct child *child) {
    uv_read_start((uv_stream_t *)&child->output, on_alloc, on_output);
    uv_read_start((uv_stream_t *)&child->errors, on_alloc, on_errors);
    if (child->supervised) uv_read_start((uv_stream_t *)&child->host, on_report_room, on_report);
}

gramc_status child_start(struct child **out, uv_loop_t *loop, const gramc_allocator *allocator,
                         const struct exec_words *words, const struct child_events *events,
                         char why[CHILD_WHY_MAX]) {
    *out = NULL;
    if (words->uncontained) {
        snprintf(why, CHILD_WHY_MAX, "%s cannot be contained: there is no gramc-host",
                 events->noun);
        return GRAMC_NOT_FOUND;
    }
    struct child *child = make_child(allocator, words);
    if (!child) return GRAMC_NOMEM;
    init_handles(child, loop);
    int error = spawn(child, loop, words);
    if (error) {
        snprintf(why, CHILD_WHY_MAX, "%s `%s` cannot be started: %s", events->noun, child->program,
                 uv_strerror(error));
        close_all(child);
        return GRAMC_NOT_FOUND;
    }
    child->events = *events;
    listen_to(child);
    *out = child;
    return GRAMC_OK;
}

/* ## Stopping */

static void kill_now(uv_timer_t *timer) {
    kill_all(timer->data);
}

static void ask_to_end(uv_timer_t *timer) {
    signal_group(timer->data, SIGTERM);
    uv_timer_start(timer, kill_now, STOP_MS, 0);
}

/* Most programs end with their input; what they have not read by then is lost. The others get
 * signals. */
void child_stop(struct child *child) {
    let_go(child);
    if (child->stopping || child->closing) return;
    child->stopping = child->output_ended = child->errors_ended = true;
    if (child->exited) {
        check_end(child);
        return;
    }
    close_handle((uv_handle_t *)&child->input);
    uv_timer_start(&child->timer, ask_to_end, STOP_MS, 0);
}

void child_kill(struct child *child) {
    let_go(child);
    child->stopping = child->output_ended = child->errors_ended = true;
    kill_all(child);
    check_end(child);
}
