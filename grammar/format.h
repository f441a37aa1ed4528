/* From a tree and its source back to text in one layout, comments included. What is written
 * differently on purpose (a colon, a name without its backticks) is handed in as edits; they are
 * decided elsewhere, because they depend on what things mean. */
#ifndef GRAMMAR_FORMAT_H
#define GRAMMAR_FORMAT_H

#include "base/buf.h"
#include "grammar/tree.h"

/* Stands for the tokens of a span. */
struct format_edit {
    struct span span;
    gramc_text text;   /* ptr NULL: as written */
    bool double_colon; /* write `::` in front of it, not `:` */
};

struct format_options {
    const struct format_edit *edits; /* in the order of their places, not overlapping */
    size_t edit_count;
    bool lines_end_in_braces_only; /* as every reference reads: not in arrays, not before arrows,
                                    * not behind annotations */
    /* The first comment that has to end a line where the layout would not, NULL if there is none.
     */
    const struct comment *awkward;
};

enum { FORMAT_COLUMNS = 100 };

/* The tree must have been read without an error. GRAMC_OK, GRAMC_NOMEM, or GRAMC_LIMIT when the
 * text is larger than `out` may be. */
gramc_status format_tree(struct buf *out, const struct tree *tree, struct format_options *options);

#endif
