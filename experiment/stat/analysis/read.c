/* JSON becomes the inputs of an analysis, by the table of what its fields take. Whatever does not
 * fit is refused with the name of its field; nothing is guessed. */
#include "experiment/stat/analysis/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "base/text.h"

static const double largest_whole = 9007199254740992; /* 2^53 */

/* A kind of number: the words for it, and for a list; from and to, both included or not. */
struct taken_range {
    const char *words;
    double low, high;
    bool open, whole;
};

static const struct taken_range ranges[] = {
    [TAKES_NUMBER] = {"a number", -INFINITY, INFINITY, false, false},
    [TAKES_POSITIVE] = {"a number above 0", 0, INFINITY, true, false},
    [TAKES_NOT_NEGATIVE] = {"a number from 0 on", 0, INFINITY, false, false},
    [TAKES_RATE] = {"a number from 0 to 1", 0, 1, false, false},
    [TAKES_SHARE] = {"a number between 0 and 1", 0, 1, true, false},
    [TAKES_DIFFERENCE] = {"a number from -1 to 1", -1, 1, false, false},
    [TAKES_COUNT] = {"a whole number from 0 to 2^53", 0, 9007199254740992, false, true},
    [TAKES_SEED] = {"a whole number from 0 to 2^64 - 1", 0, 0, false, false},
    [TAKES_NUMBERS] = {"a list of numbers", -INFINITY, INFINITY, false, false},
    [TAKES_POSITIVES] = {"a list of numbers above 0", 0, INFINITY, true, false},
    [TAKES_RATES] = {"a list of numbers from 0 to 1", 0, 1, false, false},
    [TAKES_DIFFERENCES] = {"a list of numbers from -1 to 1", -1, 1, false, false},
    [TAKES_COUNTS] = {"a list of whole numbers from 0 to 2^53", 0, 9007199254740992, false, true},
    [TAKES_NAMES] = {"a list of numbers or texts", 0, 0, false, false},
    [TAKES_TABLES] = {"a list of [runs, passes]", 0, 9007199254740992, false, true},
    [TAKES_WORD] = {"one of a few words", 0, 0, false, false},
    [TAKES_FLAG] = {"true or false", 0, 0, false, false},
    [TAKES_TEXT] = {"a text", 0, 0, false, false},
};

const char *stat_taken_words(enum stat_taken takes) {
    return takes == TAKES_NOTHING ? "nothing" : ranges[takes].words;
}

bool stat_complain(struct stat_analysis *analysis, const char *field, const char *format, ...) {
    struct stat_complaint *complaint = analysis->complaint;
    va_list args;
    if (analysis->refused) return false;
    analysis->refused = true;
    snprintf(complaint->field, sizeof complaint->field, "%s", field);
    va_start(args, format);
    vsnprintf(complaint->message, sizeof complaint->message, format, args);
    va_end(args);
    return false;
}

/* ## One value */

static bool fits(const struct taken_range *range, double value) {
    bool inside = range->open ? value > range->low && value < range->high
                              : value >= range->low && value <= range->high;
    return inside && isfinite(value) && (!range->whole || floor(value) == value);
}

static bool read_number(double *out, const struct json *value, const struct taken_range *range) {
    return json_is(value, JSON_NUMBER) && number_to_double(out, value->text) && fits(range, *out);
}

/* All 64 bits, which a double does not hold. */
static bool read_seed(uint64_t *out, const struct json *value) {
    uint64_t seed = 0;
    if (!json_is(value, JSON_NUMBER)) return false;
    for (size_t i = 0; i < value->text.len; i++) {
        char c = value->text.ptr[i];
        if (c < '0' || c > '9' || seed > (UINT64_MAX - (uint64_t)(c - '0')) / 10) return false;
        seed = seed * 10 + (uint64_t)(c - '0');
    }
    *out = seed;
    return true;
}

static bool read_word(struct stat_analysis *analysis, struct stat_input *in,
                      const struct stat_field *field, const struct json *value) {
    const char *const *words = field->words;
    for (uint64_t i = 0; i < STAT_WORDS && words[i]; i++) {
        in->count = i;
        if (json_is(value, JSON_STRING) && text_is(value->text, words[i])) return true;
    }
    return stat_complain(analysis, field->name, "takes \"%s\" or \"%s\"", words[0], words[1]);
}

/* ## Lists */

static size_t items_of(const struct stat_field *field, const struct json *value) {
    return value->count * (field->takes == TAKES_TABLES ? 2u : 1u);
}

/* A number for each name, the same for the same: the place where it stands first. */
static bool read_names(struct arena *arena, const struct json *list, double *numbers) {
    const struct json **first = arena_array(arena, list->count + 1, sizeof *first);
    double *places = arena_array(arena, list->count + 1, sizeof *places);
    size_t i = 0, known = 0;
    if (!first || !places) return false;
    for (const struct json *item = list->first; item; item = item->next, i++) {
        size_t at = 0;
        if (item->kind != JSON_NUMBER && item->kind != JSON_STRING) return false;
        /* From the last one back: the items of a cluster often stand together. */
        for (at = known; at > 0 && !json_equal(first[at - 1], item);) at--;
        if (at == 0) {
            first[known] = item;
            places[known] = (double)i;
            at = ++known;
        }
        numbers[i] = places[at - 1];
    }
    return true;
}

static bool read_pair(const struct json *item, double *out, const struct taken_range *range) {
    if (!json_is(item, JSON_ARRAY) || item->count != 2) return false;
    return read_number(out, item->first, range) && read_number(out + 1, item->first->next, range);
}

