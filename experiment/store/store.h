/* Where an experiment is kept while it runs and afterwards. One interface, one file a database
 * (sqlite.c, postgres.c), one test for all. Writing is done by a thread of the store's own, in
 * groups, so that a commit never blocks the loop; every call below is made from the loop's thread.
 *
 * The unit that is claimed is an item with all its repeats and arms. A claim has a fencing number,
 * which grows with each claim: a result that comes with an older one is refused, so that nothing
 * counts twice, whoever thought dead comes back. */
#ifndef EXPERIMENT_STORE_STORE_H
#define EXPERIMENT_STORE_STORE_H

#include "experiment/attempt.h"

enum store_status {
    EXPERIMENT_PLANNED,
    EXPERIMENT_RUNNING,
    EXPERIMENT_DONE,
    EXPERIMENT_STOPPED,
    EXPERIMENT_ABORTED
};
/* "planned", "running", "done", "stopped", "aborted". */
const char *store_status_name(enum store_status status);

struct store;

struct store_error {
    char message[256];
};

struct store_claim {
    uint32_t place; /* in the plan's order; the item is plan->order[place] */
    uint64_t fence;
};

/* An address that many processes share, and no file. */
bool store_is_server(gramc_text where);
/* An address of another kind, or ours misspelled: as the name of a file nobody means it, and a
 * message with that name would show the password in it. */
bool store_is_foreign(gramc_text where);
/* `where`: a path, or postgresql://...; made where it is not there. GRAMC_FINDINGS with the error:
 * not such a store, of a newer version, not reachable. */
gramc_status store_open(struct store **out, gramc_text where, const gramc_allocator *allocator,
                        struct store_error *error);
/* Waits until all is written. GRAMC_IO: it could not be, and the error says why. */
gramc_status store_close(struct store *store, struct store_error *error);

/* What is known of an experiment without its spec; texts are valid until the next call. */
struct store_entry {
    gramc_text id;
    int64_t created_ms;
    enum store_status status;
    gramc_text reason, details;
    gramc_text plan; /* its fingerprint */
    uint32_t items, repeats, arms;
    uint64_t seed;
    uint64_t done; /* items that are finished */
};
/* The i-th of all experiments of the store, the newest first. GRAMC_NOT_FOUND past the end. */
gramc_status store_find(struct store *store, size_t i, struct store_entry *out,
                        struct store_error *error);
/* Takes one up to read it, without its plan; nothing can be claimed then. GRAMC_NOT_FOUND. */
gramc_status store_take_up(struct store *store, gramc_text id, struct store_error *error);

/* Begins an experiment or takes it up again, which only one process may do at a time where the
 * database is a file. Items that have missing cells or preferences are to be run again then.
 * GRAMC_AMBIGUOUS: there is one of this id with another plan; GRAMC_LIMIT: another process runs it;
 * `error` says so.
 */
gramc_status store_begin(struct store *store, gramc_text id, const struct plan *plan,
                         gramc_text details, /* JSON: for reports without the spec */
                         struct store_error *error);

/* The next item that nobody works on, for `lease_ms`; *got is false when there is none left now.
 * Where a lease is over, others may claim the item, its owner may not: who was stopped for a while
 * goes on with it, and what is queued still counts.
 * GRAMC_IO while store_health is fine: the database cannot be reached now; ask again. */
gramc_status store_claim(struct store *store, gramc_text owner, uint32_t lease_ms,
                         struct store_claim *out, bool *got, struct store_error *error);
/* How many items are neither finished nor claimed by this process. GRAMC_IO as above. */
gramc_status store_left(struct store *store, uint64_t *out, struct store_error *error);
/* Prolongs all leases of the owner. */
gramc_status store_heartbeat(struct store *store, gramc_text owner, uint32_t lease_ms);
/* Queues an attempt to be written; copied. A refused one (its fence is old) is told by
 * store_refused. */
gramc_status store_save(struct store *store, const struct store_claim *claim,
                        const struct attempt *attempt);
/* The same for a preference. One that is there and not missing stays as it is; costs add up. */
gramc_status store_prefer(struct store *store, const struct store_claim *claim,
                          const struct preference *preference);
/* Queues the end of an item: all its cells are there, and its preferences were asked for. */
gramc_status store_finish(struct store *store, const struct store_claim *claim);
/* Attempts and preferences that came too late, since somebody else had claimed their item. */
uint64_t store_refused(const struct store *store);
/* Whose claim that was: each once, as many as there is room for. False: there is none to be told.
 */
bool store_lost(struct store *store, struct store_claim *out);
/* GRAMC_OK, or what stopped the writing thread: the run must end then. Cheap. */
gramc_status store_health(struct store *store, struct store_error *error);
/* Waits until everything that was queued is committed. */
gramc_status store_flush(struct store *store, struct store_error *error);

/* Queued. */
gramc_status store_set_status(struct store *store, enum store_status status, gramc_text reason);

/* The last attempt of every cell that has one, in the order of the plan (place, repeat, arm), as
 * far as it is committed. The attempt is valid during the call; anything but 0 stops. Traces are
 * left out unless asked for. Preferences are among its scores, and their costs and traces among
 * what its judges cost and were asked. */
typedef int store_visit(void *ctx, uint32_t place, const struct attempt *attempt);
gramc_status store_each(struct store *store, bool traces, store_visit *visit, void *ctx,
                        struct store_error *error);
/* The same of one item, without traces and without waiting for what is queued. */
gramc_status store_each_of(struct store *store, uint32_t place, store_visit *visit, void *ctx,
                           struct store_error *error);

/* ## Online
 * Nothing is planned but how many units are wanted: messages come by themselves, each of a unit (a
 * session or a user), and each is an item with one cell. The experiment was begun without items. */

/* That a unit is shown an arm, by one of its messages. */
struct store_exposure {
    uint32_t place; /* of the message, as they came */
    uint32_t arm;
    gramc_text unit;  /* a name of it that says nothing; at most 64 bytes */
    double covariate; /* what was known of the unit before; NaN: nothing */
    int64_t begun_ms; /* since 1970 */
    /* Read alone: */
    bool ended;      /* there is an attempt */
    double feedback; /* the mean of what was said of it; NaN: nothing was */
};
/* Committed when it returns, so that whatever becomes of the run, it is known that it began. `out`
 * is what its attempts are saved with. Blocks for a commit. */
gramc_status store_expose(struct store *store, const struct store_exposure *exposure,
                          struct store_claim *out, struct store_error *error);
/* What somebody says of the message at that place, from 0 to 1; committed. */
gramc_status store_feedback(struct store *store, uint32_t place, double value,
                            struct store_error *error);
/* All of them by place. */
typedef int store_exposure_visit(void *ctx, const struct store_exposure *exposure);
gramc_status store_exposures(struct store *store, store_exposure_visit *visit, void *ctx,
                             struct store_error *error);
/* store_flush, but for so long at most: what takes longer is written later. */
gramc_status store_flush_within(struct store *store, uint32_t ms, struct store_error *error);

#endif
