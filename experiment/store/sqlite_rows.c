/* Turns attempts, claims and ends into rows of the tables in sqlite.c, and rows into attempts. A
 * row whose fence is not the item's any more is not written: that is decided inside the statement,
 * so that nothing can come between. */
#include "experiment/store/sqlite_rows.h"

#include "base/text.h"

#include <math.h>

/* ## Writing */

static bool write_claim(struct sqlite *db, int64_t experiment, const struct store_write *write) {
    struct sqlite_query query;
    sqlite_begin_kept(
        &query, db,
        "INSERT INTO item(experiment,place,state,owner,fence) VALUES(?1,?2,'leased',?3,?4)"
        " ON CONFLICT(experiment,place) DO UPDATE SET state='leased',owner=excluded.owner,"
        "fence=excluded.fence WHERE excluded.fence>item.fence");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_number(&query, 2, write->claim.place);
    sqlite_put_text(&query, 3, write->text);
    sqlite_put_number(&query, 4, (int64_t)write->claim.fence);
    sqlite_next(&query);
    sqlite_end(&query);
    return true;
}

static bool write_finish(struct sqlite *db, int64_t experiment, const struct store_write *write) {
    struct sqlite_query query;
    sqlite_begin_kept(&query, db,
                      "UPDATE item SET state='done' WHERE experiment=?1 AND place=?2 AND fence=?3");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_number(&query, 2, write->claim.place);
    sqlite_put_number(&query, 3, (int64_t)write->claim.fence);
    sqlite_next(&query);
    sqlite_end(&query);
    return db->status || sqlite_changed(db) > 0;
}

static bool write_status(struct sqlite *db, int64_t experiment, const struct store_write *write) {
    struct sqlite_query query;
    sqlite_begin_kept(&query, db, "UPDATE experiment SET status=?2,reason=?3 WHERE key=?1");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_text(&query, 2, text_of(store_status_name(write->status)));
    sqlite_put_text(&query, 3, write->text);
    sqlite_next(&query);
    sqlite_end(&query);
    return true;
}

/* In the order of the statement's values, from ?7 on. */
static void put_numbers(struct sqlite_query *query, const struct attempt *a) {
    const uint64_t numbers[] = {
        a->requests,      a->retries,           a->calls,         a->call_errors, a->tool_errors,
        a->prompt_tokens, a->completion_tokens, a->cached_tokens, a->has_tokens,  a->has_cost,
        a->wall_us,       a->model_us,          a->tool_us,       a->queued_us,   a->replayed};
    int index = 7;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sqlite_put_number(query, index++, (int64_t)numbers[i]);
    sqlite_put_number(query, index++, a->started_ms);
    sqlite_put_real(query, index++, a->has_cost ? a->cost : 0);
    sqlite_put_real(query, index++, a->judge_cost);
    const gramc_text texts[] = {text_of(cell_state_name(a->state)),
                                text_of(fault_name(a->fault)),
                                a->outcome,
                                a->message,
                                a->response_model,
                                a->system_fingerprint,
                                a->answer};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        sqlite_put_text(query, index++, texts[i]);
}

/* The key of the new row; 0: the fence is old. */
static int64_t insert_attempt(struct sqlite *db, int64_t experiment,
                              const struct store_write *write) {
    const struct attempt *attempt = &write->attempt;
    struct sqlite_query query;
    sqlite_begin_kept(
        &query, db,
        "INSERT INTO attempt(experiment,place,repeat,arm,number,fence,requests,retries,"
        "calls,call_errors,tool_errors,prompt_tokens,completion_tokens,cached_tokens,"
        "has_tokens,has_cost,wall_us,model_us,tool_us,queued_us,replayed,started_ms,cost,"
        "judge_cost,state,fault,outcome,message,response_model,system_fingerprint,answer)"
        " SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,"
        "?21,?22,?23,?24,?25,?26,?27,?28,?29,?30,?31 WHERE EXISTS(SELECT 1 FROM item WHERE"
        " experiment=?1 AND place=?2 AND fence=?6)");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_number(&query, 2, write->claim.place);
    sqlite_put_number(&query, 3, attempt->cell.repeat);
    sqlite_put_number(&query, 4, attempt->cell.arm);
    sqlite_put_number(&query, 5, attempt->number);
    sqlite_put_number(&query, 6, (int64_t)write->claim.fence);
    put_numbers(&query, attempt);
    sqlite_next(&query);
    sqlite_end(&query);
    /* Not by RETURNING: SQLite makes a table for it each time. */
    return !db->status && sqlite_changed(db) ? sqlite_new_key(db) : 0;
}

