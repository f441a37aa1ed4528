/* The tools that an agent or a task lists: defined in place, or named and defined elsewhere. */
#ifndef COMPILER_TOOL_LIST_H
#define COMPILER_TOOL_LIST_H

#include "compiler/tool.h"

/* Reads the tools that are defined among the elements, and keeps the others; tools NULL: without
 * memory. */
struct tool_uses tools_read(struct pass *pass, struct gramc_spec *spec,
                            const struct pattern *owner);
/* Once all tools are known: fills in those that are names, and closes the gaps. */
void tools_resolve(struct pass *pass, const struct gramc_spec *spec, struct tool_uses *uses);
const gramc_tool **tools_public(struct pass *pass, struct tool *const *tools, size_t count);

/* The tools that a model sees together: two of one name cannot be told apart. */
struct wire_scope {
    const char *noun; /* "agent", "task" */
    gramc_text name;
    struct span at;
    struct tool *const *tools; /* its own */
    size_t count;
    struct tool *const *more; /* that it sees as well; one that it has itself is fine */
    size_t more_count;
};
void wire_scope_check(struct pass *pass, const struct wire_scope *scope);

#endif
