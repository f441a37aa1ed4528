/* What must hold of statistics whatever the numbers: intervals hold their estimate and their
 * coverage, arms can change places, order does not matter, sequences step as they compute at once,
 * and what makes no sense is NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <math.h>

#include "experiment/stat/stat.h"

static bool is_no_interval(struct stat_interval interval) {
    return isnan(interval.low) && isnan(interval.high);
}

static bool holds(struct stat_interval interval, double value) {
    return interval.low <= value + 1e-12 && value <= interval.high + 1e-12;
}

static bool within(struct stat_interval inner, struct stat_interval outer) {
    return outer.low <= inner.low + 1e-12 && inner.high <= outer.high + 1e-12;
}

static bool mirrored(struct stat_interval a, struct stat_interval b) {
    return fabs(a.low + b.high) < 1e-12 && fabs(a.high + b.low) < 1e-12;
}

/* ## Intervals of rates and of pairs, over all small tables */

static void rates(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 40; n++)
        for (uint64_t k = 0; k <= n; k++) {
            double rate = (double)k / (double)n;
            struct stat_interval wilson = stat_wilson(k, n, 0.95), last = wilson;
            struct stat_interval exact = stat_clopper_pearson(k, n, 0.95);
            struct stat_interval other = stat_wilson(n - k, n, 0.95);
            struct stat_interval sequence = stat_rate_sequence(k, n, 0.05);
            assert_true(holds(wilson, rate) && holds(exact, rate) && holds(sequence, rate));
            assert_true(wilson.low >= 0 && wilson.high <= 1 && exact.low >= 0 && exact.high <= 1);
            assert_true(fabs(wilson.low + other.high - 1) < 1e-14);
            /* What holds at any time is wider than what holds at one. */
            assert_true(within(exact, sequence));
            for (double confidence = 0.9; confidence > 0.05; confidence -= 0.1) {
                struct stat_interval narrower = stat_wilson(k, n, confidence);
                assert_true(within(narrower, last));
                last = narrower;
            }
        }
    assert_true(stat_wilson(0, 9, 0.95).low == 0 && stat_wilson(9, 9, 0.95).high == 1);
}

/* P(interval holds the rate), over all outcomes of n trials. */
static double coverage_of_rate(struct stat_interval (*interval)(uint64_t, uint64_t, double),
                               uint64_t n, double rate) {
    double coverage = 0;
    for (uint64_t k = 0; k <= n; k++)
        if (holds(interval(k, n, 0.95), rate))
            coverage += stat_binomial_pmf((double)k, (double)n, rate);
    return coverage;
}

static void coverage_of_rates(void **state) {
    double mean = 0, least = 1;
    (void)state;
    for (int i = 1; i < 100; i++) {
        assert_true(coverage_of_rate(stat_clopper_pearson, 20, i / 100.) >= 0.95);
        double wilson = coverage_of_rate(stat_wilson, 20, i / 100.);
        mean += wilson / 99;
        least = fmin(least, wilson);
    }
    assert_true(mean > 0.945 && mean < 0.965);
    assert_true(least > 0.83);
}

static void pairs(void **state) {
    (void)state;
    for (uint64_t e = 0; e <= 6; e++)
        for (uint64_t f = 0; f <= 6; f++)
            for (uint64_t g = 0; g <= 6; g++)
                for (uint64_t h = 0; h <= 6; h++) {
                    struct stat_pairs table = {e, f, g, h}, swapped = {e, g, f, h};
                    if (e + f + g + h == 0) continue;
                    double difference = stat_pairs_difference(table);
                    struct stat_interval tango = stat_tango(table, 0.95);
                    struct stat_interval newcombe = stat_newcombe_paired(table, 0.95, NULL);
                    assert_true(holds(tango, difference) && holds(newcombe, difference));
                    assert_true(tango.low >= -1 && tango.high <= 1);
                    assert_true(mirrored(tango, stat_tango(swapped, 0.95)));
                    assert_true(mirrored(newcombe, stat_newcombe_paired(swapped, 0.95, NULL)));
                    assert_true(within(stat_tango(table, 0.8), tango));
                }
}

