/* What the ways of looking at pairs are worth, by simulation and by adding up all tables: false
 * verdicts of a look after every pair, power, coverage. Each line has the figure that the design of
 * the experiments rests on beside ours.
 *
 *   bench_stats [--long]      40,000 runs instead of 2,000 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/stat/stat.h"

enum { PAIRS = 300, FIRST_LOOK = 10, TUNING = 100, ITEM_RUNS = 60 };

static const double alpha = 0.05;

static void line(const char *what, double measured, const char *expected) {
    printf("%-66s %8.4f  %s\n", what, measured, expected);
}

/* ## Runs of pairs, looked at after each */

enum look { LOOK_MCNEMAR, LOOK_EVALUE, LOOK_BETTING, LOOK_ASYMPTOTIC, LOOKS };

struct run {
    size_t stopped[LOOKS]; /* after so many pairs; 0: never */
    double fixed_p;        /* of one look at the end */
};

static void note(struct run *run, enum look look, size_t pairs, bool verdict) {
    if (verdict && !run->stopped[look]) run->stopped[look] = pairs;
}

static bool asymptotic_verdict(uint64_t b, uint64_t c, size_t n) {
    double count = (double)n, mean = ((double)b - (double)c) / count;
    double variance = ((double)(b + c) / count - mean * mean) * count / (count - 1);
    return n >= FIRST_LOOK &&
           fabs(mean) > stat_asymptotic_radius(variance, count, TUNING, alpha).radius;
}

static struct run simulate(struct stat_random *random, double first, double second) {
    struct run run = {{0}, 1};
    struct stat_pairs_process process;
    struct stat_betting betting;
    struct stat_betting_options options = stat_betting_defaults();
    stat_pairs_process_init(&process);
    stat_betting_init(&betting, &options, NULL);
    for (size_t n = 1; n <= PAIRS; n++) {
        double u = stat_random_unit(random);
        bool a = u < first, b = !a && u < first + second;
        stat_pairs_process_step(&process, a, b);
        if (stat_betting_step(&betting, (double)a - (double)b)) abort();
        uint64_t wins = process.only_first, losses = process.only_second;
        double p = stat_mcnemar_exact(wins, losses);
        if (wins + losses >= FIRST_LOOK) note(&run, LOOK_MCNEMAR, n, p <= alpha);
        note(&run, LOOK_EVALUE, n, process.now.p <= alpha);
        note(&run, LOOK_BETTING, n, stat_betting_values(&betting).log_max >= -log(alpha));
        note(&run, LOOK_ASYMPTOTIC, n, asymptotic_verdict(wins, losses, n));
        if (n == PAIRS) run.fixed_p = p;
    }
    stat_betting_free(&betting);
    return run;
}

struct summary {
    double share[LOOKS], fixed;
    double median; /* of the e-value's stops */
};

static struct summary simulate_many(size_t runs, double first, double second) {
    struct summary out = {{0}, 0, NAN};
    struct stat_random random = stat_random_seeded(20261122);
    struct arena arena;
    arena_init(&arena, NULL);
    double *stops = arena_array(&arena, runs, sizeof *stops);
    if (!stops) exit(1);
    for (size_t i = 0; i < runs; i++) {
        struct run run = simulate(&random, first, second);
        for (int look = 0; look < LOOKS; look++)
            out.share[look] += run.stopped[look] ? 1 / (double)runs : 0;
        out.fixed += run.fixed_p <= alpha ? 1 / (double)runs : 0;
        stops[i] = run.stopped[LOOK_EVALUE] ? (double)run.stopped[LOOK_EVALUE] : PAIRS;
    }
    if (stat_sort(&arena, stops, runs)) out.median = stat_quantile(stops, runs, 0.5);
    arena_free(&arena);
    return out;
}

