/* What the files of the distributions share. */
#ifndef EXPERIMENT_STAT_SPECIAL_PARTS_H
#define EXPERIMENT_STAT_SPECIAL_PARTS_H

/* ln Gamma(x + 1) - (x + 1/2) ln x + x - ln(2 pi) / 2, x > 0. */
double stat_stirling_error(double x);
/* x ln(x / mean) + mean - x; both > 0. */
double stat_deviance(double x, double mean);

#endif
