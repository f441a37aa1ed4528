/* Turns attempts and ends into rows of the tables in postgres.c, and rows into attempts. An item's
 * row is locked while its attempts are written, so that no claim can come between the look at its
 * fence and the commit. */
#include "experiment/store/postgres_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { ROWS_AT_ONCE = 500 };

/* ## Writing */

static bool write_finish(struct postgres *db, int64_t experiment, const struct store_write *write) {
    struct pg_query query;
    pg_begin(&query, db);
    pg_put_number(&query, experiment);
    pg_put_number(&query, write->claim.place);
    pg_put_number(&query, (int64_t)write->claim.fence);
    pg_run(&query, "UPDATE gramc.item SET state='done' WHERE experiment=$1 AND place=$2 AND"
                   " fence=$3");
    bool good = db->status || pg_changed(&query) > 0;
    pg_end(&query);
    return good;
}

static bool write_status(struct postgres *db, int64_t experiment, const struct store_write *write) {
    struct pg_query query;
    pg_begin(&query, db);
    pg_put_number(&query, experiment);
    pg_put_text(&query, text_of(store_status_name(write->status)));
    pg_put_text(&query, write->text);
    pg_run(&query, "UPDATE gramc.experiment SET status=$2,reason=$3 WHERE key=$1");
    pg_end(&query);
    return true;
}

static bool has_fence(struct postgres *db, int64_t experiment, const struct store_claim *claim) {
    struct pg_query query;
    pg_begin(&query, db);
    pg_put_number(&query, experiment);
    pg_put_number(&query, claim->place);
    pg_put_number(&query, (int64_t)claim->fence);
    bool has = pg_run(&query, "SELECT 1 FROM gramc.item WHERE experiment=$1 AND place=$2 AND"
                              " fence=$3 FOR SHARE");
    pg_end(&query);
    return has;
}

/* In the order of the statement's values. */
static void put_attempt(struct pg_query *query, int64_t experiment,
                        const struct store_write *write) {
    const struct attempt *a = &write->attempt;
    const uint64_t numbers[] = {(uint64_t)experiment,
                                write->claim.place,
                                a->cell.repeat,
                                a->cell.arm,
                                a->number,
                                write->claim.fence,
                                a->requests,
                                a->retries,
                                a->calls,
                                a->call_errors,
                                a->tool_errors,
                                a->prompt_tokens,
                                a->completion_tokens,
                                a->cached_tokens,
                                a->has_tokens,
                                a->has_cost,
                                a->wall_us,
                                a->model_us,
                                a->tool_us,
                                a->queued_us,
                                a->replayed,
                                (uint64_t)a->started_ms};
    const gramc_text texts[] = {text_of(cell_state_name(a->state)),
                                text_of(fault_name(a->fault)),
                                a->outcome,
                                a->message,
                                a->response_model,
                                a->system_fingerprint,
                                a->answer};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        pg_put_number(query, (int64_t)numbers[i]);
    pg_put_real(query, a->has_cost ? a->cost : 0);
    pg_put_real(query, a->judge_cost);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) pg_put_text(query, texts[i]);
}

/* The key of the new row; 0: it was there. */
static int64_t insert_attempt(struct postgres *db, int64_t experiment,
                              const struct store_write *write) {
    struct pg_query query;
    pg_begin(&query, db);
    put_attempt(&query, experiment, write);
    bool made = pg_run(
        &query, "INSERT INTO gramc.attempt(experiment,place,repeat,arm,number,fence,requests,"
                "retries,calls,call_errors,tool_errors,prompt_tokens,completion_tokens,"
                "cached_tokens,has_tokens,has_cost,wall_us,model_us,tool_us,queued_us,replayed,"
                "started_ms,cost,judge_cost,state,fault,outcome,message,response_model,"
                "system_fingerprint,answer) VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,"
                "$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31)"
                " ON CONFLICT DO NOTHING RETURNING key");
    int64_t key = made ? pg_number(&query, 0) : 0;
    pg_end(&query);
    return key;
}

static void insert_score(struct postgres *db, int64_t key, size_t grader,
                         const struct score *score) {
    struct pg_query query;
    pg_begin(&query, db);
    pg_put_number(&query, key);
    pg_put_number(&query, (int64_t)grader);
    pg_put_real(&query, score->value);
    pg_put_number(&query, score->pass);
    pg_put_number(&query, score->missing);
    pg_put_text(&query, score->reason);
    pg_run(&query, "INSERT INTO gramc.score(attempt,grader,value,pass,missing,reason)"
                   " VALUES($1,$2,$3,$4,$5,$6)");
    pg_end(&query);
}

