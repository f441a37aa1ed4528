/* Turns what the lexer could not read into findings, and into the token that was most likely meant
 * or into nothing, so that the parser does not stumble over the same place again. Only
 * recovery comes here. */
#include "grammar/hint_types.h"
#include "grammar/recovery.h"

#include "base/text.h"
#include "grammar/string.h"
#include "parser.h"

#include <string.h>

/* A dropped token leaves the parser where it was; one that was invented is taken first. */
enum { AFTER_DROPPED = 0, AFTER_INVENTED = -1 };

static struct span span_of(struct token token) {
    return (struct span){token.start, token.end};
}

static const char *at(const struct recovery *recovery, uint32_t offset) {
    return recovery->source->text.ptr + offset;
}

static uint32_t offset_of(const struct recovery *recovery, const char *place) {
    return (uint32_t)(place - recovery->source->text.ptr);
}

static void continue_at(struct recovery *recovery, uint32_t offset) {
    recovery->lexer.cursor = at(recovery, offset);
}

static struct finding *report(struct recovery *recovery, enum diag_id id, struct span span,
                              gramc_text arg, int aftermath) {
    recovery->taken_since_error = aftermath;
    if (recovery->skips_foreign && (id == D_STRAY_CHARACTER || id == D_BAD_NUMBER)) return NULL;
    if (++recovery->errors >= RECOVERY_MAX_ERRORS) recovery->stopped = true;
    return FIND(recovery->findings, id, recovery->source, span, arg);
}

static gramc_text text_at(const struct recovery *recovery, struct span span) {
    return source_slice(recovery->source, span);
}

/* The end of the line, or of the text. */
static uint32_t line_end(const struct recovery *recovery, uint32_t offset) {
    uint32_t len = (uint32_t)recovery->source->text.len;
    const char *feed = memchr(at(recovery, offset), '\n', len - offset);
    return feed ? offset_of(recovery, feed) : len;
}

/* Where `what` next stands; the end of the text if nowhere. */
static uint32_t find(const struct recovery *recovery, uint32_t from, const char *what) {
    uint32_t len = (uint32_t)recovery->source->text.len;
    size_t size = strlen(what);
    for (uint32_t i = from; i + size <= len; i++)
        if (memcmp(at(recovery, i), what, size) == 0) return i;
    return len;
}

static struct token token_of(struct span span, int code) {
    return (struct token){span.start, span.end, (uint16_t)code, 0};
}

/* ## Strings */

static void check_escapes(struct recovery *recovery, struct token token) {
    gramc_text body = text_at(recovery, (struct span){token.start + 1, token.end - 1});
    char delimiter = *at(recovery, token.start);
    for (size_t pos = 0; pos < body.len;) {
        uint32_t code_point;
        gramc_text rest = text_slice(body, pos, body.len);
        if (body.ptr[pos] != '\\') {
            pos++;
            continue;
        }
        size_t taken = string_escape(rest, delimiter, &code_point);
        if (taken == 0) {
            size_t end = pos + 1;
            if (end < body.len) text_decode(body, &end);
            struct span span = {token.start + 1 + (uint32_t)pos, token.start + 1 + (uint32_t)end};
            struct finding *finding =
                report(recovery, D_BAD_ESCAPE, span, text_at(recovery, span), AFTER_INVENTED + 1);
            recovery->taken_since_error = 1;
            finding_help(
                recovery->findings, finding,
                "the escapes are \\b \\f \\n \\r \\t \\/ \\\\, the string's own quote, and "
                "\\uXXXX; write a backslash as \\\\");
            taken = end - pos;
        }
        pos += taken;
    }
}

static bool stopped_at_nul(const struct recovery *recovery, struct token token) {
    return token.end < recovery->source->text.len;
}

static void report_nul(struct recovery *recovery, uint32_t offset, int aftermath) {
    struct finding *finding = report(recovery, D_STRAY_CHARACTER, (struct span){offset, offset + 1},
                                     TEXT("a NUL byte"), aftermath);
    finding_help(recovery->findings, finding, "is this a text file in UTF-8?");
}

static uint16_t code_of_quote(char quote) {
    return quote == '"' ? TK_DOUBLE : quote == '\'' ? TK_SINGLE : TK_BACKTICK;
}