/* P(interval holds the true difference) over all tables of n pairs. */
static double coverage_of_pairs(uint64_t n, double both, double first, double second,
                                bool newcombe) {
    double coverage = 0, neither = 1 - both - first - second;
    for (uint64_t e = 0; e <= n; e++)
        for (uint64_t f = 0; e + f <= n; f++)
            for (uint64_t g = 0; e + f + g <= n; g++) {
                uint64_t h = n - e - f - g;
                struct stat_pairs table = {e, f, g, h};
                double log_chance = stat_log_gamma((double)n + 1) - stat_log_gamma((double)e + 1) -
                                    stat_log_gamma((double)f + 1) - stat_log_gamma((double)g + 1) -
                                    stat_log_gamma((double)h + 1) + (double)e * log(both) +
                                    (double)f * log(first) + (double)g * log(second) +
                                    (double)h * log(neither);
                struct stat_interval interval =
                    newcombe ? stat_newcombe_paired(table, 0.95, NULL) : stat_tango(table, 0.95);
                if (log_chance > -35 && holds(interval, first - second))
                    coverage += exp(log_chance);
            }
    return coverage;
}

static void coverage_of_differences(void **state) {
    (void)state;
    double tango = coverage_of_pairs(20, 0.9, 0.04, 0.02, false);
    double newcombe = coverage_of_pairs(20, 0.9, 0.04, 0.02, true);
    assert_true(fabs(tango - 0.999) < 0.001 && fabs(newcombe - 0.999) < 0.001);
    assert_true(coverage_of_pairs(15, 0.4, 0.3, 0.1, false) > 0.93);
}

/* p <= alpha happens in at most a share alpha of all tables under the null. */
static void levels(void **state) {
    (void)state;
    for (double m = 1; m <= 60; m++) {
        double exact = 0, mid = 0;
        for (uint64_t b = 0; (double)b <= m; b++) {
            uint64_t c = (uint64_t)m - b;
            double chance = stat_binomial_pmf((double)b, m, 0.5);
            double p = stat_mcnemar_exact(b, c), q = stat_mcnemar_mid_p(b, c);
            assert_true(p == stat_mcnemar_exact(c, b) && q <= p && p <= 1);
            if (p <= 0.05) exact += chance;
            if (q <= 0.05) mid += chance;
        }
        assert_true(exact <= 0.05);
        assert_true(mid < 0.0769); /* given m, mid-p exceeds its level a little: most for m = 16 */
    }
}

/* ## Order, arms and units do not matter */

enum { ITEMS = 12 };

static void make_differences(double out[ITEMS], uint64_t seed) {
    struct stat_random random = stat_random_seeded(seed);
    for (size_t i = 0; i < ITEMS; i++)
        out[i] = (double)stat_random_below(&random, 2001) / 1000 - 0.8;
}

static void shuffle(double items[ITEMS], uint64_t seed) {
    size_t order[ITEMS];
    double copy[ITEMS];
    memcpy(copy, items, sizeof copy);
    stat_random_order(seed, order, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) items[i] = copy[order[i]];
}

static void close_to(double a, double b) {
    assert_true(fabs(a - b) <= 1e-12 * fmax(1, fabs(a)));
}

