/* The registry of builtins, and what the standard ones answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/agent.h"

static const gramc_builtin *find(const gramc_builtins *builtins, const char *name) {
    const gramc_builtin *builtin;
    for (size_t i = 0; (builtin = gramc_builtins_get(builtins, i)); i++)
        if (text_is(builtin->name, name)) return builtin;
    return NULL;
}

static void standard_functions(void **state) {
    static const struct {
        const char *name, *arguments;
        int failed;
        const char *result;
    } rows[] = {
        {"greeting.sayHello", "{\"personName\":\"Alice\"}", 0, "Hello, Alice! Nice to meet you."},
        {"greeting.sayHello", "{\"age\":3,\"who\":\"Bob\"}", 0, "Hello, Bob! Nice to meet you."},
        {"greeting.sayHello", "{}", 0, "Hello, world! Nice to meet you."},
        {"text.length", "{\"s\":\"hello\"}", 0, "5"},
        {"text.length", "{\"s\":\"na\\u00efve \\ud83d\\ude00\"}", 0, "7"},
        {"text.length", "{\"s\":\"\"}", 0, "0"},
        {"text.length", "{\"n\":5}", 1, "there is no text to measure"},
        {"math.add", "{\"a\":5,\"b\":5}", 0, "10"},
        {"math.add", "{\"a\":-5,\"b\":2,\"c\":1}", 0, "-2"},
        {"math.add", "{\"a\":9007199254740993,\"b\":0}", 0, "9007199254740993"},
        {"math.add", "{\"a\":9223372036854775807,\"b\":1}", 1, "the sum does not fit into 64 bits"},
        {"math.add", "{\"a\":0.1,\"b\":0.2}", 0, "0.30000000000000004"},
        {"math.add", "{\"a\":1e400}", 1, "a number is out of range"},
        {"math.add", "{\"a\":1e308,\"b\":1e308}", 1, "the sum is out of range"},
        {"math.add", "{}", 0, "0"},
        {"text.echo", "{\"output\":\"It is \\\"sunny\\\".\"}", 0, "It is \"sunny\"."},
        {"text.echo", "{\"output\":[1.0,null]}", 0, "[1.0,null]"},
        {"text.echo", "{\"a\":1,\"b\":\"c\"}", 0, "{\"a\":1,\"b\":\"c\"}"},
        {"text.echo", "{}", 0, "{}"},
        {"math.sqrt", "{\"x\":10}", 0, "3.1622776601683795"},
        {"math.sqrt", "{\"x\":2}", 0, "1.4142135623730951"},
        {"math.sqrt", "{\"x\":-1}", 1, "a negative number has no real square root"},
        {"math.sqrt", "{\"x\":\"9\"}", 1, "there is no number to take the root of"},
        {"math.sqrt", "[9]", 1, "the arguments are no object"},
    };
    gramc_builtins *builtins;
    (void)state;
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf out;
        const gramc_builtin *builtin = find(builtins, rows[i].name);
        assert_non_null(builtin);
        assert_false(builtin->blocking);
        buf_init(&out, NULL, 1 << 16);
        int failed = builtin->function(builtin->ctx, text_of(rows[i].arguments), buf_writer(&out));
        assert_int_equal(failed != 0, rows[i].failed);
        assert_string_equal(out.ptr, rows[i].result);
        buf_free(&out);
    }
    gramc_builtins_free(builtins);
}

static int nine(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    (void)arguments;
    return result.write(result.ctx, "9", 1);
}

static void registration(void **state) {
    gramc_builtins *builtins;
    char name[] = "my.nine";
    gramc_builtin mine = {text_of(name), nine, NULL, true};
    (void)state;
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    assert_int_equal(gramc_builtins_add(builtins, &mine), GRAMC_OK);
    memset(name, 'x', sizeof name - 1); /* the name was copied */
    const gramc_builtin *found = find(builtins, "my.nine");
    assert_non_null(found);
    assert_true(found->blocking);
    mine.name = TEXT("my.nine");
    assert_int_equal(gramc_builtins_add(builtins, &mine), GRAMC_AMBIGUOUS);
    mine.name = TEXT("math.add");
    assert_int_equal(gramc_builtins_add(builtins, &mine), GRAMC_AMBIGUOUS);
    mine.name = TEXT("");
    assert_int_equal(gramc_builtins_add(builtins, &mine), GRAMC_USAGE);
    mine = (gramc_builtin){TEXT("my.none"), NULL, NULL, false};
    assert_int_equal(gramc_builtins_add(builtins, &mine), GRAMC_USAGE);
    gramc_builtins_free(builtins);
    gramc_builtins_free(NULL);
}

static void without_memory(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_builtins *builtins;
        gramc_status status = gramc_builtins_new(&builtins, &allocator);
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        gramc_builtins_free(builtins);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_functions),
        cmocka_unit_test(registration),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
