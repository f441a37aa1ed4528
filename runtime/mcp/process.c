/* An MCP server as a child process: messages are the lines of its standard streams. Starting it,
 * reading it and ending it is process/line_process.c's. */
#include "runtime/mcp/process.h"

#include "runtime/process/line_process.h"

enum { REPLIES_UNSENT_MAX = 1 << 16 };

struct mcp_process {
    struct mcp_transport transport;
    gramc_allocator allocator;
    struct mcp_events events;
    struct line_process *lines;
};

static void free_process(struct mcp_process *process) {
    gramc_allocator allocator = process->allocator;
    mem_free(&allocator, process, sizeof(*process));
}

static void on_line(void *ctx, gramc_text line) {
    struct mcp_process *process = ctx;
    process->events.line(process->events.ctx, line);
}

static void on_ended(void *ctx, const struct child_end *end) {
    struct mcp_process *process = ctx;
    struct mcp_events events = process->events;
    char why[CHILD_WHY_MAX];
    child_explain_end(why, sizeof(why), "the server", end);
    free_process(process);
    events.ended(events.ctx, why);
}

/* Whoever asks without end, and does not read, is not answered without end. */
static gramc_status send_line(struct mcp_transport *transport, const struct mcp_message *message) {
    struct mcp_process *process = (struct mcp_process *)(void *)transport;
    bool is_reply = !message->method;
    if (is_reply && line_process_unsent(process->lines) > REPLIES_UNSENT_MAX) return GRAMC_LIMIT;
    return line_process_send(process->lines, message->line);
}

/* Other answers come through the same pipe: there is nothing to close. */
static void drop(struct mcp_transport *transport, uint64_t id) {
    (void)transport;
    (void)id;
}

static void stop(struct mcp_transport *transport) {
    struct mcp_process *process = (struct mcp_process *)(void *)transport;
    line_process_stop(process->lines);
    free_process(process);
}

gramc_status mcp_process_start(struct mcp_transport **out, uv_loop_t *loop,
                               const gramc_allocator *allocator, const struct exec_words *words,
                               const struct mcp_events *events, char why[CHILD_WHY_MAX]) {
    struct mcp_process *process = mem_alloc(allocator, sizeof(*process));
    *out = NULL;
    if (!process) return GRAMC_NOMEM;
    *process = (struct mcp_process){
        .transport = {send_line, drop, stop}, .allocator = *allocator, .events = *events};
    const struct line_process_events heard = {on_line, on_ended, process, "the server"};
    gramc_status status = line_process_start(&process->lines, loop, allocator, words, &heard, why);
    if (status) free_process(process);
    else *out = &process->transport;
    return status;
}