static void order_of_items(void **state) {
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    for (uint64_t seed = 0; seed < 20; seed++) {
        double d[ITEMS], moved[ITEMS], negated[ITEMS];
        make_differences(d, seed);
        memcpy(moved, d, sizeof d);
        shuffle(moved, seed + 1);
        for (size_t i = 0; i < ITEMS; i++) negated[i] = -d[i];
        struct stat_sides a = stat_sign_flip_exact(&arena, d, ITEMS);
        struct stat_sides b = stat_sign_flip_exact(&arena, moved, ITEMS);
        struct stat_sides c = stat_sign_flip_exact(&arena, negated, ITEMS);
        close_to(a.two_sided, b.two_sided);
        close_to(a.greater, b.greater);
        close_to(a.two_sided, c.two_sided);
        assert_true(a.greater + c.greater >= 1);
        struct stat_wilcoxon v = stat_wilcoxon(&arena, d, ITEMS, STAT_ZEROS_WILCOX, ITEMS);
        struct stat_wilcoxon w = stat_wilcoxon(&arena, negated, ITEMS, STAT_ZEROS_WILCOX, ITEMS);
        close_to(v.exact, w.exact);
        close_to(v.normal, w.normal);
        close_to(v.rank_sum + w.rank_sum, ITEMS * (ITEMS + 1) / 2.);
        struct stat_mean t = stat_paired_t(d, ITEMS, 0.9), u = stat_paired_t(negated, ITEMS, 0.9);
        close_to(t.p, u.p);
        assert_true(mirrored(t.interval, u.interval) && holds(t.interval, t.mean));
        /* The exact test, and the same from 20,000 draws: within four standard errors. */
        double drawn = stat_sign_flip(d, ITEMS, 20000, seed).two_sided;
        assert_true(fabs(drawn - a.two_sided) <
                    4 * sqrt(a.two_sided * (1 - a.two_sided) / 20000) + 1e-3);
        arena_reset(&arena);
    }
    arena_free(&arena);
}

/* The two exact ways of flipping signs agree: multiples of a unit, and the same a little off. */
static void two_ways_of_flipping(void **state) {
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    for (uint64_t seed = 0; seed < 10; seed++) {
        double whole[30], off[30];
        struct stat_random random = stat_random_seeded(seed);
        for (size_t i = 0; i < 30; i++) {
            whole[i] = (double)stat_random_below(&random, 9) - 3.0;
            /* Below the tolerance for ties, above that for units. */
            off[i] = whole[i] * (1 + (i % 2 ? 3e-9 : 0));
        }
        double units = stat_sign_flip_exact(&arena, whole, 30).two_sided;
        double halves = stat_sign_flip_exact(&arena, off, 30).two_sided;
        /* Ties are torn by the 3e-9, so that only the order of magnitude is the same. */
        assert_true(fabs(units - halves) < 0.1 && halves > 0);
        arena_reset(&arena);
    }
    double distinct[41];
    for (size_t i = 0; i < 41; i++) distinct[i] = sqrt((double)i + 2);
    assert_true(stat_sign_flip_exact(&arena, distinct, 40).two_sided == 0x1p-39);
    assert_true(isnan(stat_sign_flip_exact(&arena, distinct, 41).two_sided));
    arena_free(&arena);
}

static double median_of(void *ctx, const size_t *items, size_t count) {
    const double *values = ctx;
    struct arena arena;
    arena_init(&arena, NULL);
    double *drawn = arena_array(&arena, count, sizeof *drawn);
    assert_non_null(drawn);
    for (size_t i = 0; i < count; i++) drawn[i] = values[items[i]];
    assert_true(stat_sort(&arena, drawn, count));
    double median = stat_quantile(drawn, count, 0.5);
    arena_free(&arena);
    return median;
}

