/* What the generators of calls and the benchmark share: a source of chance that is the same for the
 * same seed, words, files, the time of the processor. */
#ifndef BENCH_VALIDATE_WORKLOAD_H
#define BENCH_VALIDATE_WORKLOAD_H

#include "base/buf.h"

struct random {
    uint64_t state;
};

void random_seed(struct random *random, uint64_t seed);
uint32_t random_below(struct random *random, uint32_t below);
/* A word; rarely, if asked for, one with letters beyond ASCII. */
const char *random_word(struct random *random, bool foreign);
/* So many words, as a JSON string. */
void random_words(struct random *random, struct buf *out, uint32_t least, uint32_t most);

/* The whole file, never freed; no ptr if it cannot be read. */
gramc_text workload_file(const char *path);
/* Seconds of this process. */
double workload_seconds(void);

#endif
