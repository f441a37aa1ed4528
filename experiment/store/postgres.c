/* Keeps experiments in PostgreSQL, for many machines at a time: whoever begins the same plan works
 * with the others. An item is claimed in the database, past those that others just claim, for a
 * time that its clock alone measures; when the database is gone for a while, work waits for it.
 * Rows of attempts are postgres_rows.c's matter. */
#include "experiment/store/driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/stat/random.h"
#include "experiment/store/postgres_rows.h"

enum { ADDRESS_LONGEST = 2048, OWNER_LONGEST = 128, PATIENCE_MS = 60000, VERSION = 2 };
enum { TRIES_MAX = 50 };

/* Bytes where a text may be anything, NUL included. */
static const char *const schema[] = {
    "CREATE SCHEMA IF NOT EXISTS gramc",
    "CREATE TABLE IF NOT EXISTS gramc.meta(version int NOT NULL)",
    "INSERT INTO gramc.meta SELECT 2 WHERE NOT EXISTS(SELECT 1 FROM gramc.meta)",
    "CREATE TABLE IF NOT EXISTS gramc.experiment("
    " key bigserial PRIMARY KEY, id text NOT NULL UNIQUE, created_ms bigint NOT NULL,"
    " plan text NOT NULL, seed bigint NOT NULL, items bigint NOT NULL, repeats bigint NOT NULL,"
    " arms bigint NOT NULL, details bytea NOT NULL, status text NOT NULL"
    "  CHECK(status IN('planned','running','done','stopped','aborted')),"
    " reason bytea NOT NULL)",
    "CREATE TABLE IF NOT EXISTS gramc.item("
    " experiment bigint NOT NULL REFERENCES gramc.experiment(key), place bigint NOT NULL,"
    " state text NOT NULL CHECK(state IN('todo','leased','done')), owner text NOT NULL,"
    " lease_until timestamptz, fence bigint NOT NULL, ticket bigint NOT NULL, PRIMARY "
    "KEY(experiment,place))",
    "CREATE INDEX IF NOT EXISTS item_free ON gramc.item(experiment,place) WHERE state<>'done'",
    "CREATE TABLE IF NOT EXISTS gramc.attempt("
    " key bigserial PRIMARY KEY, experiment bigint NOT NULL, place bigint NOT NULL,"
    " repeat bigint NOT NULL, arm bigint NOT NULL, number bigint NOT NULL, fence bigint NOT NULL,"
    " requests bigint NOT NULL, retries bigint NOT NULL, calls bigint NOT NULL,"
    " call_errors bigint NOT NULL, tool_errors bigint NOT NULL, prompt_tokens bigint NOT NULL,"
    " completion_tokens bigint NOT NULL, cached_tokens bigint NOT NULL, has_tokens bigint NOT NULL,"
    " has_cost bigint NOT NULL, wall_us bigint NOT NULL, model_us bigint NOT NULL,"
    " tool_us bigint NOT NULL, queued_us bigint NOT NULL, replayed bigint NOT NULL,"
    " started_ms bigint NOT NULL, cost float8 NOT NULL, judge_cost float8 NOT NULL,"
    " state text NOT NULL, fault text NOT NULL, outcome text NOT NULL, message bytea NOT NULL,"
    " response_model bytea NOT NULL, system_fingerprint bytea NOT NULL, answer bytea NOT NULL,"
    " UNIQUE(experiment,place,repeat,arm,number),"
    " FOREIGN KEY(experiment,place) REFERENCES gramc.item(experiment,place))",
    "CREATE TABLE IF NOT EXISTS gramc.trace("
    " attempt bigint PRIMARY KEY REFERENCES gramc.attempt(key), lines bytea NOT NULL)",
    "CREATE TABLE IF NOT EXISTS gramc.score("
    " attempt bigint NOT NULL REFERENCES gramc.attempt(key), grader bigint NOT NULL,"
    " value float8 NOT NULL, pass bigint NOT NULL, missing bigint NOT NULL, reason bytea NOT NULL,"
    " PRIMARY KEY(attempt,grader))",
    "CREATE TABLE IF NOT EXISTS gramc.preference("
    " experiment bigint NOT NULL, place bigint NOT NULL, repeat bigint NOT NULL,"
    " arm bigint NOT NULL, grader bigint NOT NULL, fence bigint NOT NULL, value float8 NOT NULL,"
    " pass bigint NOT NULL, missing bigint NOT NULL, reason bytea NOT NULL, cost float8 NOT NULL,"
    " lines bytea NOT NULL, PRIMARY KEY(experiment,place,repeat,arm,grader),"
    " FOREIGN KEY(experiment,place) REFERENCES gramc.item(experiment,place))",
    "CREATE TABLE IF NOT EXISTS gramc.exposure("
    " experiment bigint NOT NULL, place bigint NOT NULL, unit text NOT NULL, arm bigint NOT NULL,"
    " covariate float8, begun_ms bigint NOT NULL, PRIMARY KEY(experiment,place),"
    " FOREIGN KEY(experiment,place) REFERENCES gramc.item(experiment,place))",
    "CREATE TABLE IF NOT EXISTS gramc.feedback("
    " experiment bigint NOT NULL, place bigint NOT NULL, value float8 NOT NULL,"
    " told_ms bigint NOT NULL,"
    " FOREIGN KEY(experiment,place) REFERENCES gramc.exposure(experiment,place))"};

