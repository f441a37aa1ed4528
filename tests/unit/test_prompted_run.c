/* Runs of the strategy `prompted`: by each protocol its answers are asked for as JSON where they
 * are arguments, and streamed where they are for the user; a run that ends in the middle of any
 * question leaves nothing behind; what small models write for arguments is called, or asked for
 * again. What they are told is in golden cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"
#include "tests/support/streams.h"

#define SSE "Content-Type: text/event-stream\r\n"
#define COUNT(list) (sizeof(list) / sizeof *(list))
#define ARGUMENTS "{\\\"a\\\": 1, \\\"b\\\": 2}"
#define PARAMETERS                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"           \
    "\"integer\"}},\"required\":[\"a\",\"b\"]}"

enum { RUNS = 8, QUESTIONS = 8 };

struct how {
    const char *protocol, *choice; /* choice: the agent's toolChoice, or NULL */
    struct mock_server *server;
    const char *script; /* in place of the server */
    bool stream, two_tools;
    uint32_t timeout_ms;
    size_t cancel_at; /* the request, from 1, at which it is cancelled; 0: none */
    size_t runs;      /* at the same time; 0: one */
};

struct watched {
    struct test_run run; /* first: the handler gets it */
    struct buf said;     /* the deltas */
    char sent[256];      /* what the tool got last */
    size_t asked, cancel_at;
    gramc_run *started;
};

static void on_event(void *ctx, const gramc_event *event) {
    struct watched *watched = (struct watched *)ctx;
    if (event->kind == GRAMC_EVENT_DELTA) buf_text(&watched->said, event->text);
    if (event->kind == GRAMC_EVENT_CALL)
        snprintf(watched->sent, sizeof watched->sent, "%.*s", TEXT_ARGS(event->call->sent));
    if (event->kind == GRAMC_EVENT_REQUEST && ++watched->asked == watched->cancel_at)
        gramc_run_cancel(watched->started);
}

static gramc_status open_model(gramc_model **out, const struct how *how) {
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    if (how->script) return gramc_model_new_script(out, text_of(how->script), NULL, NULL);
    endpoint.base_url = text_of(mock_url(how->server));
    endpoint.protocol = text_of(how->protocol);
    endpoint.stream = how->stream;
    endpoint.max_retries = 0;
    return gramc_model_new_endpoint(out, &endpoint);
}

static gramc_status start(struct watched *watched, const struct how *how, gramc_loop *loop,
                          const gramc_bound *bound, const gramc_model *model) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(&watched->run);
    const gramc_text message = TEXT("How much is 1+2?");
    handler.event = on_event;
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    options.timeout_ms = how->timeout_ms;
    watched->cancel_at = how->cancel_at;
    return gramc_run_start(&watched->started, loop, bound, &options, &handler);
}

static void watched_init(struct watched *watched) {
    memset(watched, 0, sizeof *watched);
    test_run_init(&watched->run);
    buf_init(&watched->said, NULL, 1 << 24);
}

static void watched_end(struct watched *watched) {
    buf_putc(&watched->said, '\0');
    buf_putc(&watched->run.notes, '\0');
}

static void watched_free(struct watched *watched) {
    test_run_free(&watched->run);
    buf_free(&watched->said);
}

/* All at the same time, on one loop. */
static void try_run(struct watched *watched, const struct how *how) {
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    struct test_agent test;
    gramc_model *model;
    gramc_bound *bound;
    gramc_loop *loop;
    size_t runs = how->runs ? how->runs : 1;
    test_agent_init(&test);
    test_tool(&test, "add", PARAMETERS, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_returns(&test, "add", "3");
    if (how->two_tools) {
        test_tool(&test, "multiply", PARAMETERS, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
        test_returns(&test, "multiply", "2");
    }
    test.agent.strategy = TEXT("prompted");
    test.agent.model = TEXT("OpenAI/m-1");
    test.agent.coerce = true;
    if (how->choice) test.agent.tool_choice = text_of(how->choice);
    bind.protocol = text_of(how->protocol);
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &bind), GRAMC_OK);
    assert_int_equal(open_model(&model, how), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, &loop_options), GRAMC_OK);
    for (size_t i = 0; i < runs; i++) watched_init(&watched[i]);
    for (size_t i = 0; i < runs; i++)
        assert_int_equal(start(&watched[i], how, loop, bound, model), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    for (size_t i = 0; i < runs; i++) watched_end(&watched[i]);
    gramc_loop_free(loop);
    gramc_model_free(model);
    gramc_bound_free(bound);
    test_agent_free(&test);
}

