/* From text to tree. One call; everything that is wrong comes back as findings. */
#ifndef GRAMMAR_PARSE_H
#define GRAMMAR_PARSE_H

#include "base/diag/diag.h"
#include "base/limits.h"
#include "grammar/tree.h"

struct parse_options {
    bool plain;          /* every extension is an error, as in the reference grammar */
    struct arena *nodes; /* for the patterns, in the order of the text, so that they can be given
                          * back one by one; NULL: they stay as long as the rest */
};

/* Parses source->text. The tree and its texts live in `arena` and in the source, patterns and what
 * hangs on them in options->nodes. Returns NULL only
 * without memory (arena->oom). With syntax errors the tree holds the patterns that could be read.
 * Several findings per file: after an error the driver resynchronises at the bracket structure;
 * after a hundred it stops. Takes about 200 KB of the C stack, whatever the source. Any thread;
 * nothing is shared but what is passed in. */
struct tree *parse_source(struct arena *arena, struct findings *findings,
                          const struct source *source, const struct parse_options *options);

#endif
