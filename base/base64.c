/* Writes bytes as base64 and reads it and its relatives back, strictly: what no encoder writes is
 * not read. Knows nothing of where it stands. */
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

/* ## Reading: digits of so many bits each, in groups that end with a byte */

struct alphabet {
    const char *digits;
    unsigned bits, group;
    bool folds;      /* small letters count as capitals */
    bool may_be_cut; /* padding may be left out */
};

static size_t padding_of(gramc_text coded) {
    size_t pads = 0;
    while (pads < coded.len && coded.ptr[coded.len - 1 - pads] == '=') pads++;
    return pads;
}

static int value_of(const struct alphabet *alphabet, char c) {
    if (alphabet->folds && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    const char *digit = c ? strchr(alphabet->digits, c) : NULL;
    return digit ? (int)(digit - alphabet->digits) : -1;
}

/* So many digits may stand in front of the padding: no more bits are left over than one has. */
static bool fits(const struct alphabet *alphabet, size_t len, size_t pads) {
    bool whole = len % alphabet->group == 0;
    return (whole || (alphabet->may_be_cut && !pads)) && pads < alphabet->group &&
           (len - pads) * alphabet->bits % 8 < alphabet->bits;
}

static bool read_digits(const struct alphabet *alphabet, gramc_text *out, struct arena *arena,
                        gramc_text coded) {
    char *bytes = arena_alloc(arena, coded.len + 1);
    size_t pads = padding_of(coded), len = 0;
    unsigned group = 0, have = 0;
    if (!bytes || !fits(alphabet, coded.len, pads)) return false;
    for (size_t i = 0; i < coded.len - pads; i++) {
        int value = value_of(alphabet, coded.ptr[i]);
        if (value < 0) return false;
        group = group << alphabet->bits | (unsigned)value;
        have += alphabet->bits;
        if (have < 8) continue;
        have -= 8;
        bytes[len++] = (char)(group >> have & 0xFF);
        group &= (1U << have) - 1;
    }
    if (group) return false; /* bits that no byte has */
    bytes[len] = '\0';
    *out = (gramc_text){bytes, len};
    return true;
}

bool base64_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    static const struct alphabet alphabet = {digits, 6, 4, false, false};
    return read_digits(&alphabet, out, arena, coded);
}

bool base64url_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    static const struct alphabet alphabet = {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 4, false, true};
    return read_digits(&alphabet, out, arena, coded);
}

bool base32_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    static const struct alphabet alphabet = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, false,
                                             false};
    return read_digits(&alphabet, out, arena, coded);
}

bool base32hex_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    static const struct alphabet alphabet = {"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, false,
                                             false};
    return read_digits(&alphabet, out, arena, coded);
}

bool base16_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    static const struct alphabet alphabet = {"0123456789ABCDEF", 4, 2, true, false};
    return read_digits(&alphabet, out, arena, coded);
}
