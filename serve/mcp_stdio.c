/* Carries the messages between one MCP client and mcp_peer.c: a line each, on a pair of
 * descriptors; ends when the client has gone and its calls have ended. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write_all.h"
#include "runtime/loop.h"
#include "serve/mcp_peer.h"
#include "serve/mcp_watch.h"

enum { CHUNK = 65536, UNSENT_MAX = 4 * MCP_LINE_MAX, WHY_LENGTH = 256 };

struct mcp_stdio {
    gramc_allocator allocator;
    struct mcp_stdio_options options;
    struct mcp_peer peer;
    union {
        uv_handle_t handle;
        uv_pipe_t pipe;
        uv_idle_t file; /* is read whenever there is nothing else to do */
    } input;
    uv_pipe_t output;
    uv_timer_t tick, grace;
    uv_async_t stop;
    size_t handles; /* that are not closed yet */
    struct buf line;
    size_t seen; /* of it, where no end of a line is */
    size_t unsent;
    struct shelf_watch watch;
    bool polls_input, polls_output;
    bool is_over;   /* nothing more comes of the client */
    bool is_broken; /* it takes nothing any more */
    bool is_closing;
};

struct line_write {
    uv_write_t request;
    struct mcp_stdio *server;
    struct buf bytes;
};

static void log_it(const struct mcp_stdio *server, const char *what) {
    const gramc_writer *log = &server->options.log;
    char line[WHY_LENGTH];
    int len = snprintf(line, sizeof(line), "gramc: %s\n", what);
    if (log->write && len > 0 && (size_t)len < sizeof(line))
        log->write(log->ctx, line, (size_t)len);
}

/* ## The end */

static void on_closed(uv_handle_t *handle) {
    struct mcp_stdio *server = handle->data;
    if (--server->handles == 0) loop_let_go(server->options.loop);
}

static void close_handle(uv_handle_t *handle) {
    if (!uv_is_closing(handle)) uv_close(handle, on_closed);
}

static void close_all(struct mcp_stdio *server) {
    if (server->is_closing) return;
    server->is_closing = true;
    mcp_peer_close(&server->peer);
    close_handle(&server->input.handle);
    if (server->polls_output) close_handle((uv_handle_t *)&server->output);
    close_handle((uv_handle_t *)&server->tick);
    close_handle((uv_handle_t *)&server->grace);
    close_handle((uv_handle_t *)&server->stop);
}

/* Calls that work, and answers that are not taken yet, are waited for. */
static void close_if_over(struct mcp_stdio *server) {
    bool waits = server->peer.calling || server->unsent;
    if (server->is_over && !server->is_closing && (server->is_broken || !waits)) close_all(server);
}

static void on_grace(uv_timer_t *timer) {
    struct mcp_stdio *server = timer->data;
    if (server->peer.calling) log_it(server, "calls were still at work, and are canceled");
    close_all(server);
}

static void end_input(struct mcp_stdio *server) {
    if (server->is_over) return;
    server->is_over = true;
    if (server->polls_input) uv_read_stop((uv_stream_t *)&server->input.pipe);
    else uv_idle_stop(&server->input.file);
    mcp_peer_dismiss(&server->peer);
    uv_timer_start(&server->grace, on_grace, server->options.grace_ms, 0);
}

static void give_up(struct mcp_stdio *server, const char *why) {
    if (!server->is_broken) log_it(server, why);
    server->is_broken = true;
    server->is_over = true;
}

/* ## To the client */

static void on_written(uv_write_t *request, int error) {
    struct line_write *write = request->data;
    struct mcp_stdio *server = write->server;
    gramc_allocator allocator = server->allocator;
    server->unsent -= write->bytes.len;
    buf_free(&write->bytes);
    mem_free(&allocator, write, sizeof(*write));
    if (error && error != UV_ECANCELED) give_up(server, "the client takes no answers any more");
    close_if_over(server);
}

