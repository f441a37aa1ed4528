/* Answers small questions about bytes: equality, UTF-8, spelling distance. Allocates nothing and
 * knows no locale; every loop is bounded by the length that it was given. */
#include "base/text.h"

#include <string.h>

gramc_text text_of(const char *c_string) {
    return (gramc_text){c_string, c_string ? strlen(c_string) : 0};
}

int text_compare(gramc_text a, gramc_text b) {
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.ptr, b.ptr, shorter) : 0;
    if (order) return order < 0 ? -1 : 1;
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

bool text_starts(gramc_text a, const char *prefix) {
    size_t len = strlen(prefix);
    return len == 0 || (a.len >= len && memcmp(a.ptr, prefix, len) == 0);
}

bool text_has_nul(gramc_text a) {
    return a.len && memchr(a.ptr, '\0', a.len);
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool text_eq_nocase(gramc_text a, gramc_text b) {
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return false;
    return true;
}

bool text_is_nocase(gramc_text a, const char *c_string) {
    return text_eq_nocase(a, text_of(c_string));
}

gramc_text text_slice(gramc_text a, size_t start, size_t end) {
    /* Even an offset of 0 from NULL is undefined (C11 6.5.6). */
    return (gramc_text){a.ptr ? a.ptr + start : NULL, end - start};
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

gramc_text text_trim(gramc_text a) {
    while (a.len && is_blank(a.ptr[0])) a.ptr++, a.len--;
    while (a.len && is_blank(a.ptr[a.len - 1])) a.len--;
    return a;
}

/* FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
uint32_t text_hash(gramc_text a) {
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < a.len; i++) hash = (hash ^ (unsigned char)a.ptr[i]) * 16777619U;
    return hash;
}

/* Table 3-7 of the Unicode standard, as the range that the second byte may have. */
static size_t sequence_length(const unsigned char *p, size_t left) {
    unsigned char c = p[0], low = 0x80, high = 0xBF;
    size_t len = c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (len == 0 || len > left) return 0;
    if (c == 0xE0) low = 0xA0;
    if (c == 0xED) high = 0x9F;
    if (c == 0xF0) low = 0x90;
    if (c == 0xF4) high = 0x8F;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    return len;
}

uint32_t text_decode(gramc_text a, size_t *pos) {
    const unsigned char *p = (const unsigned char *)a.ptr + *pos;
    if (p[0] < 0x80) {
        ++*pos;
        return p[0];
    }
    size_t len = sequence_length(p, a.len - *pos);
    if (len == 0) {
        ++*pos;
        return UINT32_MAX;
    }
    uint32_t code_point = p[0] & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) code_point = code_point << 6 | (p[i] & 0x3FU);
    *pos += len;
    return code_point;
}

bool text_is_utf8(gramc_text a) {
    for (size_t pos = 0; pos < a.len;)
        if (text_decode(a, &pos) == UINT32_MAX) return false;
    return true;
}

size_t text_length(gramc_text a) {
    size_t count = 0;
    for (size_t pos = 0; pos < a.len; count++) text_decode(a, &pos);
    return count;
}

size_t text_encode(char out[4], uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00U >> len & 0xFF) | c);
    return len;
}

bool text_is_treacherous(uint32_t c) {
    if (c < 0x20) return c != '\t' && c != '\n';
    return (c >= 0x7F && c <= 0x9F) || c == 0x061C || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xE0000 && c <= 0xE007F);
}

enum { LONGEST_NAME = 64 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Optimal string alignment, three rows. */
unsigned text_distance(gramc_text a, gramc_text b, unsigned limit) {
    unsigned rows[3][LONGEST_NAME + 1];
    if (a.len > LONGEST_NAME || b.len > LONGEST_NAME) return limit + 1;
    if (a.len > b.len + limit || b.len > a.len + limit) return limit + 1;
    unsigned last = 0; /* the least of the row above */
    for (unsigned j = 0; j <= b.len; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        unsigned lowest = row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned replace = above[j - 1] + (lower(a.ptr[i - 1]) != lower(b.ptr[j - 1]));
            row[j] = least(least(above[j], row[j - 1]) + 1, replace);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
            lowest = least(lowest, row[j]);
        }
        /* It grows from row to row, but for a swap, which goes over one. */
        if (lowest > limit && last >= limit) return limit + 1;
        last = lowest;
    }
    unsigned distance = rows[a.len % 3][b.len];
    return distance > limit ? limit + 1 : distance;
}

gramc_text text_nearest(gramc_text word, const gramc_text *candidates, size_t count) {
    gramc_text best = {NULL, 0};
    unsigned limit = word.len < 6 ? 1 : word.len < 9 ? 2 : 3; /* about a third of it */
    for (size_t i = 0; i < count; i++) {
        bool same_start =
            word.len && candidates[i].len && lower(word.ptr[0]) == lower(candidates[i].ptr[0]);
        /* Otherwise another word: session, version. */
        unsigned most = same_start || !limit ? limit : 1;
        unsigned distance = text_distance(word, candidates[i], most);
        if (distance > most || distance >= candidates[i].len) continue;
        best = candidates[i];
        limit = distance ? distance - 1 : 0;
        if (distance == 0) break;
    }
    return best;
}