/* ## Each protocol */

static const struct {
    const char *protocol, *before, *after; /* an answer, around its text */
    const char *json;                      /* how it is told that the answer is to be JSON */
} protocols[] = {
    {"chat", "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"",
     "\"},\"finish_reason\":\"stop\"}]}", "\"response_format\":{\"type\":\"json_schema\""},
    {"responses",
     "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\","
     "\"content\":[{\"type\":\"output_text\",\"text\":\"",
     "\"}]}]}", "\"text\":{\"format\":{\"type\":\"json_schema\""},
    {"messages",
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"",
     "\"}],\"stop_reason\":\"end_turn\"}", "\"output_config\":{\"format\":"},
    {"gemini", "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"",
     "\"}]},\"finishReason\":\"STOP\"}]}", "\"responseJsonSchema\":{"},
    {"ollama", "{\"message\":{\"role\":\"assistant\",\"content\":\"",
     "\"},\"done\":true,\"done_reason\":\"stop\"}", "\"format\":{"}};

static const char *const of_two[QUESTIONS] = {"OK",    "They are.", "yes",   "add",
                                              "I see", ARGUMENTS,   "Done.", "no"};

struct answers {
    char bodies[QUESTIONS][512];
    struct mock_answer list[QUESTIONS];
};

static void write_answers(struct answers *out, size_t protocol, const char *const *said,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        snprintf(out->bodies[i], sizeof out->bodies[i], "%s%s%s", protocols[protocol].before,
                 said[i], protocols[protocol].after);
        out->list[i] = (struct mock_answer){.body = out->bodies[i]};
    }
}

static bool is_streamed(struct mock_server *server, size_t i) {
    return strstr(mock_body(server, i), "\"stream\":true") ||
           strstr(mock_head(server, i), "streamGenerateContent");
}

static void arguments_are_asked_for_as_json(void **state) {
    static const char *const said[] = {"OK", "I see", ARGUMENTS};
    (void)state;
    for (size_t p = 0; p < COUNT(protocols); p++) {
        struct answers answers;
        struct watched watched;
        write_answers(&answers, p, said, COUNT(said));
        struct how how = {.protocol = protocols[p].protocol,
                          .stream = true,
                          .server = mock_start(answers.list, COUNT(said))};
        try_run(&watched, &how);
        assert_string_equal(watched.run.message, "");
        assert_string_equal(watched.run.text, "3");
        assert_string_equal(watched.said.ptr, "");
        assert_int_equal(mock_count(how.server), 3);
        for (size_t i = 0; i < 3; i++) {
            const char *asked = mock_body(how.server, i);
            assert_true((strstr(asked, protocols[p].json) != NULL) == (i == 2));
            assert_null(strstr(asked, "\"tools\""));
            assert_false(is_streamed(how.server, i));
        }
        watched_free(&watched);
        mock_stop(how.server);
    }
}

static bool is_cut(const char *body) {
    return strstr(body, "MAX_TOKENS") || strstr(body, "max_") || strstr(body, "\"length\"");
}

static const struct recorded *text_of_protocol(const char *protocol) {
    const struct recorded *from = recorded_streams;
    for (bool calls = true; from->protocol; from++) {
        if (strcmp(from->protocol, protocol) != 0) continue;
        if (!calls && !is_cut(from->body)) return from;
        if (!calls) return NULL; /* nothing else was recorded */
        calls = false;
    }
    return NULL;
}

