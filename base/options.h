/* Options structs of the public headers start with their size, so that a program built against an
 * older minor version, whose struct is shorter, still says what it means. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <string.h>

#include "gramc/gramc.h"

/* Overwrites the defaults in `local` with as much as the caller's struct has. */
static inline void options_read(void *local, size_t size, const void *given, size_t given_size) {
    if (given) memcpy(local, given, given_size < size ? given_size : size);
}

#define OPTIONS_READ(local, given)                                                                 \
    options_read(&(local), sizeof(local), (given), (given) ? (given)->struct_size : 0)

#endif
