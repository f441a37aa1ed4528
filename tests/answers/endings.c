/* How an answer may end, in every protocol, whole and in pieces: errors in the shapes that servers
 * use, and the reasons that models give. Each has its own outcome, and a trace of it plays again to
 * the same one. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/answers/lab.h"

/* ## Errors */

static const char *const errors[] = {
    "{\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\",\"code\":null}}",
    "{\"error\":{\"code\":503,\"message\":\"Overloaded\",\"status\":\"UNAVAILABLE\"}}",
    "{\"error\":\"Overloaded\"}",
    "{\"object\":\"error\",\"message\":\"Overloaded\",\"type\":\"Bad\",\"code\":503}",
    "{\"type\":\"error\",\"error\":{\"type\":\"busy\",\"message\":\"Overloaded\"}}",
    "{\"type\":\"error\",\"code\":\"server_error\",\"message\":\"Overloaded\"}",
    "[{\"error\":{\"code\":503,\"message\":\"Overloaded\"}}]",
};
enum { ERRORS = sizeof errors / sizeof *errors };

static void expect_error(struct lab *lab, gramc_text body, long status, const char *said) {
    const struct replayed answer = {.body = body, .status = status};
    struct came came;
    came_init(&came);
    lab_run(lab, &came, &answer, 1);
    if (came.outcome != GRAMC_OUTCOME_MODEL_ERROR || !strstr(came.message, "Overloaded"))
        fail_msg("%s, %ld: %s: %s: %.*s", lab->way->folder, status,
                 gramc_outcome_name(came.outcome), came.message, TEXT_ARGS(body));
    assert_true(text_is(buf_view(&came.text), said));
    assert_int_equal(came.requests, 1);
    came_free(&came);
}

/* Behind the first half of an answer, or instead of it. */
static void expect_streamed_error(struct lab *lab, const char *error, bool begun) {
    struct buf file, body;
    bool lines = strcmp(lab->way->folder, "ollama") == 0;
    buf_init(&file, NULL, 1 << 20);
    buf_init(&body, NULL, 1 << 20);
    assert_true(lab_read(&file, lab, "length"));
    const char *half = memmem(file.ptr, file.len, "\"5\"", 3);
    if (!half) half = memmem(file.ptr, file.len, "5", 1);
    assert_non_null(half);
    const char *end =
        memmem(half, file.len - (size_t)(half - file.ptr), lines ? "\n" : "\n\n", lines ? 1 : 2);
    assert_non_null(end);
    if (begun) buf_put(&body, file.ptr, (size_t)(end - file.ptr) + (lines ? 1 : 2));
    buf_printf(&body, lines ? "%s\n" : "data: %s\n\n", error);
    expect_error(lab, buf_view(&body), 200, begun ? "It is 25" : "");
    buf_free(&file);
    buf_free(&body);
}

static void told_errors(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS * 2; i++) {
        struct lab lab;
        lab_init(&lab, &ways[i / 2], i % 2);
        for (size_t k = 0; k < ERRORS; k++) {
            expect_error(&lab, text_of(errors[k]), 200, "");
            expect_error(&lab, text_of(errors[k]), 400, "");
            expect_error(&lab, text_of(errors[k]), 503, "");
            if (!lab.stream) continue;
            expect_streamed_error(&lab, errors[k], false);
            expect_streamed_error(&lab, errors[k], true);
        }
        expect_error(&lab, TEXT("<html>Overloaded</html>"), 200, "");
        expect_error(&lab, TEXT("Overloaded"), 500, "");
        lab_free(&lab);
    }
}

/* ## Reasons */

static const struct reason {
    const char *ways, *now, *then; /* what stands in the answer instead of what */
    gramc_outcome outcome;
} reasons[] = {
    {" chat functions ", "\"stop\"", "\"length\"", GRAMC_OUTCOME_ANSWERED},
    {" chat functions ", "\"content_filter\"", "\"length\"", GRAMC_OUTCOME_CONTENT_FILTER},
    {" chat functions ", "\"tool_calls\"", "\"length\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" chat functions ", "\"error\"", "\"length\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" chat functions ", "\"abort\"", "\"length\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" chat functions ", "\"eos\"", "\"length\"", GRAMC_OUTCOME_ANSWERED},
    {" responses ", "\"content_filter\"", "\"max_output_tokens\"", GRAMC_OUTCOME_CONTENT_FILTER},
    {" responses ", "\"no_idea\"", "\"max_output_tokens\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" responses ", "\"status\":\"failed\"", "\"status\":\"incomplete\"",
     GRAMC_OUTCOME_MODEL_ERROR},
    {" responses ", "\"status\":\"cancelled\"", "\"status\":\"incomplete\"",
     GRAMC_OUTCOME_MODEL_ERROR},
    {" messages ", "\"end_turn\"", "\"max_tokens\"", GRAMC_OUTCOME_ANSWERED},
    {" messages ", "\"stop_sequence\"", "\"max_tokens\"", GRAMC_OUTCOME_ANSWERED},
    {" messages ", "\"refusal\"", "\"max_tokens\"", GRAMC_OUTCOME_REFUSED},
    {" messages ", "\"model_context_window_exceeded\"", "\"max_tokens\"", GRAMC_OUTCOME_LENGTH},
    {" messages ", "\"tool_use\"", "\"max_tokens\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" messages ", "\"pause_turn\"", "\"max_tokens\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" gemini ", "\"STOP\"", "\"MAX_TOKENS\"", GRAMC_OUTCOME_ANSWERED},
    {" gemini ", "\"SAFETY\"", "\"MAX_TOKENS\"", GRAMC_OUTCOME_CONTENT_FILTER},
    {" gemini ", "\"RECITATION\"", "\"MAX_TOKENS\"", GRAMC_OUTCOME_CONTENT_FILTER},
    {" gemini ", "\"PROHIBITED_CONTENT\"", "\"MAX_TOKENS\"", GRAMC_OUTCOME_CONTENT_FILTER},
    {" gemini ", "\"MALFORMED_FUNCTION_CALL\"", "\"MAX_TOKENS\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" gemini ", "\"OTHER\"", "\"MAX_TOKENS\"", GRAMC_OUTCOME_MODEL_ERROR},
    {" ollama ", "\"stop\"", "\"length\"", GRAMC_OUTCOME_ANSWERED},
};
enum { REASONS = sizeof reasons / sizeof *reasons };