/* What the user hears is streamed, and none of what leads to it. */
static void plain_answers_are_streamed(void **state) {
    static const char *const said[] = {"OK", "I see", "It does not.", "No.", "Three."};
    const size_t last = COUNT(said) - 1;
    (void)state;
    for (size_t p = 0; p < COUNT(protocols); p++) {
        const struct recorded *text = text_of_protocol(protocols[p].protocol);
        struct answers answers;
        struct watched watched;
        write_answers(&answers, p, said, COUNT(said));
        if (text) answers.list[last] = (struct mock_answer){.headers = SSE, .body = text->stream};
        struct how how = {.protocol = protocols[p].protocol,
                          .stream = true,
                          .choice = "auto",
                          .server = mock_start(answers.list, COUNT(said))};
        try_run(&watched, &how);
        assert_string_equal(watched.run.message, "");
        assert_int_equal(mock_count(how.server), COUNT(said));
        for (size_t i = 0; i <= last; i++) assert_true(is_streamed(how.server, i) == (i == last));
        assert_null(strstr(mock_body(how.server, last), "Say whether you understand"));
        if (text) assert_string_equal(watched.said.ptr, watched.run.text);
        watched_free(&watched);
        mock_stop(how.server);
    }
}

/* ## Ends in the middle */

static void ends_in_each_question(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)QUESTIONS; i++) {
        const size_t at = i % QUESTIONS;
        bool hangs = i < QUESTIONS;
        struct answers answers;
        struct watched watched;
        write_answers(&answers, 0, of_two, QUESTIONS);
        answers.list[at].mode = MOCK_HANG;
        struct how how = {.protocol = "chat",
                          .choice = "auto",
                          .two_tools = true,
                          .timeout_ms = hangs ? 100 : 0,
                          .cancel_at = hangs ? 0 : at + 1,
                          .server = mock_start(answers.list, QUESTIONS)};
        try_run(&watched, &how);
        assert_int_equal(watched.run.outcome,
                         hangs ? GRAMC_OUTCOME_TIMEOUT : GRAMC_OUTCOME_CANCELED);
        assert_int_equal(watched.run.result.requests, at + 1);
        assert_int_equal(watched.run.result.calls, at > 5 ? 1 : 0);
        watched_free(&watched);
        mock_stop(how.server);
    }
}

/* ## What models write */

static void put_answer(struct buf *out, const char *said) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "event", TEXT("model.response"));
    json_member_text(&w, "content", text_of(said));
    json_object_end(&w);
    buf_putc(out, '\n');
}

static void write_script(struct buf *out, const char *const *said, size_t count) {
    buf_init(out, NULL, 1 << 20);
    buf_puts(out, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":2}\n");
    for (size_t i = 0; i < count; i++) put_answer(out, said[i]);
    buf_putc(out, '\0');
}

