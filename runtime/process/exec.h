/* What a program is started with. */
#ifndef RUNTIME_PROCESS_EXEC_H
#define RUNTIME_PROCESS_EXEC_H

#include <uv.h>

#include "base/mem.h"
#include "gramc/runtime.h"

struct exec_words {
    char **argv;        /* ends with NULL */
    char **environment; /* ends with NULL */
    char *folder;       /* to start in; NULL: where we are */
};

/* All of it in the arena. False without memory. */
bool exec_words(struct exec_words *out, struct arena *arena, const gramc_impl *impl,
                const gramc_loop *loop);

/* How a program ended. */
struct exec_end {
    int64_t status;
    int signal;         /* 0: it exited by itself */
    const char *broken; /* why we ended it: "closed its output"; NULL: we did not */
    bool nomem;         /* we had no memory for what it said */
    gramc_text tail;    /* what it wrote to stderr last; borrowed */
    bool tail_cut;      /* there was more before */
};

/* "the server was ended by signal 9: out of paper". One sentence, cut where `size` ends. */
void exec_explain_end(char *out, size_t size, const char *noun, const struct exec_end *end);

/* The child's standard streams, each one end of a pipe of ours, and who hears of its end. */
struct exec_streams {
    uv_pipe_t *input, *output, *errors;
    uv_exit_cb on_exit;
};

/* Starts the program as the leader of a session of its own, so that a kill reaches all that it
 * starts. 0, or libuv's error; the process handle is initialised, and must be closed, either way.
 * The loop's thread. */
int exec_spawn(uv_loop_t *loop, uv_process_t *process, const struct exec_words *words,
               const struct exec_streams *streams);

#endif
