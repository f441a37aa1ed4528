/* What an unknown word was meant to be: by its spelling, by where it was cut short, or by what the
 * same thing is called in other languages. */
#ifndef COMPILER_MEANT_H
#define COMPILER_MEANT_H

#include "compiler/compilation.h"

/* The name that was meant, of those that the place takes; empty: none. `owner` is what has the
 * property, as in messages ("tools"). */
gramc_text meant_property(const char *owner, gramc_text word, const gramc_text *names,
                          size_t count);
/* Says the way out: did you mean, or where such a thing is said. */
void meant_help_property(struct pass *pass, struct finding *finding, const char *owner,
                         gramc_text word, gramc_text near);

/* In other languages it says what the signature says here. */
bool meant_signature(gramc_text word);

/* How a type of another language is written here: `Text`, `Array {items: Text}`; NULL: no idea. */
const char *meant_type(gramc_text label);

/* Equal but for case, underscores and hyphens: max_tokens, maxTokens. */
bool meant_same(gramc_text a, gramc_text b);

#endif