static bool queue(struct mcp_stdio *server, struct buf *message) {
    struct line_write *write = mem_alloc(&server->allocator, sizeof(*write));
    if (!write) return false;
    *write = (struct line_write){.server = server, .bytes = *message};
    write->request.data = write;
    uv_buf_t piece = uv_buf_init(write->bytes.ptr, (unsigned)write->bytes.len);
    if (uv_write(&write->request, (uv_stream_t *)&server->output, &piece, 1, on_written)) {
        mem_free(&server->allocator, write, sizeof(*write));
        return false;
    }
    server->unsent += message->len;
    buf_init(message, &server->allocator, 1);
    return true;
}

static void send_line(void *ctx, struct buf *message, bool is_answer) {
    struct mcp_stdio *server = ctx;
    (void)is_answer;
    if (server->is_broken || server->is_closing) return;
    message->max = SIZE_MAX;
    buf_putc(message, '\n');
    bool is_sent = buf_status(message) == GRAMC_OK;
    if (is_sent && server->polls_output) is_sent = queue(server, message);
    else if (is_sent) is_sent = write_all(server->options.output, buf_view(message));
    if (!is_sent) give_up(server, "an answer cannot be sent");
    else if (server->unsent > UNSENT_MAX) give_up(server, "the client reads no answers");
}

static void on_idle(void *ctx) {
    (void)ctx; /* whoever made the last call end looks himself: close_if_over, at the next tick */
}

/* ## From the client */

static void take_lines(struct mcp_stdio *server) {
    size_t begin = 0;
    const char *end;
    while (!server->is_broken &&
           (end = memchr(server->line.ptr + server->seen, '\n', server->line.len - server->seen))) {
        size_t at = (size_t)(end - server->line.ptr);
        gramc_text line = text_trim(text_slice(buf_view(&server->line), begin, at));
        if (line.len) mcp_peer_take(&server->peer, line);
        begin = server->seen = at + 1;
    }
    server->line.len -= begin;
    if (begin && server->line.len)
        memmove(server->line.ptr, server->line.ptr + begin, server->line.len);
    server->seen = server->line.len;
}

/* A line that has not ended when the client goes is one, too. */
static void take_rest(struct mcp_stdio *server) {
    gramc_text line = text_trim(buf_view(&server->line));
    if (line.len && !server->is_broken) mcp_peer_take(&server->peer, line);
    server->line.len = server->seen = 0;
    end_input(server);
}

static void take_bytes(struct mcp_stdio *server, ssize_t count) {
    if (count < 0) {
        take_rest(server);
    } else if (count > 0) {
        buf_took(&server->line, (size_t)count);
        take_lines(server);
    }
    close_if_over(server);
}

static void refuse_long(struct mcp_stdio *server) {
    bool is_long = server->line.state == BUF_TOO_BIG;
    mcp_peer_refuse(&server->peer, TEXT("null"), MCP_CODE_REQUEST,
                    is_long ? "the message is too large" : "out of memory");
    end_input(server);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    struct mcp_stdio *server = handle->data;
    char *room = buf_reserve(&server->line, CHUNK);
    (void)suggested;
    *out = uv_buf_init(room, room ? CHUNK : 0);
}

static void on_bytes(uv_stream_t *stream, ssize_t count, const uv_buf_t *piece) {
    struct mcp_stdio *server = stream->data;
    (void)piece;
    if (count == UV_ENOBUFS) refuse_long(server);
    else take_bytes(server, count);
    close_if_over(server);
}

static void on_file(uv_idle_t *idle) {
    struct mcp_stdio *server = idle->data;
    char *room = buf_reserve(&server->line, CHUNK);
    if (!room) {
        refuse_long(server);
        close_if_over(server);
        return;
    }
    ssize_t count = read(server->options.input, room, CHUNK);
    if (count < 0 && errno == EINTR) return;
    take_bytes(server, count > 0 ? count : -1);
}

/* ## Now and then */

static void watch_files(struct mcp_stdio *server) {
    struct tool_shelf *shelf = shelf_watch_look(&server->watch);
    if (!shelf) return;
    mcp_peer_change(&server->peer, shelf);
    shelf_let_go(shelf);
}

static void on_tick(uv_timer_t *timer) {
    struct mcp_stdio *server = timer->data;
    mcp_peer_tick(&server->peer);
    if (!server->is_over) watch_files(server);
    close_if_over(server);
}

static void on_stop(uv_async_t *async) {
    struct mcp_stdio *server = async->data;
    end_input(server);
    close_if_over(server);
}

