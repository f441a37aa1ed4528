/* What a tool says by example, where providers read it. For printers of targets. */
#ifndef COMPILER_EMIT_EXAMPLES_H
#define COMPILER_EMIT_EXAMPLES_H

#include "compiler/emit/target.h"

/* The member `description`, the examples in words at its end; no member if there is neither. */
void emission_put_description(struct emission *e, const struct tool *tool);

struct example_members {
    const char *schema, *examples;
};
/* Description, parameters and examples, these two under the names that the provider has. */
void emission_put_with_examples(struct emission *e, const struct tool *tool,
                                const struct example_members *keys);

#endif
