/* PostgreSQL's client library, opened when it is first needed, and statements over it. Errors stick
 * to the connection: work on, ask once. Only postgres_link.c knows libpq. One thread at a time. */
#ifndef EXPERIMENT_STORE_POSTGRES_LINK_H
#define EXPERIMENT_STORE_POSTGRES_LINK_H

#include "base/mem.h"

struct pg_conn;
struct pg_result;

/* The functions of libpq that are used. */
struct libpq {
    void *module;
    void *(*parse)(const char *address, char **why);
    void (*free_parsed)(void *parsed);
    void (*free)(void *why);
    struct pg_conn *(*connect)(const char *const *names, const char *const *values, int expand);
    int (*status)(const struct pg_conn *connection);
    char *(*error)(const struct pg_conn *connection);
    void (*finish)(struct pg_conn *connection);
    struct pg_result *(*execute)(struct pg_conn *connection, const char *sql, int count,
                                 const unsigned *types, const char *const *values,
                                 const int *lengths, const int *formats, int result_format);
    int (*result_status)(const struct pg_result *result);
    char *(*result_field)(const struct pg_result *result, int field);
    int (*rows)(const struct pg_result *result);
    int (*is_null)(const struct pg_result *result, int row, int column);
    char *(*value)(const struct pg_result *result, int row, int column);
    char *(*affected)(struct pg_result *result);
    void (*clear)(struct pg_result *result);
};

struct postgres {
    struct libpq libpq;
    struct pg_conn *connection;
    gramc_status status; /* the first that went wrong; GRAMC_IO: the connection */
    char why[200];       /* then: a sentence without an end, and without the address */
};

enum { PG_VALUES = 32 };

/* A statement with its values $1, $2 and so on, put in that order, and the rows that came. */
struct pg_query {
    struct postgres *db;
    const char *values[PG_VALUES];
    int lengths[PG_VALUES], formats[PG_VALUES];
    char numbers[PG_VALUES][32];
    int count;
    struct pg_result *result;
    int row, rows;
};

/* GRAMC_FINDINGS: there is no libpq, or the address is none. GRAMC_IO: nobody answers. Close it
 * after a failure too. */
gramc_status postgres_open(struct postgres *db, const char *address);
void postgres_close(struct postgres *db);
/* Tries to get the connection back, once and then for `patience_ms`, less often the longer it
 * takes; clears the status when it is there. Blocks. */
gramc_status postgres_reopen(struct postgres *db, const char *address, uint32_t patience_ms);
/* A statement without values or rows. */
gramc_status postgres_run(struct postgres *db, const char *sql);

void pg_begin(struct pg_query *query, struct postgres *db);
/* Bytes of a bytea or text, borrowed until pg_run. */
void pg_put_text(struct pg_query *query, gramc_text text);
void pg_put_number(struct pg_query *query, int64_t number);
void pg_put_real(struct pg_query *query, double number);
/* False: there is no row, or something went wrong. */
bool pg_run(struct pg_query *query, const char *sql);
/* To the next row; the first is there after pg_run. */
bool pg_next(struct pg_query *query);
/* Columns of the row, from 0, borrowed until pg_end. */
gramc_text pg_text(const struct pg_query *query, int column);
int64_t pg_number(const struct pg_query *query, int column);
double pg_real(const struct pg_query *query, int column);
bool pg_bool(const struct pg_query *query, int column);
/* Of a bytea: copied into the arena. */
gramc_text pg_bytes(const struct pg_query *query, int column, struct arena *arena);
/* How many rows the statement has changed. */
uint64_t pg_changed(const struct pg_query *query);
void pg_end(struct pg_query *query);

/* Hexadecimal digits as bytes, in the arena; those behind the first that is none are left out. */
gramc_text pg_unhex(struct arena *arena, gramc_text digits);

#endif
