/* The analysis of experiments against tables that were computed by hand, and against the functions
 * that it rests on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/failing.h"
#include "tests/support/trial.h"

static void assert_near(double seen, double wanted, double tolerance) {
    if (!(fabs(seen - wanted) <= tolerance)) {
        printf("%.15g is not %.15g\n", seen, wanted);
        fail();
    }
}

static void run(struct trial *trial, struct analysis *out) {
    trial_plan(trial);
    assert_int_equal(analyse(out, &trial->input, NULL), GRAMC_OK);
}

/* 50 cases: 36 both, 12 only new, 2 only old, none neither: Tango's own example. */
static void fifty(struct trial *trial) {
    trial_init(trial, 50, 1, 2);
    for (uint32_t i = 0; i < 12; i++) trial_pass(trial, i, 0, 0, false);
    for (uint32_t i = 12; i < 14; i++) trial_pass(trial, i, 0, 1, false);
}

static void test_pairs(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_true(of->binary);
    assert_int_equal(of->table.both, 36);
    assert_int_equal(of->table.only_first, 12);
    assert_int_equal(of->table.only_second, 2);
    assert_int_equal(of->table.neither, 0);
    assert_near(of->effect.value, 0.2, 1e-12);
    assert_near(of->effect.interval.low, 0.0611124062, 1e-9);
    assert_near(of->effect.interval.high, 0.3447087483, 1e-9);
    assert_near(of->p[TEST_MCNEMAR], 0.012939453125, 1e-12);
    assert_near(of->p[TEST_MCNEMAR_MID], 0.007385253906, 1e-9);
    assert_near(of->p_adjusted, of->p[TEST_MCNEMAR_MID], 0);
    assert_int_equal(of->verdict, STAT_SUPERIOR);
    assert_true(of->fixed_valid);
    struct stat_interval wilson = stat_wilson(38, 50, 0.95);
    assert_near(a.arms[0].metrics[0].mean.interval.low, wilson.low, 0);
    assert_near(a.arms[1].metrics[0].mean.value, 0.96, 1e-12);
    assert_int_equal(analysis_changes(&a, 1, CASE_FIXED), 12);
    assert_int_equal(analysis_changes(&a, 1, CASE_REGRESSED), 2);
    assert_string_equal(a.cases[13].arms[1].reason.ptr, "case 14 is not right");
    assert_int_equal(a.warning_count, 0);
    assert_int_equal(a.arms[0].first + a.arms[1].first, 50);
    analysis_free(&a);
    trial_free(&trial);
}

/* The other way round everything has the other sign. */
static void test_regression(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    trial_init(&trial, 50, 1, 2);
    for (uint32_t i = 0; i < 12; i++) trial_pass(&trial, i, 0, 1, false);
    for (uint32_t i = 12; i < 14; i++) trial_pass(&trial, i, 0, 0, false);
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_near(of->effect.interval.high, -0.0611124062, 1e-9);
    assert_int_equal(of->verdict, STAT_REGRESSION);
    assert_int_equal(analysis_changes(&a, 1, CASE_REGRESSED), 12);
    analysis_free(&a);
    trial_free(&trial);
}

/* Means of 4 repeats: the differences are 0.5, 0.25, 0, -0.25, 0.5, 0.5. */
static const int passed_new[] = {4, 3, 2, 1, 4, 3}, passed_old[] = {2, 2, 2, 2, 2, 1};

static void six(struct trial *trial) {
    trial_init(trial, 6, 4, 2);
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t r = 0; r < 4; r++) {
            trial_pass(trial, i, r, 1, (int)r < passed_new[i]);
            trial_pass(trial, i, r, 0, (int)r < passed_old[i]);
        }
}

static void test_repeats(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    six(&trial);
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_false(of->binary);
    assert_int_equal(of->items, 6);
    assert_near(of->effect.value, 0.25, 1e-12);
    /* sd = sqrt(0.5 / 5) = 0.316227766, t(0.975, 5) = 2.570581836 */
    assert_near(of->spread, 0.3162277660168379, 1e-12);
    assert_near(of->effect.interval.low, 0.25 - 2.5705818366 * 0.3162277660168379 / sqrt(6), 1e-9);
    /* 32 signs of the five others: |sum| >= 6 quarters where 2 1 -1 2 2 are flipped */
    assert_near(of->p[TEST_SIGN_FLIP], 0.1875, 1e-12);
    assert_int_equal(of->decisive, TEST_SIGN_FLIP);
    assert_true(isfinite(of->bootstrap.low) != 0);
    assert_true(of->bootstrap.low < 0.25 && of->bootstrap.high > 0.25);
    assert_near(a.arms[0].pass_all[0], 11.0 / 24, 1e-12);
    /* All of 4 repeats: 2 of 6 cases; at least one of 4: all. */
    assert_near(a.arms[1].pass_all[3], 2.0 / 6, 1e-12);
    assert_near(a.arms[1].pass_any[3], 1, 1e-12);
    assert_int_equal(analysis_changes(&a, 1, CASE_BETTER), 4);
    assert_int_equal(analysis_changes(&a, 1, CASE_WORSE), 1);
    analysis_free(&a);
    trial_free(&trial);
}

