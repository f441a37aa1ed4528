/* Runs whose model streams, against a scripted server: they end as unstreamed
 * ones do, tell what the model says as it says it, hide secrets in it, and wait
 * for no stream that has stopped. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/json/json.h"
#include "base/text.h"
#include "tests/stated.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"
#include "tests/support/streams.h"

static const char secret[] = "sk-planted-secret-0123456789";

/* One message to an agent with two tools. */
struct told {
    struct test_run run;
    struct buf said; /* the deltas, one behind the other */
    size_t deltas;
    size_t requests;
    char path[256], body[8192]; /* of the first request */
};

struct how {
    const char *protocol;
    bool stream, unwatched;
    gramc_endpoint_options endpoint;
    uint32_t timeout_ms;
    const char *key; /* NULL: the secret of all */
    const gramc_allocator *allocator;
};

static void on_event(void *ctx, const gramc_event *event) {
    struct test_run *run = ctx;
    struct told *told = (struct told *)(void *)run;
    if (event->kind != GRAMC_EVENT_DELTA) return;
    assert_null(event->name);
    assert_true(event->text.len > 0 && text_is_utf8(event->text));
    buf_text(&told->said, event->text);
    told->deltas++;
}

static gramc_status drive(struct told *told, struct test_agent *test, const struct how *how,
                          const struct mock_server *server) {
    gramc_endpoint_options endpoint = how->endpoint;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options loop_options = GRAMC_LOOP_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_run_handler handler = test_handler(&told->run);
    gramc_text message = TEXT("Hello");
    gramc_builtins *builtins = NULL;
    gramc_bound *bound = NULL;
    gramc_model *model = NULL;
    gramc_loop *loop = NULL;
    endpoint.struct_size = sizeof endpoint;
    endpoint.base_url = text_of(mock_url(server));
    endpoint.model = TEXT("OpenAI/m-1");
    endpoint.protocol = bind.protocol = text_of(how->protocol);
    endpoint.api_key = text_of(how->key ? how->key : secret);
    endpoint.retry_wait_ms = 1;
    endpoint.stream = how->stream;
    if (!how->unwatched) handler.event = on_event;
    endpoint.allocator = bind.allocator = loop_options.allocator = how->allocator;
    options.messages = &message;
    options.message_count = 1;
    options.timeout_ms = how->timeout_ms;
    options.trace = buf_writer(&told->run.trace);
    options.trace_without_times = true;
    gramc_status status = gramc_builtins_new(&builtins, how->allocator);
    bind.builtins = builtins;
    if (!status) status = gramc_bind(&bound, &test->agent, &test->library, &bind);
    if (!status) status = gramc_model_new_endpoint(&model, &endpoint);
    options.model = model;
    if (!status) status = gramc_loop_new(&loop, &loop_options);
    if (!status) status = gramc_run_start(NULL, loop, bound, &options, &handler);
    if (!status) status = gramc_loop_run(loop);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_model_free(model);
    gramc_builtins_free(builtins);
    return status;
}

static void keep_request(struct told *told, struct mock_server *server) {
    told->requests = mock_count(server);
    if (told->requests == 0) return;
    snprintf(told->path, sizeof told->path, "%s", mock_head(server, 0));
    told->path[strcspn(told->path, "\r")] = '\0';
    snprintf(told->body, sizeof told->body, "%s", mock_body(server, 0));
}

