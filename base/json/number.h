/* Numbers as JSON spells them, read as exact decimals of any length. */
#ifndef BASE_JSON_NUMBER_H
#define BASE_JSON_NUMBER_H

#include "base/json/json.h"

/* 0.<digits first..last> * 10^top, borrowed from the spelling. Exponents beyond 10^17 count as
 * 10^17: no value that any machine holds is that large. */
struct decimal {
    const char *whole, *fraction; /* digits; fraction NULL when there is none */
    size_t whole_len;
    size_t first, last; /* significant digits, counted over whole and fraction together */
    int64_t top;        /* power of ten of the first significant digit */
    bool negative, zero;
};

/* The number must be well-formed. */
struct decimal decimal_read(gramc_text number);
/* The i-th digit, 0 to 9, counted over whole and fraction. */
unsigned decimal_digit(const struct decimal *decimal, size_t i);
/* Power of ten of the last significant digit. */
int64_t decimal_low(const struct decimal *decimal);
size_t decimal_length(const struct decimal *decimal);
/* Equal numbers give equal hashes. */
uint64_t decimal_hash(const struct decimal *decimal);

enum { DECIMAL_LONGEST_DIVISOR = 100 };
/* True if number / divisor is whole, exactly. The divisor is not zero and has at most
 * DECIMAL_LONGEST_DIVISOR significant digits. Time grows with the length, not with the exponent. */
bool decimal_is_multiple(gramc_text number, gramc_text divisor);

#endif
