/* Strings: which characters, how many, and how each is spelled in JSON. A character has one
 * spelling here, the shortest, so that a name cannot be hidden behind an escape. */
#include "compiler/emit/grammar.h"

#include "base/json/edit.h"
#include "base/text.h"
#include "jsonschema/formats.h"

enum { SURROGATE_FIRST = 0xD800, SURROGATE_LAST = 0xDFFF };

/* ## Characters */

const struct grammar_piece *grammar_char(struct grammar *g) {
    return grammar_char_but(g, NULL, 0);
}

/* `c` is sorted. */
const struct grammar_piece *grammar_char_but(struct grammar *g, const uint32_t *c, size_t count) {
    struct char_range *ranges = arena_array(g->arena, count + 2, sizeof *ranges);
    uint32_t from = 0;
    size_t n = 0, i = 0;
    if (!ranges) return &piece_never;
    while (from <= CODE_POINT_MAX) {
        bool before = from <= SURROGATE_FIRST && !(i < count && c[i] < SURROGATE_FIRST);
        uint32_t end = before ? SURROGATE_FIRST : i < count ? c[i] : CODE_POINT_MAX + 1;
        uint32_t next = before ? SURROGATE_LAST + 1 : end + 1;
        if (from < end) ranges[n++] = (struct char_range){from, end - 1};
        i += !before;
        from = next;
    }
    return piece_set(g, PIECE_CHAR, ranges, n);
}

const struct grammar_piece *grammar_chars(struct grammar *g, gramc_text text) {
    struct piece_list row = {.g = g};
    for (size_t at = 0; at < text.len;) {
        uint32_t c = text_decode(text, &at);
        const struct char_range range = {c, c};
        piece_list_add(&row, piece_set(g, PIECE_CHAR, &range, 1));
    }
    return g->arena->oom ? &piece_never : piece_row(g, row.parts, row.count);
}

/* ## Spelling */

static const char *short_escape(uint32_t c) {
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return NULL;
    }
}

static bool has_char(const struct grammar_piece *set, uint32_t c) {
    for (uint32_t i = 0; i < set->count; i++)
        if (c >= set->ranges[i].low && c <= set->ranges[i].high) return true;
    return false;
}

/* \u0000 to \u001f, less those that have a short escape. */
static void add_controls(struct piece_list *spellings, const struct grammar_piece *set,
                         uint32_t high) {
    static const char digits[] = "0123456789abcdef";
    struct char_range last[16];
    const char start[] = {'\\', 'u', '0', '0', digits[high], '\0'};
    size_t n = 0;
    for (uint32_t low = 0; low < 16; low++) {
        uint32_t c = high * 16 + low, digit = (uint32_t)(unsigned char)digits[low];
        if (!has_char(set, c) || short_escape(c)) continue;
        if (n && last[n - 1].high + 1 == digit) last[n - 1].high = digit;
        else last[n++] = (struct char_range){digit, digit};
    }
    struct grammar *g = spellings->g;
    if (n)
        piece_list_add(spellings, piece_row(g, PIECES(piece_text(g, start),
                                                      piece_set(g, PIECE_SET, last, n))));
}

/* What needs no escape. */
static const struct grammar_piece *plain_chars(struct grammar *g, const struct grammar_piece *set) {
    static const struct char_range plain[] = {{0x20, 0x21},
                                              {0x23, 0x5B},
                                              {0x5D, SURROGATE_FIRST - 1},
                                              {SURROGATE_LAST + 1, CODE_POINT_MAX}};
    enum { PLAIN = sizeof plain / sizeof *plain };
    struct char_range *ranges = arena_array(g->arena, set->count + PLAIN, sizeof *ranges);
    size_t n = 0;
    for (uint32_t i = 0; ranges && i < set->count; i++)
        for (size_t k = 0; k < PLAIN; k++) {
            struct char_range one = set->ranges[i];
            if (one.low < plain[k].low) one.low = plain[k].low;
            if (one.high > plain[k].high) one.high = plain[k].high;
            if (one.low <= one.high) ranges[n++] = one;
        }
    if (n != 1 || ranges[0].low != ranges[0].high) return piece_set(g, PIECE_SET, ranges, n);
    char bytes[4];
    return piece_bytes(g, (gramc_text){bytes, text_encode(bytes, ranges[0].low)});
}

