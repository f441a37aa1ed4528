/* Experiments that never ran. */
#include "tests/support/trial.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

static gramc_text print(struct arena *arena, const char *format, unsigned number) {
    char text[64];
    snprintf(text, sizeof text, format, number);
    return arena_text(arena, text_of(text));
}

static size_t slot(const struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm) {
    return ((size_t)item * trial->experiment.repeats + repeat) * trial->experiment.arm_count + arm;
}

struct attempt *trial_at(struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm) {
    return &trial->attempts[slot(trial, item, repeat, arm)];
}

void trial_score(struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm, double value) {
    struct score *score = &trial->scores[slot(trial, item, repeat, arm) * TRIAL_GRADERS];
    score->value = value;
    score->pass = value >= 1;
    score->reason = score->pass ? (gramc_text){NULL, 0}
                                : print(&trial->arena, "case %u is not right", item + 1);
}

void trial_pass(struct trial *trial, uint32_t item, uint32_t repeat, uint32_t arm, bool pass) {
    trial_score(trial, item, repeat, arm, pass ? 1 : 0);
}

void trial_usage(struct trial *trial) {
    size_t cells = trial->cases.count * trial->experiment.repeats * trial->experiment.arm_count;
    for (size_t i = 0; i < cells; i++) {
        struct attempt *at = &trial->attempts[i];
        unsigned noise = (at->cell.item * 7919u + at->cell.repeat * 104729u) % 97u;
        at->wall_us = 800000 + 5000 * noise + 40000 * at->cell.arm;
        at->model_us = at->wall_us / 2;
        at->prompt_tokens = 200 + noise;
        at->completion_tokens = 30 + noise / 3 + 4 * at->cell.arm;
        at->has_tokens = at->has_cost = true;
        at->cost = 0.0001 * (double)(at->prompt_tokens + 4 * at->completion_tokens);
        at->requests = 2;
        at->calls = 1 + (noise > 80);
    }
}

static gramc_status each(void *ctx, bool traces, store_visit *visit, void *visit_ctx) {
    struct trial *trial = ctx;
    (void)traces;
    for (uint32_t place = 0; place < trial->plan.items; place++)
        for (uint32_t r = 0; r < trial->plan.repeats; r++)
            for (uint32_t arm = 0; arm < trial->plan.arms; arm++) {
                const struct attempt *at = trial_at(trial, trial->plan.order[place], r, arm);
                if (at->state == CELL_TODO) continue;
                if (visit(visit_ctx, place, at)) return GRAMC_OK;
            }
    return GRAMC_OK;
}

static void make_attempts(struct trial *trial, uint32_t items, uint32_t repeats, uint32_t arms) {
    size_t cells = (size_t)items * repeats * arms;
    trial->attempts = arena_zalloc(&trial->arena, cells * sizeof *trial->attempts);
    trial->scores = arena_zalloc(&trial->arena, cells * TRIAL_GRADERS * sizeof *trial->scores);
    for (uint32_t i = 0; i < items; i++)
        for (uint32_t r = 0; r < repeats; r++)
            for (uint32_t arm = 0; arm < arms; arm++) {
                size_t at = slot(trial, i, r, arm);
                trial->attempts[at] = (struct attempt){.cell = {.item = i, .repeat = r, .arm = arm},
                                                       .number = 1,
                                                       .state = CELL_DONE,
                                                       .outcome = TEXT("answered"),
                                                       .response_model = TEXT("scripted-1"),
                                                       .scores = &trial->scores[at * TRIAL_GRADERS],
                                                       .score_count = 1};
                trial_score(trial, i, r, arm, 1);
            }
}

void trial_init(struct trial *trial, uint32_t items, uint32_t repeats, uint32_t arms) {
    static const char *const names[] = {"old", "new", "third"};
    memset(trial, 0, sizeof *trial);
    arena_init(&trial->arena, NULL);
    trial->items = arena_zalloc(&trial->arena, items * sizeof *trial->items);
    for (uint32_t i = 0; i < items; i++) {
        trial->items[i].id = print(&trial->arena, "case-%02u", i + 1);
        trial->items[i].line = i + 1;
    }
    trial->cases = (struct cases){.items = trial->items, .count = items};
    memset(trial->cases.fingerprint, 'c', 64);
    for (uint32_t i = 0; i < arms; i++) trial->arms[i].name = text_of(names[i]);
    trial->experiment = (gramc_experiment){.name = TEXT("trial"),
                                           .metric = TEXT("pass"),
                                           .stop = TEXT("fixed"),
                                           .margin = TEXT("0.05"),
                                           .alpha = TEXT("0.05"),
                                           .max_missing = TEXT("0.02"),
                                           .seed = 42,
                                           .repeats = repeats,
                                           .arms = trial->arms,
                                           .arm_count = arms};
    trial->graders[0] = (struct analysis_grader){TEXT("right"), true, false, false, 1};
    trial->input = (struct analysis_input){.plan = &trial->plan,
                                           .graders = trial->graders,
                                           .grader_count = 1,
                                           .each = each,
                                           .ctx = trial,
                                           .state = TEXT("done")};
    make_attempts(trial, items, repeats, arms);
}

void trial_plan(struct trial *trial) {
    if (plan_make(&trial->plan, &trial->experiment, &trial->cases, NULL, NULL) != GRAMC_OK) abort();
    memset(trial->plan.fingerprint, 'b', 64);
}

void trial_free(struct trial *trial) {
    plan_free(&trial->plan);
    arena_free(&trial->arena);
}