struct store_server {
    gramc_allocator allocator;
    struct postgres reading; /* of the loop's thread */
    struct postgres writing; /* of the other one */
    char address[ADDRESS_LONGEST];
    int64_t key; /* of the experiment; 0: none */
    uint32_t items;
    uint32_t *order;           /* of the items, by place */
    char owner[OWNER_LONGEST]; /* that claimed last; empty: nobody */
    int64_t ticket;            /* of the claim that was asked for last */
    bool unheard;              /* and what came of it is not known */
    atomic_uint patience_ms;   /* so long a database that is gone is waited for */
    struct arena texts;        /* of the entry that was found last */
};

static gramc_status explain(const struct postgres *db, struct store_error *error) {
    return store_fail(error, db->status, "PostgreSQL: %s", db->why);
}

/* ## A database that is gone */

/* Waits for it. True: it is there again, and what failed can be done anew. */
static bool is_back(struct store_server *server, struct postgres *db) {
    return db->status == GRAMC_IO &&
           !postgres_reopen(db, server->address, atomic_load(&server->patience_ms));
}

/* For the loop's connection, while things are under way there: one try, and no waiting. */
static bool is_there(struct store_server *server) {
    struct postgres *db = &server->reading;
    return !db->status || (db->status == GRAMC_IO && !postgres_reopen(db, server->address, 0));
}

/* For the same when nothing is under way: a connection that has died unnoticed is made anew. */
static void look_up(struct store_server *server) {
    postgres_run(&server->reading, "SELECT 1");
    (void)is_back(server, &server->reading);
}

/* ## Opening */

static void free_order(struct store_server *server) {
    size_t size = (server->items + (size_t)1) * sizeof(*server->order);
    if (server->order) mem_free(&server->allocator, server->order, size);
    server->order = NULL;
}

/* Whoever goes in order need not be waited for. */
static void give_back(struct store_server *server) {
    struct pg_query query;
    if (!server->owner[0] || !is_there(server)) return;
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    pg_put_text(&query, text_of(server->owner));
    pg_run(&query, "UPDATE gramc.item SET state='todo' WHERE experiment=$1 AND owner=$2 AND"
                   " state='leased'");
    pg_end(&query);
}

static void close_server(void *db) {
    struct store_server *server = db;
    gramc_allocator allocator = server->allocator;
    give_back(server);
    postgres_close(&server->reading);
    postgres_close(&server->writing);
    free_order(server);
    arena_free(&server->texts);
    mem_wipe(server->address, sizeof(server->address));
    mem_free(&allocator, server, sizeof(*server));
}

/* By one process at a time: IF NOT EXISTS alone lets two of them collide. */
static void make_tables(struct postgres *db) {
    postgres_run(db, "BEGIN");
    postgres_run(db, "SELECT pg_advisory_xact_lock(1735551085)");
    for (size_t i = 0; i < sizeof(schema) / sizeof(schema[0]); i++) postgres_run(db, schema[i]);
    postgres_run(db, "COMMIT");
}

