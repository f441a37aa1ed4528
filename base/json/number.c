/* Answers questions about numbers from their spelling alone: order, wholeness, divisibility. Exact
 * at any length and exponent; a huge exponent is never written out. */
#include "base/json/number.h"

#include "base/number.h"

static const int64_t EXPONENT_CAP = INT64_C(100000000000000000);

static int64_t read_exponent(const char *p, const char *end) {
    bool negative = p < end && *p == '-';
    int64_t value = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && value < EXPONENT_CAP; p++) value = value * 10 + (*p - '0');
    if (value > EXPONENT_CAP) value = EXPONENT_CAP;
    return negative ? -value : value;
}

static const char *skip_digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

unsigned decimal_digit(const struct decimal *d, size_t i) {
    return (unsigned)((i < d->whole_len ? d->whole[i] : d->fraction[i - d->whole_len]) - '0');
}

struct decimal decimal_read(gramc_text number) {
    const char *p = number.ptr, *end = p + number.len;
    struct decimal d = {.negative = *p == '-'};
    if (d.negative) p++;
    d.whole = p;
    p = skip_digits(p, end);
    d.whole_len = (size_t)(p - d.whole);
    size_t count = d.whole_len;
    d.fraction = p < end && *p == '.' ? p + 1 : p;
    p = skip_digits(d.fraction, end);
    count += (size_t)(p - d.fraction);
    int64_t exponent = p < end ? read_exponent(p + 1, end) : 0;
    while (d.first < count && decimal_digit(&d, d.first) == 0) d.first++;
    d.zero = d.first == count;
    if (d.zero) return d;
    d.last = count - 1;
    while (decimal_digit(&d, d.last) == 0) d.last--;
    d.top = exponent + (int64_t)d.whole_len - 1 - (int64_t)d.first;
    return d;
}

size_t decimal_length(const struct decimal *d) {
    return d->zero ? 0 : d->last - d->first + 1;
}

int64_t decimal_low(const struct decimal *d) {
    return d->top - (int64_t)(d->last - d->first);
}

/* Order of two numbers that are not zero, signs aside. */
static int compare_size(const struct decimal *a, const struct decimal *b) {
    if (a->top != b->top) return a->top < b->top ? -1 : 1;
    size_t len_a = decimal_length(a), len_b = decimal_length(b);
    for (size_t i = 0; i < len_a && i < len_b; i++) {
        unsigned digit_a = decimal_digit(a, a->first + i), digit_b = decimal_digit(b, b->first + i);
        if (digit_a != digit_b) return digit_a < digit_b ? -1 : 1;
    }
    return len_a == len_b ? 0 : len_a < len_b ? -1 : 1;
}

static int sign_of(const struct decimal *d) {
    return d->zero ? 0 : d->negative ? -1 : 1;
}

/* Most numbers of a spec are integers of few digits, and are compared as such. */
int json_number_compare(gramc_text a, gramc_text b) {
    int64_t short_a, short_b;
    if (number_to_int(&short_a, a) && number_to_int(&short_b, b))
        return (short_a > short_b) - (short_a < short_b);
    struct decimal x = decimal_read(a), y = decimal_read(b);
    int sign_x = sign_of(&x), sign_y = sign_of(&y);
    if (sign_x != sign_y) return sign_x < sign_y ? -1 : 1;
    return sign_x * (sign_x ? compare_size(&x, &y) : 0);
}

bool json_number_is_integer(gramc_text number) {
    int64_t whole;
    if (number_to_int(&whole, number)) return true;
    struct decimal d = decimal_read(number);
    return d.zero || decimal_low(&d) >= 0;
}

bool json_number_is_written_whole(gramc_text number) {
    for (size_t i = 0; i < number.len; i++)
        if (number.ptr[i] == '.' || (number.ptr[i] | 0x20) == 'e') return false;
    return true;
}

uint64_t decimal_hash(const struct decimal *d) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    if (d->zero) return hash;
    hash = (hash ^ (uint64_t)d->top ^ (uint64_t)d->negative << 63) * UINT64_C(0x100000001B3);
    for (size_t i = d->first; i <= d->last; i++)
        hash = (hash ^ decimal_digit(d, i)) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 29;
}

/* Behind `zeros` more decimal places a divisor of `digits` digits has used up all its factors 2 and
 * 5: digits * log2(10) of them at most. */
static size_t enough_zeros(size_t digits, int64_t zeros) {
    size_t enough = digits * 4;
    return zeros < (int64_t)enough ? (size_t)zeros : enough;
}

static bool is_multiple_short(const struct decimal *d, const struct decimal *by, size_t zeros) {
    uint64_t divisor = 0, rest = 0;
    for (size_t i = by->first; i <= by->last; i++) divisor = divisor * 10 + decimal_digit(by, i);
    for (size_t i = d->first; i <= d->last; i++) rest = (rest * 10 + decimal_digit(d, i)) % divisor;
    for (size_t i = 0; i < zeros; i++) rest = rest * 10 % divisor;
    return rest == 0;
}

/* rest = rest * 10 + digit, less the divisor as often as it goes in. Digits, lowest first; one more
 * place than the divisor has. */
static void long_step(uint8_t *rest, const uint8_t *divisor, size_t len, unsigned digit) {
    for (size_t i = len - 1; i > 0; i--) rest[i] = rest[i - 1];
    rest[0] = (uint8_t)digit;
    for (;;) {
        size_t i = len;
        while (i > 0 && rest[i - 1] == divisor[i - 1]) i--;
        if (i > 0 && rest[i - 1] < divisor[i - 1]) return;
        int borrow = 0;
        for (size_t k = 0; k < len; k++) {
            int difference = rest[k] - divisor[k] - borrow;
            borrow = difference < 0;
            rest[k] = (uint8_t)(difference + 10 * borrow);
        }
    }
}

static bool is_multiple_long(const struct decimal *d, const struct decimal *by, size_t zeros) {
    uint8_t divisor[DECIMAL_LONGEST_DIVISOR + 1] = {0}, rest[DECIMAL_LONGEST_DIVISOR + 1] = {0};
    size_t len = decimal_length(by) + 1;
    for (size_t i = by->first; i <= by->last; i++)
        divisor[by->last - i] = (uint8_t)decimal_digit(by, i);
    for (size_t i = d->first; i <= d->last; i++) long_step(rest, divisor, len, decimal_digit(d, i));
    for (size_t i = 0; i < zeros; i++) long_step(rest, divisor, len, 0);
    for (size_t i = 0; i < len; i++)
        if (rest[i]) return false;
    return true;
}

bool decimal_is_multiple(gramc_text number, gramc_text by_number) {
    struct decimal d = decimal_read(number), by = decimal_read(by_number);
    if (d.zero) return true;
    /* Both without trailing zeros: a smaller last place can then not be made up for. */
    int64_t zeros = decimal_low(&d) - decimal_low(&by);
    if (zeros < 0) return false;
    size_t digits = decimal_length(&by);
    size_t places = enough_zeros(digits, zeros);
    return digits <= 18 ? is_multiple_short(&d, &by, places) : is_multiple_long(&d, &by, places);
}