/* ## The beginning */

static bool can_poll(int descriptor) {
    uv_handle_type type = uv_guess_handle(descriptor);
    return type == UV_NAMED_PIPE || type == UV_TTY || type == UV_TCP;
}

static void own(struct mcp_stdio *server, uv_handle_t *handle) {
    handle->data = server;
    server->handles++;
}

/* False: a descriptor cannot be used; what was opened is to be closed. */
static bool open_streams(struct mcp_stdio *server) {
    uv_loop_t *uv = &server->options.loop->uv;
    bool is_open = true;
    server->polls_input = can_poll(server->options.input);
    server->polls_output = can_poll(server->options.output);
    if (server->polls_input) uv_pipe_init(uv, &server->input.pipe, 0);
    else uv_idle_init(uv, &server->input.file);
    own(server, &server->input.handle);
    if (server->polls_input)
        is_open = !uv_pipe_open(&server->input.pipe, server->options.input) &&
                  !uv_read_start((uv_stream_t *)&server->input.pipe, on_room, on_bytes);
    else uv_idle_start(&server->input.file, on_file);
    if (!server->polls_output) return is_open;
    uv_pipe_init(uv, &server->output, 0);
    own(server, (uv_handle_t *)&server->output);
    return !uv_pipe_open(&server->output, server->options.output) && is_open;
}

static bool open_handles(struct mcp_stdio *server) {
    uv_loop_t *uv = &server->options.loop->uv;
    loop_hold(server->options.loop);
    uv_async_init(uv, &server->stop, on_stop);
    own(server, (uv_handle_t *)&server->stop);
    uv_timer_init(uv, &server->grace);
    own(server, (uv_handle_t *)&server->grace);
    uv_timer_init(uv, &server->tick);
    own(server, (uv_handle_t *)&server->tick);
    uv_timer_start(&server->tick, on_tick, SHELF_TICK_MS, SHELF_TICK_MS);
    return open_streams(server);
}

static bool is_closed(void *ctx) {
    return ((const struct mcp_stdio *)ctx)->handles == 0;
}

void mcp_stdio_free(struct mcp_stdio *server) {
    if (!server) return;
    gramc_allocator allocator = server->allocator;
    close_all(server);
    if (server->handles) loop_turn_until(server->options.loop, is_closed, server);
    buf_free(&server->line);
    shelf_watch_close(&server->watch);
    mem_free(&allocator, server, sizeof(*server));
}

static void set_up(struct mcp_stdio *server, const struct mcp_stdio_options *options) {
    struct mcp_stdio_options *own_options = &server->options;
    *own_options = *options;
    if (!own_options->max_calls) own_options->max_calls = SERVE_RUNS_MAX;
    if (!own_options->grace_ms) own_options->grace_ms = SERVE_GRACE_MS;
    buf_init(&server->line, &server->allocator, MCP_LINE_MAX);
    server->peer = (struct mcp_peer){.allocator = server->allocator,
                                     .loop = options->loop,
                                     .shelf = options->shelf,
                                     .instructions = options->instructions,
                                     .max_calls = own_options->max_calls,
                                     .is_watched = options->source != NULL,
                                     .send = send_line,
                                     .idle = on_idle,
                                     .ctx = server};
    mcp_peer_open(&server->peer);
}

gramc_status mcp_stdio_new(struct mcp_stdio **out, const struct mcp_stdio_options *options,
                           char *why) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct mcp_stdio *server = mem_alloc(&allocator, sizeof(*server));
    *out = NULL;
    why[0] = '\0';
    if (!server) return GRAMC_NOMEM;
    *server = (struct mcp_stdio){.allocator = allocator};
    if (!shelf_watch_open(&server->watch, &allocator, options->loop, options->source)) {
        mem_free(&allocator, server, sizeof(*server));
        return GRAMC_NOMEM;
    }
    set_up(server, options);
    if (open_handles(server)) {
        *out = server;
        return GRAMC_OK;
    }
    snprintf(why, WHY_LENGTH, "the descriptors cannot be read and written");
    mcp_stdio_free(server);
    return GRAMC_IO;
}

void mcp_stdio_stop(struct mcp_stdio *server) {
    uv_async_send(&server->stop);
}
