/* Small questions about bytes: equality, UTF-8, spelling distance. No allocation, no locale. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "gramc/gramc.h"

#include <string.h>

#define TEXT(literal) GRAMC_TEXT(literal)
/* For printf's %.*s. */
#define TEXT_ARGS(text) (int)(text).len, (text).ptr

gramc_text text_of(const char *c_string);
static inline bool text_eq(gramc_text a, gramc_text b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
/* Compares without asking for the C string's length first: most comparisons end at once. */
static inline bool text_is(gramc_text a, const char *c_string) {
    size_t i = 0;
    while (i < a.len && c_string[i] != '\0' && c_string[i] == a.ptr[i]) i++;
    return i == a.len && c_string[i] == '\0';
}
/* Length, first two bytes and last one: what a switch over a fixed list of names looks at, before
 * one comparison. Two names that it does not tell apart are a case that stands twice, which does
 * not compile. 0: no name of 2 to 255 bytes. */
#define TEXT_KEY(len, first, second, last)                                                         \
    ((uint32_t)(len) << 24 | (uint32_t)(first) << 16 | (uint32_t)(second) << 8 | (uint32_t)(last))
static inline uint32_t text_key(gramc_text a) {
    const unsigned char *bytes = (const unsigned char *)a.ptr;
    bool is_short = a.len >= 2 && a.len <= 255;
    return is_short ? TEXT_KEY(a.len, bytes[0], bytes[1], bytes[a.len - 1]) : 0;
}
/* Bytewise order, shorter first on a tie: -1, 0, 1. */
int text_compare(gramc_text a, gramc_text b);
bool text_starts(gramc_text a, const char *prefix);
/* The system would take the text for shorter than it is. */
bool text_has_nul(gramc_text a);
/* Equal but for the case of ASCII letters. */
bool text_eq_nocase(gramc_text a, gramc_text b);
bool text_is_nocase(gramc_text a, const char *c_string);
gramc_text text_slice(gramc_text a, size_t start, size_t end);
/* What makes a noun agree with its count: `s`, or nothing for one. */
static inline const char *text_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}
/* Without ASCII blanks at both ends. */
gramc_text text_trim(gramc_text a);
uint32_t text_hash(gramc_text a);

/* Reads one code point at *pos and moves behind it. An ill-formed byte gives 0xFFFFFFFF and moves
 * by one. Surrogates and overlong forms are ill-formed. */
uint32_t text_decode(gramc_text a, size_t *pos);
bool text_is_utf8(gramc_text a);
/* Code points, an ill-formed byte counting as one. */
size_t text_length(gramc_text a);
/* Writes 1 to 4 bytes; returns how many. */
size_t text_encode(char out[4], uint32_t code_point);
/* True for code points that can fool a terminal or a reader: controls but for tab and line feed,
 * bidirectional overrides and isolates, line separators, zero-width marks and the BOM. */
bool text_is_treacherous(uint32_t code_point);

/* Edits (insert, delete, replace, swap neighbours) between two short names; stops counting at
 * `limit` and then returns limit + 1. Names over 64 bytes are never near. */
unsigned text_distance(gramc_text a, gramc_text b, unsigned limit);
/* The candidate nearest to `word`, near enough to be worth a "did you mean"; {NULL, 0} if none. */
gramc_text text_nearest(gramc_text word, const gramc_text *candidates, size_t count);

#endif
