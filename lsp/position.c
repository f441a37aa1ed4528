/* Turns byte offsets into lines and columns of the protocol, and back; and URIs into paths. */
#include "lsp/inside.h"

#include <string.h>

/* ## Lines */

/* Behind the line end at `at`, or `at` where there is none. */
static uint32_t behind_line_end(gramc_text text, uint32_t at) {
    if (at >= text.len) return at;
    if (text.ptr[at] == '\n') return at + 1;
    if (text.ptr[at] != '\r') return at;
    return at + 1 < text.len && text.ptr[at + 1] == '\n' ? at + 2 : at + 1;
}

static uint32_t line_end(gramc_text text, uint32_t at) {
    while (at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') at++;
    return at;
}

/* Nearly all texts have no carriage returns, and are searched for newlines alone. */
static uint32_t line_end_if(bool has_returns, gramc_text text, uint32_t at) {
    if (has_returns || at >= text.len) return line_end(text, at);
    const char *end = memchr(text.ptr + at, '\n', text.len - at);
    return end ? (uint32_t)(end - text.ptr) : (uint32_t)text.len;
}

/* What a code point counts: 1 or 2 units of UTF-16, or its bytes. */
static uint32_t units(uint32_t code_point, size_t bytes, enum encoding encoding) {
    if (encoding == UTF8) return (uint32_t)bytes;
    return code_point > 0xFFFF && code_point != 0xFFFFFFFF ? 2 : 1;
}

uint32_t place_offset(gramc_text text, struct text_place place, enum encoding encoding) {
    uint32_t at = 0, column = 0;
    bool has_returns = text.len && memchr(text.ptr, '\r', text.len);
    for (uint32_t line = 0; line < place.line; line++) {
        uint32_t end = line_end_if(has_returns, text, at), next = behind_line_end(text, end);
        if (next == end) return end;
        at = next;
    }
    uint32_t end = line_end(text, at);
    while (at < end && column < place.column) {
        size_t next = at;
        uint32_t c = text_decode(text, &next);
        column += units(c, next - at, encoding);
        if (column > place.column) break;
        at = (uint32_t)next;
    }
    return at;
}

struct text_place place_next(struct place_cursor *c, uint32_t offset) {
    if (offset > c->text.len) offset = (uint32_t)c->text.len;
    if (offset < c->column_at) *c = (struct place_cursor){.text = c->text, .encoding = c->encoding};
    for (;;) {
        uint32_t end = line_end(c->text, c->at), next = behind_line_end(c->text, end);
        if (next == end || next > offset) break;
        c->at = c->line_start = c->column_at = next;
        c->column = 0;
        c->line++;
    }
    size_t at = c->column_at;
    while (at < offset) {
        size_t next = at;
        uint32_t code = text_decode(c->text, &next);
        if (next > offset) break;
        c->column += units(code, next - at, c->encoding);
        at = next;
    }
    c->column_at = (uint32_t)at;
    return (struct text_place){c->line, c->column};
}

struct text_place place_of(gramc_text text, uint32_t offset, enum encoding encoding) {
    struct place_cursor cursor = {.text = text, .encoding = encoding};
    return place_next(&cursor, offset);
}

/* ## As JSON */

void put_place(struct json_writer *w, const char *key, struct text_place place) {
    json_member_object(w, key);
    json_member_number(w, "line", place.line);
    json_member_number(w, "character", place.column);
    json_object_end(w);
}

void lines_forget(struct lsp *lsp) {
    lsp->lines = (struct line_table){.starts = NULL};
}

static bool learn_lines(struct lsp *lsp, gramc_text text) {
    struct line_table *lines = &lsp->lines;
    if (lines->starts && lines->text.ptr == text.ptr && lines->text.len == text.len) return true;
    uint32_t count = 1;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '\n' || text.ptr[i] == '\r';
    *lines = (struct line_table){text, arena_array(&lsp->scratch, count, sizeof(uint32_t)), 0};
    if (!lines->starts) return false;
    for (uint32_t at = 0;;) {
        lines->starts[lines->count++] = at;
        uint32_t end = line_end(text, at);
        at = behind_line_end(text, end);
        if (at == end) return true;
    }
}

static struct text_place look_up(struct lsp *lsp, gramc_text text, uint32_t offset) {
    const struct line_table *lines = &lsp->lines;
    uint32_t low = 0, high = lines->count;
    if (!learn_lines(lsp, text)) return (struct text_place){0, 0};
    high = lines->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (lines->starts[middle] <= offset) low = middle;
        else high = middle;
    }
    gramc_text line = text_slice(text, lines->starts[low], text.len);
    uint32_t in_line = offset - lines->starts[low];
    return (struct text_place){low, place_of(line, in_line, lsp->client.encoding).column};
}

