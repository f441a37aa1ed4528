/* Reads one value as models write them and writes it as strict JSON. What is JSON already is copied
 * byte for byte; each departure from it is noted. Anything that could be read in two ways fails:
 * an escape that languages disagree about, a number that may go on, a string that is not closed.
 * Where in a text a value stands is tolerant.c's. */
#include "base/json/tolerant.h"

#include "base/json/scan.h"
#include "base/text.h"

static bool starts(const struct tolerant *t, const char *word) {
    size_t len = strlen(word);
    return (size_t)(t->end - t->p) >= len && memcmp(t->p, word, len) == 0;
}

/* The text ends, or what it stands in: a fence, an element. */
static bool is_end(const struct tolerant *t) {
    return t->p == t->end || starts(t, "```") || starts(t, "</");
}

/* ## Blanks */

static bool skip_comment(struct tolerant *t) {
    bool block = starts(t, "/*");
    if (!block && !starts(t, "//") && !starts(t, "#")) return false;
    t->p += block ? 2 : 1;
    while (t->p < t->end && (block ? !starts(t, "*/") : *t->p != '\n')) t->p++;
    if (t->p == t->end) t->swallowed = true;
    if (block && t->p < t->end) t->p += 2;
    t->repairs |= JSON_REPAIR_COMMENT;
    return true;
}

static void skip(struct tolerant *t) {
    do t->p = json_scan_blanks(t->p, t->end);
    while (skip_comment(t));
}

/* ## Strings */

static const struct quotes {
    const char *open, *close;
} quotes[] = {{"\"\"\"", "\"\"\""},
              {"'''", "'''"},
              {"\"", "\""},
              {"'", "'"},
              {"\xE2\x80\x9C", "\xE2\x80\x9D"},
              {"\xE2\x80\x98", "\xE2\x80\x99"}};

static const struct quotes *find_quotes(const struct tolerant *t) {
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (starts(t, quotes[i].open)) return &quotes[i];
    return NULL;
}

