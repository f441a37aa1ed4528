/* Turns one allocator function into arenas: chunks that double up to four megabytes, freed
 * together, or blocks of a pool, which can go one by one. Knows nothing of what is stored. Big
 * requests get a chunk of their own, so that the current one is not wasted. */
#include "base/mem.h"

#include "base/sanitized.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 22, LARGEST_SHARING = 1024, ALIGNMENT = 8 };
enum { SMALL_CHUNK = 256, SMALL_SHARING = 128, SMALL_PART = 8 }; /* of tight arenas */

/* Of pools: blocks, and the pieces that they are cut from. */
enum { BLOCK = 1 << 16, SMALLEST_BLOCK = 2 * LARGEST_SHARING };
enum { FIRST_PIECE = 1 << 16, LARGEST_SMALL_PIECE = 1 << 19, HUGE_PIECE = 1 << 21 };

/* All that is given back goes at once, so that a pointer into it is found out. */
#ifdef SANITIZED
enum { POOL_IS_WATCHED = true };
#else
enum { POOL_IS_WATCHED = false };
#endif

void mem_wipe(void *bytes, size_t size) {
    if (!bytes) return;
#if defined(__GNUC__)
    memset(bytes, 0, size);
    __asm__ volatile("" : : "r"(bytes) : "memory"); /* as if somebody read the zeros */
#else
    volatile unsigned char *at = bytes;
    while (size--) *at++ = 0;
#endif
}

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of the whole chunk, header included */
};

static void *default_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    (void)ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return ptr ? realloc(ptr, new_size) : malloc(new_size);
}

gramc_allocator mem_default(void) {
    return (gramc_allocator){default_alloc, NULL};
}

void *mem_alloc(const gramc_allocator *allocator, size_t size) {
    return allocator->alloc(allocator->ctx, NULL, 0, size ? size : 1);
}

void mem_free(const gramc_allocator *allocator, void *ptr, size_t size) {
    if (ptr) allocator->alloc(allocator->ctx, ptr, size ? size : 1, 0);
}

/* ## Pools */

void arena_pool_init(struct arena_pool *pool, const gramc_allocator *allocator) {
    *pool = (struct arena_pool){.allocator = *allocator};
}

static void free_list(const gramc_allocator *allocator, struct arena_chunk *chunk) {
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        mem_free(allocator, chunk, chunk->size);
        chunk = next;
    }
}

void arena_pool_free(struct arena_pool *pool) {
    free_list(&pool->allocator, pool->pieces);
    arena_pool_init(pool, &pool->allocator);
}

/* Pieces double until they are worth a huge page, which all are from then on. */
static bool cut_new_piece(struct arena_pool *pool) {
    size_t size = pool->pieces ? pool->pieces->size * 2 : FIRST_PIECE;
    if (size > LARGEST_SMALL_PIECE) size = HUGE_PIECE;
    struct arena_chunk *piece = mem_alloc(&pool->allocator, size);
    if (!piece) return false;
    *piece = (struct arena_chunk){pool->pieces, size};
    pool->pieces = piece;
    pool->cursor = (char *)(piece + 1);
    pool->end = (char *)piece + size;
    return true;
}

/* What is left of a piece goes with its last block. */
static struct arena_chunk *cut_block(struct arena_pool *pool) {
    if (pool->cursor == pool->end && !cut_new_piece(pool)) return NULL;
    size_t left = (size_t)(pool->end - pool->cursor);
    struct arena_chunk *block = (struct arena_chunk *)(void *)pool->cursor;
    block->size = left < 2 * BLOCK ? left : BLOCK;
    pool->cursor += block->size;
    return block;
}

static struct arena_chunk *take_watched(struct arena_pool *pool) {
    struct arena_chunk *block = mem_alloc(&pool->allocator, BLOCK);
    if (block) block->size = BLOCK;
    return block;
}

static struct arena_chunk *take_block(struct arena_pool *pool) {
    struct arena_chunk *block = pool->spare;
    if (POOL_IS_WATCHED) return take_watched(pool);
    if (!block) return cut_block(pool);
    pool->spare = block->next;
    return block;
}

/* Blocks of one arena, as a list. What a seal has left too small for a piece is lost until the pool
 * goes. */
static void give_blocks(struct arena_pool *pool, struct arena_chunk *block) {
    if (POOL_IS_WATCHED) {
        free_list(&pool->allocator, block);
        return;
    }
    while (block) {
        struct arena_chunk *next = block->next;
        if (block->size >= SMALLEST_BLOCK) {
            block->next = pool->spare;
            pool->spare = block;
        }
        block = next;
    }
}

/* ## Arenas */

void arena_init(struct arena *arena, const gramc_allocator *allocator) {
    *arena = (struct arena){.allocator = allocator ? *allocator : mem_default()};
}

void arena_init_tight(struct arena *arena, const gramc_allocator *allocator, size_t first) {
    arena_init(arena, allocator);
    arena->next_chunk = first > SMALL_CHUNK ? first : SMALL_CHUNK;
}

void arena_init_pooled(struct arena *arena, struct arena_pool *pool) {
    *arena = (struct arena){.allocator = pool->allocator, .pool = pool};
}

static void free_chunks(struct arena *arena, struct arena_chunk *first) {
    if (arena->pool) give_blocks(arena->pool, first);
    else free_list(&arena->allocator, first);
}

void arena_free(struct arena *arena) {
    free_chunks(arena, arena->chunks);
    free_list(&arena->allocator, arena->apart);
    *arena = (struct arena){.allocator = arena->allocator, .pool = arena->pool};
}

