/* Random gram texts that parse without an error, comments in places. */
#ifndef TESTS_UNIT_RANDOM_GRAM_H
#define TESTS_UNIT_RANDOM_GRAM_H

#include "base/buf.h"

struct random {
    uint64_t state;
    struct buf out;
};

/* xorshift64*: https://en.wikipedia.org/wiki/Xorshift */
static inline unsigned roll(struct random *random, unsigned sides) {
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (unsigned)((random->state * UINT64_C(2685821657736338717)) >> 33) % sides;
}

static inline const char *pick(struct random *random, const char *const *texts, unsigned count) {
    return texts[roll(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick((random), (const char *const[]){__VA_ARGS__},                                             \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static inline void put_blank(struct random *random) {
    buf_puts(&random->out, PICK(random, "", "", "", " ", "\n", " // c\n"));
}

static inline void put_string(struct random *random) {
    buf_puts(&random->out,
             PICK(random, "''", "'a'", "'it\\'s \\n'", "\"x\"", "\"\\\\ \\\"\"",
                  "\"\\u0041\\u0000\"", "\"a\nb\"", "`b`", "`\\``", "```\n```",
                  "```\n a `b` ``c``\n  ```", "```md\nx```", "``` t-1 // c\n\n y\n```", "md`z`",
                  "j.s `{\\\\}`", "\"\xC3\xA9\"", "\"//x\""));
}

static inline void put_number(struct random *random) {
    buf_puts(&random->out, PICK(random, "0", "-0", "12", "-3", "1.50", "0xFf", "0777", "5kg",
                                "-1ms", "1e5", "1.5E-3", "2.5cm", "0xG"));
}

static inline void put_record(struct random *random, unsigned depth);

static inline void put_value(struct random *random, unsigned depth) {
    unsigned kind = roll(random, depth ? 7 : 5);
    if (kind == 0) put_string(random);
    else if (kind == 1) put_number(random);
    else if (kind == 2) buf_puts(&random->out, PICK(random, "true", "false", "sym", "a..b", "x-"));
    else if (kind == 3) {
        put_number(random);
        buf_puts(&random->out, " .. ");
        put_number(random);
    } else if (kind == 4) {
        buf_puts(&random->out, PICK(random, "1...", "...2", "1.5 ...", "... 0x1"));
    } else if (kind == 5) {
        put_record(random, depth - 1);
    } else {
        buf_putc(&random->out, '[');
        for (unsigned i = 0, n = roll(random, 4); i < n; i++) {
            if (i) buf_putc(&random->out, ',');
            put_value(random, depth - 1);
        }
        buf_putc(&random->out, ']');
    }
}

static inline void put_record(struct random *random, unsigned depth) {
    buf_putc(&random->out, '{');
    for (unsigned i = 0, n = roll(random, 4); i < n; i++) {
        if (i) buf_putc(&random->out, ',');
        put_blank(random);
        buf_puts(&random->out, PICK(random, "k", "true", "`a b`", "\"c d\"", "a.b", "k"));
        buf_puts(&random->out, PICK(random, ":", "::", " : "));
        put_value(random, depth);
    }
    buf_putc(&random->out, '}');
}

static inline void put_subject(struct random *random) {
    if (roll(random, 2))
        buf_puts(&random->out, PICK(random, "a", "`b c`", "-1", "true", "x-", "`\\``", "p@q"));
    put_blank(random);
    for (unsigned i = 0, n = roll(random, 3); i < n; i++)
        buf_puts(&random->out, PICK(random, ":A", "::B", ": C", ":`d e`", "::false"));
    put_blank(random);
    if (roll(random, 3) == 0) put_record(random, 2);
}

static inline void put_arrow(struct random *random) {
    static const char *const halves[][4] = {
        {"-", "<-", "-", "->"}, {"=", "<=", "=", "=>"}, {"~", "<~", "~", "~>"}};
    const char *const *family = halves[roll(random, 3)];
    buf_puts(&random->out, family[roll(random, 2)]);
    if (roll(random, 2)) {
        buf_putc(&random->out, '[');
        put_subject(random);
        buf_putc(&random->out, ']');
    }
    buf_puts(&random->out, family[2 + roll(random, 2)]);
}

static inline void put_path(struct random *random) {
    for (unsigned i = 0, n = 1 + roll(random, 4); i < n; i++) {
        if (i) put_arrow(random);
        buf_putc(&random->out, '(');
        put_subject(random);
        buf_putc(&random->out, ')');
    }
}

static inline void put_bracket(struct random *random, unsigned depth) {
    buf_putc(&random->out, '[');
    put_subject(random);
    if (depth && roll(random, 2)) {
        buf_puts(&random->out, " | ");
        for (unsigned i = 0, n = 1 + roll(random, 4); i < n; i++) {
            unsigned kind = roll(random, 3);
            if (i) buf_puts(&random->out, ", ");
            if (kind == 0) put_bracket(random, depth - 1);
            else if (kind == 1) put_path(random);
            else buf_puts(&random->out, PICK(random, "r", "`r s`", "-2", "false"));
        }
    }
    buf_putc(&random->out, ']');
}

static inline void put_document(struct random *random) {
    if (roll(random, 4) == 0) put_record(random, 3);
    for (unsigned i = 0, n = roll(random, 5); i < n; i++) {
        if (roll(random, 4) == 0)
            buf_puts(&random->out, PICK(random, "@@p ", "@@:L::M ", "@@1:L @x(1) ", "@x({a:1}) ",
                                        "@x('s')@y([1])"));
        if (roll(random, 2)) put_bracket(random, 3);
        else put_path(random);
        put_blank(random);
    }
}

#endif
