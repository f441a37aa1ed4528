/* Numbers of JSON, spelled, and what a machine can compute with. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/buf.h"

/* The nearest double of a JSON number, in any locale; false beyond the range of a double or when
 * longer than 400 bytes. */
bool number_to_double(double *out, gramc_text number);
/* Digits with an optional minus, nothing else, within 64 bits. */
bool number_to_int(int64_t *out, gramc_text number);
enum { AMOUNT_ROOM = 40 };
/* An amount of money as JSON spells numbers, to the billionth, in any locale. */
const char *number_amount(char room[AMOUNT_ROOM], double amount);
/* False on overflow. */
bool number_add(int64_t *sum, int64_t a, int64_t b);

#endif
