/* Cuts what a program prints into lines, and sends it lines. Starting it, watching it and ending it
 * is child.c's. */
#include "runtime/process/line_process.h"

#include <string.h>

#include "base/text.h"

struct line_process {
    gramc_allocator allocator;
    struct child *child;
    struct line_process_events events; /* line NULL: let go */
    struct buf line;                   /* what came of the next one */
    bool reading;                      /* take_bytes is at work, and frees it if it was let go */
};

static void free_process(struct line_process *process) {
    gramc_allocator allocator = process->allocator;
    buf_free(&process->line);
    mem_free(&allocator, process, sizeof(*process));
}

static void let_go(struct line_process *process) {
    process->events = (struct line_process_events){.line = NULL};
    if (!process->reading) free_process(process);
}

static void on_ended(void *ctx, const struct child_end *told) {
    struct line_process *process = ctx;
    struct line_process_events events = process->events;
    struct child_end end = *told;
    end.nomem |= process->line.state == BUF_NOMEM;
    let_go(process);
    events.ended(events.ctx, &end);
}

/* ## Lines */

static void take_line(struct line_process *process, gramc_text line) {
    if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
    if (line.len && process->events.line) process->events.line(process->events.ctx, line);
}

/* Keeps a part of a line, and hands it over with its end. */
static bool keep_part(struct line_process *process, gramc_text part, bool ends) {
    buf_text(&process->line, part);
    if (process->line.state != BUF_FINE) {
        child_give_up(process->child, process->line.state == BUF_TOO_BIG
                                          ? "sent a line longer than 16 MiB"
                                          : "could not be read: out of memory");
        return false;
    }
    if (!ends) return true;
    take_line(process, buf_view(&process->line));
    buf_reset(&process->line);
    return true;
}

/* The receiver may let go in the middle. */
static void take_bytes(struct line_process *process, const char *bytes, size_t len) {
    while (len && process->events.line) {
        const char *end = memchr(bytes, '\n', len);
        gramc_text part = {bytes, end ? (size_t)(end - bytes) : len};
        if (end && process->line.len == 0) take_line(process, part);
        else if (!keep_part(process, part, end != NULL)) return;
        size_t taken = part.len + (end != NULL);
        bytes += taken;
        len -= taken;
    }
}

static void on_output(void *ctx, const char *bytes, size_t len) {
    struct line_process *process = ctx;
    process->reading = true;
    take_bytes(process, bytes, len);
    process->reading = false;
    if (!process->events.line) free_process(process);
}

gramc_status line_process_send(struct line_process *process, gramc_text line) {
    if (child_unsent(process->child) + line.len > LINE_UNSENT_MAX) return GRAMC_LIMIT;
    return child_send(process->child, line, TEXT("\n"));
}

size_t line_process_unsent(const struct line_process *process) {
    return child_unsent(process->child);
}

/* ## Starting and stopping */

gramc_status line_process_start(struct line_process **out, uv_loop_t *loop,
                                const gramc_allocator *allocator, const struct exec_words *words,
                                const struct line_process_events *events, char why[CHILD_WHY_MAX]) {
    struct line_process *process = mem_alloc(allocator, sizeof(*process));
    *out = NULL;
    if (!process) return GRAMC_NOMEM;
    *process = (struct line_process){.allocator = *allocator, .events = *events};
    buf_init(&process->line, allocator, LINE_LONGEST);
    const struct child_events heard = {.output = on_output,
                                       .ended = on_ended,
                                       .ctx = process,
                                       .noun = events->noun,
                                       .closed = "closed its output"};
    gramc_status status = child_start(&process->child, loop, allocator, words, &heard, why);
    if (status) free_process(process);
    else *out = process;
    return status;
}

void line_process_stop(struct line_process *process) {
    child_stop(process->child);
    let_go(process);
}

void line_process_kill(struct line_process *process) {
    child_kill(process->child);
    let_go(process);
}