static gramc_status try_run(struct told *told, const struct mock_answer *answers, size_t count,
                            const struct how *how) {
    struct test_agent test;
    struct mock_server *server = mock_start(answers, count);
    test_agent_init(&test);
    test_tool(&test, "sayHello",
              "{\"type\":\"object\",\"properties\":{\"personName\":{\"type\":"
              "\"string\"}}}",
              "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_tool(&test, "add", "{\"type\":\"object\",\"properties\":{}}", "{\"type\":\"string\"}",
              GRAMC_RESULT_TEXT);
    test_returns(&test, "sayHello", "hello");
    test_returns(&test, "add", "3");
    memset(told, 0, sizeof *told);
    test_run_init(&told->run);
    buf_init(&told->said, NULL, 1 << 24);
    gramc_status status = drive(told, &test, how, server);
    keep_request(told, server);
    mock_stop(server);
    test_agent_free(&test);
    return status;
}

static void run(struct told *told, const struct mock_answer *answers, size_t count,
                const struct how *how) {
    assert_int_equal(try_run(told, answers, count, how), GRAMC_OK);
    assert_int_equal(told->run.done, 1);
    buf_putc(&told->said, '\0');
    buf_putc(&told->run.trace, '\0');
    buf_putc(&told->run.answers, '\0');
    assert_null(strstr(told->run.trace.ptr, secret));
    assert_null(strstr(told->said.ptr, secret));
}

static void told_free(struct told *told) {
    test_run_free(&told->run);
    buf_free(&told->said);
}

static void expect(const struct told *told, gramc_outcome outcome, const char *message) {
    if (told->run.outcome != outcome || strcmp(told->run.message, message) != 0)
        fail_msg("ended as %s: %s", gramc_outcome_name(told->run.outcome), told->run.message);
}

#define SSE "Content-Type: text/event-stream\r\n"
#define CHUNK(delta) "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}\n\n"
#define SAYS(text) CHUNK("\"content\":\"" text "\"")
#define STOP                                                                                       \
    "data: "                                                                                       \
    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ## The same, streamed and not */

/* The events of the model's answers and of the calls; what an answer's body was
 * long does not count. */
static void put_events(struct buf *out, const char *trace) {
    for (const char *line = trace; *line;) {
        size_t len = strcspn(line, "\n");
        const char *size = strstr(line, ",\"size\":");
        bool counts =
            memmem(line, len, "\"model.response\"", 16) || memmem(line, len, "\"tool.", 6);
        size_t cut = size && size < line + len ? (size_t)(size - line) : len;
        if (counts) buf_text(out, (gramc_text){line, cut});
        if (counts) buf_putc(out, '\n');
        line += len + (line[len] == '\n');
    }
    buf_putc(out, '\0');
}

static const struct recorded *next_of(const struct recorded *from, const char *protocol) {
    while (from->protocol && strcmp(from->protocol, protocol) != 0) from++;
    assert_non_null(from->protocol);
    return from;
}

static void same_run(void **state) {
    static const struct {
        const char *protocol, *path, *streams;
        gramc_outcome outcome;
    } rows[] = {
        {"chat", "POST /v1/chat/completions HTTP/1.1",
         "\"stream\":true,\"stream_options\":{\"include_usage\":true}}", GRAMC_OUTCOME_ANSWERED},
        {"responses", "POST /v1/responses HTTP/1.1", "\"stream\":true}", GRAMC_OUTCOME_LENGTH},
        {"messages", "POST /v1/messages HTTP/1.1", "\"stream\":true}", GRAMC_OUTCOME_ANSWERED},
        {"gemini", "POST /v1/models/m-1:streamGenerateContent?alt=sse HTTP/1.1",
         "\"contents\":", GRAMC_OUTCOME_LENGTH},
        {"ollama", "POST /v1/api/chat HTTP/1.1", "\"stream\":true", GRAMC_OUTCOME_LENGTH},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct recorded *calls = next_of(recorded_streams, rows[i].protocol);
        const struct recorded *text = next_of(calls + 1, rows[i].protocol);
        const struct mock_answer plain[] = {{.body = calls->body}, {.body = text->body}};
        const struct mock_answer streamed[] = {{.headers = SSE, .body = calls->stream},
                                               {.headers = SSE, .body = text->stream}};
        struct how how = {.protocol = rows[i].protocol};
        struct told whole, pieces;
        struct buf events[2];
        run(&whole, plain, 2, &how);
        how.stream = true;
        run(&pieces, streamed, 2, &how);
        buf_init(&events[0], NULL, 1 << 20);
        buf_init(&events[1], NULL, 1 << 20);
        put_events(&events[0], whole.run.trace.ptr);
        put_events(&events[1], pieces.run.trace.ptr);
        assert_string_equal(events[1].ptr, events[0].ptr);
        assert_int_equal(whole.run.outcome, rows[i].outcome);
        assert_int_equal(pieces.run.outcome, rows[i].outcome);
        assert_string_equal(pieces.run.text, whole.run.text);
        assert_int_equal(pieces.run.result.total_tokens, whole.run.result.total_tokens);
        assert_int_equal(pieces.run.result.cached_tokens, whole.run.result.cached_tokens);
        assert_true(pieces.run.result.calls >= 2 && whole.deltas == 0);
        assert_string_equal(pieces.path, rows[i].path);
        assert_non_null(strstr(pieces.body, rows[i].streams));
        assert_null(strstr(whole.body, "\"stream\":true"));
        assert_true(text_starts(buf_view(&pieces.said), calls->said));
        assert_non_null(strstr(pieces.said.ptr, text->said));
        buf_free(&events[0]);
        buf_free(&events[1]);
        told_free(&whole);
        told_free(&pieces);
    }
}

/* A server that does not stream is understood. */
static void not_listening(void **state) {
    const struct recorded *one = next_of(next_of(recorded_streams, "chat") + 1, "chat");
    const struct mock_answer answers[] = {{.body = one->body}};
    const struct how how = {.protocol = "chat", .stream = true};
    struct told told;
    (void)state;
    run(&told, answers, 1, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    assert_int_equal(told.deltas, 0);
    told_free(&told);
}

/* ## Broken off */

static void broken(void **state) {
    static const struct {
        struct mock_answer answer;
        const char *message;
        const char *text; /* that is left of it */
        const char *class_;
    } rows[] = {
        {{.headers = SSE, .body = SAYS("a") "data: {\"error\":{\"message\":\"overloaded\"}}\n\n"},
         "the model endpoint: overloaded",
         "a",
         "\"class\":\"malformed\""},
        {{.headers = SSE, .body = SAYS("a") SAYS("b")},
         "the model endpoint: the stream ended before the answer was complete",
         "ab",
         "\"class\":\"malformed\""},
        {{.headers = SSE, .body = SAYS("a") "data: {\"choices\":[{\"delta\":"},
         "the model endpoint: the stream ended before the answer was complete",
         "a",
         "\"class\":\"malformed\""},
        {{.headers = SSE, .body = SAYS("a") "data: nonsense\n\n" STOP},
         "the model endpoint: the stream holds an event that is not JSON",
         "a",
         "\"class\":\"malformed\""},
        {{.headers = SSE, .body = ": nothing at all\n\n"},
         "the model endpoint: the stream ended before the answer was complete",
         "",
         "\"class\":\"malformed\""},
        {{.status = 400, .headers = SSE, .body = "data: {\"error\":1}\n\n"},
         "the model endpoint answered with status 400: data: {\"error\":1}",
         "",
         "\"class\":\"refused\""},
        {{.headers = "Content-Type: text/html\r\n", .body = "<html>"},
         "the model endpoint: the answer is not a JSON object (text/html): "
         "<html>",
         "",
         "\"class\":\"malformed\""},
    };
    const struct how how = {.protocol = "chat", .stream = true};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct told told;
        run(&told, &rows[i].answer, 1, &how);
        expect(&told, GRAMC_OUTCOME_MODEL_ERROR, rows[i].message);
        assert_string_equal(told.run.text, rows[i].text);
        assert_string_equal(told.said.ptr, rows[i].text);
        assert_non_null(strstr(told.run.trace.ptr, rows[i].class_));
        assert_int_equal(told.requests, 1);
        told_free(&told);
    }
}

/* The connection breaks: another attempt is made unless somebody has heard a
 * piece already. */
static void retries(void **state) {
    const struct mock_answer answers[] = {
        {.mode = MOCK_CUT, .headers = SSE, .body = SAYS("lost") SAYS("lost") SAYS("lost") STOP},
        {.headers = SSE, .body = SAYS("Hi") STOP DONE}};
    const struct mock_answer silent[] = {
        {.mode = MOCK_CUT, .headers = SSE, .body = ": 12345678901234567890\n\n" SAYS("") STOP},
        {.headers = SSE, .body = SAYS("Hi") STOP DONE}};
    const struct mock_answer busy[] = {{.status = 503, .body = ""},
                                       {.headers = SSE, .body = SAYS("Hi") STOP DONE}};
    struct how how = {.protocol = "chat", .stream = true, .endpoint = {.max_retries = 2}};
    struct told told;
    (void)state;
    run(&told, answers, 2, &how);
    assert_int_equal(told.run.outcome, GRAMC_OUTCOME_MODEL_ERROR);
    assert_true(text_starts(text_of(told.run.message), "the model endpoint cannot be reached"));
    assert_non_null(strstr(told.run.trace.ptr, "\"class\":\"unreachable\""));
    assert_string_equal(told.said.ptr, "lostlost");
    assert_int_equal(told.requests, 1);
    told_free(&told);
    run(&told, silent, 2, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    assert_int_equal(told.requests, 2);
    told_free(&told);
    run(&told, busy, 2, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    assert_string_equal(told.said.ptr, "Hi");
    told_free(&told);
    how.unwatched = true;
    run(&told, answers, 2, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    assert_string_equal(told.run.answers.ptr, "Hi\n");
    assert_int_equal(told.requests, 2);
    told_free(&told);
}

/* A reason for the end is enough: the server need not say more, nor close. */
static void ends(void **state) {
    const struct mock_answer rows[] = {
        {.mode = MOCK_OPEN, .headers = SSE, .body = SAYS("Hi") STOP DONE},
        {.mode = MOCK_OPEN, .headers = SSE, .body = SAYS("Hi") STOP},
        {.headers = SSE, .body = SAYS("Hi") STOP},
    };
    const struct how how = {
        .protocol = "chat", .stream = true, .endpoint = {.idle_timeout_ms = 300}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct told told;
        run(&told, &rows[i], 1, &how);
        expect(&told, GRAMC_OUTCOME_ANSWERED, "");
        assert_string_equal(told.run.answers.ptr, "Hi\n");
        told_free(&told);
    }
}

/* A secret of digits that an answer holds as a number: hidden, and each line of the trace is JSON.
 */
static void numeric_secret(void **state) {
    static const char digits[] = "98765432109876543210";
    const struct mock_answer answers[] = {
        {.body =
             "{\"content\":[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"sayHello\",\"input\":{"
             "\"personName\":98765432109876543210}}],\"stop_reason\":\"tool_use\"}"},
        {.body = "{\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],\"stop_reason\":"
                 "\"end_turn\"}"}};
    const struct how how = {.protocol = "messages", .key = digits};
    struct told told;
    struct arena arena;
    (void)state;
    run(&told, answers, 2, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    assert_null(strstr(told.run.trace.ptr, digits));
    arena_init(&arena, NULL);
    gramc_text rest = buf_view(&told.run.trace);
    size_t lines = 0;
    for (const char *end; (end = memchr(rest.ptr, '\n', rest.len)); lines++) {
        gramc_text line = text_slice(rest, 0, (size_t)(end - rest.ptr));
        if (!json_parse(&arena, line, NULL)) fail_msg("%.*s", TEXT_ARGS(line));
        rest = text_slice(rest, line.len + 1, rest.len);
    }
    assert_true(lines > 5);
    arena_free(&arena);
    told_free(&told);
}

/* ## Silence */

static void idle(void **state) {
    const struct mock_answer stalls[] = {
        {.mode = MOCK_STALL, .headers = SSE, .body = SAYS("a") SAYS("b") SAYS("c") STOP}};
    struct how how = {.protocol = "chat", .stream = true, .endpoint = {.idle_timeout_ms = 250}};
    struct told told;
    (void)state;
    STATED(STREAM_IDLE_MS, 60000, "the run ends as model-error");
    run(&told, stalls, 1, &how);
    expect(&told, GRAMC_OUTCOME_MODEL_ERROR,
           "the model endpoint did not answer in time: nothing more of it came "
           "for 250 ms");
    assert_non_null(strstr(told.run.trace.ptr, "\"class\":\"timeout\""));
    assert_true(told.run.result.duration_ns >= 240 * MS && told.run.result.duration_ns < 5000 * MS);
    assert_string_equal(told.run.text, "ab");
    told_free(&told);
    /* By itself it does not end within these: the whole run's time does. */
    how.endpoint.idle_timeout_ms = 0;
    how.timeout_ms = 600;
    run(&told, stalls, 1, &how);
    assert_int_equal(told.run.outcome, GRAMC_OUTCOME_TIMEOUT);
    assert_string_equal(told.run.text, "ab");
    told_free(&told);
}

static void size_limit(void **state) {
    const struct mock_answer big[] = {
        {.headers = SSE, .body = SAYS("0123456789") SAYS("0123456789") STOP}};
    struct how how = {.protocol = "chat", .stream = true, .endpoint = {.max_response = 15}};
    struct told told;
    (void)state;
    run(&told, big, 1, &how);
    expect(&told, GRAMC_OUTCOME_MODEL_ERROR, "the model's answer is longer than 15 bytes");
    told_free(&told);
    how.endpoint.max_response = 4000;
    run(&told, big, 1, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    told_free(&told);
}

/* ## Secrets */

/* The key in pieces of one byte: readers see what the whole answer shows. */
static void hidden(void **state) {
    static const char text[] = "key sk-planted-secret-0123456789! sk-plan... and sk-nothing sk-pl";
    char body[sizeof text * 80] = "";
    size_t used = 0;
    (void)state;
    for (const char *c = text; *c; c++)
        used += (size_t)snprintf(body + used, sizeof body - used, SAYS("%c"), *c);
    snprintf(body + used, sizeof body - used, STOP);
    const struct mock_answer answers[] = {{.headers = SSE, .body = body}};
    const struct how how = {.protocol = "chat", .stream = true};
    struct told told;
    run(&told, answers, 1, &how);
    expect(&told, GRAMC_OUTCOME_ANSWERED, "");
    assert_string_equal(told.said.ptr, told.run.text);
    assert_non_null(strstr(told.said.ptr, "key ${env:OPENAI_API_KEY}! "));
    assert_true(told.deltas > 0);
    told_free(&told);
}

/* ## Memory */

static void faults(void **state) {
    const struct recorded *calls = next_of(recorded_streams, "messages");
    const struct recorded *text = next_of(calls + 1, "messages");
    const struct mock_answer answers[] = {{.headers = SSE, .body = calls->stream},
                                          {.headers = SSE, .body = text->stream}};
    size_t failures = 0;
    (void)state;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        const gramc_allocator allocator = test_failing(&failing);
        const struct how how = {.protocol = "messages", .stream = true, .allocator = &allocator};
        struct told told;
        gramc_status status = try_run(&told, answers, 2, &how);
        assert_true(status == GRAMC_OK || status == GRAMC_NOMEM);
        gramc_outcome outcome = told.run.outcome;
        assert_int_equal(told.run.done, status == GRAMC_OK);
        if (outcome != GRAMC_OUTCOME_ANSWERED && outcome != GRAMC_OUTCOME_INTERNAL)
            fail_msg("%ld: %s: %s", n, gramc_outcome_name(outcome), told.run.message);
        assert_int_equal(failing.live, 0);
        told_free(&told);
        failures += failing.failed;
        if (!failing.failed) break;
    }
    assert_true(failures > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_run), cmocka_unit_test(not_listening),
        cmocka_unit_test(broken),   cmocka_unit_test(retries),
        cmocka_unit_test(ends),     cmocka_unit_test(numeric_secret),
        cmocka_unit_test(idle),     cmocka_unit_test(size_limit),
        cmocka_unit_test(hidden),   cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
