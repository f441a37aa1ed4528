/* Online experiments without a server: who gets which arm, and what is concluded from messages that
 * are made up here. Numbers are R's (t.test, prop.test); assignments are Python's hashlib's. A/A
 * experiments and lost units are drawn: few here, many with GRAMC_LONG=1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/buf.h"
#include "base/text.h"
#include "experiment/analyse.h"
#include "experiment/assign.h"
#include "experiment/report/report.h"
#include "experiment/stat/random.h"
#include "tests/failing.h"

enum { MESSAGES = 4200 };

/* ## Assignment */

static gramc_experiment checkout(gramc_arm arms[2], const char *weight) {
    arms[0] = (gramc_arm){.name = TEXT("old"), .weight = text_of(weight)};
    arms[1] = (gramc_arm){.name = TEXT("new")};
    return (gramc_experiment){
        .name = TEXT("checkout"), .seed = 7, .repeats = 1, .arms = arms, .arm_count = 2};
}

static void assignments_are_those_of_the_manual(void **state) {
    static const struct {
        const char *key;
        uint32_t even, other_seed, nine_to_one;
        const char *name;
    } rows[] = {{"ann", 1, 1, 0, "3d885638a3c06c880a8524a95f56cf97"},
                {"bob", 0, 0, 0, "06415cf127701592b42bb98fce648517"},
                {"carl", 0, 0, 0, "602f21928eedbdac985af7dc549eb3a0"},
                {"dora", 1, 0, 0, "ee4e2230d9ea0b06d8a5e6a0b9d09a68"},
                {"", 1, 0, 1, "539a6b37c7aa00f4f0330dc24c36d474"},
                {"\xC3\xBCn\xC3\xAF", 0, 1, 0, "0c3ed508776881dc4c3426b71fdfd482"}};
    gramc_arm arms[2], uneven[2];
    gramc_experiment even = checkout(arms, ""), nine = checkout(uneven, "9"), other = even;
    char name[UNIT_NAME + 1];
    (void)state;
    other.seed = 8;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_text key = text_of(rows[i].key);
        assert_int_equal(assign_arm(&even, key), rows[i].even);
        assert_int_equal(assign_arm(&other, key), rows[i].other_seed);
        assert_int_equal(assign_arm(&nine, key), rows[i].nine_to_one);
        assign_name(&even, key, name);
        assert_string_equal(name, rows[i].name);
    }
}

/* Shares as the weights say, and another seed knows nothing of this one. */
static void assignment_is_balanced_and_independent(void **state) {
    gramc_arm arms[2], uneven[2];
    gramc_experiment even = checkout(arms, ""), nine = checkout(uneven, "9"), other = even;
    uint64_t counts[2] = {0}, nines[2] = {0}, both[2][2] = {{0}};
    (void)state;
    other.seed = 8;
    for (unsigned i = 0; i < 20000; i++) {
        char key[32];
        snprintf(key, sizeof key, "user-%u", i);
        uint32_t arm = assign_arm(&even, text_of(key));
        counts[arm]++;
        nines[assign_arm(&nine, text_of(key))]++;
        both[arm][assign_arm(&other, text_of(key))]++;
    }
    assert_true(stat_ratio_mismatch(counts, (double[]){1, 1}, 2).p > STAT_ALARM);
    assert_true(stat_ratio_mismatch(nines, (double[]){9, 1}, 2).p > STAT_ALARM);
    assert_true(stat_ratio_mismatch(nines, (double[]){1, 1}, 2).p < STAT_ALARM);
    assert_true(stat_rates_chi_square(both[0][0], both[0][0] + both[0][1], both[1][0],
                                      both[1][0] + both[1][1])
                    .p > STAT_ALARM);
}

/* ## Messages that were never sent */

struct served {
    gramc_arm arms[2];
    gramc_experiment experiment;
    struct cases cases;
    struct plan plan;
    struct analysis_grader grader;
    struct analysis_online online;
    struct analysis_input input;
    double shares[2];
    struct store_exposure exposures[MESSAGES];
    char units[MESSAGES][UNIT_NAME + 1];
    struct attempt attempts[MESSAGES];
    struct score scores[MESSAGES];
    uint32_t count;
};

