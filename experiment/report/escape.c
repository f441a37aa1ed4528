/* One function a kind of document; each goes through the text by code points. */
#include "experiment/report/escape.h"

#include "base/diag/put.h"
#include "base/text.h"

/* The spelling of what no reader shall be fooled by; false: it is harmless. */
static bool put_treacherous(struct buf *out, gramc_text text, size_t start, uint32_t c) {
    if (c == UINT32_MAX) buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.ptr[start]);
    else if (text_is_treacherous(c) || c == 0xFFFE || c == 0xFFFF)
        buf_printf(out, "\\u{%x}", (unsigned)c);
    else return false;
    return true;
}

static const char *entity(uint32_t c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static void put_marked_up(struct buf *out, gramc_text text, bool lines) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (put_treacherous(out, text, start, c)) continue;
        if (entity(c)) buf_puts(out, entity(c));
        else if (c == '\n' && !lines) buf_puts(out, "\\n");
        else if (c == '\t' && !lines) buf_putc(out, ' ');
        else buf_text(out, text_slice(text, start, pos));
    }
}

void escape_xml(struct buf *out, gramc_text text) {
    put_marked_up(out, text, false);
}

void escape_html(struct buf *out, gramc_text text) {
    put_marked_up(out, text, true);
}

/* Numeric references work in text and in tables, and no extension reads them as mark-up. `@`, `#`,
 * `:` and `.` would make mentions, links to issues and addresses; a first `-` or `+` a list. */
static bool is_markup(uint32_t c, bool first) {
    static const char special[] = "&<>\\`*_{}[]#|~@:.$";
    if (first && (c == '-' || c == '+')) return true;
    return c != 0 && c < 0x80 && strchr(special, (int)c);
}

void escape_markdown(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (put_treacherous(out, text, start, c)) continue;
        if (c == '\n') buf_puts(out, "\\\\n");
        else if (c == '\t') buf_putc(out, ' ');
        else if (is_markup(c, start == 0)) buf_printf(out, "&#%u;", (unsigned)c);
        else buf_text(out, text_slice(text, start, pos));
    }
}

/* OWASP's list; blanks before do not help a formula, nor shall they. */
static bool is_formula(gramc_text text) {
    size_t i = 0;
    while (i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == '\t')) i++;
    bool starts = i < text.len && strchr("=+-@|%\r\n", text.ptr[i]) && text.ptr[i];
    bool wide = i + 3 <= text.len && (memcmp(text.ptr + i, "\xEF\xBC\x9D", 3) == 0 ||
                                      memcmp(text.ptr + i, "\xEF\xBC\x8B", 3) == 0 ||
                                      memcmp(text.ptr + i, "\xEF\xBC\x8D", 3) == 0 ||
                                      memcmp(text.ptr + i, "\xEF\xBC\xA0", 3) == 0);
    return starts || wide;
}

void escape_csv(struct buf *out, gramc_text text) {
    buf_putc(out, '"');
    if (is_formula(text)) buf_putc(out, '\'');
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (put_treacherous(out, text, start, c)) continue;
        if (c == '"') buf_puts(out, "\"\"");
        else if (c == '\n') buf_puts(out, "\\n");
        else buf_text(out, text_slice(text, start, pos));
    }
    buf_putc(out, '"');
}
