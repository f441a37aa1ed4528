/* The inputs of one analysis, read, and where its results go. */
#ifndef EXPERIMENT_STAT_ANALYSIS_READ_H
#define EXPERIMENT_STAT_ANALYSIS_READ_H

#include "base/json/writer.h"
#include "experiment/stat/analysis/analysis.h"
#include "experiment/stat/types.h"

struct stat_input {
    double number;
    uint64_t count; /* of a count, a seed, a flag (0 or 1); the index of a word */
    gramc_text text;
    const double *numbers;  /* of a list */
    const uint64_t *counts; /* the same as whole numbers; of [runs, passes], both in turn */
    size_t length;
    bool given;
};

struct stat_analysis {
    struct arena *arena;
    struct json_writer writer;
    struct stat_complaint *complaint;
    bool refused;                      /* there is a complaint */
    struct stat_input in[STAT_FIELDS]; /* in the order of the method's fields */
};

/* False after a complaint, and without memory (arena->oom). */
bool stat_read_inputs(struct stat_analysis *analysis, const struct stat_method *method,
                      const struct json *inputs);
/* The first complaint stands. False. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool stat_complain(struct stat_analysis *analysis, const char *field, const char *format, ...);

#endif
