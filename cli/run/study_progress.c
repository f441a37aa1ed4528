/* Shows how far an experiment is. A confidence sequence may be looked at whenever one likes, so the
 * running estimate of a sequential experiment is shown. The interval of a fixed number of cases may
 * not: who looks and stops when it pleases finds differences where there are none. Such experiments
 * show none. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/study_progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

enum { SHOW_MS = 200, LINE_MOST = 2000, COLUMNS = 80 };

static uint64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void study_progress_init(struct study_progress *progress, const struct cli *cli,
                         gramc_text metric) {
    bool shows = !cli->options[OPTION_QUIET] && isatty(fileno(cli->err)) == 1;
    *progress = (struct study_progress){.cli = cli, .shows = shows, .metric = metric};
}

/* ## The line */

static void put_rest(struct buf *out, double seconds) {
    if (seconds < 90) buf_printf(out, ", about %.0f s left", seconds);
    else if (seconds < 5400) buf_printf(out, ", about %.0f min left", seconds / 60);
    else buf_printf(out, ", about %.1f h left", seconds / 3600);
}

static void put_pace(struct buf *out, const struct engine_progress *at, uint64_t now, bool brief) {
    uint64_t passed = now > at->started_ms ? now - at->started_ms : 0;
    uint64_t over = at->done + at->missing;
    if (passed < 1000 || !at->now) return;
    double rate = (double)at->now * 1000 / (double)passed;
    if (!brief) buf_printf(out, rate < 10 ? ", %.2g/s" : ", %.0f/s", rate);
    if (over < at->cells) put_rest(out, (double)(at->cells - over) / rate);
}

static void put_trouble(struct buf *out, const struct engine_progress *at) {
    if (at->missing) buf_printf(out, ", %llu missing", (unsigned long long)at->missing);
    if (at->retried) buf_printf(out, ", %llu tried again", (unsigned long long)at->retried);
}

static void put_estimate(struct buf *out, const struct study_progress *progress) {
    struct stop_estimate estimate;
    if (!progress->stop) {
        buf_puts(out, "; no estimate before the end");
        return;
    }
    if (!stop_estimate(progress->stop, 1, &estimate)) {
        buf_puts(out, "; no estimate yet");
        return;
    }
    buf_printf(out, "; %.*s after %u:", TEXT_ARGS(progress->metric), (unsigned)estimate.items);
    for (uint32_t arm = 1; stop_estimate(progress->stop, arm, &estimate); arm++)
        buf_printf(out, "%s %.*s %+.1f pp (%+.1f to %+.1f)", arm > 1 ? "," : "",
                   TEXT_ARGS(estimate.arm), 100 * estimate.mean, 100 * estimate.interval.low,
                   100 * estimate.interval.high);
}

static void put_line(struct buf *out, const struct study_progress *progress,
                     const struct engine_progress *at, uint64_t now, bool brief) {
    buf_printf(out, "%llu of %llu runs", (unsigned long long)(at->done + at->missing),
               (unsigned long long)at->cells);
    put_pace(out, at, now, brief);
    if (at->cost > 0) buf_printf(out, ", cost %.3g", at->cost);
    if (at->judge_cost > 0 && !brief) buf_printf(out, ", judges %.3g", at->judge_cost);
    if (!brief) put_trouble(out, at);
    put_estimate(out, progress);
}

/* ## On the terminal */

static size_t columns_of(FILE *file) {
    struct winsize size;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) || !size.ws_col) return COLUMNS;
    return size.ws_col;
}

/* A line that wraps could not be written over. */
static gramc_text cut(gramc_text line, size_t columns) {
    size_t end = 0;
    for (size_t i = 1; i < columns && end < line.len; i++) text_decode(line, &end);
    return text_slice(line, 0, end);
}

void study_progress_show(struct study_progress *progress, const struct engine_progress *at) {
    uint64_t now = progress->shows ? clock_ms() : 0;
    FILE *err = progress->cli->err;
    struct buf line;
    if (!progress->shows || (progress->shown_at_ms && now - progress->shown_at_ms < SHOW_MS))
        return;
    size_t columns = columns_of(err);
    buf_init(&line, &progress->cli->allocator, LINE_MOST);
    put_line(&line, progress, at, now, false);
    if (text_length(buf_view(&line)) >= columns) {
        buf_reset(&line);
        put_line(&line, progress, at, now, true);
    }
    fputs("\r\033[K", err);
    cli_put_safe(err, cut(buf_view(&line), columns));
    fflush(err);
    buf_free(&line);
    progress->shown_at_ms = now;
}

void study_progress_hide(const struct study_progress *progress) {
    if (progress->shows) fputs("\r\033[K", progress->cli->err);
}
