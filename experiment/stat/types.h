/* What several analyses return. */
#ifndef EXPERIMENT_STAT_TYPES_H
#define EXPERIMENT_STAT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat_interval {
    double low, high;
};

struct stat_chi_square {
    double statistic, df, p;
};

#endif
