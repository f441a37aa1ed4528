/* The sequential test of one comparison: an e-process and a confidence sequence, one step an item
 * (or cluster) in the order of the plan, over what is finished without a gap. Valid at every
 * moment, for metrics from 0 to 1 alone. */
#include "experiment/analyse_parts.h"

#include <math.h>

struct sequence_walk {
    struct columns *columns;
    struct arm_comparison *comparison;
    struct stat_betting betting;
    struct stat_pairs_process pairs;
    uint32_t stepped, every; /* a point of the path each so many steps */
    double *sums;            /* of a cluster's differences so far; NULL without clusters */
    uint32_t *counts, *left; /* items summed; items to come */
    bool failed;
};

/* An interval takes a pass over all steps so far: large experiments get fewer of them. */
static uint32_t points_for(uint32_t items) {
    return items <= 2000 ? PATH_POINTS_MAX : items <= 10000 ? 60 : 20;
}

static double log_e_now(const struct sequence_walk *walk) {
    return walk->comparison->binary ? walk->pairs.now.log_e
                                    : stat_betting_values(&walk->betting).log_e;
}

static void add_point(struct sequence_walk *walk) {
    struct sequence *sequence = &walk->comparison->sequence;
    if (!sequence->path || sequence->points == PATH_POINTS_MAX) return;
    if (sequence->points && sequence->path[sequence->points - 1].items == walk->stepped) return;
    sequence->path[sequence->points++] =
        (struct sequence_point){.items = walk->stepped,
                                .log_e = log_e_now(walk),
                                .interval = stat_betting_interval(&walk->betting)};
}

static void step(struct sequence_walk *walk, double difference, size_t item) {
    const struct arm_comparison *comparison = walk->comparison;
    if (stat_betting_step(&walk->betting, difference) != GRAMC_OK) {
        walk->failed = true;
        return;
    }
    if (comparison->binary)
        stat_pairs_process_step(
            &walk->pairs,
            item_value(walk->columns, item, comparison->arm, comparison->metric) > 0.5,
            item_value(walk->columns, item, 0, comparison->metric) > 0.5);
    walk->stepped++;
    if (walk->stepped % walk->every == 0) add_point(walk);
}

/* A cluster steps with its last item. */
static void take_item(struct sequence_walk *walk, size_t item, double difference) {
    if (!walk->sums) {
        if (!isnan(difference)) step(walk, difference, item);
        return;
    }
    uint64_t cluster = walk->columns->cluster[item];
    if (!isnan(difference)) {
        walk->sums[cluster] += difference;
        walk->counts[cluster]++;
    }
    if (--walk->left[cluster] > 0 || !walk->counts[cluster]) return;
    step(walk, walk->sums[cluster] / walk->counts[cluster], item);
}

static bool prepare_clusters(struct sequence_walk *walk) {
    struct columns *columns = walk->columns;
    if (!columns->cluster) return true;
    size_t items = columns->out->items;
    walk->sums = arena_zalloc(&columns->scratch, items * sizeof *walk->sums);
    walk->counts = arena_zalloc(&columns->scratch, items * sizeof *walk->counts);
    walk->left = arena_zalloc(&columns->scratch, items * sizeof *walk->left);
    if (columns->scratch.oom) return false;
    for (size_t i = 0; i < items; i++) walk->left[columns->cluster[i]]++;
    return true;
}

static bool is_complete(const struct columns *columns, size_t item, size_t metric) {
    for (size_t arm = 0; arm < columns->out->arm_count; arm++)
        if (isnan(item_value(columns, item, arm, metric))) return false;
    return true;
}

static void walk_items(struct sequence_walk *walk) {
    struct columns *columns = walk->columns;
    const struct analysis *out = columns->out;
    const struct arm_comparison *comparison = walk->comparison;
    for (uint32_t place = 0; place < out->items && !walk->failed; place++) {
        size_t item = columns->order[place];
        if (!has_ended(out, &out->cases[item])) break;
        double difference = (double)NAN;
        if (is_complete(columns, item, comparison->metric))
            difference = item_value(columns, item, comparison->arm, comparison->metric) -
                         item_value(columns, item, 0, comparison->metric);
        take_item(walk, item, difference);
    }
}

/* Online: the k-th unit of the arm with the k-th of the first arm, as they came. Units are drawn
 * one by one, so that these are pairs as good as any. A unit whose message has no end yet is waited
 * for, and so are all behind it. */
static size_t settled_units(const struct columns *columns, size_t arm, size_t metric,
                            size_t *units) {
    const struct analysis *out = columns->out;
    size_t count = 0;
    for (size_t i = 0; i < out->items; i++) {
        if (out->cases[i].arm != arm) continue;
        bool lacks = isnan(item_value(columns, i, arm, metric));
        if (lacks && out->cases[i].unended) break;
        if (!lacks) units[count++] = i;
    }
    return count;
}

static void walk_units(struct sequence_walk *walk) {
    struct columns *columns = walk->columns;
    const struct arm_comparison *comparison = walk->comparison;
    size_t metric = comparison->metric, room = columns->out->items + (size_t)1;
    size_t *first = arena_array(&columns->scratch, room, sizeof *first);
    size_t *other = arena_array(&columns->scratch, room, sizeof *other);
    if (!first || !other) return;
    size_t count = settled_units(columns, 0, metric, first);
    size_t others = settled_units(columns, comparison->arm, metric, other);
    for (size_t i = 0; i < count && i < others && !walk->failed; i++)
        step(walk,
             item_value(columns, other[i], comparison->arm, metric) -
                 item_value(columns, first[i], 0, metric),
             other[i]);
}

static void keep(struct sequence_walk *walk, struct sequence *sequence) {
    bool binary = walk->comparison->binary;
    double greatest = binary ? walk->pairs.greatest_log_e : walk->betting.greatest_log_e;
    if (walk->stepped) add_point(walk);
    sequence->items = walk->stepped;
    sequence->log_e = greatest;
    sequence->p = greatest > 0 ? exp(-greatest) : 1;
    sequence->interval = stat_betting_interval(&walk->betting);
    sequence->method = binary                       ? "beta mixture over discordant pairs"
                       : walk->columns->out->online ? "hedged betting on pairs as they came"
                                                    : "hedged betting";
}

void sequence_run(struct columns *columns, struct arm_comparison *comparison) {
    struct analysis *out = columns->out;
    const struct metric *metric = &out->metrics[comparison->metric];
    if (metric->scale != SCALE_SHARE || !(columns->order || out->online)) return;
    struct sequence_walk walk = {.columns = columns, .comparison = comparison};
    struct stat_betting_options options = stat_betting_defaults();
    /* Several arms share the level. */
    options.alpha = out->alpha / (double)(out->arm_count - 1);
    uint32_t points = points_for(out->items);
    walk.every = (out->items + points - 1) / points;
    if (comparison->metric == 0)
        comparison->sequence.path =
            arena_array(&out->arena, PATH_POINTS_MAX, sizeof *comparison->sequence.path);
    if (!prepare_clusters(&walk)) return;
    stat_betting_init(&walk.betting, &options, &out->arena.allocator);
    stat_pairs_process_init(&walk.pairs);
    if (out->online) walk_units(&walk);
    else walk_items(&walk);
    if (walk.failed) out->arena.oom = true;
    else keep(&walk, &comparison->sequence);
    stat_betting_free(&walk.betting);
}