static void looks(size_t runs) {
    struct summary same = simulate_many(runs, 0.1, 0.1), better = simulate_many(runs, 0.2, 0.05);
    printf("# false verdicts among %zu runs of up to %d pairs, p10 = p01 = 0.1\n", runs, PAIRS);
    line("one look at the end (exact McNemar)", same.fixed, "at most 0.05");
    line("exact McNemar after each pair, from 10 discordant ones on", same.share[LOOK_MCNEMAR],
         "0.178");
    line("beta-mixture e-value after each pair", same.share[LOOK_EVALUE], "0.027");
    line("hedged betting after each pair", same.share[LOOK_BETTING], "0.021");
    line("asymptotic confidence sequence after each pair", same.share[LOOK_ASYMPTOTIC], "0.027");
    printf("# power, p10 = 0.2, p01 = 0.05\n");
    line("one look at the end (exact McNemar)", better.fixed, "0.9995");
    line("beta-mixture e-value after each pair", better.share[LOOK_EVALUE], "0.994");
    line("its median stop, of 300 pairs", better.median, "78");
    line("hedged betting after each pair", better.share[LOOK_BETTING], "-");
}

/* ## Repeats: the item is the unit, not the repeat */

/* Items whose chance to pass differs (the mean of two uniform numbers), each arm's drawn anew, so
 * that arms differ on items and not on average: a verdict is false. */
static double chance(struct stat_random *random) {
    return (stat_random_unit(random) + stat_random_unit(random)) / 2;
}

static bool repeats_run(struct stat_random *random, size_t repeats, bool by_item) {
    struct stat_betting betting;
    struct stat_betting_options options = stat_betting_defaults();
    bool verdict = false;
    stat_betting_init(&betting, &options, NULL);
    for (size_t item = 0; item < ITEM_RUNS && !verdict; item++) {
        double a = chance(random), b = chance(random), sum = 0;
        for (size_t repeat = 0; repeat < repeats; repeat++) {
            double d =
                (double)(stat_random_unit(random) < a) - (double)(stat_random_unit(random) < b);
            sum += d;
            if (!by_item && stat_betting_step(&betting, d)) abort();
            verdict |= stat_betting_values(&betting).log_max >= -log(alpha);
        }
        if (by_item && stat_betting_step(&betting, sum / (double)repeats)) abort();
        verdict |= stat_betting_values(&betting).log_max >= -log(alpha);
    }
    stat_betting_free(&betting);
    return verdict;
}

static void repeats(size_t runs) {
    static const struct {
        size_t repeats;
        const char *expected;
    } rows[] = {{1, "-"}, {3, "0.065 (the item's model was another)"}, {5, "0.109"}, {10, "0.207"}};
    printf("# false verdicts of hedged betting among %zu runs of %d items that differ\n", runs,
           ITEM_RUNS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stat_random random = stat_random_seeded(i);
        double wrong = 0, right = 0;
        char what[64];
        for (size_t run = 0; run < runs; run++) {
            wrong += repeats_run(&random, rows[i].repeats, false);
            right += repeats_run(&random, rows[i].repeats, true);
        }
        snprintf(what, sizeof what, "%zu repeats, stepped by repeat (wrong)", rows[i].repeats);
        line(what, wrong / (double)runs, rows[i].expected);
        snprintf(what, sizeof what, "%zu repeats, stepped by item", rows[i].repeats);
        line(what, right / (double)runs, "0.021 to 0.027");
    }
}

/* ## All tables of n pairs */

typedef bool table_judge(struct stat_pairs pairs, void *ctx);

static double log_factorial(double n) {
    return stat_log_gamma(n + 1);
}

/* P(judge says yes). */
static double over_tables(uint64_t n, double both, double first, double second, table_judge *judge,
                          void *ctx) {
    double sum = 0, logs[4] = {log(both), log(first), log(second), log(1 - both - first - second)};
    for (uint64_t f = 0; f <= n; f++)
        for (uint64_t g = 0; f + g <= n; g++)
            for (uint64_t e = 0; e + f + g <= n; e++) {
                struct stat_pairs pairs = {e, f, g, n - e - f - g};
                double h = (double)pairs.neither;
                double chance = log_factorial((double)n) - log_factorial((double)e) -
                                log_factorial((double)f) - log_factorial((double)g) -
                                log_factorial(h) + (double)e * logs[0] + (double)f * logs[1] +
                                (double)g * logs[2] + h * logs[3];
                if (chance > -30 && judge(pairs, ctx)) sum += exp(chance);
            }
    return sum;
}