static void insert_scores(struct sqlite *db, int64_t key, const struct attempt *attempt) {
    struct sqlite_query query;
    if (attempt->score_count == 0) return;
    sqlite_begin_kept(&query, db,
                      "INSERT INTO score(attempt,grader,value,pass,missing,reason) "
                      "VALUES(?1,?2,?3,?4,?5,?6)");
    for (size_t i = 0; i < attempt->score_count && !db->status; i++) {
        const struct score *score = &attempt->scores[i];
        sqlite_put_number(&query, 1, key);
        sqlite_put_number(&query, 2, (int64_t)i);
        sqlite_put_real(&query, 3, score->value);
        sqlite_put_number(&query, 4, score->pass);
        sqlite_put_number(&query, 5, score->missing);
        sqlite_put_text(&query, 6, score->reason);
        sqlite_next(&query);
        sqlite_again(&query);
    }
    sqlite_end(&query);
}

static bool write_attempt(struct sqlite *db, int64_t experiment, const struct store_write *write) {
    struct sqlite_query query;
    int64_t key = insert_attempt(db, experiment, write);
    if (!key) return db->status != GRAMC_OK;
    insert_scores(db, key, &write->attempt);
    if (!write->attempt.trace.len) return true;
    sqlite_begin_kept(&query, db, "INSERT INTO trace(attempt,lines) VALUES(?1,?2)");
    sqlite_put_number(&query, 1, key);
    sqlite_put_text(&query, 2, write->attempt.trace);
    sqlite_next(&query);
    sqlite_end(&query);
    return true;
}

static bool has_fence(struct sqlite *db, int64_t experiment, const struct store_claim *claim) {
    struct sqlite_query query;
    sqlite_begin_kept(&query, db,
                      "SELECT 1 FROM item WHERE experiment=?1 AND place=?2 AND fence=?3");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_number(&query, 2, claim->place);
    sqlite_put_number(&query, 3, (int64_t)claim->fence);
    bool has = sqlite_next(&query);
    sqlite_end(&query);
    return has;
}

/* What is decided stays; what is missing gives way to what comes later. Costs add up. */
static bool write_preference(struct sqlite *db, int64_t experiment,
                             const struct store_write *write) {
    const struct preference *preference = &write->preference;
    const struct cell *cell = &preference->cell;
    const int64_t numbers[] = {experiment,
                               write->claim.place,
                               cell->repeat,
                               cell->arm,
                               preference->grader,
                               (int64_t)write->claim.fence,
                               preference->score.pass,
                               preference->score.missing};
    struct sqlite_query query;
    int index = 1;
    if (!has_fence(db, experiment, &write->claim)) return db->status != GRAMC_OK;
    sqlite_begin_kept(
        &query, db,
        "INSERT INTO preference(experiment,place,repeat,arm,grader,fence,pass,missing,"
        "value,cost,reason,lines) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)"
        " ON CONFLICT(experiment,place,repeat,arm,grader) DO UPDATE SET"
        " fence=excluded.fence,pass=excluded.pass,missing=excluded.missing,"
        "value=excluded.value,cost=preference.cost+excluded.cost,reason=excluded.reason,"
        "lines=excluded.lines WHERE preference.missing=1");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sqlite_put_number(&query, index++, numbers[i]);
    sqlite_put_real(&query, index++, preference->score.value);
    sqlite_put_real(&query, index++, preference->cost);
    sqlite_put_text(&query, index++, preference->score.reason);
    sqlite_put_text(&query, index++, preference->trace);
    sqlite_next(&query);
    sqlite_end(&query);
    return true;
}

