/* Turns bytes into tokens by the longest match; the first of two equally long rules
 * wins. Works on bytes: only strings and comments may hold others than ASCII, and whether those are
 * well-formed is plain.c's question. Strings and fences are one token each, delimiters included;
 * their insides are string.c's. Says of wrong bytes only of which sort they are; lexical.c turns
 * that into findings. */
#include "grammar/lexer.h"

#include "parser.h"

#include <string.h>
#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#endif

void lexer_init(struct lexer *lexer, const struct source *source) {
    static const char mark[] = "\xEF\xBB\xBF";
    lexer->text = source->text.ptr;
    lexer->limit = lexer->text + source->text.len;
    lexer->cursor = lexer->text;
    if (source->text.len >= 3 && memcmp(lexer->text, mark, 3) == 0) lexer->cursor += 3;
}

/* The next byte that means something inside quotes. Most of a spec is text in quotes, and a block a
 * step makes reading it several times as fast as the automaton does. */
#if defined(__SSE2__) && defined(__GNUC__)
static const char *skip_blocks(const char *at, const char *limit, char quote) {
    const __m128i quotes = _mm_set1_epi8(quote), backslash = _mm_set1_epi8('\\');
    const __m128i feed = _mm_set1_epi8('\n'), nul = _mm_setzero_si128();
    for (; limit - at >= 16; at += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i stops = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(block, quotes), _mm_cmpeq_epi8(block, backslash)),
            _mm_or_si128(_mm_cmpeq_epi8(block, feed), _mm_cmpeq_epi8(block, nul)));
        const unsigned stop = (unsigned)_mm_movemask_epi8(stops);
        if (stop) return at + __builtin_ctz(stop);
    }
    return at;
}
#else
/* Bytes that are looked at together. */
typedef uint64_t word;
#define REPEAT(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

/* Not zero if a byte of the word is zero: https://graphics.stanford.edu/~seander/bithacks.html
 * ("Determine if a word has a zero byte"). */
static word zero_byte(word w) {
    return (w - REPEAT(1)) & ~w & REPEAT(0x80);
}

static const char *skip_blocks(const char *at, const char *limit, char quote) {
    for (word w; (size_t)(limit - at) >= sizeof w; at += sizeof w) {
        memcpy(&w, at, sizeof w);
        if (zero_byte(w) | zero_byte(w ^ REPEAT(quote)) | zero_byte(w ^ REPEAT('\\')) |
            zero_byte(w ^ REPEAT('\n')))
            break;
    }
    return at;
}
#endif

static const char *skip_plain(const char *at, const char *limit, char quote) {
    at = skip_blocks(at, limit, quote);
    while (*at && *at != quote && *at != '\\' && *at != '\n') at++;
    return at;
}

/* Behind the last byte of a token, and which one it is. */
struct end {
    const char *at;
    uint16_t code, flags;
};

/* Of what an opening quote begins. The text ends with a NUL, and so does an unterminated string. */
static struct end quoted(const struct lexer *lexer, const char *start, uint16_t code) {
    const char *at = start + 1;
    unsigned flags = 0;
    for (;; at++) {
        at = skip_plain(at, lexer->limit, *start);
        if (*at == '\n') flags |= TOKEN_NEWLINE;
        else if (*at != '\\' || at[1] == '\0') break;
        else {
            flags |= TOKEN_ESCAPES;
            if (*++at == '\n') flags |= TOKEN_NEWLINE;
        }
    }
    if (*at == '\\') at++;
    if (*at != *start) return (struct end){at, LEX_UNTERMINATED_STRING, 0};
    return (struct end){at + 1, code, (uint16_t)flags};
}

/* Of a fence, whose opening line ends in front of its body. */
static struct end fenced(const struct lexer *lexer, const char *body) {
    const char *end = body;
    for (;; end++) {
        end = memchr(end, '`', (size_t)(lexer->limit - end));
        if (!end || (end[1] == '`' && end[2] == '`')) break;
    }
    const char *last = end ? end : lexer->limit;
    const char *nul = memchr(body, '\0', (size_t)(last - body));
    if (nul || !end) return (struct end){nul ? nul : last, LEX_UNTERMINATED_FENCE, 0};
    if (end[3] == '`') return (struct end){end + 4, LEX_FOUR_BACKTICKS, 0};
    return (struct end){end + 3, TK_FENCE, 0};
}

/* A-Z a-z 0-9 _ . - @: what a symbol may go on with. A table is quicker than the automaton,
 * and every fourth byte of a spec is looked up in it. */
static const bool in_symbol[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, /* - . */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, /* 0 to 9 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* @ A to O */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, /* P to Z _ */
    0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* a to o */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, /* p to z */
};

#define TOKEN(kind)                                                                                \
    code = (kind);                                                                                 \
    goto found
#define SYMBOL(kind)                                                                               \
    code = (kind);                                                                                 \
    goto symbol
#define ENDED(expression)                                                                          \
    end = (expression);                                                                            \
    goto ended

