/* Runs something many times at once, first to warm it up, and says what it cost: one line, that
 * bench/agent/run.sh reads. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

/* To be done: so many runs, so many at a time. */
typedef void (*measured)(void *ctx, long runs, long at_once);

/* CPU time is user and system of this process; memory is the most that it ever had. */
void measure(measured run, void *ctx, long runs, long at_once);

#endif
