/* The rarer half of the JSON scanner: escapes, UTF-8, fractions, words, and turning the inside of a
 * string into what it means. The tables and loops that every byte passes stand in scan.h. */
#include "base/json/scan.h"

#include <string.h>

#include "base/text.h"

#define B JSON_BYTE_BLANK | JSON_BYTE_STOP
#define S JSON_BYTE_STOP
#define D JSON_BYTE_DIGIT | JSON_BYTE_NUMBER
#define N JSON_BYTE_NUMBER
#define E JSON_BYTE_ESCAPE
/* clang-format off */
const uint8_t json_bytes[256] = {
    S, S, S, S, S, S, S, S, S, B, B, S, S, B, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    [' '] = JSON_BYTE_BLANK, ['"'] = S | E, ['\\'] = S | E, ['/'] = E,
    ['b'] = E, ['f'] = E, ['n'] = E, ['r'] = E, ['t'] = E,
    ['.'] = N, ['e'] = N, ['E'] = N,
    ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D,
    ['5'] = D, ['6'] = D, ['7'] = D, ['8'] = D, ['9'] = D,
};
/* clang-format on */
#undef B
#undef S
#undef D
#undef N
#undef E

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits as a number, -1 if they are not there. */
static int32_t read_hex4(const char *p, const char *end) {
    int32_t unit = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static bool is_high_surrogate(int32_t unit) {
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low_surrogate(int32_t unit) {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* What the letter behind a backslash stands for, 0 if it is none. */
static char escape_meaning(char letter) {
    switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
    }
}

const char *json_scan_escape(const char *p, const char *end) {
    if (end - p < 2) return NULL;
    if (json_byte_is(p[1], JSON_BYTE_ESCAPE)) return p + 2;
    if (p[1] != 'u') return NULL;
    int32_t unit = read_hex4(p + 2, end);
    p += 6;
    if (unit < 0 || is_low_surrogate(unit)) return NULL;
    if (!is_high_surrogate(unit)) return p;
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return NULL;
    return is_low_surrogate(read_hex4(p + 2, end)) ? p + 6 : NULL;
}

static bool is_tail(const char *p) {
    return ((unsigned char)*p & 0xC0) == 0x80;
}

/* The length of the well-formed sequence at p, which is not ASCII; 0 if it is none. Table 3-7 of
 * the Unicode standard: what the second byte may be depends on the first. */
static size_t sequence_length(const char *p, size_t left) {
    unsigned char first = (unsigned char)p[0], second = left > 1 ? (unsigned char)p[1] : 0;
    if (first < 0xC2 || first > 0xF4 || (second & 0xC0) != 0x80) return 0;
    if (first < 0xE0) return 2;
    if (first < 0xF0) {
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
        return left > 2 && is_tail(p + 2) ? 3 : 0;
    }
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
    return left > 3 && is_tail(p + 2) && is_tail(p + 3) ? 4 : 0;
}

const char *json_scan_highs(const char *p, const char *end) {
    if ((unsigned char)*p < 0x80) return NULL;
    while (p < end && (unsigned char)*p >= 0x80) {
        size_t len = sequence_length(p, (size_t)(end - p));
        if (len == 0) return NULL;
        p += len;
    }
    return p;
}

bool json_scan_utf8(const char *p, const char *end) {
    while (p < end) {
        if ((unsigned char)*p < 0x80) {
            p++;
            continue;
        }
        size_t len = sequence_length(p, (size_t)(end - p));
        if (len == 0) return false;
        p += len;
    }
    return true;
}

const char *json_scan_fraction(const char *p, const char *end) {
    if (*p == '.') {
        p = json_scan_digits(p + 1, end);
        if (!p || p == end) return p;
    }
    if ((*p | 0x20) != 'e') return p;
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    return json_scan_digits(p, end);
}

const char *json_scan_word(const char *p, const char *end) {
    size_t left = (size_t)(end - p);
    if (left >= 4 && memcmp(p, "true", 4) == 0) return p + 4;
    if (left >= 5 && memcmp(p, "false", 5) == 0) return p + 5;
    return left >= 4 && memcmp(p, "null", 4) == 0 ? p + 4 : NULL;
}

static uint32_t next_escape(const char **p, const char *end) {
    char letter = (*p)[1];
    *p += 2;
    if (letter != 'u') return (unsigned char)escape_meaning(letter);
    int32_t unit = read_hex4(*p, end);
    *p += 4;
    if (!is_high_surrogate(unit)) return (uint32_t)unit;
    int32_t low = read_hex4(*p + 2, end);
    *p += 6;
    return 0x10000U + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
}

uint32_t json_next_char(const char **p, const char *end) {
    if (**p == '\\') return next_escape(p, end);
    size_t pos = 0;
    uint32_t code_point = text_decode((gramc_text){*p, (size_t)(end - *p)}, &pos);
    *p += pos;
    return code_point;
}

size_t json_unescape(char *out, const char *p, const char *end) {
    char *start = out;
    while (p < end) {
        const char *escape = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((escape ? escape : end) - p);
        memcpy(out, p, plain);
        out += plain;
        p += plain;
        if (escape) out += text_encode(out, next_escape(&p, end));
    }
    return (size_t)(out - start);
}

size_t json_count_chars(const char *p, const char *end, unsigned seen) {
    if (!seen) return (size_t)(end - p);
    size_t count = 0;
    if (seen & JSON_SEEN_ESCAPE) {
        for (; p < end; count++) json_next_char(&p, end);
        return count;
    }
    for (; p < end; p++) count += ((unsigned char)*p & 0xC0) != 0x80;
    return count;
}
