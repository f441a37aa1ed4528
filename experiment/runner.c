/* The engine of experiments: a state machine over items (groups), each of which runs its cells in
 * the order of the plan. What is decided here: what runs next, what is tried again, what counts as
 * missing, when to stop. What a run is, where time comes from and where results are kept is behind
 * interfaces. */
#include "experiment/runner.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { CONCURRENCY = 4, ATTEMPTS = 3, BACKOFF_MS = 1000, LEASE_MS = 60000, REASON = 300 };

/* What is known of a cell: a byte each. */
enum { OVER = 1, LACKING = 2 };

/* An item that is being run. */
struct group {
    struct runner *runner;
    struct store_claim claim;
    uint32_t item;
    uint64_t step;              /* repeat * arms + position among the arms: of the cell that runs */
    uint32_t tries;             /* of that cell, in this process */
    bool dropped;               /* not run to its end */
    bool calling, ended_inside; /* start has not returned; its cell has ended meanwhile */
    struct group *next, **link;
};

struct runner {
    struct runner_options options;
    gramc_allocator allocator;
    uint8_t *cells;    /* what is known of each, in the order of (place, repeat, arm) */
    uint16_t *numbers; /* of its newest attempt, at most 65535 */
    bool *finished;    /* items, by place */
    uint32_t prefix;   /* so many from the first place on are finished, and the watch knows */
    struct group *groups;
    struct runner_progress progress;
    bool stopping, exhausted, beating;
    bool filling; /* further items are being started */
    enum runner_end end;
    char reason[REASON];
};

static const char *const end_names[] = {[RUNNER_DONE] = "done",
                                        [RUNNER_DECIDED] = "decided",
                                        [RUNNER_BUDGET] = "budget",
                                        [RUNNER_TOO_MANY] = "too-many-missing",
                                        [RUNNER_INTERRUPTED] = "interrupted",
                                        [RUNNER_STORE_FAILED] = "store-failed",
                                        [RUNNER_FAILED] = "failed"};

const char *runner_end_name(enum runner_end end) {
    return end_names[end];
}

/* The first reason counts, but that the store is gone is worse than any. */
static void stop(struct runner *runner, enum runner_end end, const char *reason) {
    bool is_worse = end == RUNNER_STORE_FAILED && runner->end != RUNNER_STORE_FAILED;
    if (runner->stopping && !is_worse) return;
    runner->stopping = true;
    runner->end = end;
    snprintf(runner->reason, sizeof(runner->reason), "%s", reason);
}

static void stop_for_memory(struct runner *runner) {
    stop(runner, RUNNER_FAILED, "out of memory");
}

/* GRAMC_OK, or it stops. */
static void check_store(struct runner *runner, gramc_status status) {
    struct store_error error = {""};
    if (status == GRAMC_NOMEM) stop_for_memory(runner);
    else if (status) {
        (void)store_health(runner->options.store, &error);
        stop(runner, RUNNER_STORE_FAILED, error.message);
    }
}

/* ## What is known */

static uint64_t cells_of_item(const struct runner *runner) {
    return (uint64_t)runner->options.plan->repeats * runner->options.plan->arms;
}

static uint64_t index_of(const struct runner *runner, uint32_t place, const struct cell *cell) {
    return place * cells_of_item(runner) + (uint64_t)cell->repeat * runner->options.plan->arms +
           cell->arm;
}

static void count_attempt(struct runner *runner, const struct attempt *attempt) {
    if (attempt->has_cost) runner->progress.cost += attempt->cost;
    runner->progress.judge_cost += attempt->judge_cost;
    runner->progress.calls += attempt->requests + attempt->retries;
}

/* The cell is over: with what it gave, or for good without. */
static void note_over(struct runner *runner, uint32_t place, const struct attempt *attempt) {
    uint64_t cell = index_of(runner, place, &attempt->cell);
    bool missing = attempt->state == CELL_MISSING;
    if (runner->cells[cell] & OVER) return;
    runner->cells[cell] = (uint8_t)(OVER | (missing ? LACKING : 0));
    runner->progress.done += !missing;
    runner->progress.missing += missing;
    if (runner->options.watch.over)
        runner->options.watch.over(runner->options.watch.ctx, place, attempt);
}