static gramc_status check_version(struct postgres *db, struct store_error *error) {
    struct pg_query query;
    pg_begin(&query, db);
    int64_t version = pg_run(&query, "SELECT version FROM gramc.meta") ? pg_number(&query, 0) : 0;
    pg_end(&query);
    if (db->status) return explain(db, error);
    if (version == VERSION) return GRAMC_OK;
    return store_fail(error, GRAMC_FINDINGS,
                      "the database is of version %lld, and this gramc knows %d",
                      (long long)version, VERSION);
}

static gramc_status open_server(void **out, gramc_text where, const gramc_allocator *allocator,
                                struct store_error *error) {
    struct store_server *server = mem_alloc(allocator, sizeof(*server));
    *out = server;
    if (!server) return store_fail(error, GRAMC_NOMEM, "out of memory");
    *server = (struct store_server){.allocator = *allocator};
    atomic_init(&server->patience_ms, PATIENCE_MS);
    arena_init(&server->texts, allocator);
    if (where.len >= ADDRESS_LONGEST || text_has_nul(where))
        return store_fail(error, GRAMC_FINDINGS, "the address of the store is none");
    memcpy(server->address, where.ptr, where.len);
    if (postgres_open(&server->reading, server->address)) return explain(&server->reading, error);
    make_tables(&server->reading);
    gramc_status status = check_version(&server->reading, error);
    if (status) return status;
    if (postgres_open(&server->writing, server->address)) return explain(&server->writing, error);
    return GRAMC_OK;
}

/* ## Beginning */

static int64_t find_key(struct store_server *server, gramc_text id) {
    struct pg_query query;
    pg_begin(&query, &server->reading);
    pg_put_text(&query, id);
    bool found = pg_run(&query, "SELECT key FROM gramc.experiment WHERE id=$1");
    int64_t key = found ? pg_number(&query, 0) : 0;
    pg_end(&query);
    return key;
}

static void add_experiment(struct store_server *server, gramc_text id, const struct plan *plan,
                           gramc_text details) {
    struct pg_query query;
    pg_begin(&query, &server->reading);
    pg_put_text(&query, id);
    pg_put_text(&query, text_of(plan->fingerprint));
    pg_put_number(&query, (int64_t)plan->seed);
    pg_put_number(&query, plan->items);
    pg_put_number(&query, plan->repeats);
    pg_put_number(&query, plan->arms);
    pg_put_text(&query, details);
    pg_run(&query,
           "INSERT INTO gramc.experiment(id,created_ms,plan,seed,items,repeats,arms,details,status,"
           "reason) VALUES($1,(extract(epoch FROM now())*1000)::bigint,$2,$3,$4,$5,$6,$7,'planned',"
           "'') ON CONFLICT DO NOTHING");
    pg_end(&query);
}

static void add_items(struct store_server *server) {
    struct pg_query query;
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    pg_put_number(&query, server->items);
    pg_run(&query, "INSERT INTO gramc.item(experiment,place,state,owner,fence,ticket) SELECT"
                   " $1,place,'todo','',0,0 FROM generate_series(0,$2::bigint-1) AS place "
                   "ON CONFLICT DO NOTHING");
    pg_end(&query);
}

/* An item with a cell that the infrastructure has failed, or with two answers that could not be
 * compared, is run again: that of it. */
static void open_missing(struct store_server *server) {
    struct pg_query query;
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    pg_run(&query,
           "UPDATE gramc.item SET state='todo' WHERE experiment=$1 AND state='done' AND place IN("
           "SELECT place FROM(SELECT DISTINCT ON(place,repeat,arm) place,state FROM gramc.attempt"
           " WHERE experiment=$1 ORDER BY place,repeat,arm,number DESC) AS newest"
           " WHERE newest.state='missing' UNION SELECT place FROM gramc.preference"
           " WHERE experiment=$1 AND missing=1)");
    pg_end(&query);
}

static gramc_status take_room(struct store_server *server, uint32_t items, uint64_t seed) {
    size_t room = items + (size_t)1;
    size_t *order = mem_alloc(&server->allocator, room * sizeof(*order));
    free_order(server);
    server->items = items;
    server->order = mem_alloc(&server->allocator, room * sizeof(*server->order));
    bool good = order && server->order;
    if (good) {
        stat_random_order(seed, order, items);
        for (uint32_t i = 0; i < items; i++) server->order[i] = (uint32_t)order[i];
    }
    if (order) mem_free(&server->allocator, order, room * sizeof(*order));
    return good ? GRAMC_OK : GRAMC_NOMEM;
}

