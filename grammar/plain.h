/* What is asked of a text as a whole, after it has been parsed. */
#ifndef GRAMMAR_PLAIN_H
#define GRAMMAR_PLAIN_H

#include "base/diag/diag.h"
#include "grammar/tree.h"

/* Reports ill-formed UTF-8, and if `plain` each use of the superset, as far as the reference
 * grammar rejects it. */
void plain_check(struct findings *findings, const struct tree *tree, bool plain);

#endif
