/* A recorded run is played again: the same conversation without model or tools, and a miss where it
 * would have been another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

#define NAMED                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]" \
    "}"
#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define CALLS(name)                                                                                \
    "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"c1\",\"name\":\"greet\"," \
    "\"arguments\":\"{\\\"name\\\":\\\"" name "\\\"}\"}]}\n"
#define SAYS(text) "{\"event\":\"model.response\",\"content\":\"" text "\"}\n"

struct scene {
    struct test_agent agent;
    struct buf recorded; /* the trace of the first run */
    gramc_cassette *cassette;
};

static void open_scene(struct scene *scene, const char *result) {
    test_agent_init(&scene->agent);
    test_tool(&scene->agent, "greet", NAMED, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(&scene->agent, "greet", result);
}

/* One run; `tools` NULL: they are called. */
static struct test_run play(const struct scene *scene, const gramc_model *model,
                            const gramc_cassette *tools) {
    struct test_run run;
    test_run_init(&run);
    const struct test_setup setup = {
        .agent = &scene->agent, .model = model, .messages = {"Greet Ann."}, .tools = tools};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    return run;
}

static void record(struct scene *scene, const char *script) {
    gramc_model *model;
    gramc_json_error error;
    open_scene(scene, "Hello, Ann.");
    assert_int_equal(gramc_model_new_script(&model, text_of(script), NULL, &error), GRAMC_OK);
    struct test_run run = play(scene, model, NULL);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    buf_init(&scene->recorded, NULL, 1 << 20);
    buf_text(&scene->recorded, buf_view(&run.trace));
    assert_int_equal(gramc_cassette_new(&scene->cassette, buf_view(&scene->recorded), NULL, &error),
                     GRAMC_OK);
    test_run_free(&run);
    gramc_model_free(model);
}

static void close_scene(struct scene *scene) {
    gramc_cassette_free(scene->cassette);
    buf_free(&scene->recorded);
    test_agent_free(&scene->agent);
}

static void expect_end(struct test_run *run, gramc_outcome outcome, const char *said) {
    assert_string_equal(gramc_outcome_name(run->outcome), gramc_outcome_name(outcome));
    const char *told = outcome == GRAMC_OUTCOME_ANSWERED ? run->text : run->message;
    if (!strstr(told, said)) fail_msg("`%s` does not say `%s`", told, said);
    test_run_free(run);
}

static void both_played(void **state) {
    struct scene scene, other;
    (void)state;
    record(&scene, HEADER CALLS("Ann") SAYS("Done."));
    open_scene(&other, "Never called.");
    struct test_run run = play(&other, gramc_cassette_model(scene.cassette), scene.cassette);
    assert_null(strstr(strchr(run.trace.ptr, '\n'), "Never called."));
    assert_non_null(strstr(run.trace.ptr, "Hello, Ann."));
    expect_end(&run, GRAMC_OUTCOME_ANSWERED, "Done.");
    test_agent_free(&other.agent);
    close_scene(&scene);
}

/* The tools live: what one of them says now is not what the model was asked with. */
static void tools_live(void **state) {
    struct scene scene, other;
    (void)state;
    record(&scene, HEADER CALLS("Ann") SAYS("Done."));
    struct test_run run = play(&scene, gramc_cassette_model(scene.cassette), NULL);
    expect_end(&run, GRAMC_OUTCOME_ANSWERED, "Done.");
    open_scene(&other, "Good day.");
    run = play(&other, gramc_cassette_model(scene.cassette), NULL);
    expect_end(&run, GRAMC_OUTCOME_CASSETTE_MISS, "\"Hello, Ann.\", the request has \"Good day.\"");
    test_agent_free(&other.agent);
    close_scene(&scene);
}

/* The model live: what it calls must have been recorded, and as often. */
static void model_live(void **state) {
    static const struct {
        const char *script;
        gramc_outcome outcome;
        const char *said;
    } rows[] = {
        {HEADER CALLS("Ann") SAYS("Other words."), GRAMC_OUTCOME_ANSWERED, "Other words."},
        {HEADER CALLS("Bob") SAYS("Done."), GRAMC_OUTCOME_CASSETTE_MISS,
         "`greet` was not recorded"},
        {HEADER CALLS("Ann") CALLS("Ann") SAYS("Done."), GRAMC_OUTCOME_CASSETTE_MISS,
         "`greet` was not recorded"},
        {HEADER SAYS("Nothing called."), GRAMC_OUTCOME_ANSWERED, "Nothing called."},
    };
    struct scene scene;
    gramc_json_error error;
    (void)state;
    record(&scene, HEADER CALLS("Ann") SAYS("Done."));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_model *model;
        assert_int_equal(gramc_model_new_script(&model, text_of(rows[i].script), NULL, &error),
                         GRAMC_OK);
        struct test_run run = play(&scene, model, scene.cassette);
        expect_end(&run, rows[i].outcome, rows[i].said);
        gramc_model_free(model);
    }
    close_scene(&scene);
}

/* One more request than was recorded. */
static void too_long(void **state) {
    struct scene scene;
    gramc_json_error error;
    gramc_cassette *half;
    (void)state;
    record(&scene, HEADER CALLS("Ann") SAYS("Done."));
    size_t end = (size_t)(strstr(scene.recorded.ptr, "\"content\":\"Done.\"") - scene.recorded.ptr);
    while (scene.recorded.ptr[end - 1] != '\n') end--;
    assert_int_equal(gramc_cassette_new(&half, (gramc_text){scene.recorded.ptr, end}, NULL, &error),
                     GRAMC_OK);
    struct test_run run = play(&scene, gramc_cassette_model(half), half);
    expect_end(&run, GRAMC_OUTCOME_CASSETTE_MISS, "1 answer, and this is request 2");
    gramc_cassette_free(half);
    close_scene(&scene);
}

static void no_trace(void **state) {
    gramc_cassette *cassette;
    gramc_json_error error = {0};
    (void)state;
    assert_int_equal(gramc_cassette_new(&cassette, TEXT("{\"event\":1"), NULL, &error),
                     GRAMC_FINDINGS);
    assert_null(cassette);
    assert_true(error.message[0] != '\0');
    gramc_cassette_free(NULL);
}

static void memory(void **state) {
    struct scene scene;
    gramc_json_error error;
    (void)state;
    record(&scene, HEADER CALLS("Ann") SAYS("Done."));
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_cassette *cassette;
        gramc_status status =
            gramc_cassette_new(&cassette, buf_view(&scene.recorded), &allocator, &error);
        gramc_cassette_free(cassette);
        assert_int_equal(failing.live, 0);
        if (!status) break;
        assert_int_equal(status, GRAMC_NOMEM);
        assert_true(n < 10000);
    }
    close_scene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_played), cmocka_unit_test(tools_live), cmocka_unit_test(model_live),
        cmocka_unit_test(too_long),    cmocka_unit_test(no_trace),   cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
