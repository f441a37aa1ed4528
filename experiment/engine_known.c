/* What is known of each cell: a byte, and the number of its newest attempt. Filled from what the
 * store has, first of all cells, later of an item that somebody else had claimed; kept up to date
 * by the steps. What follows for items and for the end of all is engine.c's. */
#include "experiment/engine_parts.h"

/* COMPARED: no preference is to be asked for any more; UNDECIDED: one could not be had; TOLD: the
 * watch knows of it. */
enum { OVER = 1, LACKING = 2, COMPARED = 4, UNDECIDED = 8, TOLD = 16 };

static uint64_t cells_of_item(const struct engine *engine) {
    return (uint64_t)engine->options.plan->repeats * engine->options.plan->arms;
}

static uint64_t index_of(const struct engine *engine, uint32_t place, const struct cell *cell) {
    return place * cells_of_item(engine) + (uint64_t)cell->repeat * engine->options.plan->arms +
           cell->arm;
}

static uint16_t *number_of(const struct engine *engine, uint32_t place, const struct cell *cell) {
    return &engine->numbers[index_of(engine, place, cell)];
}

uint32_t known_number(const struct item_run *group, const struct cell *cell) {
    return *number_of(group->engine, group->claim.place, cell);
}

static void count_attempt(struct engine *engine, const struct attempt *attempt) {
    if (attempt->has_cost) engine->progress.cost += attempt->cost;
    engine->progress.judge_cost += attempt->judge_cost;
    engine->progress.calls += attempt->requests + attempt->retries;
}

void known_note_over(struct engine *engine, uint32_t place, const struct attempt *attempt) {
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

void known_note_attempt(struct item_run *group, const struct attempt *attempt) {
    uint16_t *number = number_of(group->engine, group->claim.place, &attempt->cell);
    if (*number < UINT16_MAX) (*number)++;
    count_attempt(group->engine, attempt);
}

void known_note_undecided(struct item_run *group, const struct cell *cell) {
    group->engine->cells[index_of(group->engine, group->claim.place, cell)] |= UNDECIDED;
}

void known_keep_answer(struct item_run *group, const struct attempt *attempt) {
    if (!group->engine->options.preference_count || attempt->state != CELL_DONE) return;
    if (!kept_answers_put(&group->kept, attempt)) engine_stop_for_memory(group->engine);
}

static bool has_bit(const struct item_run *group, const struct cell *cell, uint8_t bit) {
    return (group->engine->cells[index_of(group->engine, group->claim.place, cell)] & bit) != 0;
}

bool known_is_over(const struct item_run *group, const struct cell *cell) {
    return has_bit(group, cell, OVER);
}

bool known_is_lacking(const struct item_run *group, const struct cell *cell) {
    return has_bit(group, cell, LACKING);
}

/* ## Items */

/* Nothing is compared with an answer that is not there. */
static bool is_compared(const struct engine *engine, uint64_t cell) {
    uint32_t arm = (uint32_t)(cell % engine->options.plan->arms);
    if (!engine->options.preference_count || arm == 0) return true;
    return (engine->cells[cell] & (COMPARED | LACKING)) != 0 ||
           (engine->cells[cell - arm] & LACKING) != 0;
}

bool known_item_is_over(const struct engine *engine, uint32_t place, bool *lacking) {
    uint64_t count = cells_of_item(engine), first = place * count;
    *lacking = false;
    for (uint64_t i = first; i < first + count; i++) {
        if (!(engine->cells[i] & OVER) || !is_compared(engine, i)) return false;
        *lacking |= (engine->cells[i] & (LACKING | UNDECIDED)) != 0;
    }
    return true;
}

void known_note_compared(struct item_run *group) {
    struct engine *engine = group->engine;
    uint64_t count = cells_of_item(engine), first = group->claim.place * count;
    for (uint64_t i = first; i < first + count; i++) engine->cells[i] |= COMPARED;
}

/* ## What the store has */

/* What the store has of a cell. */
static void note_kept(struct engine *engine, uint32_t place, const struct attempt *attempt) {
    bool judged = true;
    if (attempt->state == CELL_DONE) known_note_over(engine, place, attempt);
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

/* What an earlier process has given up is tried again. */
static int read_attempt(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct engine *engine = ctx;
    const struct plan *plan = engine->options.plan;
    if (place >= plan->items || attempt->cell.repeat >= plan->repeats ||
        attempt->cell.arm >= plan->arms)
        return 0;
    uint32_t number = attempt->number < UINT16_MAX ? attempt->number : UINT16_MAX;
    *number_of(engine, place, &attempt->cell) = (uint16_t)number;
    count_attempt(engine, attempt);
    note_kept(engine, place, attempt);
    return 0;
}

gramc_status known_read(struct engine *engine, struct store_error *error) {
    return store_each(engine->options.store, false, read_attempt, engine, error);
}

/* What is kept of the item, whoever has done it. */
static int read_done(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct item_run *group = ctx;
    struct engine *engine = group->engine;
    const struct plan *plan = engine->options.plan;
    if (attempt->cell.repeat >= plan->repeats || attempt->cell.arm >= plan->arms) return 0;
    uint16_t *known = number_of(engine, place, &attempt->cell);
    uint32_t number = attempt->number < UINT16_MAX ? attempt->number : UINT16_MAX;
    if (number > *known) {
        *known = (uint16_t)number;
        count_attempt(engine, attempt);
    }
    note_kept(engine, place, attempt);
    known_keep_answer(group, attempt);
    return 0;
}

gramc_status known_read_item(struct item_run *group, struct store_error *error) {
    uint32_t place = group->claim.place;
    forget_cells(group->engine, place);
    return store_each_of(group->engine->options.store, place, read_done, group, error);
}
