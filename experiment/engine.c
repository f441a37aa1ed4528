/* The engine of experiments: a state machine over items (groups), each of which runs its cells in
 * the order of the plan. What is decided here: what runs next, what is tried again, what counts as
 * missing, when to stop. What a run is, where time comes from and where results are kept is behind
 * interfaces. */
#include "experiment/engine.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/kept_answers.h"

enum { CONCURRENCY = 4, ATTEMPTS = 3, BACKOFF_MS = 1000, LEASE_MS = 60000, REASON = 300 };
enum { AWAY_MS = 100, AWAY_MOST_MS = 5000, LOOK_MOST_MS = 5000 };

/* What is known of a cell: a byte each. COMPARED: no preference is to be asked for any more;
 * UNDECIDED: one could not be had; TOLD: the watch knows of it. */
enum { OVER = 1, LACKING = 2, COMPARED = 4, UNDECIDED = 8, TOLD = 16 };

/* An item that is being run. */
struct item_run {
    struct engine *engine;
    struct store_claim claim;
    uint32_t item;
    uint64_t step;              /* of each repeat: its cells, then what is to be compared in it */
    uint32_t tries;             /* of that step, in this process */
    struct kept_answers kept;   /* where answers are compared */
    bool dropped;               /* not run to its end */
    bool calling, ended_inside; /* start has not returned; its cell has ended meanwhile */
    struct item_run *next, **link;
};

struct engine {
    struct engine_options options;
    gramc_allocator allocator;
    uint8_t *cells;    /* what is known of each, in the order of (place, repeat, arm) */
    uint16_t *numbers; /* of its newest attempt, at most 65535 */
    bool *finished;    /* items, by place */
    uint32_t prefix;   /* so many from the first place on are finished, and the watch knows */
    struct item_run *groups;
    struct engine_progress progress;
    bool stopping, exhausted, beating;
    bool filling;     /* further items are being started */
    bool looking;     /* it will look again whether there is an item to claim */
    uint64_t away_ms; /* the database has been gone so long already */
    enum engine_end end;
    char reason[REASON];
};

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

/* The first reason counts, but that the store is gone is worse than any. */
static void stop(struct engine *engine, enum engine_end end, const char *reason) {
    bool is_worse = end == ENGINE_STORE_FAILED && engine->end != ENGINE_STORE_FAILED;
    if (engine->stopping && !is_worse) return;
    engine->stopping = true;
    engine->end = end;
    snprintf(engine->reason, sizeof(engine->reason), "%s", reason);
}

static void stop_for_memory(struct engine *engine) {
    stop(engine, ENGINE_FAILED, "out of memory");
}

/* A database that cannot be reached is waited for, as long as a lease. */
static bool is_away(struct engine *engine, gramc_status status) {
    struct store_error error;
    return status == GRAMC_IO && !store_health(engine->options.store, &error) &&
           engine->away_ms < engine->options.lease_ms;
}

/* GRAMC_OK, or it stops. */
static void check_store(struct engine *engine, gramc_status status) {
    struct store_error error = {""};
    if (status == GRAMC_NOMEM) stop_for_memory(engine);
    else if (status) {
        (void)store_health(engine->options.store, &error);
        stop(engine, ENGINE_STORE_FAILED, error.message);
    }
}

/* ## What is known */

static uint64_t cells_of_item(const struct engine *engine) {
    return (uint64_t)engine->options.plan->repeats * engine->options.plan->arms;
}

static uint64_t index_of(const struct engine *engine, uint32_t place, const struct cell *cell) {
    return place * cells_of_item(engine) + (uint64_t)cell->repeat * engine->options.plan->arms +
           cell->arm;
}

static void count_attempt(struct engine *engine, const struct attempt *attempt) {
    if (attempt->has_cost) engine->progress.cost += attempt->cost;
    engine->progress.judge_cost += attempt->judge_cost;
    engine->progress.calls += attempt->requests + attempt->retries;
}

/* The cell is over: with what it gave, or for good without. */
static void note_over(struct engine *engine, uint32_t place, const struct attempt *attempt) {
    uint64_t cell = index_of(engine, place, &attempt->cell);
    bool missing = attempt->state == CELL_MISSING;
    bool told = engine->cells[cell] & TOLD;
    if (engine->cells[cell] & OVER) return;
    engine->cells[cell] = (uint8_t)(OVER | TOLD | (missing ? LACKING : 0));
    engine->progress.done += !missing;
    engine->progress.missing += missing;
    if (engine->options.watch.over && !told)
        engine->options.watch.over(engine->options.watch.ctx, place, attempt);
}

