/* Sequential stopping: after each finished item, whether the primary metric is decided for every
 * arm. Items come in the order of the plan, each (or each cluster) steps once. What is decided here
 * is what the report's confidence sequence shows (sequence.c), at a cost that does not grow. */
#ifndef EXPERIMENT_STOP_H
#define EXPERIMENT_STOP_H

#include "experiment/analyse.h"
#include "experiment/engine.h"

struct stop;

/* *out is NULL where the experiment does not stop early, or its metric has no bounds. GRAMC_NOMEM.
 */
gramc_status stop_new(struct stop **out, const struct plan *plan,
                      const struct analysis_grader *graders, size_t grader_count,
                      const gramc_allocator *allocator);
void stop_free(struct stop *stop);

/* For struct engine_watch, with the stop as ctx. */
void stop_over(void *ctx, uint32_t place, const struct attempt *attempt);
void stop_preferred(void *ctx, uint32_t place, const struct preference *preference);
const char *stop_finished(void *ctx, uint32_t place);

/* What may be looked at by now: the mean difference to the first arm over the items that are
 * finished without a gap, and its confidence sequence. */
struct stop_estimate {
    gramc_text arm;
    uint32_t items; /* or clusters, that have stepped */
    double mean;
    struct stat_interval interval;
};
/* False: there is no such arm (they count from 1), or no item has stepped yet. */
bool stop_estimate(struct stop *stop, uint32_t arm, struct stop_estimate *out);

#endif
