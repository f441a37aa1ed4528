/* What mutations of the logic of programs once survived: a variable that is nothing but a secret,
 * an answer's id that no 64 bits hold, a result that is no text. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/calls.h"

#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"

static const char *say(const char *script, const char *result, gramc_result_kind kind) {
    static struct test_said said;
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct test_agent test;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, result, kind);
    test_exec(&test, "tool", argv)->persistent = true;
    test_say(&test, "{}", 1, false, &said);
    test_agent_free(&test);
    return said.texts[0];
}

/* 2^64 + 1 is not 1. */
static void ids(void **state) {
    (void)state;
    assert_string_equal(
        say("read x; echo '{\"id\":1,\"result\":\"a\"}'; read x", STRING, GRAMC_RESULT_TEXT), "a");
    const char *said = say("read x; echo '{\"id\":18446744073709551617,\"result\":\"a\"}'; read x",
                           STRING, GRAMC_RESULT_TEXT);
    assert_non_null(strstr(said, "printed a line that is no answer"));
}

/* A number stays a number, also where texts are wanted; a text is quoted where JSON is. */
static void kinds_of_results(void **state) {
    (void)state;
    assert_string_equal(
        say("read x; echo '{\"id\":1,\"result\":[1]}'; read x", STRING, GRAMC_RESULT_TEXT), "[1]");
    assert_string_equal(
        say("read x; echo '{\"id\":1,\"result\":\"a\"}'; read x", "true", GRAMC_RESULT_JSON),
        "\"a\"");
}

/* What a worker says of a failure, whatever JSON it is; and what is no answer at all (i10-e4). */
static void errors_of_workers(void **state) {
    static const struct {
        const char *script, *said;
    } rows[] = {
        {"read x; echo '{\"id\":1,\"error\":\"out of paper\"}'; read x", "Error: out of paper"},
        {"read x; echo '{\"id\":1,\"error\":{\"a\": 1}}'; read x", "Error: {\"a\":1}"},
        {"read x; echo '{\"id\":1,\"error\":\"no\",\"result\":\"yes\"}'; read x", "Error: no"},
        {"read x; printf '{\"id\":1,\"error\":\"'; head -c 1100000 /dev/zero | tr '\\0' e; "
         "echo '\"}'; read x",
         "Error: it failed, and its reason is too long to be shown"},
        {"read x; printf '{\"id\":1,\"result\":\"'; head -c 1100000 /dev/zero | tr '\\0' e; "
         "echo '\"}'; read x",
         "Error: the result is longer than 1 MiB"},
        {"read x; echo '{\"id\":1}'; read x",
         "Error: the program sent an answer with neither `result` nor `error`"},
        {"read x; echo '{\"id\":1.0,\"result\":1}'; read x",
         "Error: the program printed a line that is no answer: {\"id\":1.0,\"result\":1}"},
        {"read x; echo '{\"id\":\"1\",\"result\":1}'; read x",
         "Error: the program printed a line that is no answer: {\"id\":\"1\",\"result\":1}"},
        {"read x; echo '{\"id\":2,\"result\":1}'; read x",
         "Error: the program printed a line that is no answer: {\"id\":2,\"result\":1}"},
        {"read x; echo bye >&2; exit 3", "Error: the program ended with exit status 3: bye"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(say(rows[i].script, STRING, GRAMC_RESULT_TEXT), rows[i].said);
}

/* The whole value is the secret, which is hidden again where the program prints it. */
static void a_secret_alone(void **state) {
    static const gramc_text declared = {"KEY=${env:TOKEN}", 16};
    static const gramc_pair secrets[] = {{{"TOKEN", 5}, {"sk-0123456789", 13}}};
    static const char script[] = "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
                                 "{\"event\":\"model.response\",\"calls\":[{\"name\":\"tool\","
                                 "\"arguments\":\"{}\"}]}\n"
                                 "{\"event\":\"model.response\",\"content\":\"ok\"}\n";
    const char *const argv[] = {"sh", "-c", "echo ${#KEY} $KEY", NULL};
    struct test_agent test;
    struct test_run run;
    gramc_model *model;
    (void)state;
    test_agent_init(&test);
    test_run_init(&run);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_exec(&test, "tool", argv);
    impl->env = &declared;
    impl->env_count = 1;
    assert_int_equal(gramc_model_new_script(&model, text_of(script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {
        .agent = &test, .model = model, .messages = {"go"}, .secrets = secrets, .secret_count = 1};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    buf_putc(&run.trace, '\0');
    assert_non_null(strstr(run.trace.ptr, "\"result\":\"13 ${env:TOKEN}\""));
    gramc_model_free(model);
    test_run_free(&run);
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids),
        cmocka_unit_test(kinds_of_results),
        cmocka_unit_test(errors_of_workers),
        cmocka_unit_test(a_secret_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
