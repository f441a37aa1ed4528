/* A task of an agent while it is compiled. */
#ifndef COMPILER_TASK_H
#define COMPILER_TASK_H

#include "compiler/agent.h"

struct task {
    gramc_task *public; /* in the agent's list */
    struct task *next;
    struct span name_at;
    struct span prompt_at, choice_at; /* empty: there is none */
    gramc_text meta;
    struct schema *output; /* NULL: none */
    struct tool_uses own;
    gramc_schema *answers; /* what `public` shows; freed with the spec */
};

bool task_is(const struct pattern *element);
/* Reads one element of an agent that is a task. */
void task_read(struct pass *pass, struct gramc_spec *spec, struct agent *agent,
               const struct pattern *element);
/* The references of an agent's tasks, once its own tools are known; fills in agent->reach. */
void tasks_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent);

#endif
