/* Plots of an analysis as SVG inside of a page, drawn by its style sheet: no script, no colour of
 * their own. Each has a title and a description for those who do not see it; what they show stands
 * in tables as well. A plot without data writes nothing. */
#ifndef EXPERIMENT_REPORT_PLOT_H
#define EXPERIMENT_REPORT_PLOT_H

#include "experiment/analyse.h"

/* Effects on metrics of that scale with their intervals, one row a metric. */
void plot_forest(struct buf *out, const struct analysis *analysis, size_t arm,
                 enum metric_scale scale);
/* The difference of every case in the primary metric, in order of size. */
void plot_differences(struct buf *out, const struct analysis *analysis, size_t arm);
/* The e-process and, below it, the confidence sequence, over items. */
void plot_evidence(struct buf *out, const struct analysis *analysis, size_t arm);
void plot_sequence(struct buf *out, const struct analysis *analysis, size_t arm);
/* The share of runs that took no longer, by arm. */
void plot_latencies(struct buf *out, const struct analysis *analysis);
/* What a run costs against how many pass, a point an arm. */
void plot_cost(struct buf *out, const struct analysis *analysis);
/* How often all of k runs of a case pass, by k and arm. */
void plot_repeats(struct buf *out, const struct analysis *analysis);

#endif
