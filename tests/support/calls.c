/* Writes a script of calls for the model's part, runs it, and reads from the trace what each call
 * gave. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "tests/support/calls.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct call {
    const char *name, *arguments;
};

static void put_call(struct buf *script, const struct call *call) {
    buf_puts(script, "{\"name\":");
    json_put_string(script, text_of(call->name));
    buf_puts(script, ",\"arguments\":");
    json_put_string(script, text_of(call->arguments));
    buf_putc(script, '}');
}

static void write_script(struct buf *script, const struct call *calls, size_t count, bool at_once) {
    static const char begin[] = "{\"event\":\"model.response\",\"calls\":[";
    buf_puts(script, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n");
    for (size_t i = 0; i < count; i++) {
        buf_puts(script, at_once && i ? "," : begin);
        put_call(script, &calls[i]);
        if (!at_once || i + 1 == count) buf_puts(script, "]}\n");
    }
    buf_puts(script, "{\"event\":\"model.response\",\"content\":\"done\"}\n");
    assert_int_equal(buf_status(script), GRAMC_OK);
}

static void read_event(struct test_said *said, const struct json *event, bool at_once) {
    const struct json *kind = json_get(event, "event"), *result = json_get(event, "result");
    const struct json *call = json_get(event, "call");
    if (!json_is(kind, JSON_STRING) || !text_is(kind->text, "tool.response")) return;
    assert_true(json_is(result, JSON_STRING) && json_is(call, JSON_NUMBER));
    size_t index = said->count++;
    if (at_once) {
        index = 0;
        for (size_t i = 0; i < call->text.len; i++)
            index = index * 10 + (size_t)(call->text.ptr[i] - '0');
        index--;
    }
    assert_true(index < TEST_CALLS);
    size_t len =
        result->text.len < sizeof said->texts[0] ? result->text.len : sizeof said->texts[0] - 1;
    memcpy(said->texts[index], result->text.ptr, len);
    said->texts[index][len] = '\0';
}

static void read_trace(struct test_said *said, gramc_text trace, bool at_once) {
    struct arena arena;
    arena_init(&arena, NULL);
    while (trace.len) {
        const char *end = memchr(trace.ptr, '\n', trace.len);
        size_t len = end ? (size_t)(end - trace.ptr) : trace.len;
        const struct json *event = json_parse(&arena, text_slice(trace, 0, len), NULL);
        assert_non_null(event);
        read_event(said, event, at_once);
        trace = text_slice(trace, len + (end != NULL), trace.len);
    }
    arena_free(&arena);
}

static void play(const struct test_agent *test, gramc_text script, bool at_once,
                 struct test_said *said, struct buf *trace) {
    struct test_run run;
    gramc_model *model;
    double start = now();
    memset(said, 0, sizeof *said);
    assert_int_equal(gramc_model_new_script(&model, script, NULL, NULL), GRAMC_OK);
    test_run_init(&run);
    struct test_setup setup = {.agent = test, .model = model, .messages = {"go"}};
    setup.max_iterations = 100;
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    if (run.outcome != GRAMC_OUTCOME_ANSWERED) fail_msg("%s", run.message);
    read_trace(said, buf_view(&run.trace), at_once);
    if (trace) buf_text(trace, buf_view(&run.trace));
    said->seconds = now() - start;
    gramc_model_free(model);
    test_run_free(&run);
}

void test_say_script(const struct test_agent *test, gramc_text script, struct test_said *said) {
    play(test, script, false, said, NULL);
}

static void say(const struct test_agent *test, const struct call *calls, size_t count, bool at_once,
                struct test_said *said, struct buf *trace) {
    struct buf script;
    buf_init(&script, NULL, 1 << 24);
    write_script(&script, calls, count, at_once);
    play(test, buf_view(&script), at_once, said, trace);
    assert_int_equal(said->count, count);
    buf_free(&script);
}

static void say_each(const struct test_agent *test, const char *const *arguments, bool at_once,
                     struct test_said *said, struct buf *trace) {
    struct call calls[TEST_CALLS];
    size_t count = 0;
    for (; arguments[count]; count++) {
        assert_true(count < TEST_CALLS);
        calls[count] = (struct call){test->tools[0].name.ptr, arguments[count]};
    }
    say(test, calls, count, at_once, said, trace);
}

void test_say_each(const struct test_agent *test, const char *const *arguments, bool at_once,
                   struct test_said *said) {
    say_each(test, arguments, at_once, said, NULL);
}

void test_record(const struct test_agent *test, const char *const *arguments,
                 struct test_said *said, struct buf *trace) {
    say_each(test, arguments, false, said, trace);
}

void test_say_tools(const struct test_agent *test, const char *const *names,
                    struct test_said *said) {
    struct call calls[TEST_CALLS];
    size_t count = 0;
    for (; names[count]; count++) {
        assert_true(count < TEST_CALLS);
        calls[count] = (struct call){names[count], "{}"};
    }
    say(test, calls, count, false, said, NULL);
}

void test_say(const struct test_agent *test, const char *arguments, size_t times, bool at_once,
              struct test_said *said) {
    const char *all[TEST_CALLS + 1] = {NULL};
    assert_true(times <= TEST_CALLS);
    for (size_t i = 0; i < times; i++) all[i] = arguments;
    test_say_each(test, all, at_once, said);
}
