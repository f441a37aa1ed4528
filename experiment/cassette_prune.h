/* What of a cassette no run of a plan would play. */
#ifndef EXPERIMENT_CASSETTE_PRUNE_H
#define EXPERIMENT_CASSETTE_PRUNE_H

#include "experiment/cassette_read.h"

struct cassette_pruned {
    size_t kept, dropped; /* cells; none kept: the file is of no use */
};

/* The file of that name without cells that the plan does not have. GRAMC_FINDINGS with the error:
 * it is no cassette, or one of another seed, of which nothing is used and nothing is dropped
 * either; GRAMC_NOMEM, GRAMC_LIMIT. */
gramc_status cassette_prune(struct buf *out, gramc_text name, gramc_text file,
                            const struct plan *plan, struct cassette_pruned *pruned,
                            struct cassette_error *error);

#endif
