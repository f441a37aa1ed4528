/* Draws the frame of a plot: where data lie in it, which numbers stand at its axes. */
#include "experiment/report/frame.h"

#include "base/text.h"
#include "experiment/report/escape.h"
#include "experiment/report/words.h"

#include <math.h>
#include <stdlib.h>

enum { TICKS = 5 };

void frame_put(struct buf *out, double coordinate) {
    if (!isfinite(coordinate)) coordinate = 0;
    if (coordinate > 1e6) coordinate = 1e6;
    if (coordinate < -1e6) coordinate = -1e6;
    long tenths = lround(coordinate * 10);
    buf_printf(out, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
    if (tenths % 10) buf_printf(out, ".%ld", labs(tenths) % 10);
}

void frame_name(struct buf *out, gramc_text name, size_t most) {
    size_t pos = 0, count = 0;
    while (pos < name.len && count < most) {
        text_decode(name, &pos);
        count++;
    }
    escape_xml(out, text_slice(name, 0, pos));
    if (pos < name.len) buf_puts(out, "…");
}

double frame_x(const struct frame *frame, double value) {
    return frame->left + frame->width * (value - frame->low_x) / (frame->high_x - frame->low_x);
}

double frame_y(const struct frame *frame, double value) {
    return frame->top +
           frame->height * (1 - (value - frame->low_y) / (frame->high_y - frame->low_y));
}

void frame_begin(struct frame *frame, const char *title, gramc_text about) {
    struct buf *out = frame->out;
    if (!(frame->high_x > frame->low_x)) frame->high_x = frame->low_x + 1;
    if (!(frame->high_y > frame->low_y)) frame->high_y = frame->low_y + 1;
    buf_printf(out,
               "<figure>\n<figcaption>%s</figcaption>\n<svg viewBox=\"0 0 %d %u\" role=\"img\">",
               title, FRAME_WIDTH, frame->total_height);
    buf_printf(out, "<title>%s: ", title);
    escape_xml(out, about);
    buf_puts(out, "</title>\n");
}

void frame_end(struct frame *frame) {
    buf_puts(frame->out, "</svg>\n</figure>\n");
}

void frame_line(const struct frame *frame, const char *class, double x1, double y1, double x2,
                double y2) {
    const double at[] = {x1, y1, x2, y2};
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    buf_printf(frame->out, "<line class=\"%s\"", class);
    for (size_t i = 0; i < 4; i++) {
        buf_printf(frame->out, " %s=\"", names[i]);
        frame_put(frame->out, at[i]);
        buf_putc(frame->out, '"');
    }
    buf_puts(frame->out, "/>\n");
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(enum axis axis, double span) {
    double raw = axis == AXIS_WHOLE && span < TICKS ? 1 : span / TICKS,
           base = pow(10, floor(log10(raw)));
    double factor = raw / base;
    return base * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

static void put_label(struct buf *out, enum axis axis, double value) {
    if (fabs(value) < 1e-12) value = 0;
    switch (axis) {
    case AXIS_PERCENT: words_printed(out, "%.4g", 100 * value); break;
    case AXIS_POINTS: words_printed(out, value == 0 ? "%.4g" : "%+.4g", 100 * value); break;
    case AXIS_RATIO: words_printed(out, "%.3g", exp(value)); break;
    case AXIS_MS:
        words_printed(out, "%.4g", value >= 10000 ? value / 1000 : value);
        if (value >= 10000) buf_puts(out, " s");
        break;
    case AXIS_WHOLE:
    case AXIS_PLAIN: words_printed(out, "%.4g", value); break;
    }
}

static void text_begin(const struct frame *frame, const char *class, double x, double y) {
    buf_printf(frame->out, "<text class=\"%s\" x=\"", class);
    frame_put(frame->out, x);
    buf_puts(frame->out, "\" y=\"");
    frame_put(frame->out, y);
    buf_puts(frame->out, "\">");
}

void frame_x_axis(const struct frame *frame, const char *label) {
    double bottom = frame->top + frame->height;
    double step = round_step(frame->x, frame->high_x - frame->low_x);
    double first = ceil(frame->low_x / step) * step;
    for (int i = 0; i < 3 * TICKS && first + i * step <= frame->high_x + step * 1e-9; i++) {
        double at = frame_x(frame, first + i * step);
        frame_line(frame, "grid", at, frame->top, at, bottom);
        text_begin(frame, "tick", at, bottom + 13);
        put_label(frame->out, frame->x, first + i * step);
        buf_puts(frame->out, "</text>\n");
    }
    text_begin(frame, "tick", frame->left + frame->width / 2, bottom + 27);
    buf_printf(frame->out, "%s</text>\n", label);
}

void frame_y_axis(const struct frame *frame, const char *side) {
    double step = round_step(frame->y, frame->high_y - frame->low_y);
    double first = ceil(frame->low_y / step) * step;
    for (int i = 0; i < 3 * TICKS && first + i * step <= frame->high_y + step * 1e-9; i++) {
        double at = frame_y(frame, first + i * step);
        frame_line(frame, "grid", frame->left, at, frame->left + frame->width, at);
        text_begin(frame, "side", frame->left - 4, at + 4);
        put_label(frame->out, frame->y, first + i * step);
        buf_puts(frame->out, "</text>\n");
    }
    text_begin(frame, "head", 2, frame->top - 7);
    buf_printf(frame->out, "%s</text>\n", side);
}

void frame_path_begin(const struct frame *frame, const char *class, size_t arm) {
    buf_printf(frame->out, "<path class=\"%s a%zu\" d=\"", class, arm % 6);
}

void frame_path_to(const struct frame *frame, bool first, double x, double y) {
    buf_putc(frame->out, first ? 'M' : 'L');
    frame_put(frame->out, frame_x(frame, x));
    buf_putc(frame->out, ' ');
    frame_put(frame->out, frame_y(frame, y));
}

void frame_path_end(const struct frame *frame) {
    buf_puts(frame->out, "\"/>\n");
}

void frame_legend(struct buf *out, const struct analysis *analysis) {
    buf_puts(out, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < analysis->arm_count; i++) {
        buf_printf(out,
                   "<li><svg viewBox=\"0 0 30 8\" aria-hidden=\"true\"><path class=\"line a%zu\" "
                   "d=\"M0 4L30 4\"/></svg> ",
                   i % 6);
        escape_html(out, analysis->arms[i].name);
        buf_puts(out, "</li>\n");
    }
    buf_puts(out, "</ul>\n");
}
