/* Turns requests for large pieces into mappings that begin at a huge page, and leaves small ones to
 * malloc. Which of the two a piece is follows from its size, which every call names. */
#define _DEFAULT_SOURCE
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21 };

static bool is_large(size_t size) {
    return size >= HUGE_PAGE;
}

static size_t round_up(size_t size) {
    return (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
}

/* Maps one huge page too much and gives back what stands in front of and behind the aligned part.
 */
static void *map_large(size_t size) {
    size_t whole = round_up(size);
    if (size > SIZE_MAX / 2) return NULL;
    char *start =
        mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - ((uintptr_t)start & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
    if (before) munmap(start, before);
    if (before != HUGE_PAGE) munmap(start + before + whole, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(start + before, whole, MADV_HUGEPAGE);
#endif
    return start + before;
}

static void give_back(void *ptr, size_t size) {
    if (is_large(size)) munmap(ptr, round_up(size));
    else free(ptr);
}

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    (void)ctx;
    if (!ptr) old_size = 0;
    if (new_size == 0) {
        if (ptr) give_back(ptr, old_size);
        return NULL;
    }
    if (!is_large(old_size) && !is_large(new_size)) return realloc(ptr, new_size);
    if (is_large(old_size) && is_large(new_size) && round_up(old_size) == round_up(new_size))
        return ptr;
    void *moved = is_large(new_size) ? map_large(new_size) : malloc(new_size);
    if (moved && ptr) {
        memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
        give_back(ptr, old_size);
    }
    return moved;
}

gramc_allocator pages_allocator(void) {
    return (gramc_allocator){resize, NULL};
}
