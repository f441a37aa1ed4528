/* docs/limits.md: the rows of base/limits.def as tables, with numbers as people write them. A test
 * compares the page that is kept with this one. */
#include "cli/generate/generate.h"

#include "base/limits.h"

enum limit_unit { COUNT, BYTES, MS };

struct limit_row {
    const char *group; /* a title, and nothing else; or NULL */
    const char *name, *what, *beyond;
    long value;
    enum limit_unit unit;
};

static const struct limit_row rows[] = {
#define LIMIT_GROUP(title) {.group = title},
#define LIMIT(name, value, unit, what, beyond) {NULL, #name, what, beyond, value, unit},
#include "base/limits.def"
#undef LIMIT
#undef LIMIT_GROUP
};

/* 100,000 */
static void put_number(FILE *out, long number) {
    if (number >= 1000) {
        put_number(out, number / 1000);
        fprintf(out, ",%03ld", number % 1000);
    } else fprintf(out, "%ld", number);
}

static void put_value(FILE *out, long value, enum limit_unit unit) {
    static const char *const names[] = {"", " bytes", " ms"};
    bool whole = unit == MS && value % 1000 == 0;
    if (unit == BYTES && value % (1 << 20) == 0) fprintf(out, "%ld MiB", value >> 20);
    else if (unit == BYTES && value % 1024 == 0) fprintf(out, "%ld KiB", value >> 10);
    else if (whole && value % 60000 == 0) fprintf(out, "%ld min", value / 60000);
    else if (whole) fprintf(out, "%ld s", value / 1000);
    else {
        put_number(out, value);
        fputs(names[unit], out);
    }
}

void write_limits(FILE *out) {
    fputs("# Limits\n\nWhat gramc takes at most, and what happens beyond. This page is generated "
          "from\n"
          "`base/limits.def` (`gramc-generate limits FILE`); a test compares the two.\n",
          out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct limit_row *row = &rows[i];
        if (row->group) {
            fprintf(out, "\n## %s\n\n| at most | of | beyond | name |\n|---|---|---|---|\n",
                    row->group);
            continue;
        }
        fputs("| ", out);
        put_value(out, row->value, row->unit);
        fprintf(out, " | %s | %s | `%s` |\n", row->what, row->beyond, row->name);
    }
}
