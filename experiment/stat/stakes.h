/* The stake of the next round, which betting and empirical Bernstein choose alike. */
#ifndef EXPERIMENT_STAT_STAKES_H
#define EXPERIMENT_STAT_STAKES_H

#include <math.h>
#include <stdint.h>

/* lambda_t = sqrt(2 log(2 / alpha) / (t log(1 + t) s2)), where s2 is the variance of the outcomes
 * before t, which begin with one imagined outcome of 1/2 and its variance of 1/4; `squares` is the
 * sum of their squared distances from the running means. */
static inline double stat_stake(double squares, uint64_t count, double alpha) {
    double t = (double)count + 1, variance = (0.25 + squares) / t;
    return sqrt(2 * log(2 / alpha) / (t * log1p(t) * variance));
}

/* Takes the outcome of a round into the sums. */
static inline void stat_stake_learn(double *sum, double *squares, uint64_t count, double x) {
    *sum += x;
    double distance = x - (0.5 + *sum) / ((double)count + 2);
    *squares += distance * distance;
}

#endif
