/* A tool in plain words, for models that are not sent any (prompted_tool.c). */
#ifndef RUNTIME_PROMPTED_TOOL_H
#define RUNTIME_PROMPTED_TOOL_H

#include "runtime/bound.h"

/* `adder(first: integer, second?: integer) -> integer: what it is for`, by the names on the wire.
 * Without memory the arena says so, as in the next two. */
void prompted_put_tool(struct buf *out, struct arena *arena, const struct bound_tool *tool);
/* `{"first": <integer>, "second": <integer>}`: how a call looks. */
void prompted_put_shape(struct buf *out, struct arena *arena, const struct bound_tool *tool);
/* What each argument is for, a line each. */
void prompted_put_parameters(struct buf *out, struct arena *arena, const struct bound_tool *tool);

#endif
