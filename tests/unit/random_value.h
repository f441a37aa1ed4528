/* Random JSON values over few names and scalars, so that schemas drawn over the same ones often
 * accept them. */
#ifndef TESTS_UNIT_RANDOM_VALUE_H
#define TESTS_UNIT_RANDOM_VALUE_H

#include "base/buf.h"

/* What is drawn twice from one state is the same; with `strays`, a choice is another one now and
 * then. */
struct random {
    uint64_t state, other;
    bool strays;
};

/* xorshift64: https://en.wikipedia.org/wiki/Xorshift */
static inline uint32_t next_of(uint64_t *state, uint32_t below) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % below;
}

static inline uint32_t draw(struct random *random, uint32_t below) {
    uint32_t drawn = next_of(&random->state, below);
    return random->strays && !next_of(&random->other, 40) ? next_of(&random->other, below) : drawn;
}

enum { SCALARS = 13 };

static const char *const names[] = {"a", "b", "c"};
static const char *const scalars[SCALARS] = {
    "0", "1", "2", "3", "-1", "1.5", "\"\"", "\"a\"", "\"ab\"", "\"abc\"", "true", "false", "null"};

/* Half of them objects, where they may nest. */
static inline void put_value(struct random *random, struct buf *out, int depth) {
    uint32_t kind = draw(random, depth > 0 ? 4 : 1);
    bool some = false;
    if (kind == 0) {
        buf_puts(out, scalars[draw(random, SCALARS)]);
    } else if (kind == 1) {
        buf_putc(out, '[');
        for (uint32_t i = 0, count = draw(random, 4); i < count; i++) {
            if (i) buf_putc(out, ',');
            put_value(random, out, depth - 1);
        }
        buf_putc(out, ']');
    } else {
        buf_putc(out, '{');
        for (size_t i = 0; i < 3; i++) {
            if (draw(random, 2)) continue;
            buf_printf(out, "%s\"%s\":", some ? "," : "", names[i]);
            put_value(random, out, depth - 1);
            some = true;
        }
        buf_putc(out, '}');
    }
}

#endif