static const struct grammar_piece *escapes(struct grammar *g, const struct grammar_piece *set) {
    static const char escaped[] = "\"\\\b\f\n\r\t";
    struct piece_list spellings = {.g = g};
    for (const char *c = escaped; *c; c++)
        if (has_char(set, (unsigned char)*c))
            piece_list_add(&spellings, piece_text(g, short_escape((unsigned char)*c)));
    add_controls(&spellings, set, 0);
    add_controls(&spellings, set, 1);
    return g->arena->oom ? &piece_never : piece_choice(g, spellings.parts, spellings.count);
}

static bool is_within(const struct grammar_piece *set, uint32_t low, uint32_t high) {
    for (uint32_t c = low; c <= high; c++)
        if (!has_char(set, c)) return false;
    return true;
}

/* What most strings are of, and all that has to be escaped, have rules of their own. */
static const struct grammar_piece *spell_char(struct grammar *g, const struct grammar_piece *set) {
    const struct grammar_piece *plain = plain_chars(g, set), *escaped = escapes(g, set);
    bool all = is_within(set, 0, 0x1F) && has_char(set, '"') && has_char(set, '\\');
    bool any = all && set->count == 2 && set->ranges[0].high == SURROGATE_FIRST - 1 &&
               set->ranges[1].low == SURROGATE_LAST + 1 && has_char(set, CODE_POINT_MAX);
    if (all) escaped = grammar_named(g, "escape", escaped);
    const struct grammar_piece *spelled = piece_choice(g, PIECES(plain, escaped));
    return any ? grammar_named(g, "char", spelled) : spelled;
}

static const struct grammar_piece *spell(struct grammar *g, const struct grammar_piece *piece) {
    struct piece_list parts = {.g = g};
    switch (piece->kind) {
    case PIECE_CHAR: return spell_char(g, piece);
    case PIECE_REPEAT: return piece_repeat(g, spell(g, piece->parts[0]), piece->least, piece->most);
    case PIECE_ROW:
    case PIECE_CHOICE:
        for (uint32_t i = 0; i < piece->count; i++)
            piece_list_add(&parts, spell(g, piece->parts[i]));
        if (g->arena->oom) return &piece_never;
        return piece->kind == PIECE_ROW ? piece_row(g, parts.parts, parts.count)
                                        : piece_choice(g, parts.parts, parts.count);
    case PIECE_NEVER:
    case PIECE_TEXT:
    case PIECE_SET:
    case PIECE_RULE: break;
    }
    return piece;
}

const struct grammar_piece *grammar_quoted(struct grammar *g, const struct grammar_piece *chars) {
    return piece_row(g, PIECES(piece_text(g, "\""), spell(g, chars), piece_text(g, "\"")));
}

/* ## Lengths */

static uint64_t times(uint64_t a, uint64_t b) {
    return a && b > WITHOUT_END / a ? WITHOUT_END : a * b > WITHOUT_END ? WITHOUT_END : a * b;
}

static struct counts length_of(const struct grammar_piece *piece) {
    struct counts all = {0, 0}, one;
    switch (piece->kind) {
    case PIECE_CHAR: return (struct counts){1, 1};
    case PIECE_REPEAT:
        one = length_of(piece->parts[0]);
        return (struct counts){times(one.min, piece->least), times(one.max, piece->most)};
    case PIECE_CHOICE: all.min = WITHOUT_END; break;
    default: break;
    }
    if (piece->kind != PIECE_ROW && piece->kind != PIECE_CHOICE) return all;
    for (uint32_t i = 0; i < piece->count; i++) {
        one = length_of(piece->parts[i]);
        bool row = piece->kind == PIECE_ROW;
        all.min = row ? all.min + one.min : one.min < all.min ? one.min : all.min;
        all.max = row ? all.max + one.max : one.max > all.max ? one.max : all.max;
    }
    if (all.max > WITHOUT_END) all.max = WITHOUT_END;
    return all;
}

static const struct grammar_piece *fit(struct grammar *g, const struct grammar_piece *piece,
                                       struct counts want);

