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

static gramc_text slice(const struct recovery *recovery, struct token token) {
    return source_slice(recovery->source, span_of(token));
}

static bool accepts(const struct recovery *recovery, size_t height, uint16_t code) {
    return push_accepts(recovery->push, height, &code, 1);
}

static bool takes(const struct recovery *recovery, uint16_t code) {
    return accepts(recovery, push_height(recovery->push), code);
}

/* Only what is still on the parser's stack counts as an error of its own. */
static bool is_echo(const struct recovery *recovery) {
    return recovery->errors > 0 && recovery->taken_since_error <= 0;
}

static void count_error(struct recovery *recovery) {
    recovery->taken_since_error = 0;
    if (++recovery->errors >= RECOVERY_MAX_ERRORS) recovery->stopped = true;
}

static void report_depth(struct recovery *recovery, struct token token) {
    char digits[16];
    size_t len = 0;
    for (unsigned rest = PARSE_MAX_DEPTH; rest; rest /= 10)
        digits[15 - len++] = (char)('0' + rest % 10);
    FIND(recovery->findings, D_NESTING_TOO_DEEP, recovery->source, span_of(token),
         (gramc_text){digits + 16 - len, len});
    recovery->errors++;
    recovery->stopped = true;
}

/* One that it accepts. */
static void push_token(struct recovery *recovery, struct token token) {
    (void)push_tokens(recovery->push, &token, 1);
}

static void take(struct recovery *recovery, struct token token) {
    int step = nesting(token.code);
    if (step > 0 && recovery->depth == PARSE_MAX_DEPTH) {
        report_depth(recovery, token);
        return;
    }
    push_token(recovery, token);
    if (step > 0)
        recovery->open[recovery->depth++] =
            (struct open_bracket){token, push_height(recovery->push)};
    if (step < 0) recovery->depth--;
    recovery->before_last = recovery->last;
    recovery->last = token;
    recovery->taken_since_error++;
}

static const struct open_bracket *innermost(const struct recovery *recovery) {
    return &recovery->open[recovery->depth - 1];
}

/* Cuts back to the highest point, not below `floor`, where the codes are accepted. */
static bool cut_until(struct recovery *recovery, size_t floor, const uint16_t *codes,
                      size_t count) {
    for (size_t height = push_height(recovery->push); height >= floor; height--) {
        if (!push_accepts(recovery->push, height, codes, count)) continue;
        push_cut(recovery->push, height);
        return true;
    }
    return false;
}

/* Back to where the text could end: complete patterns only. */
static void cut_incomplete(struct recovery *recovery) {
    const uint16_t end = 0;
    cut_until(recovery, 1, &end, 1);
}

static void push_invented(struct recovery *recovery, uint16_t code, uint32_t at) {
    push_token(recovery, (struct token){at, at, code, 0});
}

/* Ends the innermost bracket as if it had been closed at that place. */
static void close_innermost(struct recovery *recovery, uint32_t at) {
    struct open_bracket bracket = *innermost(recovery);
    uint16_t closer = closer_of(bracket.token.code);
    recovery->depth--;
    if (cut_until(recovery, bracket.height, &closer, 1)) {
        push_invented(recovery, closer, at);
        return;
    }
    /* The value of an annotation cannot be empty: the annotation goes. */
    push_cut(recovery->push, bracket.height - 1);
    cut_incomplete(recovery);
}

/* ## Brackets that do not match */

static void report_unclosed(struct recovery *recovery, uint32_t count, struct token where,
                            const char *label) {
    const struct open_bracket *top = innermost(recovery);
    if (is_echo(recovery)) return;
    struct finding *finding = FIND(recovery->findings, D_UNCLOSED_BRACKET, recovery->source,
                                   span_of(top->token), slice(recovery, top->token));
    finding_label(recovery->findings, finding, recovery->source, span_of(where), label);
    for (uint32_t i = 1; i < count; i++)
        finding_label(recovery->findings, finding, recovery->source, span_of(top[-(int)i].token),
                      "this one is open too");
    finding_help(recovery->findings, finding, "close it with `%s`", closing_text(top->token.code));
    count_error(recovery);
}

