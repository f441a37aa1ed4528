/* Reads a text that is known to have an error: asks the parser before each token, reports what it
 * would have taken instead, and gets going again by what the brackets say. A closing bracket that
 * fits an outer one ends what is open inside; a token that fits once the innermost brackets are
 * closed tells of a missing one, if the rest of the text does not close them; a missing comma is
 * put in; everything else is dropped up to the next comma or closing bracket of the same level, or
 * the next pattern of the file. So one mistake is one finding. */
#include "grammar/recovery.h"

#include "parser.h"

#include "base/text.h"

static int nesting(uint16_t code) {
    switch (code) {
    case TK_LPAREN:
    case TK_LBRACKET:
    case TK_LBRACE: return 1;
    case TK_RPAREN:
    case TK_RBRACKET:
    case TK_RBRACE: return -1;
    default: return 0;
    }
}

static uint16_t closer_of(uint16_t opener) {
    return opener == TK_LPAREN ? TK_RPAREN : opener == TK_LBRACKET ? TK_RBRACKET : TK_RBRACE;
}

static const char *closing_text(uint16_t opener) {
    return opener == TK_LPAREN ? ")" : opener == TK_LBRACKET ? "]" : "}";
}

static struct span span_of(struct token token) {
    return (struct span){token.start, token.end};
}

static gramc_text slice(const struct careful *careful, struct token token) {
    return source_slice(careful->source, span_of(token));
}

static bool accepts(const struct careful *careful, size_t height, uint16_t code) {
    return push_accepts(careful->push, height, &code, 1);
}

static bool takes(const struct careful *careful, uint16_t code) {
    return accepts(careful, push_height(careful->push), code);
}

/* Only what is still on the parser's stack counts as an error of its own. */
static bool is_echo(const struct careful *careful) {
    return careful->errors > 0 && careful->taken_since_error <= 0;
}

static void count_error(struct careful *careful) {
    careful->taken_since_error = 0;
    if (++careful->errors >= CAREFUL_MAX_ERRORS) careful->stopped = true;
}

static void report_depth(struct careful *careful, struct token token) {
    char digits[16];
    size_t len = 0;
    for (unsigned rest = PARSE_MAX_DEPTH; rest; rest /= 10)
        digits[15 - len++] = (char)('0' + rest % 10);
    FIND(careful->findings, D_NESTING_TOO_DEEP, careful->source, span_of(token),
         (gramc_text){digits + 16 - len, len});
    careful->errors++;
    careful->stopped = true;
}

static void take(struct careful *careful, struct token token) {
    int step = nesting(token.code);
    if (step > 0 && careful->depth == PARSE_MAX_DEPTH) {
        report_depth(careful, token);
        return;
    }
    push_token(careful->push, token);
    if (step > 0)
        careful->open[careful->depth++] = (struct open_bracket){token, push_height(careful->push)};
    if (step < 0) careful->depth--;
    careful->before_last = careful->last;
    careful->last = token;
    careful->taken_since_error++;
}

static const struct open_bracket *innermost(const struct careful *careful) {
    return &careful->open[careful->depth - 1];
}

/* Cuts back to the highest point, not below `floor`, where the codes are accepted. */
static bool cut_until(struct careful *careful, size_t floor, const uint16_t *codes, size_t count) {
    for (size_t height = push_height(careful->push); height >= floor; height--) {
        if (!push_accepts(careful->push, height, codes, count)) continue;
        push_cut(careful->push, height);
        return true;
    }
    return false;
}

/* Back to where the text could end: complete patterns only. */
static void cut_incomplete(struct careful *careful) {
    const uint16_t end = 0;
    cut_until(careful, 1, &end, 1);
}

static void push_invented(struct careful *careful, uint16_t code, uint32_t at) {
    push_token(careful->push, (struct token){at, at, code, 0});
}

/* Ends the innermost bracket as if it had been closed at that place. */
static void close_innermost(struct careful *careful, uint32_t at) {
    struct open_bracket bracket = *innermost(careful);
    uint16_t closer = closer_of(bracket.token.code);
    careful->depth--;
    if (cut_until(careful, bracket.height, &closer, 1)) {
        push_invented(careful, closer, at);
        return;
    }
    /* The value of an annotation cannot be empty: the annotation goes. */
    push_cut(careful->push, bracket.height - 1);
    cut_incomplete(careful);
}

/* ## Brackets that do not match */

static void report_unclosed(struct careful *careful, uint32_t count, struct token where,
                            const char *label) {
    const struct open_bracket *top = innermost(careful);
    if (is_echo(careful)) return;
    struct finding *finding = FIND(careful->findings, D_UNCLOSED_BRACKET, careful->source,
                                   span_of(top->token), slice(careful, top->token));
    finding_label(careful->findings, finding, careful->source, span_of(where), label);
    for (uint32_t i = 1; i < count; i++)
        finding_label(careful->findings, finding, careful->source, span_of(top[-(int)i].token),
                      "this one is open too");
    finding_help(careful->findings, finding, "close it with `%s`", closing_text(top->token.code));
    count_error(careful);
}

