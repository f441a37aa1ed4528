/* Writes hostile text into Markdown without letting it be markup. What goes where in a page is
 * markdown.c's. */
#include "compiler/emit/markup.h"

#include "base/text.h"

#include <string.h>

/* Escaped everywhere; the others only where a line begins. */
static const char marks[] = "\\`*_[]|~$!:@", line_marks[] = "#+-=>";

static void put_named(struct buf *out, uint32_t code_point) {
    if (code_point == 0xFFFFFFFF) buf_puts(out, "\xEF\xBF\xBD");
    else buf_printf(out, "U+%04X", (unsigned)code_point);
}

static bool is_plain(uint32_t code_point) {
    return code_point != 0xFFFFFFFF && !text_is_treacherous(code_point) && code_point != '\t';
}

static void put_character(struct buf *out, gramc_text text, size_t start, size_t *pos,
                          bool line_begins) {
    uint32_t code_point = text_decode(text, pos);
    char c = code_point < 128 ? (char)code_point : '\0';
    if (c == '<') buf_puts(out, "&lt;");
    else if (c == '>') buf_puts(out, "&gt;");
    else if (c == '&') buf_puts(out, "&amp;");
    else if (c == '\t') buf_putc(out, ' ');
    else if (!is_plain(code_point)) put_named(out, code_point);
    else {
        bool mark = c && (strchr(marks, c) || (line_begins && strchr(line_marks, c)));
        if (mark) buf_putc(out, '\\');
        buf_put(out, text.ptr + start, *pos - start);
    }
}

/* `1.` and `1)` would begin a list. */
static bool is_list_number(gramc_text text, size_t pos) {
    size_t digits = 0;
    while (pos + digits < text.len && text.ptr[pos + digits] >= '0' &&
           text.ptr[pos + digits] <= '9')
        digits++;
    return digits && pos + digits < text.len &&
           (text.ptr[pos + digits] == '.' || text.ptr[pos + digits] == ')');
}

static void put_digits(struct buf *out, gramc_text text, size_t *pos) {
    while (text.ptr[*pos] >= '0' && text.ptr[*pos] <= '9') buf_putc(out, text.ptr[(*pos)++]);
    buf_putc(out, '\\');
    buf_putc(out, text.ptr[(*pos)++]);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void put_escaped(struct buf *out, gramc_text text, const char *line_end) {
    bool line_begins = true;
    for (size_t pos = 0; pos < text.len;) {
        char c = text.ptr[pos];
        if (c == '\n' || c == '\r' || (line_begins && is_blank(c))) {
            if (c == '\n') buf_puts(out, line_end);
            line_begins = line_begins || c == '\n';
            pos++;
        } else if (line_begins && is_list_number(text, pos)) {
            put_digits(out, text, &pos);
            line_begins = false;
        } else {
            put_character(out, text, pos, &pos, line_begins);
            line_begins = false;
        }
    }
}

void markup_put_text(struct buf *out, gramc_text text) {
    put_escaped(out, text_trim(text), "\n");
}

void markup_put_line(struct buf *out, gramc_text text) {
    put_escaped(out, text_trim(text), "<br>");
}

static size_t longest_run(gramc_text text) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

static void put_ticks(struct buf *out, size_t count) {
    while (count--) buf_putc(out, '`');
}

/* Inside code nothing is markup but the fence. */
static void put_verbatim(struct buf *out, gramc_text text, bool in_line, bool in_table) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t code_point = text_decode(text, &pos);
        if (in_line && (code_point == '\n' || code_point == '\t')) buf_putc(out, ' ');
        else if (text_is_treacherous(code_point) || code_point == 0xFFFFFFFF)
            put_named(out, code_point);
        else {
            if (in_table && code_point == '|') buf_putc(out, '\\');
            buf_put(out, text.ptr + start, pos - start);
        }
    }
}

void markup_put_code(struct buf *out, gramc_text text, bool in_table) {
    size_t ticks = longest_run(text) + 1;
    bool padded = text.len && (text.ptr[0] == '`' || text.ptr[text.len - 1] == '`');
    put_ticks(out, ticks);
    buf_puts(out, padded || !text.len ? " " : "");
    put_verbatim(out, text, true, in_table);
    buf_puts(out, padded ? " " : "");
    put_ticks(out, ticks);
}

void markup_put_fence(struct buf *out, const char *tag, gramc_text text) {
    size_t ticks = longest_run(text) + 1;
    if (ticks < 3) ticks = 3;
    put_ticks(out, ticks);
    buf_puts(out, tag);
    buf_putc(out, '\n');
    put_verbatim(out, text, false, false);
    buf_putc(out, '\n');
    put_ticks(out, ticks);
    buf_putc(out, '\n');
}
