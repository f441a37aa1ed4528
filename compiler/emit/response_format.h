/* What a chat completion request says about a structured answer. */
#ifndef COMPILER_EMIT_RESPONSE_FORMAT_H
#define COMPILER_EMIT_RESPONSE_FORMAT_H

#include "compiler/schema.h"

/* Prints the value of `response_format`, or of what the target has instead, for a type, as its
 * document; nothing for NULL, a type that is too deep for JSON. True if the answer is a member of
 * what it asks for. Targets without a form of their own have that of chat completions. */
bool answer_put_format(struct buf *out, gramc_text target, const struct json *output);

#endif
