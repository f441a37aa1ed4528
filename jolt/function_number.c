/* JOLT's functions of numbers. Whole numbers and those with a point or an exponent are two things,
 * as Java's Integer and Double are: 5 and 5.0 differ, and a result is of the kind that Java gives.
 * Where Java would wrap round, there is no value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "jolt/function.h"

enum {
    MOST_DECIMALS = 300,
    EXACT_DECIMALS = 1074, /* of the smallest double */
    EXACT_DIGITS = EXACT_DECIMALS + 400
};

/* ## Reading */

static bool is_whole(gramc_text number) {
    for (size_t i = 0; i < number.len; i++)
        if (number.ptr[i] == '.' || number.ptr[i] == 'e' || number.ptr[i] == 'E') return false;
    return true;
}

enum number_type node_number_type(const struct jolt_node *number) {
    int64_t value;
    if (!is_whole(number->text)) return NUMBER_DOUBLE;
    if (!number_to_int(&value, number->text)) return NUMBER_HUGE;
    return number->wide || value > INT32_MAX || value < INT32_MIN ? NUMBER_LONG : NUMBER_INT;
}

bool node_small(const struct jolt_node *node, uint32_t *out) {
    return node_is(node, JSON_NUMBER) && node_number_type(node) == NUMBER_INT &&
           text_index(node->text, out);
}

static gramc_text take_digits(gramc_text text, size_t *i) {
    size_t start = *i;
    while (*i < text.len && text.ptr[*i] >= '0' && text.ptr[*i] <= '9') (*i)++;
    return text_slice(text, start, *i);
}

static gramc_text without_zeros(gramc_text digits) {
    size_t zeros = 0;
    while (zeros + 1 < digits.len && digits.ptr[zeros] == '0') zeros++;
    return text_slice(digits, zeros, digits.len);
}

static bool read_exponent(gramc_text text, size_t *i, struct buf *out) {
    if (*i == text.len || (text.ptr[*i] | 0x20) != 'e') return true;
    buf_putc(out, 'e');
    (*i)++;
    if (*i < text.len && (text.ptr[*i] == '+' || text.ptr[*i] == '-')) {
        buf_putc(out, text.ptr[*i]);
        (*i)++;
    }
    gramc_text digits = take_digits(text, i);
    buf_text(out, digits);
    return digits.len > 0;
}

/* Java's spelling of numbers (+5, 007, .5, 5.) as JSON's. */
static bool respell(gramc_text text, struct buf *out) {
    size_t i = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
    if (i && text.ptr[0] == '-') buf_putc(out, '-');
    gramc_text whole = take_digits(text, &i), fraction = {NULL, 0};
    bool point = i < text.len && text.ptr[i] == '.';
    if (point) i++;
    if (point) fraction = take_digits(text, &i);
    if (whole.len + fraction.len == 0) return false;
    buf_text(out, whole.len ? without_zeros(whole) : TEXT("0"));
    if (point) buf_putc(out, '.');
    if (point) buf_text(out, fraction.len ? fraction : TEXT("0"));
    return read_exponent(text, &i, out) && i == text.len;
}

gramc_text number_spelling(struct arena *arena, gramc_text text) {
    struct buf buf;
    gramc_text spelled = {NULL, 0};
    buf_init(&buf, &arena->allocator, 400);
    if (respell(text, &buf) && buf_status(&buf) == GRAMC_OK)
        spelled = arena_text(arena, buf_view(&buf));
    if (buf.state == BUF_NOMEM) arena->oom = true;
    buf_free(&buf);
    return spelled;
}

static struct jolt_node *number_from_text(struct jolt_work *work, gramc_text text) {
    gramc_text spelled = number_spelling(&work->arena, text_trim(text));
    if (work->arena.oom) work_fail(work, GRAMC_NOMEM);
    return spelled.ptr ? node_text(work, JSON_NUMBER, spelled) : NULL;
}

/* A number, or a text that is one; NULL otherwise. */
static struct jolt_node *as_number(struct jolt_work *work, struct jolt_node *node) {
    if (node->kind == JSON_STRING) return number_from_text(work, node->text);
    return node->kind == JSON_NUMBER ? node : NULL;
}

static bool as_double(struct jolt_work *work, struct jolt_node *node, double *out) {
    struct jolt_node *number = as_number(work, node);
    return number && number_to_double(out, number->text);
}

/* ## Making */

