/* What small models mean by a word or a name (prompted_read.c). Pure; any thread. */
#ifndef RUNTIME_PROMPTED_READ_H
#define RUNTIME_PROMPTED_READ_H

#include "gramc/gramc.h"

enum prompted_word { PROMPTED_NEITHER, PROMPTED_YES, PROMPTED_NO };

/* The first `yes` or `no` that stands as a word, in any case. */
enum prompted_word prompted_word(gramc_text said);

/* Which of the names is meant: the whole text is that name (quotes, dots and the like around it do
 * not count), or it is the only one that stands there as a word, or the only one that is found at
 * all; each in any case of letters. `count`: none, or more than one. */
size_t prompted_choice(const gramc_text *names, size_t count, gramc_text said);

#endif
