/* The strict JSON scanner (RFC 8259) that the document reader and the validator share: one function
 * per kind of token, each from a byte to the byte behind the token, NULL when it is ill-formed.
 * Nothing is read at or behind `end`; nothing is allocated. Any thread. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "gramc/gramc.h"

#if defined(__SSE2__) && defined(__GNUC__)
#define JSON_SCAN_SSE2 1
#include <emmintrin.h>
#endif

/* What a string was made of. */
enum json_seen { JSON_SEEN_ESCAPE = 1, JSON_SEEN_HIGH = 2 };

/* Classes of bytes, a bit each. */
enum json_byte {
    JSON_BYTE_BLANK = 1,
    JSON_BYTE_DIGIT = 2,
    JSON_BYTE_STOP = 4,   /* not plain inside a string */
    JSON_BYTE_ESCAPE = 8, /* a backslash may stand before it, and that is all */
    JSON_BYTE_NUMBER = 16 /* part of a number, not its sign */
};
extern const uint8_t json_bytes[256];

static inline bool json_byte_is(char c, unsigned class_bits) {
    return json_bytes[(unsigned char)c] & class_bits;
}

static inline const char *json_scan_blanks(const char *p, const char *end) {
    while (p < end && json_byte_is(*p, JSON_BYTE_BLANK)) p++;
    return p;
}

/* p is at a backslash; surrogates must come in pairs. */
const char *json_scan_escape(const char *p, const char *end);
/* Over the characters beyond ASCII that stand at p; NULL if there is none, or none well-formed. */
const char *json_scan_highs(const char *p, const char *end);
/* Well-formed UTF-8 without surrogates and overlong forms. */
bool json_scan_utf8(const char *p, const char *end);

#ifdef JSON_SCAN_SSE2
/* Moves over the blocks that hold no quote, no backslash and no control; true when it found one of
 * them, which p then points at. */
static inline bool json_scan_blocks(const char **p, const char *end, unsigned *seen) {
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1F);
    while (end - *p >= 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)*p);
        __m128i stops = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
            _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
        unsigned stop = (unsigned)_mm_movemask_epi8(stops);
        unsigned high = (unsigned)_mm_movemask_epi8(block);
        if (stop) {
            if (high & (stop - 1) & ~stop) *seen |= JSON_SEEN_HIGH;
            *p += __builtin_ctz(stop);
            return true;
        }
        if (high) *seen |= JSON_SEEN_HIGH;
        *p += 16;
    }
    return false;
}
#else
static inline bool json_scan_blocks(const char **p, const char *end, unsigned *seen) {
    (void)p, (void)end, (void)seen;
    return false;
}
#endif

/* p is behind the opening quote; gives the closing one. `seen` starts at 0. */
static inline const char *json_scan_string(const char *p, const char *end, unsigned *seen) {
    const char *start = p;
    for (;;) {
        if (!json_scan_blocks(&p, end, seen)) {
            unsigned char bits = 0;
            while (p < end && !json_byte_is(*p, JSON_BYTE_STOP)) bits |= (unsigned char)*p++;
            if (bits & 0x80) *seen |= JSON_SEEN_HIGH;
            if (p == end) return NULL;
        }
        if (*p == '"') break;
        if (*p != '\\') return NULL;
        *seen |= JSON_SEEN_ESCAPE;
        p = json_scan_escape(p, end);
        if (!p) return NULL;
    }
    return (*seen & JSON_SEEN_HIGH) && !json_scan_utf8(start, p) ? NULL : p;
}

static inline const char *json_scan_digits(const char *p, const char *end) {
    const char *start = p;
    while (p < end && json_byte_is(*p, JSON_BYTE_DIGIT)) p++;
    return p == start ? NULL : p;
}

/* The part of a number behind its whole digits. */
const char *json_scan_fraction(const char *p, const char *end);

/* p is at a minus sign or a digit. *whole: neither fraction nor exponent. */
static inline const char *json_scan_number(const char *p, const char *end, bool *whole) {
    if (*p == '-') p++;
    if (p == end) return NULL;
    *whole = true;
    if (*p == '0') p++;
    else if (!(p = json_scan_digits(p, end))) return NULL;
    if (p == end || (*p != '.' && (*p | 0x20) != 'e')) return p;
    *whole = false;
    return json_scan_fraction(p, end);
}

/* true, false or null; NULL for anything else. */
const char *json_scan_word(const char *p, const char *end);

/* Writes the decoded form of the inside of a string that json_scan_string has passed; never longer
 * than the inside itself. Returns its length. */
size_t json_unescape(char *out, const char *p, const char *end);
/* One code point of such an inside, escapes decoded; *p moves behind it. */
uint32_t json_next_char(const char **p, const char *end);
/* Code points in such an inside. */
size_t json_count_chars(const char *p, const char *end, unsigned seen);

#endif