static gramc_status each(void *ctx, bool traces, store_visit *visit, void *visit_ctx) {
    struct served *served = ctx;
    (void)traces;
    for (uint32_t i = 0; i < served->count; i++)
        if (served->exposures[i].ended && visit(visit_ctx, i, &served->attempts[i])) break;
    return GRAMC_OK;
}

static gramc_status exposures(void *ctx, store_exposure_visit *visit, void *visit_ctx) {
    struct served *served = ctx;
    for (uint32_t i = 0; i < served->count; i++)
        if (visit(visit_ctx, &served->exposures[i])) break;
    return GRAMC_OK;
}

static void init(struct served *served, uint32_t units) {
    memset(served, 0, sizeof *served);
    served->experiment = checkout(served->arms, "");
    served->experiment.metric = TEXT("score");
    served->experiment.stop = TEXT("fixed");
    served->experiment.units = units;
    served->cases = (struct cases){.fingerprint = "online"};
    served->plan = (struct plan){.experiment = &served->experiment,
                                 .cases = &served->cases,
                                 .repeats = 1,
                                 .arms = 2,
                                 .seed = 7};
    served->grader = (struct analysis_grader){.name = TEXT("right"), .required = true, .weight = 1};
    served->shares[0] = served->shares[1] = 0.5;
    served->online = (struct analysis_online){units, served->shares, exposures};
    served->input = (struct analysis_input){.plan = &served->plan,
                                            .graders = &served->grader,
                                            .grader_count = 1,
                                            .each = each,
                                            .ctx = served,
                                            .state = TEXT("running"),
                                            .online = &served->online};
}

/* A message of that unit, answered and scored so. */
static uint32_t say(struct served *served, unsigned unit, uint32_t arm, double score,
                    double covariate) {
    uint32_t i = served->count++;
    assert_true(i < MESSAGES);
    snprintf(served->units[i], sizeof served->units[i], "unit-%u", unit);
    served->scores[i] = (struct score){.value = score, .pass = score >= 1};
    served->attempts[i] = (struct attempt){.cell = {.item = i, .arm = arm},
                                           .number = 1,
                                           .state = CELL_DONE,
                                           .outcome = TEXT("answered"),
                                           .wall_us = 1000,
                                           .scores = &served->scores[i],
                                           .score_count = 1};
    served->exposures[i] = (struct store_exposure){.place = i,
                                                   .arm = arm,
                                                   .unit = text_of(served->units[i]),
                                                   .covariate = covariate,
                                                   .ended = true,
                                                   .feedback = (double)NAN};
    return i;
}

static void run(struct analysis *analysis, const struct served *served) {
    assert_int_equal(analyse(analysis, &served->input, NULL), GRAMC_OK);
}

static const struct arm_comparison *primary(const struct analysis *analysis) {
    return analysis_comparison(analysis, 1, 0);
}

static void near(double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-9 * fmax(1, fabs(wanted))))
        fail_msg("%.15g is not %.15g", got, wanted);
}

static const double scores[] = {0.50, 0.25, 1.00, 0.75, 0.00, 0.50, 0.75, 1.00, 0.25, 0.25,
                                0.50, 1.00, 0.00, 0.75, 0.50, 0.50, 0.25, 1.00, 0.75, 0.75};
static const double before[] = {3.1, 1.2, 5.0, 2.9, 0.4, 2.2, 4.1, 4.8, 1.5, 0.9,
                                2.7, 4.4, 0.2, 3.3, 2.5, 1.8, 1.1, 5.2, 3.9, 2.4};

