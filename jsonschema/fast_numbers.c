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

struct fast_number {
    struct short_number value; /* scale LONG_NUMBER: the text counts */
    const char *text;          /* as the schema writes it; NULL: free */
    size_t len;
};

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

static struct fast_number read_any(gramc_text text) {
    struct fast_number number = {.text = text.ptr, .len = text.len};
    if (!read_plain(text, &number.value) && !read_decimal(text, &number.value))
        number.value = (struct short_number){0, LONG_NUMBER};
    return number;
}

static uint64_t hash_of(const struct fast_number *number) {
    uint64_t hash = (uint64_t)number->value.digits + ((uint64_t)number->value.scale << 59);
    if (number->value.scale == LONG_NUMBER) {
        struct decimal decimal = decimal_read((gramc_text){number->text, number->len});
        hash = decimal_hash(&decimal);
    }
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static bool is_same(const struct fast_number *a, const struct fast_number *b) {
    if (a->value.digits != b->value.digits || a->value.scale != b->value.scale) return false;
    return a->value.scale != LONG_NUMBER ||
           json_number_compare((gramc_text){a->text, a->len}, (gramc_text){b->text, b->len}) == 0;
}

bool run_is_number(const struct fast_keys *choices, gramc_text text, const int64_t *whole) {
    struct fast_number sought = {.text = text.ptr, .len = text.len};
    if (whole) sought.value.digits = *whole;
    else sought = read_any(text);
    for (uint64_t at = hash_of(&sought);; at++) {
        const struct fast_number *slot = &choices->numbers[at & choices->number_mask];
        if (!slot->text) return false;
        if (is_same(slot, &sought)) return true;
    }
}

bool fast_prepare_numbers(struct schema_compiler *c, struct fast_keys *table,
                          const struct json *choices) {
    size_t count = 0, size = 4;
    for (const struct json *value = choices->first; value; value = value->next)
        count += value->kind == JSON_NUMBER;
    if (count <= MANY_NUMBERS) return true;
    while (size < 2 * count) size *= 2;
    struct fast_number *slots = arena_zalloc(c->arena, size * sizeof *slots);
    if (!slots) return compile_stop(c, GRAMC_NOMEM);
    for (const struct json *value = choices->first; value; value = value->next) {
        if (value->kind != JSON_NUMBER) continue;
        struct fast_number number = read_any(value->text);
        uint64_t at = hash_of(&number);
        for (; slots[at & (size - 1)].text; at++)
            if (!compile_step(c)) return false;
        slots[at & (size - 1)] = number;
    }
    table->numbers = slots;
    table->number_mask = (uint32_t)size - 1;
    return true;
}
