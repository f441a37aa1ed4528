/* Turns an experiment and its cases into what is run in which order, by numbers that are the same
 * everywhere (experiment/stat/random.c). Fingerprints are plan_parts.c's. Nothing is run here, and
 * nothing is stored. */
#include "experiment/plan.h"

#include <string.h>

#include "base/text.h"
#include "experiment/stat/random.h"

/* ## The order */

static gramc_status order_items(struct plan *plan) {
    size_t size = (plan->items + (size_t)1) * sizeof(size_t);
    size_t *order = mem_alloc(&plan->allocator, size);
    if (!order) return GRAMC_NOMEM;
    stat_random_order(plan->seed, order, plan->items);
    for (uint32_t i = 0; i < plan->items; i++) plan->order[i] = (uint32_t)order[i];
    mem_free(&plan->allocator, order, size);
    return GRAMC_OK;
}

gramc_status plan_make(struct plan *out, const gramc_experiment *experiment,
                       const struct cases *cases, const struct plan_runs *runs,
                       const gramc_allocator *allocator) {
    *out = (struct plan){.experiment = experiment,
                         .cases = cases,
                         .items = (uint32_t)cases->count,
                         .repeats = experiment->repeats ? experiment->repeats : 1,
                         .arms = (uint32_t)experiment->arm_count,
                         .seed = experiment->seed,
                         .allocator = allocator ? *allocator : mem_default()};
    if (cases->count >= UINT32_MAX || experiment->arm_count > ARMS_MAX) return GRAMC_LIMIT;
    out->order = mem_alloc(&out->allocator, (out->items + (size_t)1) * sizeof(*out->order));
    if (!out->order) return GRAMC_NOMEM;
    plan_parts_take(out, runs);
    gramc_status status = order_items(out);
    if (status) plan_free(out);
    return status;
}

void plan_free(struct plan *plan) {
    size_t size = (plan->items + (size_t)1) * sizeof(*plan->order);
    if (plan->order) mem_free(&plan->allocator, plan->order, size);
    plan->order = NULL;
}

/* ## Cells */

uint64_t plan_cells(const struct plan *plan) {
    return (uint64_t)plan->items * plan->repeats * plan->arms;
}

/* The order of arms has nothing to do with what the models draw. */
static const uint64_t ORDER = UINT64_C(0x6F72646572); /* "order" */

void plan_arms(const struct plan *plan, uint32_t item, uint32_t repeat, uint32_t out[ARMS_MAX]) {
    size_t order[ARMS_MAX];
    gramc_text id = plan->cases->items[item].id;
    stat_random_order(stat_sampling_seed(plan->seed ^ ORDER, id, repeat), order, plan->arms);
    for (uint32_t i = 0; i < plan->arms; i++) out[i] = (uint32_t)order[i];
}

/* Every provider takes 31 bits, and some no more. */
uint32_t plan_sampling_seed(const struct plan *plan, uint32_t item, uint32_t repeat) {
    return (uint32_t)(stat_sampling_seed(plan->seed, plan->cases->items[item].id, repeat) >> 33);
}
