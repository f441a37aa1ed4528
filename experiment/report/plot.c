/* The plots of a page, each a few numbers of the analysis in a frame. */
#include "experiment/report/plot.h"

#include "base/text.h"
#include "experiment/report/escape.h"
#include "experiment/report/frame.h"

#include <math.h>

enum { DRAWN_MAX = 300, ROW = 22 };

static bool finite_interval(const struct stat_interval *of) {
    return isfinite(of->low) && isfinite(of->high);
}

static void widen(double *low, double *high, double value) {
    if (!isfinite(value)) return;
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

static void point(const struct frame *frame, const char *class, double x, double y) {
    buf_printf(frame->out, "<circle class=\"%s\" r=\"4\" cx=\"", class);
    frame_put(frame->out, x);
    buf_puts(frame->out, "\" cy=\"");
    frame_put(frame->out, y);
    buf_puts(frame->out, "\"/>\n");
}

/* ## Forest */

static double on_axis(enum metric_scale scale, double value) {
    return scale == SCALE_RATIO ? log(value) : value;
}

static bool is_drawn(const struct analysis *a, const struct arm_comparison *of,
                     enum metric_scale scale) {
    return a->metrics[of->metric].scale == scale && !of->reason &&
           isfinite(on_axis(scale, of->effect.value)) && finite_interval(&of->effect.interval) &&
           on_axis(scale, of->effect.interval.low) > -1e300;
}

static size_t forest_range(struct frame *frame, const struct analysis *a, size_t arm,
                           enum metric_scale scale) {
    double margin = scale == SCALE_RATIO ? log1p(a->margin) : a->margin, low = 0, high = 0;
    size_t rows = 0;
    widen(&low, &high, margin);
    widen(&low, &high, -margin);
    for (size_t m = 0; m < a->metric_count; m++) {
        const struct arm_comparison *of = analysis_comparison(a, arm, m);
        if (!is_drawn(a, of, scale)) continue;
        widen(&low, &high, on_axis(scale, of->effect.interval.low));
        widen(&low, &high, on_axis(scale, of->effect.interval.high));
        rows++;
    }
    double gap = high > low ? 0.06 * (high - low) : 0.01;
    frame->low_x = low - gap;
    frame->high_x = high + gap;
    return rows;
}

static void forest_row(const struct frame *frame, const struct analysis *a,
                       const struct arm_comparison *of, size_t row, enum metric_scale scale) {
    static const char *const classes[] = {"effect primary", "effect guard", "effect"};
    const struct metric *metric = &a->metrics[of->metric];
    double y = frame->top + ROW * ((double)row + 0.5);
    const char *class = classes[metric->role];
    frame_line(frame, class, frame_x(frame, on_axis(scale, of->effect.interval.low)), y,
               frame_x(frame, on_axis(scale, of->effect.interval.high)), y);
    point(frame, class, frame_x(frame, on_axis(scale, of->effect.value)), y);
    buf_puts(frame->out, "<text class=\"side\" x=\"");
    frame_put(frame->out, frame->left - 6);
    buf_puts(frame->out, "\" y=\"");
    frame_put(frame->out, y + 4);
    buf_puts(frame->out, "\">");
    frame_name(frame->out, metric->name, 14);
    buf_puts(frame->out, "</text>\n");
}

void plot_forest(struct buf *out, const struct analysis *a, size_t arm, enum metric_scale scale) {
    static const char *const titles[] = {"Differences of rates", "Differences of counts", "Ratios"};
    static const char *const labels[] = {"percentage points", "of each run", "times"};
    struct frame frame = {.out = out, .left = 104, .top = 8, .width = 244};
    size_t rows = forest_range(&frame, a, arm, scale), row = 0;
    if (!rows) return;
    frame.height = ROW * (double)rows;
    frame.x = scale == SCALE_SHARE ? AXIS_POINTS : scale == SCALE_RATIO ? AXIS_RATIO : AXIS_PLAIN;
    frame.total_height = (unsigned)frame.height + 44;
    frame_begin(&frame, titles[scale],
                TEXT("each metric with its interval; the numbers are in the table of metrics"));
    frame_x_axis(&frame, labels[scale]);
    double bottom = frame.top + frame.height, zero = frame_x(&frame, 0);
    frame_line(&frame, "zero", zero, frame.top, zero, bottom);
    double margin = scale == SCALE_RATIO ? log1p(a->margin) : a->margin;
    for (int side = -1; margin > 0 && side <= 1; side += 2) {
        double at = frame_x(&frame, side * margin);
        frame_line(&frame, "margin", at, frame.top, at, bottom);
    }
    for (size_t m = 0; m < a->metric_count; m++) {
        const struct arm_comparison *of = analysis_comparison(a, arm, m);
        if (is_drawn(a, of, scale)) forest_row(&frame, a, of, row++, scale);
    }
    frame_end(&frame);
}

/* ## Cases */

static double difference_of(const struct analysis *a, size_t item, size_t arm) {
    const double *values = a->cases[item].values;
    return values[arm * a->metric_count] - values[0];
}

/* Ascending; NaN behind. Few distinct values or many cases: a count of each of DRAWN_MAX classes
 * between lowest and highest sorts them well enough for an eye. */
static size_t classes_of(const struct analysis *a, size_t arm, size_t counts[DRAWN_MAX + 1],
                         double *low, double *high) {
    size_t total = 0;
    *low = *high = 0;
    for (size_t i = 0; i < a->items; i++) widen(low, high, difference_of(a, i, arm));
    if (!(*high > *low)) *high = *low + 1;
    for (size_t i = 0; i < a->items; i++) {
        double value = difference_of(a, i, arm);
        if (!isfinite(value)) continue;
        counts[(size_t)((value - *low) / (*high - *low) * DRAWN_MAX)]++;
        total++;
    }
    return total;
}

void plot_differences(struct buf *out, const struct analysis *a, size_t arm) {
    size_t counts[DRAWN_MAX + 1] = {0};
    double low, high, seen = 0;
    size_t total = classes_of(a, arm, counts, &low, &high);
    if (!total) return;
    struct frame frame = {.out = out,
                          .low_x = 0,
                          .high_x = (double)total,
                          .low_y = low,
                          .high_y = high,
                          .left = 46,
                          .top = 22,
                          .width = 304,
                          .height = 140,
                          .x = AXIS_PLAIN,
                          .y = a->metrics[0].scale == SCALE_SHARE ? AXIS_POINTS : AXIS_PLAIN,
                          .total_height = 202};
    frame_begin(&frame, "Difference of every case",
                TEXT("cases in order of their difference in the primary metric; above zero the "
                     "arm has more than the first"));
    frame_y_axis(&frame, a->metrics[0].scale == SCALE_SHARE ? "percentage points" : "difference");
    frame_x_axis(&frame, "cases");
    for (size_t k = 0; k <= DRAWN_MAX; k++) {
        if (!counts[k]) continue;
        double value = low + (high - low) * (double)k / DRAWN_MAX;
        bool flat = fabs(value) < (high - low) / DRAWN_MAX;
        double x1 = frame_x(&frame, seen), x2 = frame_x(&frame, seen + (double)counts[k]);
        double y = frame_y(&frame, flat ? 0 : value), zero = frame_y(&frame, 0);
        bool better = (value > 0) == a->metrics[0].higher_is_better;
        buf_printf(out, "<rect class=\"%s\" x=\"", flat ? "same" : better ? "better" : "worse");
        frame_put(out, x1);
        buf_puts(out, "\" y=\"");
        frame_put(out, flat ? zero - 1 : y < zero ? y : zero);
        buf_puts(out, "\" width=\"");
        frame_put(out, x2 - x1);
        buf_puts(out, "\" height=\"");
        frame_put(out, flat ? 2 : fabs(zero - y));
        buf_puts(out, "\"/>\n");
        seen += (double)counts[k];
    }
    frame_line(&frame, "zero", frame.left, frame_y(&frame, 0), frame.left + frame.width,
               frame_y(&frame, 0));
    frame_end(&frame);
}

/* ## Evidence over items */

void plot_evidence(struct buf *out, const struct analysis *a, size_t arm) {
    const struct sequence *of = &analysis_comparison(a, arm, 0)->sequence;
    if (!of->method || of->points < 2) return;
    double limit = log((double)(a->arm_count - 1) / a->alpha) / log(10);
    struct frame frame = {.out = out,
                          .low_x = 0,
                          .high_x = of->items,
                          .low_y = -0.5,
                          .high_y = limit * 1.1,
                          .left = 46,
                          .top = 22,
                          .width = 304,
                          .height = 140,
                          .total_height = 202};
    for (size_t i = 0; i < of->points; i++)
        widen(&frame.low_y, &frame.high_y, of->path[i].log_e / log(10));
    frame_begin(&frame, "Evidence over cases",
                TEXT("the e-value as a power of ten after each case; the dashed line is where a "
                     "sequential experiment may stop"));
    frame_y_axis(&frame, "e-value, power of ten");
    frame_x_axis(&frame, "cases, in the order of the plan");
    frame_line(&frame, "margin", frame.left, frame_y(&frame, limit), frame.left + frame.width,
               frame_y(&frame, limit));
    frame_path_begin(&frame, "line", arm);
    frame_path_to(&frame, true, 0, 0);
    for (size_t i = 0; i < of->points; i++)
        frame_path_to(&frame, false, of->path[i].items, of->path[i].log_e / log(10));
    frame_path_end(&frame);
    frame_end(&frame);
}

void plot_sequence(struct buf *out, const struct analysis *a, size_t arm) {
    const struct sequence *of = &analysis_comparison(a, arm, 0)->sequence;
    if (!of->method || of->points < 2) return;
    struct frame frame = {.out = out,
                          .low_x = 0,
                          .high_x = of->items,
                          .low_y = -1,
                          .high_y = 1,
                          .left = 46,
                          .top = 22,
                          .width = 304,
                          .height = 140,
                          .y = AXIS_POINTS,
                          .total_height = 202};
    frame_begin(&frame, "Confidence sequence",
                TEXT("the interval of the difference after each case, valid at every moment"));
    frame_y_axis(&frame, "percentage points");
    frame_x_axis(&frame, "cases, in the order of the plan");
    frame_path_begin(&frame, "band", arm);
    for (size_t i = 0; i < of->points; i++)
        frame_path_to(&frame, i == 0, of->path[i].items, of->path[i].interval.high);
    for (size_t i = of->points; i-- > 0;)
        frame_path_to(&frame, false, of->path[i].items, of->path[i].interval.low);
    frame_path_end(&frame);
    frame_line(&frame, "zero", frame.left, frame_y(&frame, 0), frame.left + frame.width,
               frame_y(&frame, 0));
    frame_end(&frame);
}

/* ## Arms */

static void latency_line(const struct frame *frame, const struct arm_result *arm, size_t index) {
    size_t n = arm->latency_count;
    frame_path_begin(frame, "line", index);
    frame_path_to(frame, true, frame->low_x, 0);
    for (size_t k = 0; k <= DRAWN_MAX; k++) {
        size_t at = n > DRAWN_MAX ? k * (n - 1) / DRAWN_MAX : k;
        if (at >= n) break;
        frame_path_to(frame, false, arm->latencies[at], (double)at / (double)n);
        frame_path_to(frame, false, arm->latencies[at], (double)(at + 1) / (double)n);
    }
    frame_path_to(frame, false, frame->high_x, 1);
    frame_path_end(frame);
}

void plot_latencies(struct buf *out, const struct analysis *a) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < a->arm_count; i++) {
        if (!a->arms[i].latency_count) continue;
        widen(&low, &high, a->arms[i].latencies[0]);
        widen(&low, &high, a->arms[i].latencies[a->arms[i].latency_count - 1]);
    }
    if (!(low <= high)) return;
    double gap = 0.03 * (high - low) + 1e-3;
    struct frame frame = {.out = out,
                          .low_x = low - gap > 0 ? low - gap : 0,
                          .high_x = high + gap,
                          .low_y = 0,
                          .high_y = 1,
                          .left = 46,
                          .top = 22,
                          .width = 300,
                          .height = 140,
                          .x = AXIS_MS,
                          .y = AXIS_PERCENT,
                          .total_height = 202};
    frame_begin(&frame, "Latency", TEXT("the share of runs that took no longer, for each arm"));
    frame_y_axis(&frame, "% of runs");
    frame_x_axis(&frame, "milliseconds");
    for (size_t i = 0; i < a->arm_count; i++)
        if (a->arms[i].latency_count) latency_line(&frame, &a->arms[i], i);
    frame_end(&frame);
}

