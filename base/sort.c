/* Turns an array into a sorted one by merging runs of 1, 2, 4, ... items, back and forth between
 * the array and a spare one. Without recursion and allocation; comparing is the caller's. */
#include "base/sort.h"

#include <string.h>

struct sorted_run {
    const char *at, *end;
};

static char *merge(char *to, struct sorted_run left, struct sorted_run right, size_t size,
                   sort_before *before, const void *ctx) {
    while (left.at < left.end || right.at < right.end) {
        bool take_right =
            left.at == left.end || (right.at < right.end && before(ctx, right.at, left.at));
        struct sorted_run *run = take_right ? &right : &left;
        memcpy(to, run->at, size);
        run->at += size;
        to += size;
    }
    return to;
}

void *sort_merge(void *items, void *spare, size_t count, size_t size, sort_before *before,
                 const void *ctx) {
    char *from = items, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        char *next = to;
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = middle + width < count ? middle + width : count;
            struct sorted_run left = {from + start * size, from + middle * size};
            struct sorted_run right = {from + middle * size, from + end * size};
            next = merge(next, left, right, size, before, ctx);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}
