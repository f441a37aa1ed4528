/* What stands in the tables of a store in PostgreSQL, and back. */
#ifndef EXPERIMENT_STORE_POSTGRES_ROWS_H
#define EXPERIMENT_STORE_POSTGRES_ROWS_H

#include "experiment/store/driver.h"
#include "experiment/store/postgres_link.h"

/* Inside a transaction. False: the fence is old, and nothing was written; what goes wrong sticks to
 * the connection. What this claim has written already, in a commit that was not heard of, stays as
 * it is. */
bool postgres_write(struct postgres *db, int64_t experiment, const struct store_write *write);

/* Which item stands at which place. */
struct postgres_order {
    const uint32_t *order;
    uint32_t items;
    uint32_t place; /* that is asked for, or STORE_EVERY */
};

/* See store_each. GRAMC_NOMEM; what else goes wrong sticks to the connection. */
gramc_status postgres_each(struct postgres *db, int64_t experiment,
                           const gramc_allocator *allocator, const struct postgres_order *order,
                           bool traces, store_visit *visit, void *ctx);

/* False: there is no such experiment, or something went wrong. */
bool postgres_expose(struct postgres *db, int64_t experiment, const struct store_exposure *exposure,
                     uint32_t *place);
void postgres_exposures(struct postgres *db, int64_t experiment, store_exposure_visit *visit,
                        void *ctx);

#endif
