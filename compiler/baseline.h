/* Baselines: what is known, by a key for each finding or change (baseline.c). */
#ifndef COMPILER_BASELINE_H
#define COMPILER_BASELINE_H

#include "base/diag/diag.h"
#include "base/mem.h"

struct baseline_entry {
    gramc_text path, code;
    char key[DIAG_KEY];
    uint32_t order, count; /* order of the first one of this key */
};

/* Sorts them, and writes each key once with its number. GRAMC_NOMEM, GRAMC_LIMIT, GRAMC_IO. */
gramc_status baseline_write(struct baseline_entry *entries, size_t count,
                            const gramc_allocator *allocator, gramc_writer writer);

struct baseline {
    struct baseline_entry *entries;
    size_t count;
};

/* Reads a file; GRAMC_USAGE if it is none. */
gramc_status baseline_read(struct baseline *known, struct arena *arena, gramc_text text);
/* True if one more of that key is known; it is used up. */
bool baseline_take(struct baseline *known, const char key[DIAG_KEY]);
/* How many were not used up, of changes or of findings. */
size_t baseline_left(const struct baseline *known, bool of_changes);

#endif
