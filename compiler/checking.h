/* How much the checks of one spec may print and compare (CHECKING_MAX): they ask about schemas with
 * all that these refer to, which is the whole spec in the worst case, at each place of it. */
#ifndef COMPILER_CHECKING_H
#define COMPILER_CHECKING_H

#include "compiler/compilation.h"

/* Counts values of a printed schema; tells where the limit was passed, once. */
void checking_takes(struct pass *pass, uint64_t values, struct span at);
bool checking_is_over(const struct pass *pass);
/* The values in a document, itself included; NULL has none. */
uint64_t json_size(const struct json *document);

#endif
