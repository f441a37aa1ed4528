/* Prints cells in columns, for people: hostile text inside is escaped, and cut where it would leave
 * its line. */
#include "cli/run/table.h"

#include "base/text.h"

enum { WIDEST = 60 };

/* The first line, no longer than a column. */
static gramc_text cut(gramc_text cell) {
    size_t pos = 0, length = 0;
    while (pos < cell.len && cell.ptr[pos] != '\n' && length < WIDEST) {
        text_decode(cell, &pos);
        length++;
    }
    return text_slice(cell, 0, pos);
}

/* One pass: the width of a cell is counted once. */
static void find_widths(const struct table *table, size_t widths[TABLE_COLUMNS]) {
    for (size_t i = 0; i < table->count; i++) {
        size_t length = text_length(cut(table->cells[i]));
        size_t *widest = &widths[i % table->columns];
        if (length > *widest) *widest = length;
    }
}

bool table_add(struct table *table, struct arena *arena, gramc_text cell) {
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 32;
        gramc_text *cells = arena_array(arena, room, sizeof *cells);
        if (!cells) return false;
        for (size_t i = 0; i < table->count; i++) cells[i] = table->cells[i];
        table->cells = cells;
        table->room = room;
    }
    table->cells[table->count++] = cell;
    return true;
}

/* Nothing but empty cells up to the end of the row. */
static bool ends_here(const struct table *table, size_t i) {
    while ((i + 1) % table->columns && !table->cells[i + 1].len) i++;
    return (i + 1) % table->columns == 0;
}

void table_print(const struct table *table, FILE *file) {
    size_t widths[TABLE_COLUMNS] = {0};
    find_widths(table, widths);
    for (size_t i = 0; i < table->count; i++) {
        gramc_text cell = cut(table->cells[i]);
        size_t column = i % table->columns;
        run_print_hostile(file, cell);
        if (!ends_here(table, i))
            fprintf(file, "%*s", (int)(widths[column] + 2 - text_length(cell)), "");
        if (column + 1 == table->columns) fputc('\n', file);
    }
}
