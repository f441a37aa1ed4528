/* The file of an experiment's cases: a JSON object a line, or CSV with a header, whose columns are
 * its members. One case at a time, with the form of its reserved fields checked. */
#ifndef BASE_CASE_FILE_H
#define BASE_CASE_FILE_H

#include "base/csv.h"
#include "base/json/json.h"
#include "base/map.h"

struct case_file {
    struct arena arena; /* of the header and the ids */
    struct map ids;     /* to the lines where they stand */
    struct csv csv;     /* of JSON lines, only where it is */
    struct csv_row header, row;
    bool is_csv;
    size_t count; /* of the cases so far */
};

/* One case as a JSON object, whatever it was written in. */
struct case_row {
    const struct json *object;
    gramc_text id; /* of the file's arena */
    unsigned line;
};

struct case_fault {
    unsigned line; /* 0: none in particular */
    char message[200];
};

enum case_read { CASE_ROW, CASE_END, CASE_BROKEN, CASE_NOMEM };

/* `name` decides by its ending, .csv or another one. The text is borrowed. */
void case_file_init(struct case_file *file, gramc_text name, gramc_text text,
                    const gramc_allocator *allocator);
void case_file_free(struct case_file *file);
/* The row lives as long as `arena` and the file. A file without any case is broken too. */
enum case_read case_file_next(struct case_file *file, struct arena *arena, struct case_row *row,
                              struct case_fault *fault);

/* Is it one of id, message, messages, expect, cluster, stratum? Every other field is an input. */
bool case_field_is_reserved(gramc_text name);

#endif
