/* Properties that take one word of a few. */
#ifndef COMPILER_WORDS_H
#define COMPILER_WORDS_H

#include "compiler/properties.h"

/* Is the value one of the words, which are parted by blanks? False after a finding. */
bool word_check_value(struct pass *pass, const char *property, const char *words,
                      const struct value *value);
/* The same of a property that may be missing, or no word at all: that is another's finding. */
void word_check(struct pass *pass, const struct property *property, const char *words);

#endif