bool sqlite_write(struct sqlite *db, int64_t experiment, const struct store_write *write) {
    static bool (*const writers[])(struct sqlite *, int64_t, const struct store_write *) = {
        [WRITE_CLAIM] = write_claim,
        [WRITE_ATTEMPT] = write_attempt,
        [WRITE_PREFERENCE] = write_preference,
        [WRITE_FINISH] = write_finish,
        [WRITE_STATUS] = write_status};
    return writers[write->kind](db, experiment, write);
}

/* ## Reading */

/* As SELECTed in sqlite_each. */
static void read_attempt(struct sqlite_query *q, struct attempt *out) {
    *out = (struct attempt){
        .cell = {.repeat = (uint32_t)sqlite_number(q, 2), .arm = (uint32_t)sqlite_number(q, 3)},
        .number = (uint32_t)sqlite_number(q, 4),
        .requests = (uint32_t)sqlite_number(q, 5),
        .retries = (uint32_t)sqlite_number(q, 6),
        .calls = (uint32_t)sqlite_number(q, 7),
        .call_errors = (uint32_t)sqlite_number(q, 8),
        .tool_errors = (uint32_t)sqlite_number(q, 9),
        .prompt_tokens = (uint64_t)sqlite_number(q, 10),
        .completion_tokens = (uint64_t)sqlite_number(q, 11),
        .cached_tokens = (uint64_t)sqlite_number(q, 12),
        .has_tokens = sqlite_number(q, 13) != 0,
        .has_cost = sqlite_number(q, 14) != 0,
        .wall_us = (uint64_t)sqlite_number(q, 15),
        .model_us = (uint64_t)sqlite_number(q, 16),
        .tool_us = (uint64_t)sqlite_number(q, 17),
        .queued_us = (uint64_t)sqlite_number(q, 18),
        .replayed = sqlite_number(q, 19) != 0,
        .started_ms = sqlite_number(q, 20),
        .cost = sqlite_real(q, 21),
        .judge_cost = sqlite_real(q, 22),
        .state = cell_state_of(sqlite_text(q, 23)),
        .fault = fault_of_name(sqlite_text(q, 24)),
        .outcome = sqlite_text(q, 25),
        .message = sqlite_text(q, 26),
        .response_model = sqlite_text(q, 27),
        .system_fingerprint = sqlite_text(q, 28),
        .answer = sqlite_text(q, 29)};
}

struct score_list {
    struct score *list;
    size_t count, room;
};

static bool add_score(struct arena *arena, struct score_list *scores, struct score score) {
    if (scores->count == scores->room) {
        size_t room = scores->room ? 2 * scores->room : 8;
        struct score *more = arena_array(arena, room, sizeof(*more));
        if (!more) return false;
        if (scores->count) memcpy(more, scores->list, scores->count * sizeof(*more));
        scores->list = more;
        scores->room = room;
    }
    scores->list[scores->count++] = score;
    return true;
}

static void read_scores(struct sqlite_query *query, int64_t key, struct arena *arena,
                        struct attempt *out) {
    struct score_list scores = {NULL, 0, 0};
    sqlite_again(query);
    sqlite_put_number(query, 1, key);
    while (sqlite_next(query)) {
        const struct score score = {.value = sqlite_real(query, 0),
                                    .pass = sqlite_number(query, 1) != 0,
                                    .missing = sqlite_number(query, 2) != 0,
                                    .reason = arena_text(arena, sqlite_text(query, 3))};
        if (!add_score(arena, &scores, score)) return;
    }
    out->scores = scores.list;
    out->score_count = scores.count;
}

static void read_trace(struct sqlite *db, int64_t key, struct arena *arena, struct attempt *out) {
    struct sqlite_query query;
    sqlite_begin_kept(&query, db, "SELECT lines FROM trace WHERE attempt=?1");
    sqlite_put_number(&query, 1, key);
    if (sqlite_next(&query)) out->trace = arena_text(arena, sqlite_text(&query, 0));
    sqlite_end(&query);
}

/* An item of an experiment. */
struct sqlite_key {
    int64_t experiment, place;
};

