/* Rewrites an ECMA-262 pattern (u flag) as the PCRE2 pattern that matches the same texts. What is
 * not ECMA-262, and what PCRE2 cannot say, is refused with a reason: nothing is guessed. Compiling
 * and matching is left to regex.c. Grammar: ECMA-262, section "Patterns", and of its Annex B what
 * schemas in the wild need. */
#include "jsonschema/regex_inside.h"

#include <stdio.h>
#include <string.h>

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

bool pattern_refuse(struct translator *t, size_t position, const char *why) {
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
        int digit = hex_value(pattern_peek(t, ahead + i));
        if (digit < 0) return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* \u{...}; pos is at the backslash. */
static bool read_braced(struct translator *t, uint32_t *code_point) {
    size_t ahead = 3;
    *code_point = 0;
    while (hex_value(pattern_peek(t, ahead)) >= 0 && *code_point <= 0x10FFFF)
        *code_point = *code_point << 4 | (uint32_t)hex_value(pattern_peek(t, ahead++));
    if (ahead == 3 || pattern_peek(t, ahead) != '}' || *code_point > 0x10FFFF)
        return pattern_refuse(t, t->pos, "'\\u{' needs a code point up to 10FFFF and '}'");
    t->pos += ahead + 1;
    return true;
}

static bool read_unicode(struct translator *t, uint32_t *code_point) {
    size_t start = t->pos;
    uint32_t low;
    if (pattern_peek(t, 2) == '{') {
        if (!read_braced(t, code_point)) return false;
    } else {
        if (!read_hex(t, 2, 4, code_point))
            return pattern_refuse(t, start, "'\\u' needs four hexadecimal digits");
        t->pos += 6;
    }
    if (*code_point < 0xD800 || *code_point > 0xDFFF) return true;
    if (*code_point < 0xDC00 && pattern_peek(t, 0) == '\\' && pattern_peek(t, 1) == 'u' &&
        read_hex(t, 2, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        *code_point = 0x10000 + ((*code_point - 0xD800) << 10) + (low - 0xDC00);
        t->pos += 6;
        return true;
    }
    return pattern_refuse(t, start,
                          "cannot be translated: half a surrogate pair is in no JSON string");
}

bool pattern_character(struct translator *t, uint32_t *code_point) {
    static const char controls[] = "tnvfr", meanings[] = "\t\n\v\f\r";
    char c = pattern_peek(t, 1);
    const char *control = c ? strchr(controls, c) : NULL;
    if (control) {
        *code_point = (unsigned char)meanings[control - controls];
    } else if (c == '0' && !is_digit(pattern_peek(t, 2))) {
        *code_point = 0;
    } else if (c == 'c') {
        if (!is_letter(pattern_peek(t, 2)))
            return pattern_refuse(t, t->pos, "'\\c' needs a letter");
        *code_point = pattern_peek(t, 2) & 0x1F;
        t->pos++;
    } else if (c == 'x') {
        if (!read_hex(t, 2, 2, code_point))
            return pattern_refuse(t, t->pos, "'\\x' needs two hexadecimal digits");
        t->pos += 2;
    } else if (c == 'u') {
        return read_unicode(t, code_point);
    } else if ((c > ' ' && c < 0x7F && !is_letter(c) && !is_digit(c) && c != '_')) {
        *code_point = (unsigned char)c;
    } else {
        return pattern_refuse(t, t->pos,
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
    char letter = pattern_peek(t, 1);
    size_t start = t->pos + 3, end = start, equals = 0;
    if (pattern_peek(t, 2) != '{')
        return pattern_refuse(t, t->pos, "'\\p' needs a property in braces");
    while (end < t->pattern.len && t->pattern.ptr[end] != '}') {
        char c = t->pattern.ptr[end];
        if (c == '=' && !equals) equals = end;
        else if (!is_letter(c) && !is_digit(c) && c != '_')
            return pattern_refuse(t, t->pos, "a property name is made of letters, digits and '_'");
        end++;
    }
    if (end == t->pattern.len || end == start)
        return pattern_refuse(t, t->pos, "'\\p' needs a property in braces");
    gramc_text name = text_slice(t->pattern, equals ? equals + 1 : start, end);
    gramc_text kind = text_slice(t->pattern, start, equals ? equals : start);
    t->pos = end + 1;
    if (!equals || text_is(kind, "General_Category") || text_is(kind, "gc"))
        put_property(t, letter, "", short_category(name));
    else if (text_is(kind, "Script") || text_is(kind, "sc")) put_property(t, letter, "sc:", name);
    else if (text_is(kind, "Script_Extensions") || text_is(kind, "scx"))
        put_property(t, letter, "scx:", name);
    else return pattern_refuse(t, start, "unknown kind of property");
    return true;
}

bool pattern_is_set_escape(char c) {
    return c && strchr("dDwWsSpP", c);
}

bool pattern_set_escape(struct translator *t, bool in_class) {
    char c = pattern_peek(t, 1);
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
    if (pattern_peek(t, 0) != '\\') {
        *code_point = text_decode(t->pattern, &t->pos);
        put_code(t, *code_point);
        return true;
    }
    if (pattern_is_set_escape(pattern_peek(t, 1))) {
        *single = false;
        return pattern_set_escape(t, true);
    }
    if (pattern_peek(t, 1) == 'b') {
        t->pos += 2;
        *code_point = '\b';
    } else if (!pattern_character(t, code_point)) {
        return false;
    }
    put_code(t, *code_point);
    return true;
}

bool pattern_class(struct translator *t) {
    size_t start = t->pos++;
    if (pattern_peek(t, 0) == ']') {
        t->pos++;
        put(t, NOTHING);
        return true;
    }
    put(t, "[");
    if (pattern_peek(t, 0) == '^') {
        put(t, "^");
        t->pos++;
    }
    while (!at_end(t) && pattern_peek(t, 0) != ']') {
        bool from_single, to_single;
        uint32_t from = 0, to = 0;
        size_t atom = t->pos;
        if (!translate_class_atom(t, &from_single, &from)) return false;
        if (pattern_peek(t, 0) != '-' || pattern_peek(t, 1) == ']' || t->pos + 1 >= t->pattern.len)
            continue;
        t->pos++;
        put(t, from_single &&
                       !(pattern_peek(t, 0) == '\\' && pattern_is_set_escape(pattern_peek(t, 1)))
                   ? "-"
                   : "\\-");
        if (!translate_class_atom(t, &to_single, &to)) return false;
        if (from_single && to_single && from > to)
            return pattern_refuse(t, atom, "a range that ends before it starts");
    }
    if (at_end(t)) return pattern_refuse(t, start, "'[' is never closed");
    t->pos++;
    put(t, "]");
    return true;
}

/* ID_Start and ID_Continue of ECMA-262; beyond ASCII any character is taken. */
static bool is_name_byte(char c, bool first) {
    return is_letter(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80 ||
           (!first && is_digit(c));
}

/* A group name; pos is behind the '<' and moves behind the '>'. */
static bool read_name(struct translator *t, gramc_text *name) {
    size_t start = t->pos;
    while (is_name_byte(pattern_peek(t, 0), t->pos == start)) t->pos++;
    *name = text_slice(t->pattern, start, t->pos);
    if (name->len && pattern_peek(t, 0) == '>') {
        t->pos++;
        return true;
    }
    return pattern_refuse(t, start, "a group needs a name, then '>'");
}

/* Each is looked for in the whole pattern. */
static bool count_name(struct translator *t, size_t start) {
    if (t->names++ < PATTERN_NAMES_MAX) return true;
    return pattern_refuse(t, start, "more than 200 names of groups and references to them");
}

/* Names stay here: PCRE2 takes fewer of them than ECMA-262. */
static bool open_named(struct translator *t) {
    gramc_text name;
    size_t start = t->pos;
    if (!read_name(t, &name) || !count_name(t, start)) return false;
    if (pattern_groups(t->pattern, name) == t->opened) return true;
    return pattern_refuse(t, start, "the name of an earlier group");
}

/* pos is behind the '('. */
static bool translate_group(struct translator *t) {
    static const char *const kinds[] = {"?:", "?=", "?!", "?<=", "?<!"};
    size_t start = t->pos - 1;
    if (t->depth == PATTERN_GROUPS_MAX)
        return pattern_refuse(t, start, "parentheses nested deeper than 200");
    put(t, "(");
    t->lookaround[t->depth] = t->looks[t->depth] = false;
    t->before[t->depth] = t->opened;
    t->number[t->depth] = 0;
    if (pattern_peek(t, 0) == '?') {
        size_t i = 0;
        gramc_text rest = text_slice(t->pattern, t->pos, t->pattern.len);
        while (i < 5 && !text_starts(rest, kinds[i])) i++;
        if (i < 5) {
            put(t, kinds[i]);
            t->pos += strlen(kinds[i]);
            t->lookaround[t->depth] = i >= 3;
            t->looks[t->depth] = i >= 1;
        } else if (pattern_peek(t, 1) == '<') {
            t->pos += 2;
            t->number[t->depth] = ++t->opened;
            if (!open_named(t)) return false;
        } else {
            return pattern_refuse(t, start, "a kind of group that ECMA-262 does not have");
        }
    } else {
        t->number[t->depth] = ++t->opened;
    }
    t->depth++;
    return true;
}

bool pattern_reference(struct translator *t, unsigned *number) {
    size_t start = t->pos++;
    *number = 0;
    if (pattern_peek(t, 0) == 'k') {
        gramc_text name;
        if (pattern_peek(t, 1) != '<')
            return pattern_refuse(t, start, "'\\k' needs a group name in '<' and '>'");
        t->pos += 2;
        if (!read_name(t, &name) || !count_name(t, start)) return false;
        *number = pattern_groups(t->pattern, name);
    } else {
        while (is_digit(pattern_peek(t, 0)) && *number <= t->groups)
            *number = *number * 10 + (unsigned)(t->pattern.ptr[t->pos++] - '0');
    }
    if (*number == 0 || *number > t->groups)
        return pattern_refuse(t, start, "refers to a group that is not there");
    return true;
}

static bool is_closed(const struct translator *t, unsigned number) {
    for (size_t i = 0; i < t->depth; i++)
        if (t->number[i] == number) return false;
    return number <= t->opened;
}

static bool translate_reference(struct translator *t) {
    unsigned number;
    if (!pattern_reference(t, &number)) return false;
    t->refers = true;
    if (!is_closed(t, number)) t->ahead = true;
    if (t->out) buf_printf(t->out, "\\g{%u}", number);
    return true;
}

static bool translate_escape(struct translator *t, bool *repeatable) {
    char c = pattern_peek(t, 1);
    uint32_t code_point;
    if (c == 'b' || c == 'B') {
        put_span(t, t->pos, t->pos + 2);
        t->pos += 2;
        *repeatable = false;
        return true;
    }
    if (pattern_is_set_escape(c)) return pattern_set_escape(t, false);
    if ((c >= '1' && c <= '9') || c == 'k') return translate_reference(t);
    if (!pattern_character(t, &code_point)) return false;
    put_code(t, code_point);
    return true;
}

size_t pattern_braces(const struct translator *t, uint32_t *least, uint32_t *most) {
    size_t ahead = 1;
    uint32_t *number = least;
    *least = *most = 0;
    for (;; ahead++) {
        char c = pattern_peek(t, ahead);
        if (is_digit(c)) {
            uint64_t grown = *number * (uint64_t)10 + (uint64_t)(c - '0');
            *number = grown < REPEAT_MAX ? (uint32_t)grown : REPEAT_MAX;
        } else if (c == ',' && number == least && ahead > 1) {
            number = most;
        } else if (c == '}' && ahead > 1) {
            if (number == least) *most = *least;
            else if (pattern_peek(t, ahead - 1) == ',') *most = REPEAT_MAX;
            return ahead + 1;
        } else {
            return 0;
        }
    }
}

/* A quantifier, if one stands here. */
static bool translate_quantifier(struct translator *t, bool repeatable) {
    uint32_t least, most;
    char c = pattern_peek(t, 0);
    size_t len = c == '{' ? pattern_braces(t, &least, &most) : (c && strchr("*+?", c)) ? 1 : 0;
    if (len == 0) return true;
    if (!repeatable) return pattern_refuse(t, t->pos, "nothing to repeat");
    if (c == '{' && least > most)
        return pattern_refuse(t, t->pos, "a repetition from more to fewer");
    put_span(t, t->pos, t->pos + len);
    t->pos += len;
    if (pattern_peek(t, 0) == '?') {
        put(t, "?");
        t->pos++;
    }
    c = pattern_peek(t, 0);
    if ((c && strchr("*+?", c)) || (c == '{' && pattern_braces(t, &least, &most)))
        return pattern_refuse(t, t->pos, "nothing to repeat");
    return true;
}

static bool close_group(struct translator *t, bool *repeatable) {
    if (t->depth == 0) return pattern_refuse(t, t->pos, "')' without '('");
    *repeatable = !t->lookaround[--t->depth];
    bool captures = t->opened > t->before[t->depth];
    char next = pattern_peek(t, 1);
    uint32_t least, most;
    t->pos++;
    bool repeats = next == '*' || next == '+' || (next == '{' && pattern_braces(t, &least, &most));
    t->pos--;
    if (captures && (repeats || t->looks[t->depth])) t->forgets = true;
    put(t, ")");
    t->pos++;
    return true;
}

static bool translate_literal(struct translator *t) {
    size_t start = t->pos;
    char c = pattern_peek(t, 0);
    uint32_t least, most;
    if (c == '*' || c == '+' || c == '?' || (c == '{' && pattern_braces(t, &least, &most)))
        return pattern_refuse(t, start, "nothing to repeat");
    if (text_decode(t->pattern, &t->pos) == UINT32_MAX)
        return pattern_refuse(t, start, "not UTF-8");
    if (c == '{' || c == '}' || c == ']') put(t, "\\");
    put_span(t, start, t->pos);
    return true;
}

static bool translate_term(struct translator *t) {
    bool repeatable = true;
    bool fine = true;
    switch (pattern_peek(t, 0)) {
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
    case '[': fine = pattern_class(t); break;
    case '.':
        t->pos++;
        put(t, NOT_LINE_END);
        break;
    case '\\': fine = translate_escape(t, &repeatable); break;
    default: fine = translate_literal(t);
    }
    return fine && translate_quantifier(t, repeatable);
}

/* Behind the '(' of a group with a name: is it this one? */
static bool has_name(gramc_text p, size_t at, gramc_text name) {
    gramc_text rest = text_slice(p, at < p.len ? at : p.len, p.len);
    return rest.len > name.len && !memcmp(rest.ptr, name.ptr, name.len) &&
           rest.ptr[name.len] == '>';
}

unsigned pattern_groups(gramc_text p, gramc_text name) {
    unsigned count = 0;
    bool in_class = false;
    for (size_t i = 0; i < p.len; i++) {
        char c = p.ptr[i], next = i + 1 < p.len ? p.ptr[i + 1] : '\0';
        char third = i + 2 < p.len ? p.ptr[i + 2] : '\0',
             fourth = i + 3 < p.len ? p.ptr[i + 3] : '\0';
        if (c == '\\') i++;
        else if (c == '[') in_class = true;
        else if (c == ']') in_class = false;
        else if (c == '(' && !in_class) {
            bool is_named = next == '?' && third == '<' && fourth != '=' && fourth != '!';
            count += next != '?' || is_named;
            if (name.len && is_named && has_name(p, i + 3, name)) return count;
        }
    }
    return name.len ? 0 : count;
}

bool regex_translate(struct buf *out, gramc_text pattern, bool *beyond, struct regex_error *error) {
    struct translator t = {.out = out, .pattern = pattern, .error = error};
    t.groups = pattern_groups(pattern, (gramc_text){NULL, 0});
    while (!at_end(&t))
        if (!translate_term(&t)) return false;
    if (t.depth) return pattern_refuse(&t, pattern.len, "'(' is never closed");
    if (beyond) *beyond = t.ahead || (t.refers && t.forgets);
    return !out || out->state == BUF_FINE;
}
