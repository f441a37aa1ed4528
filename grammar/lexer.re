/* Turns bytes into tokens, one a call, by the longest match; the first of two equally long rules
 * wins. Works on bytes: only strings and comments may hold others than ASCII, and whether those are
 * well-formed is parse.c's question. Strings and fences are one token each, delimiters included;
 * their insides are string.c's. Says of wrong bytes only of which sort they are; lexical.c turns
 * that into findings. */
#include "grammar/lexer.h"

#include "parser.h"

#include <string.h>

void lexer_init(struct lexer *lexer, const struct source *source) {
    static const char mark[] = "\xEF\xBB\xBF";
    lexer->text = source->text.ptr;
    lexer->limit = lexer->text + source->text.len;
    lexer->cursor = lexer->text;
    if (source->text.len >= 3 && memcmp(lexer->text, mark, 3) == 0) lexer->cursor += 3;
}

/* What a string holds besides plain characters. */
static uint16_t string_flags(const char *start, const char *end) {
    size_t len = (size_t)(end - start);
    unsigned flags = memchr(start, '\\', len) ? TOKEN_ESCAPES : 0;
    if (memchr(start, '\n', len)) flags |= TOKEN_NEWLINE;
    return (uint16_t)flags;
}

static struct token token_of(struct lexer *lexer, const char *start, const unsigned char *end,
                             int code) {
    lexer->cursor = (const char *)end;
    return (struct token){(uint32_t)(start - lexer->text), (uint32_t)(lexer->cursor - lexer->text),
                          (uint16_t)code, 0};
}

static struct token string_of(struct lexer *lexer, const char *start, const unsigned char *end,
                              int code) {
    struct token token = token_of(lexer, start, end, code);
    token.flags = string_flags(start, lexer->cursor);
    return token;
}

#define TOKEN(code) return token_of(lexer, (const char *)start, cursor, (code))
#define STRING(code) return string_of(lexer, (const char *)start, cursor, (code))

struct token lexer_next(struct lexer *lexer) {
    const unsigned char *cursor = (const unsigned char *)lexer->cursor;
    const unsigned char *limit = (const unsigned char *)lexer->limit;
    const unsigned char *marker, *start;
blanks:
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

    /* A body with no backslash and no line feed is the common case and needs no second look. */
    single = ([^'\\\x00] | "\\" [^\x00])*;
    double = ([^"\\\x00] | "\\" [^\x00])*;
    backtick = ([^`\\\x00] | "\\" [^\x00])*;
    fence_head = "```" blank* (symbol blank*)? comment? "\n";
    fence_body = ([^`\x00] | "`" [^`\x00] | "``" [^`\x00])*;

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

    ['] [^'\\\n\x00]* ['] { TOKEN(TK_SINGLE); }
    ["] [^"\\\n\x00]* ["] { TOKEN(TK_DOUBLE); }
    [`] [^`\\\n\x00]* [`] { TOKEN(TK_BACKTICK); }
    ['] single ['] { STRING(TK_SINGLE); }
    ["] double ["] { STRING(TK_DOUBLE); }
    [`] backtick [`] { STRING(TK_BACKTICK); }
    ['] single "\\"? | ["] double "\\"? | [`] backtick "\\"? { TOKEN(LEX_UNTERMINATED_STRING); }

    fence_head fence_body "```" { TOKEN(TK_FENCE); }
    fence_head fence_body "````" | "````" { TOKEN(LEX_FOUR_BACKTICKS); }
    fence_head fence_body [`]{0,2} { TOKEN(LEX_UNTERMINATED_FENCE); }
    "```" { TOKEN(LEX_BAD_FENCE); }

    "/" "*" { TOKEN(LEX_BLOCK_COMMENT); }
    "\x00" { TOKEN(LEX_NUL); }
    * { TOKEN(LEX_STRAY); }
    $ { TOKEN(0); }
    */
}