static struct token mismatched(struct careful *careful, struct token token) {
    uint32_t outer = careful->depth;
    while (outer > 0 && closer_of(careful->open[outer - 1].token.code) != token.code) outer--;
    if (outer > 0) {
        report_unclosed(careful, careful->depth - outer, token, "this closes a bracket around it");
        while (careful->depth > outer) close_innermost(careful, token.start);
        return token;
    }
    if (careful->depth > 0) {
        struct token opener = innermost(careful)->token;
        struct finding *finding = NULL;
        if (!is_echo(careful))
            finding = FIND(careful->findings, D_MISMATCHED_BRACKET, careful->source, span_of(token),
                           slice(careful, token), slice(careful, opener));
        finding_label(careful->findings, finding, careful->source, span_of(opener), "opened here");
        finding_help(careful->findings, finding, "close it with `%s`", closing_text(opener.code));
        count_error(careful);
        token.code = closer_of(opener.code);
        return token;
    }
    FIND(careful->findings, D_EXTRA_BRACKET, careful->source, span_of(token),
         slice(careful, token));
    count_error(careful);
    return lexical_next(careful);
}

/* How many of the open brackets the rest of the text, from this token on, leaves open. */
static uint32_t left_open(struct careful *careful, struct token token) {
    struct lexer ahead = careful->lexer;
    int64_t sum = 0, least = 0;
    for (; token.code != 0; token = lexer_next(&ahead)) {
        if (careful->lookahead_left == 0) return 0;
        careful->lookahead_left--;
        sum += nesting(token.code);
        if (sum < least) least = sum;
    }
    return -least >= (int64_t)careful->depth ? 0 : careful->depth - (uint32_t)-least;
}

/* A closing bracket is missing in front of this token, if it fits behind one and the rest of the
 * text leaves as many open. */
static bool close_missing(struct careful *careful, struct token token) {
    enum { MOST = 8 };
    uint16_t codes[MOST + 1];
    uint32_t missing = left_open(careful, token);
    for (uint32_t count = 1; count <= missing && count <= MOST; count++) {
        codes[count - 1] = closer_of(careful->open[careful->depth - count].token.code);
        codes[count] = token.code;
        if (!cut_until(careful, innermost(careful)->height, codes, count + 1)) continue;
        report_unclosed(careful, count, token, "it is still open here");
        while (count-- > 0) close_innermost(careful, token.start);
        return true;
    }
    return false;
}

/* ## Tokens that do not fit */

static bool is_number(uint16_t code) {
    return code == TK_INTEGER || (code >= TK_DECIMAL && code <= TK_DECIMAL_MEASUREMENT);
}

/* 1kg2, 100_000: two tokens that were meant as one number. */
static bool is_number_tail(const struct careful *careful, struct token token) {
    bool goes_on = is_number(token.code) || (token.code >= TK_SYMBOL && token.code <= TK_FALSE);
    return goes_on && is_number(careful->last.code) && careful->last.end == token.start;
}

static void report_unexpected(struct careful *careful, struct token token) {
    char buf[256];
    uint64_t expected = expected_set(careful);
    gramc_text words = expected_words(careful, expected);
    struct finding *finding;
    if (token.code == 0) {
        finding = FIND(careful->findings, D_UNEXPECTED_END, careful->source, span_of(token), words);
    } else if (is_number_tail(careful, token)) {
        struct span span = {careful->last.start, token.end};
        finding = FIND(careful->findings, D_BAD_NUMBER, careful->source, span,
                       source_slice(careful->source, span));
    } else {
        finding = FIND(careful->findings, D_UNEXPECTED_TOKEN, careful->source, span_of(token),
                       expected_token(careful, token, buf, sizeof buf), words);
    }
    hint_unexpected(careful, finding, token, expected);
    count_error(careful);
}

static bool begins_line(const struct careful *careful, uint32_t at) {
    const char *text = careful->source->text.ptr;
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) at--;
    return at == 0 || text[at - 1] == '\n';
}

static bool begins_pattern(uint16_t code) {
    return code == TK_LPAREN || code == TK_LBRACKET || code == TK_AT || code == TK_ATAT;
}

