/* Turns an experiment and its cases into what is run in which order, by numbers that are the same
 * everywhere (experiment/stat/random.c). What must be the same when a run is resumed becomes one
 * fingerprint. Nothing is run here, and nothing is stored. */
#include "experiment/plan.h"

#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "experiment/stat/random.h"

/* ## The fingerprint */

static void add_bound(struct sha256 *sha, const gramc_bound *bound) {
    sha256_add_text(sha, bound ? gramc_bound_spec_fingerprint(bound) : TEXT(""));
    sha256_add_text(sha, bound ? gramc_bound_library_fingerprint(bound) : TEXT(""));
}

static void add_list(struct sha256 *sha, const gramc_text *list, size_t count) {
    sha256_add_number(sha, count);
    for (size_t i = 0; i < count; i++) sha256_add_text(sha, list[i]);
}

static void add_grader(struct sha256 *sha, const gramc_grader *grader) {
    const gramc_text texts[] = {grader->name,      grader->checks, grader->type, grader->question,
                                grader->model,     grader->metric, grader->min,  grader->max,
                                grader->threshold, grader->weight};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) sha256_add_text(sha, texts[i]);
    sha256_add_number(sha, grader->kind);
    sha256_add_number(sha, grader->required);
    add_list(sha, grader->argv, grader->argc);
}

static void add_arm(struct sha256 *sha, const gramc_arm *arm, const gramc_bound *bound) {
    const gramc_text texts[] = {arm->name,
                                arm->model,
                                arm->temperature,
                                arm->top_p,
                                arm->presence_penalty,
                                arm->frequency_penalty,
                                arm->max_tokens};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) sha256_add_text(sha, texts[i]);
    add_bound(sha, bound);
}

/* All that decides what is run and how it is judged; not what limits it, such as maxCost and
 * concurrency, which may be changed for the rest of a run. */
static void take_fingerprint(struct plan *plan, const gramc_bound *const *bound) {
    const gramc_experiment *experiment = plan->experiment;
    const gramc_text texts[] = {TEXT("plan 1"),   experiment->name,   experiment->metric,
                                experiment->stop, experiment->margin, experiment->alpha};
    struct sha256 sha;
    sha256_init(&sha);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) sha256_add_text(&sha, texts[i]);
    sha256_add_number(&sha, plan->seed);
    sha256_add_number(&sha, plan->repeats);
    sha256_add_text(&sha, text_of(plan->cases->fingerprint));
    add_list(&sha, experiment->guardrails, experiment->guardrail_count);
    add_list(&sha, experiment->vary, experiment->vary_count);
    add_list(&sha, experiment->reset, experiment->reset_count);
    sha256_add_number(&sha, experiment->grader_count);
    for (size_t i = 0; i < experiment->grader_count; i++) add_grader(&sha, &experiment->graders[i]);
    sha256_add_number(&sha, experiment->arm_count);
    for (size_t i = 0; i < experiment->arm_count; i++)
        add_arm(&sha, &experiment->arms[i], bound ? bound[i] : NULL);
    sha256_hex(&sha, plan->fingerprint);
    plan->fingerprint[SHA256_HEX] = '\0';
}

/* ## The order */

static gramc_status order_items(struct plan *plan) {
    size_t size = (plan->items + (size_t)1) * sizeof(size_t);
    size_t *order = mem_alloc(&plan->allocator, size);
    if (!order) return GRAMC_NOMEM;
    stat_random_order(plan->seed, order, plan->items);
    for (uint32_t i = 0; i < plan->items; i++) plan->order[i] = (uint32_t)order[i];
    mem_free(&plan->allocator, order, size);
    return GRAMC_OK;
}

gramc_status plan_make(struct plan *out, const gramc_experiment *experiment,
                       const struct cases *cases, const gramc_bound *const *bound,
                       const gramc_allocator *allocator) {
    *out = (struct plan){.experiment = experiment,
                         .cases = cases,
                         .items = (uint32_t)cases->count,
                         .repeats = experiment->repeats ? experiment->repeats : 1,
                         .arms = (uint32_t)experiment->arm_count,
                         .seed = experiment->seed,
                         .allocator = allocator ? *allocator : mem_default()};
    if (cases->count >= UINT32_MAX || experiment->arm_count > ARMS_MAX) return GRAMC_LIMIT;
    out->order = mem_alloc(&out->allocator, (out->items + (size_t)1) * sizeof(*out->order));
    if (!out->order) return GRAMC_NOMEM;
    take_fingerprint(out, bound);
    gramc_status status = order_items(out);
    if (status) plan_free(out);
    return status;
}

void plan_free(struct plan *plan) {
    size_t size = (plan->items + (size_t)1) * sizeof(*plan->order);
    if (plan->order) mem_free(&plan->allocator, plan->order, size);
    plan->order = NULL;
}

/* ## Cells */

uint64_t plan_cells(const struct plan *plan) {
    return (uint64_t)plan->items * plan->repeats * plan->arms;
}

/* The order of arms has nothing to do with what the models draw. */
static const uint64_t ORDER = UINT64_C(0x6F72646572); /* "order" */

void plan_arms(const struct plan *plan, uint32_t item, uint32_t repeat, uint32_t out[ARMS_MAX]) {
    size_t order[ARMS_MAX];
    gramc_text id = plan->cases->items[item].id;
    stat_random_order(stat_sampling_seed(plan->seed ^ ORDER, id, repeat), order, plan->arms);
    for (uint32_t i = 0; i < plan->arms; i++) out[i] = (uint32_t)order[i];
}

/* Every provider takes 31 bits, and some no more. */
uint32_t plan_sampling_seed(const struct plan *plan, uint32_t item, uint32_t repeat) {
    return (uint32_t)(stat_sampling_seed(plan->seed, plan->cases->items[item].id, repeat) >> 33);
}
