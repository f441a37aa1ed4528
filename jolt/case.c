/* Upper and lower case of single characters: Latin, Greek, Cyrillic, Armenian and full-width
 * letters, by ranges of the Unicode Character Database. Scripts with case that are rarer, and
 * characters whose other case is several, stay as they are. No locale has a say. */
#include "jolt/function.h"

/* Upper-case letters first..last; the lower-case ones stand `shift` behind, or alternate with them
 * when it is 1. */
static const struct {
    uint32_t first, last, shift;
} ranges[] = {
    {0x41, 0x5A, 32},     {0xC0, 0xD6, 32},     {0xD8, 0xDE, 32},    {0x100, 0x12E, 1},
    {0x132, 0x136, 1},    {0x139, 0x147, 1},    {0x14A, 0x176, 1},   {0x179, 0x17D, 1},
    {0x386, 0x386, 38},   {0x388, 0x38A, 37},   {0x38C, 0x38C, 64},  {0x38E, 0x38F, 63},
    {0x391, 0x3A1, 32},   {0x3A3, 0x3AB, 32},   {0x400, 0x40F, 80},  {0x410, 0x42F, 32},
    {0x460, 0x480, 1},    {0x48A, 0x4BE, 1},    {0x4C1, 0x4CD, 1},   {0x4D0, 0x52E, 1},
    {0x531, 0x556, 48},   {0x1E00, 0x1E94, 1},  {0x1EA0, 0x1EFE, 1}, {0x2160, 0x216F, 16},
    {0x24B6, 0x24CF, 26}, {0xFF21, 0xFF3A, 32},
};

enum { RANGES = sizeof(ranges) / sizeof(ranges[0]) };

uint32_t text_lower(uint32_t c) {
    if (c == 0x178) return 0xFF;
    for (size_t i = 0; i < RANGES; i++) {
        if (c < ranges[i].first || c > ranges[i].last) continue;
        bool other = ranges[i].shift == 1 && (c - ranges[i].first) % 2;
        return other ? c : c + ranges[i].shift;
    }
    return c;
}

uint32_t text_upper(uint32_t c) {
    if (c == 0xFF) return 0x178;
    if (c == 0x3C2) return 0x3A3; /* final sigma */
    if (c == 0xB5) return 0x39C;  /* micro sign */
    for (size_t i = 0; i < RANGES; i++) {
        uint32_t shift = ranges[i].shift;
        if (c < ranges[i].first + shift || c > ranges[i].last + shift) continue;
        bool other = shift == 1 && (c - ranges[i].first) % 2 == 0;
        return other ? c : c - shift;
    }
    return c;
}