static bool any_preference(struct sqlite *db, int64_t experiment) {
    struct sqlite_query query;
    sqlite_begin(&query, db, "SELECT 1 FROM preference WHERE experiment=?1 LIMIT 1");
    sqlite_put_number(&query, 1, experiment);
    bool any = sqlite_next(&query);
    sqlite_end(&query);
    return any;
}

/* Puts what was preferred in the place of the scores that lack it. */
static void read_preferences(struct sqlite_query *query, const struct sqlite_key *key,
                             struct arena *arena, bool traces, struct attempt *out) {
    struct score *scores = arena_array(arena, out->score_count + 1, sizeof(*scores));
    if (!scores) return;
    if (out->score_count) memcpy(scores, out->scores, out->score_count * sizeof(*scores));
    sqlite_again(query);
    sqlite_put_number(query, 1, key->experiment);
    sqlite_put_number(query, 2, key->place);
    sqlite_put_number(query, 3, out->cell.repeat);
    sqlite_put_number(query, 4, out->cell.arm);
    while (sqlite_next(query)) {
        uint64_t grader = (uint64_t)sqlite_number(query, 0);
        out->judge_cost += sqlite_real(query, 5);
        if (traces) out->trace = store_join(arena, out->trace, sqlite_text(query, 6));
        if (grader >= out->score_count) continue;
        scores[grader] = (struct score){.value = sqlite_real(query, 1),
                                        .pass = sqlite_number(query, 2) != 0,
                                        .missing = sqlite_number(query, 3) != 0,
                                        .reason = arena_text(arena, sqlite_text(query, 4))};
    }
    out->scores = scores;
}

/* The newest attempt of a cell: no later one has its numbers. */
#define NEWEST(of)                                                                                 \
    "SELECT key,place,repeat,arm,number,requests,retries,calls,call_errors,tool_errors,"           \
    "prompt_tokens,completion_tokens,cached_tokens,has_tokens,has_cost,wall_us,model_us,tool_us,"  \
    "queued_us,replayed,started_ms,cost,judge_cost,state,fault,outcome,message,response_model,"    \
    "system_fingerprint,answer FROM attempt AS a WHERE experiment=?1" of                           \
    " AND NOT EXISTS(SELECT 1 FROM attempt AS b WHERE b.experiment=?1 AND b.place=a.place AND"     \
    " b.repeat=a.repeat AND b.arm=a.arm AND b.number>a.number) ORDER BY place,repeat,arm"

/* The statements of one reading. */
struct sqlite_reading {
    struct sqlite_query rows, scores, preferences;
    bool compares; /* there are preferences */
};

static void begin_reading(struct sqlite_reading *reading, struct sqlite *db, int64_t experiment,
                          uint32_t place) {
    bool every = place == STORE_EVERY;
    reading->compares = any_preference(db, experiment);
    sqlite_begin(&reading->rows, db, every ? NEWEST("") : NEWEST(" AND place=?2"));
    sqlite_begin(&reading->scores, db,
                 "SELECT value,pass,missing,reason FROM score WHERE attempt=?1 ORDER BY grader");
    sqlite_begin(&reading->preferences, db,
                 "SELECT grader,value,pass,missing,reason,cost,lines FROM preference WHERE "
                 "experiment=?1 AND place=?2 AND repeat=?3 AND arm=?4 ORDER BY grader");
    sqlite_put_number(&reading->rows, 1, experiment);
    if (!every) sqlite_put_number(&reading->rows, 2, place);
}

static void end_reading(struct sqlite_reading *reading) {
    sqlite_end(&reading->preferences);
    sqlite_end(&reading->scores);
    sqlite_end(&reading->rows);
}

