/* Items become the spread of a statistic over samples that are drawn from them with repetition, by
 * items or by clusters; and, for a few values, over all samples that there are. */
#include "experiment/stat/stat.h"

#include "base/sort.h"
#include "experiment/stat/common.h"

static const struct stat_bootstrapped nothing = {NAN, NAN, {NAN, NAN}};

static double mean_of(const struct stat_bootstrap *plan, const size_t *items, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += plan->values[items[i]];
    return sum / (double)count;
}

static double statistic_of(const struct stat_bootstrap *plan, const size_t *items, size_t count) {
    if (count == 0) return NAN;
    if (!plan->statistic) return mean_of(plan, items, count);
    return plan->statistic(plan->ctx, items, count);
}

/* ## Groups: what is drawn together */

struct clustered_item {
    uint64_t cluster;
    size_t item;
};

static bool by_cluster(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct clustered_item *)a)->cluster <
           ((const struct clustered_item *)b)->cluster;
}

struct groups {
    size_t *items;  /* of the first group, of the second, ... */
    size_t *starts; /* count + 1 of them */
    size_t count, largest;
};

static bool make_groups(struct arena *arena, const struct stat_bootstrap *plan,
                        struct groups *groups) {
    struct clustered_item *members = arena_array(arena, plan->count, sizeof *members);
    struct clustered_item *spare = arena_array(arena, plan->count, sizeof *members);
    groups->items = arena_array(arena, plan->count, sizeof *groups->items);
    groups->starts = arena_array(arena, plan->count + 1, sizeof *groups->starts);
    if (!members || !spare || !groups->items || !groups->starts) return false;
    for (size_t i = 0; i < plan->count; i++)
        members[i] = (struct clustered_item){plan->cluster ? plan->cluster[i] : i, i};
    members = sort_merge(members, spare, plan->count, sizeof *members, by_cluster, NULL);
    for (size_t i = 0; i < plan->count; i++) {
        groups->items[i] = members[i].item;
        if (i == 0 || members[i].cluster != members[i - 1].cluster)
            groups->starts[groups->count++] = i;
    }
    groups->starts[groups->count] = plan->count;
    for (size_t i = 0; i < groups->count; i++) {
        size_t size = groups->starts[i + 1] - groups->starts[i];
        if (size > groups->largest) groups->largest = size;
    }
    return true;
}

/* Appends a group to a sample. */
static size_t append(const struct groups *groups, size_t group, size_t *sample, size_t count) {
    size_t start = groups->starts[group], size = groups->starts[group + 1] - start;
    memcpy(sample + count, groups->items + start, size * sizeof *sample);
    return count + size;
}

/* Means of single items need no list of what was drawn. */
static bool is_plain_mean(const struct stat_bootstrap *plan) {
    return !plan->statistic && !plan->cluster;
}

/* ## Draws */

static void draw_means(const struct stat_bootstrap *plan, double *out) {
    struct stat_random random = stat_random_seeded(plan->seed);
    for (uint64_t draw = 0; draw < plan->draws; draw++) {
        double sum = 0;
        for (size_t i = 0; i < plan->count; i++)
            sum += plan->values[stat_random_below(&random, plan->count)];
        out[draw] = sum / (double)plan->count;
    }
}

static void draw_all(const struct stat_bootstrap *plan, const struct groups *groups, size_t *sample,
                     double *out) {
    struct stat_random random = stat_random_seeded(plan->seed);
    if (is_plain_mean(plan)) {
        draw_means(plan, out);
        return;
    }
    for (uint64_t draw = 0; draw < plan->draws; draw++) {
        size_t count = 0;
        for (size_t i = 0; i < groups->count; i++)
            count =
                append(groups, (size_t)stat_random_below(&random, groups->count), sample, count);
        out[draw] = statistic_of(plan, sample, count);
    }
}

static double spread(const double *values, size_t count) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) mean += values[i];
    mean /= (double)count;
    for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(squares / ((double)count - 1)) : NAN;
}

/* ## BCa */

static double mean_without(const struct stat_bootstrap *plan, size_t left_out) {
    double sum = 0;
    for (size_t i = 0; i < left_out; i++) sum += plan->values[i];
    for (size_t i = left_out + 1; i < plan->count; i++) sum += plan->values[i];
    return plan->count > 1 ? sum / (double)(plan->count - 1) : NAN;
}

static double statistic_without(const struct stat_bootstrap *plan, const struct groups *groups,
                                size_t left_out, size_t *sample) {
    size_t count = 0;
    if (is_plain_mean(plan)) return mean_without(plan, left_out);
    for (size_t i = 0; i < groups->count; i++)
        if (i != left_out) count = append(groups, i, sample, count);
    return statistic_of(plan, sample, count);
}