static void test_clusters(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    for (uint32_t i = 0; i < 50; i++)
        trial.items[i].cluster = i % 2 ? TEXT("odd") : i % 4 ? TEXT("even") : (gramc_text){NULL, 0};
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_false(of->binary);
    assert_int_equal(of->clusters, 2 + 13);
    double d[50];
    uint64_t cluster[50];
    for (uint32_t i = 0; i < 50; i++) {
        d[i] = i < 12 ? 1 : i < 14 ? -1 : 0;
        cluster[i] = i % 2 ? 1000 : i % 4 ? 2000 : i;
    }
    struct arena arena;
    arena_init(&arena, NULL);
    struct stat_clustered wanted = stat_clustered_mean(&arena, d, cluster, 50, 0.95);
    assert_near(of->effect.interval.low, wanted.interval.low, 1e-12);
    assert_string_equal(of->method, "t by cluster");
    arena_free(&arena);
    analysis_free(&a);
    trial_free(&trial);
}

static void test_usage(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    static const gramc_text guardrails[] = {{"latency", 7}, {"cost", 4}};
    fifty(&trial);
    trial_usage(&trial);
    trial.experiment.guardrails = guardrails;
    trial.experiment.guardrail_count = 2;
    for (uint32_t i = 0; i < 50; i++) trial_at(&trial, i, 0, 1)->wall_us *= 2;
    run(&trial, &a);
    assert_true(text_is(a.metrics[1].name, "latency"));
    assert_int_equal(a.metrics[1].role, ROLE_GUARDRAIL);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 1);
    double first[50], second[50];
    for (uint32_t i = 0; i < 50; i++) {
        first[i] = (double)trial_at(&trial, i, 0, 1)->wall_us / 1000;
        second[i] = (double)trial_at(&trial, i, 0, 0)->wall_us / 1000;
    }
    struct stat_mean wanted = stat_geometric_ratio(first, second, 50, 0.95);
    assert_near(of->effect.value, wanted.mean, 1e-12);
    assert_near(of->p[TEST_T], wanted.p, 1e-12);
    assert_int_equal(of->verdict, STAT_REGRESSION);
    /* Both guardrails are rejected: the first at alpha / 2, the last at alpha. */
    double confidences = of->confidence + analysis_comparison(&a, 1, 2)->confidence;
    assert_near(confidences, 0.975 + 0.95, 1e-12);
    assert_true(a.arms[0].metrics[1].p95.value > 0);
    assert_true(a.arms[0].metrics[1].p50.interval.low <= a.arms[0].metrics[1].p50.value);
    assert_true(a.arms[0].has_cost && a.arms[0].cost > 0);
    analysis_free(&a);
    trial_free(&trial);
}

/* A cost of nothing has no ratio, and that is said. */
static void test_no_ratio(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    trial_usage(&trial);
    trial_at(&trial, 3, 0, 0)->cost = 0;
    trial_at(&trial, 4, 0, 0)->has_cost = false;
    run(&trial, &a);
    const struct arm_comparison *cost =
        analysis_comparison(&a, 1, analysis_metric(&a, METRIC_COST));
    assert_non_null(cost->reason);
    assert_int_equal(cost->items, 49);
    assert_int_equal(cost->verdict, STAT_INCONCLUSIVE);
    assert_false(a.arms[0].has_cost);
    analysis_free(&a);
    trial_free(&trial);
}

