/* Reads the expressions of gates, by hand: a name, a comparison or a call, a number. An error says
 * where it is and what would stand there. */
#include "experiment/gate.h"

#include "base/number.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

struct gate_reader {
    gramc_text source;
    size_t at;
    struct gate_error *error;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
complain(struct gate_reader *reader, size_t at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof reader->error->message, format, args);
    va_end(args);
    reader->error->position = at;
    return false;
}

static int peek(const struct gate_reader *reader) {
    return reader->at < reader->source.len ? (unsigned char)reader->source.ptr[reader->at] : -1;
}

static void skip_blanks(struct gate_reader *reader) {
    while (peek(reader) == ' ' || peek(reader) == '\t') reader->at++;
}

static bool take(struct gate_reader *reader, const char *symbol) {
    skip_blanks(reader);
    gramc_text rest = text_slice(reader->source, reader->at, reader->source.len);
    if (!text_starts(rest, symbol)) return false;
    reader->at += strlen(symbol);
    return true;
}

static bool is_letter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static bool read_quoted(struct gate_reader *reader, gramc_text *out) {
    size_t start = reader->at++;
    while (peek(reader) != '`' && peek(reader) >= 0) reader->at++;
    if (peek(reader) < 0) return complain(reader, start, "this backtick is never closed");
    *out = text_slice(reader->source, start + 1, reader->at++);
    return out->len > 0 || complain(reader, start, "a name is missing between the backticks");
}

static bool read_name(struct gate_reader *reader, gramc_text *out, const char *what) {
    skip_blanks(reader);
    if (peek(reader) == '`') return read_quoted(reader, out);
    size_t start = reader->at;
    if (!is_letter(peek(reader))) return complain(reader, start, "%s is expected here", what);
    while (is_letter(peek(reader)) || is_digit(peek(reader)) ||
           (peek(reader) == '-' && reader->at > start))
        reader->at++;
    *out = text_slice(reader->source, start, reader->at);
    return true;
}

/* The bytes of a JSON number without a sign. */
static size_t number_length(gramc_text rest) {
    size_t len = 0;
    while (len < rest.len && is_digit((unsigned char)rest.ptr[len])) len++;
    if (len + 1 < rest.len && rest.ptr[len] == '.' && is_digit((unsigned char)rest.ptr[len + 1]))
        for (len++; len < rest.len && is_digit((unsigned char)rest.ptr[len]);) len++;
    return len;
}

static bool read_number(struct gate_reader *reader, double *out, const char *what) {
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"pp", 0.01}, {"%", 0.01}, {"ms", 1}, {"s", 1000}};
    skip_blanks(reader);
    bool negative = take(reader, "-");
    gramc_text rest = text_slice(reader->source, reader->at, reader->source.len);
    size_t len = number_length(rest);
    /* JSON has no 007, and neither have we. */
    if (!len || !number_to_double(out, text_slice(rest, 0, len)))
        return complain(reader, reader->at, "%s is expected here, such as 0.9, 2pp or 500ms", what);
    reader->at += len;
    if (negative) *out = -*out;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (take(reader, units[i].name)) {
            *out *= units[i].factor;
            return true;
        }
    return true;
}

static bool read_end(struct gate_reader *reader) {
    skip_blanks(reader);
    if (peek(reader) < 0) return true;
    return complain(reader, reader->at, "nothing more is expected here");
}

/* ## METRIC and ARM.METRIC */

static bool ends_in(gramc_text name, const char *suffix) {
    size_t len = strlen(suffix);
    return name.len > len && memcmp(name.ptr + name.len - len, suffix, len) == 0;
}

static void split_quantity(struct gate_rule *gate) {
    static const struct {
        const char *suffix;
        enum gate_quantity quantity;
    } rows[] = {{"_p50", GATE_P50},
                {"_p95", GATE_P95},
                {"_ratio", GATE_RATIO},
                {"_difference", GATE_DIFFERENCE}};
    gate->whole = gate->metric;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ends_in(gate->whole, rows[i].suffix)) continue;
        gate->metric = text_slice(gate->whole, 0, gate->whole.len - strlen(rows[i].suffix));
        gate->quantity = rows[i].quantity;
    }
}

static bool read_metric(struct gate_reader *reader, struct gate_rule *gate) {
    if (!read_name(reader, &gate->metric, "the name of a metric")) return false;
    if (take(reader, ".")) {
        gate->arm = gate->metric;
        if (!read_name(reader, &gate->metric, "the name of a metric")) return false;
    }
    gate->whole = gate->metric;
    return true;
}

