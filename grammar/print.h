/* From tree to text: canonical JSON, s-expressions in the reference's shape, an indented listing
 * for people. All pure; none recurses deeper than the nesting of the source. */
#ifndef GRAMMAR_PRINT_H
#define GRAMMAR_PRINT_H

#include "base/buf.h"
#include "grammar/tree.h"

void print_json(struct buf *out, const struct tree *tree);
void print_sexp(struct buf *out, const struct tree *tree);
void print_text(struct buf *out, const struct tree *tree);

#endif
