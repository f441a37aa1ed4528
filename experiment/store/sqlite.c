/* Keeps experiments in a SQLite file: tables and statements. One process at a time runs an
 * experiment, which a lock beside the file sees to and which ends with the process, however that
 * ends. So claims are made in memory and only written behind; whatever was not committed when a
 * process died is run again by the next one. */
#define _GNU_SOURCE /* F_OFD_SETLK: a lock of this handle, not of all the process */
#include "experiment/store/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/text.h"
#include "experiment/stat/random.h"
#include "experiment/store/sqlite_rows.h"

enum { BUSY_MS = 10000, PATH_LONGEST = 4096 };

static const struct sqlite_form form = {
    .application = 0x67726d78, /* "grmx" */
    .version = 1,
    .schema =
        "CREATE TABLE experiment("
        " key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL,"
        " plan TEXT NOT NULL, seed INTEGER NOT NULL, items INTEGER NOT NULL,"
        " repeats INTEGER NOT NULL, arms INTEGER NOT NULL, details TEXT NOT NULL,"
        " status TEXT NOT NULL"
        "  CHECK(status IN('planned','running','done','stopped','aborted')),"
        " reason TEXT NOT NULL);"
        /* A group: one item with all its repeats and arms. No row: nobody has begun it. */
        "CREATE TABLE item("
        " experiment INTEGER NOT NULL REFERENCES experiment(key), place INTEGER NOT NULL,"
        " state TEXT NOT NULL CHECK(state IN('leased','done')), owner TEXT NOT NULL,"
        " fence INTEGER NOT NULL, PRIMARY KEY(experiment,place)) WITHOUT ROWID;"
        /* Only ever added to. SQLite would make a table for IN(...) with each row. */
        "CREATE TABLE attempt("
        " key INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, place INTEGER NOT NULL,"
        " repeat INTEGER NOT NULL, arm INTEGER NOT NULL, number INTEGER NOT NULL,"
        " fence INTEGER NOT NULL,"
        " state TEXT NOT NULL"
        "  CHECK(state='done' OR state='todo' OR state='missing' OR state='skipped'),"
        " fault TEXT NOT NULL CHECK(fault='none' OR fault='arm' OR fault='infrastructure'),"
        " outcome TEXT NOT NULL, message TEXT NOT NULL, requests INTEGER NOT NULL,"
        " retries INTEGER NOT NULL, calls INTEGER NOT NULL, call_errors INTEGER NOT NULL,"
        " tool_errors INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL,"
        " completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,"
        " has_tokens INTEGER NOT NULL, cost REAL NOT NULL, has_cost INTEGER NOT NULL,"
        " judge_cost REAL NOT NULL, wall_us INTEGER NOT NULL, model_us INTEGER NOT NULL,"
        " tool_us INTEGER NOT NULL, queued_us INTEGER NOT NULL, started_ms INTEGER NOT NULL,"
        " response_model TEXT NOT NULL, system_fingerprint TEXT NOT NULL, answer TEXT NOT NULL,"
        " replayed INTEGER NOT NULL, UNIQUE(experiment,place,repeat,arm,number),"
        " FOREIGN KEY(experiment,place) REFERENCES item(experiment,place));"
        "CREATE TABLE trace(attempt INTEGER PRIMARY KEY REFERENCES attempt(key),"
        " lines TEXT NOT NULL);"
        "CREATE TABLE score("
        " attempt INTEGER NOT NULL REFERENCES attempt(key), grader INTEGER NOT NULL,"
        " value REAL NOT NULL, pass INTEGER NOT NULL, missing INTEGER NOT NULL,"
        " reason TEXT NOT NULL, PRIMARY KEY(attempt,grader)) WITHOUT ROWID;"};