static bool read_items(struct arena *arena, const struct stat_field *field, const struct json *list,
                       double *numbers, size_t *bad) {
    const struct taken_range *range = &ranges[field->takes];
    *bad = 0;
    if (field->takes == TAKES_NAMES) return read_names(arena, list, numbers);
    for (const struct json *item = list->first; item; item = item->next, ++*bad) {
        if (field->takes == TAKES_TABLES) {
            if (!read_pair(item, numbers, range)) return false;
            numbers += 2;
        } else if (!read_number(numbers++, item, range)) return false;
    }
    return true;
}

static bool read_list(struct stat_analysis *analysis, struct stat_input *in,
                      const struct stat_field *field, const struct json *value) {
    size_t bad;
    const char *words = ranges[field->takes].words;
    if (!json_is(value, JSON_ARRAY)) return stat_complain(analysis, field->name, "takes %s", words);
    in->length = items_of(field, value);
    double *numbers = arena_array(analysis->arena, in->length + 1, sizeof *numbers);
    uint64_t *counts = arena_array(analysis->arena, in->length + 1, sizeof *counts);
    if (!numbers || !counts) return false;
    if (!read_items(analysis->arena, field, value, numbers, &bad))
        return stat_complain(analysis, field->name, "takes %s; item %zu is none", words, bad + 1);
    for (size_t i = 0; i < in->length; i++)
        counts[i] = numbers[i] >= 0 && numbers[i] <= largest_whole ? (uint64_t)numbers[i] : 0;
    in->numbers = numbers;
    in->counts = counts;
    return true;
}

/* ## Fields */

static bool read_field(struct stat_analysis *analysis, struct stat_input *in,
                       const struct stat_field *field, const struct json *value) {
    const struct taken_range *range = &ranges[field->takes];
    bool good = false;
    if (field->takes == TAKES_WORD) return read_word(analysis, in, field, value);
    if (field->takes >= TAKES_NUMBERS && field->takes <= TAKES_TABLES)
        return read_list(analysis, in, field, value);
    if (field->takes == TAKES_SEED) good = read_seed(&in->count, value);
    else if (field->takes == TAKES_FLAG) {
        good = json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE);
        in->count = json_is(value, JSON_TRUE);
    } else if (field->takes == TAKES_TEXT) {
        good = json_is(value, JSON_STRING);
        in->text = value->text;
    } else good = read_number(&in->number, value, range);
    if (good && range->whole) in->count = (uint64_t)in->number;
    return good || stat_complain(analysis, field->name, "takes %s", range->words);
}

/* "n, k, conf (0.95)": what a complaint offers. */
static void list_fields(const struct stat_method *method, char *out, size_t size) {
    size_t len = 0;
    for (size_t i = 0; i < STAT_FIELDS && method->fields[i].takes; i++) {
        const struct stat_field *field = &method->fields[i];
        int put = snprintf(out + len, size - len, "%s%s%s%s%s", i ? ", " : "", field->name,
                           field->without ? " (" : "", field->without ? field->without : "",
                           field->without ? ")" : "");
        if (put < 0 || (size_t)put >= size - len) return;
        len += (size_t)put;
    }
}

static bool is_field(const struct stat_method *method, gramc_text key) {
    for (size_t i = 0; i < STAT_FIELDS && method->fields[i].takes; i++)
        if (text_is(key, method->fields[i].name)) return true;
    return false;
}

/* Each member is a field, and none stands twice. */
static bool check_members(struct stat_analysis *analysis, const struct stat_method *method,
                          const struct json *inputs) {
    char fields[160] = "";
    list_fields(method, fields, sizeof fields);
    if (!json_is(inputs, JSON_OBJECT))
        return stat_complain(analysis, "", "the inputs are an object with %s", fields);
    for (const struct json *member = inputs->first; member; member = member->next) {
        char key[48];
        snprintf(key, sizeof key, "%.*s", member->key.len < 40 ? (int)member->key.len : 40,
                 member->key.ptr);
        if (!is_field(method, member->key))
            return stat_complain(analysis, key, "%s has no such input; it takes %s", method->name,
                                 fields);
        if (json_get_text(inputs, member->key) != member)
            return stat_complain(analysis, key, "stands twice; leave one out");
    }
    return true;
}

static bool read_or_default(struct stat_analysis *analysis, const struct stat_method *method,
                            size_t i, const struct json *inputs) {
    const struct stat_field *field = &method->fields[i];
    const struct json *value = json_get(inputs, field->name);
    analysis->in[i].given = value != NULL;
    if (!value && field->without) {
        value = json_parse(analysis->arena, text_of(field->without), NULL);
        if (!value) return false;
        if (value->kind == JSON_NULL) return true;
    }
    if (!value) {
        char fields[160] = "";
        list_fields(method, fields, sizeof fields);
        return stat_complain(analysis, field->name, "is missing: %s; %s takes %s",
                             ranges[field->takes].words, method->name, fields);
    }
    return read_field(analysis, &analysis->in[i], field, value);
}

bool stat_read_inputs(struct stat_analysis *analysis, const struct stat_method *method,
                      const struct json *inputs) {
    if (!check_members(analysis, method, inputs)) return false;
    for (size_t i = 0; i < STAT_FIELDS && method->fields[i].takes; i++)
        if (!read_or_default(analysis, method, i, inputs)) return false;
    return true;
}
