/* Numbers that have to be found among many: a hash table by value, so that 1, 1.0 and 1e0 are the
 * same. Whole numbers of a usual size are found as machine numbers, all others as exact decimals.
 */
#include "jsonschema/compile.h"
#include "jsonschema/fast.h"

#include "base/json/number.h"
#include "base/text.h"

enum { MANY_NUMBERS = 8 };

struct fast_number {
    uint64_t hash;
    int64_t whole;
    gramc_text text; /* as the schema writes it; no ptr: free */
    bool is_whole;
};

bool fast_whole(gramc_text text, int64_t *out) {
    struct decimal number = decimal_read(text);
    *out = 0;
    if (number.zero) return true;
    if (number.top > 17 || decimal_low(&number) < 0) return false;
    for (size_t i = 0; i <= (size_t)number.top; i++) {
        size_t at = number.first + i;
        *out = *out * 10 + (at <= number.last ? decimal_digit(&number, at) : 0);
    }
    if (number.negative) *out = -*out;
    return true;
}

static uint64_t hash_whole(int64_t whole) {
    uint64_t hash = (uint64_t)whole * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static struct fast_number number_of(gramc_text text, const int64_t *whole) {
    struct fast_number number = {.text = text, .is_whole = true};
    if (whole) number.whole = *whole;
    else number.is_whole = fast_whole(text, &number.whole);
    if (number.is_whole) {
        number.hash = hash_whole(number.whole);
    } else {
        struct decimal decimal = decimal_read(text);
        number.hash = decimal_hash(&decimal);
    }
    return number;
}

static bool is_same(const struct fast_number *a, const struct fast_number *b) {
    if (a->hash != b->hash || a->is_whole != b->is_whole) return false;
    return a->is_whole ? a->whole == b->whole : json_number_compare(a->text, b->text) == 0;
}

bool run_is_number(const struct fast_keys *choices, gramc_text number, const int64_t *whole) {
    const struct fast_number sought = number_of(number, whole);
    for (uint64_t at = sought.hash;; at++) {
        const struct fast_number *slot = &choices->numbers[at & choices->number_mask];
        if (!slot->text.ptr) return false;
        if (is_same(slot, &sought)) return true;
    }
}

bool fast_prepare_numbers(struct schema_compiler *c, struct fast_keys *table,
                          const struct json *choices) {
    size_t count = 0, size = 4 * MANY_NUMBERS;
    for (const struct json *value = choices->first; value; value = value->next)
        count += value->kind == JSON_NUMBER;
    if (count <= MANY_NUMBERS) return true;
    while (size < 2 * count) size *= 2;
    struct fast_number *slots = arena_zalloc(c->arena, size * sizeof *slots);
    if (!slots) return compile_stop(c, GRAMC_NOMEM);
    for (const struct json *value = choices->first; value; value = value->next) {
        if (value->kind != JSON_NUMBER) continue;
        struct fast_number number = number_of(value->text, NULL);
        uint64_t at = number.hash;
        for (; slots[at & (size - 1)].text.ptr; at++)
            if (!compile_step(c)) return false;
        slots[at & (size - 1)] = number;
    }
    table->numbers = slots;
    table->number_mask = size - 1;
    return true;
}