static void test_missing(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    for (uint32_t i = 20; i < 34; i++) {
        trial_at(&trial, i, 0, 1)->state = CELL_MISSING;
        trial_at(&trial, i, 0, 1)->fault = FAULT_INFRASTRUCTURE;
        trial_at(&trial, i, 0, 1)->outcome = TEXT("model-error");
    }
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_int_equal(of->items, 36);
    assert_int_equal(a.items_lacking, 14);
    assert_int_equal(a.missing, 14);
    assert_true(a.complete);
    /* 12 - 2 of those that are there; 14 that are 0 - 1 or 1 - 1. */
    assert_near(of->bounds.low, (10.0 - 14) / 50, 1e-12);
    assert_near(of->bounds.high, 10.0 / 50, 1e-12);
    assert_near(a.attritions[0].p, pow(0.5, 13), 1e-12);
    assert_int_equal(a.warning_count, 2);
    assert_int_equal(a.cases[21].arms[1].missing, 1);
    assert_string_equal(a.cases[21].arms[1].reason.ptr, "model-error");
    analysis_free(&a);
    trial_free(&trial);
}

/* Looked at before its end: nothing for a fixed number of cases is shown. */
static void test_unfinished(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    trial_plan(&trial);
    for (uint32_t place = 40; place < 50; place++)
        trial_at(&trial, trial.plan.order[place], 0, 1)->state = CELL_TODO;
    assert_int_equal(analyse(&a, &trial.input, NULL), GRAMC_OK);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_false(a.complete);
    assert_int_equal(a.todo, 10);
    assert_false(of->fixed_valid);
    assert_true(isnan(of->p[TEST_MCNEMAR_MID]) && isnan(of->p_adjusted));
    assert_int_equal(of->verdict, STAT_INCONCLUSIVE);
    assert_int_equal(of->sequence.items, 40);
    analysis_free(&a);
    trial_free(&trial);
}

/* Stopped early and sequential: the verdict comes from the confidence sequence, over the items that
 * are finished without a gap. */
static void test_sequential(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    trial_init(&trial, 200, 1, 2);
    trial.experiment.stop = TEXT("sequential");
    for (uint32_t i = 0; i < 200; i++) {
        trial_pass(&trial, i, 0, 0, i % 5 == 0);
        trial_pass(&trial, i, 0, 1, i % 9 != 0);
    }
    trial_plan(&trial);
    /* A gap at place 60; 61 to 79 are finished and wait; the rest was never begun. */
    trial_at(&trial, trial.plan.order[60], 0, 0)->state = CELL_TODO;
    for (uint32_t place = 80; place < 200; place++)
        for (uint32_t arm = 0; arm < 2; arm++)
            trial_at(&trial, trial.plan.order[place], 0, arm)->state = CELL_SKIPPED;
    assert_int_equal(analyse(&a, &trial.input, NULL), GRAMC_OK);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_int_equal(of->sequence.items, 60);
    struct stat_pairs_process pairs;
    struct stat_betting betting;
    struct stat_betting_options options = stat_betting_defaults();
    stat_pairs_process_init(&pairs);
    stat_betting_init(&betting, &options, NULL);
    for (uint32_t place = 0; place < 60; place++) {
        uint32_t item = trial.plan.order[place];
        bool new_passes = item % 9 != 0, old_passes = item % 5 == 0;
        stat_pairs_process_step(&pairs, new_passes, old_passes);
        assert_int_equal(stat_betting_step(&betting, new_passes - old_passes), GRAMC_OK);
    }
    assert_near(of->sequence.log_e, pairs.greatest_log_e, 1e-12);
    struct stat_interval wanted = stat_betting_interval(&betting);
    assert_near(of->effect.interval.low, wanted.low, 1e-9);
    assert_near(of->effect.interval.high, wanted.high, 1e-9);
    assert_true(isnan(of->p[TEST_MCNEMAR_MID]) && !of->fixed_valid);
    assert_int_equal(of->verdict, STAT_SUPERIOR);
    assert_true(of->sequence.points > 10 && of->sequence.points <= PATH_POINTS_MAX);
    stat_betting_free(&betting);
    analysis_free(&a);
    trial_free(&trial);
}

/* Three arms: Holm over the two comparisons; the smaller p takes the stricter level. */
static void test_arms(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    trial_init(&trial, 50, 1, 3);
    for (uint32_t i = 0; i < 12; i++) trial_pass(&trial, i, 0, 0, false);
    for (uint32_t i = 12; i < 14; i++) trial_pass(&trial, i, 0, 1, false);
    for (uint32_t i = 0; i < 10; i++) trial_pass(&trial, i, 0, 2, false);
    run(&trial, &a);
    const struct arm_comparison *new = analysis_comparison(&a, 1, 0);
    const struct arm_comparison *third = analysis_comparison(&a, 2, 0);
    assert_near(new->p_adjusted, 2 * new->p[TEST_MCNEMAR_MID], 1e-12);
    assert_near(new->confidence, 0.975, 1e-12);
    assert_near(third->p_adjusted, third->p[TEST_MCNEMAR_MID], 1e-12);
    assert_near(third->confidence, 0.95, 1e-12);
    struct stat_interval wanted = stat_tango(new->table, 0.975);
    assert_near(new->effect.interval.low, wanted.low, 0);
    analysis_free(&a);
    trial_free(&trial);
}

