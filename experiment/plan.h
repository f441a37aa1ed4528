/* What is run, in which order: items by a seeded permutation; of each item all repeats adjacent; in
 * each repeat the arms in an order of their own. A million cells take no memory: the order of arms
 * and the sampling seeds are computed when they are asked for. Runs nothing. */
#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "base/json/writer.h"
#include "base/limits.h"
#include "experiment/cases.h"

/* What one arm is run with. */
struct plan_arm {
    const gramc_bound *bound;
    const gramc_offering *offering; /* of its library's boxes; NULL: nobody was asked */
    gramc_text model;               /* with its provider */
};
struct plan_runs {
    const struct plan_arm *arms; /* one an arm of the experiment */
    gramc_text judge;            /* that stands in for the graders' models; empty: none does */
};

/* Fingerprints of what a plan is made of, so that two that differ can say in what (plan_parts.c).
 */
enum { PLAN_WHOLE_PARTS = 3, PLAN_ARM_PARTS = 5, PLAN_PRINT = 65 };
struct plan_parts {
    char whole[PLAN_WHOLE_PARTS][PLAN_PRINT]; /* settings, cases, graders */
    char arms[ARMS_MAX][PLAN_ARM_PARTS][PLAN_PRINT];
};

struct plan {
    const gramc_experiment *experiment; /* borrowed, as are the cases */
    const struct cases *cases;
    uint32_t *order; /* order[place] is the index of an item in the file */
    uint32_t items, repeats, arms;
    uint64_t seed;
    gramc_allocator allocator;
    struct plan_parts parts;
    char fingerprint[PLAN_PRINT]; /* of everything that must be the same when a run is resumed */
};

/* One planned run. */
struct cell {
    uint32_t item, repeat, arm; /* item: its index in the file */
};

/* GRAMC_NOMEM; GRAMC_LIMIT: too many cases or arms. `runs` is for the fingerprint; NULL: nothing
 * will be run, and it is the fingerprint of no run. */
gramc_status plan_make(struct plan *out, const gramc_experiment *experiment,
                       const struct cases *cases, const struct plan_runs *runs,
                       const gramc_allocator *allocator);
void plan_free(struct plan *plan);

uint64_t plan_cells(const struct plan *plan);
/* The arms of one repeat of an item, in the order in which they run. */
void plan_arms(const struct plan *plan, uint32_t item, uint32_t repeat, uint32_t out[ARMS_MAX]);
/* What the model is given to draw by: the same in all arms, 0 to 2^31 - 1. */
uint32_t plan_sampling_seed(const struct plan *plan, uint32_t item, uint32_t repeat);

/* ## What it is made of (plan_parts.c) */
void plan_parts_take(struct plan *plan, const struct plan_runs *runs);
/* As a member `parts` of the object that is being written. */
void plan_parts_write(struct json_writer *w, const struct plan *plan);
/* In what the plan differs from one whose `parts` these are: "its cases, the library of arm b".
 * False: in nothing that is known, and nothing is written. */
bool plan_parts_differ(struct buf *out, const struct plan *plan, const struct json *parts);

#endif