static void means_are_compared_by_welch(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 20);
    for (unsigned i = 0; i < 20; i++) {
        uint32_t at = say(&served, i, i % 2, scores[i], (double)NAN);
        served.attempts[at].wall_us = (uint64_t)((100 + 10 * before[i]) * 1000 + 0.5);
    }
    run(&analysis, &served);
    const struct arm_comparison *of = primary(&analysis);
    assert_string_equal(of->method, "Welch's t");
    near(of->effect.value, 0.225);
    near(of->effect.interval.low, -0.0667197440938432);
    near(of->effect.interval.high, 0.516719744093843);
    near(of->p[TEST_WELCH], 0.122404214032258);
    assert_true(isnan(of->covariate.theta));
    assert_int_equal(of->verdict, STAT_INCONCLUSIVE);
    /* A ratio of geometric means. */
    of = analysis_comparison(&analysis, 1, analysis_metric(&analysis, METRIC_LATENCY));
    near(of->effect.value, 1.03878403380462);
    near(of->effect.interval.low, 0.924586340296271);
    near(of->effect.interval.high, 1.16708653573838);
    near(of->p[TEST_WELCH], 0.500802175731003);
    analysis_free(&analysis);
}

static void a_covariate_sharpens(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 20);
    for (unsigned i = 0; i < 20; i++) say(&served, i, i % 2, scores[i], before[i]);
    run(&analysis, &served);
    const struct arm_comparison *of = primary(&analysis);
    near(of->covariate.theta, 0.193554625290076);
    near(of->covariate.reduction, 0.951142801244951);
    near(of->effect.value, 0.135964872366565);
    near(of->effect.interval.low, 0.0700484649884175);
    near(of->effect.interval.high, 0.201881279744713);
    near(of->p[TEST_WELCH], 0.000601175352272043);
    assert_int_equal(of->verdict, STAT_SUPERIOR);
    assert_int_equal(analysis.online->with_covariate, 20);
    analysis_free(&analysis);
}

/* 56 of 70 against 48 of 80: the rates of the statistics' own vectors. */
static void rates_are_compared_by_newcombe(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 150);
    served.experiment.metric = TEXT("pass");
    for (unsigned i = 0; i < 70; i++) say(&served, i, 1, i < 56, (double)NAN);
    for (unsigned i = 0; i < 80; i++) say(&served, 100 + i, 0, i < 48, (double)NAN);
    run(&analysis, &served);
    const struct arm_comparison *of = primary(&analysis);
    near(of->effect.value, 0.2);
    assert_true(fabs(of->effect.interval.low - 0.0524) < 5e-5);
    assert_true(fabs(of->effect.interval.high - 0.3339) < 5e-5);
    near(of->p[TEST_RATES], 0.0080450813681965643);
    assert_false(analysis.online->is_mismatched);
    analysis_free(&analysis);
}

/* ## What counts */

static void a_unit_is_the_mean_of_its_messages(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 4);
    for (int k = 0; k < 50; k++) say(&served, 0, 0, 1, (double)NAN);
    say(&served, 1, 0, 0, (double)NAN);
    say(&served, 2, 1, 1, (double)NAN);
    say(&served, 3, 1, 0.5, (double)NAN);
    run(&analysis, &served);
    near(analysis.arms[0].metrics[0].mean.value, 0.5);
    near(primary(&analysis)->effect.value, 0.25);
    assert_int_equal(primary(&analysis)->items, 4);
    assert_int_equal(analysis.online->messages[0], 51);
    analysis_free(&analysis);
}

static void fail_run(struct served *served, uint32_t i, const char *outcome, enum fault fault) {
    served->attempts[i].outcome = text_of(outcome);
    served->attempts[i].fault = fault;
    served->attempts[i].score_count = 0;
}

/* By whose fault ever, and without an end as well. */
static void failures_are_not_dropped(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 8);
    served.experiment.metric = TEXT("pass");
    for (unsigned i = 0; i < 8; i++) say(&served, i, i % 2, 1, (double)NAN);
    fail_run(&served, 1, "max_iterations", FAULT_ARM);
    fail_run(&served, 3, "model-error", FAULT_INFRASTRUCTURE);
    fail_run(&served, 5, "crash", FAULT_INFRASTRUCTURE);
    served.exposures[7].ended = false;
    run(&analysis, &served);
    near(analysis.arms[0].metrics[0].mean.value, 1);
    near(analysis.arms[1].metrics[0].mean.value, 0);
    assert_int_equal(analysis.arms[1].metrics[0].items, 4);
    assert_int_equal(analysis.online->failed[1], 3);
    assert_int_equal(analysis.online->crashed, 1);
    assert_int_equal(analysis.online->unended, 1);
    assert_int_equal(analysis.warning_count, 2);
    analysis_free(&analysis);
}

