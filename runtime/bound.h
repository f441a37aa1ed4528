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

/* One step of a message: a task, or the agent itself where it has none. */
struct bound_step {
    const gramc_task *task;    /* NULL: the message is the task */
    struct bound_tool **tools; /* that the model sees: the task's own, then the agent's */
    size_t tool_count;
    gramc_text tools_block, functions_block; /* what a request says about them */
    gramc_text response_format;              /* and about a structured answer; empty: a text */
    const gramc_schema *answers;             /* NULL: any text */
    bool answer_wrapped;
};

struct gramc_bound {
    struct arena arena;
    const gramc_agent *agent;
    const gramc_library *library; /* may be NULL */
    struct bound_tool *tools;     /* one per tool of the agent and its tasks */
    size_t tool_count;
    struct bound_step *steps; /* one per task, or a single one */
    size_t step_count;
    struct bind_note *first, *last;
    bool failed;
};

/* NULL if the step has no such tool, or has it without an implementation. */
const struct bound_tool *step_find(const struct bound_step *step, gramc_text name);
/* All tools of the agent and its tasks, each once; NULL without memory. */
const gramc_tool **steps_tools(struct arena *arena, const gramc_agent *agent, size_t *count);
/* Makes bound->steps, but for the blocks, once bound->tools is complete. */
void steps_make(gramc_bound *bound);

#endif