static struct token mismatched(struct recovery *recovery, struct token token) {
    uint32_t outer = recovery->depth;
    while (outer > 0 && closer_of(recovery->open[outer - 1].token.code) != token.code) outer--;
    if (outer > 0) {
        report_unclosed(recovery, recovery->depth - outer, token,
                        "this closes a bracket around it");
        while (recovery->depth > outer) close_innermost(recovery, token.start);
        return token;
    }
    if (recovery->depth > 0) {
        struct token opener = innermost(recovery)->token;
        struct finding *finding = NULL;
        if (!is_echo(recovery))
            finding = FIND(recovery->findings, D_MISMATCHED_BRACKET, recovery->source,
                           span_of(token), slice(recovery, token), slice(recovery, opener));
        finding_label(recovery->findings, finding, recovery->source, span_of(opener),
                      "opened here");
        finding_help(recovery->findings, finding, "close it with `%s`", closing_text(opener.code));
        count_error(recovery);
        token.code = closer_of(opener.code);
        return token;
    }
    FIND(recovery->findings, D_EXTRA_BRACKET, recovery->source, span_of(token),
         slice(recovery, token));
    count_error(recovery);
    return lexical_next(recovery);
}

/* How many of the open brackets the rest of the text, from this token on, leaves open. */
static uint32_t left_open(struct recovery *recovery, struct token token) {
    struct lexer ahead = recovery->lexer;
    int64_t sum = 0, least = 0;
    for (; token.code != 0; token = lexer_next(&ahead)) {
        if (recovery->lookahead_left == 0) return 0;
        recovery->lookahead_left--;
        sum += nesting(token.code);
        if (sum < least) least = sum;
    }
    return -least >= (int64_t)recovery->depth ? 0 : recovery->depth - (uint32_t)-least;
}

/* A closing bracket is missing in front of this token, if it fits behind one and the rest of the
 * text leaves as many open. */
static bool close_missing(struct recovery *recovery, struct token token) {
    enum { MOST = 8 };
    uint16_t codes[MOST + 1];
    uint32_t missing = left_open(recovery, token);
    for (uint32_t count = 1; count <= missing && count <= MOST; count++) {
        codes[count - 1] = closer_of(recovery->open[recovery->depth - count].token.code);
        codes[count] = token.code;
        if (!cut_until(recovery, innermost(recovery)->height, codes, count + 1)) continue;
        report_unclosed(recovery, count, token, "it is still open here");
        while (count-- > 0) close_innermost(recovery, token.start);
        return true;
    }
    return false;
}

/* ## Tokens that do not fit */

static bool is_number(uint16_t code) {
    return code == TK_INTEGER || (code >= TK_DECIMAL && code <= TK_DECIMAL_MEASUREMENT);
}

/* 1kg2, 100_000: two tokens that were meant as one number. */
static bool is_number_tail(const struct recovery *recovery, struct token token) {
    bool goes_on = is_number(token.code) || (token.code >= TK_SYMBOL && token.code <= TK_FALSE);
    return goes_on && is_number(recovery->last.code) && recovery->last.end == token.start;
}

/* 1-50 is meant as a range, 100_000 as one number. */
static void hint_numbers(struct recovery *recovery, struct finding *finding, struct token token) {
    gramc_text first = slice(recovery, recovery->last), second = slice(recovery, token);
    struct span both = {recovery->last.start, token.end};
    char text[64];
    bool tail = second.ptr[0] == '_' || second.ptr[0] == '-';
    bool digits = tail && second.len > 1 && first.len + second.len < sizeof text - 2;
    for (size_t i = 1; digits && i < second.len; i++)
        digits = (second.ptr[i] >= '0' && second.ptr[i] <= '9') || second.ptr[i] == '_';
    if (!digits) {
        hint_unexpected(recovery, finding, token, expected_set(recovery));
        return;
    }
    bool range = second.ptr[0] == '-';
    size_t len = 0;
    for (size_t i = 0; i < first.len; i++) text[len++] = first.ptr[i];
    if (range) text[len++] = '.', text[len++] = '.';
    for (size_t i = 1; i < second.len; i++)
        if (second.ptr[i] != '_') text[len++] = second.ptr[i];
    finding_help(recovery->findings, finding, range ? "a range is written %.*s" : "write %.*s",
                 (int)len, text);
    finding_fix(recovery->findings, finding, both, (gramc_text){text, len});
}

