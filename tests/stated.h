/* Whether a stated limit is what a test says it is. Tests know the numbers and the words of
 * docs/limits.md by themselves: one that took them from base/limits.def would change with them.
 * STATED stands in the test that shows what happens at the limit and one past it; tests/house/
 * generated.sh demands one for each row. Include cmocka.h first. */
#ifndef TESTS_STATED_H
#define TESTS_STATED_H

#include <string.h>

#include "base/limits.h"

static inline void stated(const char *name, long long value, const char *beyond) {
#define LIMIT_GROUP(title)
#define LIMIT(name, value, unit, what, beyond) {#name, (value), beyond},
    static const struct {
        const char *name;
        long long value;
        const char *beyond;
    } rows[] = {
#include "base/limits.def"
    };
#undef LIMIT
#undef LIMIT_GROUP
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        if (rows[i].value != value) fail_msg("%s is %lld", name, rows[i].value);
        assert_string_equal(rows[i].beyond, beyond);
        return;
    }
    fail_msg("%s is no stated limit", name);
}

#define STATED(name, value, beyond) stated(#name, (value), (beyond))

#endif