/* Is this where reading can go on inside the innermost bracket? Cuts the parser's stack to it. */
static bool resumes_inside(struct careful *careful, struct token *token) {
    if (token->code != TK_COMMA && token->code != TK_BAR) return false;
    size_t floor = innermost(careful)->height;
    if (cut_until(careful, floor, &token->code, 1)) return true;
    if (token->code == TK_BAR) return false;
    /* Nothing stands in front of the comma any more: it goes too. */
    *token = lexical_next(careful);
    const uint16_t next = careful_peek(careful), codes[] = {token->code, next};
    if (!cut_until(careful, floor, codes, next < LEX_COMMENT ? 2 : 1))
        push_cut(careful->push, floor);
    return true;
}

/* Drops tokens from this one on until reading can go on. */
static struct token skip(struct careful *careful, struct token token) {
    uint32_t inner = 0;
    if (careful->depth == 0) cut_incomplete(careful);
    for (bool first = true; token.code != 0; token = lexical_next(careful), first = false) {
        int step = nesting(token.code);
        if (inner == 0 && careful->depth == 0 && begins_pattern(token.code) &&
            (!first || begins_line(careful, token.start)))
            return token;
        if (inner == 0 && careful->depth > 0 && resumes_inside(careful, &token)) return token;
        if (inner == 0 && step < 0) return token;
        inner = step > 0 ? inner + 1 : step < 0 ? inner - 1 : inner;
    }
    return token;
}

uint16_t careful_peek(const struct careful *careful) {
    struct lexer ahead = careful->lexer;
    struct token token = lexer_next(&ahead);
    while (token.code == LEX_COMMENT) token = lexer_next(&ahead);
    return token.code;
}

bool careful_takes_comma(const struct careful *careful, struct token token) {
    const uint16_t next = careful_peek(careful), codes[] = {TK_COMMA, token.code, next};
    size_t count = next < LEX_COMMENT ? 3 : 2;
    if (careful->depth == 0) return false;
    return push_accepts(careful->push, push_height(careful->push), codes, count);
}

static bool insert_comma(struct careful *careful, struct token token) {
    if (!careful_takes_comma(careful, token)) return false;
    push_invented(careful, TK_COMMA, token.start);
    return true;
}

/* A string with a line feed in it, and right behind it something that does not fit: its closing
 * quote was forgotten, and it ends at the opening one of the next string. Reads on behind its first
 * line. */
static bool reopen_string(struct careful *careful, struct token token) {
    struct token string = careful->last;
    const char *text = careful->source->text.ptr;
    if (!(string.flags & TOKEN_NEWLINE)) return false;
    for (uint32_t at = string.end; at < token.start; at++)
        if (text[at] == '\n') return false;
    FIND0(careful->findings, D_UNTERMINATED_STRING, careful->source,
          ((struct span){string.start, string.start + 1}));
    count_error(careful);
    careful->lexer.cursor = text + string.start;
    while (*careful->lexer.cursor != '\n') careful->lexer.cursor++;
    careful->last.flags = 0;
    return true;
}

/* The bracket that this token closes is not complete: what is incomplete in it goes. */
static struct token close_incomplete(struct careful *careful, struct token token) {
    if (cut_until(careful, innermost(careful)->height, &token.code, 1)) return token;
    close_innermost(careful, token.start);
    return lexical_next(careful);
}

static struct token at_end(struct careful *careful, struct token token) {
    if (careful->quiet_end) count_error(careful);
    else if (careful->depth > 0)
        report_unclosed(careful, careful->depth, token, "the text ends here");
    else if (!is_echo(careful)) report_unexpected(careful, token);
    while (careful->depth > 0) close_innermost(careful, token.start);
    cut_incomplete(careful);
    return token;
}

static struct token recover(struct careful *careful, struct token token) {
    if (token.code == 0) return at_end(careful, token);
    if (reopen_string(careful, token)) return lexical_next(careful);
    if (nesting(token.code) >= 0 && careful->depth > 0 && close_missing(careful, token))
        return token;
    bool is_tail = is_number_tail(careful, token);
    if (!is_echo(careful)) report_unexpected(careful, token);
    careful->taken_since_error = 0;
    if (is_tail) return lexical_next(careful);
    if (nesting(token.code) < 0) return close_incomplete(careful, token);
    if (insert_comma(careful, token)) return token;
    return skip(careful, token);
}

void careful_read(struct careful *careful) {
    lexer_init(&careful->lexer, careful->source);
    struct token token = lexical_next(careful);
    while (!careful->stopped && !careful->build->arena->oom) {
        bool closes = nesting(token.code) < 0;
        if (closes &&
            (careful->depth == 0 || closer_of(innermost(careful)->token.code) != token.code)) {
            token = mismatched(careful, token);
        } else if (!takes(careful, token.code)) {
            token = recover(careful, token);
        } else {
            take(careful, token);
            if (token.code == 0) return;
            token = lexical_next(careful);
        }
    }
    while (careful->depth > 0) close_innermost(careful, token.start);
    cut_incomplete(careful);
    push_invented(careful, 0, token.start);
}
