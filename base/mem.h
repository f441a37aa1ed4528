/* Memory: one allocator function, and arenas on top of it. An arena that runs out of memory sets
 * a sticky flag and returns NULL from then on, so that a pass checks once, at its end. Arenas that
 * shrink while others grow can share a pool. */
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

enum { ARENA_LINE = 64 }; /* bytes: a cache line */

/* Blocks of one size, cut from large pieces. What one arena gives back, the next one takes. */
struct arena_pool {
    gramc_allocator allocator;
    struct arena_chunk *pieces; /* what the blocks are cut from, newest first */
    struct arena_chunk *spare;  /* blocks that were given back */
    char *cursor, *end;         /* free part of the newest piece */
};

struct arena {
    gramc_allocator allocator;
    struct arena_pool *pool;    /* of the chunks; NULL: the allocator */
    struct arena_chunk *chunks; /* newest first */
    struct arena_chunk *apart;  /* one for each large request, none of the pool's */
    char *cursor, *end;         /* free part of the newest chunk */
    size_t total;               /* bytes of all chunks */
    size_t next_chunk;          /* 0: chunks double */
    bool oom;                   /* sticky */
};

/* allocator NULL means mem_default(). Takes no memory yet. */
void arena_init(struct arena *arena, const gramc_allocator *allocator);
/* For what is kept long and is small: the first chunk has `first` bytes (0: few), the others are
 * small beside what there is already. */
void arena_init_tight(struct arena *arena, const gramc_allocator *allocator, size_t first);
/* The same, with blocks of a pool, which must outlive the arena. */
void arena_init_pooled(struct arena *arena, struct arena_pool *pool);
/* Gives everything back; the arena can be used again. */
void arena_free(struct arena *arena);
/* The same, but a single small chunk stays for what comes next. */
void arena_reset(struct arena *arena);
/* As arena_free, for one that holds secrets: everything is overwritten first. */
void arena_wipe(struct arena *arena);
/* For an arena that is read from its oldest piece on: turns the list of its chunks around, and
 * gives back what is free of the newest. Nothing more can be made in it. */
void arena_seal(struct arena *arena);
/* Of a sealed one: gives back the chunks that are older than the one with `piece`. */
void arena_free_before(struct arena *arena, const void *piece);

void arena_pool_init(struct arena_pool *pool, const gramc_allocator *allocator);
/* Once no arena has blocks of it. */
void arena_pool_free(struct arena_pool *pool);

/* 8-byte aligned, not cleared. NULL once memory has run out. */
void *arena_alloc(struct arena *arena, size_t size);
/* The same, cleared. */
void *arena_zalloc(struct arena *arena, size_t size);
/* The same, at a multiple of ARENA_LINE. */
void *arena_lines(struct arena *arena, size_t size);
/* Room for `count` items of `size`; NULL on overflow too. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* Makes the piece that was made last larger or smaller where it stands; a new size of 0 gives it
 * back. False: there is no room, or it was not the last. */
bool arena_resize(struct arena *arena, void *piece, size_t old_size, size_t new_size);
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
