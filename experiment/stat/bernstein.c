/* Differences, one at a time, become an empirical Bernstein interval that holds at every moment. */
#include "experiment/stat/sequence.h"

#include "experiment/stat/common.h"
#include "experiment/stat/stakes.h"

void stat_bernstein_init(struct stat_bernstein *bernstein, double alpha) {
    *bernstein = (struct stat_bernstein){.alpha = alpha, .running = {0, 1}};
}

static struct stat_interval now(const struct stat_bernstein *bernstein) {
    double center = bernstein->staked / bernstein->stakes;
    double radius = (log(2 / bernstein->alpha) + bernstein->penalty) / bernstein->stakes;
    return (struct stat_interval){center - radius, center + radius};
}

bool stat_bernstein_step(struct stat_bernstein *bernstein, double difference) {
    double x = (difference + 1) / 2, count = (double)bernstein->count;
    if (!(difference >= -1 && difference <= 1) || !stat_is_share(bernstein->alpha)) return false;
    double mean = bernstein->count ? bernstein->sum / count : 0.5;
    double lambda = fmin(0.5, stat_stake(bernstein->squares, bernstein->count, bernstein->alpha));
    bernstein->stakes += lambda;
    bernstein->staked += lambda * x;
    bernstein->penalty += (x - mean) * (x - mean) * (-log1p(-lambda) - lambda);
    stat_stake_learn(&bernstein->sum, &bernstein->squares, bernstein->count, x);
    bernstein->count++;
    struct stat_interval last = now(bernstein);
    bernstein->running.low = fmax(bernstein->running.low, last.low);
    bernstein->running.high = fmin(bernstein->running.high, last.high);
    return true;
}

struct stat_bernstein_values stat_bernstein_values(const struct stat_bernstein *bernstein) {
    struct stat_bernstein_values out = {NAN, INFINITY, {-1, 1}};
    if (bernstein->count == 0) return out;
    struct stat_interval last = now(bernstein), running = bernstein->running;
    out.center = last.low + last.high - 1; /* 2 m - 1 */
    out.radius = last.high - last.low;
    out.interval = (struct stat_interval){2 * running.low - 1, 2 * running.high - 1};
    return out;
}
