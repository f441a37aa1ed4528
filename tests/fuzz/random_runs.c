/* random_runs COUNT SEED: so many random inputs for fuzz_run.c. Most must be whole runs, or nothing
 * would have been tried. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz_run.h"

enum { LONGEST = 700 };

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    uint64_t state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    for (size_t i = 0; i < count; i++) {
        uint8_t data[LONGEST];
        size_t size = next(&state) % LONGEST;
        for (size_t k = 0; k < size; k++) data[k] = (uint8_t)next(&state);
        LLVMFuzzerTestOneInput(data, size);
    }
    struct fuzz_runs runs = fuzz_runs();
    printf("%zu inputs: %zu runs ended, %zu did not bind, %zu did not compile\n", count, runs.ended,
           runs.unbound, runs.refused);
    return count && runs.ended >= count / 4 ? 0 : 1;
}
