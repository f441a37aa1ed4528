/* What the generators of calls and the benchmark share; see workload.h. */
#define _POSIX_C_SOURCE 200809L
#include "bench/validate/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void random_seed(struct random *random, uint64_t seed) {
    random->state = seed * 2 + 1;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled"
 */
uint32_t random_below(struct random *random, uint32_t below) {
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (uint32_t)((random->state * UINT64_C(2685821657736338717)) >> 33) % below;
}

static const char *const words[] = {
    "report",
    "the",
    "of",
    "weekly",
    "meeting",
    "invoice",
    "draft",
    "with",
    "please",
    "answer",
    "spare",
    "parts",
    "and",
    "budget",
    "minutes",
    "before",
    "noon",
    "delivery",
    "K\xC3\xB6ln",
    "d\xC3\xA9j\xC3\xA0",
    "\xE6\x9D\xB1\xE4\xBA\xAC",
    "plan",
    "list",
    "again",
};

const char *random_word(struct random *random, bool foreign) {
    uint32_t word = random_below(random, sizeof words / sizeof words[0]);
    return words[!foreign && strpbrk(words[word], "\xC3\xE6") ? 0 : word];
}

void random_words(struct random *random, struct buf *out, uint32_t least, uint32_t most) {
    uint32_t count = least + random_below(random, most - least + 1);
    bool foreign = random_below(random, 100) < 15;
    buf_putc(out, '"');
    for (uint32_t i = 0; i < count; i++) {
        if (i) buf_putc(out, ' ');
        buf_puts(out, random_word(random, foreign));
    }
    buf_putc(out, '"');
}

gramc_text workload_file(const char *path) {
    gramc_text text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return text;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
        text = (gramc_text){bytes, (size_t)size};
    fclose(file);
    return text;
}

double workload_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