static bool is_item_over(const struct runner *runner, uint32_t place, bool *lacking) {
    uint64_t count = cells_of_item(runner), first = place * count;
    *lacking = false;
    for (uint64_t i = first; i < first + count; i++) {
        if (!(runner->cells[i] & OVER)) return false;
        *lacking |= (runner->cells[i] & LACKING) != 0;
    }
    return true;
}

static void check_missing(struct runner *runner) {
    double allowed = runner->options.limits.max_missing * runner->progress.items;
    char reason[REASON];
    if (runner->progress.items_missing <= allowed) return;
    snprintf(reason, sizeof(reason),
             "%u of %u items lack a cell that the infrastructure has failed; at most %g may",
             (unsigned)runner->progress.items_missing, (unsigned)runner->progress.items, allowed);
    stop(runner, RUNNER_TOO_MANY, reason);
}

/* Tells the watch of the items that are finished, as far as none before them is missing. */
static void step_prefix(struct runner *runner) {
    const struct runner_watch *watch = &runner->options.watch;
    while (runner->prefix < runner->progress.items && runner->finished[runner->prefix]) {
        const char *why = watch->finished ? watch->finished(watch->ctx, runner->prefix) : NULL;
        runner->prefix++;
        if (why) {
            stop(runner, RUNNER_DECIDED, why);
            return;
        }
    }
}

static void note_finished(struct runner *runner, uint32_t place, bool lacking) {
    if (runner->finished[place]) return;
    runner->finished[place] = true;
    runner->progress.finished++;
    runner->progress.items_missing += lacking;
    check_missing(runner);
}

/* ## Limits */

static void check_limits(struct runner *runner) {
    const struct runner_limits *limits = &runner->options.limits;
    const struct runner_progress *now = &runner->progress;
    uint64_t passed = runner->options.cells->now_ms(runner->options.cells->self) - now->started_ms;
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
    if (reason[0]) stop(runner, RUNNER_BUDGET, reason);
}

/* ## Groups */

static void fill(struct runner *runner);
static void run_group(struct group *group);

static void free_group(struct group *group) {
    struct runner *runner = group->runner;
    *group->link = group->next;
    if (group->next) group->next->link = group->link;
    runner->progress.running--;
    mem_free(&runner->allocator, group, sizeof(*group));
}

/* One that was dropped stays claimed, and is free again when the lease or this process is over. */
static void end_group(struct group *group) {
    struct runner *runner = group->runner;
    bool lacking;
    if (is_item_over(runner, group->claim.place, &lacking)) {
        check_store(runner, store_finish(runner->options.store, &group->claim));
        note_finished(runner, group->claim.place, lacking);
        step_prefix(runner);
    }
    free_group(group);
    fill(runner);
}

/* ## Cells */

/* The cell of the group's step; its arms run in an order of their own in each repeat. */
static struct cell cell_at(const struct group *group, uint64_t step) {
    const struct plan *plan = group->runner->options.plan;
    uint32_t arms[ARMS_MAX], repeat = (uint32_t)(step / plan->arms);
    plan_arms(plan, group->item, repeat, arms);
    return (struct cell){group->item, repeat, arms[step % plan->arms]};
}

static void save(struct group *group, const struct attempt *attempt) {
    struct runner *runner = group->runner;
    uint16_t *number = &runner->numbers[index_of(runner, group->claim.place, &attempt->cell)];
    if (*number < UINT16_MAX) (*number)++;
    check_store(runner, store_save(runner->options.store, &group->claim, attempt));
    count_attempt(runner, attempt);
}

static void try_again(void *ctx) {
    run_group(ctx);
}

/* False: it cannot be tried again, or not now. */
static bool wait_and_try_again(struct group *group) {
    struct runner *runner = group->runner;
    const struct cell_runner *cells = runner->options.cells;
    if (group->tries >= runner->options.attempts || runner->stopping) return false;
    uint64_t ms = (uint64_t)runner->options.backoff_ms << (group->tries - 1);
    runner->progress.retried++;
    return cells->wait(cells->self, ms, try_again, group) == GRAMC_OK;
}

/* A cell that was canceled, or failed while all is being stopped, has not run. */
static bool was_broken_off(const struct runner *runner, const struct attempt *attempt) {
    if (text_is(attempt->outcome, "canceled")) return true;
    return runner->stopping && runner->end == RUNNER_INTERRUPTED &&
           attempt->fault == FAULT_INFRASTRUCTURE;
}

