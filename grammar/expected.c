/* Turns the set of tokens that the parser would take into words: groups first ("a value"), then
 * single tokens, in an order that reads well. Knows how each token is written. */
#include "grammar/recovery.h"

#include "base/text.h"
#include "parser.h"

#include <string.h>

enum { CODE_COUNT = TK_ELLIPSIS + 1, MOST_NAMES = 8, LONGEST_TOKEN = 32 };

static const char *const names[CODE_COUNT] = {
    [0] = "the end of the text",
    [TK_SYMBOL] = "a symbol",
    [TK_TRUE] = "`true`",
    [TK_FALSE] = "`false`",
    [TK_BACKTICK] = "a name in backticks",
    [TK_INTEGER] = "an integer",
    [TK_DOUBLE] = "a string in double quotes",
    [TK_DECIMAL] = "a decimal number",
    [TK_HEXADECIMAL] = "a hexadecimal number",
    [TK_OCTAL] = "an octal number",
    [TK_MEASUREMENT] = "a measurement",
    [TK_EXPONENT] = "a number with an exponent",
    [TK_DECIMAL_MEASUREMENT] = "a decimal measurement",
    [TK_SINGLE] = "a string in single quotes",
    [TK_FENCE] = "a fenced string",
    [TK_ATAT] = "`@@`",
    [TK_AT] = "`@`",
    [TK_LPAREN] = "`(`",
    [TK_RPAREN] = "`)`",
    [TK_LBRACKET] = "`[`",
    [TK_RBRACKET] = "`]`",
    [TK_BAR] = "`|`",
    [TK_COMMA] = "`,`",
    [TK_DASH] = "`-`",
    [TK_DASH_RIGHT] = "`->`",
    [TK_DASH_LEFT] = "`<-`",
    [TK_EQUALS] = "`=`",
    [TK_EQUALS_RIGHT] = "`=>`",
    [TK_EQUALS_LEFT] = "`<=`",
    [TK_TILDE] = "`~`",
    [TK_TILDE_RIGHT] = "`~>`",
    [TK_TILDE_LEFT] = "`<~`",
    [TK_COLON] = "`:`",
    [TK_COLONCOLON] = "`::`",
    [TK_LBRACE] = "`{`",
    [TK_RBRACE] = "`}`",
    [TK_DOTDOT] = "`..`",
    [TK_ELLIPSIS] = "`...`",
};

#define BIT(code) (UINT64_C(1) << (code))
#define NAME (BIT(TK_SYMBOL) | BIT(TK_TRUE) | BIT(TK_FALSE) | BIT(TK_BACKTICK))
#define NUMBER                                                                                     \
    (BIT(TK_INTEGER) | BIT(TK_DECIMAL) | BIT(TK_HEXADECIMAL) | BIT(TK_OCTAL) |                     \
     BIT(TK_MEASUREMENT) | BIT(TK_EXPONENT) | BIT(TK_DECIMAL_MEASUREMENT))
#define STRING (BIT(TK_SINGLE) | BIT(TK_DOUBLE) | BIT(TK_FENCE))

/* A group stands for all its codes, if all of them are expected. */
static const struct group {
    uint64_t codes;
    const char *name;
} groups[] = {
    {NAME | NUMBER | STRING | BIT(TK_ELLIPSIS) | BIT(TK_LBRACE) | BIT(TK_LBRACKET), "a value"},
    {NUMBER, "a number"},
    {NAME | BIT(TK_INTEGER), "an identifier"},
    {NAME | BIT(TK_DOUBLE), "a key"},
    {NAME, "a name"},
    {BIT(TK_SYMBOL) | BIT(TK_TRUE) | BIT(TK_FALSE), "a symbol"},
    {BIT(TK_COMMA), "`,`"},
    {BIT(TK_BAR), "`|`"},
    {BIT(TK_DASH) | BIT(TK_DASH_LEFT) | BIT(TK_EQUALS) | BIT(TK_EQUALS_LEFT) | BIT(TK_TILDE) |
         BIT(TK_TILDE_LEFT),
     "an arrow"},
    {BIT(TK_COLON) | BIT(TK_COLONCOLON), "`:`"},
    {BIT(TK_LBRACE), "`{`"},
    {BIT(TK_LPAREN), "`(`"},
    {BIT(TK_LBRACKET), "`[`"},
    {BIT(TK_AT) | BIT(TK_ATAT), "an annotation"},
    {BIT(TK_RPAREN), "`)`"},
    {BIT(TK_RBRACKET), "`]`"},
    {BIT(TK_RBRACE), "`}`"},
};

enum { GROUP_COUNT = sizeof groups / sizeof *groups };

const char *expected_name(uint16_t code) {
    return code < CODE_COUNT ? names[code] : NULL;
}

uint64_t expected_set(const struct recovery *recovery) {
    uint64_t set = 0;
    size_t height = push_height(recovery->push);
    for (uint16_t code = 0; code < CODE_COUNT; code++)
        if (push_accepts(recovery->push, height, &code, 1)) set |= BIT(code);
    return set;
}

static size_t pick(uint64_t set, const char *chosen[], size_t max) {
    size_t count = 0;
    for (size_t i = 0; i < GROUP_COUNT && count < max; i++) {
        if ((set & groups[i].codes) != groups[i].codes) continue;
        chosen[count++] = groups[i].name;
        set &= ~groups[i].codes;
    }
    for (uint16_t code = 1; code < CODE_COUNT && count < max; code++)
        if (set & BIT(code)) chosen[count++] = names[code];
    if ((set & BIT(0)) && count < max) chosen[count++] = names[0];
    return count;
}

gramc_text expected_words(const struct recovery *recovery, uint64_t set) {
    const char *chosen[MOST_NAMES + 1];
    size_t count = pick(set, chosen, MOST_NAMES + 1);
    struct arena *arena = recovery->build->arena;
    struct buf out;
    buf_init(&out, &arena->allocator, 1024);
    if (count > MOST_NAMES) chosen[MOST_NAMES] = "something else";
    for (size_t i = 0; i < count; i++) {
        if (i) buf_puts(&out, i + 1 == count ? " or " : ", ");
        buf_puts(&out, chosen[i]);
    }
    return buf_to_arena_cut(&out, arena);
}

/* Cut at a line end or after some characters, so that a message stays one readable line. */
gramc_text expected_token(const struct recovery *recovery, struct token token, char *buf,
                          size_t size) {
    if (token.code == 0) return text_of(names[0]);
    gramc_text text = source_slice(recovery->source, (struct span){token.start, token.end});
    size_t end = 0, len = 0;
    for (int i = 0; i < LONGEST_TOKEN && end < text.len && text.ptr[end] != '\n'; i++)
        text_decode(text, &end);
    const char *dots = end < text.len ? "..." : "";
    if (end + 6 > size) return text_of("this");
    buf[len++] = '`';
    memcpy(buf + len, text.ptr, end);
    len += end;
    memcpy(buf + len, dots, strlen(dots));
    len += strlen(dots);
    buf[len++] = '`';
    return (gramc_text){buf, len};
}
