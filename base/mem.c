/* Turns one allocator function into arenas: chunks that double up to four megabytes, freed
 * together. Knows nothing of what is stored. Big requests get a chunk of their own, so that the
 * current one is not wasted. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 22, ALIGNMENT = 8 };

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

void arena_free(struct arena *arena) {
    struct arena_chunk *next;
    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = next) {
        next = chunk->next;
        mem_free(&arena->allocator, chunk, chunk->size);
    }
    arena_init(arena, &arena->allocator);
}

void arena_wipe(struct arena *arena) {
    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        mem_wipe(chunk + 1, chunk->size - sizeof *chunk);
    arena_free(arena);
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

static bool grow(struct arena *arena) {
    size_t size = arena->chunks ? arena->total : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    size -= sizeof(struct arena_chunk);
    struct arena_chunk *chunk = chunk_new(arena, size);
    if (!chunk) return false;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->cursor = (char *)(chunk + 1);
    arena->end = arena->cursor + size;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size) {
    if (arena->oom || size > SIZE_MAX / 2) {
        arena->oom = true;
        return NULL;
    }
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->cursor || (size_t)(arena->end - arena->cursor) < size) {
        if (size > FIRST_CHUNK / 4) return alloc_apart(arena, size);
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
