/* What an embedding program gives us for the system (an environment, paths, a proxy) is taken as
 * it is or refused: behind a NUL the system would not read on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

/* A text, and with a NUL inside and behind. */
static const struct {
    gramc_text text;
    gramc_status status;
} rows[] = {{{"A=1", 3}, GRAMC_OK}, {{"A=1\0002", 5}, GRAMC_USAGE}, {{"A=1\0", 4}, GRAMC_USAGE}};
enum { ROWS = sizeof rows / sizeof *rows };

static void environments(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        gramc_text two[] = {TEXT("PATH=/bin"), rows[i].text};
        gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
        gramc_loop *loop;
        options.environment = two;
        options.environment_count = 2;
        assert_int_equal(gramc_loop_new(&loop, &options), rows[i].status);
        gramc_loop_free(loop);
    }
}

static void hosts(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
        gramc_loop *loop;
        options.host = rows[i].text;
        assert_int_equal(gramc_loop_new(&loop, &options), rows[i].status);
        gramc_loop_free(loop);
    }
}

static void proxies(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        gramc_endpoint_options options = {.struct_size = sizeof options,
                                          .base_url = TEXT("http://127.0.0.1:9/v1"),
                                          .proxy = rows[i].text};
        gramc_model *model;
        assert_int_equal(gramc_model_new_endpoint(&model, &options), rows[i].status);
        gramc_model_free(model);
    }
}

/* Names and values of what ${env:NAME} stands for; a value that is not set has no bytes. */
static void secrets(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * ROWS; i++) {
        gramc_text fine = {"x", 1}, text = rows[i / 2].text;
        gramc_pair pairs[] = {{TEXT("UNSET"), {NULL, 0}},
                              {i % 2 ? text : fine, i % 2 ? fine : text}};
        gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
        gramc_offering_options asking = GRAMC_OFFERING_OPTIONS_INIT;
        struct test_agent test;
        gramc_bound *bound;
        gramc_offering *offering;
        gramc_loop *loop;
        test_agent_init(&test);
        test_tool(&test, "ping", "{\"type\":\"object\"}", "true", GRAMC_RESULT_TEXT);
        test_returns(&test, "ping", "pong");
        options.secrets = asking.secrets = pairs;
        options.secret_count = asking.secret_count = 2;
        assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
        assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &options),
                         rows[i / 2].status);
        gramc_bound_free(bound);
        gramc_status status = gramc_bind_tool(&bound, &test.library, TEXT("ping"), &options);
        assert_int_equal(status == GRAMC_USAGE, rows[i / 2].status == GRAMC_USAGE);
        gramc_bound_free(bound);
        assert_int_equal(gramc_offering_new(&offering, loop, &test.library, &asking),
                         rows[i / 2].status);
        gramc_offering_free(offering);
        gramc_loop_free(loop);
        test_agent_free(&test);
    }
}

/* Its folder is where programs of its libraries start. */
static void names_of_sources(void **state) {
    static const char bytes[] = "[a:Agent {description: \"A\", instruction: \"I\"}]";
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        gramc_compilation *compilation;
        assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
        assert_int_equal(gramc_add_source(compilation, rows[i].text, bytes, sizeof bytes - 1),
                         rows[i].status);
        gramc_compilation_free(compilation);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environments),     cmocka_unit_test(hosts),
        cmocka_unit_test(proxies),          cmocka_unit_test(secrets),
        cmocka_unit_test(names_of_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
