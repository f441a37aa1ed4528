/* Opens databases and turns SQLite's answers into statuses with a sentence. What stands in them is
 * for whoever opens them to say. A transaction that is committed has reached the disk, and readers
 * never wait for a writer: write-ahead log, synchronous FULL. What is deleted is overwritten. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/text.h"

/* ## What goes wrong */

static gramc_status fail(struct sqlite *db, gramc_status status, const char *why) {
    if (db->status) return db->status;
    db->status = status;
    snprintf(db->why, sizeof(db->why), "%s", why);
    return status;
}

static gramc_status fail_with(struct sqlite *db, int code) {
    static const struct {
        int code;
        gramc_status status;
        const char *why; /* NULL: as SQLite says */
    } rows[] = {
        {SQLITE_NOMEM, GRAMC_NOMEM, "out of memory"},
        {SQLITE_NOTADB, GRAMC_FINDINGS, "this is no database"},
        {SQLITE_CORRUPT, GRAMC_FINDINGS, "the database is damaged"},
        {SQLITE_BUSY, GRAMC_LIMIT, "another process keeps the database busy"},
        {SQLITE_FULL, GRAMC_IO, "the disk is full"},
        {SQLITE_READONLY, GRAMC_IO, "the database must not be written"},
        {SQLITE_TOOBIG, GRAMC_LIMIT, "a text is too long for the database"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if ((code & 0xff) == rows[i].code) return fail(db, rows[i].status, rows[i].why);
    return fail(db, GRAMC_IO, db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code));
}

void sqlite_forget(struct sqlite *db) {
    db->status = GRAMC_OK;
    db->why[0] = '\0';
}

static gramc_status expect(struct sqlite *db, int code) {
    if (db->status || code == SQLITE_OK) return db->status;
    return fail_with(db, code);
}

/* ## The file */

/* SQLite gives what it makes beside the file (log, index) the mode of the file. Opened and closed
 * here a second time, the file would lose the locks that SQLite has on it in this process. */
static gramc_status make_file(struct sqlite *db, const char *path) {
    struct stat st;
    int file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) {
        close(file);
        return GRAMC_OK;
    }
    if (errno != EEXIST || stat(path, &st)) return fail(db, GRAMC_IO, "it cannot be opened");
    if (!S_ISREG(st.st_mode)) return fail(db, GRAMC_FINDINGS, "this is no file");
    if (st.st_mode & 077 && chmod(path, 0600))
        return fail(db, GRAMC_IO, "others may read it, and that cannot be changed");
    return GRAMC_OK;
}

/* ## Whose it is */

static int64_t ask_number(struct sqlite *db, const char *sql) {
    struct sqlite_query query;
    sqlite_begin(&query, db, sql);
    int64_t number = sqlite_next(&query) ? sqlite_number(&query, 0) : 0;
    sqlite_end(&query);
    return number;
}

static bool is_empty(struct sqlite *db) {
    return ask_number(db, "SELECT count(*) FROM sqlite_schema") == 0 && !db->status;
}

/* Another process may make it at the same time: looked at again behind the lock. */
static void make_schema(struct sqlite *db, const struct sqlite_form *form) {
    char marks[128];
    snprintf(marks, sizeof(marks), "PRAGMA application_id=%u; PRAGMA user_version=%u;",
             (unsigned)form->application, (unsigned)form->version);
    if (sqlite_run(db, "BEGIN IMMEDIATE")) return;
    if (is_empty(db)) {
        sqlite_run(db, form->schema);
        sqlite_run(db, marks);
    }
    if (!db->status) sqlite_run(db, "COMMIT");
    else (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

static void check_form(struct sqlite *db, const struct sqlite_form *form) {
    if (is_empty(db) && ask_number(db, "PRAGMA application_id") == 0) make_schema(db, form);
    int64_t application = ask_number(db, "PRAGMA application_id");
    int64_t version = ask_number(db, "PRAGMA user_version");
    if (db->status) return;
    if (application != form->application) {
        fail(db, GRAMC_FINDINGS, "this is a database of another program");
    } else if (version > form->version) {
        char why[128];
        snprintf(why, sizeof(why), "a newer gramc has made it (version %lld, this one knows %u)",
                 (long long)version, (unsigned)form->version);
        fail(db, GRAMC_FINDINGS, why);
    }
}

/* ## Opening */

/* Nothing of a database acts by itself: no triggers or views with side effects. */
static void set_limits(struct sqlite *db) {
    expect(db, sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL));
    expect(db, sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL));
    sqlite_run(db, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON;"
                   "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL");
}

