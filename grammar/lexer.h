/* From bytes to tokens. A token is a span and a code: nothing is copied, nothing decoded. */
#ifndef GRAMMAR_LEXER_H
#define GRAMMAR_LEXER_H

#include "base/source.h"

/* The parser's codes are TK_... in the generated parser.h, 0 being the end of the text. What no
 * rule of the grammar ever takes has a code from here on. */
enum lexer_code {
    LEX_COMMENT = 100,
    LEX_STRAY, /* one byte that begins no token */
    LEX_NUL,
    LEX_BAD_NUMBER,          /* 08, .5, +1 */
    LEX_BLOCK_COMMENT,       /* only the opening two characters */
    LEX_UNTERMINATED_STRING, /* up to the end of the text or a NUL */
    LEX_UNTERMINATED_FENCE,  /* the same */
    LEX_BAD_FENCE,           /* three backticks with something else than a line's end behind */
    LEX_FOUR_BACKTICKS       /* at an opening or closing fence */
};

enum token_flag {
    TOKEN_ESCAPES = 1, /* a quoted string with a backslash in it */
    TOKEN_NEWLINE = 2  /* a quoted string with a line feed in it */
};

struct token {
    uint32_t start, end; /* delimiters included */
    uint16_t code, flags;
};

struct lexer {
    const char *text, *limit; /* *limit is NUL */
    const char *cursor;
};

/* Begins behind a byte order mark, if there is one. */
void lexer_init(struct lexer *lexer, const struct source *source);
/* The next tokens and comments, as many as there is room for (1 at least), but nothing behind the
 * end of the text, which is code 0; returns how many. Cannot fail. */
size_t lexer_read(struct lexer *lexer, struct token *out, size_t room);
/* The next one; at the end code 0 again and again. */
struct token lexer_next(struct lexer *lexer);

#endif