/* Of a version of its own: files that were made before it get it when they are opened. */
static const char preferences[] =
    "CREATE TABLE IF NOT EXISTS preference("
    " experiment INTEGER NOT NULL, place INTEGER NOT NULL, repeat INTEGER NOT NULL,"
    " arm INTEGER NOT NULL, grader INTEGER NOT NULL, fence INTEGER NOT NULL, value REAL NOT NULL,"
    " pass INTEGER NOT NULL, missing INTEGER NOT NULL, reason TEXT NOT NULL, cost REAL NOT NULL,"
    " lines TEXT NOT NULL, PRIMARY KEY(experiment,place,repeat,arm,grader),"
    " FOREIGN KEY(experiment,place) REFERENCES item(experiment,place)) WITHOUT ROWID";

/* Both of online experiments, in the same way. */
static const char exposures[] =
    "CREATE TABLE IF NOT EXISTS exposure("
    " experiment INTEGER NOT NULL, place INTEGER NOT NULL, unit TEXT NOT NULL,"
    " arm INTEGER NOT NULL, covariate REAL, begun_ms INTEGER NOT NULL,"
    " PRIMARY KEY(experiment,place),"
    " FOREIGN KEY(experiment,place) REFERENCES item(experiment,place)) WITHOUT ROWID";
static const char feedbacks[] =
    "CREATE TABLE IF NOT EXISTS feedback("
    " experiment INTEGER NOT NULL, place INTEGER NOT NULL, value REAL NOT NULL,"
    " told_ms INTEGER NOT NULL,"
    " FOREIGN KEY(experiment,place) REFERENCES exposure(experiment,place))";

/* A claim that is under way in this process. */
struct lease {
    uint32_t place;
    uint64_t owner; /* a hash of it */
    uint64_t until; /* by the clock that never goes back */
};

struct store_file {
    gramc_allocator allocator;
    struct sqlite reading; /* of the loop's thread */
    struct sqlite writing; /* of the other one */
    int lock;              /* the file of the locks, -1: none yet */
    char path[PATH_LONGEST];
    int64_t key; /* of the experiment; 0: none */
    uint32_t items;
    uint32_t *order; /* of the items, by place */
    uint64_t *fences;
    bool *taken; /* done, or leased just now */
    uint32_t next;
    struct lease *leases;
    size_t lease_count, lease_room;
    struct arena texts; /* of the entry that was found last */
};

static gramc_status explain(const struct store_file *file, const struct sqlite *db,
                            struct store_error *error) {
    return store_fail(error, db->status, "%s: %s", file->path, db->why);
}

/* ## Opening */

/* What is known of an experiment's items. */
static void give_room(struct store_file *file) {
    const gramc_allocator *allocator = &file->allocator;
    size_t room = file->items + (size_t)1;
    if (file->order) mem_free(allocator, file->order, room * sizeof(*file->order));
    if (file->fences) mem_free(allocator, file->fences, room * sizeof(*file->fences));
    if (file->taken) mem_free(allocator, file->taken, room * sizeof(*file->taken));
    file->order = NULL;
    file->fences = NULL;
    file->taken = NULL;
    file->next = 0;
    file->lease_count = 0;
}

static void close_file(void *db) {
    struct store_file *file = db;
    gramc_allocator allocator = file->allocator;
    sqlite_close(&file->reading);
    sqlite_close(&file->writing);
    if (file->lock >= 0) close(file->lock);
    give_room(file);
    if (file->leases) mem_free(&allocator, file->leases, file->lease_room * sizeof(*file->leases));
    arena_free(&file->texts);
    mem_free(&allocator, file, sizeof(*file));
}

static gramc_status open_file(void **out, gramc_text where, const gramc_allocator *allocator,
                              struct store_error *error) {
    struct store_file *file = mem_alloc(allocator, sizeof(*file));
    *out = file;
    if (!file) return store_fail(error, GRAMC_NOMEM, "out of memory");
    *file = (struct store_file){.allocator = *allocator, .lock = -1};
    arena_init(&file->texts, allocator);
    if (where.len == 0 || where.len + 8 > PATH_LONGEST || text_has_nul(where))
        return store_fail(error, GRAMC_FINDINGS, "the path of the store is no path");
    memcpy(file->path, where.ptr, where.len);
    if (sqlite_open(&file->reading, file->path, &form, BUSY_MS))
        return explain(file, &file->reading, error);
    static const char *const later[] = {preferences, exposures, feedbacks};
    for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
        if (sqlite_run(&file->reading, later[i])) return explain(file, &file->reading, error);
    if (sqlite_open(&file->writing, file->path, &form, BUSY_MS))
        return explain(file, &file->writing, error);
    return GRAMC_OK;
}

