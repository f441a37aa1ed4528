/* What stands behind a key of JOLT's modify operations: a literal, @(1,a) out of the document, ^a
 * out of the context, =function(arguments), or a list of which the first that gives a value counts.
 */
#ifndef JOLT_EXPRESSION_H
#define JOLT_EXPRESSION_H

#include "jolt/jolt.h"

struct expression;
struct expressions {
    const struct expression *list;
    size_t count;
};

bool expressions_read(struct jolt_reader *reader, const struct json *value,
                      struct expressions *out);
/* A value of its own, to be written. `current` is what stands at the place now, NULL if nothing. */
bool expressions_value(struct jolt_work *work, const struct expressions *expressions,
                       struct jolt_node *current, const struct jolt_step *step,
                       struct jolt_node **out);

#endif