/* From the statistic without each group in turn. 0 if that does not vary. */
static double acceleration(const struct stat_bootstrap *plan, const struct groups *groups,
                           size_t *sample, double *without) {
    double mean = 0, squares = 0, cubes = 0;
    for (size_t left_out = 0; left_out < groups->count; left_out++) {
        without[left_out] = statistic_without(plan, groups, left_out, sample);
        mean += without[left_out] / (double)groups->count;
    }
    for (size_t i = 0; i < groups->count; i++) {
        double distance = mean - without[i];
        squares += distance * distance;
        cubes += distance * distance * distance;
    }
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* z of the share of draws below the estimate; ties count half. Never infinite. */
static double bias(const double *sorted, size_t count, double estimate) {
    double below = 0, least = 1 / ((double)count + 1);
    for (size_t i = 0; i < count; i++)
        below += sorted[i] < estimate ? 1 : sorted[i] == estimate ? 0.5 : 0;
    return stat_normal_quantile(stat_between(below / (double)count, least, 1 - least));
}

/* Where a percentile is read instead, after both corrections. */
static double corrected(double bias, double acceleration, double z) {
    double sum = bias + z;
    return stat_normal_cdf(bias + sum / (1 - acceleration * sum));
}

struct stat_bootstrapped stat_bootstrap(struct arena *arena, const struct stat_bootstrap *plan) {
    struct groups groups = {.count = 0};
    struct stat_bootstrapped out = nothing;
    bool good = plan->count && plan->draws && stat_is_share(plan->confidence);
    if (!good || plan->draws > SIZE_MAX / sizeof(double)) return nothing;
    if (!make_groups(arena, plan, &groups)) return nothing;
    size_t draws = (size_t)plan->draws;
    size_t *sample = groups.largest > SIZE_MAX / groups.count
                         ? NULL
                         : arena_array(arena, groups.count * groups.largest, sizeof *sample);
    double *values = arena_array(arena, draws, sizeof *values);
    double *without = arena_array(arena, groups.count, sizeof *without);
    if (!sample || !values || !without) return nothing;
    out.estimate = statistic_of(plan, groups.items, plan->count);
    draw_all(plan, &groups, sample, values);
    if (!stat_sort(arena, values, draws) || isnan(out.estimate)) return nothing;
    out.se = spread(values, draws);
    double z = stat_z(plan->confidence), low = (1 - plan->confidence) / 2, high = 1 - low;
    if (plan->kind == STAT_BCA) {
        double shift = bias(values, draws, out.estimate);
        double bend = acceleration(plan, &groups, sample, without);
        low = corrected(shift, bend, -z);
        high = corrected(shift, bend, z);
    }
    out.interval = (struct stat_interval){stat_quantile(values, draws, low),
                                          stat_quantile(values, draws, high)};
    return out;
}

/* ## Every sample there is: each choice of how often each value is drawn, with its weight */

struct weighted {
    double mean, weight;
};

struct choices {
    const double *values;
    size_t count;
    struct weighted *made;
    size_t made_count;
};

/* From value `at` on, `left` draws are to be given away; `weight` is the number of orders so far.
 */
static void choose(struct choices *choices, size_t at, size_t left, double sum, double weight) {
    if (at + 1 == choices->count) {
        double mean = (sum + (double)left * choices->values[at]) / (double)choices->count;
        choices->made[choices->made_count++] = (struct weighted){mean, weight};
        return;
    }
    double ways = 1; /* C(left, times) */
    for (size_t times = 0; times <= left; times++) {
        choose(choices, at + 1, left - times, sum + (double)times * choices->values[at],
               weight * ways);
        ways = ways * (double)(left - times) / (double)(times + 1);
    }
}

static bool by_mean(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct weighted *)a)->mean < ((const struct weighted *)b)->mean;
}

/* The value at a rank (from 0) when each stands as often as it weighs. */
static double at_rank(const struct weighted *sorted, double rank) {
    double passed = sorted->weight;
    while (passed <= rank) passed += (++sorted)->weight;
    return sorted->mean;
}

static double weighted_quantile(const struct weighted *sorted, double total, double p) {
    double place = (total - 1) * p, whole = floor(place), share = place - whole;
    double low = at_rank(sorted, whole);
    return share == 0 ? low
                      : (1 - share) * low + share * at_rank(sorted, fmin(whole + 1, total - 1));
}

/* C(2 n - 1, n) choices. */
static size_t choices_of(size_t n) {
    double choices = 1;
    for (size_t i = 1; i <= n; i++) choices = choices * (double)(n - 1 + i) / (double)i;
    return (size_t)(choices + 0.5);
}

struct stat_bootstrapped stat_bootstrap_exhaustive(struct arena *arena, const double *values,
                                                   size_t count, double confidence) {
    struct stat_bootstrapped out = nothing;
    double total = pow((double)count, (double)count), sum = 0, squares = 0;
    if (!count || count > STAT_EXHAUSTIVE_MAX || !stat_is_share(confidence)) return out;
    size_t room = choices_of(count);
    struct choices choices = {.values = values, .count = count};
    choices.made = arena_array(arena, room, sizeof *choices.made);
    struct weighted *spare = arena_array(arena, room, sizeof *spare);
    if (!choices.made || !spare) return out;
    for (size_t i = 0; i < count; i++) sum += values[i];
    if (!isfinite(sum)) return out;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - sum / (double)count) * (values[i] - sum / (double)count);
    choose(&choices, 0, count, 0, 1);
    const struct weighted *sorted =
        sort_merge(choices.made, spare, room, sizeof *spare, by_mean, NULL);
    double tail = (1 - confidence) / 2;
    out.estimate = sum / (double)count;
    out.se = sqrt(squares) / (double)count;
    out.interval = (struct stat_interval){weighted_quantile(sorted, total, tail),
                                          weighted_quantile(sorted, total, 1 - tail)};
    return out;
}
