/* Rewrites an ECMA-262 pattern (u flag) as the PCRE2 pattern that matches the same texts. What is
 * not ECMA-262, and what PCRE2 cannot say, is refused with a reason: nothing is guessed. Compiling
 * and matching is left to regex.c. Grammar: ECMA-262, section "Patterns", and of its Annex B what
 * schemas in the wild need. */
#include "jsonschema/regex.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* White space and line ends of ECMA-262, as the inside of a class, and everything else. */
static const char BLANKS[] = "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"
                             "\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
static const char NOT_BLANKS[] =
    "\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}"
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}"
    "\\x{ff00}-\\x{10ffff}";
/* In a class beside a property PCRE2 forgets of \W and \D what is beyond U+00FF. */
static const char NOT_WORD[] = "\\x00-/:-@\\[-^`{-\\x{10ffff}";
static const char NOT_DIGIT[] = "\\x00-/:-\\x{10ffff}";
/* Matches nothing; in a group, since PCRE2 ignores a quantifier behind it. */
static const char NOTHING[] = "(?:[])";
static const char NOT_LINE_END[] = "[^\\n\\r\\x{2028}\\x{2029}]";

struct translator {
    struct buf *out; /* NULL: only evaluation */
    gramc_text pattern;
    size_t pos;
    size_t depth;
    unsigned groups;                     /* in the whole pattern */
    bool lookaround[PATTERN_GROUPS_MAX]; /* of the open parentheses */
    struct regex_error *error;
};

static bool refuse(struct translator *t, size_t position, const char *why) {
    t->error->position = position;
    snprintf(t->error->message, sizeof t->error->message, "%s", why);
    return false;
}

static void put(struct translator *t, const char *text) {
    if (t->out) buf_puts(t->out, text);
}

static void put_span(struct translator *t, size_t start, size_t end) {
    if (t->out) buf_put(t->out, t->pattern.ptr + start, end - start);
}

static void put_code(struct translator *t, uint32_t code_point) {
    if (t->out) buf_printf(t->out, "\\x{%x}", (unsigned)code_point);
}

static bool at_end(const struct translator *t) {
    return t->pos >= t->pattern.len;
}

