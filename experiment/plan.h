/* What is run, in which order: items by a seeded permutation; of each item all repeats adjacent; in
 * each repeat the arms in an order of their own. A million cells take no memory: the order of arms
 * and the sampling seeds are computed when they are asked for. Runs nothing. */
#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "base/limits.h"
#include "experiment/cases.h"

struct plan {
    const gramc_experiment *experiment; /* borrowed, as are the cases */
    const struct cases *cases;
    uint32_t *order; /* order[place] is the index of an item in the file */
    uint32_t items, repeats, arms;
    uint64_t seed;
    gramc_allocator allocator;
    char fingerprint[65]; /* of everything that must be the same when a run is resumed */
};

/* One planned run. */
struct cell {
    uint32_t item, repeat, arm; /* item: its index in the file */
};

/* GRAMC_NOMEM; GRAMC_LIMIT: too many cases or arms. `bound`: one agent and library an arm, for the
 * fingerprint; NULL: nothing will be run, and it is the fingerprint of no run. */
gramc_status plan_make(struct plan *out, const gramc_experiment *experiment,
                       const struct cases *cases, const gramc_bound *const *bound,
                       const gramc_allocator *allocator);
void plan_free(struct plan *plan);

uint64_t plan_cells(const struct plan *plan);
/* The arms of one repeat of an item, in the order in which they run. */
void plan_arms(const struct plan *plan, uint32_t item, uint32_t repeat, uint32_t out[ARMS_MAX]);
/* What the model is given to draw by: the same in all arms, 0 to 2^31 - 1. */
uint32_t plan_sampling_seed(const struct plan *plan, uint32_t item, uint32_t repeat);

#endif
