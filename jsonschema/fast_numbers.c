/* Numbers that have to be found among many: a hash table by value, so that 1, 1.0 and 1e0 are the
 * same. Those of at most 18 digits, fractions included, are found as machine numbers, all others as
 * exact decimals. */
#include "jsonschema/compile.h"
#include "jsonschema/fast.h"

#include "base/json/number.h"
#include "base/text.h"

enum { MOST_DIGITS = 18, MANY_NUMBERS = 1 };

/* digits * 10^-scale, no zero at the end of a fraction. */
struct short_number {
    int64_t digits;
    uint32_t scale;
};

/* A slot of the table. */
struct fast_number {
    int64_t digits;
    uint32_t kind; /* FREE, LONG_NUMBER: the text counts, else the scale and 1 */
};

enum { FREE = 0 };
static const uint32_t LONG_NUMBER = UINT32_MAX;

/* Any spelling. False: it has too many digits. */
static bool read_decimal(gramc_text text, struct short_number *out) {
    struct decimal number = decimal_read(text);
    int64_t low = decimal_low(&number);
    *out = (struct short_number){0, 0};
    if (number.zero) return true;
    if (low < -MOST_DIGITS || number.top >= MOST_DIGITS) return false;
    if (number.top - (low < 0 ? low : 0) >= MOST_DIGITS) return false;
    int64_t last = low < 0 ? low : 0;
    for (int64_t power = number.top; power >= last; power--) {
        size_t i = number.first + (size_t)(number.top - power);
        out->digits = out->digits * 10 + (i <= number.last ? decimal_digit(&number, i) : 0);
    }
    if (number.negative) out->digits = -out->digits;
    out->scale = (uint32_t)-last;
    return true;
}

bool fast_whole(gramc_text text, int64_t *out) {
    struct short_number number;
    *out = 0;
    if (!read_decimal(text, &number) || number.scale) return false;
    *out = number.digits;
    return true;
}

/* The usual spelling, without an exponent. False: read_decimal knows. */
static bool read_plain(gramc_text text, struct short_number *out) {
    const char *p = text.ptr, *end = p + text.len;
    bool negative = *p == '-';
    uint64_t digits = 0;
    uint32_t scale = 0, zeros = 0;
    if (text.len > MOST_DIGITS) return false;
    for (p += negative; p < end && json_byte_is(*p, JSON_BYTE_DIGIT); p++)
        digits = digits * 10 + (uint64_t)(*p - '0');
    if (p < end && *p == '.') {
        for (p++; p < end && json_byte_is(*p, JSON_BYTE_DIGIT); p++, scale++) {
            digits = digits * 10 + (uint64_t)(*p - '0');
            zeros = *p == '0' ? zeros + 1 : 0;
        }
    }
    for (scale -= zeros; zeros; zeros--) digits /= 10;
    *out = (struct short_number){negative ? -(int64_t)digits : (int64_t)digits, scale};
    return p == end;
}

static struct fast_number slot_of(const struct short_number *number) {
    return (struct fast_number){number->digits, number->scale + 1};
}

static struct fast_number read_any(gramc_text text) {
    struct short_number number;
    bool is_short = read_plain(text, &number) || read_decimal(text, &number);
    return is_short ? slot_of(&number) : (struct fast_number){0, LONG_NUMBER};
}

static uint64_t long_hash(gramc_text text) {
    struct decimal decimal = decimal_read(text);
    return decimal_hash(&decimal);
}

static inline uint64_t hash_of(const struct fast_number *number, gramc_text text) {
    uint64_t hash = (uint64_t)number->digits + ((uint64_t)number->kind << 59);
    if (number->kind == LONG_NUMBER) hash = long_hash(text);
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static inline bool is_in_table(const struct fast_keys *choices, const struct fast_number *sought,
                               gramc_text text) {
    for (uint64_t at = hash_of(sought, text);; at++) {
        size_t i = at & choices->number_mask;
        const struct fast_number *slot = &choices->numbers[i];
        if (slot->kind == FREE) return false;
        if (slot->digits != sought->digits || slot->kind != sought->kind) continue;
        if (slot->kind != LONG_NUMBER || json_number_compare(choices->number_texts[i], text) == 0)
            return true;
    }
}

bool run_is_number(const struct fast_keys *choices, gramc_text text) {
    struct fast_number sought = read_any(text);
    return is_in_table(choices, &sought, text);
}

/* ## Eight bytes at once */

static int64_t join(uint64_t whole, uint64_t fraction, unsigned digits, uint32_t *scale) {
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    for (; fraction && fraction % 10 == 0; digits--) fraction /= 10;
    *scale = fraction ? digits : 0;
    return (int64_t)(whole * powers[*scale] + fraction);
}

/* The place behind a number of a few digits on either side of the point, without an exponent;
 * NULL: it is another one, or none. */
static inline const char *read_short(const struct run *run, const char *p,
                                     struct short_number *out) {
    uint64_t whole, fraction;
    bool negative = *p == '-';
    p += negative;
    unsigned digits = run_digits(run_window(run, p), &whole);
    if (digits - 1 >= RUN_MOST_DIGITS || (*p == '0' && digits > 1)) return NULL;
    p += digits;
    *out = (struct short_number){(int64_t)whole, 0};
    if (*p == '.') {
        digits = run_digits(run_window(run, p + 1), &fraction);
        if (digits - 1 >= RUN_MOST_DIGITS) return NULL;
        out->digits = join(whole, fraction, digits, &out->scale);
        p += digits + 1;
    }
    if (negative) out->digits = -out->digits;
    return json_byte_is(*p, JSON_BYTE_NUMBER) ? NULL : p;
}

const char *run_number_choice(struct run *run, const struct schema_node *node, const char *p) {
    struct short_number number;
    const char *end = read_short(run, p, &number);
    if (!end) return run_exact_number(run, node, p);
    if (!(node->types & (number.scale ? TYPE_BIT_FRACTION : TYPE_BIT_INTEGER))) return NULL;
    const struct fast_number sought = slot_of(&number);
    return is_in_table(&node->values->texts, &sought, (gramc_text){NULL, 0}) ? end : NULL;
}

bool fast_prepare_numbers(struct schema_compiler *c, struct fast_keys *table,
                          const struct json *choices) {
    size_t count = 0, size = 4;
    for (const struct json *value = choices->first; value; value = value->next)
        count += value->kind == JSON_NUMBER;
    if (count <= MANY_NUMBERS) return true;
    while (size < 2 * count) size *= 2;
    struct fast_number *slots = arena_zalloc(c->arena, size * sizeof *slots);
    gramc_text *texts = arena_array(c->arena, size, sizeof *texts);
    if (!slots || !texts) return compile_stop(c, GRAMC_NOMEM);
    for (const struct json *value = choices->first; value; value = value->next) {
        if (value->kind != JSON_NUMBER) continue;
        struct fast_number number = read_any(value->text);
        uint64_t at = hash_of(&number, value->text);
        for (; slots[at & (size - 1)].kind != FREE; at++)
            if (!compile_step(c)) return false;
        slots[at & (size - 1)] = number;
        texts[at & (size - 1)] = value->text;
    }
    table->numbers = slots;
    table->number_texts = texts;
    table->number_mask = (uint32_t)size - 1;
    return true;
}