static bool is_hex(char c) {
    return json_byte_is(c, JSON_BYTE_DIGIT) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Beyond those of JSON, only what JavaScript and Python understand in the same way. */
static bool put_escape(struct tolerant *t) {
    const char *behind = json_scan_escape(t->p, t->end);
    size_t left = (size_t)(t->end - t->p);
    if (behind) {
        buf_put(t->out, t->p, (size_t)(behind - t->p));
    } else if (left > 1 && (t->p[1] == '\'' || t->p[1] == '\n')) {
        if (t->p[1] == '\'') buf_putc(t->out, '\'');
        behind = t->p + 2;
    } else if (left > 3 && t->p[1] == 'x' && is_hex(t->p[2]) && is_hex(t->p[3])) {
        buf_puts(t->out, "\\u00");
        buf_put(t->out, t->p + 2, 2);
        behind = t->p + 4;
    } else {
        return false;
    }
    if (!json_scan_escape(t->p, t->end)) t->repairs |= JSON_REPAIR_ESCAPE;
    t->p = behind;
    return true;
}

static void put_byte(struct tolerant *t) {
    unsigned char c = (unsigned char)*t->p++;
    if (c == '"') buf_puts(t->out, "\\\"");
    else if (c >= 0x20) buf_putc(t->out, (char)c);
    else if (c == '\n') buf_puts(t->out, "\\n");
    else if (c == '\t') buf_puts(t->out, "\\t");
    else buf_printf(t->out, "\\u%04x", (unsigned)c);
    if (c < 0x20) t->repairs |= JSON_REPAIR_CONTROL;
}

static bool read_inside(struct tolerant *t, const char *close) {
    const char *start = t->p;
    while (t->p < t->end && !starts(t, close)) {
        if (*t->p != '\\') put_byte(t);
        else if (!put_escape(t)) return false;
    }
    if (t->p == t->end || !json_scan_utf8(start, t->p)) return false;
    t->p += strlen(close);
    return true;
}

static bool read_string(struct tolerant *t, const struct quotes *pair) {
    unsigned seen = 0;
    bool plain = text_is(text_of(pair->open), "\"");
    const char *start = t->p;
    t->p += strlen(pair->open);
    const char *close = plain ? json_scan_string(t->p, t->end, &seen) : NULL;
    if (close) {
        buf_put(t->out, start, (size_t)(close + 1 - start));
        t->p = close + 1;
        return true;
    }
    if (!plain) t->repairs |= JSON_REPAIR_QUOTES;
    buf_putc(t->out, '"');
    bool closed = read_inside(t, pair->close);
    buf_putc(t->out, '"');
    return closed;
}

/* ## Numbers and words */

static bool is_letter(char c) {
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* What may stand behind a number or a word. */
static bool is_delimited(const struct tolerant *t) {
    return is_end(t) || json_byte_is(*t->p, JSON_BYTE_BLANK) || memchr(",]}/#", *t->p, 5);
}

/* Digits, with single underscores between them. */
static size_t put_digits(struct tolerant *t, struct buf *out) {
    size_t count = 0;
    for (; t->p < t->end; t->p++) {
        bool between = *t->p == '_' && count && t->end - t->p > 1 &&
                       json_byte_is(t->p[1], JSON_BYTE_DIGIT) && t->p[-1] != '_';
        if (between) continue;
        if (!json_byte_is(*t->p, JSON_BYTE_DIGIT)) break;
        buf_putc(out, *t->p);
        count++;
    }
    return count;
}

/* `+1`, `.5`, `1.` and `1_000`, and numbers as they should be. No leading zeros: they are octal to
 * some. At the very end of an open list more digits may have been meant. */
static bool read_number(struct tolerant *t) {
    const char *start = t->p;
    size_t from = t->out->len;
    bool whole;
    if (*t->p == '-') buf_putc(t->out, '-');
    if (*t->p == '-' || *t->p == '+') t->p++;
    size_t digits_at = t->out->len, before = put_digits(t, t->out), behind = 0;
    if (before > 1 && t->out->state == BUF_FINE && t->out->ptr[digits_at] == '0') return false;
    if (!before) buf_putc(t->out, '0');
    if (t->p < t->end && *t->p == '.') {
        t->p++;
        buf_putc(t->out, '.');
        behind = put_digits(t, t->out);
        if (!behind) buf_putc(t->out, '0');
    }
    if (!before && !behind) return false;
    if (t->p < t->end && (*t->p | 0x20) == 'e') {
        buf_putc(t->out, *t->p++);
        if (t->p < t->end && (*t->p == '-' || *t->p == '+')) buf_putc(t->out, *t->p++);
        if (!put_digits(t, t->out)) return false;
    }
    if (!is_delimited(t) || (t->depth && t->p == t->end)) return false;
    bool strict = *start != '+' && *start != '.' && json_scan_number(start, t->p, &whole) == t->p;
    if (!strict) t->repairs |= JSON_REPAIR_NUMBER;
    return t->out->state != BUF_FINE || t->out->len > from;
}

static bool read_word(struct tolerant *t) {
    static const struct {
        const char *word, *json;
    } words[] = {{"true", "true"}, {"false", "false"}, {"null", "null"}, {"none", "null"}};
    const char *start = t->p;
    while (t->p < t->end && is_letter(*t->p)) t->p++;
    gramc_text word = {start, (size_t)(t->p - start)};
    if (!is_delimited(t)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!text_is_nocase(word, words[i].word)) continue;
        if (!text_is(word, words[i].json)) t->repairs |= JSON_REPAIR_WORD;
        buf_puts(t->out, words[i].json);
        return true;
    }
    return false;
}

/* ## Lists and maps */

static bool is_bare(char c) {
    return is_letter(c) || c == '_' || c == '$';
}

static bool read_bare_key(struct tolerant *t) {
    const char *start = t->p;
    if (t->p == t->end || !is_bare(*t->p)) return false;
    while (t->p < t->end &&
           (is_bare(*t->p) || *t->p == '-' || json_byte_is(*t->p, JSON_BYTE_DIGIT)))
        t->p++;
    json_put_string(t->out, (gramc_text){start, (size_t)(t->p - start)});
    t->repairs |= JSON_REPAIR_BARE_KEY;
    return true;
}

static bool read_key(struct tolerant *t) {
    const struct quotes *pair = find_quotes(t);
    if (!(pair ? read_string(t, pair) : read_bare_key(t))) return false;
    skip(t);
    if (t->p == t->end || *t->p != ':') return false;
    t->p++;
    buf_putc(t->out, ':');
    t->committed = true;
    return true;
}

enum next { NEXT_ITEM, NEXT_END, NEXT_BROKEN };

/* Behind an item. A comma may be missing between members on lines of their own: within a line, two
 * strings side by side may as well be one with quotes inside. */
static enum next look_behind(struct tolerant *t, char close) {
    const char *from = t->p;
    skip(t);
    if (is_end(t)) {
        t->repairs |= JSON_REPAIR_CUT;
        return t->swallowed ? NEXT_BROKEN : NEXT_END;
    }
    if (*t->p == close) {
        t->p++;
        return NEXT_END;
    }
    if (*t->p == ',') {
        t->p++;
        t->committed = true;
        return NEXT_ITEM;
    }
    if (close != '}' || !memchr(from, '\n', (size_t)(t->p - from))) return NEXT_BROKEN;
    t->repairs |= JSON_REPAIR_MISSING;
    return NEXT_ITEM;
}

static bool read_list(struct tolerant *t, char close) {
    enum next next = NEXT_ITEM;
    buf_putc(t->out, *t->p++);
    for (size_t count = 0; next == NEXT_ITEM; count++) {
        skip(t);
        if (t->p < t->end && *t->p == close) {
            if (count) t->repairs |= JSON_REPAIR_TRAILING;
            t->p++;
            break;
        }
        if (count) buf_putc(t->out, ',');
        if (close == '}' && !read_key(t)) return false;
        if (!tolerant_value(t)) return false;
        next = look_behind(t, close);
    }
    buf_putc(t->out, close);
    return next != NEXT_BROKEN;
}

static bool read_nested(struct tolerant *t, char close) {
    if (t->depth == JSON_MAX_DEPTH) {
        t->committed = true;
        return false;
    }
    t->depth++;
    bool read = read_list(t, close);
    t->depth--;
    return read && t->out->state == BUF_FINE;
}

bool tolerant_value(struct tolerant *t) {
    skip(t);
    if (is_end(t)) return false;
    const struct quotes *pair = find_quotes(t);
    if (pair) return read_string(t, pair) && (t->depth || is_delimited(t));
    if (*t->p == '{' || *t->p == '[') return read_nested(t, *t->p == '{' ? '}' : ']');
    return is_letter(*t->p) ? read_word(t) : read_number(t);
}
