/* The spans of a run: made of events by hand, so that every byte is known; their stated limits; and
 * a collector that never answers. What collectors get of real runs is tests/house/otlp.sh's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
                                       cmocka_unit_test(size_limit),
                                       cmocka_unit_test(silent_collector)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