static void what_was_not_planned_is_not_looked_at(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 20);
    for (unsigned i = 0; i < 19; i++) say(&served, i, i % 2, scores[i], (double)NAN);
    run(&analysis, &served);
    assert_false(analysis.complete);
    assert_int_equal(primary(&analysis)->verdict, STAT_INCONCLUSIVE);
    assert_true(isnan(primary(&analysis)->p[TEST_WELCH]));
    analysis_free(&analysis);
    for (unsigned i = 19; i < 60; i++) say(&served, i, i % 2, i == 19 ? scores[i] : i % 2, NAN);
    run(&analysis, &served);
    assert_true(analysis.complete);
    assert_int_equal(analysis.items, 20);
    near(primary(&analysis)->p[TEST_WELCH], 0.122404214032258);
    assert_int_equal(analysis.online->seen, 60);
    analysis_free(&analysis);
}

/* A grader that could not judge leaves its message out; feedback is what was given. */
static void what_nobody_said_is_not_made_up(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 8);
    served.experiment.metric = TEXT("feedback");
    for (unsigned i = 0; i < 8; i++) say(&served, i, i % 2, 1, (double)NAN);
    for (unsigned i = 0; i < 6; i++) served.exposures[i].feedback = i % 2 ? 1 : 0.5;
    served.scores[0].missing = true;
    run(&analysis, &served);
    assert_int_equal(primary(&analysis)->items, 6);
    near(primary(&analysis)->effect.value, 0.5);
    assert_int_equal(analysis.online->told[0], 3);
    assert_int_equal(analysis.online->unjudged, 1);
    analysis_free(&analysis);
}

/* ## Several looks */

static void a_sequential_one_may_be_looked_at(void **state) {
    static struct served served;
    struct analysis analysis;
    (void)state;
    init(&served, 1000);
    served.experiment.metric = TEXT("pass");
    served.experiment.stop = TEXT("sequential");
    for (unsigned i = 0; i < 120; i++) {
        say(&served, i, i % 2, i % 2, (double)NAN);
        say(&served, i, i % 2, 0.5, (double)NAN); /* what comes later changes no step */
    }
    run(&analysis, &served);
    assert_false(analysis.complete);
    assert_int_equal(primary(&analysis)->verdict, STAT_SUPERIOR);
    assert_int_equal(primary(&analysis)->sequence.items, 60);
    near(primary(&analysis)->effect.value, 1);
    assert_true(isnan(primary(&analysis)->p[TEST_RATES]));
    analysis_free(&analysis);
    /* What has no end yet is waited for. */
    served.exposures[40].ended = false;
    run(&analysis, &served);
    assert_int_equal(primary(&analysis)->sequence.items, 10);
    analysis_free(&analysis);
}

/* ## The sample ratio */

static void a_wrong_ratio_withholds_the_verdict(void **state) {
    static struct served served;
    struct analysis analysis;
    struct buf text;
    (void)state;
    init(&served, 1000);
    for (unsigned i = 0; i < 1000; i++) say(&served, i, i < 430, i % 2, (double)NAN);
    run(&analysis, &served);
    assert_true(analysis.online->is_mismatched);
    near(analysis.online->ratio.statistic, 19.6);
    assert_non_null(primary(&analysis)->reason);
    assert_int_equal(primary(&analysis)->verdict, STAT_INCONCLUSIVE);
    buf_init(&text, NULL, 1 << 20);
    const struct experiment_report report = {.analysis = &analysis};
    experiment_text(&text, &report);
    buf_putc(&text, '\0');
    assert_non_null(strstr(text.ptr, "sample ratio 570:430, to be expected 500.0:500.0"));
    assert_non_null(strstr(text.ptr, "there is no verdict until it is found"));
    buf_free(&text);
    analysis_free(&analysis);
}

