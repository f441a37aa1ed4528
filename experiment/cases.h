/* The cases of an experiment: JSON lines or CSV, read once, immutable afterwards. */
#ifndef EXPERIMENT_CASES_H
#define EXPERIMENT_CASES_H

#include "base/json/json.h"
#include "base/mem.h"
#include "gramc/runtime.h"

/* One case, an item of the experiment. */
struct item {
    gramc_text id;               /* unique; the line's number where the case has none */
    gramc_text cluster, stratum; /* empty: none; without clusters every item is one */
    const gramc_text *messages;  /* of the user, one or more */
    size_t message_count;
    const gramc_input *inputs; /* all other fields: a text as it is, anything else as JSON */
    size_t input_count;
    const struct json *expect; /* NULL: none */
    gramc_text text;           /* the case as canonical JSON: what its fingerprint is made of */
    unsigned line;             /* in the file, from 1 */
};

struct cases {
    struct arena arena; /* all of it */
    const struct item *items;
    size_t count;
    char fingerprint[65]; /* sha256 of all texts, in hexadecimal digits */
};

struct cases_error {
    unsigned line; /* 0: none in particular */
    char message[256];
};

/* Of the bytes of a file; `name` decides by its ending (.csv, else JSON lines). GRAMC_FINDINGS: the
 * error says what is wrong: no case at all, no message, an id twice, a row of other length.
 * GRAMC_NOMEM. */
gramc_status cases_read(struct cases *out, gramc_text name, gramc_text bytes,
                        const gramc_allocator *allocator, struct cases_error *error);
void cases_free(struct cases *cases);

#endif
