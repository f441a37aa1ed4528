/* Conversations that outlive their runs: the next run takes up what the last one left, a failed run
 * leaves nothing, one run at a time has a session, and what is taken up is worded for the wire and
 * the protocol of whoever takes it up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":2"
#define BEGIN HEADER "}\n"
#define SAYS(text) "{\"event\":\"model.response\",\"content\":\"" text "\"}\n"
#define CALLS(list) "{\"event\":\"model.response\",\"content\":null,\"calls\":[" list "]}\n"
#define CALL(id) "{\"id\":\"" id "\",\"name\":\"add\",\"arguments\":\"{}\"}"
#define CALL_WITHOUT_ID "{\"name\":\"add\",\"arguments\":\"{}\"}"

/* What outlives single runs. */
struct stage {
    const gramc_allocator *allocator;
    struct test_agent test;
    gramc_builtins *builtins;
    gramc_loop *loop;
    gramc_session *session;
};

static gramc_status stage_open(struct stage *stage, const gramc_allocator *allocator) {
    gramc_loop_options options = GRAMC_LOOP_OPTIONS_INIT;
    *stage = (struct stage){.allocator = allocator};
    test_agent_init(&stage->test);
    test_tool(&stage->test, "add", "{\"type\":\"object\",\"properties\":{}}",
              "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(&stage->test, "add", "3");
    options.allocator = allocator;
    gramc_status status = gramc_builtins_new(&stage->builtins, allocator);
    if (!status) status = gramc_loop_new(&stage->loop, &options);
    return status ? status : gramc_session_new(&stage->session, allocator);
}

static void stage_close(struct stage *stage) {
    gramc_loop_free(stage->loop);
    gramc_session_free(stage->session);
    gramc_builtins_free(stage->builtins);
    test_agent_free(&stage->test);
}

/* One run in the session. `script` NULL: the mock model. */
struct part {
    const char *message, *script, *protocol;
    gramc_wire wire;
    bool cancels;
};

static gramc_status play(struct stage *stage, struct test_run *run, const struct part *part) {
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(run);
    gramc_text message = text_of(part->message);
    gramc_bound *bound = NULL;
    gramc_model *model = NULL;
    gramc_run *started = NULL;
    bind.allocator = stage->allocator;
    bind.builtins = stage->builtins;
    bind.protocol = text_of(part->protocol ? part->protocol : "");
    gramc_status status = gramc_bind(&bound, &stage->test.agent, &stage->test.library, &bind);
    if (!status && part->script)
        status = gramc_model_new_script(&model, text_of(part->script), stage->allocator, NULL);
    else if (!status) status = gramc_model_new_mock(&model, stage->allocator);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.wire = part->wire;
    options.session = stage->session;
    options.trace = buf_writer(&run->trace);
    options.trace_without_times = true;
    if (!status) status = gramc_run_start(&started, stage->loop, bound, &options, &handler);
    if (!status && part->cancels) gramc_run_cancel(started);
    if (!status) status = gramc_loop_run(stage->loop);
    gramc_bound_free(bound);
    gramc_model_free(model);
    return status;
}

/* The last request of the run. */
static const char *last_request(struct test_run *run) {
    const char *last = NULL;
    buf_putc(&run->trace, '\0');
    for (const char *at = run->trace.ptr; (at = strstr(at, "\"event\":\"model.request\""));)
        last = at++;
    assert_non_null(last);
    return last;
}

static void expect(struct stage *stage, const struct part *part, gramc_outcome outcome,
                   const char *messages, const char *notes) {
    struct test_run run;
    test_run_init(&run);
    assert_int_equal(play(stage, &run, part), GRAMC_OK);
    buf_putc(&run.notes, '\0');
    if (run.outcome != outcome)
        fail_msg("%s: %s: %s", part->message, gramc_outcome_name(run.outcome), run.message);
    if (!strstr(last_request(&run), messages))
        fail_msg("%s: asked %.*s", part->message, (int)strcspn(last_request(&run), "\n"),
                 last_request(&run));
    if (!strstr(run.notes.ptr, notes) || (!notes[0] && run.notes.ptr[0]))
        fail_msg("%s: noted %s", part->message, run.notes.ptr);
    test_run_free(&run);
}

static void holds(const struct stage *stage, uint32_t turns, size_t messages) {
    gramc_session_info info = gramc_session_about(stage->session);
    assert_int_equal(info.turns, turns);
    assert_int_equal(info.messages, messages);
}

/* ## Tests */

static void test_continues(void **state) {
    (void)state;
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    holds(&stage, 0, 0);
    assert_int_equal(gramc_session_about(stage.session).agent.len, 0);
    const struct part first = {.message = "One", .script = BEGIN CALLS(CALL("a")) SAYS("Three.")};
    expect(&stage, &first, GRAMC_OUTCOME_ANSWERED, "\"messages\":[{\"role\":\"user\"", "");
    holds(&stage, 1, 4);
    assert_true(text_is(gramc_session_about(stage.session).agent, "tester"));
    assert_true(text_is(gramc_session_about(stage.session).protocol, "chat"));
    /* The id that the model gives again is another one in the request. */
    const struct part second = {.message = "Two", .script = BEGIN CALLS(CALL("a")) SAYS("Again.")};
    expect(&stage, &second, GRAMC_OUTCOME_ANSWERED,
           "\"messages\":[{\"role\":\"user\",\"content\":\"One\"},{\"role\":\"assistant\","
           "\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{"
           "\"name\":\"add\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\","
           "\"content\":\"3\"},{\"role\":\"assistant\",\"content\":\"Three.\"},{\"role\":\"user\","
           "\"content\":\"Two\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
           "\"call_1\"",
           "");
    holds(&stage, 2, 8);
    stage_close(&stage);
}

static void test_failed_run_leaves_it(void **state) {
    (void)state;
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    const struct part good = {.message = "One", .script = BEGIN SAYS("Yes.")};
    const struct part bad = {.message = "Two", .script = BEGIN CALLS(CALL("a"))};
    const struct part next = {.message = "Three", .script = BEGIN SAYS("Well.")};
    expect(&stage, &good, GRAMC_OUTCOME_ANSWERED, "One", "");
    expect(&stage, &bad, GRAMC_OUTCOME_MODEL_ERROR, "Two", "");
    holds(&stage, 1, 2);
    expect(
        &stage, &next, GRAMC_OUTCOME_ANSWERED,
        "{\"role\":\"assistant\",\"content\":\"Yes.\"},{\"role\":\"user\",\"content\":\"Three\"}",
        "");
    holds(&stage, 2, 4);
    stage_close(&stage);
}

struct chain {
    struct test_run run; /* first, as its handlers expect */
    struct stage *stage;
    gramc_bound *bound;
    gramc_run_options options;
    int left;
};

static void next_of_chain(void *ctx, const gramc_run_result *result) {
    struct test_run *run = ctx;
    struct chain *chain = (struct chain *)(void *)run;
    gramc_run_handler handler = test_handler(run);
    assert_int_equal(result->outcome, GRAMC_OUTCOME_ANSWERED);
    handler.done = next_of_chain;
    if (chain->left-- == 0) return;
    assert_int_equal(
        gramc_run_start(NULL, chain->stage->loop, chain->bound, &chain->options, &handler),
        GRAMC_OK);
    /* It has begun, so nobody else may. */
    assert_int_equal(
        gramc_run_start(NULL, chain->stage->loop, chain->bound, &chain->options, &handler),
        GRAMC_LIMIT);
}

static void test_one_run_at_a_time(void **state) {
    (void)state;
    struct stage stage;
    struct chain chain = {.stage = &stage, .options = GRAMC_RUN_OPTIONS_INIT, .left = 3};
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_text message = TEXT("Go on");
    gramc_model *model = NULL;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    bind.builtins = stage.builtins;
    assert_int_equal(gramc_bind(&chain.bound, &stage.test.agent, &stage.test.library, &bind),
                     GRAMC_OK);
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    chain.options.model = model;
    chain.options.messages = &message;
    chain.options.message_count = 1;
    chain.options.session = stage.session;
    test_run_init(&chain.run);
    gramc_run_handler handler = test_handler(&chain.run);
    handler.done = next_of_chain;
    assert_int_equal(gramc_run_start(NULL, stage.loop, chain.bound, &chain.options, &handler),
                     GRAMC_OK);
    assert_int_equal(gramc_run_start(NULL, stage.loop, chain.bound, &chain.options, &handler),
                     GRAMC_LIMIT);
    assert_int_equal(gramc_loop_run(stage.loop), GRAMC_OK);
    holds(&stage, 4, 16);
    test_run_free(&chain.run);
    gramc_bound_free(chain.bound);
    gramc_model_free(model);
    stage_close(&stage);
}

/* A run that is canceled lets go of the session, and changes nothing in it. */
static void test_canceled_run(void **state) {
    (void)state;
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    struct test_run run;
    test_run_init(&run);
    const struct part part = {.message = "One"}, canceled = {.message = "One", .cancels = true};
    assert_int_equal(play(&stage, &run, &canceled), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_CANCELED);
    holds(&stage, 0, 0);
    test_run_free(&run);
    expect(&stage, &part, GRAMC_OUTCOME_ANSWERED, "One", "");
    holds(&stage, 1, 4);
    stage_close(&stage);
}

static void test_another_agent(void **state) {
    (void)state;
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    const struct part part = {.message = "One"};
    expect(&stage, &part, GRAMC_OUTCOME_ANSWERED, "One", "");
    stage.test.agent.fingerprint = TEXT("cccc");
    expect(&stage, &part, GRAMC_OUTCOME_ANSWERED, "One", "agent `tester` has changed since");
    expect(&stage, &part, GRAMC_OUTCOME_ANSWERED, "One", "");
    stage.test.agent.name = TEXT("heir");
    expect(&stage, &part, GRAMC_OUTCOME_ANSWERED, "One",
           "held with agent `tester`; `heir` continues it");
    stage_close(&stage);
}

/* What only one protocol can read goes back in that one alone. */
static void test_another_protocol(void **state) {
    (void)state;
    static const char thinks[] = HEADER
        ",\"protocol\":\"messages\"}\n{\"event\":\"model.response\",\"content\":\"Hm.\",\"opaque\":"
        "[{\"type\":\"thinking\",\"thinking\":\"...\",\"signature\":\"s\"},{\"type\":\"text\","
        "\"text\":\"Hm.\"}]}\n";
    static const char says[] = HEADER ",\"protocol\":\"messages\"}\n" SAYS("Well.");
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    const struct part first = {.message = "One", .script = thinks, .protocol = "messages"};
    const struct part same = {.message = "Two", .script = says, .protocol = "messages"};
    const struct part other = {.message = "Three", .script = BEGIN SAYS("So.")};
    expect(&stage, &first, GRAMC_OUTCOME_ANSWERED, "One", "");
    expect(&stage, &same, GRAMC_OUTCOME_ANSWERED, "\"signature\":\"s\"", "");
    expect(&stage, &other, GRAMC_OUTCOME_ANSWERED,
           "{\"role\":\"assistant\",\"content\":\"Hm.\"},{\"role\":\"user\",\"content\":\"Two\"}",
           "1 answer of the session came by the protocol messages; what only that can read of "
           "them (thinking, signatures) is left out for chat");
    expect(&stage, &other, GRAMC_OUTCOME_ANSWERED, "Hm.", "");
    stage_close(&stage);
}

/* The older wire knows one call an answer, by its name; the newer one knows them by ids. */
static void test_another_wire(void **state) {
    (void)state;
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    const struct part two = {.message = "One",
                             .script = BEGIN CALLS(CALL("a") "," CALL("b")) SAYS("Three.")};
    const struct part older = {.message = "Two",
                               .script = BEGIN CALLS(CALL_WITHOUT_ID) SAYS("Three."),
                               .wire = GRAMC_WIRE_FUNCTIONS};
    const struct part newer = {.message = "Three", .script = BEGIN SAYS("Three.")};
    static const char function[] =
        "{\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"add\","
        "\"arguments\":\"{}\"}},{\"role\":\"function\",\"content\":\"3\",\"name\":\"add\"}";
    char twice[512];
    snprintf(twice, sizeof twice, "%s,%s,{\"role\":\"assistant\",\"content\":\"Three.\"}", function,
             function);
    expect(&stage, &two, GRAMC_OUTCOME_ANSWERED, "\"tool_call_id\":\"b\"", "");
    expect(&stage, &older, GRAMC_OUTCOME_ANSWERED, twice, "");
    expect(
        &stage, &newer, GRAMC_OUTCOME_ANSWERED,
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":"
        "\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\","
        "\"tool_call_id\":\"call_1\",\"content\":\"3\"}",
        "");
    stage_close(&stage);
}

/* ## Traces */

#define TURN(text) "{\"event\":\"turn\",\"message\":\"" text "\"}\n"
#define RESULT "{\"event\":\"tool.response\",\"call\":1,\"outcome\":\"ok\",\"result\":\"3\"}\n"
#define ANSWERED "{\"event\":\"answer\",\"text\":\"x\"}\n"

static void load(struct stage *stage, const char *trace, uint32_t turns, uint32_t left_out,
                 size_t messages) {
    gramc_session_history history;
    gramc_json_error error = {.message = ""};
    if (gramc_session_load_trace(stage->session, text_of(trace), &history, &error))
        fail_msg("%s: %s", trace, error.message);
    assert_int_equal(history.turns, turns);
    assert_int_equal(history.left_out, left_out);
    holds(stage, turns, messages);
}

static void test_traces(void **state) {
    (void)state;
    struct stage stage;
    struct test_run run;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    /* Cut in its last line, as a run leaves it that is killed. */
    load(&stage, BEGIN TURN("A") SAYS("x") ANSWERED TURN("B") SAYS("y") "{\"event\":\"ans", 1, 1,
         2);
    /* An answer whose calls have no results is none. */
    load(&stage, BEGIN TURN("A") CALLS(CALL("a")) SAYS("x") ANSWERED TURN("B") SAYS("y") ANSWERED,
         1, 1, 2);
    load(&stage, BEGIN TURN("A") CALLS(CALL("a")) RESULT ANSWERED, 1, 0, 3);
    /* Two runs in one file. */
    load(&stage,
         BEGIN TURN("A") SAYS("x") ANSWERED BEGIN TURN("B") CALLS(CALL("a")) RESULT SAYS("y")
             ANSWERED,
         2, 0, 6);
    assert_int_equal(gramc_session_load_trace(stage.session, TEXT(BEGIN TURN("A")), NULL, NULL),
                     GRAMC_FINDINGS);
    holds(&stage, 2, 6);
    /* What a run writes is what it left in its session. */
    test_run_init(&run);
    const struct part part = {.message = "C", .script = BEGIN CALLS(CALL("z")) SAYS("Three.")};
    assert_int_equal(play(&stage, &run, &part), GRAMC_OK);
    holds(&stage, 3, 10);
    buf_putc(&run.trace, '\0');
    assert_non_null(strstr(run.trace.ptr, "\"history\":6,"));
    load(&stage, run.trace.ptr, 1, 0, 4);
    expect(&stage, &(struct part){.message = "D", .script = BEGIN SAYS("So.")},
           GRAMC_OUTCOME_ANSWERED,
           "\"messages\":[{\"role\":\"user\",\"content\":\"C\"},{\"role\":\"assistant\","
           "\"content\":null,\"tool_calls\":[{\"id\":\"z\"",
           "");
    test_run_free(&run);
    stage_close(&stage);
}

/* Whatever stands in a trace: it is taken or refused. */
static void test_strange_traces(void **state) {
    (void)state;
    static const char good[] = BEGIN TURN("A") CALLS(CALL("a") "," CALL("b"))
        RESULT RESULT SAYS("x") ANSWERED TURN("B") SAYS("y") ANSWERED;
    char copy[sizeof good];
    struct stage stage;
    assert_int_equal(stage_open(&stage, NULL), GRAMC_OK);
    for (size_t i = 0; i < sizeof good - 1; i++) {
        for (const char *other = "7{,\"\n"; *other; other++) {
            memcpy(copy, good, sizeof good);
            copy[i] = *other;
            gramc_status status =
                gramc_session_load_trace(stage.session, text_of(copy), NULL, NULL);
            assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
        }
        gramc_status status =
            gramc_session_load_trace(stage.session, (gramc_text){good, i}, NULL, NULL);
        assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    }
    stage_close(&stage);
}

/* However memory runs out, the session holds the conversation before the run or the one after. */
static void test_memory(void **state) {
    (void)state;
    long failures = 0;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        const gramc_allocator allocator = test_failing(&failing);
        struct stage stage;
        struct test_run run;
        const struct part part = {.message = "One", .script = BEGIN CALLS(CALL("a")) SAYS("Yes.")};
        test_run_init(&run);
        gramc_status status = stage_open(&stage, &allocator);
        for (int i = 0; !status && i < 2; i++) {
            gramc_session_info before = gramc_session_about(stage.session);
            status = play(&stage, &run, &part);
            bool answered = !status && run.outcome == GRAMC_OUTCOME_ANSWERED;
            holds(&stage, before.turns + answered, before.messages + (answered ? 4 : 0));
        }
        if (status) assert_int_equal(status, GRAMC_NOMEM);
        stage_close(&stage);
        test_run_free(&run);
        assert_int_equal(failing.live, 0);
        failures += failing.failed;
        if (!failing.failed) break;
    }
    assert_true(failures > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_continues),
        cmocka_unit_test(test_failed_run_leaves_it),
        cmocka_unit_test(test_one_run_at_a_time),
        cmocka_unit_test(test_canceled_run),
        cmocka_unit_test(test_another_agent),
        cmocka_unit_test(test_another_protocol),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_strange_traces),
        cmocka_unit_test(test_another_wire),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