static void bootstraps(void **state) {
    struct arena arena;
    double d[ITEMS], twice[2 * ITEMS];
    uint64_t cluster[2 * ITEMS];
    (void)state;
    arena_init(&arena, NULL);
    make_differences(d, 4);
    struct stat_bootstrap plan = {
        .count = ITEMS, .values = d, .draws = 20000, .seed = 1, .confidence = 0.95};
    struct stat_bootstrapped percentile = stat_bootstrap(&arena, &plan);
    struct stat_mean t = stat_paired_t(d, ITEMS, 0.95);
    /* SE -> sqrt(sum (x - mean)^2) / n */
    assert_true(fabs(percentile.se / (t.se * sqrt((ITEMS - 1.) / ITEMS)) - 1) < 0.02);
    assert_true(stat_bootstrap(&arena, &plan).interval.low == percentile.interval.low);
    plan.kind = STAT_BCA;
    assert_true(holds(stat_bootstrap(&arena, &plan).interval, t.mean));
    /* Each item twice in a cluster of its own is no more than each item once. */
    for (size_t i = 0; i < 2 * ITEMS; i++) twice[i] = d[i % ITEMS], cluster[i] = 100 - i % ITEMS;
    plan = (struct stat_bootstrap){.count = 2 * ITEMS,
                                   .values = twice,
                                   .cluster = cluster,
                                   .draws = 20000,
                                   .seed = 1,
                                   .confidence = 0.95};
    assert_true(fabs(stat_bootstrap(&arena, &plan).se / percentile.se - 1) < 0.03);
    plan = (struct stat_bootstrap){.count = ITEMS,
                                   .statistic = median_of,
                                   .ctx = d,
                                   .draws = 500,
                                   .seed = 1,
                                   .confidence = 0.9};
    size_t all[ITEMS];
    for (size_t i = 0; i < ITEMS; i++) all[i] = i;
    struct stat_bootstrapped median = stat_bootstrap(&arena, &plan);
    assert_true(median.estimate == median_of(d, all, ITEMS));
    assert_true(holds(median.interval, median.estimate));
    /* All alike: a point. */
    for (size_t i = 0; i < ITEMS; i++) d[i] = 0.25;
    plan = (struct stat_bootstrap){
        .count = ITEMS, .values = d, .draws = 100, .seed = 1, .confidence = 0.9, .kind = STAT_BCA};
    struct stat_bootstrapped point = stat_bootstrap(&arena, &plan);
    assert_true(point.interval.low == 0.25 && point.interval.high == 0.25 && point.se == 0);
    arena_free(&arena);
}

/* Clusters of one are no clusters; CR1 is then the usual standard error. */
static void clusters_of_one(void **state) {
    struct arena arena;
    double d[ITEMS];
    uint64_t cluster[ITEMS];
    (void)state;
    arena_init(&arena, NULL);
    make_differences(d, 9);
    for (size_t i = 0; i < ITEMS; i++) cluster[i] = 1000 - 7 * i;
    struct stat_clustered clustered = stat_clustered_mean(&arena, d, cluster, ITEMS, 0.95);
    struct stat_mean t = stat_paired_t(d, ITEMS, 0.95);
    close_to(clustered.se_cr1, t.se);
    close_to(clustered.interval.low, t.interval.low);
    assert_int_equal(clustered.clusters, ITEMS);
    arena_free(&arena);
}

/* ## Several tests: no adjustment is below its p, Holm not above Bonferroni, order is kept */

static void adjustments(void **state) {
    struct arena arena;
    struct stat_random random = stat_random_seeded(11);
    (void)state;
    arena_init(&arena, NULL);
    for (size_t round = 0; round < 200; round++) {
        double p[ITEMS], out[5][ITEMS];
        for (size_t i = 0; i < ITEMS; i++) p[i] = pow(stat_random_unit(&random), 3);
        for (int how = STAT_HOLM; how <= STAT_BY; how++)
            assert_true(stat_adjust(&arena, out[how], p, ITEMS, (enum stat_adjustment)how));
        for (size_t i = 0; i < ITEMS; i++) {
            for (int how = STAT_HOLM; how <= STAT_BY; how++) {
                assert_true(out[how][i] >= p[i] - 1e-15 && out[how][i] <= 1);
                for (size_t j = 0; j < ITEMS; j++)
                    assert_true(p[i] > p[j] || out[how][i] <= out[how][j]);
            }
            assert_true(out[STAT_HOCHBERG][i] <= out[STAT_HOLM][i]);
            assert_true(out[STAT_HOLM][i] <= out[STAT_BONFERRONI][i]);
            assert_true(out[STAT_BH][i] <= out[STAT_HOCHBERG][i]);
            assert_true(out[STAT_BH][i] <= out[STAT_BY][i]);
        }
        arena_reset(&arena);
    }
    arena_free(&arena);
}

/* ## Power */

