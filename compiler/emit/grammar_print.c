/* What the notations of grammars have in common: how often, and which characters. */
#include "compiler/emit/grammar.h"

void grammar_put_times(struct buf *out, const struct grammar_piece *piece) {
    bool without_end = piece->most >= WITHOUT_END;
    if (piece->least == 0 && piece->most == 1) buf_putc(out, '?');
    else if (without_end && piece->least < 2) buf_putc(out, piece->least ? '+' : '*');
    else if (piece->least == piece->most) buf_printf(out, "{%u}", (unsigned)piece->least);
    else if (without_end) buf_printf(out, "{%u,}", (unsigned)piece->least);
    else buf_printf(out, "{%u,%u}", (unsigned)piece->least, (unsigned)piece->most);
}

static void put_range(struct buf *out, uint32_t low, uint32_t high, grammar_char_printer *put) {
    put(out, low);
    if (high > low + 1) buf_putc(out, '-');
    if (high > low) put(out, high);
}

/* What reaches to the last character is shorter by what is missing; surrogates are never read. */
void grammar_put_set(struct buf *out, const struct grammar_piece *set, grammar_char_printer *put) {
    bool inverted = set->ranges[set->count - 1].high == CODE_POINT_MAX;
    uint32_t from = 0;
    buf_puts(out, inverted ? "[^" : "[");
    for (uint32_t i = 0; i < set->count; i++) {
        struct char_range range = set->ranges[i];
        bool gap = inverted && range.low > from && !(from == 0xD800 && range.low == 0xE000);
        if (!inverted) put_range(out, range.low, range.high, put);
        if (gap) put_range(out, from, range.low - 1, put);
        from = range.high + 1;
    }
    buf_putc(out, ']');
}