struct jolt_node *node_integer(struct jolt_work *work, int64_t value) {
    char digits[32];
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)value);
    gramc_text text = arena_text(&work->arena, (gramc_text){digits, (size_t)len});
    return text.ptr ? node_text(work, JSON_NUMBER, text) : NULL;
}

static struct jolt_node *make_long(struct jolt_work *work, int64_t value) {
    struct jolt_node *made = node_integer(work, value);
    if (made) made->wide = true;
    return made;
}

/* With a point, so that it stays what it is. */
static struct jolt_node *make_double(struct jolt_work *work, double value) {
    struct buf buf;
    struct jolt_node *made = NULL;
    buf_init(&buf, &work->arena.allocator, 64);
    if (json_put_double(&buf, value)) {
        if (is_whole(buf_view(&buf))) buf_puts(&buf, ".0");
        if (buf_status(&buf) == GRAMC_OK)
            made = node_text(work, JSON_NUMBER, arena_text(&work->arena, buf_view(&buf)));
    }
    if (buf.state == BUF_NOMEM) work_fail(work, GRAMC_NOMEM);
    buf_free(&buf);
    return made && made->text.ptr ? made : NULL;
}

static bool give(struct jolt_node **out, struct jolt_node *made) {
    *out = made;
    return made != NULL;
}

/* ## The smallest, the largest */

static bool find_extreme(struct jolt_work *work, struct jolt_node **items, size_t count, int sign,
                         struct jolt_node **out) {
    struct jolt_node *best = NULL;
    for (size_t i = 0; i < count; i++) {
        struct jolt_node *number = as_number(work, items[i]);
        if (!number || number->text.len > 400) continue;
        int order = best ? sign * json_number_compare(number->text, best->text) : 1;
        bool tie = order == 0 && node_number_type(number) < node_number_type(best);
        if (order > 0 || tie) best = number;
    }
    return give(out, best);
}

bool function_min(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                  size_t count, struct jolt_node **out) {
    (void)first;
    return !(count == 1 && items[0]->kind == JSON_STRING) &&
           find_extreme(work, items, count, -1, out);
}

bool function_max(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                  size_t count, struct jolt_node **out) {
    (void)first;
    return !(count == 1 && items[0]->kind == JSON_STRING) &&
           find_extreme(work, items, count, 1, out);
}

bool function_abs(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                  size_t count, struct jolt_node **out) {
    struct jolt_node *number = as_number(work, items[0]);
    (void)first, (void)count;
    if (!number || number->text.ptr[0] != '-') return give(out, number);
    struct jolt_node *made =
        node_text(work, JSON_NUMBER, text_slice(number->text, 1, number->text.len));
    if (made) made->wide = number->wide;
    return give(out, made);
}

/* ## Sums */

bool function_avg(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                  size_t count, struct jolt_node **out) {
    double sum = 0, value;
    size_t numbers = 0;
    (void)first;
    for (size_t i = 0; i < count; i++) {
        if (!as_double(work, items[i], &value)) continue;
        sum += value;
        numbers++;
    }
    return numbers && give(out, make_double(work, sum / (double)numbers));
}

bool function_double_sum(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                         size_t count, struct jolt_node **out) {
    double sum = 0, value;
    (void)first;
    for (size_t i = 0; i < count; i++)
        if (as_double(work, items[i], &value)) sum += value;
    return give(out, make_double(work, sum));
}

/* Cut off towards zero. False for what no 64 bits hold. */
static bool as_integer(struct jolt_work *work, struct jolt_node *node, int64_t *out) {
    double value;
    struct jolt_node *number = as_number(work, node);
    if (!number) return false;
    if (is_whole(number->text)) return number_to_int(out, number->text);
    if (!number_to_double(&value, number->text) || value >= 9223372036854775808.0 ||
        value < -9223372036854775808.0)
        return false;
    *out = (int64_t)value;
    return true;
}

static bool sum_up(struct jolt_work *work, struct jolt_node **items, size_t count, int64_t *sum) {
    *sum = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (as_integer(work, items[i], &value) && !number_add(sum, *sum, value)) return false;
    }
    return true;
}

bool function_int_sum(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                      size_t count, struct jolt_node **out) {
    int64_t sum;
    (void)first;
    return sum_up(work, items, count, &sum) && give(out, node_integer(work, sum));
}

bool function_long_sum(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                       size_t count, struct jolt_node **out) {
    int64_t sum;
    (void)first;
    return sum_up(work, items, count, &sum) && give(out, make_long(work, sum));
}

/* ## Differences: of two numbers that are both of that kind */