/* ## Whose experiment it is */

/* A byte of the file beside the database stands for each experiment: somewhere below 2^48. */
static gramc_status lock_experiment(struct store_file *file, int64_t key,
                                    struct store_error *error) {
    char path[PATH_LONGEST + 8];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = key, .l_len = 1};
    snprintf(path, sizeof(path), "%s-lock", file->path);
    if (file->lock < 0) file->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file->lock < 0)
        return store_fail(error, GRAMC_IO, "%s: it cannot be opened (%s)", path, strerror(errno));
    if (fcntl(file->lock, F_OFD_SETLK, &lock) == 0) return GRAMC_OK;
    if (errno == EAGAIN || errno == EACCES)
        return store_fail(error, GRAMC_LIMIT, "another process runs this experiment just now");
    return store_fail(error, GRAMC_IO, "%s: it cannot be locked (%s)", path, strerror(errno));
}

static int64_t find_key(struct store_file *file, gramc_text id) {
    struct sqlite_query query;
    sqlite_begin(&query, &file->reading, "SELECT key FROM experiment WHERE id=?1");
    sqlite_put_text(&query, 1, id);
    int64_t key = sqlite_next(&query) ? sqlite_number(&query, 0) : 0;
    sqlite_end(&query);
    return key;
}

static int64_t wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* One that is there already stays as it is. */
static void add_experiment(struct store_file *file, gramc_text id, const struct plan *plan,
                           gramc_text details) {
    struct sqlite_query query;
    sqlite_begin(&query, &file->reading,
                 "INSERT INTO experiment(id,created_ms,plan,seed,items,repeats,arms,details,status,"
                 "reason) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,'planned','') ON CONFLICT DO NOTHING");
    sqlite_put_text(&query, 1, id);
    sqlite_put_number(&query, 2, wall_ms());
    sqlite_put_text(&query, 3, text_of(plan->fingerprint));
    sqlite_put_number(&query, 4, (int64_t)plan->seed);
    sqlite_put_number(&query, 5, plan->items);
    sqlite_put_number(&query, 6, plan->repeats);
    sqlite_put_number(&query, 7, plan->arms);
    sqlite_put_text(&query, 8, details);
    sqlite_next(&query);
    sqlite_end(&query);
}

/* An item with a cell that the infrastructure has failed, or with two answers that could not be
 * compared, is run again: that of it. */
static void open_missing(struct store_file *file) {
    struct sqlite_query query;
    sqlite_begin(&query, &file->reading,
                 "UPDATE item SET state='leased' WHERE experiment=?1 AND state='done' AND place IN("
                 "SELECT place FROM attempt AS a WHERE experiment=?1 AND state='missing' AND"
                 " number=(SELECT max(number) FROM attempt AS b WHERE b.experiment=a.experiment"
                 "  AND b.place=a.place AND b.repeat=a.repeat AND b.arm=a.arm)"
                 " UNION SELECT place FROM preference WHERE experiment=?1 AND missing=1)");
    sqlite_put_number(&query, 1, file->key);
    sqlite_next(&query);
    sqlite_end(&query);
}

static gramc_status take_room(struct store_file *file, uint32_t items, uint64_t seed) {
    size_t room = items + (size_t)1;
    size_t *order = mem_alloc(&file->allocator, room * sizeof(*order));
    give_room(file);
    file->items = items;
    file->order = mem_alloc(&file->allocator, room * sizeof(*file->order));
    file->fences = mem_alloc(&file->allocator, room * sizeof(*file->fences));
    file->taken = mem_alloc(&file->allocator, room * sizeof(*file->taken));
    bool good = order && file->order && file->fences && file->taken;
    if (good) {
        memset(file->fences, 0, room * sizeof(*file->fences));
        memset(file->taken, 0, room * sizeof(*file->taken));
        stat_random_order(seed, order, items);
        for (uint32_t i = 0; i < items; i++) file->order[i] = (uint32_t)order[i];
    }
    if (order) mem_free(&file->allocator, order, room * sizeof(*order));
    return good ? GRAMC_OK : GRAMC_NOMEM;
}

