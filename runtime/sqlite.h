/* Databases of ours, by SQLite: opened with the same settings everywhere, made if they are not
 * there, refused if they are another program's or a newer gramc's. Errors stick to the handle:
 * work on, ask once. Only sqlite.c includes SQLite's header. One thread at a time. */
#ifndef RUNTIME_SQLITE_H
#define RUNTIME_SQLITE_H

#include "base/mem.h"

struct sqlite3;
struct sqlite3_stmt;

/* What a database holds. */
struct sqlite_form {
    uint32_t application; /* of `PRAGMA application_id`: whose it is */
    uint32_t version;     /* the newest that is known */
    const char *schema;   /* makes an empty one; SQL */
};

/* A statement that stays prepared. */
struct sqlite_kept {
    const char *sql;
    struct sqlite3_stmt *statement;
};

enum { SQLITE_KEPT_MAX = 8 };

struct sqlite {
    struct sqlite3 *handle;
    gramc_status status; /* the first that went wrong */
    char why[256];       /* then: a sentence without an end */
    struct sqlite_kept kept[SQLITE_KEPT_MAX];
};

/* A statement with its values; zero is one that is closed. */
struct sqlite_query {
    struct sqlite *db;
    struct sqlite3_stmt *statement;
    bool kept;
};

/* Opens the file, which is made with mode 0600 where there is none. Whoever else writes is waited
 * for, `busy_ms` at most. GRAMC_FINDINGS: it is none of ours, damaged, or of a newer version;
 * nothing has been changed in it. GRAMC_LIMIT: somebody else writes for longer. GRAMC_IO: the file
 * or its disk. GRAMC_NOMEM. Close it after a failure too. */
gramc_status sqlite_open(struct sqlite *db, const char *path, const struct sqlite_form *form,
                         uint32_t busy_ms);
void sqlite_close(struct sqlite *db);
/* Statements without values or rows. */
gramc_status sqlite_run(struct sqlite *db, const char *sql);
/* What went wrong concerned one thing alone, which the caller has undone. */
void sqlite_forget(struct sqlite *db);
/* How many rows the newest statement has changed. */
uint64_t sqlite_changed(const struct sqlite *db);
/* The key of the newest row that was inserted. */
int64_t sqlite_new_key(const struct sqlite *db);

/* Values are ?1, ?2 and so on. */
void sqlite_begin(struct sqlite_query *query, struct sqlite *db, const char *sql);
/* For what is said often: the first SQLITE_KEPT_MAX statements stay prepared until the database is
 * closed. They are known by their address, so `sql` is a literal; one query of it at a time. */
void sqlite_begin_kept(struct sqlite_query *query, struct sqlite *db, const char *sql);
/* Borrowed until the query ends. */
void sqlite_put_text(struct sqlite_query *query, int index, gramc_text text);
void sqlite_put_number(struct sqlite_query *query, int index, int64_t number);
void sqlite_put_real(struct sqlite_query *query, int index, double number);
/* True: there is a row. False: there are no more, or something went wrong. */
bool sqlite_next(struct sqlite_query *query);
/* Columns of the row, from 0. Texts are borrowed until the next row. */
gramc_text sqlite_text(struct sqlite_query *query, int column);
int64_t sqlite_number(struct sqlite_query *query, int column);
double sqlite_real(struct sqlite_query *query, int column);
/* For another row of values: all that were put are to be put again. */
void sqlite_again(struct sqlite_query *query);
gramc_status sqlite_end(struct sqlite_query *query);

#endif