static gramc_status read_experiment(struct store_server *server, gramc_text *plan) {
    struct pg_query query;
    uint32_t items = 0;
    uint64_t seed = 0;
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    if (pg_run(&query, "SELECT plan,seed,items FROM gramc.experiment WHERE key=$1")) {
        arena_reset(&server->texts);
        *plan = arena_text(&server->texts, pg_text(&query, 0));
        seed = (uint64_t)pg_number(&query, 1);
        items = (uint32_t)pg_number(&query, 2);
    }
    pg_end(&query);
    if (server->reading.status) return server->reading.status;
    return server->texts.oom ? GRAMC_NOMEM : take_room(server, items, seed);
}

static gramc_status ended(const struct store_server *server, gramc_status status,
                          struct store_error *error) {
    if (server->reading.status) return explain(&server->reading, error);
    return status ? store_fail(error, status, "out of memory") : GRAMC_OK;
}

static gramc_status take_up(void *db, gramc_text id, struct store_error *error) {
    struct store_server *server = db;
    gramc_text plan = {NULL, 0};
    server->key = find_key(server, id);
    if (server->reading.status) return explain(&server->reading, error);
    if (!server->key)
        return store_fail(error, GRAMC_NOT_FOUND, "the database has no experiment `%.*s`",
                          TEXT_ARGS(id));
    return ended(server, read_experiment(server, &plan), error);
}

static gramc_status begin(void *db, gramc_text id, const struct plan *plan, gramc_text details,
                          struct store_error *error) {
    struct store_server *server = db;
    gramc_text stored = {NULL, 0};
    add_experiment(server, id, plan, details);
    server->key = find_key(server, id);
    gramc_status status = server->reading.status;
    if (!status) status = read_experiment(server, &stored);
    if (!status && !text_eq(stored, text_of(plan->fingerprint)))
        return store_fail(error, GRAMC_AMBIGUOUS,
                          "experiment `%.*s` was begun with another plan (%.12s..., now %.12s...): "
                          "its spec, cases, libraries or settings have changed",
                          TEXT_ARGS(id), stored.len ? stored.ptr : "", plan->fingerprint);
    if (!status) add_items(server);
    if (!status) open_missing(server);
    return ended(server, status, error);
}

/* ## Claims */

static bool take_claim(struct pg_query *query, struct store_claim *out, bool got) {
    if (got)
        *out = (struct store_claim){(uint32_t)pg_number(query, 0), (uint64_t)pg_number(query, 1)};
    pg_end(query);
    return got;
}

static bool claim_once(struct store_server *server, uint32_t lease_ms, struct store_claim *out) {
    struct pg_query query;
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    pg_put_text(&query, text_of(server->owner));
    pg_put_number(&query, lease_ms);
    pg_put_number(&query, server->ticket);
    bool got =
        pg_run(&query, "UPDATE gramc.item SET state='leased',owner=$2,fence=fence+1,ticket=$4,"
                       "lease_until=now()+$3::bigint*interval '1 millisecond' WHERE experiment=$1"
                       " AND place=(SELECT place FROM gramc.item WHERE experiment=$1 AND("
                       "state='todo' OR (state='leased' AND lease_until<now() AND owner<>$2))"
                       " ORDER BY place"
                       " LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING place,fence");
    return take_claim(&query, out, got);
}

/* One that was made while the connection broke, so that nobody has heard of it. */
static bool find_claim(struct store_server *server, struct store_claim *out) {
    struct pg_query query;
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    pg_put_text(&query, text_of(server->owner));
    pg_put_number(&query, server->ticket);
    bool got = pg_run(&query, "SELECT place,fence FROM gramc.item WHERE experiment=$1 AND"
                              " state='leased' AND owner=$2 AND ticket=$3");
    return take_claim(&query, out, got);
}

/* A connection that turns out to be dead is made anew once. What was asked for with a ticket and
 * not heard of is looked for before more is claimed. */
