/* Watches an engine and says when it may stop: as soon as the confidence sequence of the primary
 * metric, by betting, lies above 0 (superior), below -margin (regression) or inside (-margin,
 * margin) (equivalent), for every arm against the first. Three wealth processes an arm, at 0 and at
 * both margins, tell that without an interval, in constant time an item. */
#include "experiment/stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "experiment/analyse_parts.h"

enum { REASON = 160 };
enum border { AT_ZERO, AT_LOSS, AT_GAIN, BORDERS };

/* Whether the sequence has ever been above or below a border. */
struct sided {
    struct stat_betting betting;
    bool above, below;
};

struct sum {
    double value;
    uint32_t count;
};

struct stop {
    const struct plan *plan;
    gramc_allocator allocator;
    struct analysis_input input; /* of what metrics need: the graders */
    struct metric metric;
    double margin, log_threshold;
    struct arena arena;
    struct sum *items;  /* [place * arms + arm]: over the repeats */
    uint32_t *clusters; /* one an item, by its index in the file; NULL: each is its own */
    struct sum *parts;  /* [cluster * arms + arm]: of items that have all values, as differences */
    uint32_t *left;     /* items of a cluster that are to come */
    struct sided (*arms)[BORDERS];
    double *differences; /* one an arm: their sum */
    uint32_t stepped;
    bool failed;
    char reason[REASON];
};

/* ## The metric */

static bool choose_metric(struct stop *stop) {
    gramc_text name = stop->plan->experiment->metric;
    stop->metric = (struct metric){.name = name, .scale = SCALE_SHARE, .kind = METRIC_PASS};
    if (text_is(name, "pass")) return true;
    stop->metric.kind = METRIC_SCORE;
    if (text_is(name, "score")) return true;
    for (size_t i = 0; i < stop->input.grader_count; i++) {
        if (!text_eq(stop->input.graders[i].name, name)) continue;
        bool prefers = stop->input.graders[i].is_preference;
        stop->metric.kind = prefers ? METRIC_PREFERENCE : METRIC_GRADER;
        stop->metric.grader = i;
        return true;
    }
    return false;
}

void stop_over(void *ctx, uint32_t place, const struct attempt *attempt) {
    struct stop *stop = ctx;
    double value = attempt->state == CELL_DONE ? metrics_value(&stop->metric, &stop->input, attempt)
                                               : (double)NAN;
    struct sum *sum = &stop->items[(size_t)place * stop->plan->arms + attempt->cell.arm];
    if (isnan(value)) return;
    sum->value += value;
    sum->count++;
}

/* A cell whose preference comes after it was told without. */
void stop_preferred(void *ctx, uint32_t place, const struct preference *preference) {
    struct stop *stop = ctx;
    const struct cell *cell = &preference->cell;
    if (stop->metric.kind != METRIC_PREFERENCE || stop->metric.grader != preference->grader ||
        preference->score.missing)
        return;
    struct sum *sum = &stop->items[(size_t)place * stop->plan->arms + cell->arm];
    sum->value += preference->score.value;
    sum->count++;
}

/* ## Stepping */

static void step_side(struct stop *stop, struct sided *side, double difference) {
    double log_theta = log(side->betting.options.theta);
    double log_other = log(1 - side->betting.options.theta);
    if (stat_betting_step(&side->betting, difference)) {
        stop->failed = true;
        return;
    }
    struct stat_betting_values now = stat_betting_values(&side->betting);
    side->above |= now.log_plus + log_theta >= stop->log_threshold;
    side->below |= now.log_minus + log_other >= stop->log_threshold;
}

static void step(struct stop *stop, uint32_t arm, double difference) {
    stop->differences[arm] += difference;
    for (size_t border = 0; border < BORDERS; border++)
        step_side(stop, &stop->arms[arm][border], difference);
}

static const char *verdict_of(const struct sided sides[BORDERS]) {
    if (sides[AT_LOSS].below) return "a regression";
    if (sides[AT_ZERO].above) return "superior";
    if (sides[AT_LOSS].above && sides[AT_GAIN].below) return "equivalent";
    return NULL;
}

/* A cluster steps with its last item: the mean of its items' differences. */
static void take_cluster(struct stop *stop, uint32_t item, const double *differences) {
    uint32_t cluster = stop->clusters[item], arms = stop->plan->arms;
    struct sum *parts = &stop->parts[(size_t)cluster * arms];
    for (uint32_t arm = 1; arm < arms && differences; arm++) {
        parts[arm].value += differences[arm];
        parts[arm].count++;
    }
    if (--stop->left[cluster] > 0 || !parts[1].count) return;
    for (uint32_t arm = 1; arm < arms; arm++) step(stop, arm, parts[arm].value / parts[arm].count);
    stop->stepped++;
}

static void take_item(struct stop *stop, uint32_t place) {
    uint32_t arms = stop->plan->arms, item = stop->plan->order[place];
    const struct sum *sums = &stop->items[(size_t)place * arms];
    double differences[ARMS_MAX];
    bool whole = true;
    for (uint32_t arm = 0; arm < arms; arm++) whole &= sums[arm].count == stop->plan->repeats;
    for (uint32_t arm = 1; arm < arms && whole; arm++)
        differences[arm] = (sums[arm].value - sums[0].value) / stop->plan->repeats;
    if (stop->clusters) {
        take_cluster(stop, item, whole ? differences : NULL);
    } else if (whole) {
        for (uint32_t arm = 1; arm < arms; arm++) step(stop, arm, differences[arm]);
        stop->stepped++;
    }
}

