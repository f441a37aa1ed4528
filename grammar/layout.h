/* A small document model: texts, places where a line may end, and groups of such places. A group
 * either fits on its line as a whole, or all places that belong to it (not those of groups inside
 * it) become line ends. */
#ifndef GRAMMAR_LAYOUT_H
#define GRAMMAR_LAYOUT_H

#include "base/buf.h"

/* What becomes of a place where a line may end. */
enum layout_break {
    LAYOUT_SOFT = 0,   /* nothing, if the group fits */
    LAYOUT_SPACE = 1,  /* a blank, if the group fits */
    LAYOUT_FORCED = 2, /* the group does not fit */
    LAYOUT_BLANK = 4   /* a blank line more, if it is a line end */
};

struct layout {
    struct buf ops;
};

void layout_init(struct layout *layout, const gramc_allocator *allocator);
void layout_free(struct layout *layout);

/* The text is borrowed until layout_print. With a line feed in it, it stands as it is and the
 * groups round it do not fit. */
void layout_text(struct layout *layout, gramc_text text);
/* A comment up to the end of its line: takes part in no measure. A forced break must follow. */
void layout_comment(struct layout *layout, gramc_text text);
/* flags: enum layout_break, or-ed. `level` is how far the next line is indented. */
void layout_break(struct layout *layout, unsigned flags, unsigned level);
void layout_open(struct layout *layout);
void layout_close(struct layout *layout);

/* Writes it all, in linear time, with lines of at most `columns` code points where that is
 * possible. Outside of groups each place is a line end. GRAMC_NOMEM, or what buf_status() says of
 * `out`. */
gramc_status layout_print(struct layout *layout, struct buf *out, uint32_t columns);

#endif
