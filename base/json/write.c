/* Turns documents, strings and doubles back into JSON text, compact, pretty or canonical. All goes
 * to a buf, whose sticky state tells of memory and size. */
#include "base/json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/scan.h"
#include "base/text.h"

static void put_escape(struct buf *out, unsigned char c) {
    static const char letters[] = "btnvfr", digits[] = "0123456789abcdef";
    if (c >= '\b' && c <= '\r' && c != '\v') {
        char escape[2] = {'\\', letters[c - '\b']};
        buf_put(out, escape, 2);
    } else if (c < 0x20) {
        char escape[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
        buf_put(out, escape, 6);
    } else {
        char escape[2] = {'\\', (char)c};
        buf_put(out, escape, 2);
    }
}

/* Bytes that are looked at together. */
typedef uint64_t word;
#define REPEAT(byte) (UINT64_C(0x0101010101010101) * (byte))

static word word_at(const char *bytes) {
    word w;
    memcpy(&w, bytes, sizeof w);
    return w;
}

/* Four bytes to seven, some of them twice. */
static word short_word(gramc_text text) {
    uint32_t halves[2];
    memcpy(&halves[0], text.ptr, 4);
    memcpy(&halves[1], text.ptr + text.len - 4, 4);
    return (word)halves[0] << 32 | halves[1];
}

/* Not zero if a byte is beyond ASCII, a control, a quote or a backslash: in all others the highest
 * bit stays what it is, and a borrow begins in none of them. */
static word unplain(word w) {
    return (w | (w - REPEAT(0x20)) | ((w ^ REPEAT('"')) - REPEAT(1)) |
            ((w ^ REPEAT('\\')) - REPEAT(1))) &
           REPEAT(0x80);
}

/* ASCII that needs no escape, as nearly everything is. */
static bool is_plain(gramc_text text) {
    word found = REPEAT(' ');
    if (text.len < 4) {
        for (size_t i = 0; i < text.len; i++) found = found << 8 | (unsigned char)text.ptr[i];
        return !unplain(found);
    }
    if (text.len < sizeof(word)) return !unplain(short_word(text));
    const char *at = text.ptr, *end = text.ptr + text.len;
    found = 0;
    for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) found |= unplain(word_at(at));
    return !(found | unplain(word_at(end - sizeof(word))));
}

/* How many bytes from the start are ASCII that needs no escape. */
static size_t plain_prefix(gramc_text text) {
    size_t i = 0;
    const char *p = text.ptr;
    unsigned seen = 0;
    if (text.len == 0) return 0;
    bool stopped = json_scan_blocks(&p, text.ptr + text.len, &seen);
    if (!seen) i = (size_t)(p - text.ptr);
    if (stopped && !seen) return i;
    while (i < text.len && !json_byte_is(text.ptr[i], JSON_BYTE_STOP) && !(text.ptr[i] & 0x80)) i++;
    return i;
}

void json_put_string(struct buf *out, gramc_text text) {
    size_t done = 0;
    char *room = buf_room(out, text.len + 2);
    if (room && is_plain(text)) {
        room[0] = '"';
        if (text.len) memcpy(room + 1, text.ptr, text.len);
        room[text.len + 1] = '"';
        buf_took(out, text.len + 2);
        return;
    }
    buf_putc(out, '"');
    for (size_t pos = plain_prefix(text); pos < text.len;) {
        size_t at = pos;
        uint32_t c = text_decode(text, &pos);
        if (c >= 0x20 && c != '"' && c != '\\' && c != UINT32_MAX) continue;
        buf_put(out, text.ptr + done, at - done);
        done = pos;
        if (c == UINT32_MAX) buf_puts(out, "\xEF\xBF\xBD");
        else put_escape(out, (unsigned char)c);
        pos += plain_prefix(text_slice(text, pos, text.len));
    }
    if (done < text.len) buf_put(out, text.ptr + done, text.len - done);
    buf_putc(out, '"');
}

enum style { COMPACT, PRETTY, CANONICAL };

