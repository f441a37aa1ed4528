/* Reads the lines of a cassette one after the other, for who looks at what was recorded without
 * playing it: estimates, `gramc cassette`. */
#ifndef EXPERIMENT_CASSETTE_READ_H
#define EXPERIMENT_CASSETTE_READ_H

#include "experiment/attempt.h"
#include "experiment/cassette.h"

struct cassette_reader {
    struct arena *arena; /* of the events, which borrow from the text */
    gramc_text text;
    size_t at, line;          /* line: of the newest event, from 1 */
    gramc_text source;        /* of the newest event */
    const struct json *event; /* the newest one */
    gramc_text kind;          /* its `event` */
    gramc_text arm;           /* of the newest cell; empty before the first */
    uint64_t repeat;          /* likewise, from 1 */
    struct cassette_error error;
};

/* The next line. GRAMC_NOT_FOUND at the end; GRAMC_FINDINGS: it is no JSON object, or the first one
 * is no header of a known version, as `error` says; GRAMC_NOMEM. */
gramc_status cassette_next(struct cassette_reader *reader);
/* What a cell of that file used, from its `outcome`: true, with cell.repeat filled in and all that
 * usage_sum_add reads. */
bool cassette_used(const struct cassette_reader *reader, struct attempt *out);

#endif
