/* Budgets of a run: who wins, what is no budget, what an answer costs, what a trace says of it. The
 * golden cases tests/golden/run/run-*-budget* show each end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "tests/support/agent.h"

#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define CALL(usage)                                                                                \
    "{\"event\":\"model.response\",\"content\":\"so far\",\"calls\":[{\"name\":\"say\","           \
    "\"arguments\":\"{}\"}]" usage "}\n"
#define SAYS(usage) "{\"event\":\"model.response\",\"content\":\"done\"" usage "}\n"
#define USAGE(prompt, completion, total, cached)                                                   \
    ",\"usage\":{\"prompt\":" #prompt ",\"completion\":" #completion ",\"total\":" #total          \
    ",\"cached\":" #cached "}"
/* 1,100 tokens that cost 2 * 600 + 1 * 400 + 10 * 100 millionths. */
#define ONE_CALL HEADER CALL(USAGE(1000, 100, 1100, 400)) SAYS(USAGE(10, 1, 11, 0))

static const gramc_prices prices = {2, 10, 1};

/* Sets what a case wants; NULL: nothing. */
typedef void changer(struct test_agent *test, gramc_run_options *options);

/* What starting the run said; what came of it is in `out`. */
static gramc_status run(struct test_run *out, const char *script, changer *change) {
    struct test_agent test;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_text message = TEXT("Hello");
    gramc_run_handler handler = test_handler(out);
    gramc_json_error error;
    gramc_model *model;
    gramc_bound *bound;
    gramc_loop *loop;
    test_run_init(out);
    test_agent_init(&test);
    test_tool(&test, "say", "{\"type\":\"object\",\"properties\":{}}", "{\"type\":\"string\"}",
              GRAMC_RESULT_TEXT);
    test_returns(&test, "say", "said");
    assert_int_equal(script ? gramc_model_new_script(&model, text_of(script), NULL, &error)
                            : gramc_model_new_mock(&model, NULL),
                     GRAMC_OK);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.trace = buf_writer(&out->trace);
    if (change) change(&test, &options);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &bind), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    gramc_status status = gramc_run_start(NULL, loop, bound, &options, &handler);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_int_equal(out->done, status ? 0 : 1);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_model_free(model);
    test_agent_free(&test);
    return status;
}

static void expect(const char *script, changer *change, gramc_outcome outcome, const char *message,
                   const char *text) {
    struct test_run out;
    assert_int_equal(run(&out, script, change), GRAMC_OK);
    if (out.outcome != outcome || strcmp(out.message, message) != 0)
        fail_msg("%s: %s", gramc_outcome_name(out.outcome), out.message);
    assert_string_equal(out.text, text);
    test_run_free(&out);
}

/* ## Who wins */

static void of_agent(struct test_agent *test, gramc_run_options *options) {
    test->agent.max_total_tokens = 1100;
    test->agent.max_cost = TEXT("1");
    options->prices = &prices;
}

static void of_options(struct test_agent *test, gramc_run_options *options) {
    of_agent(test, options);
    options->max_total_tokens = 1112;
}

static void dear(struct test_agent *test, gramc_run_options *options) {
    of_options(test, options);
    options->max_cost = 0.0026;
}

static void just_affordable(struct test_agent *test, gramc_run_options *options) {
    of_options(test, options);
    options->max_cost = 0.00260001;
}

static void options_win(void **state) {
    (void)state;
    expect(ONE_CALL, of_agent, GRAMC_OUTCOME_TOKEN_BUDGET,
           "1100 tokens were used, of 1100; its last calls were not made", "so far");
    expect(ONE_CALL, of_options, GRAMC_OUTCOME_ANSWERED, "", "done");
    expect(ONE_CALL, dear, GRAMC_OUTCOME_COST_BUDGET,
           "the answers cost 0.0026, of 0.0026; its last calls were not made", "so far");
    expect(ONE_CALL, just_affordable, GRAMC_OUTCOME_ANSWERED, "", "done");
}

/* The answer is there and paid for. */
static void a_tool_that_answers(struct test_agent *test, gramc_run_options *options) {
    of_agent(test, options);
    test->tools[0].return_direct = true;
}

static void answers_are_kept(void **state) {
    (void)state;
    expect(ONE_CALL, a_tool_that_answers, GRAMC_OUTCOME_ANSWERED, "", "said");
    expect(HEADER SAYS(USAGE(5000, 5000, 10000, 0)), of_agent, GRAMC_OUTCOME_ANSWERED, "", "done");
}

/* ## What is not known */

static void only_tokens(struct test_agent *test, gramc_run_options *options) {
    (void)test;
    options->max_total_tokens = UINT64_MAX;
}

static void only_cost(struct test_agent *test, gramc_run_options *options) {
    (void)test;
    options->prices = &prices;
    options->max_cost = 1e9;
}

static void no_prices(struct test_agent *test, gramc_run_options *options) {
    (void)test;
    options->max_cost = 1;
}

