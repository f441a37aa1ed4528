/* Turns names of a spec, which may be anything, into identifiers of a language, each of its own. */
#include "compiler/stub/stub.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_keyword(const struct stub_language *language, gramc_text name) {
    const char *at = language->keywords;
    while (name.len && (at = strchr(at, ' ')) != NULL) {
        at++;
        if (strncmp(at, name.ptr, name.len) == 0 && at[name.len] == ' ') return true;
    }
    return false;
}

bool stub_is_identifier(const struct stub_language *language, gramc_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (!is_letter(name.ptr[i]) && name.ptr[i] != '_' && (i == 0 || !is_digit(name.ptr[i])))
            return false;
    /* Two underscores in front are the language's own. */
    return name.len && !text_starts(name, "__") && !is_keyword(language, name);
}

/* FooBar, fooBar or foo_bar of `foo-bar`, `foo.bar`, `fooBar`. */
static void put_words(struct buf *out, gramc_text name, bool is_type, bool is_camel) {
    bool starts = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!is_letter(c) && !is_digit(c)) {
            starts = true;
            continue;
        }
        bool hump = is_upper(c) && i && !is_upper(name.ptr[i - 1]) && is_letter(name.ptr[i - 1]);
        bool begins = starts || hump;
        if (!out->len && is_digit(c)) buf_putc(out, is_type ? 'T' : 't');
        bool upper = begins && (is_type || (is_camel && out->len));
        if (begins && out->len && !is_type && !is_camel) buf_putc(out, '_');
        if (upper && !is_upper(c) && is_letter(c)) c = (char)(c - 'a' + 'A');
        if (!upper && is_upper(c) && (!is_type && (begins || !is_camel))) c = (char)(c - 'A' + 'a');
        buf_putc(out, c);
        starts = false;
    }
    if (!out->len) buf_puts(out, is_type ? "Value" : "tool");
}

void stub_take(struct stub *stub, const char *name) {
    gramc_text copy = arena_text(stub->arena, text_of(name));
    if (copy.ptr) map_put(&stub->taken, copy, stub);
}

gramc_text stub_name(struct stub *stub, gramc_text name, bool is_type) {
    struct buf out;
    char digits[16] = "";
    buf_init(&out, &stub->arena->allocator, 1 << 16);
    put_words(&out, name, is_type, stub->language->is_camel);
    size_t len = out.len;
    for (unsigned i = 2; out.state == BUF_FINE; i++) {
        bool taken = map_get(&stub->taken, buf_view(&out)) ||
                     !stub_is_identifier(stub->language, buf_view(&out));
        if (!taken) break;
        snprintf(digits, sizeof digits, "_%u", i);
        out.len = len;
        buf_puts(&out, digits);
    }
    gramc_text made = buf_to_arena(&out, stub->arena);
    if (made.ptr) map_put(&stub->taken, made, stub);
    return made;
}

/* ## Texts in programs */

/* What ends a comment, or goes on in the next line, is taken apart. */
static void put_harmless(struct buf *out, gramc_text line) {
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.ptr[i];
        size_t next = i;
        uint32_t code = text_decode(line, &next);
        if (code != UINT32_MAX && text_is_treacherous(code)) { /* some end a line */
            i = next - 1;
            continue;
        }
        if (c >= ' ' && c != 127) buf_putc(out, (char)c);
        if (c == '?' && i + 1 < line.len && line.ptr[i + 1] == '?') buf_putc(out, ' ');
    }
    if (line.len && line.ptr[line.len - 1] == '\\') buf_putc(out, '.');
}

void stub_comment(struct buf *out, const char *prefix, gramc_text text) {
    text = text_trim(text);
    for (size_t start = 0, i = 0; text.len && i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '\n') continue;
        gramc_text line = text_trim(text_slice(text, start, i));
        buf_puts(out, prefix);
        if (line.len) buf_putc(out, ' ');
        put_harmless(out, line);
        buf_putc(out, '\n');
        start = i + 1;
    }
}

void stub_c_string(struct buf *out, gramc_text text) {
    buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (i && i % 3000 == 0) buf_puts(out, "\"\n    \""); /* no compiler must take longer ones */
        if (c == '"' || c == '\\' || c == '?') buf_putc(out, '\\');
        if (c >= ' ' && c < 127) buf_putc(out, (char)c);
        else buf_printf(out, "\\%03o", c);
    }
    buf_putc(out, '"');
}

void stub_append(struct buf *out, struct buf *piece) {
    buf_text(out, buf_view(piece));
    if (piece->state != BUF_FINE) out->state = piece->state;
    struct buf empty;
    buf_init(&empty, &piece->allocator, piece->max);
    buf_free(piece);
    *piece = empty;
}