gramc_status sqlite_each(struct sqlite *db, int64_t experiment, const gramc_allocator *allocator,
                         const struct sqlite_order *order, bool traces, store_visit *visit,
                         void *ctx) {
    struct sqlite_reading reading;
    struct arena arena;
    struct attempt attempt;
    bool stopped = false, nomem = false;
    arena_init(&arena, allocator);
    begin_reading(&reading, db, experiment, order->place);
    while (!stopped && !nomem && sqlite_next(&reading.rows)) {
        const struct sqlite_key key = {experiment, sqlite_number(&reading.rows, 1)};
        uint32_t place = (uint32_t)key.place;
        arena_reset(&arena);
        read_attempt(&reading.rows, &attempt);
        attempt.cell.item = order->order && place < order->items ? order->order[place] : place;
        read_scores(&reading.scores, sqlite_number(&reading.rows, 0), &arena, &attempt);
        if (traces) read_trace(db, sqlite_number(&reading.rows, 0), &arena, &attempt);
        if (reading.compares && attempt.cell.arm)
            read_preferences(&reading.preferences, &key, &arena, traces, &attempt);
        nomem = arena.oom;
        if (!nomem && !db->status) stopped = visit(ctx, place, &attempt) != 0;
    }
    end_reading(&reading);
    arena_free(&arena);
    return nomem ? GRAMC_NOMEM : GRAMC_OK;
}

/* ## Online */

static int64_t next_place(struct sqlite *db, int64_t experiment) {
    struct sqlite_query query;
    sqlite_begin_kept(&query, db, "UPDATE experiment SET items=items+1 WHERE key=?1");
    sqlite_put_number(&query, 1, experiment);
    sqlite_next(&query);
    sqlite_end(&query);
    sqlite_begin_kept(&query, db, "SELECT items-1 FROM experiment WHERE key=?1");
    sqlite_put_number(&query, 1, experiment);
    int64_t place = sqlite_next(&query) ? sqlite_number(&query, 0) : 0;
    sqlite_end(&query);
    return place;
}

uint32_t sqlite_expose(struct sqlite *db, int64_t experiment,
                       const struct store_exposure *exposure) {
    struct sqlite_query query;
    int64_t place = next_place(db, experiment);
    sqlite_begin_kept(&query, db,
                      "INSERT INTO item(experiment,place,state,owner,fence)"
                      " VALUES(?1,?2,'leased','',1)");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_number(&query, 2, place);
    sqlite_next(&query);
    sqlite_end(&query);
    sqlite_begin_kept(&query, db,
                      "INSERT INTO exposure(experiment,place,unit,arm,covariate,begun_ms)"
                      " VALUES(?1,?2,?3,?4,?5,?6)");
    sqlite_put_number(&query, 1, experiment);
    sqlite_put_number(&query, 2, place);
    sqlite_put_text(&query, 3, exposure->unit);
    sqlite_put_number(&query, 4, exposure->arm);
    if (!isnan(exposure->covariate)) sqlite_put_real(&query, 5, exposure->covariate);
    sqlite_put_number(&query, 6, exposure->begun_ms);
    sqlite_next(&query);
    sqlite_end(&query);
    return (uint32_t)place;
}

void sqlite_exposures(struct sqlite *db, int64_t experiment, store_exposure_visit *visit,
                      void *ctx) {
    struct sqlite_query query;
    bool stopped = false;
    sqlite_begin(&query, db,
                 "SELECT place,arm,unit,covariate,covariate IS NOT NULL,begun_ms,"
                 "EXISTS(SELECT 1 FROM attempt AS a WHERE a.experiment=e.experiment AND"
                 " a.place=e.place),told.value,told.value IS NOT NULL FROM exposure AS e LEFT JOIN"
                 " (SELECT place AS at,avg(value) AS value FROM feedback WHERE experiment=?1"
                 " GROUP BY place) AS told ON told.at=e.place WHERE experiment=?1 ORDER BY place");
    sqlite_put_number(&query, 1, experiment);
    while (!stopped && sqlite_next(&query)) {
        const struct store_exposure exposure = {
            .place = (uint32_t)sqlite_number(&query, 0),
            .arm = (uint32_t)sqlite_number(&query, 1),
            .unit = sqlite_text(&query, 2),
            .covariate = sqlite_number(&query, 4) ? sqlite_real(&query, 3) : (double)NAN,
            .begun_ms = sqlite_number(&query, 5),
            .ended = sqlite_number(&query, 6) != 0,
            .feedback = sqlite_number(&query, 8) ? sqlite_real(&query, 7) : (double)NAN};
        stopped = visit(ctx, &exposure) != 0;
    }
    sqlite_end(&query);
}