/* Writes the attempt, and says whether the group goes on at once. */
static bool take_attempt(struct group *group, const struct attempt *given) {
    struct runner *runner = group->runner;
    struct attempt attempt = *given;
    bool failed = attempt.fault == FAULT_INFRASTRUCTURE;
    if (was_broken_off(runner, &attempt)) {
        group->dropped = true;
        return true;
    }
    bool is_last = !failed || group->tries >= runner->options.attempts;
    attempt.state = !failed ? CELL_DONE : is_last ? CELL_MISSING : CELL_TODO;
    runner->progress.now++;
    save(group, &attempt);
    check_limits(runner);
    if (attempt.state == CELL_TODO && wait_and_try_again(group)) return false;
    if (attempt.state == CELL_TODO) group->dropped = true;
    else note_over(runner, group->claim.place, &attempt);
    group->step++;
    group->tries = 0;
    return true;
}

static void on_done(void *ticket, const struct attempt *attempt) {
    struct group *group = ticket;
    if (!take_attempt(group, attempt)) return;
    if (group->calling) group->ended_inside = true;
    else run_group(group);
}

/* False: the group waits for a cell that it has started. */
static bool start_cell(struct group *group, const struct cell *cell) {
    struct runner *runner = group->runner;
    const struct cell_runner *cells = runner->options.cells;
    uint32_t before = runner->numbers[index_of(runner, group->claim.place, cell)];
    const struct cell_start start = {
        *cell, group->claim.place, before + 1,
        plan_sampling_seed(runner->options.plan, cell->item, cell->repeat)};
    group->tries++;
    group->calling = true;
    group->ended_inside = false;
    gramc_status status = cells->start(cells->self, &start, on_done, group);
    group->calling = false;
    if (!status) return group->ended_inside;
    if (status == GRAMC_NOMEM) stop_for_memory(runner);
    else stop(runner, RUNNER_FAILED, "a run cannot be started");
    group->dropped = true;
    return true;
}

/* Goes on until a cell has to be waited for, or all are over. */
static void run_group(struct group *group) {
    struct runner *runner = group->runner;
    uint64_t count = cells_of_item(runner);
    while (group->step < count && !group->dropped && !runner->stopping) {
        struct cell cell = cell_at(group, group->step);
        if (runner->cells[index_of(runner, group->claim.place, &cell)] & OVER) group->step++;
        else if (!start_cell(group, &cell)) return;
    }
    end_group(group);
}

/* ## Starting items */

static struct group *claim_group(struct runner *runner) {
    const struct runner_options *options = &runner->options;
    struct store_claim claim;
    struct store_error error = {""};
    bool got = false;
    gramc_status status =
        store_claim(options->store, options->owner, LEASE_MS, &claim, &got, &error);
    if (status == GRAMC_NOMEM) stop_for_memory(runner);
    else if (status) stop(runner, RUNNER_STORE_FAILED, error.message);
    if (!got && !status) runner->exhausted = true;
    if (!got || status) return NULL;
    struct group *group = mem_alloc(&runner->allocator, sizeof(*group));
    if (!group) {
        stop_for_memory(runner);
        return NULL;
    }
    *group = (struct group){.runner = runner,
                            .claim = claim,
                            .item = options->plan->order[claim.place],
                            .next = runner->groups,
                            .link = &runner->groups};
    if (group->next) group->next->link = &group->next;
    runner->groups = group;
    runner->progress.running++;
    return group;
}

/* Groups may end while they are started, and come back here: one turn is enough. */
static void fill(struct runner *runner) {
    if (runner->filling) return;
    runner->filling = true;
    check_limits(runner);
    while (!runner->stopping && !runner->exhausted &&
           runner->progress.running < runner->options.concurrency) {
        struct group *group = claim_group(runner);
        if (group) run_group(group);
    }
    runner->filling = false;
}

/* Leases are prolonged while anything runs. */
static void beat(void *ctx) {
    struct runner *runner = ctx;
    const struct cell_runner *cells = runner->options.cells;
    runner->beating = false;
    if (runner_is_over(runner)) return;
    (void)store_heartbeat(runner->options.store, runner->options.owner, LEASE_MS);
    struct store_error error = {""};
    if (store_health(runner->options.store, &error))
        stop(runner, RUNNER_STORE_FAILED, error.message);
    runner->beating = cells->wait(cells->self, LEASE_MS / 3, beat, runner) == GRAMC_OK;
}

