/* Gram text that parses to the same tree (spans and comments aside): for the property
 * parse(print(x)) = x. `gramc fmt` keeps comments and has a style; it is made of tokens. */
#ifndef TESTS_PRINTING_PRINT_GRAM_H
#define TESTS_PRINTING_PRINT_GRAM_H

#include "base/buf.h"
#include "grammar/tree.h"

void print_gram(struct buf *out, const struct tree *tree);

#endif