static bool both_are(struct jolt_node **items, size_t count, enum number_type type) {
    return count == 2 && node_is(items[0], JSON_NUMBER) && node_is(items[1], JSON_NUMBER) &&
           node_number_type(items[0]) == type && node_number_type(items[1]) == type;
}

static bool subtract(struct jolt_node **items, int64_t *out) {
    int64_t a, b;
    return number_to_int(&a, items[0]->text) && number_to_int(&b, items[1]->text) &&
           b != INT64_MIN && number_add(out, a, -b);
}

bool function_int_subtract(struct jolt_work *work, struct jolt_node *first,
                           struct jolt_node **items, size_t count, struct jolt_node **out) {
    int64_t difference;
    (void)first;
    return both_are(items, count, NUMBER_INT) && subtract(items, &difference) &&
           give(out, node_integer(work, difference));
}

bool function_long_subtract(struct jolt_work *work, struct jolt_node *first,
                            struct jolt_node **items, size_t count, struct jolt_node **out) {
    int64_t difference;
    (void)first;
    return both_are(items, count, NUMBER_LONG) && subtract(items, &difference) &&
           give(out, make_long(work, difference));
}

bool function_double_subtract(struct jolt_work *work, struct jolt_node *first,
                              struct jolt_node **items, size_t count, struct jolt_node **out) {
    double a, b;
    (void)first;
    return both_are(items, count, NUMBER_DOUBLE) && number_to_double(&a, items[0]->text) &&
           number_to_double(&b, items[1]->text) && give(out, make_double(work, a - b));
}

/* ## Quotients */

static bool quotient(struct jolt_work *work, struct jolt_node **items, size_t count, double *out) {
    double a, b;
    if (count != 2 || !as_double(work, items[0], &a) || !as_double(work, items[1], &b))
        return false;
    if (!(b > 0) && !(b < 0)) return false;
    *out = a / b;
    return true;
}

bool function_divide(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                     size_t count, struct jolt_node **out) {
    double result;
    (void)first;
    return quotient(work, items, count, &result) && give(out, make_double(work, result));
}

/* Adds one to a decimal's last digit; a digit in front that is no 9 takes the carry. */
static void count_up(char *digits, size_t len) {
    while (len-- > 0) {
        if (digits[len] == '.') continue;
        if (digits[len] != '9') {
            digits[len]++;
            return;
        }
        digits[len] = '0';
    }
}

/* Half away from zero, of the exact value that the double has: all its digits are written down, so
 * the first one that is dropped decides. */
static bool round_to(double value, uint32_t decimals, double *out) {
    char digits[EXACT_DIGITS];
    int len = snprintf(digits + 1, sizeof(digits) - 1, "%.*f", EXACT_DECIMALS, fabs(value));
    if (len < 0 || (size_t)len >= sizeof(digits) - 1) return false;
    digits[0] = '0';
    for (int i = 1; i <= len; i++)
        if (digits[i] < '0' || digits[i] > '9') digits[i] = '.'; /* whatever the locale's is */
    size_t kept = (size_t)len + 1 - EXACT_DECIMALS + decimals;
    if (digits[kept] >= '5') count_up(digits, kept);
    size_t start = digits[0] == '0' ? 1 : 0;
    double size;
    gramc_text text = {digits + start, kept - start};
    if (text.ptr[text.len - 1] == '.') text.len--;
    if (!number_to_double(&size, text)) return false;
    *out = value < 0 && size > 0 ? -size : size; /* no -0.0 */
    return true;
}

bool function_divide_and_round(struct jolt_work *work, struct jolt_node *first,
                               struct jolt_node **items, size_t count, struct jolt_node **out) {
    double result;
    uint32_t decimals;
    return node_small(first, &decimals) && decimals <= MOST_DECIMALS &&
           quotient(work, items, count, &result) && isfinite(result) &&
           round_to(result, decimals, &result) && give(out, make_double(work, result));
}

/* ## Conversions */

bool function_to_integer(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                         size_t count, struct jolt_node **out) {
    int64_t value;
    (void)first, (void)count;
    return as_integer(work, items[0], &value) && give(out, node_integer(work, value));
}

bool function_to_long(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                      size_t count, struct jolt_node **out) {
    int64_t value;
    (void)first, (void)count;
    return as_integer(work, items[0], &value) && give(out, make_long(work, value));
}

bool function_to_double(struct jolt_work *work, struct jolt_node *first, struct jolt_node **items,
                        size_t count, struct jolt_node **out) {
    double value;
    (void)first, (void)count;
    return as_double(work, items[0], &value) && give(out, make_double(work, value));
}
