/* Opens libpq by name, so that only who keeps experiments in PostgreSQL needs it, and turns texts
 * and numbers into the values of a statement and its rows back. What is kept in which table is
 * postgres.c's matter. */
#define _POSIX_C_SOURCE 200809L
#include "experiment/store/postgres_link.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json/json.h"
#include "base/number.h"
#include "base/text.h"

/* ## The library */

/* As libpq-fe.h has them. */
enum { PAUSE_MS = 100, PAUSE_MOST_MS = 1600 };
enum { CONNECTION_OK = 0, RESULT_COMMAND_OK = 1, RESULT_TUPLES_OK = 2, DIAG_SQLSTATE = 'C' };

static gramc_status fail(struct postgres *db, gramc_status status, const char *why) {
    if (db->status) return db->status;
    size_t len = strcspn(why, "\n");
    snprintf(db->why, sizeof(db->why), "%.*s", (int)(len < 190 ? len : 190), why);
    return db->status = status;
}

/* ISO C has no conversion from what dlsym returns to a function. */
static bool find(struct libpq *libpq, const char *name, void *function) {
    void *found = dlsym(libpq->module, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static bool find_all(struct libpq *libpq) {
    const struct {
        const char *name;
        void *function;
    } rows[] = {{"PQconninfoParse", &libpq->parse},
                {"PQconninfoFree", &libpq->free_parsed},
                {"PQfreemem", &libpq->free},
                {"PQconnectdbParams", &libpq->connect},
                {"PQstatus", &libpq->status},
                {"PQerrorMessage", &libpq->error},
                {"PQfinish", &libpq->finish},
                {"PQexecParams", &libpq->execute},
                {"PQresultStatus", &libpq->result_status},
                {"PQresultErrorField", &libpq->result_field},
                {"PQntuples", &libpq->rows},
                {"PQgetisnull", &libpq->is_null},
                {"PQgetvalue", &libpq->value},
                {"PQcmdTuples", &libpq->affected},
                {"PQclear", &libpq->clear}};
    bool good = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        good = find(libpq, rows[i].name, rows[i].function) && good;
    return good;
}

/* ## Connections */

/* What the address says of these wins: a server that vanished without a word is not waited for as
 * long as TCP would. */
static gramc_status make_connection(struct postgres *db, const char *address) {
    static const char *const names[] = {"connect_timeout",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "dbname",
                                        NULL};
    const char *const values[] = {"5", "10", "5", "3", "30000", address, NULL};
    db->connection = db->libpq.connect(names, values, 1);
    if (!db->connection) return fail(db, GRAMC_NOMEM, "out of memory");
    if (db->libpq.status(db->connection) == CONNECTION_OK)
        return postgres_run(db, "SET client_min_messages=warning");
    return fail(db, GRAMC_IO, db->libpq.error(db->connection));
}

/* An address that libpq cannot read is refused here: what libpq says of it ends with the part that
 * it means, in quotes, which may be the password or have it within. */
static gramc_status check_address(struct postgres *db, const char *address) {
    char *why = NULL;
    void *parsed = db->libpq.parse(address, &why);
    db->libpq.free_parsed(parsed);
    if (parsed) return GRAMC_OK;
    const char *quoted = why ? strstr(why, ": \"") : NULL;
    int len = (int)(quoted ? quoted - why : 0);
    char said[sizeof db->why];
    snprintf(said, sizeof said, "its address cannot be read%s%.*s", len ? ": " : "", len,
             why ? why : "");
    db->libpq.free(why);
    return fail(db, GRAMC_FINDINGS, said);
}

gramc_status postgres_open(struct postgres *db, const char *address) {
    *db = (struct postgres){.status = GRAMC_OK};
    db->libpq.module = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!db->libpq.module || !find_all(&db->libpq))
        return fail(db, GRAMC_FINDINGS,
                    "PostgreSQL's client library is not here: install libpq5, or what your system "
                    "calls it");
    return check_address(db, address) ? db->status : make_connection(db, address);
}

void postgres_close(struct postgres *db) {
    if (db->connection) db->libpq.finish(db->connection);
    if (db->libpq.module) dlclose(db->libpq.module);
    *db = (struct postgres){.status = GRAMC_OK};
}

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void pause_for(uint64_t ms) {
    const struct timespec pause = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

gramc_status postgres_reopen(struct postgres *db, const char *address, uint32_t patience_ms) {
    uint64_t until = now_ms() + patience_ms;
    for (uint64_t ms = PAUSE_MS;; ms = ms < PAUSE_MOST_MS ? 2 * ms : ms) {
        if (db->connection) db->libpq.finish(db->connection);
        db->connection = NULL;
        db->status = GRAMC_OK;
        if (!make_connection(db, address) || now_ms() >= until) return db->status;
        pause_for(ms);
    }
}

/* ## Statements */

void pg_begin(struct pg_query *query, struct postgres *db) {
    *query = (struct pg_query){.db = db};
}

static void put(struct pg_query *query, const char *value, int length, int format) {
    query->values[query->count] = value;
    query->lengths[query->count] = length;
    query->formats[query->count++] = format;
}

void pg_put_text(struct pg_query *query, gramc_text text) {
    if (text.len > INT32_MAX) fail(query->db, GRAMC_LIMIT, "a text is longer than 2 GiB");
    else put(query, text.len ? text.ptr : "", (int)text.len, 1);
}

void pg_put_number(struct pg_query *query, int64_t number) {
    char *digits = query->numbers[query->count];
    snprintf(digits, sizeof(query->numbers[0]), "%lld", (long long)number);
    put(query, digits, 0, 0);
}

void pg_put_real(struct pg_query *query, double number) {
    char *digits = query->numbers[query->count];
    struct buf out;
    buf_init(&out, NULL, sizeof(query->numbers[0]));
    if (!json_put_double(&out, number)) buf_puts(&out, "NaN");
    snprintf(digits, sizeof(query->numbers[0]), "%.*s", TEXT_ARGS(buf_view(&out)));
    buf_free(&out);
    put(query, digits, 0, 0);
}

static gramc_status status_of(const struct postgres *db, struct pg_result *result) {
    int said = result ? db->libpq.result_status(result) : -1;
    if (said == RESULT_COMMAND_OK || said == RESULT_TUPLES_OK) return GRAMC_OK;
    const char *state = result ? db->libpq.result_field(result, DIAG_SQLSTATE) : NULL;
    bool gone = db->libpq.status(db->connection) != CONNECTION_OK;
    /* Class 08: the connection; 57P: the server is being stopped; 40: others were in the way. */
    bool is_server = state && (memcmp(state, "08", 2) == 0 || memcmp(state, "57P", 3) == 0 ||
                               memcmp(state, "40", 2) == 0);
    return gone || is_server || !state ? GRAMC_IO : GRAMC_FINDINGS;
}

bool pg_run(struct pg_query *query, const char *sql) {
    struct postgres *db = query->db;
    if (db->status || !db->connection) return false;
    query->result = db->libpq.execute(db->connection, sql, query->count, NULL, query->values,
                                      query->lengths, query->formats, 0);
    gramc_status status = status_of(db, query->result);
    if (status) {
        fail(db, status, db->libpq.error(db->connection));
        return false;
    }
    query->rows = db->libpq.rows(query->result);
    query->row = 0;
    return query->rows > 0;
}

bool pg_next(struct pg_query *query) {
    return ++query->row < query->rows;
}

gramc_text pg_text(const struct pg_query *query, int column) {
    return text_of(query->db->libpq.value(query->result, query->row, column));
}

int64_t pg_number(const struct pg_query *query, int column) {
    int64_t number = 0;
    return number_to_int(&number, pg_text(query, column)) ? number : 0;
}

double pg_real(const struct pg_query *query, int column) {
    double number = 0;
    return number_to_double(&number, pg_text(query, column)) ? number : NAN;
}

bool pg_bool(const struct pg_query *query, int column) {
    return text_is(pg_text(query, column), "t");
}

gramc_text pg_unhex(struct arena *arena, gramc_text digits) {
    static const char hex[] = "0123456789abcdef";
    char *bytes = arena_alloc(arena, digits.len / 2 + 1);
    size_t len = 0;
    for (size_t i = 0; bytes && i + 1 < digits.len; i += 2) {
        const char *high = memchr(hex, digits.ptr[i], 16),
                   *low = memchr(hex, digits.ptr[i + 1], 16);
        if (!high || !low) break;
        bytes[len++] = (char)((high - hex) << 4 | (low - hex));
    }
    if (bytes) bytes[len] = '\0';
    return (gramc_text){bytes, len};
}

gramc_text pg_bytes(const struct pg_query *query, int column, struct arena *arena) {
    gramc_text text = pg_text(query, column);
    return text_starts(text, "\\x") ? pg_unhex(arena, text_slice(text, 2, text.len))
                                    : arena_text(arena, text);
}

uint64_t pg_changed(const struct pg_query *query) {
    uint64_t count = 0;
    const char *digits = query->result ? query->db->libpq.affected(query->result) : "";
    for (; *digits >= '0' && *digits <= '9'; digits++)
        count = count * 10 + (uint64_t)(*digits - '0');
    return count;
}

void pg_end(struct pg_query *query) {
    if (query->result) query->db->libpq.clear(query->result);
    query->result = NULL;
}

gramc_status postgres_run(struct postgres *db, const char *sql) {
    struct pg_query query;
    pg_begin(&query, db);
    pg_run(&query, sql);
    pg_end(&query);
    return db->status;
}
