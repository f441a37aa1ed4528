/* The generated parser seen from outside, for recovery: what it would take, and its stack
 * of open constructs, which recovery cuts back. Defined in parse.c, which holds the parser. */
#ifndef GRAMMAR_PUSH_H
#define GRAMMAR_PUSH_H

#include "grammar/lexer.h"

struct push;

/* Entries on the stack. */
size_t push_height(const struct push *push);
/* Would it take these codes in this order, if only `height` entries were left on its stack? */
bool push_accepts(const struct push *push, size_t height, const uint16_t *codes, size_t count);
/* Forgets everything above `height` entries. */
void push_cut(struct push *push, size_t height);
/* Hands it tokens; false if it does not take one. Comments go to the tree. */
bool push_tokens(struct push *push, const struct token *tokens, size_t count);

#endif