static bool claim_now(struct store_server *server, uint32_t lease_ms, struct store_claim *out) {
    struct postgres *db = &server->reading;
    bool got = false;
    for (int tries = 0; tries < 2 && !got && is_there(server); tries++) {
        got = server->unheard && find_claim(server, out);
        if (!got && !db->status) {
            server->ticket++;
            server->unheard = true;
            got = claim_once(server, lease_ms, out);
        }
        if (db->status != GRAMC_IO) break;
    }
    if (!db->status) server->unheard = false;
    return got;
}

static gramc_status claim(void *db, gramc_text owner, uint32_t lease_ms, struct store_claim *out,
                          bool *got, bool *queue, struct store_error *error) {
    struct store_server *server = db;
    *queue = false;
    if (!server->key) return store_fail(error, GRAMC_USAGE, "no experiment was begun");
    if (owner.len >= OWNER_LONGEST || text_has_nul(owner))
        return store_fail(error, GRAMC_USAGE, "the name of the worker is too long");
    snprintf(server->owner, sizeof(server->owner), "%.*s", TEXT_ARGS(owner));
    atomic_store(&server->patience_ms, lease_ms);
    *got = claim_now(server, lease_ms, out);
    return server->reading.status ? explain(&server->reading, error) : GRAMC_OK;
}

static gramc_status heartbeat(void *db, gramc_text owner, uint32_t lease_ms) {
    struct store_server *server = db;
    struct pg_query query;
    for (int tries = 0; tries < 2 && is_there(server); tries++) {
        pg_begin(&query, &server->reading);
        pg_put_number(&query, server->key);
        pg_put_text(&query, owner);
        pg_put_number(&query, lease_ms);
        /* A row that is being written just now is prolonged the next time: whoever waited for it
         * would hold others that the writer needs. */
        pg_run(&query, "UPDATE gramc.item SET lease_until=now()+$3::bigint*interval '1 millisecond'"
                       " WHERE experiment=$1 AND place IN(SELECT place FROM gramc.item WHERE"
                       " experiment=$1 AND owner=$2 AND state='leased' FOR UPDATE SKIP LOCKED)");
        pg_end(&query);
        if (server->reading.status != GRAMC_IO) break;
    }
    return server->reading.status;
}

static gramc_status left(void *db, uint64_t *out, struct store_error *error) {
    struct store_server *server = db;
    struct pg_query query;
    *out = 0;
    for (int tries = 0; tries < 2 && is_there(server); tries++) {
        pg_begin(&query, &server->reading);
        pg_put_number(&query, server->key);
        pg_put_text(&query, text_of(server->owner));
        if (pg_run(&query, "SELECT count(*) FROM gramc.item WHERE experiment=$1 AND state<>'done'"
                           " AND NOT(state='leased' AND owner=$2)"))
            *out = (uint64_t)pg_number(&query, 0);
        pg_end(&query);
        if (server->reading.status != GRAMC_IO) break;
    }
    return server->reading.status ? explain(&server->reading, error) : GRAMC_OK;
}

static void finish(void *db, const struct store_claim *claim) {
    (void)db, (void)claim; /* nothing of it is kept here */
}

/* ## Writing */

/* False: an attempt that an old fence has kept out. */
static bool write_one(struct store_server *server, const struct store_write *write) {
    return postgres_write(&server->writing, server->key, write) ||
           (write->kind != WRITE_ATTEMPT && write->kind != WRITE_PREFERENCE);
}

static gramc_status write_batch(void *db, const struct store_write *first,
                                struct store_refusals *refusals, struct store_error *error) {
    struct store_server *server = db;
    struct postgres *writing = &server->writing;
    const struct store_refusals none = {.count = 0};
    int tries = 0;
    do {
        *refusals = none;
        postgres_run(writing, "BEGIN");
        for (const struct store_write *one = first; one && !writing->status; one = one->next)
            if (!write_one(server, one)) store_refuse(refusals, &one->claim);
        postgres_run(writing, "COMMIT");
    } while (++tries < TRIES_MAX && is_back(server, writing));
    return writing->status ? explain(writing, error) : GRAMC_OK;
}

/* ## Reading */

/* One item is asked for while others run; all of them when nothing does. */
static gramc_status each(void *db, uint32_t place, bool traces, store_visit *visit, void *ctx,
                         struct store_error *error) {
    struct store_server *server = db;
    const struct postgres_order order = {server->order, server->items, place};
    if (place == STORE_EVERY) look_up(server);
    else (void)is_there(server);
    gramc_status status = postgres_each(&server->reading, server->key, &server->allocator, &order,
                                        traces, visit, ctx);
    return ended(server, status, error);
}

