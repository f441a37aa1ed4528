/* Differences, one at a time, become the wealth of a bettor who bets against a mean, and the
 * interval of all means that such bettors have not won against. */
#include "experiment/stat/sequence.h"

#include "experiment/stat/common.h"
#include "experiment/stat/stakes.h"

enum { FIRST_SIZE = 64 };

struct stat_betting_options stat_betting_defaults(void) {
    return (struct stat_betting_options){.alpha = 0.05, .m0 = 0, .theta = 0.5, .trunc = 0.5};
}

static double to_unit(double difference) {
    return (difference + 1) / 2;
}

/* ## Wealth */

/* What a round multiplies the wealth by of who bets that the mean is greater than m; `most` is the
 * largest stake. */
static double factor(double x, double lambda, double m, double most) {
    return 1 + (lambda < most ? lambda : most) * (x - m);
}

/* Whoever bets on "less" sees everything in a mirror. */
static struct stat_bet mirrored(struct stat_bet bet) {
    return (struct stat_bet){1 - bet.x, bet.lambda};
}

static double log_factor(struct stat_bet bet, double m, double trunc) {
    return log(factor(bet.x, bet.lambda, m, trunc / m));
}

/* ln of what K+ must reach for theta K+ to be 1 / alpha; `share` is theta, or 1 - theta for K-. */
static double goal_of(double share, double alpha) {
    return -log(share) - log(alpha);
}

/* ## Stepping */

static bool is_usable(const struct stat_betting_options *options) {
    return stat_is_share(options->alpha) && options->theta >= 0 && options->theta <= 1 &&
           options->trunc > 0 && options->trunc <= 1 && options->m0 >= -1 && options->m0 <= 1;
}

void stat_betting_init(struct stat_betting *betting, const struct stat_betting_options *options,
                       const gramc_allocator *allocator) {
    *betting = (struct stat_betting){
        .options = *options,
        .allocator = allocator ? *allocator : mem_default(),
    };
}

void stat_betting_free(struct stat_betting *betting) {
    mem_free(&betting->allocator, betting->bets, betting->size * sizeof *betting->bets);
    betting->bets = NULL;
    betting->count = betting->size = 0;
}

static bool make_room(struct stat_betting *betting) {
    gramc_allocator *memory = &betting->allocator;
    size_t size = betting->size ? betting->size * 2 : FIRST_SIZE;
    if (betting->count < betting->size) return true;
    if (size > SIZE_MAX / sizeof *betting->bets) return false;
    void *bets = memory->alloc(memory->ctx, betting->bets, betting->size * sizeof *betting->bets,
                               size * sizeof *betting->bets);
    if (!bets) return false;
    betting->bets = bets;
    betting->size = size;
    return true;
}

static double log_e(const struct stat_betting *betting) {
    double theta = betting->options.theta;
    double plus = log(theta) + betting->log_plus, minus = log1p(-theta) + betting->log_minus;
    double most = fmax(plus, minus), least = fmin(plus, minus);
    return isinf(most) ? most : most + log1p(exp(least - most));
}

static void step_end(struct stat_end *end, struct stat_bet bet, double goal, double trunc) {
    end->log_wealth += log_factor(bet, end->m, trunc);
    end->moved |= end->log_wealth >= goal;
}

gramc_status stat_betting_step(struct stat_betting *betting, double difference) {
    const struct stat_betting_options *options = &betting->options;
    double trunc = options->trunc, m0 = to_unit(options->m0);
    if (!(difference >= -1 && difference <= 1) || !is_usable(options)) return GRAMC_USAGE;
    if (!make_room(betting)) return GRAMC_NOMEM;
    struct stat_bet bet = {to_unit(difference),
                           stat_stake(betting->squares, betting->count, options->alpha)};
    betting->log_plus += log_factor(bet, m0, trunc);
    betting->log_minus += log_factor(mirrored(bet), 1 - m0, trunc);
    betting->greatest_log_e = fmax(betting->greatest_log_e, log_e(betting));
    step_end(&betting->low, bet, goal_of(options->theta, options->alpha), trunc);
    step_end(&betting->high, mirrored(bet), goal_of(1 - options->theta, options->alpha), trunc);
    stat_stake_learn(&betting->sum, &betting->squares, betting->count, bet.x);
    betting->bets[betting->count++] = bet;
    return GRAMC_OK;
}

