/* Rows of comma-separated values as RFC 4180 has them: fields in quotes may hold commas, line ends
 * and doubled quotes; lines end in CRLF or LF; a byte order mark at the beginning is none of it. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/limits.h"
#include "base/mem.h"

struct csv {
    gramc_text text;
    size_t at;
    unsigned line; /* that comes next, from 1 */
};

struct csv_row {
    gramc_text fields[CSV_FIELDS_MAX];
    size_t count;
    unsigned line; /* where it begins */
};

enum csv_read { CSV_ROW, CSV_END, CSV_BROKEN, CSV_NOMEM };

void csv_init(struct csv *csv, gramc_text text);
/* The next row that is not empty. Fields are parts of the text, or of the arena where quotes in
 * them were doubled. CSV_BROKEN: *why is a constant, csv->line the place. */
enum csv_read csv_next(struct csv *csv, struct arena *arena, struct csv_row *row, const char **why);

#endif
