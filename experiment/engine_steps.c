/* The steps of an item that is being run: its cells in each repeat, then what is to be compared in
 * it. What is decided here: what is tried again, what is given up as missing, and that nothing is
 * run or asked for twice. Items, limits and the end of all are engine.c's, the asking is behind
 * struct cell_runner. */
#include "experiment/engine_parts.h"

#include "base/text.h"

/* ## What comes next */

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

/* ## Cells */

static void save(struct item_run *group, const struct attempt *attempt) {
    struct engine *engine = group->engine;
    engine_check_store(engine, store_save(engine->options.store, &group->claim, attempt));
    known_note_attempt(group, attempt);
}

static void try_again(void *ctx) {
    engine_run_group(ctx);
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
    engine_check_limits(engine);
    if (attempt.state == CELL_TODO && wait_and_try_again(group)) return false;
    if (attempt.state == CELL_TODO) group->dropped = true;
    else known_note_over(engine, group->claim.place, &attempt);
    known_keep_answer(group, &attempt);
    group->step++;
    group->tries = 0;
    return true;
}

static void on_done(void *ticket, const struct attempt *attempt) {
    struct item_run *group = ticket;
    if (!take_attempt(group, attempt)) return;
    if (group->calling) group->ended_inside = true;
    else engine_run_group(group);
}

/* False: the group waits for a cell that it has started. */
static bool start_cell(struct item_run *group, const struct cell *cell) {
    struct engine *engine = group->engine;
    const struct cell_runner *cells = engine->options.cells;
    const struct cell_start start = {
        *cell, group->claim.place, known_number(group, cell) + 1,
        plan_sampling_seed(engine->options.plan, cell->item, cell->repeat)};
    group->tries++;
    group->calling = true;
    group->ended_inside = false;
    gramc_status status = cells->start(cells->self, &start, on_done, group);
    group->calling = false;
    if (!status) return group->ended_inside;
    if (status == GRAMC_NOMEM) engine_stop_for_memory(engine);
    else engine_stop(engine, ENGINE_FAILED, "a run cannot be started");
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
    engine_check_store(engine, store_prefer(engine->options.store, &group->claim, given));
    engine_check_limits(engine);
    if (failed && wait_and_try_again(group)) return false;
    if (failed && group->tries < engine->options.attempts) {
        group->dropped = true;
        return true;
    }
    if (failed) known_note_undecided(group, &given->cell);
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
    else engine_run_group(group);
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
    if (status == GRAMC_NOMEM) engine_stop_for_memory(engine);
    else engine_stop(engine, ENGINE_FAILED, "a judge cannot be asked");
    group->dropped = true;
    return true;
}

/* ## One step after the other */

static bool is_step_over(const struct item_run *group, const struct item_step *step) {
    const struct cell *cell = &step->cell;
    if (!step->compares) return known_is_over(group, cell);
    const struct attempt *other = kept_answer(&group->kept, cell->repeat, cell->arm);
    return !other || !kept_answer(&group->kept, cell->repeat, 0) ||
           kept_answer_is_judged(other, step->grader);
}

/* The cell is there, and its answer is not known here: somebody else's, still on its way. */
static bool is_out_of_sight(const struct item_run *group, const struct cell *cell) {
    return !known_is_lacking(group, cell) && !kept_answer(&group->kept, cell->repeat, cell->arm);
}

static bool is_answer_elsewhere(const struct item_run *group, const struct item_step *step) {
    struct cell first = step->cell;
    first.arm = 0;
    return is_out_of_sight(group, &first) || is_out_of_sight(group, &step->cell);
}

void engine_run_group(struct item_run *group) {
    struct engine *engine = group->engine;
    uint64_t count = steps_of_repeat(engine) * engine->options.plan->repeats;
    while (group->step < count && !group->dropped && !engine->stopping) {
        struct item_step step = step_at(group);
        if (step.compares && is_answer_elsewhere(group, &step)) group->dropped = true;
        else if (is_step_over(group, &step)) group->step++;
        else if (!(step.compares ? start_preference(group, &step) : start_cell(group, &step.cell)))
            return;
    }
    if (group->step == count && !group->dropped) known_note_compared(group);
    engine_end_group(group);
}