/* The arm's own fault counts against it, though nothing was graded; a judge that fails is missing.
 */
static void test_faults(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    struct attempt *at = trial_at(&trial, 30, 0, 1);
    at->fault = FAULT_ARM;
    at->outcome = TEXT("max-iterations");
    at->score_count = 0;
    trial.scores[(31 * 2 + 0) * TRIAL_GRADERS].missing = true;
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_int_equal(of->items, 49);
    assert_int_equal(of->table.only_second, 3);
    assert_int_equal(a.arms[1].faults, 1);
    assert_string_equal(a.cases[30].arms[1].reason.ptr, "max-iterations");
    analysis_free(&a);
    trial_free(&trial);
}

/* Nothing was graded: passing means nothing, and nobody is told otherwise. */
static void test_no_grader(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    trial.input.grader_count = 0;
    run(&trial, &a);
    assert_int_equal(analysis_comparison(&a, 1, 0)->items, 0);
    assert_non_null(analysis_comparison(&a, 1, 0)->reason);
    assert_int_equal(analysis_comparison(&a, 1, 0)->verdict, STAT_INCONCLUSIVE);
    assert_int_equal(a.warning_count, 1);
    analysis_free(&a);
    trial_free(&trial);
}

/* Everything the same in a few cases is no proof of equivalence. */
static void test_no_spread(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    trial_init(&trial, 3, 5, 2);
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_near(of->effect.value, 0, 0);
    assert_true(of->effect.interval.low < -0.3 && of->effect.interval.high > 0.3);
    assert_int_equal(of->verdict, STAT_INCONCLUSIVE);
    assert_true(a.arms[0].metrics[0].mean.interval.low < 0.6);
    analysis_free(&a);
    trial_free(&trial);
}

/* What runs first is slower, whichever arm it is. */
static void test_position(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    trial_usage(&trial);
    trial_plan(&trial);
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t arms[ARMS_MAX];
        plan_arms(&trial.plan, i, 0, arms);
        trial_at(&trial, i, 0, arms[0])->wall_us += 3000000;
    }
    assert_int_equal(analyse(&a, &trial.input, NULL), GRAMC_OK);
    assert_int_equal(a.precedences[1].higher, 50);
    assert_true(a.precedences[1].p < 1e-12);
    assert_int_equal(a.warning_count, 1);
    analysis_free(&a);
    trial_free(&trial);
}

static void test_models(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    for (uint32_t i = 0; i < 20; i++) trial_at(&trial, i, 0, 1)->response_model = TEXT("other-2");
    trial_at(&trial, 0, 0, 0)->system_fingerprint = TEXT("fp_1");
    trial_at(&trial, 1, 0, 0)->system_fingerprint = TEXT("fp_2");
    trial_at(&trial, 2, 0, 0)->replayed = true;
    run(&trial, &a);
    assert_int_equal(a.warning_count, 3);
    assert_int_equal(a.arms[1].models.count, 2);
    analysis_free(&a);
    trial_free(&trial);
}

static void test_strata(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    for (uint32_t i = 0; i < 50; i++) trial.items[i].stratum = i < 20 ? TEXT("easy") : TEXT("hard");
    run(&trial, &a);
    assert_int_equal(a.slice_count, 2);
    size_t easy = text_is(a.slices[0].name, "easy") ? 0 : 1;
    assert_int_equal(a.slices[easy].items, 20);
    assert_near(a.slices[easy].effect.value, 0.5, 1e-12);
    assert_near(a.slices[easy].p, stat_mcnemar_mid_p(12, 2), 1e-12);
    assert_near(a.slices[easy].p_adjusted, 2 * a.slices[easy].p, 1e-12);
    analysis_free(&a);
    trial_free(&trial);
}

/* 40 labels: judged 0.9 alike. */
static void test_judges(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    static const gramc_input label_pass = {{"label", 5}, {"{\"right\": true}", 15}};
    static const gramc_input label_fail = {{"label", 5}, {"false", 5}};
    fifty(&trial);
    trial.graders[0].is_judge = true;
    for (uint32_t i = 0; i < 20; i++) {
        trial.items[i].inputs = i < 14 ? &label_pass : &label_fail;
        trial.items[i].input_count = 1;
    }
    run(&trial, &a);
    assert_int_equal(a.agreement_count, 1);
    const struct agreement *of = &a.agreements[0];
    /* old: fails the first 12; new: fails 13 and 14. 15 to 20 are labelled fail and pass in both.
     */
    assert_int_equal(of->both, 2 + 12);
    assert_int_equal(of->only_label, 12 + 2);
    assert_int_equal(of->only_judge, 12);
    assert_int_equal(of->neither, 0);
    assert_near(of->share.value, 14.0 / 40, 1e-12);
    analysis_free(&a);
    trial_free(&trial);
}

