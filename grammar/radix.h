/* Hexadecimal and octal numbers in decimal, exactly. */
#ifndef GRAMMAR_RADIX_H
#define GRAMMAR_RADIX_H

#include "base/buf.h"

/* The time grows with the square of the length: more digits than this and the buffer is marked as
 * too big. */
enum { RADIX_MOST_DIGITS = 20000 };

/* Writes the number that the digits spell in base 8 or 16. */
void radix_put_decimal(struct buf *out, gramc_text digits, unsigned base);

#endif
