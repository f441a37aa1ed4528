/* Writes bytes as base64 and reads it back, strictly: what no encoder writes is not read. Knows
 * nothing of where it stands. */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(struct buf *out, gramc_text bytes) {
    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t group = 0;
        size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (k < have ? (uint32_t)(unsigned char)bytes.ptr[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            buf_putc(out, k <= have ? digits[group >> (18 - 6 * k) & 63] : '=');
    }
}

/* Four digits, of which the last ones may be padding; how many bytes they are, or 0. */
static size_t read_group(char out[3], const char *four, bool is_last) {
    uint32_t group = 0;
    size_t have = 4;
    while (is_last && have > 2 && four[have - 1] == '=') have--;
    for (size_t i = 0; i < 4; i++) {
        const char *digit = i < have && four[i] ? strchr(digits, four[i]) : NULL;
        if (i < have && !digit) return 0;
        group = group << 6 | (digit ? (uint32_t)(digit - digits) : 0);
    }
    if (group & ((1U << 8 * (4 - have)) - 1)) return 0; /* bits that no byte has */
    for (size_t i = 0; i < 3; i++) out[i] = (char)(group >> (16 - 8 * i) & 0xFF);
    return have - 1;
}

bool base64_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    char *bytes = arena_alloc(arena, coded.len + 1);
    size_t len = 0;
    if (!bytes || coded.len % 4) return false;
    for (size_t i = 0; i < coded.len; i += 4) {
        size_t got = read_group(bytes + len, coded.ptr + i, i + 4 == coded.len);
        if (!got) return false;
        len += got;
    }
    bytes[len] = '\0';
    *out = (gramc_text){bytes, len};
    return true;
}
