/* Makes JSON of programs that cut texts between the two halves of a surrogate pair readable: a half
 * without its other becomes U+FFFD, as a decoder of UTF-16 would have it. Only those escapes are
 * touched, and none gets longer; whether the rest is JSON, the scanner says. */
#include <string.h>

#include "base/json/json.h"
#include "base/json/scan.h"

enum { ESCAPE = 6 }; /* bytes of \uXXXX */

/* Moves over plain bytes and whole escapes; the next half, or NULL. */
static const char *next_half(const char *p, const char *end) {
    while ((p = memchr(p, '\\', (size_t)(end - p)))) {
        const char *behind = json_scan_escape(p, end);
        bool is_half = !behind && end - p >= ESCAPE && p[1] == 'u' && (p[2] | 0x20) == 'd';
        if (is_half) return p;
        p = behind ? behind : p + (end - p > 1 ? 2 : 1);
        if (p == end) return NULL;
    }
    return NULL;
}

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

bool json_mend(char *bytes, size_t len) {
    const char *end = bytes + len, *half = len ? next_half(bytes, end) : NULL;
    bool mended = false;
    while (half) {
        bool is_escape = is_hex(half[3]) && is_hex(half[4]) && is_hex(half[5]);
        if (is_escape) memcpy(bytes + (half - bytes), "\\ufffd", ESCAPE);
        mended = mended || is_escape;
        half += is_escape ? ESCAPE : 2;
        half = half < end ? next_half(half, end) : NULL;
    }
    return mended;
}

gramc_text json_mended(struct arena *arena, gramc_text text) {
    const char *half = text.len ? next_half(text.ptr, text.ptr + text.len) : NULL;
    if (!half) return text;
    char *copy = arena_alloc(arena, text.len + 1);
    if (!copy) return (gramc_text){NULL, 0};
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    (void)json_mend(copy, text.len);
    return (gramc_text){copy, text.len};
}
