/* Cells in columns (table.c). */
#ifndef CLI_RUN_TABLE_H
#define CLI_RUN_TABLE_H

#include "base/mem.h"
#include "cli/run/run.h"

enum { TABLE_COLUMNS = 8 };

struct table {
    size_t columns;    /* TABLE_COLUMNS at most */
    gramc_text *cells; /* row by row */
    size_t count, room;
};

/* The text must live until it is printed. False without memory. */
bool table_add(struct table *table, struct arena *arena, gramc_text cell);
void table_print(const struct table *table, FILE *file);

#endif