/* ## --fail-if */

static bool read_condition(struct gate_reader *reader, struct gate_rule *gate) {
    static const struct {
        const char *name;
        enum gate_condition condition;
    } rows[] = {{"regression", GATE_REGRESSION},
                {"inconclusive", GATE_INCONCLUSIVE},
                {"not_superior", GATE_NOT_SUPERIOR},
                {"not_non_inferior", GATE_NOT_NON_INFERIOR},
                {"not_equivalent", GATE_NOT_EQUIVALENT}};
    gramc_text name;
    skip_blanks(reader);
    size_t start = reader->at;
    if (!read_name(reader, &name, "a condition")) return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!text_is(name, rows[i].name)) continue;
        gate->condition = rows[i].condition;
        return true;
    }
    return complain(reader, start,
                    "no such condition: regression, inconclusive, not_superior, "
                    "not_non_inferior, not_equivalent");
}

static bool read_arguments(struct gate_reader *reader, struct gate_rule *gate) {
    while (take(reader, ",")) {
        gramc_text name;
        skip_blanks(reader);
        size_t start = reader->at;
        if (!read_name(reader, &name, "margin=")) return false;
        if (!text_is(name, "margin") || gate->has_margin)
            return complain(reader, start, "only one margin=... may stand here");
        if (!take(reader, "=")) return complain(reader, reader->at, "= is expected here");
        skip_blanks(reader);
        start = reader->at;
        if (!read_number(reader, &gate->value, "a margin")) return false;
        if (gate->value < 0) return complain(reader, start, "a margin is not below 0");
        gate->has_margin = true;
    }
    return true;
}

static bool read_fail_if(struct gate_reader *reader, struct gate_rule *gate) {
    if (!read_condition(reader, gate)) return false;
    if (!take(reader, "(")) return complain(reader, reader->at, "( is expected here");
    if (!read_metric(reader, gate) || !read_arguments(reader, gate)) return false;
    if (!take(reader, ")")) return complain(reader, reader->at, ") is expected here");
    return read_end(reader);
}

/* ## --min, --max, --case-regressions */

static bool read_bound_end(struct gate_reader *reader, struct gate_rule *gate) {
    if (!take(reader, "@")) return true;
    gramc_text name;
    size_t start = reader->at;
    if (!read_name(reader, &name, "lower, upper or point")) return false;
    if (text_is(name, "lower")) gate->end = GATE_LOWER;
    else if (text_is(name, "upper")) gate->end = GATE_UPPER;
    else if (!text_is(name, "point"))
        return complain(reader, start, "lower, upper or point is expected here");
    return true;
}

static bool read_bound(struct gate_reader *reader, struct gate_rule *gate) {
    const char *symbol = gate->option == GATE_MIN ? ">=" : "<=";
    if (!read_metric(reader, gate)) return false;
    split_quantity(gate);
    if (!take(reader, symbol))
        return complain(reader, reader->at, "%s is expected here: %s says what it must %s", symbol,
                        gate_option_name(gate->option),
                        gate->option == GATE_MIN ? "reach" : "not pass");
    return read_number(reader, &gate->value, "a number") && read_bound_end(reader, gate) &&
           read_end(reader);
}

static bool read_count(struct gate_reader *reader, struct gate_rule *gate) {
    int64_t count = 0;
    gramc_text digits = text_trim(reader->source);
    if (!number_to_int(&count, digits) || count < 0)
        return complain(reader, 0, "a number of cases is expected, such as 0");
    gate->value = (double)count;
    return true;
}

const char *gate_option_name(enum gate_option option) {
    static const char *const names[] = {"--fail-if", "--min", "--max", "--case-regressions"};
    return names[option];
}

gramc_status gate_parse(struct gate_rule *out, enum gate_option option, gramc_text source,
                        struct gate_error *error) {
    static bool (*const readers[])(struct gate_reader *,
                                   struct gate_rule *) = {[GATE_FAIL_IF] = read_fail_if,
                                                          [GATE_MIN] = read_bound,
                                                          [GATE_MAX] = read_bound,
                                                          [GATE_CASE_REGRESSIONS] = read_count};
    struct gate_reader reader = {.source = source, .error = error};
    *out = (struct gate_rule){.option = option, .source = source};
    return readers[option](&reader, out) ? GRAMC_OK : GRAMC_FINDINGS;
}
