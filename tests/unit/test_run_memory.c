/* What a run of many turns keeps: its conversation, and nothing that a turn needed only meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

enum { TURNS = 200, LONG = 20000 };

struct counted {
    size_t now, most;
};

static void *count(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct counted *counted = ctx;
    if (new_size == 0) {
        counted->now -= old_size;
        free(ptr);
        return NULL;
    }
    void *longer = realloc(ptr, new_size);
    if (!longer) return NULL;
    counted->now += new_size - (ptr ? old_size : 0);
    if (counted->now > counted->most) counted->most = counted->now;
    return longer;
}

/* The most that a loop with a run of so many turns takes. */
static size_t peak(const gramc_bound *bound, const gramc_model *model, size_t turns) {
    struct counted counted = {0, 0};
    const gramc_allocator allocator = {count, &counted};
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_run_options run = GRAMC_RUN_OPTIONS_INIT;
    gramc_text messages[TURNS];
    struct test_run seen;
    gramc_loop *loop;
    options.allocator = &allocator;
    for (size_t i = 0; i < turns; i++) messages[i] = TEXT("Hello");
    run.model = model;
    run.messages = messages;
    run.message_count = turns;
    test_run_init(&seen);
    const gramc_run_handler handler = test_handler(&seen);
    assert_int_equal(gramc_loop_new(&loop, &options), GRAMC_OK);
    assert_int_equal(gramc_run_start(NULL, loop, bound, &run, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_int_equal(seen.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(seen.result.turns, turns);
    assert_int_equal(seen.result.calls, turns);
    gramc_loop_free(loop);
    test_run_free(&seen);
    assert_int_equal(counted.now, 0);
    return counted.most;
}

/* The instruction is filled in anew for each turn, and is no message. */
static void only_the_conversation_stays(void **state) {
    static char instruction[LONG + 1];
    struct test_agent test;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_model *model;
    gramc_bound *bound;
    (void)state;
    memset(instruction, 'x', LONG);
    memcpy(instruction, "${message} ", 11);
    test_agent_init(&test);
    test.agent.instruction = text_of(instruction);
    test_tool(&test, "say", "{\"type\":\"object\"}", "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(&test, "say", "It is said");
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &bind), GRAMC_OK);
    size_t few = peak(bound, model, TURNS / 10), many = peak(bound, model, TURNS);
    size_t a_turn = (many - few) / (TURNS - TURNS / 10);
    print_message("%zu bytes at most in %d turns, %zu a turn\n", many, TURNS, a_turn);
    assert_true(a_turn < 4096);
    gramc_bound_free(bound);
    gramc_model_free(model);
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_conversation_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
