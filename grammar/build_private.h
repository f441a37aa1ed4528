/* What the two halves of the node builders share. */
#ifndef GRAMMAR_BUILD_PRIVATE_H
#define GRAMMAR_BUILD_PRIVATE_H

#include "grammar/build.h"
#include "parser.h"

/* Nodes set every field themselves. */
static inline void *build_alloc(struct build *build, size_t size) {
    return arena_piece(build->nodes, size);
}

/* A name in quotes; `two_colons` as in struct name. */
struct name build_quoted_name(struct build *build, struct token token, bool two_colons);

enum { MOST_OFFSET = INT32_MAX }; /* as SOURCE_MAX says */

/* All fields at once: the bits of each are one store then. */
static inline struct name build_plain_name(const char *text, uint32_t start, uint32_t end,
                                           bool two_colons) {
    return (struct name){.as.plain = text,
                         .start = start & MOST_OFFSET,
                         .is_quoted = 0,
                         .len = (end - start) & MOST_OFFSET,
                         .two_colons = two_colons};
}

static inline struct name build_name(struct build *build, struct token token, bool two_colons) {
    if (token.code == TK_BACKTICK || token.code == TK_DOUBLE)
        return build_quoted_name(build, token, two_colons);
    return build_plain_name(build->text + token.start, token.start, token.end, two_colons);
}
void build_extension(struct build *build, enum extension extension, struct span span);

#endif