static void habits(void **state) {
    static const char good[] = "{\"a\":1,\"b\":2}";
    static const struct {
        const char *said;
        bool again; /* it is no call, and the model is asked again */
    } rows[] = {
        {"{\"a\": 1, \"b\": 2}", false},
        {"```json\n{\"a\": 1, \"b\": 2}\n```", false},
        {"Sure! Here is the call:\n{\"a\": 1, \"b\": 2}\nLet me know what it says.", false},
        {"{'a': 1, 'b': 2}", false},
        {"{\xE2\x80\x9C"
         "a\xE2\x80\x9D: 1, \xE2\x80\x9C"
         "b\xE2\x80\x9D: 2}",
         false},
        {"{a: 1, b: 2}", false},
        {"{\"a\": 1, \"b\": 2,}", false},
        {"{\"a\": \"1\", \"b\": \"2\"}", false},
        {"{\"a\": 1, // the first\n \"b\": 2}", false},
        {"{\"a\": 1, \"b\": \"2\"", false}, /* half of it */
        {"{\"a\": 1, \"b\": 2", true},      /* 2 may be the beginning of 25 */
        {"{\"a\": 1, \"b\": 2}}", false},
        {"<think>Perhaps {\"a\": 7, \"b\": 8}?</think>\n{\"a\": 1, \"b\": 2}", false},
        {"Perhaps {\"a\": 7, \"b\": 8}?</think>{\"a\": 1, \"b\": 2}", false},
        {"<think>{\"a\": 1, \"b\": 2}", true}, /* it never came to an end */
        {"{\"a\": 7, \"b\": 8}\n{\"a\": 1, \"b\": 2}", true},
        {"{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2}}", false},
        {"{\"name\": \"Add\", \"parameters\": {\"a\": 1, \"b\": 2}}", false},
        {"{\"tool\": \"add\", \"args\": {\"a\": 1, \"b\": 2}}", false},
        {"{\"arguments\": {\"a\": 1, \"b\": 2}}", false},
        {"{\"add\": {\"a\": 1, \"b\": 2}}", false},
        {"{\"name\": \"add\", \"arguments\": \"{\\\"a\\\": 1, \\\"b\\\": 2}\"}", false},
        {"{\"id\": \"call_1\", \"type\": \"function\", \"function\": {\"name\": \"add\", "
         "\"arguments\": {\"a\": 1, \"b\": 2}}}",
         false},
        {"```\n{'tool': 'add', 'arguments': {'a': 1, 'b': 2}}\n```", false},
        {"{\"name\": \"multiply\", \"arguments\": {\"a\": 1, \"b\": 2}}", true},
        {"{\"name\": \"add\"}", true},
        {"{\"a\": 1}", true},
        {"{\"a\": 1, \"c\": 2}", true},
        {"add(1, 2)", true},
        {"I would call add with 1 and 2.", true},
        {"", true},
        {" \n", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const said[] = {"OK", "I see", rows[i].said, good};
        struct watched watched;
        struct buf script;
        write_script(&script, said, COUNT(said));
        try_run(&watched, &(struct how){.protocol = "ollama", .script = script.ptr});
        if (watched.run.result.requests != (rows[i].again ? 4 : 3))
            print_error("%s\n", rows[i].said);
        assert_string_equal(watched.run.text, "3");
        assert_int_equal(watched.run.result.requests, rows[i].again ? 4 : 3);
        buf_free(&script);
        watched_free(&watched);
    }
}

static void silence_is_counted(void **state) {
    (void)state;
    for (size_t at = 0; at < QUESTIONS; at++) {
        const char *said[QUESTIONS + 5];
        struct watched watched;
        struct buf script;
        for (size_t empties = 4; empties < 6; empties++) {
            size_t count = 0;
            for (size_t i = 0; i < QUESTIONS; i++) {
                for (size_t e = 0; i == at && e < empties; e++) said[count++] = "";
                said[count++] = i == 5 ? "{\"a\": 1, \"b\": 2}" : of_two[i];
            }
            write_script(&script, said, count);
            try_run(&watched, &(struct how){.protocol = "ollama",
                                            .script = script.ptr,
                                            .choice = "auto",
                                            .two_tools = true});
            assert_int_equal(watched.run.outcome,
                             empties < 5 ? GRAMC_OUTCOME_ANSWERED : GRAMC_OUTCOME_EMPTY_RESPONSE);
            assert_int_equal(watched.run.result.requests,
                             empties < 5 ? QUESTIONS + empties : at + 5);
            assert_non_null(strstr(watched.run.notes.ptr, "said nothing; it is asked again"));
            buf_free(&script);
            watched_free(&watched);
        }
    }
}

static void many_at_once(void **state) {
    const char *said[QUESTIONS];
    struct watched watched[RUNS];
    struct buf script;
    (void)state;
    memcpy(said, of_two, sizeof said);
    said[5] = "{\"a\": 1, \"b\": 2}";
    write_script(&script, said, QUESTIONS);
    try_run(watched, &(struct how){.protocol = "ollama",
                                   .script = script.ptr,
                                   .choice = "auto",
                                   .two_tools = true,
                                   .runs = RUNS});
    for (size_t i = 0; i < RUNS; i++) {
        assert_string_equal(watched[i].run.text, "Done.");
        assert_string_equal(watched[i].sent, "{\"a\": 1, \"b\": 2}");
        assert_int_equal(watched[i].run.result.requests, QUESTIONS);
        watched_free(&watched[i]);
    }
    buf_free(&script);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_are_asked_for_as_json),
                                       cmocka_unit_test(plain_answers_are_streamed),
                                       cmocka_unit_test(ends_in_each_question),
                                       cmocka_unit_test(habits),
                                       cmocka_unit_test(silence_is_counted),
                                       cmocka_unit_test(many_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
