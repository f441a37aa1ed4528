/* Turns one allocator function into arenas: chunks that double up to a huge page, freed
 * together or passed on to another arena. Knows nothing of what is stored. Big requests get a chunk of their own, so that the
 * current one is not wasted. */
#include "base/mem.h"

#include "base/sanitized.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 21, LARGEST_PIECE = 1024, ALIGNMENT = 8 };

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
    return realloc(ptr, new_size);
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

void arena_init(struct arena *arena, const gramc_allocator *allocator) {
    *arena = (struct arena){.allocator = allocator ? *allocator : mem_default()};
}

static void free_chunks(struct arena *arena, struct arena_chunk *chunk) {
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        mem_free(&arena->allocator, chunk, chunk->size);
        chunk = next;
    }
}

void arena_free(struct arena *arena) {
    free_chunks(arena, arena->chunks);
    free_chunks(arena, arena->spare);
    arena_init(arena, &arena->allocator);
}

void arena_wipe(struct arena *arena) {
    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        mem_wipe(chunk + 1, chunk->size - sizeof *chunk);
    arena_free(arena);
}

static bool holds(const struct arena_chunk *chunk, const void *piece) {
    uintptr_t start = (uintptr_t)chunk, at = (uintptr_t)piece;
    return at > start && at <= start + chunk->size;
}

/* The link to the newest chunk that is older than the one with `piece`. */
static struct arena_chunk **older_than(struct arena *arena, const void *piece) {
    struct arena_chunk **link = &arena->chunks;
    if (!piece) return link;
    while (*link && !holds(*link, piece)) link = &(*link)->next;
    return *link ? &(*link)->next : link;
}

void arena_pass_on(struct arena *arena, const void *piece, struct arena *heir) {
    struct arena_chunk **link = older_than(arena, piece), *first = *link, *last = first;
    *link = NULL;
    if (!piece) arena->cursor = arena->end = NULL;
    if (!first) return;
#ifdef SANITIZED /* what still looks into it is found out */
    (void)last;
    free_chunks(arena, first);
    (void)heir;
#else
    while (last->next) last = last->next;
    last->next = heir->spare;
    heir->spare = first;
#endif
}

static struct arena_chunk *chunk_new(struct arena *arena, size_t payload) {
    size_t size = sizeof(struct arena_chunk) + payload;
    struct arena_chunk *chunk = mem_alloc(&arena->allocator, size);
    if (!chunk) {
        arena->oom = true;
        return NULL;
    }
    chunk->size = size;
    arena->total += size;
    return chunk;
}

/* Links the chunk behind the newest one, which stays the one to cut small pieces from. */
static void *alloc_apart(struct arena *arena, size_t size) {
    struct arena_chunk *chunk = chunk_new(arena, size);
    if (!chunk) return NULL;
    struct arena_chunk **link = arena->chunks ? &arena->chunks->next : &arena->chunks;
    chunk->next = *link;
    *link = chunk;
    return chunk + 1;
}

/* One that was passed on, or else a new one. */
static struct arena_chunk *chunk_next(struct arena *arena) {
    struct arena_chunk *chunk = arena->spare;
    size_t size = arena->total > FIRST_CHUNK ? arena->total : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    if (!chunk) return chunk_new(arena, size - sizeof *chunk);
    arena->spare = chunk->next;
    return chunk;
}

static bool grow(struct arena *arena) {
    struct arena_chunk *chunk = chunk_next(arena);
    if (!chunk) return false;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->cursor = (char *)(chunk + 1);
    arena->end = (char *)chunk + chunk->size;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size) {
    if (arena->oom || size > SIZE_MAX / 2) {
        arena->oom = true;
        return NULL;
    }
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->cursor || (size_t)(arena->end - arena->cursor) < size) {
        if (size > LARGEST_PIECE) return alloc_apart(arena, size);
        if (!grow(arena)) return NULL;
    }
    void *piece = arena->cursor;
    arena->cursor += size;
    return piece;
}

void *arena_zalloc(struct arena *arena, size_t size) {
    void *piece = arena_alloc(arena, size);
    if (piece) memset(piece, 0, size);
    return piece;
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
