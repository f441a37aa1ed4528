/* Whether the lines of a request are lines as RFC 9112 has them. The library takes more: a lone CR
 * for the end of a line, a NUL for the end of a text, blanks before a colon; of a folded line it
 * puts the second half behind the *name*. A proxy that reads such a request otherwise lets in what
 * it never saw (smuggling).
 *
 * It does not keep what it has read, but cuts it into C strings where it lies. So it shows from
 * where these lie: one byte apart in the request line, two (CR, LF) from header to header. */
#include "serve/service.h"

#include "base/text.h"

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_name(const char *text) {
    size_t len = 0;
    while (is_name_byte(text[len])) len++;
    return len > 0 && text[len] == '\0';
}

static bool is_value(const char *text) {
    for (; *text; text++)
        if ((*text < ' ' && *text > 0 && *text != '\t') || *text == 0x7F) return false;
    return true;
}

void lines_begin(struct request_lines *lines, const char *method, const char *version) {
    const char *target_end = lines->target ? lines->target + lines->target_len : NULL;
    lines->end = version + strlen(version);
    if (lines->is_cut_in_place)
        lines->is_wrong = method + strlen(method) + 1 != lines->target || target_end + 1 != version;
}

void lines_take(struct request_lines *lines, const char *name, const char *value) {
    if (!is_name(name) || !is_value(value)) lines->is_wrong = true;
    if (lines->is_cut_in_place && (name != lines->end + 2 || value <= name)) lines->is_wrong = true;
    lines->end = value + strlen(value);
}

/* Behind the last header is its end and that of an empty line. */
bool lines_are_right(const struct request_lines *lines) {
    if (lines->is_wrong) return false;
    return !lines->is_cut_in_place || memcmp(lines->end, "\0\0\0", 4) == 0;
}