/* Whoever had leased something is gone: see lock_experiment. */
static void read_items(struct store_file *file) {
    struct sqlite_query query;
    sqlite_begin(&query, &file->reading,
                 "SELECT place,fence,state='done' FROM item WHERE experiment=?1");
    sqlite_put_number(&query, 1, file->key);
    while (sqlite_next(&query)) {
        int64_t place = sqlite_number(&query, 0);
        if (place < 0 || place >= file->items) continue;
        file->fences[place] = (uint64_t)sqlite_number(&query, 1);
        file->taken[place] = sqlite_number(&query, 2) != 0;
    }
    sqlite_end(&query);
}

static gramc_status read_experiment(struct store_file *file, gramc_text *plan) {
    struct sqlite_query query;
    uint32_t items = 0;
    uint64_t seed = 0;
    sqlite_begin(&query, &file->reading, "SELECT plan,seed,items FROM experiment WHERE key=?1");
    sqlite_put_number(&query, 1, file->key);
    if (sqlite_next(&query)) {
        arena_reset(&file->texts);
        *plan = arena_text(&file->texts, sqlite_text(&query, 0));
        seed = (uint64_t)sqlite_number(&query, 1);
        items = (uint32_t)sqlite_number(&query, 2);
    }
    if (sqlite_end(&query)) return file->reading.status;
    return file->texts.oom ? GRAMC_NOMEM : take_room(file, items, seed);
}

static gramc_status take_up(void *db, gramc_text id, struct store_error *error) {
    struct store_file *file = db;
    gramc_text plan = {NULL, 0};
    file->key = find_key(file, id);
    if (file->reading.status) return explain(file, &file->reading, error);
    if (!file->key)
        return store_fail(error, GRAMC_NOT_FOUND, "%s has no experiment `%.*s`", file->path,
                          TEXT_ARGS(id));
    gramc_status status = read_experiment(file, &plan);
    if (file->reading.status) return explain(file, &file->reading, error);
    return status ? store_fail(error, status, "out of memory") : GRAMC_OK;
}

static gramc_status begin(void *db, gramc_text id, const struct plan *plan, gramc_text details,
                          struct store_error *error) {
    struct store_file *file = db;
    gramc_text stored = {NULL, 0};
    add_experiment(file, id, plan, details);
    file->key = find_key(file, id);
    if (file->reading.status) return explain(file, &file->reading, error);
    gramc_status status = lock_experiment(file, file->key, error);
    if (status) return status;
    status = read_experiment(file, &stored);
    if (status == GRAMC_OK && !text_eq(stored, text_of(plan->fingerprint)))
        return store_fail(error, GRAMC_AMBIGUOUS,
                          "experiment `%.*s` was begun with another plan (%.12s..., now %.12s...): "
                          "its spec, cases, libraries or settings have changed",
                          TEXT_ARGS(id), stored.len ? stored.ptr : "", plan->fingerprint);
    if (!status) open_missing(file);
    if (!status) read_items(file);
    if (file->reading.status) return explain(file, &file->reading, error);
    return status ? store_fail(error, status, "out of memory") : GRAMC_OK;
}

/* ## Claims */

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void drop_lease(struct store_file *file, size_t i) {
    file->leases[i] = file->leases[--file->lease_count];
}

