/* One source text and the way from a byte offset to a line and column. Everything inside the
 * library speaks byte offsets; columns are computed only where something is printed. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/limits.h"
#include "base/mem.h"

struct span {
    uint32_t start, end; /* [start, end) */
};

struct config;
struct source {
    gramc_text name;
    gramc_text text; /* text.ptr[text.len] is NUL */
    struct source *next;
    uint32_t order;              /* 0 for the first source of the compilation */
    bool strict;                 /* warnings about it fail */
    const struct config *config; /* that judges it, for whoever knows what that is; NULL: none */
};

struct position {
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in code points */
    uint32_t utf16;  /* from 0, in UTF-16 units */
    struct span row; /* the whole line without its end */
};

/* Counts from the start of the text: for printers, which ask rarely. */
struct position source_position(const struct source *source, uint32_t offset);

/* Where counting came to: a place behind it in the same source is counted from there. Begins as
 * {NULL}. */
struct source_cursor {
    const struct source *source; /* NULL: nowhere yet */
    struct position at;
    uint32_t offset;   /* that was asked for */
    size_t next;       /* the first byte that is not counted */
    uint32_t line_end; /* the line feed, or the end of the text */
};
struct position source_position_from(struct source_cursor *cursor, const struct source *source,
                                     uint32_t offset);
gramc_text source_slice(const struct source *source, struct span span);

#endif
