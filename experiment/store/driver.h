/* What a database has to do for a store (store.c). One thread calls begin, claim, heartbeat, each
 * and find, another one write; both are never in the same function. */
#ifndef EXPERIMENT_STORE_DRIVER_H
#define EXPERIMENT_STORE_DRIVER_H

#include "experiment/store/store.h"

enum store_write_kind { WRITE_CLAIM, WRITE_ATTEMPT, WRITE_PREFERENCE, WRITE_FINISH, WRITE_STATUS };

/* Something that is to be written, one block of memory with all its texts. */
struct store_write {
    struct store_write *next;
    size_t size; /* of the block */
    enum store_write_kind kind;
    struct store_claim claim;
    struct attempt attempt;
    struct preference preference;
    enum store_status status;
    gramc_text text; /* the owner of a claim, the reason of a status */
};

#define STORE_EVERY UINT32_MAX

/* Attempts that an old fence has kept out. */
enum { STORE_LOST = 32 };
struct store_refusals {
    uint64_t count;
    struct store_claim claims[STORE_LOST]; /* of the first ones */
    size_t claim_count;
};
void store_refuse(struct store_refusals *refusals, const struct store_claim *claim);

struct store_driver {
    /* The path or address; *out is freed by close, also after a failure. */
    gramc_status (*open)(void **out, gramc_text where, const gramc_allocator *allocator,
                         struct store_error *error);
    void (*close)(void *db);
    gramc_status (*begin)(void *db, gramc_text id, const struct plan *plan, gramc_text details,
                          struct store_error *error);
    gramc_status (*take_up)(void *db, gramc_text id, struct store_error *error);
    /* The claim itself need not be written: it is queued as WRITE_CLAIM where `queue` is set. */
    gramc_status (*claim)(void *db, gramc_text owner, uint32_t lease_ms, struct store_claim *out,
                          bool *got, bool *queue, struct store_error *error);
    gramc_status (*heartbeat)(void *db, gramc_text owner, uint32_t lease_ms);
    /* The claim is over, as far as this process knows of it. */
    void (*finish)(void *db, const struct store_claim *claim);
    /* All or nothing; counts what an old fence has kept out. */
    gramc_status (*write)(void *db, const struct store_write *first,
                          struct store_refusals *refusals, struct store_error *error);
    /* Of the item at that place, or of STORE_EVERY. */
    gramc_status (*each)(void *db, uint32_t place, bool traces, store_visit *visit, void *ctx,
                         struct store_error *error);
    gramc_status (*left)(void *db, uint64_t *out, struct store_error *error);
    gramc_status (*find)(void *db, size_t i, struct store_entry *out, struct store_error *error);
    /* As store_expose, store_feedback, store_exposures. */
    gramc_status (*expose)(void *db, const struct store_exposure *exposure, struct store_claim *out,
                           struct store_error *error);
    gramc_status (*feedback)(void *db, uint32_t place, double value, struct store_error *error);
    gramc_status (*exposures)(void *db, store_exposure_visit *visit, void *ctx,
                              struct store_error *error);
};

extern const struct store_driver store_sqlite, store_postgres;

/* printf; returns the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
gramc_status
store_fail(struct store_error *error, gramc_status status, const char *format, ...);
/* The status of that name, as it is stored; EXPERIMENT_PLANNED for one that is not known. */
enum store_status store_status_of(gramc_text name);
const char *store_status_name(enum store_status status);
/* Both, in the arena. */
gramc_text store_join(struct arena *arena, gramc_text first, gramc_text second);

#endif
