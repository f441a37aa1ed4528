/* More tools than a request may hold: which are sent, in every protocol and both wires, and what is
 * said of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/stated.h"
#include "tests/support/agent.h"

enum { MOST = 131 };

#define OBJECT "{\"type\":\"object\",\"properties\":{}}"
#define SCRIPT                                                                                     \
    "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"                            \
    "{\"event\":\"model.response\",\"calls\":[{\"name\":\"t127\",\"arguments\":\"{}\"}]}\n"        \
    "{\"event\":\"model.response\",\"calls\":[{\"name\":\"t128\",\"arguments\":\"{}\"}]}\n"        \
    "{\"event\":\"model.response\",\"content\":\"done\"}\n"

/* An agent with `count` tools t0, t1..., which all return the same. */
struct crowd {
    char names[MOST][8];
    gramc_tool tools[MOST];
    const gramc_tool *list[MOST];
    gramc_impl impls[MOST];
    gramc_schema *any;
    gramc_agent agent;
    gramc_library library;
};

static void crowd_init(struct crowd *crowd, size_t count) {
    static const char any[] = "{}";
    memset(crowd, 0, sizeof *crowd);
    assert_int_equal(gramc_schema_compile(&crowd->any, any, 2, NULL, NULL), GRAMC_OK);
    for (size_t i = 0; i < count; i++) {
        snprintf(crowd->names[i], sizeof crowd->names[i], "t%zu", i);
        gramc_text name = text_of(crowd->names[i]);
        crowd->tools[i] = (gramc_tool){.name = name,
                                       .description = TEXT("d"),
                                       .parameters = TEXT(OBJECT),
                                       .accepts = crowd->any,
                                       .returns = crowd->any};
        crowd->list[i] = &crowd->tools[i];
        crowd->impls[i] =
            (gramc_impl){.name = name, .kind = GRAMC_IMPL_RETURNS, .target = TEXT("x")};
    }
    crowd->agent = (gramc_agent){.name = TEXT("crowd"),
                                 .description = TEXT("d"),
                                 .parallel_tool_calls = -1,
                                 .tools = crowd->list,
                                 .tool_count = count};
    crowd->library =
        (gramc_library){.name = TEXT("lib"), .impls = crowd->impls, .impl_count = count};
}

static size_t times(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

/* The bound agent, and what binding said. */
static gramc_bound *bind(const struct crowd *crowd, const char *protocol, char *said, size_t size) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bind_message message;
    gramc_bound *bound;
    options.protocol = text_of(protocol);
    assert_int_equal(gramc_bind(&bound, &crowd->agent, &crowd->library, &options), GRAMC_OK);
    said[0] = '\0';
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++) {
        assert_int_equal(message.severity, GRAMC_WARNING);
        assert_true(text_is(message.code, "G0457"));
        snprintf(said, size, "%.*s", TEXT_ARGS(message.message));
        assert_int_equal(i, 0);
    }
    return bound;
}

/* The trace of a run that calls t127 and then t128. */
static void run(struct test_run *run, const gramc_bound *bound, gramc_wire wire) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_text message = TEXT("Hello");
    gramc_run_handler handler = test_handler(run);
    gramc_json_error error;
    gramc_model *model;
    gramc_loop *loop;
    assert_int_equal(gramc_model_new_script(&model, TEXT(SCRIPT), NULL, &error), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.wire = wire;
    options.trace = buf_writer(&run->trace);
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_int_equal(run->outcome, GRAMC_OUTCOME_ANSWERED);
    gramc_loop_free(loop);
    gramc_model_free(model);
}

static void first_ones_are_sent(void **state) {
    static const struct {
        const char *protocol;
        gramc_wire wire;
        bool counts;
    } rows[] = {{"chat", GRAMC_WIRE_TOOLS, true},      {"chat", GRAMC_WIRE_FUNCTIONS, true},
                {"responses", GRAMC_WIRE_TOOLS, true}, {"gemini", GRAMC_WIRE_TOOLS, true},
                {"messages", GRAMC_WIRE_TOOLS, false}, {"ollama", GRAMC_WIRE_TOOLS, false}};
    static struct crowd crowd;
    (void)state;
    STATED(MANY_TOOLS, 128,
           "G0810, or G0811 where the provider refuses; a run says G0457 and sends the first ones");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t count = 128; count <= 130; count += 2) {
            bool cut = rows[i].counts && count > 128;
            struct test_run told;
            char said[256], tool[32];
            crowd_init(&crowd, count);
            test_run_init(&told);
            gramc_bound *bound = bind(&crowd, rows[i].protocol, said, sizeof said);
            assert_string_equal(said, cut ? "agent `crowd` has 130 tools, and a request takes 128: "
                                            "`t128` and what follows it is not sent"
                                          : "");
            run(&told, bound, rows[i].wire);
            for (size_t t = 0; t < MOST; t++) {
                size_t sent = t < (cut ? 128 : count) ? 3 : 0; /* in each of three requests */
                snprintf(tool, sizeof tool, "\"name\":\"t%zu\",\"description\"", t);
                assert_int_equal(times(told.trace.ptr, tool), sent);
            }
            assert_int_equal(times(told.trace.ptr, "\"outcome\":\"unknown-tool\""),
                             count == 128 || cut ? 1 : 0);
            test_run_free(&told);
            gramc_bound_free(bound);
            gramc_schema_free(crowd.any);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_ones_are_sent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
