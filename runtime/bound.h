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

struct gramc_bound {
    struct arena arena;
    const gramc_agent *agent;
    const gramc_library *library; /* may be NULL */
    struct bound_tool *tools;     /* one per tool of the agent */
    size_t tool_count;
    gramc_text tools_block, functions_block; /* what a request says about them */
    struct bind_note *first, *last;
    bool failed;
};

/* NULL if the agent has no such tool, or has it without an implementation. */
const struct bound_tool *bound_find(const gramc_bound *bound, gramc_text name);

#endif
