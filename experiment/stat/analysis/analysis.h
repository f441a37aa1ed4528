/* Every analysis by its name, its inputs and results as JSON: so that anybody can compute a number
 * of a report again. Names and fields are those of docs/statistics.md. */
#ifndef EXPERIMENT_STAT_ANALYSIS_ANALYSIS_H
#define EXPERIMENT_STAT_ANALYSIS_ANALYSIS_H

#include "base/json/json.h"

struct stat_analysis;

/* What a field takes. */
enum stat_taken {
    TAKES_NOTHING, /* ends the list of fields */
    TAKES_NUMBER,
    TAKES_POSITIVE,
    TAKES_NOT_NEGATIVE,
    TAKES_RATE,       /* 0 to 1 */
    TAKES_SHARE,      /* the same without the ends */
    TAKES_DIFFERENCE, /* -1 to 1 */
    TAKES_COUNT,      /* whole, 0 to 2^53 */
    TAKES_SEED,       /* whole, 0 to 2^64 - 1 */
    TAKES_NUMBERS,    /* lists */
    TAKES_POSITIVES,
    TAKES_RATES,
    TAKES_DIFFERENCES,
    TAKES_COUNTS,
    TAKES_NAMES,  /* numbers or texts that name clusters */
    TAKES_TABLES, /* [runs, passes] pairs */
    TAKES_WORD,   /* one of the field's words */
    TAKES_FLAG,
    TAKES_TEXT
};

enum { STAT_FIELDS = 8, STAT_WORDS = 3 };

struct stat_field {
    const char *name;
    enum stat_taken takes;
    const char *without; /* what it is when it is left out, as JSON; NULL: it may not be */
    const char *words[STAT_WORDS];
};

struct stat_method {
    const char *name, *about;
    struct stat_field fields[STAT_FIELDS];
    void (*run)(struct stat_analysis *analysis);
};

/* NULL past the end; in the order of docs/statistics.md. */
const struct stat_method *stat_method(size_t i);
const struct stat_method *stat_method_find(gramc_text name);
/* The nearest name, for a question; empty: none is near. */
gramc_text stat_method_nearest(gramc_text name);
/* "a whole number", "a list of numbers": what a field takes, in words. */
const char *stat_taken_words(enum stat_taken takes);

struct stat_complaint {
    char field[64]; /* empty: the inputs as a whole */
    char message[320];
};

/* Appends the results, an object in one line; null stands for what is undefined or infinite.
 * GRAMC_USAGE: the complaint says which field is wrong and what it takes. GRAMC_NOMEM, GRAMC_LIMIT:
 * `out` is too small. */
gramc_status stat_analyse(struct buf *out, struct arena *arena, const struct stat_method *method,
                          const struct json *inputs, struct stat_complaint *complaint);

#endif
