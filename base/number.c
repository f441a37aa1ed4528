/* Turns the spelling of a JSON number into a double or a 64-bit integer. strtod follows the
 * locale of the program that embeds us, which is none of our business to change; so the point is
 * replaced by whatever that locale expects. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400 };

/* Up to 15 digits a double holds every integer, so that no locale has to be asked. */
static bool short_integer(double *out, gramc_text number) {
    int64_t whole;
    /* -0 is no integer: its sign would be lost. */
    if (number.len > 15 || number.ptr[0] == '-' || !number_to_int(&whole, number)) return false;
    *out = (double)whole;
    return true;
}

bool number_to_double(double *out, gramc_text number) {
    if (number.len && short_integer(out, number)) return true;
    char copy[LONGEST_NUMBER + 16];
    const char *point = localeconv()->decimal_point;
    size_t point_len = strlen(point), len = 0;
    if (number.len > LONGEST_NUMBER || point_len > 8) return false;
    for (size_t i = 0; i < number.len; i++) {
        if (number.ptr[i] == '.') {
            memcpy(copy + len, point, point_len);
            len += point_len;
        } else {
            copy[len++] = number.ptr[i];
        }
    }
    copy[len] = '\0';
    char *end;
    *out = strtod(copy, &end);
    return len > 0 && *end == '\0' && isfinite(*out);
}

/* Of so many digits any fits. */
static bool few_digits(int64_t *out, gramc_text digits) {
    int64_t number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = (unsigned)(unsigned char)digits.ptr[i] - '0';
        if (digit > 9) return false;
        number = number * 10 + digit;
    }
    *out = number;
    return digits.len > 0;
}

bool number_to_int(int64_t *out, gramc_text number) {
    if (number.len <= 18 && !(number.len && number.ptr[0] == '-')) return few_digits(out, number);
    bool negative = number.len && number.ptr[0] == '-';
    uint64_t magnitude = 0, limit = (uint64_t)INT64_MAX + negative;
    if (number.len == (size_t)negative) return false;
    for (size_t i = negative; i < number.len; i++) {
        if (number.ptr[i] < '0' || number.ptr[i] > '9') return false;
        uint64_t digit = (uint64_t)(number.ptr[i] - '0');
        if (magnitude > (limit - digit) / 10) return false;
        magnitude = magnitude * 10 + digit;
    }
    *out = negative && magnitude ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return true;
}

bool number_add(int64_t *sum, int64_t a, int64_t b) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *sum = a + b;
    return true;
}

const char *number_amount(char room[AMOUNT_ROOM], double amount) {
    static const double billion = 1e9;
    double nano = amount * billion + 0.5;
    unsigned long long whole = nano < 1.8e19 ? (unsigned long long)nano : 18000000000000000000U;
    int len = snprintf(room, AMOUNT_ROOM, "%llu.%09llu", whole / 1000000000, whole % 1000000000);
    while (len > 0 && room[len - 1] == '0') room[--len] = '\0';
    if (len > 0 && room[len - 1] == '.') room[len - 1] = '\0';
    return room;
}
