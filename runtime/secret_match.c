/* Compares a value with a text that may spell each of its bytes in many ways. What stands at a
 * place is read as it is, and through one to three layers of escapes; all readings that go on are
 * followed at once, so that time grows with the lengths alone. Decides nothing about hiding. */
#include "runtime/secret_match.h"

#include <string.h>

#include "base/text.h"

enum { LAYERS = 3, READINGS_MAX = 16, LONGEST_ESCAPE = 72, DEEPEST = 64 };

/* What stands at one place, read in one way. */
struct reading {
    char bytes[4];
    size_t len; /* 0: there is nothing */
    size_t end;
};

static struct reading read_at(gramc_text text, size_t pos, int layers);

/* ## Escapes: each is read through one layer less, its first byte having been read already */

static struct reading of_code(uint32_t code, size_t end) {
    struct reading out = {.end = end};
    if (code < 0xD800 || (code > 0xDFFF && code < 0x110000)) out.len = text_encode(out.bytes, code);
    return out;
}

static struct reading of_byte(uint32_t byte, size_t end) {
    return (struct reading){.bytes = {(char)byte}, .len = 1, .end = end};
}

/* The next byte behind `*pos`; '\0' if there is none, or if it is no ASCII. */
static char next_byte(gramc_text text, size_t *pos, int layers) {
    struct reading one = read_at(text, *pos, layers);
    if (one.len != 1 || (unsigned char)one.bytes[0] > 0x7F) return '\0';
    *pos = one.end;
    return one.bytes[0];
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* `count` hexadecimal digits. */
static bool read_hex(gramc_text text, size_t *pos, int layers, int count, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < count; i++) {
        int digit = digit_of(next_byte(text, pos, layers));
        if (digit > 15) return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* %2f, and %u002f as JavaScript's escape() has it. */
static struct reading read_percent(gramc_text text, size_t pos, int layers) {
    size_t wide = pos;
    uint32_t value;
    if (next_byte(text, &wide, layers) == 'u' && read_hex(text, &wide, layers, 4, &value))
        return of_code(value, wide);
    if (read_hex(text, &pos, layers, 2, &value)) return of_byte(value, pos);
    return (struct reading){.len = 0};
}

/* Behind \u: four digits, and another escape where these are half of a character. */
static struct reading read_unicode(gramc_text text, size_t pos, int layers) {
    uint32_t high, low;
    if (!read_hex(text, &pos, layers, 4, &high)) return (struct reading){.len = 0};
    if (high < 0xD800 || high > 0xDBFF) return of_code(high, pos);
    if (next_byte(text, &pos, layers) != '\\' || next_byte(text, &pos, layers) != 'u' ||
        !read_hex(text, &pos, layers, 4, &low) || low < 0xDC00 || low > 0xDFFF)
        return (struct reading){.len = 0};
    return of_code(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), pos);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static struct reading read_backslash(gramc_text text, size_t pos, int layers) {
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    uint32_t value;
    char c = next_byte(text, &pos, layers);
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c == 'u') return read_unicode(text, pos, layers);
    if (c == 'x' && read_hex(text, &pos, layers, 2, &value)) return of_byte(value, pos);
    if (letter) return of_byte((unsigned char)meant[letter - letters], pos);
    return c > 0x20 && !is_letter(c) ? of_byte((unsigned char)c, pos) : (struct reading){.len = 0};
}

/* Behind &#: a number in either notation, and a semicolon. */
static struct reading read_number(gramc_text text, size_t pos, int layers) {
    size_t behind = pos;
    char c = next_byte(text, &behind, layers);
    int base = c == 'x' || c == 'X' ? 16 : 10;
    uint32_t code = 0;
    int count = 0;
    if (base == 16) c = next_byte(text, &behind, layers);
    for (; digit_of(c) < base && count < 8; count++) {
        code = code * (uint32_t)base + (uint32_t)digit_of(c);
        c = next_byte(text, &behind, layers);
    }
    return count && c == ';' ? of_code(code, behind) : (struct reading){.len = 0};
}

enum { LONGEST_NAME = 8 };

/* What stands in front of a semicolon. */
static gramc_text read_name(char out[LONGEST_NAME], gramc_text text, size_t *pos, int layers) {
    size_t len = 0;
    char c = next_byte(text, pos, layers);
    for (; c >= 'a' && c <= 'z' && len < LONGEST_NAME; c = next_byte(text, pos, layers))
        out[len++] = c;
    return (gramc_text){out, c == ';' ? len : 0};
}

static struct reading read_entity(gramc_text text, size_t pos, int layers) {
    static const struct {
        const char *name;
        char meant;
    } entities[] = {{"amp", '&'},    {"lt", '<'},     {"gt", '>'},    {"quot", '"'},
                    {"apos", '\''},  {"nbsp", ' '},   {"sol", '/'},   {"plus", '+'},
                    {"equals", '='}, {"percnt", '%'}, {"colon", ':'}, {"commat", '@'}};
    char letters[LONGEST_NAME];
    size_t behind = pos;
    if (next_byte(text, &behind, layers) == '#') return read_number(text, behind, layers);
    gramc_text name = read_name(letters, text, &pos, layers);
    for (size_t i = 0; name.len && i < sizeof(entities) / sizeof(entities[0]); i++)
        if (text_is(name, entities[i].name)) return of_byte((unsigned char)entities[i].meant, pos);
    return (struct reading){.len = 0};
}

/* ## Readings */

static struct reading read_at(gramc_text text, size_t pos, int layers) {
    struct reading plain, escaped = {.len = 0};
    if (pos >= text.len) return (struct reading){.len = 0};
    if (layers == 0) return of_byte((unsigned char)text.ptr[pos], pos + 1);
    plain = read_at(text, pos, layers - 1);
    if (plain.len != 1) return plain;
    switch (plain.bytes[0]) {
    case '%': escaped = read_percent(text, plain.end, layers - 1); break;
    case '\\': escaped = read_backslash(text, plain.end, layers - 1); break;
    case '&': escaped = read_entity(text, plain.end, layers - 1); break;
    case '+': escaped = of_byte(' ', plain.end); break;
    default: break;
    }
    return escaped.len ? escaped : plain;
}

/* Places in the text that a number of bytes of the value may reach. */
struct places {
    size_t at[READINGS_MAX];
    size_t count;
};

static void add_place(struct places *places, size_t at) {
    for (size_t i = 0; i < places->count; i++)
        if (places->at[i] == at) return;
    if (places->count < READINGS_MAX) places->at[places->count++] = at;
}

bool match_is_of_escape(char byte) {
    return is_letter(byte) || (byte && strchr("%\\&#;", byte));
}

/* Nothing is left, or the beginning of an escape. */
static bool is_cut_off(gramc_text text, size_t at) {
    if (at >= text.len) return true;
    struct reading one = read_at(text, at, LAYERS);
    if (text.len - at > LONGEST_ESCAPE || one.len != 1 || !one.bytes[0] ||
        !strchr("%\\&", one.bytes[0]))
        return false;
    for (size_t i = at + 1; i < text.len; i++)
        if (!match_is_of_escape(text.ptr[i])) return false;
    return true;
}

/* What one place leads to: `ring` holds the places of the next bytes of the value. */
static void follow(struct places ring[5], gramc_text text, size_t at, gramc_text value,
                   size_t done) {
    for (int layers = 0; layers <= LAYERS; layers++) {
        struct reading one = read_at(text, at, layers);
        if (one.len == 0 || one.len > value.len - done ||
            memcmp(one.bytes, value.ptr + done, one.len) != 0)
            continue;
        add_place(&ring[(done + one.len) % 5], one.end);
    }
}

/* JSON in JSON, deeper than the layers: arguments in a request, in an error that quotes it, in a
 * trace. 2^n - 1 backslashes stand in front of a byte that is escaped, itself a backslash perhaps.
 */
static void follow_deep(struct places ring[5], gramc_text text, size_t at, gramc_text value,
                        size_t done) {
    size_t run = 0, n = (size_t)2 << LAYERS;
    while (at + run < text.len && run < DEEPEST && text.ptr[at + run] == '\\') run++;
    for (; n <= run + 1 && at + n <= text.len && !is_letter(value.ptr[done]); n *= 2)
        if (text.ptr[at + n - 1] == value.ptr[done]) add_place(&ring[(done + 1) % 5], at + n);
}

static size_t furthest(const struct places *places) {
    size_t end = 0;
    for (size_t i = 0; i < places->count; i++)
        if (places->at[i] > end) end = places->at[i];
    return end;
}

const char match_escapes[] = "%\\&+";

static bool begins_escape(char c) {
    return c == '%' || c == '\\' || c == '&' || c == '+';
}

bool match_may_begin(gramc_text text, size_t pos, const unsigned char marks[256], unsigned mark) {
    if (marks[(unsigned char)text.ptr[pos]] & mark) return true;
    if (!begins_escape(text.ptr[pos])) return false;
    for (int layers = 1; layers <= LAYERS; layers++)
        if (marks[(unsigned char)read_at(text, pos, layers).bytes[0]] & mark) return true;
    while (pos < text.len && text.ptr[pos] == '\\') pos++;
    return pos < text.len && marks[(unsigned char)text.ptr[pos]] & mark;
}

/* How many bytes of the value stand at `start` as they are, in front of the first escape. */
static size_t plain_length(gramc_text text, size_t start, gramc_text value) {
    size_t len = 0;
    while (len < value.len && start + len < text.len && !begins_escape(text.ptr[start + len]) &&
           text.ptr[start + len] == value.ptr[len])
        len++;
    return len;
}

struct escaped_match match_behind(gramc_text text, size_t at, gramc_text value, size_t plain,
                                  size_t *work) {
    struct escaped_match out = {.kind = MATCH_NONE};
    struct places ring[5] = {{.count = 0}}; /* a character is four bytes of the value at most */
    add_place(&ring[plain % 5], at);
    for (size_t done = plain; done < value.len; done++) {
        struct places here = ring[done % 5];
        *work += here.count;
        ring[done % 5].count = 0;
        for (size_t i = 0; i < here.count; i++) {
            follow(ring, text, here.at[i], value, done);
            follow_deep(ring, text, here.at[i], value, done);
            if (is_cut_off(text, here.at[i]))
                out = (struct escaped_match){MATCH_BEGINNING, text.len};
        }
        size_t ahead = 0;
        for (size_t i = 0; i < 5; i++) ahead += ring[i].count;
        if (ahead == 0) return out;
    }
    return (struct escaped_match){MATCH_WHOLE, furthest(&ring[value.len % 5])};
}

struct escaped_match match_escaped(gramc_text text, size_t start, gramc_text value, size_t *work) {
    size_t plain = plain_length(text, start, value), next = start + plain;
    *work += plain;
    if (plain == value.len || next >= text.len || begins_escape(text.ptr[next]))
        return match_behind(text, next, value, plain, work);
    (*work)++;
    return (struct escaped_match){.kind = MATCH_NONE};
}
