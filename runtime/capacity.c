/* Decides how many programs and connections a loop has at a time, so that they stay below the limit
 * of descriptors as it is when the loop is made. The limit itself is not touched: it is the
 * process's. What lies beyond waits (gate.c). */
#define _POSIX_C_SOURCE 200809L
#include "runtime/capacity.h"

#include <sys/resource.h>
#include <uv.h>

#include "base/limits.h"
#include "runtime/process/descriptors.h"

enum {
    SPARE = 24,                /* for files, libraries, and what the process opens later */
    OF_A_PROGRAM = 8,          /* three pipes and a socket, and as many of one being ended */
    OF_IDLE_PROGRAMS = 64,     /* WORKERS_IDLE_MAX, with four each */
    MOST_DESCRIPTORS = 1 << 20 /* that are reckoned with where there is no limit */
};

static size_t at_least_1(size_t count) {
    return count ? count : 1;
}

static size_t lesser(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t room(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return 0;
    size_t most = limit.rlim_cur > MOST_DESCRIPTORS ? MOST_DESCRIPTORS : (size_t)limit.rlim_cur;
    size_t used = descriptors_count() + SPARE;
    return most > used ? most - used : 0;
}

/* A third of what connections may have is left for looking up names and for second attempts, where
 * a host has several addresses. */
struct capacity capacity_of(uint32_t programs, uint32_t connections, size_t cpus, size_t room) {
    size_t wished = programs ? programs : 2 * cpus;
    if (!programs && wished < PROGRAMS_LEAST) wished = PROGRAMS_LEAST;
    struct capacity can = {.programs = at_least_1(lesser(wished, room / 2 / OF_A_PROGRAM))};
    size_t taken = can.programs * OF_A_PROGRAM + lesser(OF_IDLE_PROGRAMS, room / 4);
    size_t left = room > taken ? (room - taken) / 3 * 2 : 0;
    can.connections = at_least_1(connections ? lesser(connections, left) : left);
    return can;
}

struct capacity capacity_find(uint32_t programs, uint32_t connections) {
    return capacity_of(programs, connections, uv_available_parallelism(), room());
}
