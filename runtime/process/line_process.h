/* A child process that is talked to in lines: an MCP server, or a worker that keeps tools ready.
 * Knows nothing of what the lines say. */
#ifndef RUNTIME_PROCESS_LINE_PROCESS_H
#define RUNTIME_PROCESS_LINE_PROCESS_H

#include <uv.h>

#include "base/buf.h"
#include "base/limits.h"
#include "runtime/process/child.h"

struct line_process;

/* Called from the loop. After `ended` there is nothing more; the process then frees itself. */
struct line_process_events {
    void (*line)(void *ctx, gramc_text line); /* without its end; borrowed */
    void (*ended)(void *ctx, const struct child_end *end);
    void *ctx;
    const char *noun; /* who is started and ends, for messages: "the server" */
};

/* GRAMC_NOT_FOUND: it cannot be started; `why` then says so. The words need not outlive this. */
gramc_status line_process_start(struct line_process **out, uv_loop_t *loop,
                                const gramc_allocator *allocator, const struct exec_words *words,
                                const struct line_process_events *events, char why[CHILD_WHY_MAX]);
/* Sends a line; takes a copy. GRAMC_LIMIT: it does not read. */
gramc_status line_process_send(struct line_process *process, gramc_text line);
/* Bytes that it was sent and has not taken yet. */
size_t line_process_unsent(const struct line_process *process);
/* Lets go: no further events. Closes its input, and ends it if that does not. Frees itself when the
 * loop has turned; nothing of it outlives 1.2 s. */
void line_process_stop(struct line_process *process);
/* The same, but ends it and all that it started at once. */
void line_process_kill(struct line_process *process);

#endif