static void read_entry(struct store_server *server, const struct pg_query *query,
                       struct store_entry *out) {
    struct arena *texts = &server->texts;
    arena_reset(texts);
    *out = (struct store_entry){.id = arena_text(texts, pg_text(query, 0)),
                                .created_ms = pg_number(query, 1),
                                .plan = arena_text(texts, pg_text(query, 2)),
                                .seed = (uint64_t)pg_number(query, 3),
                                .items = (uint32_t)pg_number(query, 4),
                                .repeats = (uint32_t)pg_number(query, 5),
                                .arms = (uint32_t)pg_number(query, 6),
                                .details = pg_bytes(query, 7, texts),
                                .status = store_status_of(pg_text(query, 8)),
                                .reason = pg_bytes(query, 9, texts),
                                .done = (uint64_t)pg_number(query, 10)};
}

static gramc_status find_entry(void *db, size_t i, struct store_entry *out,
                               struct store_error *error) {
    struct store_server *server = db;
    struct pg_query query;
    if (!i) look_up(server);
    pg_begin(&query, &server->reading);
    pg_put_number(&query, (int64_t)i);
    bool found =
        pg_run(&query, "SELECT id,created_ms,plan,seed,items,repeats,arms,details,status,reason,"
                       "(SELECT count(*) FROM gramc.item WHERE experiment=key AND state='done')"
                       " FROM gramc.experiment ORDER BY key DESC LIMIT 1 OFFSET $1");
    if (found) read_entry(server, &query, out);
    pg_end(&query);
    gramc_status status = ended(server, server->texts.oom ? GRAMC_NOMEM : GRAMC_OK, error);
    return status || found ? status : GRAMC_NOT_FOUND;
}

/* ## Online */

/* What the database refuses concerns one message; whether it is there, the next one asks again. */
static gramc_status end_change(struct store_server *server, struct store_error *error) {
    struct postgres *db = &server->reading;
    if (!db->status) return GRAMC_OK;
    gramc_status status = explain(db, error);
    if (db->status != GRAMC_IO) db->status = GRAMC_OK;
    return status;
}

/* One statement, which is all or nothing. */
static gramc_status expose(void *db, const struct store_exposure *exposure, struct store_claim *out,
                           struct store_error *error) {
    struct store_server *server = db;
    if (!server->key) return store_fail(error, GRAMC_USAGE, "no experiment was begun");
    if (!is_there(server)) return explain(&server->reading, error);
    out->fence = 1;
    if (!postgres_expose(&server->reading, server->key, exposure, &out->place) &&
        !server->reading.status)
        return store_fail(error, GRAMC_IO, "PostgreSQL: the experiment is gone");
    return end_change(server, error);
}

static gramc_status feedback(void *db, uint32_t place, double value, struct store_error *error) {
    struct store_server *server = db;
    struct pg_query query;
    if (!is_there(server)) return explain(&server->reading, error);
    pg_begin(&query, &server->reading);
    pg_put_number(&query, server->key);
    pg_put_number(&query, place);
    pg_put_real(&query, value);
    pg_run(&query, "INSERT INTO gramc.feedback(experiment,place,value,told_ms) VALUES($1,$2,$3,"
                   "(extract(epoch FROM now())*1000)::bigint)");
    pg_end(&query);
    return end_change(server, error);
}

static gramc_status exposures_each(void *db, store_exposure_visit *visit, void *ctx,
                                   struct store_error *error) {
    struct store_server *server = db;
    look_up(server);
    postgres_exposures(&server->reading, server->key, visit, ctx);
    return server->reading.status ? explain(&server->reading, error) : GRAMC_OK;
}

const struct store_driver store_postgres = {.open = open_server,
                                            .close = close_server,
                                            .begin = begin,
                                            .take_up = take_up,
                                            .claim = claim,
                                            .heartbeat = heartbeat,
                                            .finish = finish,
                                            .write = write_batch,
                                            .each = each,
                                            .left = left,
                                            .find = find_entry,
                                            .expose = expose,
                                            .feedback = feedback,
                                            .exposures = exposures_each};
