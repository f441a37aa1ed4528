/* The spans of a run: made of events by hand, so that every byte is known; their stated limits; and
 * a collector that never answers. What collectors get of real runs is tests/house/otlp.sh's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/runtime.h"
#include "tests/stated.h"
#include "tests/support/mock_server.h"

#define RUN "0123456789abcdef0123456789abcdef"

static void start(gramc_spans *spans) {
    const gramc_event_start about = {.run = TEXT(RUN),
                                     .time_ms = 1700000000000,
                                     .agent = TEXT("clerk"),
                                     .provider = TEXT("mistral"),
                                     .model = TEXT("m1")};
    gramc_spans_event(spans, &(gramc_event){.kind = GRAMC_EVENT_RUN, .start = &about});
}

static void result(gramc_spans *spans, gramc_text text) {
    const gramc_model_call call = {.id = TEXT("c1"), .name = TEXT("find"), .arguments = TEXT("{}")};
    const gramc_event_call told = {.call = &call, .tool = TEXT("find"), .outcome = "ok"};
    gramc_spans_event(spans, &(gramc_event){.kind = GRAMC_EVENT_RESULT,
                                            .call = &told,
                                            .at_ns = 5000,
                                            .duration_ns = 2000,
                                            .text = text});
}

static gramc_spans *make(bool content) {
    gramc_spans_options options = GRAMC_SPANS_OPTIONS_INIT;
    gramc_spans *spans;
    options.content = content;
    assert_int_equal(gramc_spans_new(&spans, &options), GRAMC_OK);
    return spans;
}

static void bytes(void **state) {
    (void)state;
    struct buf out;
    gramc_spans *spans = make(false);
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(gramc_spans_print(spans, buf_writer(&out)), GRAMC_OK);
    assert_string_equal(out.ptr, "{\"resourceSpans\":[]}");
    start(spans);
    result(spans, TEXT("secret"));
    buf_reset(&out);
    assert_int_equal(gramc_spans_print(spans, buf_writer(&out)), GRAMC_OK);
    assert_non_null(strstr(out.ptr, "{\"traceId\":\"" RUN "\",\"spanId\":\""));
    assert_non_null(strstr(out.ptr, "\"name\":\"execute_tool find\",\"kind\":1,"
                                    "\"startTimeUnixNano\":\"1700000000000003000\","
                                    "\"endTimeUnixNano\":\"1700000000000005000\""));
    assert_null(strstr(out.ptr, "secret"));
    buf_free(&out);
    gramc_spans_free(spans);
}

static void inner(gramc_spans *spans, const char *within, uint64_t at_ns,
                  const gramc_event *event) {
    gramc_spans_event(spans, &(gramc_event){.kind = GRAMC_EVENT_INNER,
                                            .text = text_of(within),
                                            .at_ns = at_ns,
                                            .inner = event});
}

/* A run of an agent with one request, which began `from` ns after the first run. */
static void inner_run(gramc_spans *spans, const char *within, uint64_t from) {
    const gramc_event_start about = {.run = TEXT("fedcba9876543210fedcba9876543210"),
                                     .parent = TEXT(RUN),
                                     .agent = TEXT("helper"),
                                     .model = TEXT("m2")};
    const gramc_event_response said = {.content = TEXT("Yes.")};
    const gramc_run_result ended = {.outcome = GRAMC_OUTCOME_ANSWERED, .text = TEXT("Yes.")};
    inner(spans, within, from, &(gramc_event){.kind = GRAMC_EVENT_RUN, .start = &about});
    inner(spans, within, from + 1,
          &(gramc_event){.kind = GRAMC_EVENT_TURN, .at_ns = 1, .text = TEXT("Really?")});
    inner(spans, within, from + 2, &(gramc_event){.kind = GRAMC_EVENT_REQUEST, .at_ns = 2});
    inner(spans, within, from + 4,
          &(gramc_event){
              .kind = GRAMC_EVENT_RESPONSE, .at_ns = 4, .duration_ns = 2, .response = &said});
    inner(spans, within, from + 9,
          &(gramc_event){.kind = GRAMC_EVENT_OUTCOME, .at_ns = 9, .result = &ended});
}

static void value_of(char out[20], const char *span, const char *key) {
    const char *at = strstr(span, key);
    assert_non_null(at);
    snprintf(out, 17, "%.16s", at + strlen(key));
}

/* The spans of a run in a run hang on that of the call, in one trace, on one clock; a run in that
 * hangs on its call; two of one answer each on their own. */