static void insert_trace(struct postgres *db, int64_t key, gramc_text lines) {
    struct pg_query query;
    if (!lines.len) return;
    pg_begin(&query, db);
    pg_put_number(&query, key);
    pg_put_text(&query, lines);
    pg_run(&query, "INSERT INTO gramc.trace(attempt,lines) VALUES($1,$2)");
    pg_end(&query);
}

/* The same attempt of the same claim, in a commit that was not heard of. */
static bool is_written(struct postgres *db, int64_t experiment, const struct store_write *write) {
    const struct attempt *attempt = &write->attempt;
    struct pg_query query;
    pg_begin(&query, db);
    pg_put_number(&query, experiment);
    pg_put_number(&query, write->claim.place);
    pg_put_number(&query, attempt->cell.repeat);
    pg_put_number(&query, attempt->cell.arm);
    pg_put_number(&query, attempt->number);
    pg_put_number(&query, (int64_t)write->claim.fence);
    bool is = pg_run(&query, "SELECT 1 FROM gramc.attempt WHERE experiment=$1 AND place=$2 AND"
                             " repeat=$3 AND arm=$4 AND number=$5 AND fence=$6");
    pg_end(&query);
    return is || db->status != GRAMC_OK;
}

static bool write_attempt(struct postgres *db, int64_t experiment,
                          const struct store_write *write) {
    const struct attempt *attempt = &write->attempt;
    bool has = has_fence(db, experiment, &write->claim);
    int64_t key = has ? insert_attempt(db, experiment, write) : 0;
    if (!key) return is_written(db, experiment, write);
    for (size_t i = 0; i < attempt->score_count; i++) insert_score(db, key, i, &attempt->scores[i]);
    insert_trace(db, key, attempt->trace);
    return true;
}

/* What is decided stays; what is missing gives way to what comes later. Costs add up. */
static bool write_preference(struct postgres *db, int64_t experiment,
                             const struct store_write *write) {
    const struct preference *preference = &write->preference;
    const struct cell *cell = &preference->cell;
    const uint64_t numbers[] = {(uint64_t)experiment,   write->claim.place,
                                cell->repeat,           cell->arm,
                                preference->grader,     write->claim.fence,
                                preference->score.pass, preference->score.missing};
    struct pg_query query;
    if (!has_fence(db, experiment, &write->claim)) return db->status != GRAMC_OK;
    pg_begin(&query, db);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        pg_put_number(&query, (int64_t)numbers[i]);
    pg_put_real(&query, preference->score.value);
    pg_put_real(&query, preference->cost);
    pg_put_text(&query, preference->score.reason);
    pg_put_text(&query, preference->trace);
    pg_run(&query,
           "INSERT INTO gramc.preference AS old(experiment,place,repeat,arm,grader,fence,pass,"
           "missing,value,cost,reason,lines) VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)"
           " ON CONFLICT(experiment,place,repeat,arm,grader) DO UPDATE SET fence=excluded.fence,"
           "pass=excluded.pass,missing=excluded.missing,value=excluded.value,"
           "cost=old.cost+excluded.cost,reason=excluded.reason,lines=excluded.lines"
           " WHERE old.missing=1");
    pg_end(&query);
    return true;
}

bool postgres_write(struct postgres *db, int64_t experiment, const struct store_write *write) {
    switch (write->kind) {
    case WRITE_CLAIM: return true; /* made in the database */
    case WRITE_ATTEMPT: return write_attempt(db, experiment, write);
    case WRITE_PREFERENCE: return write_preference(db, experiment, write);
    case WRITE_FINISH: return write_finish(db, experiment, write);
    case WRITE_STATUS: return write_status(db, experiment, write);
    }
    return true;
}

/* ## Reading */

static gramc_text take_field(gramc_text *rest, char end) {
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != end) len++;
    gramc_text field = text_slice(*rest, 0, len);
    *rest = text_slice(*rest, len + (len < rest->len), rest->len);
    return field;
}

/* value,pass,missing,reason; and so on. Of a grader an entry, in their order. */
static void read_scores(struct attempt *out, struct arena *arena, gramc_text list) {
    size_t count = 0;
    for (size_t i = 0; i < list.len; i++) count += list.ptr[i] == ';';
    struct score *scores = arena_array(arena, count + 1, sizeof(*scores));
    out->scores = scores;
    for (; scores && list.len; out->score_count++) {
        struct score *score = &scores[out->score_count];
        gramc_text entry = take_field(&list, ';');
        if (!number_to_double(&score->value, take_field(&entry, ','))) score->value = 0;
        score->pass = text_is(take_field(&entry, ','), "1");
        score->missing = text_is(take_field(&entry, ','), "1");
        score->reason = pg_unhex(arena, entry);
    }
}