static void new_line(struct buf *out, enum style style, unsigned depth) {
    if (style != PRETTY) return;
    buf_putc(out, '\n');
    for (unsigned i = 0; i < depth; i++) buf_put(out, "  ", 2);
}

static void put_value(struct buf *out, const struct json *value, enum style style, unsigned depth);

static void put_child(struct buf *out, const struct json *child, bool member, bool first,
                      enum style style, unsigned depth) {
    if (!first) buf_putc(out, ',');
    new_line(out, style, depth + 1);
    if (member) {
        json_put_string(out, child->key);
        buf_puts(out, style == PRETTY ? ": " : ":");
    }
    put_value(out, child, style, depth + 1);
}

static void put_sorted(struct buf *out, const struct json *object, unsigned depth) {
    size_t count = object->count, size = 2 * count * sizeof(const struct json *);
    const struct json **members = count ? mem_alloc(&out->allocator, size) : NULL;
    if (count && !members) {
        out->state = BUF_NOMEM;
        return;
    }
    size_t i = 0;
    for (const struct json *member = object->first; member; member = member->next)
        members[i++] = member;
    const struct json **sorted = count ? json_sort_members(members, members + count, count) : NULL;
    for (i = 0; i < count; i++) put_child(out, sorted[i], true, i == 0, CANONICAL, depth);
    mem_free(&out->allocator, members, size);
}

static void put_container(struct buf *out, const struct json *value, enum style style,
                          unsigned depth) {
    bool object = value->kind == JSON_OBJECT;
    buf_putc(out, object ? '{' : '[');
    if (object && style == CANONICAL) put_sorted(out, value, depth);
    else
        for (const struct json *child = value->first; child; child = child->next)
            put_child(out, child, object, child == value->first, style, depth);
    if (value->first) new_line(out, style, depth);
    buf_putc(out, object ? '}' : ']');
}

static void put_value(struct buf *out, const struct json *value, enum style style, unsigned depth) {
    switch ((enum json_kind)value->kind) {
    case JSON_NULL: buf_puts(out, "null"); break;
    case JSON_FALSE: buf_puts(out, "false"); break;
    case JSON_TRUE: buf_puts(out, "true"); break;
    case JSON_NUMBER: buf_text(out, value->text); break;
    case JSON_STRING: json_put_string(out, value->text); break;
    case JSON_ARRAY:
    case JSON_OBJECT: put_container(out, value, style, depth); break;
    }
}

void json_put(struct buf *out, const struct json *value) {
    put_value(out, value, COMPACT, 0);
}

void json_put_pretty(struct buf *out, const struct json *value) {
    put_value(out, value, PRETTY, 0);
}

void json_put_canonical(struct buf *out, const struct json *value) {
    put_value(out, value, CANONICAL, 0);
}

/* printf writes the decimal point of the current locale, of one or more bytes. */
static void put_with_point(struct buf *out, const char *number) {
    for (const char *p = number; *p; p++) {
        if (strchr("0123456789+-e", *p)) buf_putc(out, *p);
        else if (p > number && strchr("0123456789", p[-1])) buf_putc(out, '.');
    }
}

bool json_put_double(struct buf *out, double value) {
    char number[64];
    if (!isfinite(value)) return false;
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(number, sizeof number, "%.*g", precision, value);
        double back = strtod(number, NULL);
        if (memcmp(&back, &value, sizeof back) == 0) break;
    }
    put_with_point(out, number);
    return true;
}

void json_put_pointer_token(struct buf *out, gramc_text token) {
    size_t done = 0;
    bool plain =
        !token.len || (!memchr(token.ptr, '~', token.len) && !memchr(token.ptr, '/', token.len));
    buf_putc(out, '/');
    for (size_t i = 0; !plain && i < token.len; i++) {
        char c = token.ptr[i];
        if (c != '~' && c != '/') continue;
        buf_text(out, text_slice(token, done, i));
        buf_puts(out, c == '~' ? "~0" : "~1");
        done = i + 1;
    }
    buf_text(out, text_slice(token, done, token.len));
}