/* Every arm has a verdict: says which, of the last one. */
const char *stop_finished(void *ctx, uint32_t place) {
    struct stop *stop = ctx;
    const char *verdict = NULL;
    take_item(stop, place);
    if (stop->failed) return NULL;
    for (uint32_t arm = 1; arm < stop->plan->arms; arm++) {
        verdict = verdict_of(stop->arms[arm]);
        if (!verdict) return NULL;
    }
    gramc_text name = stop->plan->experiment->arms[stop->plan->arms - 1].name;
    snprintf(stop->reason, sizeof(stop->reason), "after %u items `%.*s` is %s",
             (unsigned)stop->stepped, (int)(name.len < 60 ? name.len : 60), name.ptr, verdict);
    return stop->reason;
}

bool stop_estimate(struct stop *stop, uint32_t arm, struct stop_estimate *out) {
    if (stop->failed || !stop->stepped || arm < 1 || arm >= stop->plan->arms) return false;
    *out = (struct stop_estimate){.arm = stop->plan->experiment->arms[arm].name,
                                  .items = stop->stepped,
                                  .mean = stop->differences[arm] / stop->stepped,
                                  .interval =
                                      stat_betting_interval(&stop->arms[arm][AT_ZERO].betting)};
    return true;
}

/* ## Making */

static bool find_clusters(struct stop *stop) {
    const struct cases *cases = stop->plan->cases;
    struct map known;
    uint32_t count = 0;
    size_t items = cases->count;
    bool any = false;
    for (size_t i = 0; i < items; i++) any |= cases->items[i].cluster.len > 0;
    if (!any) return true;
    stop->clusters = arena_array(&stop->arena, items, sizeof(*stop->clusters));
    stop->left = arena_zalloc(&stop->arena, items * sizeof(*stop->left));
    stop->parts = arena_zalloc(&stop->arena, items * stop->plan->arms * sizeof(*stop->parts));
    uint32_t *numbers = arena_array(&stop->arena, items, sizeof(*numbers));
    map_init(&known, &stop->arena);
    for (size_t i = 0; i < items && !stop->arena.oom; i++) {
        gramc_text name = cases->items[i].cluster;
        numbers[count] = count;
        uint32_t *number = name.len ? map_put(&known, name, &numbers[count]) : &numbers[count];
        if (number == &numbers[count]) count++;
        stop->clusters[i] = *number;
        stop->left[*number]++;
    }
    return !stop->arena.oom;
}

static void start_bets(struct stop *stop, double alpha) {
    const double borders[BORDERS] = {
        [AT_ZERO] = 0, [AT_LOSS] = -stop->margin, [AT_GAIN] = stop->margin};
    for (uint32_t arm = 1; arm < stop->plan->arms; arm++)
        for (size_t border = 0; border < BORDERS; border++) {
            struct stat_betting_options options = stat_betting_defaults();
            options.alpha = alpha;
            options.m0 = borders[border];
            stat_betting_init(&stop->arms[arm][border].betting, &options, &stop->allocator);
        }
}

static gramc_status fill(struct stop *stop) {
    const struct plan *plan = stop->plan;
    double alpha = 0.05;
    (void)number_to_double(&alpha, plan->experiment->alpha);
    (void)number_to_double(&stop->margin, plan->experiment->margin);
    alpha /= plan->arms - 1; /* several arms share the level */
    stop->log_threshold = -log(alpha);
    stop->items =
        arena_zalloc(&stop->arena, ((size_t)plan->items * plan->arms + 1) * sizeof(*stop->items));
    stop->arms = arena_zalloc(&stop->arena, plan->arms * sizeof(*stop->arms));
    stop->differences = arena_zalloc(&stop->arena, plan->arms * sizeof(*stop->differences));
    if (stop->arena.oom || !find_clusters(stop)) return GRAMC_NOMEM;
    start_bets(stop, alpha);
    return GRAMC_OK;
}

gramc_status stop_new(struct stop **out, const struct plan *plan,
                      const struct analysis_grader *graders, size_t grader_count,
                      const gramc_allocator *allocator) {
    gramc_allocator chosen = allocator ? *allocator : mem_default();
    *out = NULL;
    if (!text_is(plan->experiment->stop, "sequential") || plan->arms < 2) return GRAMC_OK;
    struct stop *stop = mem_alloc(&chosen, sizeof(*stop));
    if (!stop) return GRAMC_NOMEM;
    *stop = (struct stop){.plan = plan,
                          .allocator = chosen,
                          .input = {.graders = graders, .grader_count = grader_count}};
    arena_init(&stop->arena, &chosen);
    bool watches = choose_metric(stop);
    gramc_status status = watches ? fill(stop) : GRAMC_OK;
    if (status || !watches) {
        stop_free(stop);
        return status;
    }
    *out = stop;
    return GRAMC_OK;
}

void stop_free(struct stop *stop) {
    if (!stop) return;
    gramc_allocator allocator = stop->allocator;
    for (uint32_t arm = 1; stop->arms && arm < stop->plan->arms; arm++)
        for (size_t border = 0; border < BORDERS; border++)
            stat_betting_free(&stop->arms[arm][border].betting);
    arena_free(&stop->arena);
    mem_free(&allocator, stop, sizeof(*stop));
}