/* What the store has of a cell. */
static void note_kept(struct engine *engine, uint32_t place, const struct attempt *attempt) {
    bool judged = true;
    if (attempt->state == CELL_DONE) note_over(engine, place, attempt);
    for (size_t i = 0; i < engine->options.preference_count; i++)
        judged = judged && kept_answer_is_judged(attempt, engine->options.preferences[i]);
    if (judged) engine->cells[index_of(engine, place, &attempt->cell)] |= COMPARED;
}

/* Cells of an item that was somebody else's: what this process knows of them may not be kept. */
static void forget_cells(struct engine *engine, uint32_t place) {
    uint64_t count = cells_of_item(engine), first = place * count;
    for (uint64_t i = first; i < first + count; i++) {
        if (!(engine->cells[i] & OVER)) continue;
        if (engine->cells[i] & LACKING) engine->progress.missing--;
        else engine->progress.done--;
        engine->cells[i] = TOLD;
    }
}

/* Nothing is compared with an answer that is not there. */
static bool is_compared(const struct engine *engine, uint64_t cell) {
    uint32_t arm = (uint32_t)(cell % engine->options.plan->arms);
    if (!engine->options.preference_count || arm == 0) return true;
    return (engine->cells[cell] & (COMPARED | LACKING)) != 0 ||
           (engine->cells[cell - arm] & LACKING) != 0;
}

static bool is_item_over(const struct engine *engine, uint32_t place, bool *lacking) {
    uint64_t count = cells_of_item(engine), first = place * count;
    *lacking = false;
    for (uint64_t i = first; i < first + count; i++) {
        if (!(engine->cells[i] & OVER) || !is_compared(engine, i)) return false;
        *lacking |= (engine->cells[i] & (LACKING | UNDECIDED)) != 0;
    }
    return true;
}

static void check_missing(struct engine *engine) {
    double allowed = engine->options.limits.max_missing * engine->progress.items;
    char reason[REASON];
    if (engine->progress.items_missing <= allowed) return;
    snprintf(reason, sizeof(reason),
             "%u of %u items lack a cell that the infrastructure has failed; at most %g may",
             (unsigned)engine->progress.items_missing, (unsigned)engine->progress.items, allowed);
    stop(engine, ENGINE_TOO_MANY, reason);
}