static void powers(void **state) {
    (void)state;
    double n = stat_items_two_rates(0.5, 0.75, 0.05, 0.9);
    close_to(stat_power_two_rates(n, 0.5, 0.75, 0.05, false), 0.9);
    close_to(stat_power_two_rates(n, 0.75, 0.5, 0.05, false), 0.9);
    assert_true(isinf(stat_items_two_rates(0.3, 0.3, 0.05, 0.8)));
    assert_true(isinf(stat_items_mcnemar(0.1, 0.1, 0.05, 0.8)));
    double pairs_needed = stat_items_mcnemar(0.2, 0.05, 0.05, 0.8);
    struct stat_mcnemar_power at =
        stat_power_mcnemar((uint64_t)ceil(pairs_needed), 0.2, 0.05, 0.05);
    assert_true(at.mid_p > 0.75 && at.mid_p < 0.85 && at.exact < at.mid_p);
    double last = 0;
    for (uint64_t i = 10; i <= 300; i += 10) {
        double power = stat_power_mcnemar(i, 0.2, 0.05, 0.05).mid_p;
        assert_true(power > last - 0.02);
        last = power;
    }
    assert_true(last > 0.9999 - 0.001);
    /* n detects just the difference that takes n. */
    struct stat_variances variances = {.between = 0.25};
    double mde = stat_detectable(100, 0.5, 0.05, 0.8);
    close_to(stat_items_repeats(variances, 1, 1, mde, 0.05, 0.8), 100);
}

/* ## Sequences */

static double difference_at(struct stat_random *random, double first, double second) {
    double u = stat_random_unit(random);
    return u < first ? 1 : u < first + second ? -1 : 0;
}

/* Asked at every step or at the end, the interval is the same; it only shrinks; it is inside of
 * what the last step alone gives, joined with all before. */
static void steps(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct stat_random random = stat_random_seeded(seed);
        struct stat_betting_options options = stat_betting_defaults();
        struct stat_betting often, once;
        struct stat_interval last = {-1, 1}, joined = {-1, 1};
        stat_betting_init(&often, &options, NULL);
        stat_betting_init(&once, &options, NULL);
        for (int i = 0; i < 200; i++) {
            double d =
                seed % 2 ? difference_at(&random, 0.4, 0.1) : 2 * stat_random_unit(&random) - 1;
            assert_int_equal(stat_betting_step(&often, d), GRAMC_OK);
            assert_int_equal(stat_betting_step(&once, d), GRAMC_OK);
            struct stat_interval interval = stat_betting_interval(&often);
            struct stat_interval now = stat_betting_interval_now(&often);
            joined.low = fmax(joined.low, now.low);
            joined.high = fmin(joined.high, now.high);
            assert_true(within(interval, last));
            assert_true(fabs(interval.low - joined.low) < 1e-12);
            assert_true(fabs(interval.high - joined.high) < 1e-12);
            last = interval;
        }
        struct stat_interval end = stat_betting_interval(&once);
        assert_true(fabs(end.low - last.low) < 1e-12 && fabs(end.high - last.high) < 1e-12);
        /* Mean 0 is outside exactly when a bettor against it has won. */
        bool out = end.low > 0 || end.high < 0;
        double log_most = 0, plus = 0, minus = 0;
        for (size_t i = 0; i < once.count; i++) {
            double stake = fmin(once.bets[i].lambda, 1), x = once.bets[i].x - 0.5;
            plus += log1p(stake * x);
            minus += log1p(-stake * x);
            log_most = fmax(log_most, fmax(plus, minus));
        }
        assert_true(out == (log_most >= log(40)));
        stat_betting_free(&often);
        stat_betting_free(&once);
    }
}

