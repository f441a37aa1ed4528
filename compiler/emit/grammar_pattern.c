/* Turns a regular expression of JSON Schema (ECMA-262, u flag) into pieces. It finds something
 * anywhere in a text, so that any characters may stand before and behind it unless ^ and $ say not.
 * What looks around, refers back or asks for Unicode's properties is beyond a grammar. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

enum { DEEPEST_GROUP = 40, MOST_RANGES = 400 };

struct pattern_parser {
    struct grammar *g;
    gramc_text pattern;
    size_t at;
    unsigned depth;
    bool failed; /* not to be said */
};

/* Characters, as ranges in any order. */
struct char_list {
    struct char_range ranges[MOST_RANGES];
    size_t count;
};

static char peek(const struct pattern_parser *r, size_t ahead) {
    return r->at + ahead < r->pattern.len ? r->pattern.ptr[r->at + ahead] : '\0';
}

static bool at_end(const struct pattern_parser *r) {
    return r->at >= r->pattern.len;
}

/* ## Sets of characters */

static void add_range(struct pattern_parser *r, struct char_list *list, uint32_t low,
                      uint32_t high) {
    if (list->count == MOST_RANGES) r->failed = true;
    else list->ranges[list->count++] = (struct char_range){low, high};
}

/* Sorts, and joins what overlaps or touches. */
static void put_in_order(struct char_list *list) {
    size_t count = 0;
    for (size_t i = 1; i < list->count; i++) {
        struct char_range one = list->ranges[i];
        size_t k = i;
        for (; k > 0 && list->ranges[k - 1].low > one.low; k--)
            list->ranges[k] = list->ranges[k - 1];
        list->ranges[k] = one;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct char_range one = list->ranges[i];
        struct char_range *last = count ? &list->ranges[count - 1] : NULL;
        if (last && one.low <= last->high + 1)
            last->high = one.high > last->high ? one.high : last->high;
        else list->ranges[count++] = one;
    }
    list->count = count;
}

static void invert(struct pattern_parser *r, struct char_list *list) {
    struct char_list *out = arena_array(r->g->arena, 1, sizeof *out);
    uint32_t from = 0;
    if (!out) return;
    out->count = 0;
    put_in_order(list);
    for (size_t i = 0; i < list->count; i++) {
        if (list->ranges[i].low > from) add_range(r, out, from, list->ranges[i].low - 1);
        from = list->ranges[i].high + 1;
    }
    if (from <= CODE_POINT_MAX) add_range(r, out, from, CODE_POINT_MAX);
    *list = *out;
}

static const struct grammar_piece *chars_of(struct pattern_parser *r, struct char_list *list) {
    struct char_list *whole = arena_array(r->g->arena, 1, sizeof *whole);
    if (!whole) return &piece_never;
    whole->count = 0;
    put_in_order(list);
    for (size_t i = 0; i < list->count; i++) {
        struct char_range one = list->ranges[i];
        if (one.low < 0xD800) add_range(r, whole, one.low, one.high < 0xD800 ? one.high : 0xD7FF);
        if (one.high > 0xDFFF) add_range(r, whole, one.low > 0xDFFF ? one.low : 0xE000, one.high);
    }
    return piece_set(r->g, PIECE_CHAR, whole->ranges, whole->count);
}

