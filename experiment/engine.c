/* The engine of experiments: a state machine over items (groups), each of which runs its steps in
 * the order of the plan (engine_steps.c). What is decided here: which item runs next, how long
 * others and a database that is gone are waited for, when to stop. What is known of cells is
 * engine_known.c's; what a run is, where time comes from and where results are kept is behind
 * interfaces. */
#include "experiment/engine_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { CONCURRENCY = 4, ATTEMPTS = 3, BACKOFF_MS = 1000, LEASE_MS = 60000 };
enum { AWAY_MS = 100, AWAY_MOST_MS = 5000, LOOK_MOST_MS = 5000 };

static const char *const end_names[] = {[ENGINE_DONE] = "done",
                                        [ENGINE_DECIDED] = "decided",
                                        [ENGINE_BUDGET] = "budget",
                                        [ENGINE_TOO_MANY] = "too-many-missing",
                                        [ENGINE_INTERRUPTED] = "interrupted",
                                        [ENGINE_STORE_FAILED] = "store-failed",
                                        [ENGINE_FAILED] = "failed"};

const char *engine_end_name(enum engine_end end) {
    return end_names[end];
}

void engine_stop(struct engine *engine, enum engine_end end, const char *reason) {
    bool is_worse = end == ENGINE_STORE_FAILED && engine->end != ENGINE_STORE_FAILED;
    if (engine->stopping && !is_worse) return;
    engine->stopping = true;
    engine->end = end;
    snprintf(engine->reason, sizeof(engine->reason), "%s", reason);
}

void engine_stop_for_memory(struct engine *engine) {
    engine_stop(engine, ENGINE_FAILED, "out of memory");
}

/* A database that cannot be reached is waited for, as long as a lease. */
static bool is_away(struct engine *engine, gramc_status status) {
    struct store_error error;
    return status == GRAMC_IO && !store_health(engine->options.store, &error) &&
           engine->away_ms < engine->options.lease_ms;
}

void engine_check_store(struct engine *engine, gramc_status status) {
    struct store_error error = {""};
    if (status == GRAMC_NOMEM) engine_stop_for_memory(engine);
    else if (status) {
        (void)store_health(engine->options.store, &error);
        engine_stop(engine, ENGINE_STORE_FAILED, error.message);
    }
}

/* ## Items that are over */

static void check_missing(struct engine *engine) {
    double allowed = engine->options.limits.max_missing * engine->progress.items;
    char reason[END_REASON_MAX];
    if (engine->progress.items_missing <= allowed) return;
    snprintf(reason, sizeof(reason),
             "%u of %u items lack a cell that the infrastructure has failed; at most %g may",
             (unsigned)engine->progress.items_missing, (unsigned)engine->progress.items, allowed);
    engine_stop(engine, ENGINE_TOO_MANY, reason);
}

/* Tells the watch of the items that are finished, as far as none before them is missing. */
static void step_prefix(struct engine *engine) {
    const struct engine_watch *watch = &engine->options.watch;
    while (engine->prefix < engine->progress.items && engine->finished[engine->prefix]) {
        const char *why = watch->finished ? watch->finished(watch->ctx, engine->prefix) : NULL;
        engine->prefix++;
        if (why) {
            engine_stop(engine, ENGINE_DECIDED, why);
            return;
        }
    }
}

static void note_finished(struct engine *engine, uint32_t place, bool lacking) {
    if (engine->finished[place]) return;
    engine->finished[place] = true;
    engine->progress.finished++;
    engine->progress.items_missing += lacking;
    check_missing(engine);
}

/* ## Limits */

void engine_check_limits(struct engine *engine) {
    const struct engine_limits *limits = &engine->options.limits;
    const struct engine_progress *now = &engine->progress;
    uint64_t passed = engine->options.cells->now_ms(engine->options.cells->self) - now->started_ms;
    char reason[END_REASON_MAX] = "";
    if (limits->max_cost > 0 && now->cost >= limits->max_cost)
        snprintf(reason, sizeof(reason), "it has cost %g, and may cost %g", now->cost,
                 limits->max_cost);
    else if (limits->max_judge_cost > 0 && now->judge_cost >= limits->max_judge_cost)
        snprintf(reason, sizeof(reason), "its judges have cost %g, and may cost %g",
                 now->judge_cost, limits->max_judge_cost);
    else if (limits->max_calls && now->calls >= limits->max_calls)
        snprintf(reason, sizeof(reason), "it has asked models %llu times",
                 (unsigned long long)now->calls);
    else if (limits->max_ms && passed >= limits->max_ms)
        snprintf(reason, sizeof(reason), "its time is over, after %llu ms",
                 (unsigned long long)passed);
    if (reason[0]) engine_stop(engine, ENGINE_BUDGET, reason);
}