static void report_unexpected(struct recovery *recovery, struct token token) {
    char buf[256];
    uint64_t expected = expected_set(recovery);
    gramc_text words = expected_words(recovery, expected);
    struct finding *finding;
    if (token.code == 0) {
        finding =
            FIND(recovery->findings, D_UNEXPECTED_END, recovery->source, span_of(token), words);
    } else if (is_number_tail(recovery, token)) {
        struct span span = {recovery->last.start, token.end};
        finding = FIND(recovery->findings, D_BAD_NUMBER, recovery->source, span,
                       source_slice(recovery->source, span));
    } else {
        finding = FIND(recovery->findings, D_UNEXPECTED_TOKEN, recovery->source, span_of(token),
                       expected_token(recovery, token, buf, sizeof buf), words);
    }
    if (token.code != 0 && is_number_tail(recovery, token)) hint_numbers(recovery, finding, token);
    else hint_unexpected(recovery, finding, token, expected);
    count_error(recovery);
}

static bool begins_line(const struct recovery *recovery, uint32_t at) {
    const char *text = recovery->source->text.ptr;
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) at--;
    return at == 0 || text[at - 1] == '\n';
}

static bool begins_pattern(uint16_t code) {
    return code == TK_LPAREN || code == TK_LBRACKET || code == TK_AT || code == TK_ATAT;
}

/* Is this where reading can go on inside the innermost bracket? Cuts the parser's stack to it. */
static bool resumes_inside(struct recovery *recovery, struct token *token) {
    if (token->code != TK_COMMA && token->code != TK_BAR) return false;
    size_t floor = innermost(recovery)->height;
    if (cut_until(recovery, floor, &token->code, 1)) return true;
    if (token->code == TK_BAR) return false;
    /* Nothing stands in front of the comma any more: it goes too. */
    *token = lexical_next(recovery);
    const uint16_t next = recovery_peek(recovery), codes[] = {token->code, next};
    if (!cut_until(recovery, floor, codes, next < LEX_COMMENT ? 2 : 1))
        push_cut(recovery->push, floor);
    return true;
}

/* `'It's fine'`, `"a, b: "x"`: the rest of the line up to its last quote was text, or is lost with
 * it. Without this the quote behind would open a string. */
static bool skip_glued(struct recovery *recovery, struct token token) {
    const char *text = recovery->source->text.ptr;
    char quote = text[recovery->last.start];
    bool string = recovery->last.code == TK_SINGLE || recovery->last.code == TK_DOUBLE;
    bool word = token.code >= TK_SYMBOL && token.code <= TK_FALSE;
    uint32_t last = 0;
    if (!string || !word || recovery->last.end != token.start) return false;
    for (uint32_t at = token.end; at < recovery->source->text.len && text[at] != '\n'; at++)
        if (text[at] == quote) last = at;
    if (!last) return false;
    recovery->lexer.cursor = text + last + 1;
    return true;
}

/* Drops tokens from this one on until reading can go on. */
static struct token skip(struct recovery *recovery, struct token token) {
    uint32_t inner = 0;
    /* `def t(x: int)`, `interface A { a: b; }`: a definition of another language, as a whole. */
    bool foreign = recovery->depth == 0 && token.code == TK_SYMBOL;
    recovery->skips_foreign = foreign;
    if (recovery->depth == 0) cut_incomplete(recovery);
    for (bool first = true; token.code != 0; token = lexical_next(recovery), first = false) {
        int step = nesting(token.code);
        if (inner == 0 && recovery->depth == 0 && begins_pattern(token.code) &&
            ((!first && !foreign) || begins_line(recovery, token.start)))
            break;
        if (inner == 0 && recovery->depth > 0 && resumes_inside(recovery, &token)) return token;
        if (inner == 0 && step < 0) return token;
        inner = step > 0 ? inner + 1 : step < 0 ? inner - 1 : inner;
    }
    recovery->skips_foreign = false;
    return token;
}

uint16_t recovery_peek(const struct recovery *recovery) {
    struct lexer ahead = recovery->lexer;
    struct token token = lexer_next(&ahead);
    while (token.code == LEX_COMMENT) token = lexer_next(&ahead);
    return token.code;
}

bool recovery_takes_comma(const struct recovery *recovery, struct token token) {
    const uint16_t next = recovery_peek(recovery), codes[] = {TK_COMMA, token.code, next};
    size_t count = next < LEX_COMMENT ? 3 : 2;
    if (recovery->depth == 0) return false;
    return push_accepts(recovery->push, push_height(recovery->push), codes, count);
}