void arena_reset(struct arena *arena) {
    struct arena_chunk *only = arena->chunks;
    if (POOL_IS_WATCHED || arena->pool || !only || only->next || only->size > FIRST_CHUNK) {
        arena_free(arena);
        return;
    }
    free_list(&arena->allocator, arena->apart);
    *arena = (struct arena){.allocator = arena->allocator,
                            .chunks = only,
                            .cursor = (char *)(only + 1),
                            .end = (char *)only + only->size,
                            .total = only->size};
}

static void wipe_list(struct arena_chunk *chunk) {
    for (; chunk; chunk = chunk->next) mem_wipe(chunk + 1, chunk->size - sizeof *chunk);
}

void arena_wipe(struct arena *arena) {
    wipe_list(arena->chunks);
    wipe_list(arena->apart);
    arena_free(arena);
}

static bool holds(const struct arena_chunk *chunk, const void *piece) {
    uintptr_t start = (uintptr_t)chunk, at = (uintptr_t)piece;
    return at > start && at < start + chunk->size;
}

/* What is free of the newest block becomes a block of its own. */
static void give_rest(struct arena *arena) {
    size_t left = (size_t)(arena->end - arena->cursor);
    if (POOL_IS_WATCHED || !arena->pool || left < SMALLEST_BLOCK) return;
    struct arena_chunk *rest = (struct arena_chunk *)(void *)arena->cursor;
    rest->size = left;
    rest->next = arena->pool->spare;
    arena->pool->spare = rest;
    arena->chunks->size -= left;
}

void arena_seal(struct arena *arena) {
    struct arena_chunk *oldest = NULL;
    give_rest(arena);
    while (arena->chunks) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        chunk->next = oldest;
        oldest = chunk;
    }
    arena->chunks = oldest;
    arena->cursor = arena->end = NULL;
}

void arena_free_before(struct arena *arena, const void *piece) {
    while (arena->chunks && !holds(arena->chunks, piece)) {
        struct arena_chunk *oldest = arena->chunks;
        arena->chunks = oldest->next;
        oldest->next = NULL;
        free_chunks(arena, oldest);
    }
}

/* For a request that is too large to share a chunk, so that the current one is not wasted. */
static void *alloc_apart(struct arena *arena, size_t size) {
    struct arena_chunk *chunk = mem_alloc(&arena->allocator, sizeof *chunk + size);
    if (!chunk) {
        arena->oom = true;
        return NULL;
    }
    *chunk = (struct arena_chunk){arena->apart, sizeof *chunk + size};
    arena->apart = chunk;
    arena->total += chunk->size;
    return chunk + 1;
}

/* They double, unless the arena is tight. */
static struct arena_chunk *chunk_new(struct arena *arena) {
    size_t size = arena->total > FIRST_CHUNK ? arena->total : FIRST_CHUNK;
    if (arena->next_chunk) {
        size = arena->next_chunk;
        arena->next_chunk = (arena->total + size) / SMALL_PART;
        if (arena->next_chunk < SMALL_CHUNK) arena->next_chunk = SMALL_CHUNK;
    }
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    struct arena_chunk *chunk = mem_alloc(&arena->allocator, size);
    if (chunk) chunk->size = size;
    return chunk;
}

static bool grow(struct arena *arena) {
    struct arena_chunk *chunk = arena->pool ? take_block(arena->pool) : chunk_new(arena);
    if (!chunk) {
        arena->oom = true;
        return false;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->total += chunk->size;
    arena->cursor = (char *)(chunk + 1);
    arena->end = (char *)chunk + chunk->size;
    return true;
}

static size_t rounded(size_t size) {
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void *arena_alloc(struct arena *arena, size_t size) {
    if (arena->oom || size > SIZE_MAX / 2) {
        arena->oom = true;
        return NULL;
    }
    size = rounded(size);
    if (!arena->cursor || (size_t)(arena->end - arena->cursor) < size) {
        if (size > (arena->next_chunk ? SMALL_SHARING : LARGEST_SHARING))
            return alloc_apart(arena, size);
        if (!grow(arena)) return NULL;
    }
    void *piece = arena->cursor;
    arena->cursor += size;
    return piece;
}

bool arena_resize(struct arena *arena, void *piece, size_t old_size, size_t new_size) {
    char *start = piece;
    size_t room = start ? (size_t)(arena->end - start) : 0;
    if (!start || arena->oom || start + rounded(old_size) != arena->cursor) return false;
    if (rounded(new_size) > room) return false;
    arena->cursor = start + rounded(new_size);
    return true;
}

void *arena_zalloc(struct arena *arena, size_t size) {
    void *piece = arena_alloc(arena, size);
    if (piece) memset(piece, 0, size);
    return piece;
}

void *arena_lines(struct arena *arena, size_t size) {
    size_t past = (uintptr_t)arena->cursor % ARENA_LINE, gap = past ? ARENA_LINE - past : 0;
    if (arena->cursor && (size_t)(arena->end - arena->cursor) >= size + gap) {
        arena->cursor += gap;
        return arena_zalloc(arena, size);
    }
    char *piece = arena_zalloc(arena, size + ARENA_LINE - ALIGNMENT);
    past = (uintptr_t)piece % ARENA_LINE;
    return piece && past ? piece + (ARENA_LINE - past) : piece;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) {
        arena->oom = true;
        return NULL;
    }
    return arena_zalloc(arena, count * size);
}

gramc_text arena_text(struct arena *arena, gramc_text text) {
    char *copy = arena_alloc(arena, text.len + 1);
    if (!copy) return (gramc_text){NULL, 0};
    if (text.len) memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (gramc_text){copy, text.len};
}