/* ## Groups */

static void fill(struct engine *engine);

static void free_group(struct item_run *group) {
    struct engine *engine = group->engine;
    *group->link = group->next;
    if (group->next) group->next->link = group->link;
    kept_answers_free(&group->kept);
    engine->progress.running--;
    mem_free(&engine->allocator, group, sizeof(*group));
}

/* One that was dropped stays claimed, and is free again when the lease or this process is over. */
void engine_end_group(struct item_run *group) {
    struct engine *engine = group->engine;
    bool lacking;
    if (known_item_is_over(engine, group->claim.place, &lacking)) {
        engine_check_store(engine, store_finish(engine->options.store, &group->claim));
        engine->progress.finished_now++;
        note_finished(engine, group->claim.place, lacking);
        step_prefix(engine);
    }
    free_group(group);
    fill(engine);
}

/* ## Starting items */

static void run_claimed(void *ctx);

/* False: there is nothing to be read of it now. */
static bool take_over(struct item_run *group) {
    struct engine *engine = group->engine;
    const struct cell_runner *cells = engine->options.cells;
    struct store_error error = {""};
    gramc_status status = known_read_item(group, &error);
    if (!status) return true;
    engine->away_ms += AWAY_MS;
    if (is_away(engine, status) && !cells->wait(cells->self, AWAY_MS, run_claimed, group))
        return false;
    group->dropped = true;
    if (status == GRAMC_NOMEM) engine_stop_for_memory(engine);
    else engine_stop(engine, ENGINE_STORE_FAILED, error.message);
    return true;
}

static void run_claimed(void *ctx) {
    struct item_run *group = ctx;
    if (group->engine->stopping) group->dropped = true;
    else if (group->claim.fence > 1 && !take_over(group)) return;
    engine_run_group(group);
}

static struct item_run *add_group(struct engine *engine, const struct store_claim *claim) {
    struct item_run *group = mem_alloc(&engine->allocator, sizeof(*group));
    if (!group) {
        engine_stop_for_memory(engine);
        return NULL;
    }
    *group = (struct item_run){.engine = engine,
                               .claim = *claim,
                               .item = engine->options.plan->order[claim->place],
                               .next = engine->groups,
                               .link = &engine->groups};
    if (group->next) group->next->link = &group->next;
    engine->groups = group;
    engine->progress.running++;
    engine->progress.claimed++;
    const struct plan *plan = engine->options.plan;
    if (engine->options.preference_count &&
        !kept_answers_init(&group->kept, plan->repeats, plan->arms, &engine->allocator))
        engine_stop_for_memory(engine);
    return group;
}

static void look_again(void *ctx) {
    struct engine *engine = ctx;
    engine->looking = false;
    fill(engine);
}

static void look_later(struct engine *engine, uint64_t ms) {
    const struct cell_runner *cells = engine->options.cells;
    if (engine->looking) return;
    engine->looking = cells->wait(cells->self, ms, look_again, engine) == GRAMC_OK;
    if (!engine->looking) engine_stop_for_memory(engine);
}

/* Longer each time: a tenth of a second, then half of what has passed. */
static void wait_for_store(struct engine *engine) {
    uint64_t ms = engine->away_ms / 2;
    if (ms < AWAY_MS) ms = AWAY_MS;
    if (ms > AWAY_MOST_MS) ms = AWAY_MOST_MS;
    engine->away_ms += ms;
    look_later(engine, ms);
}

/* There is nothing to claim: for good, or until those are done who have claimed the rest. */
static void rest(struct engine *engine) {
    struct store_error error = {""};
    uint64_t left = 0, ms = engine->options.lease_ms / 4;
    gramc_status status =
        engine->options.waits ? store_left(engine->options.store, &left, &error) : GRAMC_OK;
    if (is_away(engine, status)) wait_for_store(engine);
    else if (status) engine_stop(engine, ENGINE_STORE_FAILED, error.message);
    else if (!left) engine->exhausted = true;
    else look_later(engine, ms < LOOK_MOST_MS ? ms : LOOK_MOST_MS);
}

/* False: nothing can be claimed now. */
static bool claim_item(struct engine *engine) {
    const struct engine_options *options = &engine->options;
    struct store_claim claim;
    struct store_error error = {""};
    bool got = false;
    gramc_status status =
        store_claim(options->store, options->owner, options->lease_ms, &claim, &got, &error);
    if (is_away(engine, status)) {
        wait_for_store(engine);
        return false;
    }
    if (status == GRAMC_NOMEM) engine_stop_for_memory(engine);
    else if (status) engine_stop(engine, ENGINE_STORE_FAILED, error.message);
    if (status) return false;
    engine->away_ms = 0;
    if (!got) rest(engine);
    if (!got) return false;
    struct item_run *group = add_group(engine, &claim);
    if (group) run_claimed(group);
    return group != NULL;
}

