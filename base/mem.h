/* Memory: one allocator function, and arenas on top of it. An arena that runs out of memory sets
 * a sticky flag and returns NULL from then on, so that a pass checks once, at its end. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "gramc/gramc.h"

#include <string.h>

/* The allocator that is meant when a caller passes NULL: malloc and free. */
gramc_allocator mem_default(void);

void *mem_alloc(const gramc_allocator *allocator, size_t size);
void mem_free(const gramc_allocator *allocator, void *ptr, size_t size);

/* Overwrites secrets; no compiler leaves it out because nobody reads the zeros. */
void mem_wipe(void *bytes, size_t size);

struct arena_chunk;
struct arena {
    gramc_allocator allocator;
    struct arena_chunk *chunks; /* newest first */
    struct arena_chunk *spare;  /* passed on by another arena, not used yet */
    char *cursor, *end;         /* free part of the newest chunk */
    size_t total;               /* bytes taken from the allocator */
    bool oom;                   /* sticky */
};

/* allocator NULL means mem_default(). Takes no memory yet. */
void arena_init(struct arena *arena, const gramc_allocator *allocator);
/* Gives everything back; the arena can be used again. */
void arena_free(struct arena *arena);
/* The same for one that holds secrets: everything is overwritten first. */
void arena_wipe(struct arena *arena);
/* What was made before `piece` is not needed any more: `heir`, of the same allocator, grows by its
 * memory, as far as it lies in other chunks than `piece`. With NULL, all of it. */
void arena_pass_on(struct arena *arena, const void *piece, struct arena *heir);
/* 8-byte aligned, not cleared. NULL once memory has run out. */
void *arena_alloc(struct arena *arena, size_t size);
/* The same, cleared. */
void *arena_zalloc(struct arena *arena, size_t size);
/* Room for `count` items of `size`; NULL on overflow too. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* A copy with a NUL behind it; {NULL, 0} without memory. */
gramc_text arena_text(struct arena *arena, gramc_text text);

/* arena_alloc() of a size that the compiler knows: mostly no call. */
static inline void *arena_piece(struct arena *arena, size_t size) {
    void *piece = arena->cursor;
    size = (size + 7) & ~(size_t)7;
    if ((size_t)(arena->end - arena->cursor) < size || arena->oom) return arena_alloc(arena, size);
    arena->cursor += size;
    return piece;
}

/* The same, cleared by a few stores. */
static inline void *arena_new(struct arena *arena, size_t size) {
    void *piece = arena_piece(arena, size);
    return piece ? memset(piece, 0, size) : NULL;
}
#define ARENA_NEW(arena, type) ((type *)arena_new((arena), sizeof(type)))

#endif
