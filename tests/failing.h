/* The allocator with which tests make memory run out. */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

#include <stdlib.h>
#include <string.h>

#include "gramc/gramc.h"

/* malloc whose n-th allocation fails, and all later ones if `persistent`. n 0: none. Counts what is
 * not freed; always moves what grows. One thread. */
struct failing {
    long fail_at, count, live;
    bool persistent, failed;
};

static inline void *failing_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct failing *state = ctx;
    if (new_size == 0) {
        if (ptr) state->live--;
        free(ptr);
        return NULL;
    }
    long number = ++state->count;
    if (state->fail_at &&
        (number == state->fail_at || (state->persistent && number > state->fail_at))) {
        state->failed = true;
        return NULL;
    }
    void *moved = malloc(new_size);
    if (!moved) return NULL;
    if (ptr) {
        memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
        free(ptr);
    } else {
        state->live++;
    }
    return moved;
}

static inline gramc_allocator test_failing(struct failing *state) {
    return (gramc_allocator){failing_alloc, state};
}

#endif
