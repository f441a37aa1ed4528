/* Names on the wire: what tools and parameters are called in requests to a provider. */
#ifndef RUNTIME_WIRE_H
#define RUNTIME_WIRE_H

#include "runtime/bound.h"

/* Gives each bound tool its name, and the schema that requests show; false without memory or after
 * a message. Tools of one name keep one name. */
bool wire_make(gramc_bound *bound, gramc_text target);
/* The second half of that, of one tool. */
void wire_show(gramc_bound *bound, struct bound_tool *tool, gramc_text target);
/* What a model wrote, with the names of the tool's own parameters; from `arena` where it differs.
 */
gramc_text wire_arguments(struct arena *arena, const struct bound_tool *tool, gramc_text arguments);
/* The tool's examples with the names of the wire; in the arena where they differ. */
gramc_text wire_examples(struct arena *arena, const struct bound_tool *tool);
/* What is wrong with arguments in the names in which the model wrote them; empty: the names are the
 * tool's own, or nothing is wrong but by its own schema. `coerce`, `tolerant`: as in struct
 * checked_call. */
gramc_text wire_violations(struct arena *arena, const struct bound_tool *tool, gramc_text arguments,
                           unsigned coerce, bool tolerant);

#endif
