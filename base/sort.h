/* A stable sort that needs no more than the second array it is given, in time n log n whatever the
 * order: what is sorted may come from anybody. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* True if `a` stands before `b`; false for equal ones, which keep their order. */
typedef bool sort_before(const void *ctx, const void *a, const void *b);

/* `spare` has as much room as `items`; returns whichever of the two holds the result. */
void *sort_merge(void *items, void *spare, size_t count, size_t size, sort_before *before,
                 const void *ctx);

#endif