static void unknown_is_not_nothing(void **state) {
    static const char script[] = HEADER CALL("") SAYS("");
    static const char why[] = "an answer did not say how many tokens it took, and they are "
                              "limited; its last calls were not made";
    struct test_run out;
    (void)state;
    expect(script, only_tokens, GRAMC_OUTCOME_TOKEN_BUDGET, why, "so far");
    expect(script, only_cost, GRAMC_OUTCOME_COST_BUDGET, why, "so far");
    expect(script, NULL, GRAMC_OUTCOME_ANSWERED, "", "done");
    expect(NULL, no_prices, GRAMC_OUTCOME_ANSWERED, "", "said");
    assert_int_equal(run(&out, script, no_prices), GRAMC_USAGE);
    test_run_free(&out);
}

#define CHANGER(name, ...)                                                                         \
    static void name(struct test_agent *test, gramc_run_options *options) {                        \
        static const gramc_prices own = {__VA_ARGS__};                                             \
        of_agent(test, options);                                                                   \
        options->prices = &own;                                                                    \
    }
CHANGER(no_number, NAN, 1, 1)
CHANGER(below_nothing, 1, -1, 1)
CHANGER(without_end, INFINITY, 1, 1)
CHANGER(all_input_alike, 2, 10, -1)
CHANGER(gratis, 0, 0, 0)

static void cost_below_nothing(struct test_agent *test, gramc_run_options *options) {
    of_agent(test, options);
    options->max_cost = -1;
}

static void cost_in_words(struct test_agent *test, gramc_run_options *options) {
    of_agent(test, options);
    test->agent.max_cost = TEXT("much");
}

static void what_is_no_price(void **state) {
    static changer *const rows[] = {no_number, below_nothing, without_end, cost_below_nothing,
                                    cost_in_words};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_run out;
        assert_int_equal(run(&out, ONE_CALL, rows[i]), GRAMC_USAGE);
        test_run_free(&out);
    }
}

/* ## What it costs */

static void costs(void **state) {
    static const struct {
        const char *script;
        changer *change;
        const char *cost; /* in the trace; NULL: it is not known */
    } rows[] = {
        {ONE_CALL, of_options, "\"cost\":0.00263,"},
        {ONE_CALL, all_input_alike, "\"cost\":0.003,"},
        {ONE_CALL, gratis, "\"cost\":0,"},
        {ONE_CALL, NULL, NULL},
        {HEADER CALL(USAGE(5, 5, 10, 0)) SAYS(""), gratis, NULL},
        /* More of the prompt was seen before than there was of it. */
        {HEADER SAYS(USAGE(1000, 0, 1000, 9000)), of_options, "\"cost\":0.001,"},
        {HEADER SAYS(USAGE(18446744073709551615, 0, 1, 0)), all_input_alike,
         "\"cost\":18000000000,"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_run out;
        assert_int_equal(run(&out, rows[i].script, rows[i].change), GRAMC_OK);
        assert_int_equal(out.result.has_cost, rows[i].cost != NULL);
        const char *cost = strstr(out.trace.ptr, "\"cost\":");
        if (!cost != !rows[i].cost || (cost && !text_starts(text_of(cost), rows[i].cost)))
            fail_msg("row %zu: %.40s", i, cost ? cost : "none");
        test_run_free(&out);
    }
}

static void money(void **state) {
    static const struct {
        double amount;
        const char *text;
    } rows[] = {{0, "0"},
                {1, "1"},
                {0.1, "0.1"},
                {12.5, "12.5"},
                {1e-9, "0.000000001"},
                {1e-12, "0"},
                {1e30, "18000000000"},
                {100, "100"}};
    char room[AMOUNT_ROOM];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(number_amount(room, rows[i].amount), rows[i].text);
}

/* ## Time */

static void shorter_than_timeout(struct test_agent *test, gramc_run_options *options) {
    static const gramc_text argv[] = {{"sleep", 5}, {"20", 2}};
    test->impls[0].kind = GRAMC_IMPL_EXEC;
    test->impls[0].argv = argv;
    test->impls[0].argc = 2;
    options->timeout_ms = 10000;
    options->max_duration_ms = 50;
}

static void timeout_is_shorter(struct test_agent *test, gramc_run_options *options) {
    shorter_than_timeout(test, options);
    options->timeout_ms = 40;
    test->agent.max_duration_ms = 60;
    options->max_duration_ms = 0;
}

static void time_is_over(void **state) {
    (void)state;
    expect(ONE_CALL, shorter_than_timeout, GRAMC_OUTCOME_MAX_DURATION,
           "the run took longer than 50 ms", "so far");
    expect(ONE_CALL, timeout_is_shorter, GRAMC_OUTCOME_TIMEOUT, "the run took longer than 40 ms",
           "so far");
    assert_string_equal(gramc_outcome_name(GRAMC_OUTCOME_TOKEN_BUDGET), "token-budget");
    assert_string_equal(gramc_outcome_name(GRAMC_OUTCOME_COST_BUDGET), "cost-budget");
    assert_string_equal(gramc_outcome_name(GRAMC_OUTCOME_MAX_DURATION), "max-duration");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_win),
        cmocka_unit_test(answers_are_kept),
        cmocka_unit_test(unknown_is_not_nothing),
        cmocka_unit_test(what_is_no_price),
        cmocka_unit_test(costs),
        cmocka_unit_test(money),
        cmocka_unit_test(time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