static void refused_steps(void **state) {
    struct stat_betting betting;
    struct stat_betting_options options = stat_betting_defaults();
    struct stat_bernstein bernstein;
    (void)state;
    stat_betting_init(&betting, &options, NULL);
    assert_int_equal(stat_betting_step(&betting, 1.01), GRAMC_USAGE);
    assert_int_equal(stat_betting_step(&betting, NAN), GRAMC_USAGE);
    assert_int_equal(betting.count, 0);
    assert_true(stat_betting_interval(&betting).low == -1);
    assert_true(stat_betting_values(&betting).log_e == 0 && stat_betting_values(&betting).p == 1);
    stat_betting_free(&betting);
    options.alpha = 0;
    stat_betting_init(&betting, &options, NULL);
    assert_int_equal(stat_betting_step(&betting, 0.5), GRAMC_USAGE);
    assert_true(is_no_interval(stat_betting_interval(&betting)));
    stat_betting_free(&betting);
    stat_bernstein_init(&bernstein, 0.05);
    assert_false(stat_bernstein_step(&bernstein, -2));
    assert_int_equal(bernstein.count, 0);
}

/* 100,000 items: a step takes no longer than the first, and the interval some passes. */
static void many_steps(void **state) {
    struct stat_random random = stat_random_seeded(3);
    struct stat_betting_options options = stat_betting_defaults();
    struct stat_betting betting;
    (void)state;
    stat_betting_init(&betting, &options, NULL);
    clock_t start = clock();
    for (int i = 0; i < 100000; i++)
        assert_int_equal(stat_betting_step(&betting, difference_at(&random, 0.12, 0.1)), GRAMC_OK);
    clock_t stepped = clock();
    struct stat_interval interval = stat_betting_interval(&betting);
    clock_t asked = clock();
    double steps_ms = 1e3 * (double)(stepped - start) / CLOCKS_PER_SEC;
    double interval_ms = 1e3 * (double)(asked - stepped) / CLOCKS_PER_SEC;
    print_message("100,000 steps: %.1f ms; their interval: %.1f ms\n", steps_ms, interval_ms);
    assert_true(holds(interval, 0.02) && interval.high - interval.low < 0.02);
    assert_true(steps_ms < 2000 && interval_ms < 4000);
    stat_betting_free(&betting);
}

static void processes(void **state) {
    struct stat_pairs_process process;
    struct stat_random random = stat_random_seeded(5);
    double greatest = 0;
    (void)state;
    stat_pairs_process_init(&process);
    assert_true(process.now.e == 1 && process.now.p == 1);
    for (int i = 0; i < 500; i++) {
        stat_pairs_process_step(&process, stat_random_unit(&random) < 0.7,
                                stat_random_unit(&random) < 0.5);
        greatest = fmax(greatest, process.now.log_e);
        struct stat_evalue once = stat_pairs_evalue(process.only_first, process.only_second, 1, 1);
        assert_true(once.e == process.now.e && process.greatest_log_e == greatest);
    }
    assert_true(process.now.p < 1e-4);
    /* The mean of E over all outcomes is 1: an e-value indeed. */
    for (uint64_t m = 0; m <= 40; m += 8) {
        double mean = 0;
        for (uint64_t b = 0; b <= m; b++)
            mean += stat_binomial_pmf((double)b, (double)m, 0.5) *
                    stat_pairs_evalue(b, m - b, 0.5, 2).e;
        close_to(mean, 1);
    }
}

/* ## Verdicts */