struct stat_betting_values stat_betting_values(const struct stat_betting *betting) {
    double theta = betting->options.theta;
    return (struct stat_betting_values){
        .log_plus = betting->log_plus,
        .log_minus = betting->log_minus,
        .log_max = fmax(log(theta) + betting->log_plus, log1p(-theta) + betting->log_minus),
        .log_e = log_e(betting),
        .p = exp(-betting->greatest_log_e)};
}

/* ## The interval */

/* A number that neither overflows nor underflows: value times 1e200 to the power of `scale`. */
struct scaled {
    double value;
    int scale;
};

static struct scaled scaled(struct scaled number) {
    if (number.value < 1e-200) return (struct scaled){number.value * 1e200, number.scale - 1};
    if (number.value > 1e200) return (struct scaled){number.value * 1e-200, number.scale + 1};
    return number;
}

static double log_of(struct scaled number) {
    return log(number.value) + number.scale * 460.51701859880913680;
}

/* Who bets against m from the first item on: ln of the wealth at the end, or INFINITY as soon as
 * it has reached the goal (ln too), if `at_once`. */
static double replay(const struct stat_betting *betting, double m, bool mirror, double goal,
                     bool at_once) {
    struct scaled wealth = {1, 0};
    double most = betting->options.trunc / m, wanted = exp(goal);
    for (size_t i = 0; i < betting->count; i++) {
        struct stat_bet bet = betting->bets[i];
        wealth.value *= factor(mirror ? 1 - bet.x : bet.x, bet.lambda, m, most);
        if (wealth.value < 1e-200 || wealth.value > 1e200) wealth = scaled(wealth);
        if (at_once && wealth.value >= wanted && wealth.scale >= 0) return INFINITY;
    }
    return log_of(wealth);
}

/* The least m from `low` on whose bettor has not reached the goal. */
static struct stat_end find_end(const struct stat_betting *betting, double low, bool mirror,
                                double goal, bool at_once) {
    struct stat_end end = {.m = 1, .log_wealth = replay(betting, 1, mirror, goal, at_once)};
    while (end.m - low > 1e-16) {
        double middle = low + (end.m - low) / 2;
        if (middle == low || middle == end.m) break;
        double log_wealth = replay(betting, middle, mirror, goal, at_once);
        if (log_wealth >= goal) low = middle;
        else end = (struct stat_end){.m = middle, .log_wealth = log_wealth};
    }
    return end;
}

static struct stat_interval to_differences(double low, double mirrored_high) {
    return (struct stat_interval){2 * low - 1, 1 - 2 * mirrored_high};
}

struct stat_interval stat_betting_interval(struct stat_betting *betting) {
    double theta = betting->options.theta, alpha = betting->options.alpha;
    if (!is_usable(&betting->options)) return stat_no_interval();
    if (betting->low.moved)
        betting->low = find_end(betting, betting->low.m, false, goal_of(theta, alpha), true);
    if (betting->high.moved)
        betting->high = find_end(betting, betting->high.m, true, goal_of(1 - theta, alpha), true);
    return to_differences(betting->low.m, betting->high.m);
}

/* 0 if even the bettor against 0, who cannot lose, has not reached the goal. */
static double end_now(const struct stat_betting *betting, bool mirror, double goal) {
    if (replay(betting, 0, mirror, goal, false) < goal) return 0;
    return find_end(betting, 0, mirror, goal, false).m;
}

struct stat_interval stat_betting_interval_now(const struct stat_betting *betting) {
    double theta = betting->options.theta, alpha = betting->options.alpha;
    if (!is_usable(&betting->options)) return stat_no_interval();
    return to_differences(end_now(betting, false, goal_of(theta, alpha)),
                          end_now(betting, true, goal_of(1 - theta, alpha)));
}