static void runs_in_runs(void **state) {
    (void)state;
    struct buf out;
    gramc_spans *spans = make(true);
    const gramc_model_call call = {.name = TEXT("ask"), .arguments = TEXT("{}")};
    start(spans);
    inner_run(spans, "1.1.2", 2000);
    inner_run(spans, "1.1.1/1.1.1", 3000);
    inner_run(spans, "1.1.1", 1000);
    for (uint32_t i = 0; i < 2; i++) {
        const gramc_event_call told = {
            .call = &call, .tool = i ? TEXT("second") : TEXT("first"), .index = i, .outcome = "ok"};
        gramc_spans_event(spans, &(gramc_event){.kind = GRAMC_EVENT_RESULT,
                                                .call = &told,
                                                .turn = 1,
                                                .iteration = 1,
                                                .at_ns = 9000,
                                                .text = TEXT("Yes.")});
    }
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(gramc_spans_print(spans, buf_writer(&out)), GRAMC_OK);
    assert_null(strstr(out.ptr, "fedcba98")); /* one trace */
    /* each chat is followed by its own run's span */
    const char *chat = strstr(out.ptr, "chat m2");
    const char *calls[2] = {strstr(out.ptr, "execute_tool second"),
                            strstr(out.ptr, "execute_tool first")};
    const size_t of_call[3] = {0, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        char parent[20], id[20], called[20];
        const char *run = strstr(chat, "\"spanId\":\"");
        assert_true(strstr(run, "invoke_agent helper") > run);
        value_of(id, run, "\"spanId\":\"");
        const char *head = chat;
        while (strncmp(head, "{\"traceId\"", 10) != 0) head--;
        value_of(parent, head, "\"parentSpanId\":\"");
        assert_string_equal(parent, id);
        value_of(parent, run, "\"parentSpanId\":\"");
        if (of_call[i] < 2) {
            head = calls[of_call[i]];
            while (strncmp(head, "{\"traceId\"", 10) != 0) head--;
            value_of(called, head, "\"spanId\":\"");
            assert_string_equal(parent, called);
        }
        chat = strstr(run, "chat m2");
    }
    assert_non_null(strstr(out.ptr, "\"startTimeUnixNano\":\"1700000000000001002\","
                                    "\"endTimeUnixNano\":\"1700000000000001004\""));
    assert_non_null(strstr(out.ptr, "Really?"));
    buf_free(&out);
    gramc_spans_free(spans);
}

/* A request that never got its answer still has a span, and providers their names. */
static void unanswered(void **state) {
    (void)state;
    struct buf out;
    gramc_spans *spans = make(false);
    const gramc_run_result ended = {.outcome = GRAMC_OUTCOME_CANCELED, .message = TEXT("canceled")};
    start(spans);
    gramc_spans_event(spans, &(gramc_event){.kind = GRAMC_EVENT_REQUEST, .at_ns = 10});
    gramc_spans_event(spans,
                      &(gramc_event){.kind = GRAMC_EVENT_OUTCOME, .at_ns = 20, .result = &ended});
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(gramc_spans_print(spans, buf_writer(&out)), GRAMC_OK);
    assert_non_null(strstr(out.ptr, "\"name\":\"chat m1\""));
    assert_non_null(strstr(out.ptr, "\"mistral_ai\""));
    assert_non_null(strstr(out.ptr, "\"status\":{\"code\":2,\"message\":\"canceled\"}"));
    buf_free(&out);
    gramc_spans_free(spans);
}

static int count_bytes(void *ctx, const char *text, size_t len) {
    (void)text;
    *(size_t *)ctx += len;
    return 0;
}

static gramc_status print_with(size_t content, size_t *size) {
    gramc_spans *spans = make(true);
    char *text = malloc(content);
    assert_non_null(text);
    memset(text, 'x', content);
    *size = 0;
    start(spans);
    result(spans, (gramc_text){text, content});
    gramc_status status = gramc_spans_print(spans, (gramc_writer){count_bytes, size});
    free(text);
    gramc_spans_free(spans);
    return status;
}

/* The limit is of the spans; what stands around them in the request is not counted. */
static void size_limit(void **state) {
    (void)state;
    size_t with_one, empty, largest = 64u << 20, around;
    struct buf out;
    STATED(SPANS_MAX, 64 << 20, "they are not sent, and a warning says so");
    gramc_spans *spans = make(true);
    start(spans);
    result(spans, TEXT("x"));
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(gramc_spans_print(spans, buf_writer(&out)), GRAMC_OK);
    const char *begin = strstr(out.ptr, "\"spans\":[") + sizeof "\"spans\":[" - 1;
    around = (size_t)(begin - out.ptr) + sizeof "]}]}]}" - 1;
    buf_free(&out);
    gramc_spans_free(spans);
    assert_int_equal(print_with(1, &with_one), GRAMC_OK);
    empty = with_one - 1 - around;
    assert_int_equal(print_with(largest - empty, &with_one), GRAMC_OK);
    assert_int_equal(with_one, largest + around);
    assert_int_equal(print_with(largest - empty + 1, &with_one), GRAMC_LIMIT);
}

/* Half of the time that it is given: what holds for 300 ms holds for the ten seconds. */
static void silent_collector(void **state) {
    (void)state;
    static const struct mock_answer silent[] = {{.mode = MOCK_HANG}};
    struct mock_server *server = mock_start(silent, 1);
    gramc_spans_target target = GRAMC_SPANS_TARGET_INIT;
    gramc_spans *spans = make(false);
    gramc_loop *loop;
    char why[256];
    STATED(SPANS_MS, 10000, "they are lost, and a warning says so");
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    start(spans);
    result(spans, TEXT("x"));
    target.url = text_of(mock_url(server));
    target.timeout_ms = 300;
    assert_int_equal(gramc_spans_send(spans, loop, &target, why), GRAMC_IO);
    assert_string_equal(why, "it did not answer in time");
    target.url = TEXT("ftp://127.0.0.1/");
    assert_int_equal(gramc_spans_send(spans, loop, &target, why), GRAMC_USAGE);
    gramc_loop_free(loop);
    gramc_spans_free(spans);
    mock_stop(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes), cmocka_unit_test(unanswered),
                                       cmocka_unit_test(runs_in_runs), cmocka_unit_test(size_limit),
                                       cmocka_unit_test(silent_collector)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
