/* What came of the inputs of fuzz_run.c so far. */
#ifndef TESTS_FUZZ_FUZZ_RUN_H
#define TESTS_FUZZ_FUZZ_RUN_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_runs {
    size_t refused; /* by the compiler, or the reader of scripts */
    size_t unbound; /* by binding */
    size_t ended;   /* ran to an end */
};
struct fuzz_runs fuzz_runs(void);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