void runner_start(struct runner *runner) {
    const struct cell_runner *cells = runner->options.cells;
    runner->progress.started_ms = cells->now_ms(cells->self);
    step_prefix(runner);
    check_missing(runner);
    fill(runner);
    if (!runner_is_over(runner))
        runner->beating = cells->wait(cells->self, LEASE_MS / 3, beat, runner) == GRAMC_OK;
}

bool runner_is_over(const struct runner *runner) {
    return runner->progress.running == 0 && (runner->stopping || runner->exhausted);
}

void runner_cancel(struct runner *runner) {
    stop(runner, RUNNER_INTERRUPTED, "it was interrupted");
}

struct runner_progress runner_progress(const struct runner *runner) {
    return runner->progress;
}

enum runner_end runner_ended(const struct runner *runner, gramc_text *reason) {
    *reason = text_of(runner->reason);
    return runner->stopping ? runner->end : RUNNER_DONE;
}

/* ## Making */

/* Cells that an earlier process has done; what it has given up is tried again. */
static int read_attempt(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct runner *runner = ctx;
    const struct plan *plan = runner->options.plan;
    if (place >= plan->items || attempt->cell.repeat >= plan->repeats ||
        attempt->cell.arm >= plan->arms)
        return 0;
    uint32_t number = attempt->number < UINT16_MAX ? attempt->number : UINT16_MAX;
    runner->numbers[index_of(runner, place, &attempt->cell)] = (uint16_t)number;
    count_attempt(runner, attempt);
    if (attempt->state == CELL_DONE) note_over(runner, place, attempt);
    return 0;
}

static gramc_status read_store(struct runner *runner, struct store_error *error) {
    gramc_status status = store_each(runner->options.store, false, read_attempt, runner, error);
    bool lacking;
    for (uint32_t place = 0; place < runner->progress.items && !status; place++)
        if (is_item_over(runner, place, &lacking)) note_finished(runner, place, lacking);
    return status;
}

static void *take(struct runner *runner, uint64_t size) {
    void *memory = size < SIZE_MAX ? mem_alloc(&runner->allocator, (size_t)size) : NULL;
    return memory ? memset(memory, 0, (size_t)size) : NULL;
}

static void give(struct runner *runner, void *memory, uint64_t size) {
    if (memory) mem_free(&runner->allocator, memory, (size_t)size);
}

static void set_defaults(struct runner_options *options) {
    if (!options->concurrency) options->concurrency = CONCURRENCY;
    if (!options->attempts) options->attempts = ATTEMPTS;
    if (!options->backoff_ms) options->backoff_ms = BACKOFF_MS;
}

gramc_status runner_new(struct runner **out, const struct runner_options *options,
                        struct store_error *error) {
    gramc_allocator allocator = options->allocator ? *options->allocator : mem_default();
    struct runner *runner = mem_alloc(&allocator, sizeof(*runner));
    uint64_t cells = plan_cells(options->plan);
    *out = NULL;
    if (!runner) return GRAMC_NOMEM;
    *runner = (struct runner){.options = *options, .allocator = allocator};
    set_defaults(&runner->options);
    runner->progress.cells = cells;
    runner->progress.items = options->plan->items;
    runner->cells = take(runner, cells + 1);
    runner->numbers = take(runner, (cells + 1) * sizeof(*runner->numbers));
    runner->finished = take(runner, options->plan->items + UINT64_C(1));
    gramc_status status =
        runner->cells && runner->numbers && runner->finished ? GRAMC_OK : GRAMC_NOMEM;
    if (!status) status = read_store(runner, error);
    if (status) runner_free(runner);
    else *out = runner;
    return status;
}

void runner_free(struct runner *runner) {
    if (!runner) return;
    gramc_allocator allocator = runner->allocator;
    while (runner->groups) free_group(runner->groups);
    give(runner, runner->cells, runner->progress.cells + 1);
    give(runner, runner->numbers, (runner->progress.cells + 1) * sizeof(*runner->numbers));
    give(runner, runner->finished, runner->progress.items + UINT64_C(1));
    mem_free(&allocator, runner, sizeof(*runner));
}
