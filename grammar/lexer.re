/* Turns bytes into tokens, one a call, by the longest match; the first of two equally long rules
 * wins. Works on bytes: only strings and comments may hold others than ASCII, and whether those are
 * well-formed is plain.c's question. Strings and fences are one token each, delimiters included;
 * their insides are string.c's. Says of wrong bytes only of which sort they are; lexical.c turns
 * that into findings. */
#include "grammar/lexer.h"

#include "parser.h"

#include <stddef.h>
#include <string.h>

void lexer_init(struct lexer *lexer, const struct source *source) {
    static const char mark[] = "\xEF\xBB\xBF";
    lexer->text = source->text.ptr;
    lexer->limit = lexer->text + source->text.len;
    lexer->cursor = lexer->text;
    if (source->text.len >= 3 && memcmp(lexer->text, mark, 3) == 0) lexer->cursor += 3;
}

_Static_assert(sizeof(struct token) == 12 && offsetof(struct token, code) == 8,
               "token_of() writes a token as two words");

static bool is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Puts the struct together as the two words in which it is returned. Written as fields, compilers
 * store the halves and load the whole, and waiting for that takes longer than reading the token. */
static struct token token_of(struct lexer *lexer, const char *start, const char *end, int code) {
    const uint64_t from = (uint64_t)(start - lexer->text), to = (uint64_t)(end - lexer->text);
    const bool little = is_little_endian();
    const uint64_t place = little ? from | to << 32 : from << 32 | to;
    const uint32_t kind = little ? (uint32_t)code : (uint32_t)code << 16;
    struct token token;
    lexer->cursor = end;
    memcpy(&token, &place, sizeof place);
    memcpy((char *)&token + sizeof place, &kind, sizeof kind);
    return token;
}

/* Bytes that are looked at together. */
typedef uint64_t word;
#define REPEAT(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

/* Not zero if a byte of the word is zero: https://graphics.stanford.edu/~seander/bithacks.html
 * ("Determine if a word has a zero byte"). */
static word zero_byte(word w) {
    return (w - REPEAT(1)) & ~w & REPEAT(0x80);
}

/* The next byte that means something inside quotes. Most of a spec is text in quotes, and eight
 * bytes a step make reading it three times as fast as the automaton does. */
static const char *skip_plain(const char *at, const char *limit, char quote) {
    for (word w; (size_t)(limit - at) >= sizeof w; at += sizeof w) {
        memcpy(&w, at, sizeof w);
        if (zero_byte(w) | zero_byte(w ^ REPEAT(quote)) | zero_byte(w ^ REPEAT('\\')) |
            zero_byte(w ^ REPEAT('\n')))
            break;
    }
    while (*at && *at != quote && *at != '\\' && *at != '\n') at++;
    return at;
}

/* Behind the opening quote. The text ends with a NUL, and so does an unterminated string. */
static struct token quoted(struct lexer *lexer, const char *start, int code) {
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
    if (*at != *start) return token_of(lexer, start, at, LEX_UNTERMINATED_STRING);
    struct token token = token_of(lexer, start, at + 1, code);
    token.flags = (uint16_t)flags;
    return token;
}

/* Behind the line end that opens a fence. */
static struct token fenced(struct lexer *lexer, const char *start, const char *body) {
    const char *end = body;
    for (;; end++) {
        end = memchr(end, '`', (size_t)(lexer->limit - end));
        if (!end || (end[1] == '`' && end[2] == '`')) break;
    }
    const char *last = end ? end : lexer->limit;
    const char *nul = memchr(body, '\0', (size_t)(last - body));
    if (nul || !end) return token_of(lexer, start, nul ? nul : last, LEX_UNTERMINATED_FENCE);
    bool four = end[3] == '`';
    return token_of(lexer, start, end + (four ? 4 : 3), four ? LEX_FOUR_BACKTICKS : TK_FENCE);
}

#define START ((const char *)start)
#define TOKEN(code) return token_of(lexer, START, (const char *)cursor, (code))

struct token lexer_next(struct lexer *lexer) {
    const unsigned char *cursor = (const unsigned char *)lexer->cursor;
    const unsigned char *limit = (const unsigned char *)lexer->limit;
    const unsigned char *marker, *start;
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
    symbol = [a-zA-Z_] [0-9a-zA-Z_.\-@]*;
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

    "true" { TOKEN(TK_TRUE); }
    "false" { TOKEN(TK_FALSE); }
    symbol { TOKEN(TK_SYMBOL); }

    integer { TOKEN(TK_INTEGER); }
    decimal { TOKEN(TK_DECIMAL); }
    (integer | decimal) [eE] [+\-]? [0-9]+ { TOKEN(TK_EXPONENT); }
    "0x" [0-9a-fA-F]+ { TOKEN(TK_HEXADECIMAL); }
    "0" [0-7]+ { TOKEN(TK_OCTAL); }
    integer unit { TOKEN(TK_MEASUREMENT); }
    decimal unit { TOKEN(TK_DECIMAL_MEASUREMENT); }
    "-"? "0" [0-9]+ | "." [0-9]+ | "+" [0-9]+ ("." [0-9]+)? { TOKEN(LEX_BAD_NUMBER); }

    ['] { return quoted(lexer, START, TK_SINGLE); }
    ["] { return quoted(lexer, START, TK_DOUBLE); }
    [`] { return quoted(lexer, START, TK_BACKTICK); }
    fence_head { return fenced(lexer, START, (const char *)cursor); }
    "````" { TOKEN(LEX_FOUR_BACKTICKS); }
    "```" { TOKEN(LEX_BAD_FENCE); }

    "/" "*" { TOKEN(LEX_BLOCK_COMMENT); }
    "\x00" { TOKEN(LEX_NUL); }
    * { TOKEN(LEX_STRAY); }
    $ { TOKEN(0); }
    */
}
