/* What the analyses have in common: what makes no sense, and the z of a confidence. */
#ifndef EXPERIMENT_STAT_COMMON_H
#define EXPERIMENT_STAT_COMMON_H

#include "experiment/stat/special.h"
#include "experiment/stat/types.h"

#include <math.h>

static inline bool stat_is_share(double value) {
    return value > 0 && value < 1;
}

static inline struct stat_interval stat_no_interval(void) {
    return (struct stat_interval){NAN, NAN};
}

/* Phi^-1((1 + confidence) / 2), by the tail, which loses nothing near 1. */
static inline double stat_z(double confidence) {
    return -stat_normal_quantile((1 - confidence) / 2);
}

/* The same of Student's t. */
static inline double stat_t_of(double confidence, double df) {
    return -stat_t_quantile((1 - confidence) / 2, df);
}

static inline double stat_between(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

#endif
