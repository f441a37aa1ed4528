/* Prints a grammar in GBNF, the notation of llama.cpp: a rule a line, `root` first. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

static void put_piece(struct buf *out, const struct grammar_piece *piece, bool grouped);

static bool is_printed_plain(uint32_t c) {
    return (c >= ' ' && c < 0x7F) || (c > 0xA0 && !text_is_treacherous(c));
}

/* Not `\x2D`: xgrammar takes the digits that follow as well. */
static void put_code(struct buf *out, uint32_t c) {
    if (c < 0x10000) buf_printf(out, "\\u%04X", (unsigned)c);
    else buf_printf(out, "\\U%08X", (unsigned)c);
}

static void put_plain(struct buf *out, uint32_t c) {
    char bytes[4];
    buf_put(out, bytes, text_encode(bytes, c));
}

static void put_literal(struct buf *out, gramc_text text) {
    buf_putc(out, '"');
    for (size_t at = 0; at < text.len;) {
        uint32_t c = text_decode(text, &at);
        if (c == '"' || c == '\\') buf_putc(out, '\\');
        if (is_printed_plain(c)) put_plain(out, c);
        else put_code(out, c);
    }
    buf_putc(out, '"');
}

static void put_in_set(struct buf *out, uint32_t c) {
    bool special = c == '-' || c == '^' || c > 0x7F;
    if (c == ']' || c == '[' || c == '\\') buf_putc(out, '\\');
    if (special || !is_printed_plain(c)) put_code(out, c);
    else put_plain(out, c);
}

static void put_parts(struct buf *out, const struct grammar_piece *piece, const char *between) {
    for (uint32_t i = 0; i < piece->count; i++) {
        if (i) buf_puts(out, between);
        put_piece(out, piece->parts[i], piece->kind == PIECE_ROW);
    }
}

/* `grouped`: inside something that binds closer than a choice does. */
static void put_piece(struct buf *out, const struct grammar_piece *piece, bool grouped) {
    bool brackets = grouped && piece->kind == PIECE_CHOICE;
    if (brackets) buf_putc(out, '(');
    switch (piece->kind) {
    case PIECE_TEXT: put_literal(out, piece->text); break;
    case PIECE_SET: grammar_put_set(out, piece, put_in_set); break;
    case PIECE_ROW: put_parts(out, piece, " "); break;
    case PIECE_CHOICE: put_parts(out, piece, " | "); break;
    case PIECE_RULE: buf_text(out, piece->rule->name); break;
    case PIECE_REPEAT: {
        bool group = piece->parts[0]->kind == PIECE_ROW || piece->parts[0]->kind == PIECE_REPEAT;
        if (group) buf_putc(out, '(');
        put_piece(out, piece->parts[0], true);
        if (group) buf_putc(out, ')');
        grammar_put_times(out, piece);
        break;
    }
    case PIECE_CHAR:
    case PIECE_NEVER: break;
    }
    if (brackets) buf_putc(out, ')');
}

static void put_rule(struct buf *out, gramc_text name, const struct grammar_piece *piece) {
    buf_text(out, name);
    buf_puts(out, " ::= ");
    put_piece(out, piece, false);
    buf_putc(out, '\n');
}

static void print(struct buf *out, struct grammar *g, const struct grammar_piece *root) {
    put_rule(out, TEXT("root"), root);
    for (const struct grammar_rule *rule = g->first; rule; rule = rule->next)
        if (rule->is_used) put_rule(out, rule->name, rule->piece);
}

void emit_gbnf_arguments(struct emission *e, const struct tool *tool) {
    grammar_put_tool(e, tool, "grammar", false, SOURCE_MAX, print);
}

void emit_gbnf(struct emission *e, const struct agent *agent) {
    (void)agent;
    grammar_put_calls(e, false, SOURCE_MAX, print);
}
