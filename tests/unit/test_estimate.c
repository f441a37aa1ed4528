/* Estimates of what an experiment uses: means of runs, bounds by prompts, and that what is not
 * known is never a number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/estimate.h"

static const gramc_prices prices = {.input = 2, .output = 8, .cached = 1};

static void is_near(double found, double expected) {
    assert_true(fabs(found - expected) < 1e-9);
}

static void is_range(struct estimate_range range, double low, double high) {
    assert_true(range.known && range.bounded);
    is_near(range.low, low);
    is_near(range.high, high);
}

static void test_runs_that_were(void **state) {
    (void)state;
    struct usage_sum sum = {.runs = 0};
    const struct attempt run = {.state = CELL_DONE,
                                .requests = 3,
                                .prompt_tokens = 1000,
                                .cached_tokens = 400,
                                .completion_tokens = 100,
                                .has_tokens = true};
    struct attempt untold = run, missing = run;
    untold.has_tokens = false;
    missing.state = CELL_MISSING;
    usage_sum_add(&sum, &run);
    usage_sum_add(&sum, &run);
    usage_sum_add(&sum, &untold);
    usage_sum_add(&sum, &missing);
    assert_int_equal(sum.runs, 2);
    struct estimate_arm arm = estimate_by_usage(ESTIMATE_EARLIER, &sum, 10, &prices);
    assert_int_equal(arm.seen, 2);
    is_range(arm.requests, 30, 30);
    is_range(arm.input, 10000, 10000);
    is_range(arm.output, 1000, 1000);
    double cost = (6000 * 2.0 + 4000 * 1.0 + 1000 * 8.0) / 1e6;
    is_range(arm.cost, cost, cost);
    assert_false(estimate_by_usage(ESTIMATE_EARLIER, &sum, 10, NULL).cost.known);
    sum.runs = 0;
    arm = estimate_by_usage(ESTIMATE_EARLIER, &sum, 10, &prices);
    assert_int_equal(arm.basis, ESTIMATE_NOTHING);
    assert_false(arm.requests.known || arm.input.known || arm.output.known || arm.cost.known);
}

static void test_prompts(void **state) {
    (void)state;
    struct prompt_sample sample = {.prompts = 2,
                                   .bytes = 1200,
                                   .turns = 1,
                                   .max_iterations = 10,
                                   .max_tokens = 50,
                                   .one_request = true};
    struct estimate_arm arm = estimate_by_prompts(&sample, 4, &prices);
    is_range(arm.requests, 4, 4);
    is_range(arm.input, 400, 1200);
    is_range(arm.output, 4, 200);
    is_range(arm.cost, (400 * 1.0 + 4 * 8.0) / 1e6, (1200 * 2.0 + 200 * 8.0) / 1e6);

    sample.one_request = false; /* what its tools will answer nobody knows */
    arm = estimate_by_prompts(&sample, 4, &prices);
    is_range(arm.requests, 4, 40);
    is_range(arm.output, 4, 2000);
    assert_true(arm.input.known && !arm.input.bounded);
    assert_true(arm.cost.known && !arm.cost.bounded && arm.cost.low > 0);

    sample.max_total = 700;
    arm = estimate_by_prompts(&sample, 4, &prices);
    is_range(arm.input, 400, 2800);
    is_range(arm.output, 4, 2000);
    sample.max_tokens = 0;
    is_range(estimate_by_prompts(&sample, 4, &prices).output, 4, 2800);
    sample.max_total = 0;
    assert_false(estimate_by_prompts(&sample, 4, &prices).output.bounded);
    sample.prompts = 0;
    assert_int_equal(estimate_by_prompts(&sample, 4, &prices).basis, ESTIMATE_NOTHING);
}

static void test_cached_price_is_said_or_not(void **state) {
    (void)state;
    const struct prompt_sample sample = {
        .prompts = 1, .bytes = 600, .turns = 2, .max_iterations = 1, .one_request = true};
    const gramc_prices one = {.input = 2, .output = 8, .cached = -1};
    struct estimate_arm arm = estimate_by_prompts(&sample, 1, &one);
    is_near(arm.cost.low, (200 * 2.0 + 2 * 8.0) / 1e6);
    assert_false(arm.input.bounded); /* the second turn has the first one's answer in it */
}

static void test_sums(void **state) {
    (void)state;
    const struct estimate_range unknown = {.known = false}, open = {.low = 2, .known = true};
    is_range(estimate_add(estimate_exactly(1), estimate_exactly(2)), 3, 3);
    assert_false(estimate_add(estimate_exactly(1), unknown).known);
    assert_true(estimate_add(estimate_exactly(1), open).known);
    assert_false(estimate_add(estimate_exactly(1), open).bounded);
    for (enum estimate_basis basis = ESTIMATE_NOTHING; basis <= ESTIMATE_EARLIER; basis++)
        assert_true(estimate_basis_name(basis)[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_that_were),
        cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_cached_price_is_said_or_not),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
