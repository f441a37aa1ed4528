/* What has to hold before an experiment runs: every case has what the agents ask for, and the model
 * sees the same in all arms but for what the experiment says that it varies. Asks no model. */
#ifndef EXPERIMENT_VIEW_H
#define EXPERIMENT_VIEW_H

#include "base/json/json.h"
#include "experiment/cases.h"

/* The first request of a bound arm, as it would be sent; what it would be sent by differs. */
struct request_view {
    gramc_text name;             /* of the arm */
    gramc_text model;            /* with its provider, as it is asked */
    gramc_text body;             /* as it would go over the wire */
    const struct json *document; /* the same */
};

/* Has the runtime build the request for that case and goes no further. All in the arena.
 * GRAMC_FINDINGS: the run would not come so far, as `why` says. GRAMC_NOMEM. */
gramc_status view_take(struct request_view *out, struct arena *arena, gramc_loop *loop,
                       const gramc_bound *bound, const struct item *item, struct buf *why);
/* Writes what differs first where it must not, with both texts: true. `vary` has words of an
 * experiment; the sampling seed never counts. */
bool view_differs(struct buf *why, const struct request_view *first,
                  const struct request_view *second, const gramc_text *vary, size_t vary_count);
/* Writes all that differs between them, in words: "the model; the instruction; tool `x`, which only
 * b has". Nothing: they are alike but for the sampling seed. */
void view_differences(struct buf *out, const struct request_view *first,
                      const struct request_view *second);
/* The first case that an agent cannot be run with: writes why, true. */
bool view_case_lacks(struct buf *why, const gramc_agent *agent, const struct cases *cases);

#endif
