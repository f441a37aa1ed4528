/* Questions to whoever may approve of a call: asked on the loop's thread, answered from any. */
#ifndef RUNTIME_APPROVAL_H
#define RUNTIME_APPROVAL_H

#include "runtime/loop.h"

struct approval_question {
    gramc_loop *loop;
    const gramc_approver *approver;
    const gramc_guarded_call *call;
    /* From the loop; the approval is gone then. */
    void (*answered)(void *ctx, bool allow, gramc_text words);
    void *ctx;
};

/* Asks. NULL without memory. */
gramc_approval *approval_ask(const struct approval_question *question);
/* Nobody waits any more: `answered` will not be called. */
void approval_cancel(gramc_approval *approval);

/* ## For the loop */
gramc_status approvals_open(gramc_loop *loop);
void approvals_close(gramc_loop *loop);
/* When its handle is closed. */
void approvals_free(gramc_loop *loop);

#endif
