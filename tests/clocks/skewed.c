/* Loaded before a program, this puts its wall clock wrong by GRAMC_TEST_SKEW seconds, as a machine
 * has it whose clock nobody sets. The clock that only counts on is left alone. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long skew(void) {
    const char *seconds = getenv("GRAMC_TEST_SKEW");
    return seconds ? strtol(seconds, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    long code = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += skew();
    return (int)code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    long code = syscall(SYS_gettimeofday, now, zone);
    now->tv_sec += skew();
    return (int)code;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
