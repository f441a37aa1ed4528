/* A program that this process started: what it prints is handed over as it comes, its exit is
 * watched, and nothing of it outlives it. */
#ifndef RUNTIME_PROCESS_CHILD_H
#define RUNTIME_PROCESS_CHILD_H

#include <uv.h>

#include "base/mem.h"
#include "runtime/process/exec.h"

enum { CHILD_WHY_MAX = 512 }; /* for sentences about a child */

struct child;

/* How a program ended. */
struct child_end {
    int64_t status;
    int signal;         /* 0: it exited by itself */
    const char *broken; /* why we ended it: "closed its output"; NULL: we did not */
    bool nomem;         /* we had no memory for what it said */
    gramc_text tail;    /* what it wrote to stderr last, fit to be shown; borrowed */
};

/* Called from the loop. After `ended` there is nothing more; the child then frees itself. */
struct child_events {
    void (*output)(void *ctx, const char *bytes, size_t len); /* borrowed */
    void (*ended)(void *ctx, const struct child_end *end);
    void *ctx;
    const char *noun;   /* who is started and ends, for messages: "the server" */
    const char *closed; /* what is wrong if it closes its output and goes on; NULL: nothing */
};

/* Starts the program as the leader of a session of its own, so that a kill reaches all that it
 * starts. GRAMC_NOT_FOUND: it cannot be started; `why` then says so. The words need not outlive
 * this. The loop's thread, as for everything here. */
gramc_status child_start(struct child **out, uv_loop_t *loop, const gramc_allocator *allocator,
                         const struct exec_words *words, const struct child_events *events,
                         char why[CHILD_WHY_MAX]);
/* Writes the bytes and, behind them, the tail to its input; takes a copy. GRAMC_NOT_FOUND: its
 * input is closed. */
gramc_status child_send(struct child *child, gramc_text bytes, gramc_text tail);
/* Bytes that it has not taken yet. */
size_t child_unsent(const struct child *child);
/* Its input ends behind what was sent. */
void child_end_input(struct child *child);
/* It cannot be talked to any more: kills it; `ended` is still to come, with this reason. */
void child_give_up(struct child *child, const char *why);
/* Lets go: no further events. Closes its input, and ends it by signals if that does not. Frees
 * itself when the loop has turned; nothing of it outlives 1.2 s. */
void child_stop(struct child *child);
/* The same, but ends it and all that it started at once. */
void child_kill(struct child *child);

/* "the server was ended by signal 9: out of paper". One sentence, cut where `size` ends. */
void child_explain_end(char *out, size_t size, const char *noun, const struct child_end *end);

#endif
