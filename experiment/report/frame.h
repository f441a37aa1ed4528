/* The frame of a plot: data coordinates to SVG, axes with round numbers, a legend of arms. */
#ifndef EXPERIMENT_REPORT_FRAME_H
#define EXPERIMENT_REPORT_FRAME_H

#include "experiment/analyse.h"

enum { FRAME_WIDTH = 360 };

/* How numbers on an axis are written. */
enum axis { AXIS_PLAIN, AXIS_WHOLE, AXIS_PERCENT, AXIS_POINTS, AXIS_RATIO, AXIS_MS };

struct frame {
    struct buf *out;
    double low_x, high_x, low_y, high_y; /* data */
    double left, top, width, height;     /* of the area, in units of the drawing */
    enum axis x, y;
    unsigned total_height;
};

/* Opens figure and svg. The title is ours; `about` may hold hostile text and is escaped. */
void frame_begin(struct frame *frame, const char *title, gramc_text about);
void frame_end(struct frame *frame);
double frame_x(const struct frame *frame, double value);
double frame_y(const struct frame *frame, double value);
/* Grid lines and numbers; `label` below the x axis, `side` above the y axis. */
void frame_x_axis(const struct frame *frame, const char *label);
void frame_y_axis(const struct frame *frame, const char *side);
void frame_line(const struct frame *frame, const char *class, double x1, double y1, double x2,
                double y2);
/* Parts of a path in data coordinates; the first begins it. */
void frame_path_begin(const struct frame *frame, const char *class, size_t arm);
void frame_path_to(const struct frame *frame, bool first, double x, double y);
void frame_path_end(const struct frame *frame);
/* The names of all arms with a piece of their lines, below the plot. */
void frame_legend(struct buf *out, const struct analysis *analysis);
/* One coordinate, the same in every locale. */
void frame_put(struct buf *out, double coordinate);
/* Hostile, cut to so many characters. */
void frame_name(struct buf *out, gramc_text name, size_t most);

#endif
