/* The file of an item's recordings: what is written can be played, equal runs give equal bytes,
 * keys are not written, and a file that is none is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "experiment/cassette.h"
#include "tests/failing.h"

#define TRACE(run, says)                                                                           \
    "{\"seq\":0,\"ms\":0.1,\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":2,"         \
    "\"run\":\"" run "\",\"time\":\"2026-01-01T00:00:00.000Z\",\"model\":\"m\"}\n"                 \
    "{\"seq\":1,\"ms\":0.2,\"event\":\"model.request\",\"turn\":1,\"size\":9,\"body\":{\"a\":1}}"  \
    "\n"                                                                                           \
    "{\"seq\":2,\"ms\":0.3,\"event\":\"model.attempt\",\"body\":\"raw\"}\n"                        \
    "{\"seq\":3,\"ms\":0.4,\"event\":\"model.response\",\"content\":\"" says                       \
    "\",\"duration_ms\":7}\n"

static const gramc_arm arms[] = {{.name = {"control", 7}}, {.name = {"treatment", 9}}};
static const gramc_experiment experiment = {.name = {"e", 1}, .arms = arms, .arm_count = 2};
static const struct item items[] = {{.id = {"by name", 7}}, {.id = {"other", 5}}};
static const struct cases cases = {.items = items, .count = 2};
static const struct plan plan = {.experiment = &experiment, .cases = &cases, .seed = 42};

static struct attempt attempt_of(uint32_t repeat, uint32_t arm, const char *trace) {
    return (struct attempt){.cell = {.item = 0, .repeat = repeat, .arm = arm},
                            .trace = text_of(trace)};
}

/* Two cells of the first item; `run` differs from time to time. */
static void write_two(struct cassette_writer *writer, const char *first, const char *second) {
    struct cassette_error error;
    struct attempt a = attempt_of(0, 0, first), b = attempt_of(1, 1, second);
    cassette_begin(writer, &plan, 0, NULL);
    assert_int_equal(cassette_put(writer, &plan, &a, &error), GRAMC_OK);
    assert_int_equal(cassette_put(writer, &plan, &b, &error), GRAMC_OK);
}

static void again(void **state) {
    struct cassette_writer one, two;
    struct cassette_error error;
    gramc_cassette *cassette;
    (void)state;
    write_two(&one, TRACE("aa", "One."), TRACE("bb", "Two."));
    write_two(&two, TRACE("cc", "One."), TRACE("dd", "Two."));
    gramc_text bytes = cassette_bytes(&one), equal = cassette_bytes(&two);
    assert_int_equal(bytes.len, equal.len);
    assert_memory_equal(bytes.ptr, equal.ptr, bytes.len);
    assert_null(strstr(bytes.ptr, "raw"));
    assert_null(strstr(bytes.ptr, "duration_ms"));
    const struct cell cell = {0, 1, 1}, missing = {0, 1, 0};
    assert_int_equal(cassette_load(&cassette, bytes, &plan, &cell, NULL, &error), GRAMC_OK);
    assert_non_null(gramc_cassette_model(cassette));
    gramc_cassette_free(cassette);
    assert_int_equal(cassette_load(&cassette, bytes, &plan, &missing, NULL, &error),
                     GRAMC_NOT_FOUND);
    assert_string_equal(error.message, "it has no recording of this repeat of arm control");
    cassette_end(&one);
    cassette_end(&two);
}

static void of_another(void **state) {
    struct cassette_writer writer;
    struct cassette_error error;
    gramc_cassette *cassette;
    (void)state;
    write_two(&writer, TRACE("aa", "One."), TRACE("bb", "Two."));
    const struct cell other = {1, 0, 0}, cell = {0, 0, 0};
    struct plan reseeded = plan;
    reseeded.seed = 43;
    assert_int_equal(cassette_load(&cassette, cassette_bytes(&writer), &plan, &other, NULL, &error),
                     GRAMC_FINDINGS);
    assert_string_equal(error.message, "it is the cassette of item by name");
    assert_int_equal(
        cassette_load(&cassette, cassette_bytes(&writer), &reseeded, &cell, NULL, &error),
        GRAMC_FINDINGS);
    assert_non_null(strstr(error.message, "another seed"));
    assert_int_equal(cassette_load(&cassette, TEXT(""), &plan, &cell, NULL, &error),
                     GRAMC_FINDINGS);
    assert_int_equal(cassette_load(&cassette, TEXT("[1]\n"), &plan, &cell, NULL, &error),
                     GRAMC_FINDINGS);
    cassette_end(&writer);
}

