/* Carries out a plan: claims items in their order, runs all cells of an item one after the other,
 * tries again what the infrastructure has failed, writes what came of it, and stops when it is
 * told to or has used up what it may. It knows neither models nor networks nor clocks: how a cell
 * is run stands behind struct cell_runner, which simulations replace. One thread. */
#ifndef EXPERIMENT_ENGINE_H
#define EXPERIMENT_ENGINE_H

#include "experiment/store/store.h"

/* A cell to be run. */
struct cell_start {
    struct cell cell;
    uint32_t place;  /* of the item */
    uint32_t number; /* of the attempt, from 1 */
    uint32_t seed;   /* of sampling */
};

/* What came of it, valid during the call; cell and number are as they were given. */
typedef void cell_done(void *ticket, const struct attempt *attempt);

/* Two answers to be compared, of the same repeat: the first arm's and that of the cell. */
struct preference_start {
    struct cell cell;
    uint32_t place;                      /* of the item */
    uint32_t number;                     /* of the attempt in this process, from 1 */
    uint32_t grader;                     /* in the order of the experiment's */
    const struct attempt *first, *other; /* outcome and answer alone; they stay */
};

/* What came of it, valid during the call; a score that is missing is tried again. NULL: canceled.
 */
typedef void preference_done(void *ticket, const struct preference *preference);

struct cell_runner {
    /* done is called once, maybe before this returns. Anything but GRAMC_OK: it will not be. */
    gramc_status (*start)(void *self, const struct cell_start *cell, cell_done *done, void *ticket);
    /* The same for a preference; NULL where no grader prefers. */
    gramc_status (*prefer)(void *self, const struct preference_start *start, preference_done *done,
                           void *ticket);
    /* Calls `then` on the same thread, some time later. */
    gramc_status (*wait)(void *self, uint64_t ms, void (*then)(void *ctx), void *ctx);
    uint64_t (*now_ms)(void *self); /* never goes back */
    void *self;
};

enum engine_end {
    ENGINE_DONE,         /* every cell has run, or was given up */
    ENGINE_DECIDED,      /* the watch has seen enough */
    ENGINE_BUDGET,       /* it has used up what it may */
    ENGINE_TOO_MANY,     /* more items lack a cell than may */
    ENGINE_INTERRUPTED,  /* engine_cancel */
    ENGINE_STORE_FAILED, /* what was found cannot be kept */
    ENGINE_FAILED        /* memory, above all */
};
/* "done", "decided", "budget", "too-many-missing", "interrupted", "store-failed", "failed" */
const char *engine_end_name(enum engine_end end);

/* Who looks on. Both get what an earlier process had done first, in the order of the plan. */
struct engine_watch {
    /* A cell is over (CELL_DONE or CELL_MISSING); it was saved. May be NULL. */
    void (*over)(void *ctx, uint32_t place, const struct attempt *attempt);
    /* A preference was made or given up; it was saved. May be NULL. */
    void (*preferred)(void *ctx, uint32_t place, const struct preference *preference);
    /* All cells of an item are over, and so are all items before it in the order of the plan. A
     * reason to stop, or NULL. May be NULL. */
    const char *(*finished)(void *ctx, uint32_t place);
    void *ctx;
};

/* 0: no limit. */
struct engine_limits {
    double max_cost; /* of the runs; judges are apart */
    double max_judge_cost;
    uint64_t max_ms;
    uint64_t max_calls; /* of models */
    double max_missing; /* the share of items that may lack a cell or a preference: 0 to 1 */
};

struct engine_options {
    const struct plan *plan; /* borrowed, as is all of this */
    struct store *store;     /* the experiment was begun */
    const struct cell_runner *cells;
    const uint32_t *preferences; /* graders that compare each arm with the first: by their place
                                    among the experiment's; asked when a repeat's arms are over */
    size_t preference_count;
    struct engine_watch watch;
    struct engine_limits limits;
    gramc_text owner;
    /* How long a claim outlives its process, and how long a database that is gone is waited for;
     * 0: a minute. */
    uint32_t lease_ms;
    bool waits; /* for what others have claimed: to the end of all items, or of their leases */
    uint32_t concurrency; /* items at a time; 0: 4 */
    uint32_t attempts;    /* of a cell that the infrastructure fails; 0: 3 */
    uint32_t backoff_ms;  /* before the second one, then twice as long; 0: 1000 */
    const gramc_allocator *allocator;
};

/* How far it is. */
struct engine_progress {
    uint64_t cells, done, missing; /* all there are; those that are over, before and now */
    uint64_t now;                  /* that this process has run */
    uint32_t items, finished, items_missing;
    uint32_t running;               /* items, just now */
    uint32_t claimed, finished_now; /* items, by this process */
    double cost, judge_cost;
    uint64_t calls, retried;
    uint64_t started_ms; /* by the engine's clock */
};

struct engine;
/* Reads what the store has of it. GRAMC_NOMEM, or what reading failed with, which `error` says. */
gramc_status engine_new(struct engine **out, const struct engine_options *options,
                        struct store_error *error);
/* Starts as many items as may run at a time; cells that end start further ones. */
void engine_start(struct engine *engine);
/* Nothing is running any more, and nothing will be started. */
bool engine_is_over(const struct engine *engine);
/* Starts nothing more. What runs is for its owner to cancel; outcome "canceled" is not kept. */
void engine_cancel(struct engine *engine);
struct engine_progress engine_progress(const struct engine *engine);
/* How it ended, once it is over; `reason` is a line for people, and lives as long as the engine. */
enum engine_end engine_ended(const struct engine *engine, gramc_text *reason);
void engine_free(struct engine *engine);

#endif
