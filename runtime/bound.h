/* A bound agent: what gramc_bind joined. Immutable once made. */
#ifndef RUNTIME_BOUND_H
#define RUNTIME_BOUND_H

#include "base/mem.h"
#include "gramc/runtime.h"
#include "runtime/tool.h"

struct bind_note {
    gramc_bind_message message;
    struct bind_note *next;
};

/* Where something is written, for messages. */
struct bind_place {
    gramc_text file;
    uint32_t start, end;
};

/* What is freed with a bound agent. */
struct bound_owned {
    void (*destroy)(void *what);
    void *what;
    struct bound_owned *next;
};

struct gramc_bound {
    struct arena arena;
    const gramc_agent *agent;
    const gramc_library *library; /* may be NULL */
    struct bound_tool *tools;     /* one per tool of the agent */
    size_t tool_count;
    gramc_text tools_block, functions_block; /* what a request says about them */
    struct bind_note *first, *last;
    bool failed;
    struct secrets *secrets; /* NULL: none */
    bool secrets_may_miss;
    struct bound_owned *owned;
    const struct offered_box *offered; /* what is known of boxes; used while binding only */
    size_t offered_count;
};

/* Adds a message; texts must live as long as `bound`. place NULL: none. An error fails the binding.
 */
void bound_report(gramc_bound *bound, gramc_severity severity, const struct bind_place *place,
                  gramc_text message, gramc_text help);
/* Hands `what` over; false without memory, and it is destroyed at once then. */
bool bound_own(gramc_bound *bound, void (*destroy)(void *what), void *what);

/* NULL if the agent has no such tool, or has it without an implementation. */
const struct bound_tool *bound_find(const gramc_bound *bound, gramc_text name);

#endif
