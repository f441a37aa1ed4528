/* An agent while it is compiled: what its pattern says besides what is public. */
#ifndef COMPILER_AGENT_H
#define COMPILER_AGENT_H

#include "compiler/schema.h"
#include "compiler/spec.h"

/* What an agent or a task lists. */
struct tool_uses {
    struct tool **tools; /* before they are resolved, NULL for each reference */
    size_t count;
    struct pattern *references; /* copies of the elements that are neither tools nor tasks */
};

struct agent {
    gramc_agent public; /* first: a pointer to one is a pointer to the other */
    struct agent *next;
    gramc_text identifier;
    struct span name_at;
    const struct source *source;
    struct span span;
    struct span instruction_at, choice_at; /* where these two are said; empty: nowhere */
    bool has_boxes;                        /* it or a task of it */
    struct tool_uses own;
    struct tool **reach; /* those and its tasks' tools, each once */
    size_t reach_count;
    struct task *first_task, **last_task;
    gramc_text meta;
    struct schema *output; /* NULL: none */
    gramc_schema *answers; /* what `public` shows; freed with the spec */
    bool prepared;
};

/* Reads `[name:Agent {...} | tools and tasks]` and adds it to the spec. */
void agent_read(struct pass *pass, struct gramc_spec *spec, const struct pattern *pattern);
/* Once all tools are known: its references. */
void agent_resolve(struct pass *pass, struct gramc_spec *spec, struct agent *agent);
/* Agents of one name must mean the same. */
extern const struct registry_sort agent_sort;
/* True if agents have the property. */
bool agent_has_property(gramc_text key);

#endif