/* A preference is worth 0.5 in the first arm; 30 wins and 10 losses among 50. */
static void test_preference(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    trial_init(&trial, 50, 1, 2);
    trial.experiment.metric = TEXT("right");
    trial.graders[0].is_preference = true;
    for (uint32_t i = 0; i < 50; i++) {
        trial_at(&trial, i, 0, 0)->score_count = 0;
        trial_score(&trial, i, 0, 1, i < 30 ? 1 : i < 40 ? 0 : 0.5);
    }
    run(&trial, &a);
    const struct arm_comparison *of = analysis_comparison(&a, 1, 0);
    assert_int_equal(of->items, 50);
    assert_near(of->effect.value, 0.2, 1e-12);
    assert_int_equal(of->verdict, STAT_SUPERIOR);
    analysis_free(&a);
    trial_free(&trial);
}

/* As much of a conversation as there is room for, and the word that there was more. */
static void test_transcripts(void **state) {
    (void)state;
    static char trace[40000];
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    size_t len = 0;
    while (len + 100 < sizeof trace)
        len += (size_t)snprintf(trace + len, sizeof trace - len,
                                "{\"event\":\"turn\",\"message\":\"Again and again\"}\n");
    trial_at(&trial, 2, 0, 0)->trace = (gramc_text){trace, len};
    trial.input.transcripts = true;
    run(&trial, &a);
    /* 14 cases changed, in two arms each. */
    assert_int_equal(a.transcript_count, 28);
    for (size_t i = 0; i < a.transcript_count; i++) {
        const struct transcript *said = &a.transcripts[i];
        bool is_long = said->item == 2 && said->arm == 0;
        assert_true(said->cut == is_long);
        assert_true(is_long ? said->conversation.len > TRANSCRIPT_BYTES - 100 &&
                                  said->conversation.len <= TRANSCRIPT_BYTES
                            : said->conversation.len == 0);
    }
    analysis_free(&a);
    trial_free(&trial);
}

static void test_usage_errors(void **state) {
    (void)state;
    struct trial trial;
    struct analysis a;
    fifty(&trial);
    trial_plan(&trial);
    trial.experiment.metric = TEXT("nonsense");
    assert_int_equal(analyse(&a, &trial.input, NULL), GRAMC_FINDINGS);
    trial.experiment.metric = TEXT("success");
    trial.experiment.alpha = TEXT("2");
    assert_int_equal(analyse(&a, &trial.input, NULL), GRAMC_FINDINGS);
    trial_free(&trial);
}

static void test_memory(void **state) {
    (void)state;
    struct trial trial;
    six(&trial);
    trial_usage(&trial);
    for (uint32_t i = 0; i < 6; i++) trial.items[i].stratum = i < 2 ? TEXT("easy") : TEXT("hard");
    for (uint32_t i = 0; i < 6; i++) trial.items[i].cluster = i < 2 ? TEXT("a") : trial.items[i].id;
    trial_plan(&trial);
    trial.input.transcripts = true;
    for (uint32_t i = 0; i < 6; i++)
        trial_at(&trial, i, 0, 1)->trace = TEXT("{\"event\":\"turn\",\"message\":\"Hello\"}\n");
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        struct analysis a;
        gramc_status status = analyse(&a, &trial.input, &allocator);
        if (status == GRAMC_OK) analysis_free(&a);
        else assert_int_equal(status, GRAMC_NOMEM);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) break;
        assert_int_equal(status, GRAMC_NOMEM);
    }
    trial_free(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_repeats),      cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_usage),        cmocka_unit_test(test_no_ratio),
        cmocka_unit_test(test_missing),      cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_sequential),   cmocka_unit_test(test_arms),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_no_grader),
        cmocka_unit_test(test_no_spread),    cmocka_unit_test(test_position),
        cmocka_unit_test(test_models),       cmocka_unit_test(test_strata),
        cmocka_unit_test(test_judges),       cmocka_unit_test(test_preference),
        cmocka_unit_test(test_usage_errors), cmocka_unit_test(test_transcripts),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