static const struct grammar_piece *fit_repeat(struct grammar *g, const struct grammar_piece *piece,
                                              struct counts want) {
    const struct grammar_piece *part = piece->parts[0];
    struct counts one = length_of(part);
    if (one.min != one.max) {
        uint64_t size = one.min ? one.min : 1;
        grammar_narrowed(g, "texts of a pattern whose repeated parts differ in length");
        part = fit(g, part, (struct counts){size, size});
        one = (struct counts){size, size};
    }
    uint64_t least = (want.min + one.min - 1) / one.min;
    uint64_t most = want.max >= WITHOUT_END ? WITHOUT_END : want.max / one.min;
    if (least < piece->least) least = piece->least;
    if (most > piece->most) most = piece->most;
    return piece_repeat(g, part, least, most);
}

/* If several parts vary, the one that varies most does so alone. */
static const struct grammar_piece *fit_row(struct grammar *g, const struct grammar_piece *piece,
                                           struct counts want) {
    struct piece_list row = {.g = g};
    uint64_t others = 0, widest = 0;
    uint32_t varying = 0, chosen = 0;
    for (uint32_t i = 0; i < piece->count; i++) {
        struct counts one = length_of(piece->parts[i]);
        varying += one.max > one.min;
        if (one.max - one.min <= widest) continue;
        widest = one.max - one.min;
        chosen = i;
    }
    if (varying > 1) grammar_narrowed(g, "texts of a pattern, for its length beside it");
    for (uint32_t i = 0; i < piece->count; i++)
        if (i != chosen) others += length_of(piece->parts[i]).min;
    if (others > want.max) return &piece_never;
    struct counts rest = {want.min > others ? want.min - others : 0,
                          want.max >= WITHOUT_END ? WITHOUT_END : want.max - others};
    for (uint32_t i = 0; i < piece->count; i++) {
        uint64_t size = length_of(piece->parts[i]).min;
        struct counts own = i == chosen ? rest : (struct counts){size, size};
        piece_list_add(&row, fit(g, piece->parts[i], own));
    }
    return g->arena->oom ? &piece_never : piece_row(g, row.parts, row.count);
}

/* The texts of the piece that have such a length. */
static const struct grammar_piece *fit(struct grammar *g, const struct grammar_piece *piece,
                                       struct counts want) {
    struct counts has = length_of(piece);
    struct piece_list arms = {.g = g};
    if (has.min >= want.min && has.max <= want.max) return piece;
    if (has.max < want.min || has.min > want.max) return &piece_never;
    if (piece->kind == PIECE_REPEAT) return fit_repeat(g, piece, want);
    if (piece->kind == PIECE_ROW) return fit_row(g, piece, want);
    for (uint32_t i = 0; i < piece->count; i++)
        piece_list_add(&arms, fit(g, piece->parts[i], want));
    return g->arena->oom ? &piece_never : piece_choice(g, arms.parts, arms.count);
}

/* ## What the schemas say */

const struct json *grammar_text_schema(struct grammar *g) {
    if (g->text_schema) return g->text_schema;
    struct json *schema = json_new(g->arena, JSON_OBJECT);
    json_set(schema, TEXT("type"), json_new_text(g->arena, JSON_STRING, TEXT("string")));
    g->text_schema = schema;
    return schema;
}

struct text_demands {
    gramc_text pattern, format;
    unsigned count; /* of different ones */
};

static struct text_demands read_asked(const struct meet *meet) {
    struct text_demands asked = {.count = 0};
    for (uint32_t i = 0; i < meet->of.count; i++) {
        const struct json *pattern = json_get(meet->of.nodes[i], "pattern");
        const struct json *format = json_get(meet->of.nodes[i], "format");
        if (format && !format_find(format->text)) format = NULL;
        if (pattern && !(asked.pattern.ptr && text_eq(pattern->text, asked.pattern))) asked.count++;
        if (format && !(asked.format.ptr && text_eq(format->text, asked.format))) asked.count++;
        if (pattern) asked.pattern = pattern->text;
        if (format) asked.format = format->text;
    }
    return asked;
}

static const struct grammar_piece *of_format(struct grammar *g, gramc_text format) {
    bool all = true;
    const char *pattern = grammar_format(format, &all);
    if (!pattern) return grammar_refused(g, "every text, for its `format`");
    if (!all) grammar_narrowed(g, "unusual texts of its `format`");
    const struct grammar_piece *chars = grammar_pattern(g, text_of(pattern));
    return chars ? chars : &piece_never;
}