/* Takes it to end with its line. */
static struct token unterminated_string(struct recovery *recovery, struct token token) {
    char quote[2] = {*at(recovery, token.start), 0};
    if (stopped_at_nul(recovery, token)) {
        report_nul(recovery, token.end, AFTER_INVENTED);
    } else {
        struct span span = {token.start, token.start + 1};
        struct finding *finding =
            report(recovery, D_UNTERMINATED_STRING, span, text_at(recovery, span), AFTER_INVENTED);
        finding_help(recovery->findings, finding, "close it with %s", quote);
    }
    uint32_t end = line_end(recovery, token.start);
    uint32_t close = find(recovery, token.start + 1, quote);
    if (close < end) end = close + 1;
    continue_at(recovery, end);
    return token_of((struct span){token.start, end}, code_of_quote(quote[0]));
}

/* Up to the next three backticks and all that follow them at once. */
static struct token fence_up_to(struct recovery *recovery, uint32_t start, uint32_t from) {
    uint32_t len = (uint32_t)recovery->source->text.len;
    uint32_t end = find(recovery, from, "```");
    if (end == len) recovery->quiet_end = true;
    while (end < len && *at(recovery, end) == '`') end++;
    continue_at(recovery, end);
    return token_of((struct span){start, end}, TK_FENCE);
}

static struct token unterminated_fence(struct recovery *recovery, struct token token) {
    struct span opening = {token.start, token.start + 3};
    if (stopped_at_nul(recovery, token)) {
        report_nul(recovery, token.end, AFTER_INVENTED);
        return fence_up_to(recovery, token.start, token.end);
    }
    struct finding *finding =
        report(recovery, D_UNTERMINATED_FENCE, opening, text_at(recovery, opening), AFTER_INVENTED);
    finding_help(recovery->findings, finding, "close it with three backticks");
    recovery->quiet_end = true;
    return token_of(span_of(token), TK_FENCE);
}

static struct token bad_fence(struct recovery *recovery, struct token token) {
    uint32_t end = line_end(recovery, token.start);
    if (find(recovery, token.end, "```") == recovery->source->text.len)
        return unterminated_fence(
            recovery,
            token_of((struct span){token.start, (uint32_t)recovery->source->text.len}, TK_FENCE));
    struct finding *finding = report(recovery, D_BAD_FENCE, (struct span){token.start, end},
                                     (gramc_text){NULL, 0}, AFTER_INVENTED);
    finding_help(recovery->findings, finding,
                 "three backticks, a tag or nothing, a line end; then the text; for text on one "
                 "line use single backticks");
    return fence_up_to(recovery, token.start, token.end);
}

static struct token four_backticks(struct recovery *recovery, struct token token) {
    struct span span = {token.end - 4, token.end};
    while (*at(recovery, span.end) == '`') span.end++;
    struct finding *finding =
        report(recovery, D_FOUR_BACKTICKS, span, (gramc_text){NULL, 0}, AFTER_INVENTED);
    finding_help(recovery->findings, finding,
                 "a fence is opened and closed by exactly three backticks");
    if (token.end - token.start > 4) {
        continue_at(recovery, span.end);
        return token_of((struct span){token.start, span.end}, TK_FENCE);
    }
    return fence_up_to(recovery, token.start, span.end);
}

/* ## Numbers */

static bool is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool follows_number(const struct recovery *recovery, uint32_t start) {
    uint16_t code = recovery->last.code;
    bool is_number = code == TK_INTEGER || (code >= TK_DECIMAL && code <= TK_DECIMAL_MEASUREMENT);
    return is_number && recovery->last.end == start && start > 0;
}

static void hint_number(struct recovery *recovery, struct finding *finding, gramc_text text) {
    const char *help = "a measurement is a number and a unit of ASCII letters, as in 5kg";
    size_t sign = text.ptr[0] == '-';
    if (text.ptr[0] == '+') help = "leave out the `+`";
    else if (text.ptr[0] == '.') help = "write a digit in front of the point: 0.5";
    else if (text.ptr[text.len - 1] == '.') help = "write a digit behind the point: 5.0";
    else if (text.len > sign + 1 && text.ptr[sign] == '0')
        help = "a number with leading zeros is octal: digits 0 to 7, no sign; drop the zeros";
    finding_help(recovery->findings, finding, "%s", help);
}