void plot_cost(struct buf *out, const struct analysis *a) {
    size_t cost = analysis_metric(a, METRIC_COST), pass = analysis_metric(a, METRIC_PASS);
    double low = 0, high = 0;
    size_t known = 0;
    for (size_t i = 0; i < a->arm_count; i++) {
        const struct arm_metric *of = &a->arms[i].metrics[cost];
        known += isfinite(of->mean.value) && isfinite(a->arms[i].metrics[pass].mean.value);
        widen(&low, &high, of->mean.value);
        widen(&low, &high, of->mean.interval.high);
    }
    if (known < 2 || !(high > 0)) return;
    struct frame frame = {.out = out,
                          .low_x = low < 0 ? low : 0,
                          .high_x = high * 1.05,
                          .low_y = 0,
                          .high_y = 1,
                          .left = 46,
                          .top = 22,
                          .width = 300,
                          .height = 140,
                          .y = AXIS_PERCENT,
                          .total_height = 202};
    frame_begin(&frame, "Cost against success",
                TEXT("a point for each arm with both intervals; up and to the left is better"));
    frame_y_axis(&frame, "% passed");
    frame_x_axis(&frame, "cost of a run");
    for (size_t i = 0; i < a->arm_count; i++) {
        const struct measure *x = &a->arms[i].metrics[cost].mean;
        const struct measure *y = &a->arms[i].metrics[pass].mean;
        char class[16] = "line a0";
        if (!isfinite(x->value) || !isfinite(y->value)) continue;
        class[6] = (char)('0' + i % 6);
        if (finite_interval(&x->interval))
            frame_line(&frame, class, frame_x(&frame, x->interval.low), frame_y(&frame, y->value),
                       frame_x(&frame, x->interval.high), frame_y(&frame, y->value));
        if (finite_interval(&y->interval))
            frame_line(&frame, class, frame_x(&frame, x->value), frame_y(&frame, y->interval.low),
                       frame_x(&frame, x->value), frame_y(&frame, y->interval.high));
        point(&frame, class, frame_x(&frame, x->value), frame_y(&frame, y->value));
    }
    frame_end(&frame);
}

void plot_repeats(struct buf *out, const struct analysis *a) {
    if (a->repeats < 2 || !a->arms[0].pass_all || !isfinite(a->arms[0].pass_all[0])) return;
    struct frame frame = {.out = out,
                          .low_x = 1,
                          .high_x = a->repeats,
                          .low_y = 0,
                          .high_y = 1,
                          .left = 46,
                          .top = 22,
                          .width = 300,
                          .height = 140,
                          .x = AXIS_WHOLE,
                          .y = AXIS_PERCENT,
                          .total_height = 202};
    frame_begin(&frame, "All of k runs pass", TEXT("pass^k by the number of runs k, for each arm"));
    frame_y_axis(&frame, "% of cases");
    frame_x_axis(&frame, "runs k");
    for (size_t i = 0; i < a->arm_count; i++) {
        if (!isfinite(a->arms[i].pass_all[0])) continue;
        frame_path_begin(&frame, "line", i);
        for (uint32_t k = 1; k <= a->repeats; k++)
            frame_path_to(&frame, k == 1, k, a->arms[i].pass_all[k - 1]);
        frame_path_end(&frame);
    }
    frame_end(&frame);
}
