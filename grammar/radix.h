/* Hexadecimal and octal numbers in decimal, exactly. */
#ifndef GRAMMAR_RADIX_H
#define GRAMMAR_RADIX_H

#include "base/buf.h"
#include "base/limits.h"

/* The time grows with the square of the length: more digits than this and the buffer is marked as
 * too big. */

/* Writes the number that the digits spell in base 8 or 16. */
void radix_put_decimal(struct buf *out, gramc_text digits, unsigned base);

#endif
