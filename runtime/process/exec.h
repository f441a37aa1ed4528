/* What a program is started with. */
#ifndef RUNTIME_PROCESS_EXEC_H
#define RUNTIME_PROCESS_EXEC_H

#include "base/mem.h"
#include "gramc/runtime.h"

struct egress;
struct secrets;

struct exec_words {
    char **argv;                    /* ends with NULL; of gramc-host, where there is one */
    char **environment;             /* ends with NULL */
    char *folder;                   /* to start in; NULL: where we are */
    bool owns_process;              /* as the loop's options have it */
    struct secrets *const *secrets; /* the loop's, to be kept out of what is shown; NULL: none */
    const char *program;            /* what it is about, for messages; NULL: argv[0] */
    bool supervised;                /* argv starts gramc-host, which starts the program */
    const struct egress *egress;    /* where its proxy lets it; NULL: it has none */
    bool uncontained;               /* it has a sandbox, and there is no gramc-host to hold it */
};

struct tool_memory;

/* All of it in the arena. The sandbox of `impl` is one that is held (runtime/sandbox.h). `memory`:
 * of the run that alone it works for; NULL: there is none. False without memory. */
bool exec_words(struct exec_words *out, struct arena *arena, const gramc_impl *impl,
                const gramc_loop *loop, const struct tool_memory *memory);

#endif
