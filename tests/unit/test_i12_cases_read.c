/* The cases of an experiment as the runner has them: the same of JSON lines and of CSV, and nothing
 * lost where memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/cases.h"
#include "tests/failing.h"

static const char lines[] =
    "{\"id\": \"a\", \"message\": \"Hi, \\\"you\\\"\", \"city\": \"Rome\", \"expect\": \"x\"}\n"
    "\n"
    "{\"messages\": [\"one\", \"two\"], \"n\": 1.50, \"cluster\": 7, \"stratum\": \"s\",\n";

static void says(gramc_text text, const char *wanted) {
    if (!text_is(text, wanted)) fail_msg("%.*s is not %s", TEXT_ARGS(text), wanted);
}

static void items(void **state) {
    static const char text[] =
        "{\"id\": \"a\", \"message\": \"m\", \"city\": \"Rome\", \"expect\": \"x\"}\n"
        "\n"
        "{\"messages\": [\"one\", \"two\"], \"n\": 1.50, \"cluster\": 7, \"stratum\": \"s\", "
        "\"expect\": {\"calls\": []}}\n";
    struct cases cases;
    struct cases_error error;
    (void)state;
    assert_int_equal(cases_read(&cases, TEXT("c.jsonl"), TEXT(text), NULL, &error), GRAMC_OK);
    assert_int_equal(cases.count, 2);
    says(cases.items[0].id, "a");
    assert_int_equal(cases.items[0].message_count, 1);
    says(cases.items[0].messages[0], "m");
    assert_int_equal(cases.items[0].input_count, 1);
    says(cases.items[0].inputs[0].name, "city");
    says(cases.items[0].inputs[0].value, "Rome");
    says(cases.items[0].expect->text, "x");
    says(cases.items[0].cluster, "");
    says(cases.items[1].id, "3");
    assert_int_equal(cases.items[1].line, 3);
    says(cases.items[1].messages[1], "two");
    says(cases.items[1].inputs[0].value, "1.50");
    says(cases.items[1].cluster, "7");
    says(cases.items[1].stratum, "s");
    assert_int_equal(cases.items[1].expect->kind, JSON_OBJECT);
    assert_int_equal(strlen(cases.fingerprint), 64);
    cases_free(&cases);
}

/* CSV with the same fields is the same experiment; another order is another one. */
static void fingerprints(void **state) {
    static const struct {
        const char *name, *text;
    } all[] = {{"c.jsonl", "{\"id\":\"1\",\"message\":\"a\"}\n{\"id\":\"2\",\"message\":\"b\"}"},
               {"c.csv", "message,id\r\na,1\r\n\"b\",2\r\n"},
               {"c.jsonl", "{\"id\":\"2\",\"message\":\"b\"}\n{\"id\":\"1\",\"message\":\"a\"}"}};
    struct cases cases[3];
    struct cases_error error;
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            cases_read(&cases[i], text_of(all[i].name), text_of(all[i].text), NULL, &error),
            GRAMC_OK);
    assert_string_equal(cases[0].fingerprint, cases[1].fingerprint);
    assert_string_not_equal(cases[0].fingerprint, cases[2].fingerprint);
    for (int i = 0; i < 3; i++) cases_free(&cases[i]);
}

static void refused(void **state) {
    struct cases cases;
    struct cases_error error;
    (void)state;
    assert_int_equal(cases_read(&cases, TEXT("c.jsonl"), TEXT(lines), NULL, &error),
                     GRAMC_FINDINGS);
    assert_int_equal(error.line, 3);
    assert_int_equal(strncmp(error.message, "this is no JSON object: ", 24), 0);
}

static void without_memory(void **state) {
    static const char text[] =
        "id,message,expect,n\n1,\"a\"\"b\",\"{\"\"json\"\":1}\",x\n2,c,d,y\n";
    (void)state;
    for (long n = 1; n < 200; n++) {
        struct failing failing = {.fail_at = n, .persistent = true};
        gramc_allocator allocator = {failing_alloc, &failing};
        struct cases cases;
        struct cases_error error;
        gramc_status status = cases_read(&cases, TEXT("c.csv"), TEXT(text), &allocator, &error);
        if (status == GRAMC_OK) cases_free(&cases);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) return;
        assert_int_equal(status, GRAMC_NOMEM);
    }
    fail_msg("it never had enough memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(items), cmocka_unit_test(fingerprints),
                                       cmocka_unit_test(refused), cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
