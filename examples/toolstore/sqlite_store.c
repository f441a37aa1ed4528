/* Keeps tools in one table, a row a tool. A tool that is put again keeps its place in the order. */
#include "sqlite_store.h"

#include <sqlite3.h>
#include <stdio.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS tool (position INTEGER PRIMARY KEY, upstream TEXT NOT NULL, name "
    "TEXT "
    "NOT NULL, url TEXT NOT NULL, definition TEXT NOT NULL, UNIQUE (upstream, name))";

static gramc_status fail(sqlite3 *db, int code, char why[256]) {
    snprintf(why, 256, "%s", db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    return code == SQLITE_NOMEM ? GRAMC_NOMEM : GRAMC_IO;
}

/* A statement with up to four texts in the place of its ?s. */
static gramc_status prepare(sqlite3_stmt **out, sqlite3 *db, const char *sql,
                            const gramc_text *texts, int count, char why[256]) {
    int code = sqlite3_prepare_v2(db, sql, -1, out, NULL);
    for (int i = 0; i < count && code == SQLITE_OK; i++)
        code = sqlite3_bind_text64(*out, i + 1, texts[i].len ? texts[i].ptr : "", texts[i].len,
                                   SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK) return GRAMC_OK;
    sqlite3_finalize(*out);
    return fail(db, code, why);
}

static gramc_text column(sqlite3_stmt *row, int i) {
    const char *text = (const char *)sqlite3_column_text(row, i);
    return (gramc_text){text ? text : "", (size_t)sqlite3_column_bytes(row, i)};
}

static gramc_status each(void *ctx, gramc_text upstream, gramc_tool_taker taker, char why[256]) {
    sqlite3_stmt *rows;
    gramc_status status =
        prepare(&rows, ctx,
                "SELECT upstream, name, url, definition FROM tool WHERE ?1 IN ('', "
                "upstream) ORDER BY position",
                &upstream, 1, why);
    int code = SQLITE_ROW;
    if (status != GRAMC_OK) return status;
    while (status == GRAMC_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const gramc_stored_tool tool = {column(rows, 0), column(rows, 1), column(rows, 2),
                                        column(rows, 3)};
        status = taker.take(taker.ctx, &tool);
    }
    if (status == GRAMC_OK && code != SQLITE_DONE) status = fail(ctx, code, why);
    sqlite3_finalize(rows);
    return status;
}

/* Runs one statement; *changed is the number of rows. */
static gramc_status run(sqlite3 *db, const char *sql, const gramc_text *texts, int count,
                        int *changed, char why[256]) {
    sqlite3_stmt *statement;
    gramc_status status = prepare(&statement, db, sql, texts, count, why);
    if (status != GRAMC_OK) return status;
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) status = fail(db, code, why);
    *changed = sqlite3_changes(db);
    sqlite3_finalize(statement);
    return status;
}

/* Under the lock of the connection. A process that inserts the same tool in between makes this one
 * fail, by the constraint. */
static gramc_status put(void *ctx, const gramc_stored_tool *tool, bool *replaced, char why[256]) {
    const gramc_text texts[] = {tool->upstream, tool->name, tool->url, tool->definition};
    int changed = 0;
    sqlite3_mutex_enter(sqlite3_db_mutex(ctx));
    gramc_status status =
        run(ctx, "UPDATE tool SET url = ?3, definition = ?4 WHERE upstream = ?1 AND name = ?2",
            texts, 4, &changed, why);
    *replaced = changed > 0;
    if (status == GRAMC_OK && !changed)
        status =
            run(ctx, "INSERT INTO tool (upstream, name, url, definition) VALUES (?1, ?2, ?3, ?4)",
                texts, 4, &changed, why);
    sqlite3_mutex_leave(sqlite3_db_mutex(ctx));
    return status;
}

static gramc_status take_out(void *ctx, gramc_text upstream, gramc_text name, char why[256]) {
    const gramc_text texts[] = {upstream, name};
    int changed = 0;
    sqlite3_mutex_enter(sqlite3_db_mutex(ctx));
    gramc_status status =
        run(ctx, "DELETE FROM tool WHERE upstream = ?1 AND name = ?2", texts, 2, &changed, why);
    sqlite3_mutex_leave(sqlite3_db_mutex(ctx));
    return status == GRAMC_OK && !changed ? GRAMC_NOT_FOUND : status;
}

gramc_status sqlite_store_open(gramc_toolstore *out, const char *path, char why[256]) {
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    int code = sqlite3_open_v2(path, &db, flags, NULL);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, 5000);
    if (code == SQLITE_OK) code = sqlite3_exec(db, schema, NULL, NULL, NULL);
    if (code != SQLITE_OK) {
        gramc_status status = fail(db, code, why);
        sqlite3_close(db);
        return status;
    }
    *out = (gramc_toolstore){each, put, take_out, db};
    return GRAMC_OK;
}

void sqlite_store_close(gramc_toolstore *store) {
    sqlite3_close(store->ctx);
}
