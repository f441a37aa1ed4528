/* Types as other languages write them, and how they are written here. */
#ifndef GRAMMAR_HINT_TYPES_H
#define GRAMMAR_HINT_TYPES_H

#include "grammar/recovery.h"

/* If this unexpected token goes on or begins such a type: sets the help, adds a fix if there can be
 * only one, and returns true. */
bool hint_type(const struct recovery *recovery, struct finding *finding, struct token token);
/* The same for `<` at this place, behind a label: returns where the type ends, 0 if it is none. */
uint32_t hint_generic(const struct recovery *recovery, struct finding *finding, uint32_t at);

#endif
