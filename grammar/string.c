/* Turns the inside of quoted and fenced strings into the text that they mean. The lexer has found
 * their ends; findings about bad escapes are lexical.c's. */
#include "grammar/string.h"

#include "base/text.h"

#include <string.h>

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* The four digits behind \u; false if there are not four. */
static bool read_unit(gramc_text text, uint32_t *unit) {
    *unit = 0;
    if (text.len < 6 || text.ptr[0] != '\\' || text.ptr[1] != 'u') return false;
    for (size_t i = 2; i < 6; i++) {
        int digit = hex_digit(text.ptr[i]);
        if (digit < 0) return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

/* UTF-16 as in JSON: RFC 8259, section 7. A lone surrogate is no character. */
static size_t unicode_escape(gramc_text text, uint32_t *code_point) {
    uint32_t high, low;
    if (!read_unit(text, &high) || (high >= 0xDC00 && high <= 0xDFFF)) return 0;
    *code_point = high;
    if (high < 0xD800 || high > 0xDBFF) return 6;
    if (!read_unit(text_slice(text, 6, text.len), &low) || low < 0xDC00 || low > 0xDFFF) return 0;
    *code_point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return 12;
}

size_t string_escape(gramc_text text, char delimiter, uint32_t *code_point) {
    static const char letters[] = "bfnrt/\\", meanings[] = "\b\f\n\r\t/\\";
    if (text.len < 2) return 0;
    char c = text.ptr[1];
    const char *known = c ? strchr(letters, c) : NULL;
    if (known) *code_point = (uint32_t)meanings[known - letters];
    else if (c == delimiter) *code_point = (uint32_t)c;
    else return c == 'u' ? unicode_escape(text, code_point) : 0;
    return 2;
}

gramc_text string_decode(struct arena *arena, gramc_text body, char delimiter, bool *fine) {
    char *out = arena_alloc(arena, body.len + 1);
    if (!out) return (gramc_text){NULL, 0};
    size_t len = 0, pos = 0;
    while (pos < body.len) {
        const char *slash = memchr(body.ptr + pos, '\\', body.len - pos);
        size_t plain = slash ? (size_t)(slash - body.ptr) - pos : body.len - pos;
        memcpy(out + len, body.ptr + pos, plain);
        len += plain;
        pos += plain;
        if (!slash) break;
        uint32_t code_point;
        size_t taken = string_escape(text_slice(body, pos, body.len), delimiter, &code_point);
        if (taken) len += text_encode(out + len, code_point);
        else *fine = false;
        pos += taken ? taken : 1;
    }
    out[len] = '\0';
    return (gramc_text){out, len};
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t skip_blanks(gramc_text text, size_t pos) {
    while (pos < text.len && is_blank(text.ptr[pos]) && text.ptr[pos] != '\n') pos++;
    return pos;
}

static bool is_symbol_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.-@", c));
}

gramc_text fence_tag(gramc_text fence) {
    size_t start = skip_blanks(fence, 3), end = start;
    while (end < fence.len && is_symbol_byte(fence.ptr[end])) end++;
    return text_slice(fence, start, end);
}

gramc_text fence_content(gramc_text fence) {
    const char *feed = memchr(fence.ptr, '\n', fence.len);
    size_t start = feed ? (size_t)(feed - fence.ptr) + 1 : 3;
    size_t end = fence.len < start + 3 ? start : fence.len - 3, line = start;
    for (size_t pos = start; pos < end && is_blank(fence.ptr[pos]); pos++) {
        if (fence.ptr[pos] == '\n') line = pos + 1;
        if (pos + 1 == end) line = end;
    }
    return text_slice(fence, line, end);
}

bool string_tail_is_blank(gramc_text body) {
    const char *feed = memchr(body.ptr, '\n', body.len);
    size_t pos = feed ? (size_t)(feed - body.ptr) : body.len;
    while (pos < body.len) {
        if (is_blank(body.ptr[pos])) {
            pos++;
            continue;
        }
        if (body.ptr[pos] != '/' || pos + 1 == body.len || body.ptr[pos + 1] != '/') return false;
        feed = memchr(body.ptr + pos, '\n', body.len - pos);
        if (!feed) return false;
        pos = (size_t)(feed - body.ptr);
    }
    return true;
}