size_t lexer_read(struct lexer *lexer, struct token *out, size_t room) {
    const unsigned char *cursor = (const unsigned char *)lexer->cursor;
    const unsigned char *limit = (const unsigned char *)lexer->limit;
    const unsigned char *text = (const unsigned char *)lexer->text;
    const unsigned char *marker, *start;
    struct token *next = out, *full = out + room;
    struct end end;
    uint16_t code;
blanks:
    /* Indentation: too frequent for the automaton. */
    while (*cursor == ' ' || *cursor == '\n') cursor++;
    start = cursor;
    /*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = cursor;
    re2c:define:YYLIMIT = limit;
    re2c:define:YYMARKER = marker;
    re2c:yyfill:enable = 0;
    re2c:eof = 0;
    re2c:flags:8 = 0;

    blank = [ \t\v\f\r];
    comment = "//" [^\n\x00]*;
    letter = [a-zA-Z_];
    symbol = letter [0-9a-zA-Z_.\-@]*;
    integer = "-"? ("0" | [1-9][0-9]*);
    decimal = integer "." [0-9]+;
    unit = [a-zA-Z]+;

    fence_head = "```" blank* (symbol blank*)? comment? "\n";

    (blank | "\n")+ { goto blanks; }
    comment { TOKEN(LEX_COMMENT); }

    "(" { TOKEN(TK_LPAREN); }
    ")" { TOKEN(TK_RPAREN); }
    "[" { TOKEN(TK_LBRACKET); }
    "]" { TOKEN(TK_RBRACKET); }
    "{" { TOKEN(TK_LBRACE); }
    "}" { TOKEN(TK_RBRACE); }
    "," { TOKEN(TK_COMMA); }
    "|" { TOKEN(TK_BAR); }
    ":" { TOKEN(TK_COLON); }
    "::" { TOKEN(TK_COLONCOLON); }
    "@" { TOKEN(TK_AT); }
    "@@" { TOKEN(TK_ATAT); }
    ".." { TOKEN(TK_DOTDOT); }
    "..." { TOKEN(TK_ELLIPSIS); }
    "-" { TOKEN(TK_DASH); }
    "->" { TOKEN(TK_DASH_RIGHT); }
    "<-" { TOKEN(TK_DASH_LEFT); }
    "=" { TOKEN(TK_EQUALS); }
    "=>" { TOKEN(TK_EQUALS_RIGHT); }
    "<=" { TOKEN(TK_EQUALS_LEFT); }
    "~" { TOKEN(TK_TILDE); }
    "~>" { TOKEN(TK_TILDE_RIGHT); }
    "<~" { TOKEN(TK_TILDE_LEFT); }

    "true" { SYMBOL(TK_TRUE); }
    "false" { SYMBOL(TK_FALSE); }
    letter { SYMBOL(TK_SYMBOL); }

    integer { TOKEN(TK_INTEGER); }
    decimal { TOKEN(TK_DECIMAL); }
    (integer | decimal) [eE] [+\-]? [0-9]+ { TOKEN(TK_EXPONENT); }
    "0x" [0-9a-fA-F]+ { TOKEN(TK_HEXADECIMAL); }
    "0" [0-7]+ { TOKEN(TK_OCTAL); }
    integer unit { TOKEN(TK_MEASUREMENT); }
    decimal unit { TOKEN(TK_DECIMAL_MEASUREMENT); }
    "-"? "0" [0-9]+ | "." [0-9]+ | "+" [0-9]+ ("." [0-9]+)? { TOKEN(LEX_BAD_NUMBER); }

    ['] { ENDED(quoted(lexer, (const char *)start, TK_SINGLE)); }
    ["] { ENDED(quoted(lexer, (const char *)start, TK_DOUBLE)); }
    [`] { ENDED(quoted(lexer, (const char *)start, TK_BACKTICK)); }
    fence_head { ENDED(fenced(lexer, (const char *)cursor)); }
    "````" { TOKEN(LEX_FOUR_BACKTICKS); }
    "```" { TOKEN(LEX_BAD_FENCE); }

    "/" "*" { TOKEN(LEX_BLOCK_COMMENT); }
    "\x00" { TOKEN(LEX_NUL); }
    * { TOKEN(LEX_STRAY); }
    $ { TOKEN(0); }
    */
symbol:
    if (in_symbol[*cursor]) code = TK_SYMBOL; /* trueish */
    while (in_symbol[*cursor]) cursor++;
found:
    end = (struct end){(const char *)cursor, code, 0};
ended:
    cursor = (const unsigned char *)end.at;
    *next++ = (struct token){(uint32_t)(start - text), (uint32_t)(cursor - text), end.code, end.flags};
    if (end.code != 0 && next < full) goto blanks;
    lexer->cursor = (const char *)cursor;
    return (size_t)(next - out);
}

struct token lexer_next(struct lexer *lexer) {
    struct token token;
    lexer_read(lexer, &token, 1);
    return token;
}
