/* Whole runs with the n-th allocation failing, once and from there on: no crash, no leak, and a
 * run that took place says what happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define NAME "{\"type\":\"object\",\"properties\":{\"personName\":{\"type\":\"string\"}}}"
#define STRING "{\"type\":\"string\"}"
#define INTEGER "{\"type\":\"integer\"}"

/* Text, a wrong call, an unknown tool, a program, JSON that fits and JSON that does not. */
static const char script[] =
    "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
    "{\"event\":\"model.response\",\"content\":null,\"calls\":["
    "{\"name\":\"greet\",\"arguments\":\"{\\\"personName\\\":\\\"Al\\\"}\"},"
    "{\"name\":\"greet\",\"arguments\":\"{\\\"personName\\\":5}\"},"
    "{\"name\":\"nobody\",\"arguments\":\"{}\"},"
    "{\"name\":\"number\",\"arguments\":\"\"},{\"name\":\"wrong\",\"arguments\":\"{}\"}]}\n"
    "{\"event\":\"model.response\",\"content\":\"fine\"}\n"
    "{\"event\":\"model.response\",\"content\":\"good\"}\n";

static void make_agent(struct test_agent *test) {
    test_agent_init(test);
    test_tool(test, "greet", NAME, STRING, GRAMC_RESULT_TEXT);
    test_tool(test, "number", NAME, INTEGER, GRAMC_RESULT_JSON);
    test_tool(test, "wrong", NAME, INTEGER, GRAMC_RESULT_JSON);
    test_builtin(test, "greet", "greeting.sayHello");
    test_returns(test, "number", "7");
    test_builtin(test, "wrong", "greeting.sayHello");
    test->agent.instruction = TEXT("Be kind");
}

static void expect_sane(const struct test_run *run, gramc_status status,
                        const struct failing *failing) {
    if (status) {
        assert_int_equal(status, GRAMC_NOMEM);
        assert_int_equal(run->done, 0);
        assert_true(failing->failed);
        return;
    }
    assert_int_equal(run->done, 1);
    if (!failing->failed) assert_int_equal(run->outcome, GRAMC_OUTCOME_ANSWERED);
    else
        assert_true(run->outcome == GRAMC_OUTCOME_INTERNAL ||
                    run->outcome == GRAMC_OUTCOME_ANSWERED);
}

/* Returns false when the run went through without meeting the failure. */
static bool scripted_once(const struct test_agent *test, long n, bool persistent) {
    struct failing failing = {.fail_at = n, .persistent = persistent};
    gramc_allocator allocator = test_failing(&failing);
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    gramc_status status = gramc_model_new_script(&model, text_of(script), &allocator, NULL);
    if (!status) {
        struct test_setup setup = {
            .agent = test, .model = model, .messages = {"Hello", "More"}, .allocator = &allocator};
        status = test_run(&run, &setup);
    }
    expect_sane(&run, status, &failing);
    gramc_model_free(model);
    test_run_free(&run);
    assert_int_equal(failing.live, 0);
    return failing.failed;
}

static void scripted(void **state) {
    struct test_agent test;
    (void)state;
    make_agent(&test);
    for (int persistent = 0; persistent < 2; persistent++) {
        long n = 1;
        while (scripted_once(&test, n, persistent)) n++;
        assert_true(n > 40);
    }
    test_agent_free(&test);
}

static bool program_once(const struct test_agent *test, long n) {
    struct failing failing = {.fail_at = n};
    gramc_allocator allocator = test_failing(&failing);
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    struct test_setup setup = {
        .agent = test, .model = model, .messages = {"Hello"}, .allocator = &allocator};
    expect_sane(&run, test_run(&run, &setup), &failing);
    gramc_model_free(model);
    test_run_free(&run);
    assert_int_equal(failing.live, 0);
    return failing.failed;
}

static void programs(void **state) {
    struct test_agent test;
    const char *const argv[] = {"cat", NULL};
    const gramc_text environment = TEXT("X=1");
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "echo", NAME, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_exec(&test, "echo", argv);
    impl->env = &environment;
    impl->env_count = 1;
    impl->folder = TEXT("/tmp");
    for (long n = 1; program_once(&test, n);) n++;
    test_agent_free(&test);
}

static bool endpoint_once(const struct test_agent *test, long n) {
    static const struct mock_answer answers[] = {
        {.status = 500, .body = "{\"error\":\"once\"}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":null,\"function_call\":{\"name\":"
                 "\"greet\",\"arguments\":\"{}\"}}}]}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":\"fine\"}}]}"}};
    struct mock_server *server = mock_start(answers, 3);
    struct failing failing = {.fail_at = n};
    gramc_allocator allocator = test_failing(&failing);
    gramc_endpoint_options options = GRAMC_ENDPOINT_OPTIONS_INIT;
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    options.allocator = &allocator;
    options.base_url = text_of(mock_url(server));
    options.api_key = TEXT("key");
    options.retry_wait_ms = 1;
    gramc_status status = gramc_model_new_endpoint(&model, &options);
    if (!status) {
        struct test_setup setup = {
            .agent = test, .model = model, .messages = {"Hello"}, .allocator = &allocator};
        status = test_run(&run, &setup);
    }
    expect_sane(&run, status, &failing);
    gramc_model_free(model);
    test_run_free(&run);
    mock_stop(server);
    assert_int_equal(failing.live, 0);
    return failing.failed;
}

static void endpoints(void **state) {
    struct test_agent test;
    (void)state;
    make_agent(&test);
    for (long n = 1; endpoint_once(&test, n);) n++;
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripted),
        cmocka_unit_test(programs),
        cmocka_unit_test(endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