/* All of them; false: there is none. */
static bool put_instead(struct buf *out, gramc_text text, const char *now, const char *then) {
    size_t len = strlen(then);
    bool found = false;
    for (const char *at; (at = memmem(text.ptr, text.len, then, len)) != NULL; found = true) {
        size_t before = (size_t)(at - text.ptr);
        buf_text(out, text_slice(text, 0, before));
        buf_puts(out, now);
        text = text_slice(text, before + len, text.len);
    }
    buf_text(out, text);
    return found;
}

static void expect_same_again(struct lab *lab, const struct came *came) {
    struct came again;
    came_init(&again);
    lab_play(lab, &again, buf_view(&came->trace));
    if (again.outcome != came->outcome)
        fail_msg("%s: %s, played again %s", lab->way->folder, gramc_outcome_name(came->outcome),
                 gramc_outcome_name(again.outcome));
    assert_true(text_eq(buf_view(&again.text), buf_view(&came->text)) ||
                came->outcome == GRAMC_OUTCOME_MODEL_ERROR);
    assert_true(text_eq(buf_view(&again.calls), buf_view(&came->calls)));
    came_free(&again);
}

static void expect_reason(struct lab *lab, const struct reason *reason) {
    struct buf file, body;
    struct came came;
    buf_init(&file, NULL, 1 << 20);
    buf_init(&body, NULL, 1 << 20);
    came_init(&came);
    assert_true(lab_read(&file, lab, "length"));
    assert_true(put_instead(&body, buf_view(&file), reason->now, reason->then));
    const struct replayed answer = {.body = buf_view(&body)};
    lab_run(lab, &came, &answer, 1);
    if (came.outcome != reason->outcome)
        fail_msg("%s, %s: %s: %s", lab->way->folder, reason->now, gramc_outcome_name(came.outcome),
                 came.message);
    expect_same_again(lab, &came);
    came_free(&came);
    buf_free(&file);
    buf_free(&body);
}

static void told_reasons(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS * 2; i++) {
        struct lab lab;
        size_t seen = 0;
        lab_init(&lab, &ways[i / 2], i % 2);
        for (size_t k = 0; k < REASONS; k++) {
            if (!lab_lists(reasons[k].ways, text_of(lab.way->folder))) continue;
            expect_reason(&lab, &reasons[k]);
            seen++;
        }
        assert_true(seen > 0);
        lab_free(&lab);
    }
}

/* ## Whole conversations play again */

static void expect_played(struct lab *lab, const struct scenario *scenario) {
    struct buf files[SCENARIO_STEPS];
    struct replayed answers[SCENARIO_STEPS] = {{.status = 0}};
    struct came came;
    size_t count = 0;
    came_init(&came);
    for (; count < SCENARIO_STEPS && scenario->steps[count]; count++) {
        buf_init(&files[count], NULL, 1 << 20);
        assert_true(lab_read(&files[count], lab, scenario->steps[count]));
        answers[count].body = buf_view(&files[count]);
    }
    lab_run(lab, &came, answers, count);
    assert_int_equal(came.outcome, scenario->outcome);
    expect_same_again(lab, &came);
    while (count) buf_free(&files[--count]);
    came_free(&came);
}

static void played(void **state) {
    (void)state;
    for (size_t i = 0; i < WAYS * SCENARIOS * 2; i++) {
        const struct way *way = &ways[i / (SCENARIOS * 2)];
        const struct scenario *scenario = &scenarios[i / 2 % SCENARIOS];
        struct lab lab;
        if (lab_lists(scenario->lacking, text_of(way->folder))) continue;
        lab_init(&lab, way, i % 2);
        expect_played(&lab, scenario);
        lab_free(&lab);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(told_errors),
                                       cmocka_unit_test(told_reasons), cmocka_unit_test(played)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