const struct grammar_piece *grammar_string(struct grammar *g, const struct meet *meet) {
    struct counts counts = grammar_counts(meet, "minLength", "maxLength");
    struct text_demands asked = read_asked(meet);
    const struct grammar_piece *chars;
    if (asked.count > 1) return grammar_refused(g, "every text, for several patterns or formats");
    if (counts.min > GRAMMAR_REPEATS_MAX) return grammar_refused(g, "texts this long");
    if (asked.format.ptr) chars = of_format(g, asked.format);
    else if (asked.pattern.ptr) chars = grammar_pattern(g, asked.pattern);
    else {
        counts.max = grammar_repeats(g, counts.max, "texts longer than engines take");
        chars = piece_repeat(g, grammar_char(g), counts.min, counts.max);
    }
    if (!chars) return grammar_refused(g, "every text, for its `pattern`");
    if (piece_is_never(chars)) return chars;
    const struct grammar_piece *quoted = grammar_quoted(g, fit(g, chars, counts));
    bool is_plain = !asked.count && counts.min == 0 && counts.max >= WITHOUT_END;
    return is_plain ? grammar_named(g, "string", quoted) : quoted;
}

/* ## Names that are none of some others */

struct name_set {
    struct grammar *g;
    const gramc_text *names;
    size_t count;
    size_t at; /* bytes that all of them begin with */
};

static uint32_t next_char(const struct name_set *set, size_t i, size_t *at) {
    *at = set->at;
    return text_decode(set->names[i], at);
}

static const struct grammar_piece *other_tails(struct name_set set);

/* The names that go on with one character. */
static const struct grammar_piece *one_branch(const struct name_set *set, uint32_t c) {
    struct name_set branch = *set;
    gramc_text *names = arena_array(set->g->arena, set->count, sizeof *names);
    const struct char_range range = {c, c};
    size_t at = 0;
    if (!names) return &piece_never;
    branch.names = names;
    branch.count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (set->names[i].len == set->at || next_char(set, i, &at) != c) continue;
        names[branch.count++] = set->names[i];
        branch.at = at;
    }
    return piece_row(set->g, PIECES(piece_set(set->g, PIECE_CHAR, &range, 1), other_tails(branch)));
}

static size_t collect_chars(const struct name_set *set, uint32_t *chars) {
    size_t count = 0, at;
    for (size_t i = 0; i < set->count; i++) {
        if (set->names[i].len == set->at) continue;
        uint32_t c = next_char(set, i, &at);
        size_t k = count;
        while (k > 0 && chars[k - 1] > c) k--;
        if (k > 0 && chars[k - 1] == c) continue;
        memmove(chars + k + 1, chars + k, (count - k) * sizeof *chars);
        chars[k] = c;
        count++;
    }
    return count;
}

static const struct grammar_piece *other_tails(struct name_set set) {
    struct grammar *g = set.g;
    struct piece_list tails = {.g = g};
    uint32_t *chars = arena_array(g->arena, set.count + 1, sizeof *chars);
    const struct grammar_piece *any = piece_repeat(g, grammar_char(g), 0, WITHOUT_END);
    bool is_name = false;
    if (!chars) return &piece_never;
    for (size_t i = 0; i < set.count; i++) is_name = is_name || set.names[i].len == set.at;
    if (!is_name) piece_list_add(&tails, &piece_empty);
    size_t count = collect_chars(&set, chars);
    piece_list_add(&tails, piece_row(g, PIECES(grammar_char_but(g, chars, count), any)));
    for (size_t i = 0; i < count; i++) piece_list_add(&tails, one_branch(&set, chars[i]));
    return g->arena->oom ? &piece_never : piece_choice(g, tails.parts, tails.count);
}

/* Of no names: any text. */
const struct grammar_piece *grammar_other_names(struct grammar *g, const gramc_text *names,
                                                size_t count) {
    if (count == 0) return piece_repeat(g, grammar_char(g), 0, WITHOUT_END);
    return other_tails((struct name_set){g, names, count, 0});
}
