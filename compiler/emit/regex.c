/* Prints a grammar as one regular expression that stands for whole texts, in what Python's re,
 * Rust's regex and PCRE2 have in common. There are no rules: each use is written out. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

static void put_piece(struct buf *out, const struct grammar_piece *piece);

static void put_char(struct buf *out, uint32_t c, const char *special) {
    char bytes[4];
    if (c < ' ' || c == 0x7F) {
        buf_printf(out, "\\x%02x", (unsigned)c);
        return;
    }
    if (c < 0x80 && strchr(special, (int)c)) buf_putc(out, '\\');
    buf_put(out, bytes, text_encode(bytes, c));
}

static void put_literal(struct buf *out, gramc_text text) {
    for (size_t at = 0; at < text.len;) put_char(out, text_decode(text, &at), "\\.+*?()|[]{}^$");
}

static void put_in_set(struct buf *out, uint32_t c) {
    put_char(out, c, "\\[]^-&~");
}

static bool is_one_char(const struct grammar_piece *piece) {
    size_t at = 0;
    if (piece->kind == PIECE_TEXT) (void)text_decode(piece->text, &at);
    return piece->kind == PIECE_SET || (piece->kind == PIECE_TEXT && at == piece->text.len);
}

static void put_group(struct buf *out, const struct grammar_piece *piece) {
    buf_puts(out, "(?:");
    put_piece(out, piece);
    buf_putc(out, ')');
}

static void put_piece(struct buf *out, const struct grammar_piece *piece) {
    if (out->state != BUF_FINE) return;
    switch (piece->kind) {
    case PIECE_TEXT: put_literal(out, piece->text); break;
    case PIECE_SET: grammar_put_set(out, piece, put_in_set); break;
    case PIECE_ROW:
        for (uint32_t i = 0; i < piece->count; i++)
            if (piece->parts[i]->kind == PIECE_CHOICE) put_group(out, piece->parts[i]);
            else put_piece(out, piece->parts[i]);
        break;
    case PIECE_CHOICE:
        for (uint32_t i = 0; i < piece->count; i++) {
            if (i) buf_putc(out, '|');
            put_piece(out, piece->parts[i]);
        }
        break;
    case PIECE_REPEAT:
        if (is_one_char(piece->parts[0])) put_piece(out, piece->parts[0]);
        else put_group(out, piece->parts[0]);
        grammar_put_times(out, piece);
        break;
    case PIECE_RULE:
    case PIECE_CHAR:
    case PIECE_NEVER: break;
    }
}

static void print(struct buf *out, struct grammar *g, const struct grammar_piece *root) {
    (void)g;
    buf_puts(out, "^(?:");
    put_piece(out, root);
    buf_puts(out, ")$");
}

void emit_regex_arguments(struct emission *e, const struct tool *tool) {
    grammar_put_tool(e, tool, "regex", true, REGEX_BYTES_MAX, print);
}

void emit_regex(struct emission *e, const struct agent *agent) {
    (void)agent;
    grammar_put_calls(e, true, REGEX_BYTES_MAX, print);
    buf_putc(e->out, '\n');
}