/* Returns false if the number in front of it has been taken already. */
static bool bad_number(struct recovery *recovery, struct token token, struct token *out) {
    struct span span = span_of(token);
    while (is_word_byte(*at(recovery, span.end))) span.end++;
    continue_at(recovery, span.end);
    bool glued = follows_number(recovery, token.start);
    if (glued) span.start = recovery->last.start;
    gramc_text text = text_at(recovery, span);
    struct finding *finding =
        report(recovery, D_BAD_NUMBER, span, text, glued ? AFTER_DROPPED : AFTER_INVENTED);
    hint_number(recovery, finding, text);
    *out = token_of(span, TK_INTEGER);
    return !glued;
}

/* ## Characters */

/* What people write who know another language, and what to write instead. */
static const struct stray {
    const char *text;
    const char *help;
} strays[] = {
    {";", "patterns need nothing between them; elements are separated by `,`"},
    {"?", "a label is a name and nothing else; say more in a record: (p:T {optional: true})"},
    {"%", "a unit is made of ASCII letters; put the number into a string"},
    {"*", "a path has no repetition; write its steps"},
    {"!", NULL},
    {"$", NULL},
    {"&", "write one label after the other: `:A:B`"},
    {">", "an arrow is written -->, ==> or ~~>"},
    {"<", "an arrow is written <--, <== or <~~"},
    {"+", "a number has no `+`"},
    {"/", "a comment begins with `//`"},
    {"\\", "a backslash stands only inside strings"},
    {"\xC2\xA0", "this is a no-break space; write an ASCII blank"},
    {"\xE2\x80\xA8", "this is a line separator; write an ASCII line end"},
    {"\xE2\x80\xA9", "this is a paragraph separator; write an ASCII line end"},
    {"\xE3\x80\x80", "this is an ideographic space; write an ASCII blank"},
    {"\xEF\xBB\xBF", "a byte order mark stands only at the beginning of a file"},
    {"\xE2\x80\x93", "this is a dash; write `-`"},
    {"\xE2\x80\x94", "this is a dash; write `-`"},
    {"\xE2\x88\x92", "this is a minus sign; write `-`"},
    {"\xE2\x86\x92", "an arrow is written -->, ==> or ~~>"},
    {"\xE2\x80\xA6", "this is an ellipsis; write `...`"},
};

static const char *const quotes[] = {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E",
                                     "\xC2\xAB",     "\xC2\xBB",     "\xE2\x80\x98",
                                     "\xE2\x80\x99", "\xE2\x80\x9A"};

static bool is_typographic_quote(gramc_text text) {
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (text_is(text, quotes[i])) return true;
    return false;
}

static const struct stray *stray_of(gramc_text text) {
    for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
        if (text_is(text, strays[i].text)) return &strays[i];
    return NULL;
}

static gramc_text in_backticks(struct recovery *recovery, gramc_text text) {
    struct arena *arena = recovery->build->arena;
    char *out = arena_alloc(arena, text.len + 2);
    if (!out) return text;
    out[0] = out[text.len + 1] = '`';
    memcpy(out + 1, text.ptr, text.len);
    return (gramc_text){out, text.len + 2};
}

static gramc_text character_at(const struct recovery *recovery, uint32_t offset) {
    size_t end = offset;
    text_decode(recovery->source->text, &end);
    return text_at(recovery, (struct span){offset, (uint32_t)end});
}

/* A letter that is not ASCII makes no name; the whole word is taken for one. */
static bool foreign_word(struct recovery *recovery, struct token token, struct token *out) {
    struct span span = span_of(token);
    uint32_t len = (uint32_t)recovery->source->text.len;
    while (span.end < len) {
        gramc_text next = character_at(recovery, span.end);
        bool belongs = is_word_byte(next.ptr[0]) ||
                       (next.len > 1 && !stray_of(next) && !is_typographic_quote(next));
        if (!belongs) break;
        span.end += (uint32_t)next.len;
    }
    continue_at(recovery, span.end);
    bool glued = recovery->last.code >= TK_SYMBOL && recovery->last.code <= TK_FALSE &&
                 recovery->last.end == token.start;
    if (glued || follows_number(recovery, token.start)) span.start = recovery->last.start;
    bool dropped = span.start != token.start;
    struct finding *finding =
        report(recovery, D_STRAY_CHARACTER, span, in_backticks(recovery, text_at(recovery, span)),
               dropped ? AFTER_DROPPED : AFTER_INVENTED);
    finding_help(recovery->findings, finding,
                 "names are ASCII letters, digits and _ . - @; put any other name in backticks");
    *out = token_of(span, TK_SYMBOL);
    return !dropped;
}