/* grader,value,pass,missing,cost,reason; and so on, in the place of the scores that lack them. */
static void read_preferences(struct attempt *out, struct arena *arena, gramc_text list) {
    struct score *scores = arena_array(arena, out->score_count + 1, sizeof(*scores));
    if (!scores || !list.len) return;
    if (out->score_count) memcpy(scores, out->scores, out->score_count * sizeof(*scores));
    while (list.len) {
        gramc_text entry = take_field(&list, ';');
        struct score score = {.value = 0};
        double cost = 0, grader = 0;
        bool good = number_to_double(&grader, take_field(&entry, ',')) &&
                    number_to_double(&score.value, take_field(&entry, ','));
        score.pass = text_is(take_field(&entry, ','), "1");
        score.missing = text_is(take_field(&entry, ','), "1");
        if (number_to_double(&cost, take_field(&entry, ','))) out->judge_cost += cost;
        score.reason = pg_unhex(arena, entry);
        if (good && grader < (double)out->score_count) scores[(size_t)grader] = score;
    }
    out->scores = scores;
}

/* As SELECTed in postgres_each. */
static void read_attempt(const struct pg_query *q, struct attempt *out, struct arena *arena) {
    *out = (struct attempt){
        .cell = {.repeat = (uint32_t)pg_number(q, 1), .arm = (uint32_t)pg_number(q, 2)},
        .number = (uint32_t)pg_number(q, 3),
        .requests = (uint32_t)pg_number(q, 4),
        .retries = (uint32_t)pg_number(q, 5),
        .calls = (uint32_t)pg_number(q, 6),
        .call_errors = (uint32_t)pg_number(q, 7),
        .tool_errors = (uint32_t)pg_number(q, 8),
        .prompt_tokens = (uint64_t)pg_number(q, 9),
        .completion_tokens = (uint64_t)pg_number(q, 10),
        .cached_tokens = (uint64_t)pg_number(q, 11),
        .has_tokens = pg_number(q, 12) != 0,
        .has_cost = pg_number(q, 13) != 0,
        .wall_us = (uint64_t)pg_number(q, 14),
        .model_us = (uint64_t)pg_number(q, 15),
        .tool_us = (uint64_t)pg_number(q, 16),
        .queued_us = (uint64_t)pg_number(q, 17),
        .replayed = pg_number(q, 18) != 0,
        .started_ms = pg_number(q, 19),
        .cost = pg_real(q, 20),
        .judge_cost = pg_real(q, 21),
        .state = cell_state_of(pg_text(q, 22)),
        .fault = fault_of_name(pg_text(q, 23)),
        .outcome = pg_text(q, 24),
        .message = pg_bytes(q, 25, arena),
        .response_model = pg_bytes(q, 26, arena),
        .system_fingerprint = pg_bytes(q, 27, arena),
        .answer = pg_bytes(q, 28, arena)};
    read_scores(out, arena, pg_text(q, 29));
    out->trace = pg_bytes(q, 30, arena);
    read_preferences(out, arena, pg_text(q, 31));
    if (pg_text(q, 32).len) out->trace = store_join(arena, out->trace, pg_bytes(q, 32, arena));
}

static void declare(struct postgres *db, int64_t experiment, uint32_t place, bool traces) {
    char sql[4096], of[48] = "";
    if (place != STORE_EVERY) snprintf(of, sizeof(of), " AND place=%u", (unsigned)place);
    snprintf(
        sql, sizeof(sql),
        "DECLARE rows CURSOR FOR SELECT DISTINCT ON(place,repeat,arm) place,repeat,arm,number,"
        "requests,retries,calls,call_errors,tool_errors,prompt_tokens,completion_tokens,"
        "cached_tokens,has_tokens,has_cost,wall_us,model_us,tool_us,queued_us,replayed,"
        "started_ms,cost,judge_cost,state,fault,outcome,message,response_model,"
        "system_fingerprint,answer,(SELECT string_agg(value||','||pass||','||missing||','||"
        "encode(reason,'hex'),';' ORDER BY grader) FROM gramc.score WHERE attempt=a.key),%s,"
        "(SELECT string_agg(grader||','||value||','||pass||','||missing||','||cost||','||"
        "encode(reason,'hex'),';' ORDER BY grader) FROM gramc.preference AS p WHERE"
        " p.experiment=a.experiment AND p.place=a.place AND p.repeat=a.repeat AND p.arm=a.arm),"
        "%s FROM gramc.attempt AS a WHERE experiment=%lld%s ORDER BY place,repeat,arm,number"
        " DESC",
        traces ? "(SELECT lines FROM gramc.trace WHERE attempt=a.key)" : "''::bytea",
        traces ? "(SELECT string_agg(lines,''::bytea ORDER BY grader) FROM"
                 " gramc.preference AS p WHERE p.experiment=a.experiment AND p.place=a.place"
                 " AND p.repeat=a.repeat AND p.arm=a.arm)"
               : "''::bytea",
        (long long)experiment, of);
    postgres_run(db, "BEGIN");
    postgres_run(db, sql);
}