static void add_class(struct pattern_parser *r, struct char_list *list, char letter) {
    static const struct char_range digits[] = {{'0', '9'}};
    static const struct char_range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const struct char_range blanks[] = {
        {9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    char lower = (char)(letter | 0x20);
    const struct char_range *from = lower == 'd' ? digits : lower == 'w' ? words : blanks;
    size_t count = lower == 'd' ? 1 : lower == 'w' ? 4 : sizeof blanks / sizeof *blanks;
    struct char_list *own = arena_array(r->g->arena, 1, sizeof *own);
    if (!own) return;
    own->count = 0;
    for (size_t i = 0; i < count; i++) add_range(r, own, from[i].low, from[i].high);
    if (letter != lower) invert(r, own);
    for (size_t i = 0; i < own->count; i++)
        add_range(r, list, own->ranges[i].low, own->ranges[i].high);
}

/* ## Escapes */

static bool is_class_letter(char c) {
    return c != '\0' && strchr("dDwWsS", c) != NULL;
}

static bool read_hex(struct pattern_parser *r, size_t least, size_t most, uint32_t *out) {
    size_t n = 0;
    *out = 0;
    for (; n < most; n++, r->at++) {
        char c = peek(r, 0), lower = (char)(c | 0x20);
        bool digit = c >= '0' && c <= '9', letter = lower >= 'a' && lower <= 'f';
        if (!digit && !letter) break;
        *out = *out * 16 + (uint32_t)(digit ? c - '0' : lower - 'a' + 10);
    }
    return n >= least && *out <= CODE_POINT_MAX;
}

/* \u0041 and \u{1F600}; pairs of surrogates are left to those who write them. */
static bool read_unicode(struct pattern_parser *r, uint32_t *out) {
    if (peek(r, 0) != '{') return read_hex(r, 4, 4, out) && (*out < 0xD800 || *out > 0xDFFF);
    r->at++;
    bool fine = read_hex(r, 1, 6, out) && peek(r, 0) == '}';
    r->at++;
    return fine;
}

/* One character behind a backslash; at is behind that. */
static uint32_t read_escape(struct pattern_parser *r) {
    static const char letters[] = "tnvfr", meant[] = "\t\n\v\f\r";
    char c = peek(r, 0);
    uint32_t code_point = (unsigned char)c;
    const char *known = c ? strchr(letters, c) : NULL;
    r->at++;
    if (known) return (unsigned char)meant[known - letters];
    bool digit = c >= '0' && c <= '9', letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (c == '0' && !(peek(r, 0) >= '0' && peek(r, 0) <= '9')) return 0;
    if (c == 'x') r->failed = !read_hex(r, 2, 2, &code_point) || r->failed;
    else if (c == 'u') r->failed = !read_unicode(r, &code_point) || r->failed;
    else if (c == 'c' && (peek(r, 0) | 0x20) >= 'a' && (peek(r, 0) | 0x20) <= 'z')
        code_point = (unsigned char)r->pattern.ptr[r->at++] & 31U;
    else if (digit || letter || c == '\0' || code_point > 127) r->failed = true;
    return code_point;
}

static uint32_t read_char(struct pattern_parser *r) {
    if (peek(r, 0) != '\\') return text_decode(r->pattern, &r->at);
    r->at++;
    if (peek(r, 0) == 'b') { /* inside brackets */
        r->at++;
        return '\b';
    }
    return read_escape(r);
}

/* Behind the opening bracket. */
static const struct grammar_piece *read_brackets(struct pattern_parser *r) {
    struct char_list *list = arena_array(r->g->arena, 1, sizeof *list);
    bool inverted = peek(r, 0) == '^';
    if (!list) return &piece_never;
    list->count = 0;
    r->at += inverted;
    while (!at_end(r) && peek(r, 0) != ']' && !r->failed) {
        if (peek(r, 0) == '\\' && is_class_letter(peek(r, 1))) {
            add_class(r, list, peek(r, 1));
            r->at += 2;
            if (peek(r, 0) == '-' && peek(r, 1) != ']') r->failed = true;
            continue;
        }
        uint32_t low = read_char(r), high = low;
        if (peek(r, 0) == '-' && peek(r, 1) != ']' && peek(r, 1) != '\0') {
            r->at++;
            if (peek(r, 0) == '\\' && is_class_letter(peek(r, 1))) r->failed = true;
            high = read_char(r);
        }
        if (low > high) r->failed = true;
        add_range(r, list, low, high);
    }
    if (at_end(r)) r->failed = true;
    r->at++;
    if (inverted) invert(r, list);
    return chars_of(r, list);
}

/* ## Atoms */

static const struct grammar_piece *read_choice(struct pattern_parser *r, bool is_top);

static const struct grammar_piece *read_group(struct pattern_parser *r) {
    if (peek(r, 0) == '?') {
        bool named = peek(r, 1) == '<' && peek(r, 2) != '=' && peek(r, 2) != '!';
        if (peek(r, 1) != ':' && !named) r->failed = true;
        while (named && !at_end(r) && peek(r, 0) != '>') r->at++;
        r->at += named ? 1 : 2;
    }
    if (++r->depth > DEEPEST_GROUP) r->failed = true;
    const struct grammar_piece *inside = r->failed ? &piece_never : read_choice(r, false);
    r->depth--;
    if (peek(r, 0) != ')') r->failed = true;
    r->at++;
    return inside;
}

static const struct grammar_piece *one_char(struct pattern_parser *r, uint32_t c) {
    const struct char_range range = {c, c};
    if (c > CODE_POINT_MAX) r->failed = true;
    return piece_set(r->g, PIECE_CHAR, &range, 1);
}

static const struct grammar_piece *read_backslash(struct pattern_parser *r) {
    struct char_list *list = arena_array(r->g->arena, 1, sizeof *list);
    char c = peek(r, 1);
    if (!list) return &piece_never;
    r->at++;
    if (!is_class_letter(c)) return one_char(r, read_escape(r));
    r->at++;
    list->count = 0;
    add_class(r, list, c);
    return chars_of(r, list);
}

static const struct grammar_piece *read_atom(struct pattern_parser *r) {
    static const uint32_t line_ends[] = {'\n', '\r', 0x2028, 0x2029};
    char c = peek(r, 0);
    if (c == '\\') return read_backslash(r);
    if (c != '[' && c != '(' && c != '.') {
        if (c == '^' || c == '$' || c == '*' || c == '+' || c == '?') r->failed = true;
        return one_char(r, text_decode(r->pattern, &r->at));
    }
    r->at++;
    if (c == '[') return read_brackets(r);
    if (c == '(') return read_group(r);
    return grammar_char_but(r->g, line_ends, 4);
}

static bool read_count(struct pattern_parser *r, uint64_t *out) {
    size_t start = r->at;
    *out = 0;
    for (; peek(r, 0) >= '0' && peek(r, 0) <= '9'; r->at++)
        if (*out < WITHOUT_END) *out = *out * 10 + (uint64_t)(peek(r, 0) - '0');
    return r->at > start;
}

/* {2} {2,} {2,5}; false for braces that are characters. */
static bool read_braces(struct pattern_parser *r, uint64_t *least, uint64_t *most) {
    size_t start = r->at++;
    bool fine = read_count(r, least);
    *most = *least;
    if (fine && peek(r, 0) == ',') {
        r->at++;
        if (!read_count(r, most)) *most = WITHOUT_END;
    }
    fine = fine && peek(r, 0) == '}';
    r->at = fine ? r->at + 1 : start;
    return fine;
}

static const struct grammar_piece *read_repeated(struct pattern_parser *r) {
    const struct grammar_piece *atom = read_atom(r);
    uint64_t least = 1, most = 1;
    char c = peek(r, 0);
    bool quantified = c == '*' || c == '+' || c == '?';
    if (quantified) {
        least = c == '+';
        most = c == '?' ? 1 : WITHOUT_END;
        r->at++;
    } else if (c == '{') {
        quantified = read_braces(r, &least, &most);
    }
    if (quantified && peek(r, 0) == '?') r->at++;
    if (least > GRAMMAR_REPEATS_MAX) r->failed = true;
    if (most > GRAMMAR_REPEATS_MAX && most < WITHOUT_END)
        most = grammar_repeats(r->g, most, "texts longer than engines take");
    return piece_repeat(r->g, atom, least, most);
}

/* ## Sequences and alternatives. At the top, what is not anchored may stand among other characters.
 */

/* Without memory an atom may be left unread. */
static bool goes_on(const struct pattern_parser *r) {
    return !at_end(r) && !r->failed && !r->g->arena->oom;
}

static const struct grammar_piece *read_sequence(struct pattern_parser *r, bool is_top) {
    struct grammar *g = r->g;
    struct piece_list row = {.g = g};
    const struct grammar_piece *anything = piece_repeat(g, grammar_char(g), 0, WITHOUT_END);
    bool starts = is_top && peek(r, 0) == '^', ends = false;
    r->at += starts;
    if (is_top && !starts) piece_list_add(&row, anything);
    while (goes_on(r) && peek(r, 0) != '|' && peek(r, 0) != ')') {
        bool last = r->at + 1 == r->pattern.len || peek(r, 1) == '|';
        ends = is_top && peek(r, 0) == '$' && last;
        if (ends) r->at++;
        if (ends) break;
        piece_list_add(&row, read_repeated(r));
    }
    if (is_top && !ends) piece_list_add(&row, anything);
    return g->arena->oom ? &piece_never : piece_row(g, row.parts, row.count);
}

static const struct grammar_piece *read_choice(struct pattern_parser *r, bool is_top) {
    struct piece_list arms = {.g = r->g};
    piece_list_add(&arms, read_sequence(r, is_top));
    while (goes_on(r) && peek(r, 0) == '|') {
        r->at++;
        piece_list_add(&arms, read_sequence(r, is_top));
    }
    return r->g->arena->oom ? &piece_never : piece_choice(r->g, arms.parts, arms.count);
}

/* ^(...)$ with anchors inside the group is what people write too. */
const struct grammar_piece *grammar_pattern(struct grammar *g, gramc_text pattern) {
    struct pattern_parser r = {.g = g, .pattern = pattern};
    const struct grammar_piece *piece = read_choice(&r, true);
    return r.failed || r.at < pattern.len ? NULL : piece;
}
