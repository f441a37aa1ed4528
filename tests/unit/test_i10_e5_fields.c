/* Each value of a recorded answer is replaced by a value of each JSON type: a provider's answer
 * that comes by HTTP, and a trace that plays the model. Whatever comes of it, the run ends once,
 * with an outcome and, where that is an error, with words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "tests/support/changed.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e400",
    "123456789012345678901234567890",
    "0.5",
    "\"\"",
    "\"x\"",
    "\"\\u0000\"",
    "\"{}\"",
    "[]",
    "[null]",
    "[[[1]]]",
    "{}",
    "{\"x\":{}}",
};

static void init_agent(struct test_agent *test) {
    test_agent_init(test);
    test_tool(test, "sayHello",
              "{\"type\":\"object\",\"properties\":{\"personName\":{\"type\":\"string\"}}}",
              "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(test, "sayHello", "Hello");
}

static void expect_end(const struct test_agent *test, const gramc_model *model, gramc_wire wire,
                       const char *what) {
    struct test_run run;
    struct test_setup setup = {.agent = test, .model = model, .messages = {"go"}, .wire = wire};
    test_run_init(&run);
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    if (run.done != 1) fail_msg("ended %d times: %s", run.done, what);
    if (run.outcome == GRAMC_OUTCOME_INTERNAL) fail_msg("internal: %s", what);
    if (run.outcome == GRAMC_OUTCOME_MODEL_ERROR && !run.message[0])
        fail_msg("nothing was said about %s", what);
    test_run_free(&run);
}

/* ## Over HTTP */

#define USAGE "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3}}"
#define FUNCTION "{\"name\":\"sayHello\",\"arguments\":\"{\\\"personName\\\":\\\"Ann\\\"}\"}"

static const struct {
    const char *body;
    gramc_wire wire;
} recorded[] = {
    {"{\"id\":\"a\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,"
     "\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":" FUNCTION
     "}]},\"finish_reason\":\"tool_calls\"}]," USAGE,
     GRAMC_WIRE_TOOLS},
    {"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"function_"
     "call\":" FUNCTION "},\"finish_reason\":\"function_call\"}]," USAGE,
     GRAMC_WIRE_FUNCTIONS},
    {"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"refusal\":null},"
     "\"finish_reason\":\"stop\"}]," USAGE,
     GRAMC_WIRE_TOOLS},
    {"{\"error\":{\"message\":\"no\",\"type\":\"t\",\"code\":\"c\"}}", GRAMC_WIRE_TOOLS},
};

static void answer_with(const struct test_agent *test, const struct buf *body, gramc_wire wire) {
    static const char last[] =
        "{\"choices\":[{\"message\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}";
    const struct mock_answer answers[] = {{.body = body->ptr}, {.body = last}, {.body = last}};
    gramc_endpoint_options options = GRAMC_ENDPOINT_OPTIONS_INIT;
    struct mock_server *server = mock_start(answers, 3);
    gramc_model *model;
    options.model = TEXT("m");
    options.base_url = text_of(mock_url(server));
    options.max_retries = 0;
    assert_int_equal(gramc_model_new_endpoint(&model, &options), GRAMC_OK);
    expect_end(test, model, wire, body->ptr);
    gramc_model_free(model);
    mock_stop(server);
}

static void answers_of_a_provider(void **state) {
    struct test_agent test;
    size_t tried = 0;
    (void)state;
    init_agent(&test);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        struct arena arena;
        arena_init(&arena, NULL);
        const struct json *document = json_parse(&arena, text_of(recorded[i].body), NULL);
        assert_non_null(document);
        bool more = true;
        for (size_t place = 0; more; place++)
            for (size_t v = 0; more && v < sizeof values / sizeof *values; v++) {
                struct buf body;
                size_t n = place;
                buf_init(&body, NULL, 1 << 16);
                more = put_changed(&body, document, &n, values[v]);
                buf_putc(&body, '\0');
                if (more) answer_with(&test, &body, recorded[i].wire);
                tried += more;
                buf_free(&body);
            }
        arena_free(&arena);
    }
    test_agent_free(&test);
    assert_true(tried > 500);
}

/* ## From a trace */

static const char header[] = "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n";
static const char event[] =
    "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"a\",\"name\":\"sayHello\","
    "\"arguments\":\"{\\\"personName\\\":\\\"Ann\\\"}\"}],\"usage\":{\"prompt\":1,\"completion\":2,"
    "\"total\":3},\"finish\":\"tool_calls\",\"refusal\":null}";

static void events_of_a_trace(void **state) {
    struct test_agent test;
    struct arena arena;
    size_t played = 0, refused = 0;
    (void)state;
    init_agent(&test);
    arena_init(&arena, NULL);
    const struct json *document = json_parse(&arena, text_of(event), NULL);
    bool more = true;
    for (size_t place = 0; more; place++)
        for (size_t v = 0; more && v < sizeof values / sizeof *values; v++) {
            gramc_json_error error = {0};
            gramc_model *model = NULL;
            struct buf script;
            size_t n = place;
            buf_init(&script, NULL, 1 << 16);
            buf_puts(&script, header);
            more = put_changed(&script, document, &n, values[v]);
            buf_puts(&script, "\n{\"event\":\"model.response\",\"content\":\"done\"}\n");
            gramc_status status = gramc_model_new_script(&model, buf_view(&script), NULL, &error);
            if (status == GRAMC_OK) expect_end(&test, model, GRAMC_WIRE_TOOLS, script.ptr);
            else assert_true(status == GRAMC_FINDINGS && error.message[0]);
            played += status == GRAMC_OK;
            refused += status != GRAMC_OK;
            gramc_model_free(model);
            buf_free(&script);
        }
    arena_free(&arena);
    test_agent_free(&test);
    assert_true(played > 50 && refused > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_a_provider),
        cmocka_unit_test(events_of_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
