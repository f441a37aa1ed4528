/* What to pass instead of a text that holds what was asked for. */
#ifndef JSONSCHEMA_ADVICE_H
#define JSONSCHEMA_ADVICE_H

#include "jsonschema/evaluate.h"

/* For a text that holds JSON of one of the types (enum type_bit, or-ed): an array or object, or a
 * scalar that would be valid here. False, and nothing was written, for everything else. */
bool advice_put_held(struct buf *out, struct evaluation *evaluation,
                     const struct evaluation_frame *at, unsigned types);

#endif