gramc_status postgres_each(struct postgres *db, int64_t experiment,
                           const gramc_allocator *allocator, const struct postgres_order *order,
                           bool traces, store_visit *visit, void *ctx) {
    struct pg_query query;
    struct arena arena;
    struct attempt attempt;
    bool stopped = false, more = true, nomem = false;
    char fetch[48];
    snprintf(fetch, sizeof(fetch), "FETCH %d FROM rows", ROWS_AT_ONCE);
    arena_init(&arena, allocator);
    declare(db, experiment, order->place, traces);
    while (more && !stopped && !nomem) {
        pg_begin(&query, db);
        more = pg_run(&query, fetch);
        for (bool row = more; row && !stopped && !nomem; row = pg_next(&query)) {
            uint32_t place = (uint32_t)pg_number(&query, 0);
            arena_reset(&arena);
            read_attempt(&query, &attempt, &arena);
            attempt.cell.item = place < order->items ? order->order[place] : place;
            nomem = arena.oom;
            if (!nomem) stopped = visit(ctx, place, &attempt) != 0;
        }
        pg_end(&query);
    }
    postgres_run(db, "COMMIT");
    arena_free(&arena);
    return nomem ? GRAMC_NOMEM : GRAMC_OK;
}

/* ## Online */

bool postgres_expose(struct postgres *db, int64_t experiment, const struct store_exposure *exposure,
                     uint32_t *place) {
    struct pg_query query;
    bool has = !isnan(exposure->covariate);
    pg_begin(&query, db);
    pg_put_number(&query, experiment);
    pg_put_text(&query, exposure->unit);
    pg_put_number(&query, exposure->arm);
    pg_put_real(&query, has ? exposure->covariate : 0);
    pg_put_number(&query, has);
    pg_put_number(&query, exposure->begun_ms);
    bool made = pg_run(
        &query,
        "WITH counted AS(UPDATE gramc.experiment SET items=items+1 WHERE key=$1 RETURNING"
        " items-1 AS place),made AS(INSERT INTO gramc.item(experiment,place,state,owner,fence,"
        "ticket) SELECT $1,place,'leased','',1,0 FROM counted)"
        " INSERT INTO gramc.exposure(experiment,place,unit,arm,covariate,begun_ms)"
        " SELECT $1,place,$2::text,$3::bigint,CASE WHEN $5::bigint=1 THEN $4::float8 END,"
        "$6::bigint FROM counted RETURNING place");
    if (made) *place = (uint32_t)pg_number(&query, 0);
    pg_end(&query);
    return made;
}

static int visit_row(const struct pg_query *query, store_exposure_visit *visit, void *ctx) {
    const struct store_exposure exposure = {
        .place = (uint32_t)pg_number(query, 0),
        .arm = (uint32_t)pg_number(query, 1),
        .unit = pg_text(query, 2),
        .covariate = pg_number(query, 4) ? pg_real(query, 3) : (double)NAN,
        .begun_ms = pg_number(query, 5),
        .ended = pg_number(query, 6) != 0,
        .feedback = pg_number(query, 8) ? pg_real(query, 7) : (double)NAN};
    return visit(ctx, &exposure);
}

void postgres_exposures(struct postgres *db, int64_t experiment, store_exposure_visit *visit,
                        void *ctx) {
    char sql[1024], fetch[48];
    bool stopped = false, more = true;
    struct pg_query query;
    snprintf(sql, sizeof(sql),
             "DECLARE rows CURSOR FOR SELECT e.place,arm,unit,coalesce(covariate,0),"
             "(covariate IS NOT NULL)::int,begun_ms,EXISTS(SELECT 1 FROM gramc.attempt AS a WHERE"
             " a.experiment=e.experiment AND a.place=e.place)::int,coalesce(told.value,0),"
             "(told.value IS NOT NULL)::int FROM gramc.exposure AS e LEFT JOIN (SELECT place,"
             "avg(value) AS value FROM gramc.feedback WHERE experiment=%lld GROUP BY place) AS told"
             " ON told.place=e.place WHERE e.experiment=%lld ORDER BY e.place",
             (long long)experiment, (long long)experiment);
    snprintf(fetch, sizeof(fetch), "FETCH %d FROM rows", ROWS_AT_ONCE);
    postgres_run(db, "BEGIN");
    postgres_run(db, sql);
    while (more && !stopped) {
        pg_begin(&query, db);
        more = pg_run(&query, fetch);
        for (bool row = more; row && !stopped; row = pg_next(&query))
            stopped = visit_row(&query, visit, ctx) != 0;
        pg_end(&query);
    }
    postgres_run(db, "COMMIT");
}
