/* Workers: processes that answer one call after the other, a request a line and an answer a line
 * (docs/tool-programs.md, "Programs that stay"). Each program has a small pool of them, which lives
 * as long as its loop: calls wait for a free one, a worker past its call's deadline is killed, and
 * the next call starts another. */
#ifndef RUNTIME_PROCESS_WORKER_H
#define RUNTIME_PROCESS_WORKER_H

#include "base/limits.h"
#include "base/text.h"
#include "runtime/tool.h"

struct worker_pool;

/* How the program of an implementation is started and spoken to. */
struct worker_program {
    const gramc_impl *impl; /* argv, env and folder; copied where they are kept */
    const char *noun;       /* "the plugin", for messages */
    bool is_plugin;         /* what ends it is called exit */
    gramc_text symbol;      /* of the plugin; empty: the request names the tool instead */
};

/* Has the call done by a worker; settles it now or later. `call->state` is the worker's from here
 * on. */
void worker_call(struct tool_call *call, const struct worker_program *program);
/* For the vtable of a kind. */
void worker_cancel(struct tool_call *call);
void worker_close_call(struct tool_call *call);
/* Ends all workers of the loop, which must have no calls left, and forgets the pools. */
void worker_close_pools(gramc_loop *loop);
/* Those of one company, which will make no more calls, are to be closed. */
void worker_spend_own(gramc_loop *loop, uint64_t company);
/* Closes those, between two turns of the loop. */
void worker_close_spent(gramc_loop *loop);

#endif
