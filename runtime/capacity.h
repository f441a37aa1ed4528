/* How much a loop does at a time. */
#ifndef RUNTIME_CAPACITY_H
#define RUNTIME_CAPACITY_H

#include <stddef.h>
#include <stdint.h>

struct capacity {
    size_t programs;    /* that work at a time */
    size_t connections; /* requests under way at a time */
};

/* From what is wished for (0: nothing in particular), the number of CPUs, and the descriptors that
 * this process may still open. Each is at least 1. */
struct capacity capacity_find(uint32_t programs, uint32_t connections);
/* The same for given numbers: `room` descriptors. */
struct capacity capacity_of(uint32_t programs, uint32_t connections, size_t cpus, size_t room);

#endif