/* Of two that switch at once, SQLite sends one away without having it wait. */
static void set_journal(struct sqlite *db, uint32_t busy_ms) {
    const struct timespec moment = {0, 10 * 1000 * 1000};
    int code;
    for (uint32_t waited = 0;; waited += 10) {
        code = sqlite3_exec(db->handle, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if ((code & 0xff) != SQLITE_BUSY || waited >= busy_ms) break;
        nanosleep(&moment, NULL);
    }
    expect(db, code);
}

gramc_status sqlite_open(struct sqlite *db, const char *path, const struct sqlite_form *form,
                         uint32_t busy_ms) {
    *db = (struct sqlite){.handle = NULL};
    if (make_file(db, path)) return db->status;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    expect(db, sqlite3_open_v2(path, &db->handle, flags, NULL));
    if (db->status) return db->status;
    expect(db, sqlite3_busy_timeout(db->handle, busy_ms < INT32_MAX ? (int)busy_ms : INT32_MAX));
    set_limits(db);
    if (!db->status) check_form(db, form);
    if (!db->status) set_journal(db, busy_ms);
    return db->status;
}

void sqlite_close(struct sqlite *db) {
    for (size_t i = 0; i < SQLITE_KEPT_MAX; i++) {
        sqlite3_finalize(db->kept[i].statement);
        db->kept[i] = (struct sqlite_kept){.sql = NULL};
    }
    (void)sqlite3_close_v2(db->handle);
    db->handle = NULL;
}

gramc_status sqlite_run(struct sqlite *db, const char *sql) {
    if (db->status) return db->status;
    return expect(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL));
}

uint64_t sqlite_changed(const struct sqlite *db) {
    return (uint64_t)sqlite3_changes64(db->handle);
}

int64_t sqlite_new_key(const struct sqlite *db) {
    return sqlite3_last_insert_rowid(db->handle);
}

/* ## Queries */

void sqlite_begin(struct sqlite_query *query, struct sqlite *db, const char *sql) {
    *query = (struct sqlite_query){.db = db};
    if (db->status) return;
    expect(db, sqlite3_prepare_v2(db->handle, sql, -1, &query->statement, NULL));
}

void sqlite_begin_kept(struct sqlite_query *query, struct sqlite *db, const char *sql) {
    struct sqlite_kept *kept = db->kept, *end = kept + SQLITE_KEPT_MAX;
    while (kept < end && kept->sql && kept->sql != sql) kept++;
    if (kept == end) {
        sqlite_begin(query, db, sql);
        return;
    }
    *query = (struct sqlite_query){.db = db, .kept = true};
    if (db->status) return;
    if (!kept->statement)
        expect(db, sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                      &kept->statement, NULL));
    if (db->status) return;
    kept->sql = sql;
    query->statement = kept->statement;
}

void sqlite_put_text(struct sqlite_query *query, int index, gramc_text text) {
    if (query->db->status) return;
    expect(query->db, sqlite3_bind_text64(query->statement, index, text.ptr ? text.ptr : "",
                                          text.len, SQLITE_STATIC, SQLITE_UTF8));
}

void sqlite_put_number(struct sqlite_query *query, int index, int64_t number) {
    if (query->db->status) return;
    expect(query->db, sqlite3_bind_int64(query->statement, index, number));
}

void sqlite_put_real(struct sqlite_query *query, int index, double number) {
    if (query->db->status) return;
    expect(query->db, sqlite3_bind_double(query->statement, index, number));
}

void sqlite_again(struct sqlite_query *query) {
    if (query->db->status) return;
    expect(query->db, sqlite3_reset(query->statement));
}

bool sqlite_next(struct sqlite_query *query) {
    if (query->db->status) return false;
    int code = sqlite3_step(query->statement);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail_with(query->db, code);
    return false;
}

gramc_text sqlite_text(struct sqlite_query *query, int column) {
    const unsigned char *text = sqlite3_column_text(query->statement, column);
    int len = sqlite3_column_bytes(query->statement, column);
    if (!text && sqlite3_errcode(query->db->handle) == SQLITE_NOMEM)
        fail_with(query->db, SQLITE_NOMEM);
    return text ? (gramc_text){(const char *)text, (size_t)len} : TEXT("");
}

int64_t sqlite_number(struct sqlite_query *query, int column) {
    return sqlite3_column_int64(query->statement, column);
}

double sqlite_real(struct sqlite_query *query, int column) {
    return sqlite3_column_double(query->statement, column);
}

gramc_status sqlite_end(struct sqlite_query *query) {
    /* What a reset says, the last step has said. Texts are borrowed no longer. */
    if (!query->kept) {
        sqlite3_finalize(query->statement);
    } else if (query->statement) {
        (void)sqlite3_reset(query->statement);
        (void)sqlite3_clear_bindings(query->statement);
    }
    query->statement = NULL;
    return query->db->status;
}
