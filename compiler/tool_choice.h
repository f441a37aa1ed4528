/* `toolChoice` of an agent or a task: which tool it names (tool_choice.c). */
#ifndef COMPILER_TOOL_CHOICE_H
#define COMPILER_TOOL_CHOICE_H

#include "compiler/tool_list.h"

/* The tools that can be meant: those of an agent or a task, and of the agent around the task. */
struct choice_scope {
    struct tool *const *tools[2];
    size_t count[2];
    struct span at;
    bool has_boxes; /* their tools are known at binding: nothing is said about names */
};

/* `toolChoice: add` names a tool; *choice becomes the name that the model sees. */
void tool_choice_resolve(struct pass *pass, gramc_text *choice, const struct choice_scope *scope);

#endif
