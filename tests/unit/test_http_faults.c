/* Servers that break off, lie, send elsewhere or say nothing, in a run that calls them as a tool:
 * the model is told what happened, within the deadline, and the run goes on. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <uv.h>

#include "base/json/json.h"
#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
#define SAYS(text) "{\"event\":\"model.response\",\"content\":\"" text "\"}\n"
#define CALL                                                                                       \
    "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"x\",\"name\":\"t\","      \
    "\"arguments\":\"{}\"}]}\n"

enum { DEADLINE_MS = 200, SLOW_MS = 5000 };

struct fault {
    const char *name;
    struct mock_answer answer;
    const char *url; /* NULL: the mock server's */
    const char *result;
    const char *outcome; /* NULL: tool-error */
    bool integer;        /* what the tool promises; else a text */
};

#define RAW(text)                                                                                  \
    { .mode = MOCK_RAW, .body = (text) }

static const struct fault faults[] = {
    {.name = "truncated body",
     .answer = {.mode = MOCK_CUT, .body = "half of this"},
     .result = "Error: the answer (HTTP 200) broke off or is damaged: transfer closed with 6 bytes "
               "remaining to read"},
    {.name = "no answer",
     .answer = {.mode = MOCK_HANG, .body = ""},
     .result = "Error: the tool did not finish within 200 ms and was stopped",
     .outcome = "timeout"},
    {.name = "half an answer, then nothing",
     .answer = {.mode = MOCK_STALL, .body = "half of this"},
     .result = "Error: the tool did not finish within 200 ms and was stopped",
     .outcome = "timeout"},
    {.name = "closed without a word",
     .answer = {.mode = MOCK_CLOSE, .body = ""},
     .result = "Error: the server cannot be asked: Empty reply from server"},
    {.name = "another host",
     .answer = {.status = 301, .headers = "Location: http://example.invalid/x\r\n", .body = "no"},
     .result = "Error: HTTP 301: the server redirects to http://example.invalid, which is not its "
               "own address; redirects are followed within the upstream only"},
    {.name = "another port",
     .answer = {.status = 302, .headers = "Location: http://127.0.0.1:1/x\r\n", .body = "no"},
     .result = "Error: HTTP 302: the server redirects to http://127.0.0.1:1, which is not its own "
               "address; redirects are followed within the upstream only"},
    {.name = "a file",
     .answer = {.status = 302, .headers = "Location: file:///etc/passwd\r\n", .body = "no"},
     .result = "Error: HTTP 302: the server redirects to another kind of address, which is not its "
               "own address; redirects are followed within the upstream only"},
    {.name = "a length that is too long",
     .answer = RAW("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
     .result =
         "Error: the answer (HTTP 200) broke off or is damaged: transfer closed with 95 bytes "
         "remaining to read"},
    {.name = "a length that is too short",
     .answer = RAW("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlong enough"),
     .result = "long",
     .outcome = "ok"},
    {.name = "a length that is no number",
     .answer = RAW("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx"),
     .result =
         "Error: the answer (HTTP 200) broke off or is damaged: Invalid Content-Length: value"},
    {.name = "no length",
     .answer = RAW("HTTP/1.1 200 OK\r\n\r\nuntil the end\n"),
     .result = "until the end",
     .outcome = "ok"},
    {.name = "broken chunks",
     .answer = RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"),
     .result = "Error: the answer (HTTP 200) broke off or is damaged: "},
    {.name = "half a chunk",
     .answer = RAW("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"),
     .result = "Error: the answer (HTTP 200) broke off or is damaged: "},
    {.name = "no HTTP",
     .answer = RAW("220 smtp.example.org ready\r\n"),
     .result = "Error: the server cannot be asked: Received HTTP/0.9 when not allowed"},
    {.name = "an error with a body",
     .answer = {.status = 500, .headers = "Retry-After: 3\r\n", .body = "{\"why\": \"disk full\"}"},
     .result = "Error: HTTP 500 Internal Server Error\nContent-Type: application/json\n"
               "Retry-After: 3\n\n{\"why\": \"disk full\"}"},
    {.name = "an error without a body",
     .answer = {.status = 503, .body = ""},
     .result = "Error: HTTP 503 Service Unavailable\nContent-Type: application/json"},
    {.name = "too large",
     .answer = {.body = "x", .padding = 2 << 20},
     .result = "Error: the answer is larger than 1 MiB; ask for less of it"},
    {.name = "an error that is too large",
     .answer = {.status = 500, .body = "x", .padding = 2 << 20},
     .result = "Error: the answer is larger than 1 MiB; ask for less of it"},
    {.name = "refused",
     .url = "http://127.0.0.1:1/",
     .result = "Error: the server cannot be asked: Failed to connect to 127.0.0.1 port 1"},
    {.name = "another type",
     .answer = {.body = "\"12\""},
     .integer = true,
     .outcome = "result-error",
     .result = "Error: the tool's result is not what it promises: "},
    {.name = "no JSON",
     .answer = {.body = "<html>"},
     .integer = true,
     .outcome = "result-error",
     .result = "Error: the tool's result is not what it promises: "},
    {.name = "no UTF-8",
     .answer = {.body = "\xFF\xC0\x80 and \xE2\x82"},
     .outcome = "ok",
     .result = "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD and "},
};

/* The first tool.response of the trace: what the model was told. */
static const struct json *response(struct arena *arena, const struct test_run *run) {
    gramc_text rest = buf_view(&run->trace);
    while (rest.len) {
        size_t len = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        const struct json *json = json_parse(arena, text_slice(rest, 0, len), NULL);
        assert_non_null(json);
        if (text_is(json_get(json, "event")->text, "tool.response")) return json;
        rest = text_slice(rest, len + 1, rest.len);
    }
    fail_msg("no tool.response in %s", run->trace.ptr);
    return NULL;
}

static void expect_told(const struct fault *fault, const struct test_run *run) {
    struct arena arena;
    arena_init(&arena, NULL);
    const struct json *told = response(&arena, run);
    gramc_text outcome = json_get(told, "outcome")->text, result = json_get(told, "result")->text;
    if (!text_starts(result, fault->result) ||
        !text_is(outcome, fault->outcome ? fault->outcome : "tool-error"))
        fail_msg("%s: %.*s: %.*s", fault->name, TEXT_ARGS(outcome), TEXT_ARGS(result));
    arena_free(&arena);
}

static void meet(const struct fault *fault) {
    struct mock_server *server = mock_start(&fault->answer, 1);
    struct test_agent test;
    struct test_run run;
    gramc_model *model;
    test_agent_init(&test);
    test_run_init(&run);
    test_tool(&test, "t", "{\"type\":\"object\",\"properties\":{}}",
              fault->integer ? "{\"type\":\"integer\"}" : "{\"type\":\"string\"}",
              fault->integer ? GRAMC_RESULT_JSON : GRAMC_RESULT_TEXT);
    test_http(&test, "t", fault->url ? fault->url : mock_url(server))->timeout_ms = DEADLINE_MS;
    assert_int_equal(
        gramc_model_new_script(&model, TEXT(HEADER CALL SAYS("Never mind.")), NULL, NULL),
        GRAMC_OK);
    struct test_setup setup = {.agent = &test, .model = model, .messages = {"Go"}};
    uint64_t started = uv_hrtime();
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    assert_true((uv_hrtime() - started) / 1000000 < SLOW_MS);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_string_equal(run.answers.ptr, "Never mind.\n");
    expect_told(fault, &run);
    gramc_model_free(model);
    test_run_free(&run);
    test_agent_free(&test);
    mock_stop(server);
}

static void test_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) meet(&faults[i]);
}

/* Headers without end are cut off by libcurl, not kept. */
static void test_long_head(void **state) {
    static char raw[1 << 20] = "HTTP/1.1 200 OK\r\nX-Long: ";
    const struct fault fault = {.name = "a head without end",
                                .answer = RAW(raw),
                                .result = "Error: the answer (HTTP 200) broke off or is damaged: "};
    size_t start = strlen(raw);
    (void)state;
    memset(raw + start, 'x', sizeof raw - start - 1);
    meet(&fault);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_long_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
