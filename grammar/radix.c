/* Turns digits of base 8 or 16 into decimal ones, of any length up to a stated one: a number of
 * nine decimal digits a limb, multiplied and added to. */
#include "grammar/radix.h"

#include <stdio.h>

enum { LIMB = 1000000000, LIMB_DIGITS = 9 };

static unsigned digit_value(char c) {
    return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20U) - 'a' + 10;
}

/* number = number * factor + more; returns how many limbs it then has. */
static size_t multiply_add(uint32_t *limbs, size_t count, uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (size_t i = 0; i < count; i++) {
        carry += (uint64_t)limbs[i] * factor;
        limbs[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    if (carry) limbs[count++] = (uint32_t)carry;
    return count;
}

static size_t read_limbs(uint32_t *limbs, gramc_text digits, unsigned base) {
    size_t count = 0;
    for (size_t i = 0; i < digits.len;) {
        uint32_t factor = 1, chunk = 0;
        for (int n = 0; n < 7 && i < digits.len; n++) {
            chunk = chunk * base + digit_value(digits.ptr[i++]);
            factor *= base;
        }
        count = multiply_add(limbs, count, factor, chunk);
    }
    return count;
}

static void put_limb(struct buf *out, uint32_t limb, bool first) {
    char digits[16];
    int len = snprintf(digits, sizeof digits, first ? "%lu" : "%09lu", (unsigned long)limb);
    buf_put(out, digits, (size_t)len);
}

void radix_put_decimal(struct buf *out, gramc_text digits, unsigned base) {
    if (digits.len > RADIX_MOST_DIGITS) {
        out->state = BUF_TOO_BIG;
        return;
    }
    /* A limb holds more than seven digits of either base. */
    size_t room = digits.len / 7 + 1;
    uint32_t *limbs = mem_alloc(&out->allocator, room * sizeof *limbs);
    if (!limbs) {
        out->state = BUF_NOMEM;
        return;
    }
    size_t count = read_limbs(limbs, digits, base);
    if (count == 0) buf_putc(out, '0');
    for (size_t i = count; i-- > 0;) put_limb(out, limbs[i], i + 1 == count);
    mem_free(&out->allocator, limbs, room * sizeof *limbs);
}
