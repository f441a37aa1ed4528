/* Cuts a prompt or template into texts and what stands between `${` and `}`. What a name stands
 * for, and whether a bad one is an error, is the caller's matter. */
#include "base/placeholder.h"

#include "base/text.h"

#include <string.h>

static bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool continues_name(char c) {
    return begins_name(c) || (c >= '0' && c <= '9') || c == '.' || c == '@' || c == '-';
}

static bool is_name(gramc_text text) {
    if (!text.len || !begins_name(text.ptr[0])) return false;
    for (size_t i = 1; i < text.len; i++)
        if (!continues_name(text.ptr[i])) return false;
    return true;
}

static bool opens(gramc_text text, size_t at) {
    return at + 1 < text.len && text.ptr[at] == '$' && text.ptr[at + 1] == '{';
}

static void read_name(gramc_text text, size_t *pos, struct placeholder *out) {
    size_t start = *pos + 2;
    const char *close = memchr(text.ptr + start, '}', text.len - start);
    if (!close) {
        *out = (struct placeholder){PLACEHOLDER_OPEN, text_slice(text, *pos, text.len)};
        *pos = text.len;
        return;
    }
    size_t end = (size_t)(close - text.ptr);
    out->text = text_slice(text, start, end);
    out->kind = is_name(out->text) ? PLACEHOLDER_NAME : PLACEHOLDER_BAD;
    *pos = end + 1;
}

bool placeholder_next(gramc_text text, size_t *pos, struct placeholder *out) {
    size_t start = *pos, at = start;
    if (start >= text.len) return false;
    if (opens(text, start)) {
        read_name(text, pos, out);
        return true;
    }
    while (at < text.len && !opens(text, at)) {
        /* `$${`: the text ends behind the first dollar, and the second one is left out. */
        bool literal = text.ptr[at] == '$' && opens(text, at + 1);
        at++;
        if (!literal) continue;
        *out = (struct placeholder){PLACEHOLDER_TEXT, text_slice(text, start, at - 1)};
        if (at - 1 == start) {
            out->text = text_slice(text, at, at + 2);
            at += 2;
        } else {
            at--;
        }
        *pos = at;
        return true;
    }
    *out = (struct placeholder){PLACEHOLDER_TEXT, text_slice(text, start, at)};
    *pos = at;
    return true;
}

bool placeholder_is_in(gramc_text text) {
    struct placeholder first;
    size_t pos = 0;
    return placeholder_next(text, &pos, &first) &&
           (first.kind != PLACEHOLDER_TEXT || first.text.len < text.len);
}