static bool insert_comma(struct recovery *recovery, struct token token) {
    if (!recovery_takes_comma(recovery, token)) return false;
    push_invented(recovery, TK_COMMA, token.start);
    return true;
}

/* A string with a line feed in it, and right behind it something that does not fit: its closing
 * quote was forgotten, and it ends at the opening one of the next string. Reads on behind its first
 * line. */
static bool reopen_string(struct recovery *recovery, struct token token) {
    struct token string = recovery->last;
    const char *text = recovery->source->text.ptr;
    if (!(string.flags & TOKEN_NEWLINE)) return false;
    for (uint32_t at = string.end; at < token.start; at++)
        if (text[at] == '\n') return false;
    struct finding *finding = FIND0(recovery->findings, D_UNTERMINATED_STRING, recovery->source,
                                    ((struct span){string.start, string.start + 1}));
    finding_help(recovery->findings, finding, "close it with %c", text[string.start]);
    count_error(recovery);
    recovery->lexer.cursor = text + string.start;
    while (*recovery->lexer.cursor != '\n') recovery->lexer.cursor++;
    recovery->last.flags = 0;
    return true;
}

/* The bracket that this token closes is not complete: what is incomplete in it goes. */
static struct token close_incomplete(struct recovery *recovery, struct token token) {
    if (cut_until(recovery, innermost(recovery)->height, &token.code, 1)) return token;
    close_innermost(recovery, token.start);
    return lexical_next(recovery);
}

static struct token at_end(struct recovery *recovery, struct token token) {
    if (recovery->quiet_end) count_error(recovery);
    else if (recovery->depth > 0)
        report_unclosed(recovery, recovery->depth, token, "the text ends here");
    else if (!is_echo(recovery)) report_unexpected(recovery, token);
    while (recovery->depth > 0) close_innermost(recovery, token.start);
    cut_incomplete(recovery);
    return token;
}

static struct token recover(struct recovery *recovery, struct token token) {
    if (token.code == 0) return at_end(recovery, token);
    if (reopen_string(recovery, token)) return lexical_next(recovery);
    if (nesting(token.code) >= 0 && recovery->depth > 0 && close_missing(recovery, token))
        return token;
    bool is_tail = is_number_tail(recovery, token);
    if (!is_echo(recovery)) report_unexpected(recovery, token);
    recovery->taken_since_error = 0;
    if (is_tail || skip_glued(recovery, token)) return lexical_next(recovery);
    if (nesting(token.code) < 0) return close_incomplete(recovery, token);
    if (insert_comma(recovery, token)) return token;
    return skip(recovery, token);
}

/* A byte order mark, or every second byte of the first ones NUL. */
static bool is_utf16(gramc_text text) {
    const unsigned char *p = (const unsigned char *)text.ptr;
    if (text.len < 4) return false;
    if ((p[0] == 0xFF && p[1] == 0xFE) || (p[0] == 0xFE && p[1] == 0xFF)) return true;
    return (p[0] && !p[1] && p[2] && !p[3]) || (!p[0] && p[1] && !p[2] && p[3]);
}

static void report_encoding(struct recovery *recovery) {
    const struct span beginning = {0, 0};
    struct finding *finding =
        FIND(recovery->findings, D_WRONG_ENCODING, recovery->source, beginning, TEXT("UTF-16"));
    finding_help(recovery->findings, finding,
                 "save it as UTF-8; iconv -f UTF-16 -t UTF-8 converts it");
    recovery->errors++;
    recovery->stopped = true;
}

void recovery_read(struct recovery *recovery) {
    if (is_utf16(recovery->source->text)) report_encoding(recovery);
    lexer_init(&recovery->lexer, recovery->source);
    struct token token = lexical_next(recovery);
    while (!recovery->stopped && build_has_memory(recovery->build)) {
        bool closes = nesting(token.code) < 0;
        if (closes &&
            (recovery->depth == 0 || closer_of(innermost(recovery)->token.code) != token.code)) {
            token = mismatched(recovery, token);
        } else if (!takes(recovery, token.code)) {
            token = recover(recovery, token);
        } else {
            take(recovery, token);
            if (token.code == 0) return;
            token = lexical_next(recovery);
        }
    }
    while (recovery->depth > 0) close_innermost(recovery, token.start);
    cut_incomplete(recovery);
    push_invented(recovery, 0, token.start);
}