/* The byte `ahead` of the current one, 0 behind the end. */
static char peek(const struct translator *t, size_t ahead) {
    return t->pos + ahead < t->pattern.len ? t->pattern.ptr[t->pos + ahead] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads exactly `count` hexadecimal digits at `ahead`. */
static bool read_hex(const struct translator *t, size_t ahead, size_t count, uint32_t *value) {
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = hex_value(peek(t, ahead + i));
        if (digit < 0) return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* \u{...}; pos is at the backslash. */
static bool read_braced(struct translator *t, uint32_t *code_point) {
    size_t ahead = 3;
    *code_point = 0;
    while (hex_value(peek(t, ahead)) >= 0 && *code_point <= 0x10FFFF)
        *code_point = *code_point << 4 | (uint32_t)hex_value(peek(t, ahead++));
    if (ahead == 3 || peek(t, ahead) != '}' || *code_point > 0x10FFFF)
        return refuse(t, t->pos, "'\\u{' needs a code point up to 10FFFF and '}'");
    t->pos += ahead + 1;
    return true;
}

static bool read_unicode(struct translator *t, uint32_t *code_point) {
    size_t start = t->pos;
    uint32_t low;
    if (peek(t, 2) == '{') {
        if (!read_braced(t, code_point)) return false;
    } else {
        if (!read_hex(t, 2, 4, code_point))
            return refuse(t, start, "'\\u' needs four hexadecimal digits");
        t->pos += 6;
    }
    if (*code_point < 0xD800 || *code_point > 0xDFFF) return true;
    if (*code_point < 0xDC00 && peek(t, 0) == '\\' && peek(t, 1) == 'u' &&
        read_hex(t, 2, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        *code_point = 0x10000 + ((*code_point - 0xD800) << 10) + (low - 0xDC00);
        t->pos += 6;
        return true;
    }
    return refuse(t, start, "cannot be translated: half a surrogate pair is in no JSON string");
}

/* An escape that means one character; pos is at the backslash and moves behind the escape. */
static bool read_character_escape(struct translator *t, uint32_t *code_point) {
    static const char controls[] = "tnvfr", meanings[] = "\t\n\v\f\r";
    char c = peek(t, 1);
    const char *control = c ? strchr(controls, c) : NULL;
    if (control) {
        *code_point = (unsigned char)meanings[control - controls];
    } else if (c == '0' && !is_digit(peek(t, 2))) {
        *code_point = 0;
    } else if (c == 'c') {
        if (!is_letter(peek(t, 2))) return refuse(t, t->pos, "'\\c' needs a letter");
        *code_point = peek(t, 2) & 0x1F;
        t->pos++;
    } else if (c == 'x') {
        if (!read_hex(t, 2, 2, code_point))
            return refuse(t, t->pos, "'\\x' needs two hexadecimal digits");
        t->pos += 2;
    } else if (c == 'u') {
        return read_unicode(t, code_point);
    } else if ((c > ' ' && c < 0x7F && !is_letter(c) && !is_digit(c) && c != '_')) {
        *code_point = (unsigned char)c;
    } else {
        return refuse(t, t->pos,
                      at_end(t) || t->pos + 1 == t->pattern.len
                          ? "ends with a backslash"
                          : "an escape that ECMA-262 does not have");
    }
    t->pos += 2;
    return true;
}

/* Long names of general categories; PCRE2 knows only the short ones. Unicode, table 4-4. */
static const char *const categories[][2] = {
    {"Letter", "L"},
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Unassigned", "Cn"},
};

static gramc_text short_category(gramc_text name) {
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        if (text_is(name, categories[i][0])) return text_of(categories[i][1]);
    return name;
}

static void put_property(struct translator *t, char letter, const char *prefix, gramc_text name) {
    if (t->out) buf_printf(t->out, "\\%c{%s%.*s}", letter, prefix, TEXT_ARGS(name));
}

/* \p{...} and \P{...}; pos is at the backslash. Unknown names are left for PCRE2 to refuse. */
static bool translate_property(struct translator *t) {
    char letter = peek(t, 1);
    size_t start = t->pos + 3, end = start, equals = 0;
    if (peek(t, 2) != '{') return refuse(t, t->pos, "'\\p' needs a property in braces");
    while (end < t->pattern.len && t->pattern.ptr[end] != '}') {
        char c = t->pattern.ptr[end];
        if (c == '=' && !equals) equals = end;
        else if (!is_letter(c) && !is_digit(c) && c != '_')
            return refuse(t, t->pos, "a property name is made of letters, digits and '_'");
        end++;
    }
    if (end == t->pattern.len || end == start)
        return refuse(t, t->pos, "'\\p' needs a property in braces");
    gramc_text name = text_slice(t->pattern, equals ? equals + 1 : start, end);
    gramc_text kind = text_slice(t->pattern, start, equals ? equals : start);
    t->pos = end + 1;
    if (!equals || text_is(kind, "General_Category") || text_is(kind, "gc"))
        put_property(t, letter, "", short_category(name));
    else if (text_is(kind, "Script") || text_is(kind, "sc")) put_property(t, letter, "sc:", name);
    else if (text_is(kind, "Script_Extensions") || text_is(kind, "scx"))
        put_property(t, letter, "scx:", name);
    else return refuse(t, start, "unknown kind of property");
    return true;
}

/* \d \D \w \W \s \S \p \P: sets of characters. False if it is none of these. */
static bool is_set_escape(char c) {
    return c && strchr("dDwWsSpP", c);
}

static bool translate_set_escape(struct translator *t, bool in_class) {
    char c = peek(t, 1);
    if (c == 'p' || c == 'P') return translate_property(t);
    t->pos += 2;
    if (c == 's' || c == 'S') {
        put(t, in_class ? "" : "[");
        put(t, c == 's' ? BLANKS : NOT_BLANKS);
        put(t, in_class ? "" : "]");
    } else if (in_class && (c == 'W' || c == 'D')) {
        put(t, c == 'W' ? NOT_WORD : NOT_DIGIT);
    } else {
        put_span(t, t->pos - 2, t->pos);
    }
    return true;
}

/* One member of a class; *single tells whether it can end a range, *code_point which it is. */
static bool translate_class_atom(struct translator *t, bool *single, uint32_t *code_point) {
    *single = true;
    if (peek(t, 0) != '\\') {
        *code_point = text_decode(t->pattern, &t->pos);
        put_code(t, *code_point);
        return true;
    }
    if (is_set_escape(peek(t, 1))) {
        *single = false;
        return translate_set_escape(t, true);
    }
    if (peek(t, 1) == 'b') {
        t->pos += 2;
        *code_point = '\b';
    } else if (!read_character_escape(t, code_point)) {
        return false;
    }
    put_code(t, *code_point);
    return true;
}

/* pos is behind the '['. */
static bool translate_class(struct translator *t) {
    size_t start = t->pos - 1;
    if (peek(t, 0) == ']') {
        t->pos++;
        put(t, NOTHING);
        return true;
    }
    put(t, "[");
    if (peek(t, 0) == '^') {
        put(t, "^");
        t->pos++;
    }
    while (!at_end(t) && peek(t, 0) != ']') {
        bool from_single, to_single;
        uint32_t from = 0, to = 0;
        size_t atom = t->pos;
        if (!translate_class_atom(t, &from_single, &from)) return false;
        if (peek(t, 0) != '-' || peek(t, 1) == ']' || t->pos + 1 >= t->pattern.len) continue;
        t->pos++;
        put(t, from_single && !(peek(t, 0) == '\\' && is_set_escape(peek(t, 1))) ? "-" : "\\-");
        if (!translate_class_atom(t, &to_single, &to)) return false;
        if (from_single && to_single && from > to)
            return refuse(t, atom, "a range that ends before it starts");
    }
    if (at_end(t)) return refuse(t, start, "'[' is never closed");
    t->pos++;
    put(t, "]");
    return true;
}

/* A group name; pos is behind the '<' and moves behind the '>'. */
static bool translate_name(struct translator *t) {
    size_t start = t->pos;
    while (is_letter(peek(t, 0)) || is_digit(peek(t, 0)) || peek(t, 0) == '_') t->pos++;
    if (t->pos == start || is_digit(t->pattern.ptr[start]) || peek(t, 0) != '>')
        return refuse(t, start, "a group needs a name of letters, digits and '_', then '>'");
    if (t->pos - start > 32) return refuse(t, start, "a group name of more than 32 characters");
    t->pos++;
    put_span(t, start, t->pos);
    return true;
}

/* pos is behind the '('. */
static bool translate_group(struct translator *t) {
    static const char *const kinds[] = {"?:", "?=", "?!", "?<=", "?<!"};
    size_t start = t->pos - 1;
    if (t->depth == PATTERN_GROUPS_MAX)
        return refuse(t, start, "parentheses nested deeper than 200");
    put(t, "(");
    t->lookaround[t->depth] = false;
    if (peek(t, 0) == '?') {
        size_t i = 0;
        gramc_text rest = text_slice(t->pattern, t->pos, t->pattern.len);
        while (i < 5 && !text_starts(rest, kinds[i])) i++;
        if (i < 5) {
            put(t, kinds[i]);
            t->pos += strlen(kinds[i]);
            t->lookaround[t->depth] = i >= 3;
        } else if (peek(t, 1) == '<') {
            t->pos += 2;
            put(t, "?<");
            if (!translate_name(t)) return false;
        } else {
            return refuse(t, start, "a kind of group that ECMA-262 does not have");
        }
    }
    t->depth++;
    return true;
}

static bool translate_back_reference(struct translator *t) {
    size_t start = t->pos++;
    unsigned number = 0;
    while (is_digit(peek(t, 0)) && number <= t->groups)
        number = number * 10 + (unsigned)(t->pattern.ptr[t->pos++] - '0');
    if (number == 0 || number > t->groups)
        return refuse(t, start, "refers to a group that is not there");
    if (t->out) buf_printf(t->out, "\\g{%u}", number);
    return true;
}

static bool translate_escape(struct translator *t, bool *repeatable) {
    char c = peek(t, 1);
    uint32_t code_point;
    if (c == 'b' || c == 'B') {
        put_span(t, t->pos, t->pos + 2);
        t->pos += 2;
        *repeatable = false;
        return true;
    }
    if (is_set_escape(c)) return translate_set_escape(t, false);
    if (c >= '1' && c <= '9') return translate_back_reference(t);
    if (c == 'k') {
        if (peek(t, 2) != '<') return refuse(t, t->pos, "'\\k' needs a group name in '<' and '>'");
        t->pos += 3;
        put(t, "\\k<");
        return translate_name(t);
    }
    if (!read_character_escape(t, &code_point)) return false;
    put_code(t, code_point);
    return true;
}

/* The length of a quantifier in braces at pos, 0 if it is none. */
static size_t braces_length(const struct translator *t, unsigned long *least, unsigned long *most) {
    size_t ahead = 1;
    unsigned long *number = least;
    *least = *most = 0;
    for (;; ahead++) {
        char c = peek(t, ahead);
        if (is_digit(c)) {
            if (*number < 100000) *number = *number * 10 + (unsigned long)(c - '0');
        } else if (c == ',' && number == least && ahead > 1) {
            number = most;
        } else if (c == '}' && ahead > 1) {
            if (number == least || peek(t, ahead - 1) == ',')
                *most = number == least ? *least : 100000;
            return ahead + 1;
        } else {
            return 0;
        }
    }
}

/* A quantifier, if one stands here. */
static bool translate_quantifier(struct translator *t, bool repeatable) {
    unsigned long least, most;
    char c = peek(t, 0);
    size_t len = c == '{' ? braces_length(t, &least, &most) : (c && strchr("*+?", c)) ? 1 : 0;
    if (len == 0) return true;
    if (!repeatable) return refuse(t, t->pos, "nothing to repeat");
    if (c == '{' && least > most) return refuse(t, t->pos, "a repetition from more to fewer");
    put_span(t, t->pos, t->pos + len);
    t->pos += len;
    if (peek(t, 0) == '?') {
        put(t, "?");
        t->pos++;
    }
    c = peek(t, 0);
    if ((c && strchr("*+?", c)) || (c == '{' && braces_length(t, &least, &most)))
        return refuse(t, t->pos, "nothing to repeat");
    return true;
}

static bool close_group(struct translator *t, bool *repeatable) {
    if (t->depth == 0) return refuse(t, t->pos, "')' without '('");
    *repeatable = !t->lookaround[--t->depth];
    put(t, ")");
    t->pos++;
    return true;
}

static bool translate_literal(struct translator *t) {
    size_t start = t->pos;
    char c = peek(t, 0);
    unsigned long least, most;
    if (c == '*' || c == '+' || c == '?' || (c == '{' && braces_length(t, &least, &most)))
        return refuse(t, start, "nothing to repeat");
    if (text_decode(t->pattern, &t->pos) == UINT32_MAX) return refuse(t, start, "not UTF-8");
    if (c == '{' || c == '}' || c == ']') put(t, "\\");
    put_span(t, start, t->pos);
    return true;
}

static bool translate_term(struct translator *t) {
    bool repeatable = true;
    bool fine = true;
    switch (peek(t, 0)) {
    case '(': t->pos++; return translate_group(t);
    case '|':
        t->pos++;
        put(t, "|");
        return true;
    case '^':
    case '$':
        put_span(t, t->pos, t->pos + 1);
        t->pos++;
        repeatable = false;
        break;
    case ')': fine = close_group(t, &repeatable); break;
    case '[':
        t->pos++;
        fine = translate_class(t);
        break;
    case '.':
        t->pos++;
        put(t, NOT_LINE_END);
        break;
    case '\\': fine = translate_escape(t, &repeatable); break;
    default: fine = translate_literal(t);
    }
    return fine && translate_quantifier(t, repeatable);
}

/* Capturing parentheses outside of classes. */
static unsigned count_groups(gramc_text p) {
    unsigned count = 0;
    bool in_class = false;
    for (size_t i = 0; i < p.len; i++) {
        char c = p.ptr[i], next = i + 1 < p.len ? p.ptr[i + 1] : '\0';
        char third = i + 2 < p.len ? p.ptr[i + 2] : '\0',
             fourth = i + 3 < p.len ? p.ptr[i + 3] : '\0';
        if (c == '\\') i++;
        else if (c == '[') in_class = true;
        else if (c == ']') in_class = false;
        else if (c == '(' && !in_class)
            count += next != '?' || (third == '<' && fourth != '=' && fourth != '!');
    }
    return count;
}

bool regex_translate(struct buf *out, gramc_text pattern, struct regex_error *error) {
    struct translator t = {.out = out, .pattern = pattern, .error = error};
    t.groups = count_groups(pattern);
    while (!at_end(&t))
        if (!translate_term(&t)) return false;
    if (t.depth) return refuse(&t, pattern.len, "'(' is never closed");
    return !out || out->state == BUF_FINE;
}