/* Cut anywhere, it is refused, has no such cell, or plays what is there. */
static void cut(void **state) {
    struct cassette_writer writer;
    struct cassette_error error;
    const struct cell cell = {0, 1, 1};
    (void)state;
    write_two(&writer, TRACE("aa", "One."), TRACE("bb", "Two."));
    gramc_text bytes = cassette_bytes(&writer);
    size_t loaded = 0;
    for (size_t len = 0; len < bytes.len; len++) {
        gramc_cassette *cassette;
        gramc_status status =
            cassette_load(&cassette, text_slice(bytes, 0, len), &plan, &cell, NULL, &error);
        assert_int_equal(cassette != NULL, status == GRAMC_OK);
        assert_true(status == GRAMC_OK || status == GRAMC_NOT_FOUND || status == GRAMC_FINDINGS);
        loaded += status == GRAMC_OK;
        gramc_cassette_free(cassette);
    }
    assert_in_range(loaded, 1, 10);
    cassette_end(&writer);
}

static void secrets(void **state) {
    static const struct {
        const char *text, *begins; /* NULL: nothing */
    } rows[] = {
        {"the key is sk-abcdefghijklmnopqrstuvwx.", "sk-ab"},
        {"\"ghp_0123456789abcdefghijklmnopqrstuv\"", "ghp_01"},
        {"AKIAIOSFODNN7EXAMPLE", "AKIAIO"},
        {"-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN RS"},
        {"\"KEY:\\nsk-abcdefghijklmnopqrstuvwx\"", "sk-ab"},
        {"\"a\\tAKIAIOSFODNN7EXAMPLE\"", "AKIAIO"},
        {"\"a\\n-----BEGIN PRIVATE KEY-----\"", "-----BEGIN PR"},
        {"\"\\u001bsk-abcdefghijklmnopqrstuvwx\"", "sk-ab"},
        {"task-abcdefghijklmnopqrstuvwxyz", NULL},
        {"a sk-short one", NULL},
        {"", NULL},
    };
    struct cassette_writer writer;
    struct cassette_error error;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_text found = cassette_find_secret(text_of(rows[i].text));
        if (!rows[i].begins) assert_null(found.ptr);
        else assert_true(text_is(found, rows[i].begins));
    }
    struct attempt attempt = attempt_of(0, 0, TRACE("aa", "sk-abcdefghijklmnopqrstuvwx")),
                   none = {0};
    cassette_begin(&writer, &plan, 0, NULL);
    assert_int_equal(cassette_put(&writer, &plan, &attempt, &error), GRAMC_FINDINGS);
    assert_null(strstr(error.message, "cdefgh"));
    attempt = attempt_of(0, 0, TRACE("aa", "\\u0073k-abcdefghijklmnopqrstuvwx"));
    assert_int_equal(cassette_put(&writer, &plan, &attempt, &error), GRAMC_FINDINGS);
    assert_int_equal(cassette_put(&writer, &plan, &none, &error), GRAMC_FINDINGS);
    cassette_end(&writer);
}

static void names(void **state) {
    static const char *const rows[][2] = {{"by-name", "by-name.jsonl"},
                                          {"../x", "%2E.%2Fx.jsonl"},
                                          {"a b\n", "a%20b%0A.jsonl"},
                                          {"\xc3\xa9", "%C3%A9.jsonl"}};
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(text_is(cassette_file_name(&arena, text_of(rows[i][0])), rows[i][1]));
    arena_free(&arena);
}

static void memory(void **state) {
    struct cassette_writer whole;
    const struct cell cell = {0, 0, 0};
    bool done = false;
    (void)state;
    write_two(&whole, TRACE("aa", "One."), TRACE("bb", "Two."));
    for (long n = 1; !done; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        struct cassette_writer writer;
        struct cassette_error error;
        gramc_cassette *cassette = NULL;
        struct attempt attempt = attempt_of(0, 0, TRACE("aa", "One."));
        cassette_begin(&writer, &plan, 0, &allocator);
        gramc_status put = cassette_put(&writer, &plan, &attempt, &error);
        gramc_status load =
            cassette_load(&cassette, cassette_bytes(&whole), &plan, &cell, &allocator, &error);
        done = !put && !load;
        assert_true(put == GRAMC_OK || put == GRAMC_NOMEM);
        assert_true(load == GRAMC_OK || load == GRAMC_NOMEM);
        assert_int_equal(done, !failing.failed);
        gramc_cassette_free(cassette);
        cassette_end(&writer);
        assert_int_equal(failing.live, 0);
    }
    cassette_end(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(again),   cmocka_unit_test(of_another), cmocka_unit_test(cut),
        cmocka_unit_test(secrets), cmocka_unit_test(names),      cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
