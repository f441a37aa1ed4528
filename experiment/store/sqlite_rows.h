/* What stands in the tables of a store's file, and back. */
#ifndef EXPERIMENT_STORE_SQLITE_ROWS_H
#define EXPERIMENT_STORE_SQLITE_ROWS_H

#include "experiment/store/driver.h"
#include "runtime/sqlite.h"

/* Inside a transaction. False: the fence is old, and nothing was written; what goes wrong sticks to
 * the database. */
bool sqlite_write(struct sqlite *db, int64_t experiment, const struct store_write *write);

/* Which item stands at which place; order NULL: the place is the item. */
struct sqlite_order {
    const uint32_t *order;
    uint32_t items;
    uint32_t place; /* that is asked for, or STORE_EVERY */
};

/* See store_each. GRAMC_NOMEM; what else goes wrong sticks to the database. */
gramc_status sqlite_each(struct sqlite *db, int64_t experiment, const gramc_allocator *allocator,
                         const struct sqlite_order *order, bool traces, store_visit *visit,
                         void *ctx);

/* Inside a transaction: the place that it was given. */
uint32_t sqlite_expose(struct sqlite *db, int64_t experiment,
                       const struct store_exposure *exposure);
void sqlite_exposures(struct sqlite *db, int64_t experiment, store_exposure_visit *visit,
                      void *ctx);

#endif
