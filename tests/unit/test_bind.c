/* Binding: which implementation serves which tool, and what is said when one is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

#define NONE "{\"type\":\"object\",\"properties\":{}}"
#define STRING "{\"type\":\"string\"}"

static gramc_status bind(gramc_bound **out, const struct test_agent *test) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_builtins *builtins;
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    options.builtins = builtins;
    gramc_status status = gramc_bind(out, &test->agent, &test->library, &options);
    gramc_builtins_free(builtins); /* its entries were copied */
    return status;
}

static void expect_message(const gramc_bound *bound, size_t i, gramc_severity severity,
                           const char *message, const char *help) {
    gramc_bind_message found;
    assert_true(gramc_bound_message(bound, i, &found));
    assert_int_equal(found.severity, severity);
    assert_int_equal(found.message.len, strlen(message));
    assert_memory_equal(found.message.ptr, message, found.message.len);
    assert_int_equal(found.help.len, strlen(help));
    assert_memory_equal(found.help.ptr, help, found.help.len);
}

static void each_kind(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    gramc_choice choice;
    const char *const echo[] = {"cat", NULL};
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "greet", NONE, STRING, GRAMC_RESULT_TEXT);
    test_tool(&test, "echo", NONE, STRING, GRAMC_RESULT_TEXT);
    test_tool(&test, "ping", NONE, STRING, GRAMC_RESULT_TEXT);
    test_returns(&test, "unused", "nobody asks");
    test_returns(&test, "ping", "pong");
    test_exec(&test, "echo", echo);
    test_builtin(&test, "greet", "greeting.sayHello");
    assert_int_equal(bind(&bound, &test), GRAMC_OK);
    static const char *const kinds[] = {"builtin", "exec", "returns"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(gramc_bound_choice(bound, i, &choice));
        assert_ptr_equal(choice.tool, test.list[i]);
        assert_true(text_is(choice.kind, kinds[i]));
        assert_true(text_eq(choice.impl->name, choice.tool->name));
    }
    assert_false(gramc_bound_choice(bound, 3, &choice));
    gramc_bind_message message;
    assert_false(gramc_bound_message(bound, 0, &message));
    assert_true(text_is(gramc_bound_spec_fingerprint(bound), "aaaa"));
    assert_true(text_is(gramc_bound_library_fingerprint(bound), "bbbb"));
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void all_that_is_missing(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "sayHello", NONE, STRING, GRAMC_RESULT_TEXT);
    test_tool(&test, "fly", NONE, STRING, GRAMC_RESULT_TEXT);
    test_tool(&test, "extra", NONE, STRING, GRAMC_RESULT_TEXT)->optional = true;
    test_tool(&test, "add", NONE, STRING, GRAMC_RESULT_TEXT);
    test_returns(&test, "sayHelo", "hi");
    gramc_impl *add = test_builtin(&test, "add", "math.ad");
    add->start = 17;
    assert_int_equal(bind(&bound, &test), GRAMC_FINDINGS);
    expect_message(bound, 0, GRAMC_ERROR,
                   "tool `sayHello` has no implementation: library `workshop` has none",
                   "did you mean `sayHelo`?");
    expect_message(bound, 1, GRAMC_ERROR,
                   "tool `fly` has no implementation: library `workshop` has none",
                   "add a ToolImpl of that name, or make the tool optional");
    expect_message(bound, 2, GRAMC_NOTE,
                   "tool `extra` has no implementation: library `workshop` has none",
                   "it is optional and will not be offered");
    expect_message(bound, 3, GRAMC_ERROR,
                   "tool `add` wants the builtin `math.ad`, which is not registered",
                   "did you mean `math.add`?");
    gramc_bind_message message;
    assert_true(gramc_bound_message(bound, 3, &message));
    assert_true(text_is(message.file, "workshop.gram"));
    assert_int_equal(message.start, 17);
    assert_false(gramc_bound_message(bound, 4, &message));
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void without_library(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    assert_int_equal(gramc_bind(&bound, &test.agent, NULL, NULL), GRAMC_OK);
    assert_true(text_is(gramc_bound_library_fingerprint(bound), ""));
    gramc_bound_free(bound);
    test_tool(&test, "fly", NONE, STRING, GRAMC_RESULT_TEXT);
    assert_int_equal(gramc_bind(&bound, &test.agent, NULL, NULL), GRAMC_FINDINGS);
    gramc_bound_free(bound);
    test_agent_free(&test);
    gramc_bound_free(NULL);
}

static void broken_parameters(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    gramc_tool *tool = test_tool(&test, "odd", NONE, STRING, GRAMC_RESULT_TEXT);
    tool->parameters = TEXT("{\"type\":");
    test_returns(&test, "odd", "x");
    assert_int_equal(bind(&bound, &test), GRAMC_FINDINGS);
    expect_message(bound, 0, GRAMC_ERROR, "the parameters of tool `odd` are no JSON of usable size",
                   "");
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void other_strategy(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    test.agent.strategy = TEXT("guessed");
    assert_int_equal(bind(&bound, &test), GRAMC_FINDINGS);
    expect_message(bound, 0, GRAMC_ERROR,
                   "agent `tester` has the strategy `guessed`, which this version cannot run",
                   "it runs `direct`, `evaluated` and `prompted`");
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void not_prepared(void **state) {
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "ping", NONE, STRING, GRAMC_RESULT_TEXT)->accepts = NULL;
    assert_int_equal(bind(&bound, &test), GRAMC_USAGE);
    assert_null(bound);
    test_agent_free(&test);
}

static void without_memory(void **state) {
    struct test_agent test;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "ping", NONE, STRING, GRAMC_RESULT_TEXT);
    test_tool(&test, "fly", NONE, STRING, GRAMC_RESULT_TEXT)->optional = true;
    test_returns(&test, "ping", "pong");
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
        gramc_bound *bound;
        options.allocator = &allocator;
        gramc_status status = gramc_bind(&bound, &test.agent, &test.library, &options);
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        gramc_bound_free(bound);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) break;
    }
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind),       cmocka_unit_test(all_that_is_missing),
        cmocka_unit_test(without_library), cmocka_unit_test(broken_parameters),
        cmocka_unit_test(not_prepared),    cmocka_unit_test(other_strategy),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
