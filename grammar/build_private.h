/* What the two halves of the node builders share. */
#ifndef GRAMMAR_BUILD_PRIVATE_H
#define GRAMMAR_BUILD_PRIVATE_H

#include "grammar/build.h"

/* arena_alloc() for the small nodes, whose sizes are constants and multiples of 8: most of them fit
 * into the newest chunk, and a call for each costs more than the node. */
static inline void *build_alloc(struct build *build, size_t size) {
    struct arena *arena = build->arena;
    if ((size_t)(arena->end - arena->cursor) < size || arena->oom) return arena_alloc(arena, size);
    void *piece = arena->cursor;
    arena->cursor += size;
    return piece;
}

struct name build_name(struct build *build, struct token token);
void build_extension(struct build *build, enum extension extension, struct span span);

#endif
