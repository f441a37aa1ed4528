/* Wall time, CPU time and memory of many runs. As many runs as there are at a time come first and
 * are not counted: they open the connections. */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

void measure(measured run, void *ctx, long runs, long at_once) {
    struct rusage before, after;
    run(ctx, at_once, at_once);
    getrusage(RUSAGE_SELF, &before);
    double start = wall_seconds();
    run(ctx, runs, at_once);
    double wall = wall_seconds() - start;
    getrusage(RUSAGE_SELF, &after);
    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    double cpu = user + seconds(after.ru_stime) - seconds(before.ru_stime);
    printf("%ld runs, %ld at once: %.0f runs/s, %.4f ms CPU a run (%.4f user), %.1f MB at most\n",
           runs, at_once, (double)runs / wall, cpu * 1e3 / (double)runs, user * 1e3 / (double)runs,
           (double)after.ru_maxrss / 1024);
}
