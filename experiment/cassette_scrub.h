/* Blots out what should not lie in a repository: in a cassette that was recorded already, or found
 * in it. The same text becomes the same everywhere, so that what is played still follows from what
 * was. */
#ifndef EXPERIMENT_CASSETTE_SCRUB_H
#define EXPERIMENT_CASSETTE_SCRUB_H

#include <regex.h>

#include "experiment/cassette_read.h"

#define SCRUBBED "[scrubbed]"

enum { SCRUB_RULES = 64 };

/* What else than what looks like a secret. */
struct scrub_rules {
    gramc_text members[SCRUB_RULES]; /* names of members: whatever text they hold */
    size_t member_count;
    const regex_t *patterns[SCRUB_RULES]; /* each match; an empty one is none */
    size_t pattern_count;
};

/* The whole file anew. *places: texts of it that were changed. GRAMC_FINDINGS with the error: it is
 * no cassette; GRAMC_LIMIT, GRAMC_NOMEM. */
gramc_status cassette_scrub(struct buf *out, gramc_text file, const struct scrub_rules *rules,
                            size_t *places, struct cassette_error *error);

/* The first text of an event that would be blotted out without any rules: its path, and its first
 * bytes. */
struct secret_place {
    char where[160], begin[16];
    const char *why;
};
bool cassette_event_secret(struct arena *arena, const struct json *event, struct secret_place *out);

#endif
