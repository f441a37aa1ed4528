/* Values that a type calls secret (`secret: true`, "format": "password"): what a model says, what a
 * tool takes or returns. They are used as they are, and kept out of all that is told. */
#ifndef RUNTIME_SECRET_TYPED_H
#define RUNTIME_SECRET_TYPED_H

#include "runtime/bound.h"
#include "runtime/llm.h"
#include "runtime/secret.h"

/* Adds the secrets that are in `json`, as its schema tells; what is no JSON has none. `document`
 * NULL: the schema's text is read. */
gramc_status secrets_learn_typed(struct secrets **known, const gramc_allocator *allocator,
                                 gramc_text schema, const struct json *document, gramc_text json);
/* The same for the calls in a model's answer, and for the answer itself: a structured one, or the
 * arguments of a tool (NULL: it is not). */
gramc_status secrets_learn_reply(struct secrets **known, const gramc_allocator *allocator,
                                 const struct bound_step *step,
                                 const struct bound_tool *arguments_of, const struct reply *reply);

#endif