/* The first place that nobody works on; false: there is none. */
static bool find_place(struct store_file *file, gramc_text owner, uint32_t *out) {
    uint64_t now = now_ms(), own = text_hash(owner);
    uint32_t best = UINT32_MAX;
    size_t expired = 0;
    for (size_t i = 0; i < file->lease_count; i++)
        if (file->leases[i].until <= now && file->leases[i].owner != own &&
            file->leases[i].place < best) {
            best = file->leases[i].place;
            expired = i;
        }
    while (file->next < file->items && file->taken[file->next]) file->next++;
    if (best < file->next || (best != UINT32_MAX && file->next == file->items)) {
        drop_lease(file, expired);
        *out = best;
        return true;
    }
    *out = file->next;
    return file->next < file->items;
}

static bool add_lease(struct store_file *file, uint32_t place, gramc_text owner, uint32_t ms) {
    if (file->lease_count == file->lease_room) {
        size_t room = file->lease_room ? 2 * file->lease_room : 64;
        struct lease *more = mem_alloc(&file->allocator, room * sizeof(*more));
        if (!more) return false;
        if (file->leases) {
            memcpy(more, file->leases, file->lease_count * sizeof(*more));
            mem_free(&file->allocator, file->leases, file->lease_room * sizeof(*more));
        }
        file->leases = more;
        file->lease_room = room;
    }
    file->leases[file->lease_count++] = (struct lease){place, text_hash(owner), now_ms() + ms};
    return true;
}

static gramc_status claim(void *db, gramc_text owner, uint32_t lease_ms, struct store_claim *out,
                          bool *got, bool *queue, struct store_error *error) {
    struct store_file *file = db;
    uint32_t place;
    *queue = true;
    if (!file->fences) return store_fail(error, GRAMC_USAGE, "no experiment was begun");
    if (!find_place(file, owner, &place)) return GRAMC_OK;
    if (!add_lease(file, place, owner, lease_ms))
        return store_fail(error, GRAMC_NOMEM, "out of memory");
    file->taken[place] = true;
    *out = (struct store_claim){place, ++file->fences[place]};
    *got = true;
    return GRAMC_OK;
}

static gramc_status heartbeat(void *db, gramc_text owner, uint32_t lease_ms) {
    struct store_file *file = db;
    for (size_t i = 0; i < file->lease_count; i++)
        if (file->leases[i].owner == text_hash(owner)) file->leases[i].until = now_ms() + lease_ms;
    return GRAMC_OK;
}

/* A claim that somebody else has made since is theirs; messages were not claimed. */
static void finish(void *db, const struct store_claim *given) {
    struct store_file *file = db;
    if (given->place >= file->items || given->fence != file->fences[given->place]) return;
    for (size_t i = 0; i < file->lease_count; i++)
        if (file->leases[i].place == given->place) drop_lease(file, i--);
}

/* ## Writing */

static gramc_status write_batch(void *db, const struct store_write *first,
                                struct store_refusals *refusals, struct store_error *error) {
    struct store_file *file = db;
    struct sqlite *writing = &file->writing;
    sqlite_run(writing, "BEGIN IMMEDIATE");
    for (const struct store_write *one = first; one && !writing->status; one = one->next)
        if (!sqlite_write(writing, file->key, one) &&
            (one->kind == WRITE_ATTEMPT || one->kind == WRITE_PREFERENCE))
            store_refuse(refusals, &one->claim);
    sqlite_run(writing, "COMMIT");
    return writing->status ? explain(file, writing, error) : GRAMC_OK;
}

/* ## Reading */

static gramc_status each(void *db, uint32_t place, bool traces, store_visit *visit, void *ctx,
                         struct store_error *error) {
    struct store_file *file = db;
    gramc_status status =
        sqlite_each(&file->reading, file->key, &file->allocator,
                    &(struct sqlite_order){file->order, file->items, place}, traces, visit, ctx);
    if (file->reading.status) return explain(file, &file->reading, error);
    return status ? store_fail(error, status, "out of memory") : GRAMC_OK;
}

/* Nobody else is there. */
static gramc_status left(void *db, uint64_t *out, struct store_error *error) {
    (void)db, (void)error;
    *out = 0;
    return GRAMC_OK;
}

