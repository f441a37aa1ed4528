/* Turns words from outside into a piece of one of our lines: hides secrets, drops line ends, spells
 * out what could act, cuts. In this order: a cut secret could not be found any more. */
#include "runtime/foreign.h"

#include "base/diag/put.h"
#include "base/text.h"

enum { LOOKED_AT = 1 << 16, LONGEST_ESCAPE = 10 };

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void put_line(struct buf *out, gramc_text text, bool keeps_lines) {
    text = text_trim(text);
    for (size_t pos = 0; pos < text.len;) {
        if (!is_blank(text.ptr[pos])) {
            diag_put_safe_char(out, text, &pos);
            continue;
        }
        bool ends = false;
        size_t start = pos;
        while (pos < text.len && is_blank(text.ptr[pos])) ends |= text.ptr[pos++] == '\n';
        if (!keeps_lines) buf_putc(out, ' ');
        else if (ends) buf_putc(out, '\n');
        else buf_text(out, text_slice(text, start, pos));
    }
}

/* Not within a character. */
static bool may_cut(gramc_text text, size_t at) {
    return at == text.len || ((unsigned char)text.ptr[at] & 0xC0) != 0x80;
}

static void put_beginning(struct buf *out, gramc_text line, size_t longest, bool is_part) {
    size_t end = line.len;
    if (end > longest) {
        is_part = true;
        end = longest > 3 ? longest - 3 : 0;
        while (!may_cut(line, end)) end--;
    }
    buf_text(out, text_slice(line, 0, end));
    if (is_part) buf_puts(out, "...");
}

static void put_end(struct buf *out, gramc_text line, size_t longest, bool is_part) {
    size_t start = line.len > longest ? line.len + 3 - longest : 0;
    while (!may_cut(line, start)) start++;
    if (is_part || start) buf_puts(out, "...");
    buf_text(out, text_slice(line, start, line.len));
}

/* What is far more than could be shown is not even looked at. */
static gramc_text near(gramc_text words, bool end_counts, enum text_cut *cut) {
    if (words.len <= LOOKED_AT) return words;
    *cut |= end_counts ? CUT_AT_START : CUT_AT_END;
    return end_counts ? text_slice(words, words.len - LOOKED_AT, words.len)
                      : text_slice(words, 0, LOOKED_AT);
}

void foreign_put(struct buf *out, gramc_text words, const struct foreign *how) {
    enum text_cut cut = how->cut;
    struct buf text, line;
    buf_init_secret(&text, &out->allocator, LOOKED_AT * LONGEST_ESCAPE);
    buf_init(&line, &out->allocator, LOOKED_AT * LONGEST_ESCAPE * LONGEST_ESCAPE);
    buf_text(&text, near(words, how->end_counts, &cut));
    secrets_hide_cut(how->secrets, &text, cut);
    put_line(&line, buf_view(&text), how->keeps_lines);
    if (text.state != BUF_FINE || line.state != BUF_FINE) out->state = BUF_NOMEM;
    else if (how->end_counts) put_end(out, buf_view(&line), how->longest, cut & CUT_AT_START);
    else put_beginning(out, buf_view(&line), how->longest, cut & CUT_AT_END);
    buf_free(&text);
    buf_free(&line);
}

gramc_text foreign_text(struct arena *arena, gramc_text words, const struct foreign *how) {
    struct buf out;
    buf_init(&out, &arena->allocator, how->longest + 16);
    foreign_put(&out, words, how);
    return buf_to_arena_cut(&out, arena);
}