void put_range(struct json_writer *w, const char *key, gramc_text text, uint32_t start,
               uint32_t end, struct lsp *lsp) {
    json_member_object(w, key);
    put_place(w, "start", look_up(lsp, text, start));
    put_place(w, "end", look_up(lsp, text, end));
    json_object_end(w);
}

static uint32_t whole(const struct json *number) {
    uint64_t value = 0;
    if (!json_is(number, JSON_NUMBER)) return 0;
    for (size_t i = 0; i < number->text.len && number->text.ptr[i] >= '0' &&
                       number->text.ptr[i] <= '9' && value < UINT32_MAX;
         i++)
        value = value * 10 + (uint64_t)(number->text.ptr[i] - '0');
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

struct text_place json_place(const struct json *position) {
    return (struct text_place){whole(json_get(position, "line")),
                               whole(json_get(position, "character"))};
}

/* ## URIs (RFC 3986, RFC 8089) */

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

gramc_text uri_path(struct arena *arena, gramc_text uri) {
    gramc_text rest = uri;
    if (text_starts(uri, "file://")) {
        size_t at = 7;
        while (at < uri.len && uri.ptr[at] != '/') at++; /* a host: ours */
        rest = text_slice(uri, at, uri.len);
    }
    char *out = arena_alloc(arena, rest.len + 1);
    size_t len = 0;
    if (!out) return (gramc_text){NULL, 0};
    for (size_t i = 0; i < rest.len; i++) {
        bool escaped = rest.ptr[i] == '%' && i + 2 < rest.len && hex(rest.ptr[i + 1]) >= 0 &&
                       hex(rest.ptr[i + 2]) >= 0;
        out[len] = escaped ? (char)(hex(rest.ptr[i + 1]) * 16 + hex(rest.ptr[i + 2])) : rest.ptr[i];
        if (escaped) i += 2;
        if (out[len]) len++; /* no path has a NUL */
    }
    out[len] = '\0';
    return (gramc_text){out, len};
}

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("/-_.~", c) != NULL);
}

void put_uri(struct json_writer *w, gramc_text path) {
    static const char digits[] = "0123456789ABCDEF";
    struct buf *out = json_slot(w);
    bool is_path = path.len && path.ptr[0] == '/';
    buf_puts(out, is_path ? "\"file://" : "\"");
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        bool stays = is_plain((char)c) || (!is_path && c > ' ' && c < 127 && c != '"' && c != '\\');
        if (stays) buf_putc(out, (char)c);
        else buf_printf(out, "%%%c%c", digits[c >> 4], digits[c & 15]);
    }
    buf_putc(out, '"');
}

/* ## Paths */

gramc_text path_folder(gramc_text path) {
    while (path.len && path.ptr[path.len - 1] != '/') path.len--;
    return path;
}

/* Writes one step of a path behind `len` bytes; returns how many there are then. */
static size_t take_step(char *out, size_t len, gramc_text step) {
    if (!step.len || text_is(step, ".")) return len;
    if (text_is(step, "..")) {
        while (len && out[len - 1] != '/') len--;
        return len ? len - 1 : 0;
    }
    out[len++] = '/';
    memcpy(out + len, step.ptr, step.len);
    return len + step.len;
}

gramc_text path_join(struct arena *arena, gramc_text folder, gramc_text name) {
    if (name.len && name.ptr[0] == '/') folder.len = 0;
    char *out = arena_alloc(arena, folder.len + name.len + 3);
    size_t len = 0;
    if (!out) return (gramc_text){NULL, 0};
    const gramc_text parts[] = {folder, name};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0, start = 0; i <= parts[k].len; i++) {
            if (i < parts[k].len && parts[k].ptr[i] != '/') continue;
            len = take_step(out, len, text_slice(parts[k], start, i));
            start = i + 1;
        }
    out[len] = '\0';
    return (gramc_text){out, len};
}