/* Tells the watch of the items that are finished, as far as none before them is missing. */
static void step_prefix(struct engine *engine) {
    const struct engine_watch *watch = &engine->options.watch;
    while (engine->prefix < engine->progress.items && engine->finished[engine->prefix]) {
        const char *why = watch->finished ? watch->finished(watch->ctx, engine->prefix) : NULL;
        engine->prefix++;
        if (why) {
            stop(engine, ENGINE_DECIDED, why);
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

static void check_limits(struct engine *engine) {
    const struct engine_limits *limits = &engine->options.limits;
    const struct engine_progress *now = &engine->progress;
    uint64_t passed = engine->options.cells->now_ms(engine->options.cells->self) - now->started_ms;
    char reason[REASON] = "";
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
    if (reason[0]) stop(engine, ENGINE_BUDGET, reason);
}

/* ## Groups */

static void fill(struct engine *engine);
static void run_group(struct item_run *group);

static void free_group(struct item_run *group) {
    struct engine *engine = group->engine;
    *group->link = group->next;
    if (group->next) group->next->link = group->link;
    kept_answers_free(&group->kept);
    engine->progress.running--;
    mem_free(&engine->allocator, group, sizeof(*group));
}

/* One that was dropped stays claimed, and is free again when the lease or this process is over. */
static void end_group(struct item_run *group) {
    struct engine *engine = group->engine;
    bool lacking;
    if (is_item_over(engine, group->claim.place, &lacking)) {
        check_store(engine, store_finish(engine->options.store, &group->claim));
        engine->progress.finished_now++;
        note_finished(engine, group->claim.place, lacking);
        step_prefix(engine);
    }
    free_group(group);
    fill(engine);
}

/* ## Cells */

/* One cell, or a grader that prefers. */
struct item_step {
    struct cell cell;
    bool compares;
    uint32_t grader;
};

static uint64_t steps_of_repeat(const struct engine *engine) {
    uint64_t arms = engine->options.plan->arms;
    return arms + (arms - 1) * engine->options.preference_count;
}

/* The arms run in an order of their own in each repeat, and are compared in that of the plan. */
static struct item_step step_at(const struct item_run *group) {
    const struct engine_options *options = &group->engine->options;
    const struct plan *plan = options->plan;
    uint64_t steps = steps_of_repeat(group->engine), at = group->step % steps;
    uint32_t arms[ARMS_MAX], repeat = (uint32_t)(group->step / steps);
    struct item_step step = {{group->item, repeat, 0}, at >= plan->arms, 0};
    if (!step.compares) {
        plan_arms(plan, group->item, repeat, arms);
        step.cell.arm = arms[at];
    } else {
        at -= plan->arms;
        step.cell.arm = 1 + (uint32_t)(at / options->preference_count);
        step.grader = options->preferences[at % options->preference_count];
    }
    return step;
}

static void keep_answer(struct item_run *group, const struct attempt *attempt) {
    if (!group->engine->options.preference_count || attempt->state != CELL_DONE) return;
    if (!kept_answers_put(&group->kept, attempt)) stop_for_memory(group->engine);
}

static void save(struct item_run *group, const struct attempt *attempt) {
    struct engine *engine = group->engine;
    uint16_t *number = &engine->numbers[index_of(engine, group->claim.place, &attempt->cell)];
    if (*number < UINT16_MAX) (*number)++;
    check_store(engine, store_save(engine->options.store, &group->claim, attempt));
    count_attempt(engine, attempt);
}

static void try_again(void *ctx) {
    run_group(ctx);
}

/* False: it cannot be tried again, or not now. */
static bool wait_and_try_again(struct item_run *group) {
    struct engine *engine = group->engine;
    const struct cell_runner *cells = engine->options.cells;
    if (group->tries >= engine->options.attempts || engine->stopping) return false;
    uint64_t ms = (uint64_t)engine->options.backoff_ms << (group->tries - 1);
    engine->progress.retried++;
    return cells->wait(cells->self, ms, try_again, group) == GRAMC_OK;
}

/* A cell that was canceled, or failed while all is being stopped, has not run. */
static bool was_broken_off(const struct engine *engine, const struct attempt *attempt) {
    if (text_is(attempt->outcome, "canceled")) return true;
    return engine->stopping && engine->end == ENGINE_INTERRUPTED &&
           attempt->fault == FAULT_INFRASTRUCTURE;
}

/* Nothing more is run of an item that somebody else has taken over: it would not be kept. */
static void drop_lost(struct engine *engine) {
    struct store_claim lost;
    while (store_lost(engine->options.store, &lost))
        for (struct item_run *group = engine->groups; group; group = group->next)
            if (group->claim.place == lost.place && group->claim.fence == lost.fence)
                group->dropped = true;
}

/* Writes the attempt, and says whether the group goes on at once. */
static bool take_attempt(struct item_run *group, const struct attempt *given) {
    struct engine *engine = group->engine;
    struct attempt attempt = *given;
    bool failed = attempt.fault == FAULT_INFRASTRUCTURE;
    drop_lost(engine);
    if (was_broken_off(engine, &attempt)) {
        group->dropped = true;
        return true;
    }
    bool is_last = !failed || group->tries >= engine->options.attempts;
    attempt.state = !failed ? CELL_DONE : is_last ? CELL_MISSING : CELL_TODO;
    engine->progress.now++;
    save(group, &attempt);
    check_limits(engine);
    if (attempt.state == CELL_TODO && wait_and_try_again(group)) return false;
    if (attempt.state == CELL_TODO) group->dropped = true;
    else note_over(engine, group->claim.place, &attempt);
    keep_answer(group, &attempt);
    group->step++;
    group->tries = 0;
    return true;
}

static void on_done(void *ticket, const struct attempt *attempt) {
    struct item_run *group = ticket;
    if (!take_attempt(group, attempt)) return;
    if (group->calling) group->ended_inside = true;
    else run_group(group);
}

/* False: the group waits for a cell that it has started. */
static bool start_cell(struct item_run *group, const struct cell *cell) {
    struct engine *engine = group->engine;
    const struct cell_runner *cells = engine->options.cells;
    uint32_t before = engine->numbers[index_of(engine, group->claim.place, cell)];
    const struct cell_start start = {
        *cell, group->claim.place, before + 1,
        plan_sampling_seed(engine->options.plan, cell->item, cell->repeat)};
    group->tries++;
    group->calling = true;
    group->ended_inside = false;
    gramc_status status = cells->start(cells->self, &start, on_done, group);
    group->calling = false;
    if (!status) return group->ended_inside;
    if (status == GRAMC_NOMEM) stop_for_memory(engine);
    else stop(engine, ENGINE_FAILED, "a run cannot be started");
    group->dropped = true;
    return true;
}

/* ## Preferences */

/* Writes it, and says whether the group goes on at once. One that is missing because all is being
 * stopped was not asked for. */
static bool take_preference(struct item_run *group, const struct preference *given) {
    struct engine *engine = group->engine;
    bool failed = given && given->score.missing;
    if (!given || (failed && engine->stopping && engine->end == ENGINE_INTERRUPTED)) {
        group->dropped = true;
        return true;
    }
    engine->progress.judge_cost += given->cost;
    check_store(engine, store_prefer(engine->options.store, &group->claim, given));
    check_limits(engine);
    if (failed && wait_and_try_again(group)) return false;
    if (failed && group->tries < engine->options.attempts) {
        group->dropped = true;
        return true;
    }
    uint64_t cell = index_of(engine, group->claim.place, &given->cell);
    if (failed) engine->cells[cell] |= UNDECIDED;
    if (engine->options.watch.preferred)
        engine->options.watch.preferred(engine->options.watch.ctx, group->claim.place, given);
    group->step++;
    group->tries = 0;
    return true;
}

static void on_preferred(void *ticket, const struct preference *preference) {
    struct item_run *group = ticket;
    if (!take_preference(group, preference)) return;
    if (group->calling) group->ended_inside = true;
    else run_group(group);
}

/* As start_cell. */
static bool start_preference(struct item_run *group, const struct item_step *step) {
    struct engine *engine = group->engine;
    const struct cell_runner *cells = engine->options.cells;
    const struct preference_start start = {
        .cell = step->cell,
        .place = group->claim.place,
        .number = ++group->tries,
        .grader = step->grader,
        .first = kept_answer(&group->kept, step->cell.repeat, 0),
        .other = kept_answer(&group->kept, step->cell.repeat, step->cell.arm)};
    group->calling = true;
    group->ended_inside = false;
    gramc_status status = cells->prefer(cells->self, &start, on_preferred, group);
    group->calling = false;
    if (!status) return group->ended_inside;
    if (status == GRAMC_NOMEM) stop_for_memory(engine);
    else stop(engine, ENGINE_FAILED, "a judge cannot be asked");
    group->dropped = true;
    return true;
}

/* ## The steps of an item */

static bool is_step_over(const struct item_run *group, const struct item_step *step) {
    const struct engine *engine = group->engine;
    const struct cell *cell = &step->cell;
    if (!step->compares)
        return (engine->cells[index_of(engine, group->claim.place, cell)] & OVER) != 0;
    const struct attempt *other = kept_answer(&group->kept, cell->repeat, cell->arm);
    return !other || !kept_answer(&group->kept, cell->repeat, 0) ||
           kept_answer_is_judged(other, step->grader);
}

/* The cell is there, and its answer is not known here: somebody else's, still on its way. */
static bool is_answer_elsewhere(const struct item_run *group, const struct item_step *step) {
    const struct engine *engine = group->engine;
    uint64_t other = index_of(engine, group->claim.place, &step->cell);
    uint64_t cells[2] = {other - step->cell.arm, other};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t arm = i ? step->cell.arm : 0;
        if (!(engine->cells[cells[i]] & LACKING) &&
            !kept_answer(&group->kept, step->cell.repeat, arm))
            return true;
    }
    return false;
}

static void note_compared(struct engine *engine, uint32_t place) {
    uint64_t count = cells_of_item(engine), first = place * count;
    for (uint64_t i = first; i < first + count; i++) engine->cells[i] |= COMPARED;
}

/* Goes on until something has to be waited for, or all of it is over. */
static void run_group(struct item_run *group) {
    struct engine *engine = group->engine;
    uint64_t count = steps_of_repeat(engine) * engine->options.plan->repeats;
    while (group->step < count && !group->dropped && !engine->stopping) {
        struct item_step step = step_at(group);
        if (step.compares && is_answer_elsewhere(group, &step)) group->dropped = true;
        else if (is_step_over(group, &step)) group->step++;
        else if (!(step.compares ? start_preference(group, &step) : start_cell(group, &step.cell)))
            return;
    }
    if (group->step == count && !group->dropped) note_compared(engine, group->claim.place);
    end_group(group);
}

/* ## Starting items */

/* What is kept of the item, whoever has done it. */
static int read_done(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct item_run *group = ctx;
    struct engine *engine = group->engine;
    const struct plan *plan = engine->options.plan;
    if (attempt->cell.repeat >= plan->repeats || attempt->cell.arm >= plan->arms) return 0;
    uint16_t *known = &engine->numbers[index_of(engine, place, &attempt->cell)];
    uint32_t number = attempt->number < UINT16_MAX ? attempt->number : UINT16_MAX;
    if (number > *known) {
        *known = (uint16_t)number;
        count_attempt(engine, attempt);
    }
    note_kept(engine, place, attempt);
    keep_answer(group, attempt);
    return 0;
}

static void run_claimed(void *ctx);

/* False: there is nothing to be read of it now. */
static bool take_over(struct item_run *group) {
    struct engine *engine = group->engine;
    const struct cell_runner *cells = engine->options.cells;
    struct store_error error = {""};
    forget_cells(engine, group->claim.place);
    gramc_status status =
        store_each_of(engine->options.store, group->claim.place, read_done, group, &error);
    if (!status) return true;
    engine->away_ms += AWAY_MS;
    if (is_away(engine, status) && !cells->wait(cells->self, AWAY_MS, run_claimed, group))
        return false;
    group->dropped = true;
    if (status == GRAMC_NOMEM) stop_for_memory(engine);
    else stop(engine, ENGINE_STORE_FAILED, error.message);
    return true;
}

static void run_claimed(void *ctx) {
    struct item_run *group = ctx;
    if (group->engine->stopping) group->dropped = true;
    else if (group->claim.fence > 1 && !take_over(group)) return;
    run_group(group);
}

static struct item_run *add_group(struct engine *engine, const struct store_claim *claim) {
    struct item_run *group = mem_alloc(&engine->allocator, sizeof(*group));
    if (!group) {
        stop_for_memory(engine);
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
        stop_for_memory(engine);
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
    if (!engine->looking) stop_for_memory(engine);
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
    else if (status) stop(engine, ENGINE_STORE_FAILED, error.message);
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
    if (status == GRAMC_NOMEM) stop_for_memory(engine);
    else if (status) stop(engine, ENGINE_STORE_FAILED, error.message);
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
    check_limits(engine);
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
        stop(engine, ENGINE_STORE_FAILED, error.message);
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
    stop(engine, ENGINE_INTERRUPTED, "it was interrupted");
}

struct engine_progress engine_progress(const struct engine *engine) {
    return engine->progress;
}

enum engine_end engine_ended(const struct engine *engine, gramc_text *reason) {
    *reason = text_of(engine->reason);
    return engine->stopping ? engine->end : ENGINE_DONE;
}

/* ## Making */

/* Cells that an earlier process has done; what it has given up is tried again. */
static int read_attempt(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct engine *engine = ctx;
    const struct plan *plan = engine->options.plan;
    if (place >= plan->items || attempt->cell.repeat >= plan->repeats ||
        attempt->cell.arm >= plan->arms)
        return 0;
    uint32_t number = attempt->number < UINT16_MAX ? attempt->number : UINT16_MAX;
    engine->numbers[index_of(engine, place, &attempt->cell)] = (uint16_t)number;
    count_attempt(engine, attempt);
    note_kept(engine, place, attempt);
    return 0;
}

static gramc_status read_store(struct engine *engine, struct store_error *error) {
    gramc_status status = store_each(engine->options.store, false, read_attempt, engine, error);
    bool lacking;
    for (uint32_t place = 0; place < engine->progress.items && !status; place++)
        if (is_item_over(engine, place, &lacking)) note_finished(engine, place, lacking);
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