/* Groups may end while they are started, and come back here: one turn is enough. */
static void fill(struct engine *engine) {
    if (engine->filling) return;
    engine->filling = true;
    engine_check_limits(engine);
    while (!engine->stopping && !engine->exhausted && !engine->looking &&
           engine->progress.running < engine->options.concurrency)
        if (!claim_item(engine)) break;
    engine->filling = false;
}

/* Leases are prolonged while anything runs. */
static void beat(void *ctx) {
    struct engine *engine = ctx;
    const struct cell_runner *cells = engine->options.cells;
    engine->beating = false;
    if (engine_is_over(engine)) return;
    (void)store_heartbeat(engine->options.store, engine->options.owner, engine->options.lease_ms);
    struct store_error error = {""};
    if (store_health(engine->options.store, &error))
        engine_stop(engine, ENGINE_STORE_FAILED, error.message);
    engine->beating =
        cells->wait(cells->self, engine->options.lease_ms / 3, beat, engine) == GRAMC_OK;
}

void engine_start(struct engine *engine) {
    const struct cell_runner *cells = engine->options.cells;
    engine->progress.started_ms = cells->now_ms(cells->self);
    step_prefix(engine);
    check_missing(engine);
    fill(engine);
    if (!engine_is_over(engine))
        engine->beating =
            cells->wait(cells->self, engine->options.lease_ms / 3, beat, engine) == GRAMC_OK;
}

bool engine_is_over(const struct engine *engine) {
    return engine->progress.running == 0 && (engine->stopping || engine->exhausted);
}

void engine_cancel(struct engine *engine) {
    engine_stop(engine, ENGINE_INTERRUPTED, "it was interrupted");
}

struct engine_progress engine_progress(const struct engine *engine) {
    return engine->progress;
}

enum engine_end engine_ended(const struct engine *engine, gramc_text *reason) {
    *reason = text_of(engine->reason);
    return engine->stopping ? engine->end : ENGINE_DONE;
}

/* ## Making */

static gramc_status read_store(struct engine *engine, struct store_error *error) {
    gramc_status status = known_read(engine, error);
    bool lacking;
    for (uint32_t place = 0; place < engine->progress.items && !status; place++)
        if (known_item_is_over(engine, place, &lacking)) note_finished(engine, place, lacking);
    return status;
}

static void *take(struct engine *engine, uint64_t size) {
    void *memory = size < SIZE_MAX ? mem_alloc(&engine->allocator, (size_t)size) : NULL;
    return memory ? memset(memory, 0, (size_t)size) : NULL;
}

static void give(struct engine *engine, void *memory, uint64_t size) {
    if (memory) mem_free(&engine->allocator, memory, (size_t)size);
}

static void set_defaults(struct engine_options *options) {
    if (!options->concurrency) options->concurrency = CONCURRENCY;
    if (!options->attempts) options->attempts = ATTEMPTS;
    if (!options->lease_ms) options->lease_ms = LEASE_MS;
    if (!options->backoff_ms) options->backoff_ms = BACKOFF_MS;
}

gramc_status engine_new(struct engine **out, const struct engine_options *options,
                        struct store_error *error) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct engine *engine = mem_alloc(&allocator, sizeof(*engine));
    uint64_t cells = plan_cells(options->plan);
    *out = NULL;
    if (!engine) return GRAMC_NOMEM;
    *engine = (struct engine){.options = *options, .allocator = allocator};
    set_defaults(&engine->options);
    engine->progress.cells = cells;
    engine->progress.items = options->plan->items;
    engine->cells = take(engine, cells + 1);
    engine->numbers = take(engine, (cells + 1) * sizeof(*engine->numbers));
    engine->finished = take(engine, options->plan->items + UINT64_C(1));
    gramc_status status =
        engine->cells && engine->numbers && engine->finished ? GRAMC_OK : GRAMC_NOMEM;
    if (!status) status = read_store(engine, error);
    if (status) engine_free(engine);
    else *out = engine;
    return status;
}

void engine_free(struct engine *engine) {
    if (!engine) return;
    gramc_allocator allocator = engine->allocator;
    while (engine->groups) free_group(engine->groups);
    give(engine, engine->cells, engine->progress.cells + 1);
    give(engine, engine->numbers, (engine->progress.cells + 1) * sizeof(*engine->numbers));
    give(engine, engine->finished, engine->progress.items + UINT64_C(1));
    mem_free(&allocator, engine, sizeof(*engine));
}
