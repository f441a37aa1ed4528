/* Texts compared without case and punctuation, as the leaderboard for function calls does. */
#ifndef EXPERIMENT_FOLD_H
#define EXPERIMENT_FOLD_H

#include "base/buf.h"

/* The small letter of a code point, as Unicode pairs them one to one in the scripts of Europe. */
uint32_t fold_lower(uint32_t code_point);
/* Small letters, without blanks and ,./-_*^ and with double quotes for single ones. */
void fold_put(struct buf *out, gramc_text text);

#endif