static void read_entry(struct store_file *file, struct sqlite_query *query,
                       struct store_entry *out) {
    arena_reset(&file->texts);
    *out = (struct store_entry){.id = arena_text(&file->texts, sqlite_text(query, 0)),
                                .created_ms = sqlite_number(query, 1),
                                .plan = arena_text(&file->texts, sqlite_text(query, 2)),
                                .seed = (uint64_t)sqlite_number(query, 3),
                                .items = (uint32_t)sqlite_number(query, 4),
                                .repeats = (uint32_t)sqlite_number(query, 5),
                                .arms = (uint32_t)sqlite_number(query, 6),
                                .details = arena_text(&file->texts, sqlite_text(query, 7)),
                                .status = store_status_of(sqlite_text(query, 8)),
                                .reason = arena_text(&file->texts, sqlite_text(query, 9)),
                                .done = (uint64_t)sqlite_number(query, 10)};
}

static gramc_status find(void *db, size_t i, struct store_entry *out, struct store_error *error) {
    struct store_file *file = db;
    struct sqlite_query query;
    bool found = false;
    sqlite_begin(&query, &file->reading,
                 "SELECT id,created_ms,plan,seed,items,repeats,arms,details,status,reason,"
                 "(SELECT count(*) FROM item WHERE experiment=key AND state='done') "
                 "FROM experiment ORDER BY key DESC LIMIT 1 OFFSET ?1");
    sqlite_put_number(&query, 1, (int64_t)i);
    if (sqlite_next(&query)) {
        read_entry(file, &query, out);
        found = true;
    }
    if (sqlite_end(&query)) return explain(file, &file->reading, error);
    if (file->texts.oom) return store_fail(error, GRAMC_NOMEM, "out of memory");
    return found ? GRAMC_OK : GRAMC_NOT_FOUND;
}

/* ## Online */

/* A failure of one message is not one of the next: what went wrong is undone and forgotten. */
static gramc_status end_change(struct store_file *file, struct store_error *error) {
    struct sqlite *db = &file->reading;
    sqlite_run(db, "COMMIT");
    if (!db->status) return GRAMC_OK;
    gramc_status status = explain(file, db, error);
    sqlite_forget(db);
    sqlite_run(db, "ROLLBACK");
    sqlite_forget(db);
    return status;
}

static gramc_status expose(void *db, const struct store_exposure *exposure, struct store_claim *out,
                           struct store_error *error) {
    struct store_file *file = db;
    if (!file->key) return store_fail(error, GRAMC_USAGE, "no experiment was begun");
    sqlite_run(&file->reading, "BEGIN IMMEDIATE");
    out->place = sqlite_expose(&file->reading, file->key, exposure);
    out->fence = 1;
    return end_change(file, error);
}

static gramc_status feedback(void *db, uint32_t place, double value, struct store_error *error) {
    struct store_file *file = db;
    struct sqlite_query query;
    sqlite_run(&file->reading, "BEGIN IMMEDIATE");
    sqlite_begin_kept(&query, &file->reading,
                      "INSERT INTO feedback(experiment,place,value,told_ms) VALUES(?1,?2,?3,?4)");
    sqlite_put_number(&query, 1, file->key);
    sqlite_put_number(&query, 2, place);
    sqlite_put_real(&query, 3, value);
    sqlite_put_number(&query, 4, wall_ms());
    sqlite_next(&query);
    sqlite_end(&query);
    return end_change(file, error);
}

static gramc_status exposures_each(void *db, store_exposure_visit *visit, void *ctx,
                                   struct store_error *error) {
    struct store_file *file = db;
    sqlite_exposures(&file->reading, file->key, visit, ctx);
    return file->reading.status ? explain(file, &file->reading, error) : GRAMC_OK;
}

const struct store_driver store_sqlite = {.open = open_file,
                                          .close = close_file,
                                          .begin = begin,
                                          .take_up = take_up,
                                          .claim = claim,
                                          .heartbeat = heartbeat,
                                          .finish = finish,
                                          .write = write_batch,
                                          .each = each,
                                          .left = left,
                                          .find = find,
                                          .expose = expose,
                                          .feedback = feedback,
                                          .exposures = exposures_each};
