/* The parts of a bundle, each as JSON. They say everything that a part means, so that they also
 * serve as the measure of "means the same" and as what a fingerprint is taken of. */
#ifndef COMPILER_EMIT_BUNDLE_H
#define COMPILER_EMIT_BUNDLE_H

#include "compiler/experiment.h"
#include "compiler/task.h"
#include "compiler/tool.h"

/* Everything that a tool means to a model or caller, as one JSON object. */
void tool_print_schemas(struct buf *out, const struct tool *tool, unsigned style);
/* The schemas of a signature that belongs to no tool, as one JSON object. */
void signature_print_schemas(struct buf *out, const struct signature *signature, unsigned style);
/* What a task means, with its tools. */
void task_print_meaning(struct buf *out, const struct task *task);
/* What an experiment says, with its arms. */
void experiment_print(struct buf *out, const struct experiment *experiment);
/* Everything that the agent says but for tools, model and sampling. */
void agent_print_rest(struct buf *out, const struct agent *agent);
/* Hexadecimal sha256 of what the agent means. */
gramc_text agent_fingerprint(struct arena *arena, const struct agent *agent);

#endif