/* Takes the typographic quotes for straight ones. */
static struct token foreign_quote(struct recovery *recovery, struct token token) {
    uint32_t end = line_end(recovery, token.start), close = token.end;
    while (close < end && !is_typographic_quote(character_at(recovery, close))) close++;
    if (close < end) close += (uint32_t)character_at(recovery, close).len;
    struct finding *finding =
        report(recovery, D_STRAY_CHARACTER, span_of(token),
               in_backticks(recovery, text_at(recovery, span_of(token))), AFTER_INVENTED);
    finding_help(recovery->findings, finding, "strings stand in \" or '");
    continue_at(recovery, close);
    return token_of((struct span){token.start, close}, TK_DOUBLE);
}

static void line_comment(struct recovery *recovery, struct token token, const char *kind) {
    struct finding *finding =
        report(recovery, D_COMMENT_SYNTAX, span_of(token), text_of(kind), AFTER_DROPPED);
    finding_help(recovery->findings, finding, "a comment begins with `//` and ends with its line");
}

static bool stray_character(struct recovery *recovery, struct token token, struct token *out) {
    gramc_text text = character_at(recovery, token.start);
    const struct stray *known = stray_of(text);
    token.end = token.start + (uint32_t)text.len;
    continue_at(recovery, token.end);
    if (text.ptr[0] == '#') {
        line_comment(recovery, token, "`#`");
        continue_at(recovery, line_end(recovery, token.start));
        return false;
    }
    if (text.ptr[0] == '.' && follows_number(recovery, token.start))
        return bad_number(recovery, token, out);
    if ((text.ptr[0] & 0x80) && text.len == 1) {
        report(recovery, D_INVALID_UTF8, span_of(token), text, AFTER_DROPPED);
        return false;
    }
    if (is_typographic_quote(text)) {
        *out = foreign_quote(recovery, token);
        return true;
    }
    if (text.len > 1 && !known) return foreign_word(recovery, token, out);
    struct finding *finding = report(recovery, D_STRAY_CHARACTER, span_of(token),
                                     in_backticks(recovery, text), AFTER_DROPPED);
    uint32_t behind = text.ptr[0] == '<' ? hint_generic(recovery, finding, token.start) : 0;
    if (behind) continue_at(recovery, behind);
    else if (known && known->help) finding_help(recovery->findings, finding, "%s", known->help);
    return false;
}

static void block_comment(struct recovery *recovery, struct token token) {
    uint32_t end = find(recovery, token.end, "*/");
    uint32_t len = (uint32_t)recovery->source->text.len;
    line_comment(recovery, token, "`/*`");
    continue_at(recovery, end == len ? len : end + 2);
}

/* Sets *out and returns true, or drops the token. */
static bool repair(struct recovery *recovery, struct token token, struct token *out) {
    switch (token.code) {
    case LEX_NUL: report_nul(recovery, token.start, AFTER_DROPPED); return false;
    case LEX_BAD_NUMBER: return bad_number(recovery, token, out);
    case LEX_BLOCK_COMMENT: block_comment(recovery, token); return false;
    case LEX_UNTERMINATED_STRING: *out = unterminated_string(recovery, token); return true;
    case LEX_UNTERMINATED_FENCE: *out = unterminated_fence(recovery, token); return true;
    case LEX_BAD_FENCE: *out = bad_fence(recovery, token); return true;
    case LEX_FOUR_BACKTICKS: *out = four_backticks(recovery, token); return true;
    default: return stray_character(recovery, token, out);
    }
}

struct token lexical_next(struct recovery *recovery) {
    for (;;) {
        struct token token = lexer_next(&recovery->lexer);
        if (token.code == LEX_COMMENT) {
            build_comment(recovery->build, token);
            continue;
        }
        if (token.code < LEX_COMMENT) {
            if (token.flags & TOKEN_ESCAPES) check_escapes(recovery, token);
            return token;
        }
        if (recovery->stopped) return token_of(span_of(token), 0);
        if (repair(recovery, token, &token)) return token;
    }
}