/* Two rates as if of different items: the test that throws the pairing away. */
static bool unpaired_rejects(struct stat_pairs pairs, void *ctx) {
    double n = (double)(pairs.both + pairs.only_first + pairs.only_second + pairs.neither);
    double p = (double)(pairs.both + pairs.only_first) / n;
    double q = (double)(pairs.both + pairs.only_second) / n, pooled = (p + q) / 2;
    double se = sqrt(2 * pooled * (1 - pooled) / n);
    (void)ctx;
    return se > 0 && fabs(p - q) / se > -stat_normal_quantile(alpha / 2);
}

static bool holds(struct stat_interval interval, double difference) {
    return interval.low <= difference && difference <= interval.high;
}

static struct stat_interval by_moments(struct stat_pairs pairs, bool student) {
    double n = (double)(pairs.both + pairs.only_first + pairs.only_second + pairs.neither);
    double b = (double)pairs.only_first, c = (double)pairs.only_second, mean = (b - c) / n;
    double free = student ? n - 1 : n, variance = ((b + c) / n - mean * mean) * n / free;
    double z = student ? stat_t_quantile(0.975, n - 1) : stat_normal_quantile(0.975);
    double half = z * sqrt(variance / n);
    return (struct stat_interval){mean - half, mean + half};
}

static bool wald_holds(struct stat_pairs pairs, void *ctx) {
    return holds(by_moments(pairs, false), *(const double *)ctx);
}

static bool t_holds(struct stat_pairs pairs, void *ctx) {
    return holds(by_moments(pairs, true), *(const double *)ctx);
}

static bool newcombe_holds(struct stat_pairs pairs, void *ctx) {
    return holds(stat_newcombe_paired(pairs, 0.95, NULL), *(const double *)ctx);
}

static bool tango_holds(struct stat_pairs pairs, void *ctx) {
    return holds(stat_tango(pairs, 0.95), *(const double *)ctx);
}

static void tables(void) {
    static const struct {
        const char *name;
        table_judge *judge;
        const char *at_20, *at_50;
    } rows[] = {{"Wald", wald_holds, "0.70", "0.863"},
                {"Student's t", t_holds, "0.71", "0.911"},
                {"Newcombe 10", newcombe_holds, "0.999", "0.994"},
                {"Tango", tango_holds, "0.999", "0.969"}};
    double difference = 0.04 - 0.02;
    printf("# power at p10 = 0.12, p01 = 0.04, p11 = 0.7, over all tables\n");
    line("200 pairs, exact McNemar", stat_power_mcnemar(200, 0.12, 0.04, alpha).exact, "0.775");
    line("200 pairs, as if unpaired", over_tables(200, 0.7, 0.12, 0.04, unpaired_rejects, NULL),
         "0.489");
    line("300 pairs, exact McNemar", stat_power_mcnemar(300, 0.12, 0.04, alpha).exact, "0.931");
    line("300 pairs, as if unpaired", over_tables(300, 0.7, 0.12, 0.04, unpaired_rejects, NULL),
         "0.733");
    printf("# coverage of 95 %% intervals, p11 = 0.9, p10 = 0.04, p01 = 0.02, over all tables\n");
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        size_t row = i % (sizeof rows / sizeof *rows);
        bool few = i == row;
        char what[64];
        snprintf(what, sizeof what, "%d pairs, %s", few ? 20 : 50, rows[row].name);
        line(what, over_tables(few ? 20 : 50, 0.9, 0.04, 0.02, rows[row].judge, &difference),
             few ? rows[row].at_20 : rows[row].at_50);
    }
}

int main(int argc, char **argv) {
    bool is_long = argc > 1 && strcmp(argv[1], "--long") == 0;
    printf("%-66s %8s  %s\n", "", "measured", "expected");
    looks(is_long ? 40000 : 2000);
    repeats(is_long ? 10000 : 1000);
    tables();
    return 0;
}