static void verdicts(void **state) {
    struct stat_goal goal = {.margin = 0.05};
    (void)state;
    /* 200 pairs, a difference of 0.01 +- 0.07: nothing is known. */
    struct stat_interval wide = {-0.06, 0.08};
    assert_int_equal(stat_verdict(wide, goal), STAT_INCONCLUSIVE);
    double n = stat_items_needed(0.01, wide, 200, goal, 0.95, 0.5);
    /* At that n the lower end stands at -margin. */
    assert_true(n == ceil(200 * pow(0.07 / 0.06, 2)));
    double shrunk = 0.07 * sqrt(200 / (n + 1));
    assert_int_equal(stat_verdict((struct stat_interval){0.01 - shrunk, 0.01 + shrunk}, goal),
                     STAT_NONINFERIOR);
    assert_true(stat_items_needed(0.01, wide, 200, goal, 0.95, 0.8) > 1.9 * n);
    /* Below -margin it is a regression that is near. */
    struct stat_interval low = {-0.16, 0.02};
    n = stat_items_needed(-0.07, low, 200, goal, 0.95, 0.5);
    assert_true(fabs(n - 200 * pow(0.09 / 0.02, 2)) <= 1);
    assert_true(isinf(stat_items_needed(-0.05, low, 200, goal, 0.95, 0.5)));
    /* Mirrors: lower is better; a ratio below 1. */
    struct stat_goal cost = {.margin = 0.1, .lower_is_better = true, .ratio = true};
    assert_int_equal(stat_verdict((struct stat_interval){0.7, 0.9}, cost), STAT_SUPERIOR);
    assert_int_equal(stat_verdict((struct stat_interval){1.11, 1.3}, cost), STAT_REGRESSION);
    assert_int_equal(stat_verdict((struct stat_interval){0.95, 1.05}, cost), STAT_EQUIVALENT);
    assert_true(stat_items_needed(1, (struct stat_interval){0.8, 1.25}, 50, cost, 0.95, 0.5) >
                50 * pow(log(1.25) / log(1.1), 2) - 1);
    assert_int_equal(stat_verdict((struct stat_interval){NAN, NAN}, goal), STAT_INCONCLUSIVE);
    assert_int_equal(stat_verdict((struct stat_interval){0.2, 0.1}, goal), STAT_INCONCLUSIVE);
    assert_true(isnan(stat_items_needed(NAN, low, 200, goal, 0.95, 0.5)));
    for (int i = STAT_INCONCLUSIVE; i <= STAT_REGRESSION; i++)
        assert_true(strlen(stat_verdict_name((enum stat_verdict)i)) > 5);
}

/* ## What makes no sense */

static void nonsense(void **state) {
    struct arena arena;
    const double nan_in[] = {1, NAN, 2}, negative[] = {1, -1}, fine[] = {1, 2};
    double out[3];
    const uint64_t counts[] = {1, 2};
    struct stat_pairs table = {5, 3, 2, 4}, none = {0, 0, 0, 0};
    (void)state;
    arena_init(&arena, NULL);
    const double bad[] = {0, 1, -1, 2, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(is_no_interval(stat_wilson(1, 2, bad[i])));
        assert_true(is_no_interval(stat_clopper_pearson(1, 2, bad[i])));
        assert_true(is_no_interval(stat_newcombe_unpaired(1, 2, 1, 2, bad[i])));
        assert_true(is_no_interval(stat_tango(table, bad[i])));
        assert_true(is_no_interval(stat_newcombe_paired(table, bad[i], NULL)));
        assert_true(is_no_interval(stat_rate_sequence(1, 2, bad[i])));
        assert_true(is_no_interval(stat_paired_t(fine, 2, bad[i]).interval));
        assert_true(isnan(stat_normal_mixture_radius(5, 0.1, bad[i])));
        assert_true(isnan(stat_asymptotic_radius(1, 5, 5, bad[i]).radius));
        assert_true(isnan(stat_items_two_rates(0.2, 0.3, bad[i], 0.8)));
        assert_true(isnan(stat_items_mcnemar(0.2, 0.3, 0.05, bad[i])));
        assert_true(isnan(stat_power_mcnemar(9, 0.2, 0.3, bad[i]).exact));
    }
    assert_true(is_no_interval(stat_wilson(3, 2, 0.95)));
    assert_true(is_no_interval(stat_clopper_pearson(3, 2, 0.95)));
    assert_true(is_no_interval(stat_rate_sequence(3, 2, 0.05)));
    assert_true(stat_tango(none, 0.95).low == -1 && stat_tango(none, 0.95).high == 1);
    assert_true(isnan(stat_pairs_difference(none)));
    assert_true(isnan(stat_paired_t(nan_in, 3, 0.95).p));
    assert_true(isnan(stat_paired_t(fine, 0, 0.95).mean));
    assert_true(isnan(stat_geometric_ratio(fine, negative, 2, 0.95).mean));
    assert_true(isnan(stat_geometric_ratio(fine, (const double[]){0, 1}, 2, 0.95).mean));
    assert_true(isnan(stat_sign_flip_exact(&arena, nan_in, 3).two_sided));
    assert_true(isnan(stat_sign_flip(nan_in, 3, 10, 1).greater));
    assert_true(isnan(stat_wilcoxon(&arena, nan_in, 3, STAT_ZEROS_PRATT, 3).exact));
    assert_true(isnan(stat_bootstrap_exhaustive(&arena, nan_in, 3, 0.9).se));
    struct stat_bootstrap plan = {.count = 3, .values = nan_in, .draws = 5, .confidence = 0.9};
    assert_true(isnan(stat_bootstrap(&arena, &plan).se));
    assert_false(stat_adjust(&arena, out, nan_in, 3, STAT_BH));
    assert_true(isnan(stat_quantile(fine, 2, 1.1)) && isnan(stat_quantile(fine, 0, 0.5)));
    assert_false(stat_sort(&arena, (double[]){1, NAN}, 2));
    assert_true(isnan(stat_quantile_ranks(5, NAN, 0.9).coverage));
    assert_true(isnan(stat_pass(3, 4, 1).at_k) && isnan(stat_pass(3, 1, 4).hat_k));
    assert_true(isnan(stat_ratio_mismatch(counts, negative, 2).p));
    assert_true(isnan(stat_ratio_mismatch(counts, nan_in, 2).p));
    assert_true(isnan(stat_pairs_evalue(1, 2, 0, 1).e));
    assert_true(isnan(stat_detectable(0, 1, 0.05, 0.8)));
    assert_true(isnan(stat_power_two_rates(5, 1.2, 0.5, 0.05, true)));
    assert_true(isnan(stat_power_mcnemar(5, 0.6, 0.6, 0.05).mid_p));
    assert_true(isnan(stat_cuped(fine, fine, 1, 0).theta));
    arena_free(&arena);
}

