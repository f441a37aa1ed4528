/* SHA-256 (FIPS 180-4): fingerprints of specs and libraries. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/mem.h"

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

enum { SHA256_HEX = 64 };

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
/* Length, then bytes: so that two lists of texts never give the same stream. */
void sha256_add_text(struct sha256 *sha, gramc_text text);
/* Eight bytes, lowest first, on every machine. */
void sha256_add_number(struct sha256 *sha, uint64_t number);
/* Writes 64 lower-case hexadecimal digits, no NUL. */
void sha256_hex(struct sha256 *sha, char out[SHA256_HEX]);

#endif