/* ## Without memory */

static void memory_may_run_out(void **state) {
    static struct served served;
    (void)state;
    init(&served, 20);
    for (unsigned i = 0; i < 24; i++) say(&served, i, i % 2, scores[i % 20], before[i % 20]);
    served.exposures[3].feedback = 1;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        struct analysis analysis;
        gramc_status status = analyse(&analysis, &served.input, &allocator);
        if (status == GRAMC_OK) analysis_free(&analysis);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) break;
        assert_int_equal(status, GRAMC_NOMEM);
    }
}

/* ## Drawn experiments */

static uint64_t rounds(uint64_t few, uint64_t many) {
    return getenv("GRAMC_LONG") ? many : few;
}

static double draw(uint64_t *seed) {
    return (double)(stat_splitmix64(seed) >> 11) * 0x1p-53;
}

/* Arms that are alike, by sessions of one to three messages, in two sizes of experiments. */
static bool sees_a_difference(struct served *served, uint64_t *seed, unsigned units) {
    struct analysis analysis;
    init(served, units);
    served->experiment.metric = TEXT("pass");
    for (unsigned i = 0; i < units; i++) {
        double rate = 0.2 + 0.6 * draw(seed);
        uint32_t arm = draw(seed) < 0.5;
        unsigned messages = 1 + (unsigned)(3 * draw(seed));
        for (unsigned k = 0; k < messages; k++) say(served, i, arm, draw(seed) < rate, rate);
    }
    run(&analysis, served);
    bool seen = !primary(&analysis)->reason && primary(&analysis)->p[TEST_WELCH] < 0.05;
    analysis_free(&analysis);
    return seen;
}

static void alike_arms_differ_in_5_of_100(void **state) {
    static struct served served;
    uint64_t seed = 20, count = rounds(400, 10000), seen = 0;
    (void)state;
    for (uint64_t i = 0; i < count; i++) seen += sees_a_difference(&served, &seed, 200);
    struct stat_interval rate = stat_clopper_pearson(seen, count, 0.999);
    print_message("%llu of %llu A/A experiments\n", (unsigned long long)seen,
                  (unsigned long long)count);
    assert_true(rate.low <= 0.05 && rate.high >= 0.05);
}

/* An arm that loses 20 % of its units, as a crash before recording would. */
static void lost_units_are_seen(void **state) {
    static struct served served;
    uint64_t seed = 30, count = rounds(40, 1000), found = 0, false_alarms = 0;
    (void)state;
    for (uint64_t i = 0; i < 2 * count; i++) {
        struct analysis analysis;
        init(&served, 4000);
        for (unsigned k = 0; k < 4000; k++) {
            uint32_t arm = draw(&seed) < 0.5;
            if (i >= count || !arm || draw(&seed) < 0.8) say(&served, k, arm, 1, (double)NAN);
        }
        run(&analysis, &served);
        if (i < count) found += analysis.online->is_mismatched;
        else false_alarms += analysis.online->is_mismatched;
        analysis_free(&analysis);
    }
    assert_int_equal(found, count);
    assert_true(false_alarms <= 1 + count / 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments_are_those_of_the_manual),
        cmocka_unit_test(assignment_is_balanced_and_independent),
        cmocka_unit_test(means_are_compared_by_welch),
        cmocka_unit_test(a_covariate_sharpens),
        cmocka_unit_test(rates_are_compared_by_newcombe),
        cmocka_unit_test(a_unit_is_the_mean_of_its_messages),
        cmocka_unit_test(failures_are_not_dropped),
        cmocka_unit_test(what_was_not_planned_is_not_looked_at),
        cmocka_unit_test(what_nobody_said_is_not_made_up),
        cmocka_unit_test(a_sequential_one_may_be_looked_at),
        cmocka_unit_test(a_wrong_ratio_withholds_the_verdict),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(alike_arms_differ_in_5_of_100),
        cmocka_unit_test(lost_units_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