/* ## Random numbers: bounded draws are uniform, orders are permutations */

static void random_numbers(void **state) {
    struct stat_random random = stat_random_seeded(1);
    uint64_t seen[7] = {0};
    const double weights[7] = {1, 1, 1, 1, 1, 1, 1};
    size_t order[100];
    bool there[100] = {false};
    (void)state;
    for (int i = 0; i < 70000; i++) seen[stat_random_below(&random, 7)]++;
    assert_true(stat_ratio_mismatch(seen, weights, 7).p > 1e-4);
    for (int i = 0; i < 1000; i++) {
        double unit = stat_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        assert_true(stat_random_below(&random, UINT64_MAX) < UINT64_MAX);
        assert_true(stat_random_below(&random, 1) == 0);
    }
    stat_random_order(9, order, 100);
    for (size_t i = 0; i < 100; i++) there[order[i]] = true;
    for (size_t i = 0; i < 100; i++) assert_true(there[i]);
    assert_true(stat_sampling_seed(1, GRAMC_TEXT("a"), 0) !=
                stat_sampling_seed(1, GRAMC_TEXT("a"), 1));
    assert_true(stat_sampling_seed(1, GRAMC_TEXT("a"), 0) !=
                stat_sampling_seed(2, GRAMC_TEXT("a"), 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(coverage_of_rates),
        cmocka_unit_test(pairs),
        cmocka_unit_test(coverage_of_differences),
        cmocka_unit_test(levels),
        cmocka_unit_test(order_of_items),
        cmocka_unit_test(two_ways_of_flipping),
        cmocka_unit_test(bootstraps),
        cmocka_unit_test(clusters_of_one),
        cmocka_unit_test(adjustments),
        cmocka_unit_test(powers),
        cmocka_unit_test(steps),
        cmocka_unit_test(refused_steps),
        cmocka_unit_test(many_steps),
        cmocka_unit_test(processes),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
