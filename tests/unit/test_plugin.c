/* Plugins as tools: what they get and say, in a host and in this process; what they may do wrong,
 * with the run going on each time; and that nothing of them is left. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "base/text.h"
#include "runtime/process/plugin_symbols.h"
#include "tests/support/agent.h"
#include "tests/support/calls.h"

#define OBJECT "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"}}}"
#define STRING "{\"type\":\"string\"}"
#define NUMBER "{\"type\":\"number\"}"

static void expect_no_children(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* What is called, and how the implementation differs from the usual. */
struct plan {
    const char *file, *symbol, *arguments;
    size_t times; /* one after the other; 0: once */
    bool at_once; /* or all in one answer */
    bool in_process;
    bool json; /* the tool promises a number, not a text */
    uint32_t timeout_ms;
    uint64_t max_memory;
    uint32_t max_cpu_s, max_files;
};

static void run_plan(const struct plan *plan, struct test_said *said) {
    struct test_agent test;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, plan->json ? NUMBER : STRING,
              plan->json ? GRAMC_RESULT_JSON : GRAMC_RESULT_TEXT);
    test.tools[0].max_tool_errors = 100;
    gramc_impl *impl = test_plugin(&test, "tool", plan->file, plan->symbol);
    impl->in_process = plan->in_process;
    impl->timeout_ms = plan->timeout_ms;
    impl->max_memory = plan->max_memory;
    impl->max_cpu_s = plan->max_cpu_s;
    impl->max_files = plan->max_files;
    test_say(&test, plan->arguments ? plan->arguments : "{}", plan->times ? plan->times : 1,
             plan->at_once, said);
    test_agent_free(&test);
    expect_no_children();
}

static const char *say(struct test_said *said, const struct plan *plan) {
    run_plan(plan, said);
    return said->texts[0];
}

static long number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end) fail_msg("no number: %s", text);
    return value;
}

/* ## What it should do */

static void both_ways(void **state) {
    struct test_said said;
    (void)state;
    for (int in_process = 0; in_process < 2; in_process++) {
        const struct plan root = {.file = "libcalc.so",
                                  .symbol = "calc_sqrt",
                                  .arguments = "{\"x\":2}",
                                  .json = true,
                                  .in_process = in_process};
        const struct plan negative = {.file = "libcalc.so",
                                      .symbol = "calc_sqrt",
                                      .arguments = "{\"x\":-2}",
                                      .in_process = in_process};
        const struct plan echo = {.file = "libmisbehave.so",
                                  .symbol = "echo",
                                  .arguments = "{\"x\": 1}",
                                  .in_process = in_process};
        assert_string_equal(say(&said, &root), "1.4142135623730951");
        assert_string_equal(say(&said, &negative),
                            "Error: x is negative, and has no real square root");
        assert_string_equal(say(&said, &echo), "{\"x\": 1}");
    }
}

static void no_symbol_means_the_name(void **state) {
    struct test_said said;
    struct test_agent test;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "echo", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_plugin(&test, "echo", "libmisbehave.so", "");
    test_say(&test, "{}", 1, false, &said);
    assert_string_equal(said.texts[0], "{}");
    test_agent_free(&test);
}

static void hosts_are_reused(void **state) {
    struct test_said said;
    const struct plan count = {.file = "libmisbehave.so", .symbol = "count_calls", .times = 4};
    (void)state;
    run_plan(&count, &said);
    for (size_t i = 0; i < 4; i++) assert_int_equal(number(said.texts[i]), (long)i + 1);
}

/* Twelve calls at once share the four hosts that there may be. */
static void pools_are_limited(void **state) {
    struct test_said said;
    const struct plan pids = {
        .file = "libmisbehave.so", .symbol = "say_pid", .times = 12, .at_once = true};
    size_t different = 0;
    (void)state;
    run_plan(&pids, &said);
    for (size_t i = 0; i < 12; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++) seen |= strcmp(said.texts[i], said.texts[j]) == 0;
        different += !seen;
        assert_true(number(said.texts[i]) > 1 && number(said.texts[i]) != getpid());
    }
    assert_in_range(different, 1, 4);
}

static void bare_environment(void **state) {
    struct test_said said;
    struct test_agent test;
    const gramc_text declared = TEXT("GREETING= and hello");
    (void)state;
    setenv("GRAMC_TEST_SECRET", "must not be seen", 1);
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_plugin(&test, "tool", "libmisbehave.so", "show_variable");
    impl->env = &declared;
    impl->env_count = 1;
    test_say(&test, "{}", 1, false, &said);
    assert_string_equal(said.texts[0], "none and hello");
    test_agent_free(&test);
}

/* ## What it should not do: the second call of each plan finds another host at work */

static void faults(void **state) {
    static const struct {
        const char *symbol, *said;
    } rows[] = {
        {"crash", "Error: the plugin was ended by signal 11"},
        {"leave", "Error: the plugin called exit with status 3: enough is enough"},
        {"stop_it", "Error: the plugin was ended by signal 6"},
        {"fail_silently", "Error: the tool failed and said nothing about it"},
        {"fail_aloud", "Error: out of paper"},
        {"flood", "Error: the result is longer than 1 MiB"},
        {"chatter", "fine"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_said said;
        const struct plan plan = {.file = "libmisbehave.so", .symbol = rows[i].symbol, .times = 2};
        run_plan(&plan, &said);
        assert_string_equal(said.texts[0], rows[i].said);
        assert_string_equal(said.texts[1], rows[i].said);
    }
}

static void deadlines(void **state) {
    static const char *const symbols[] = {"never", "spin"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct test_said said;
        const struct plan plan = {.file = "libmisbehave.so",
                                  .symbol = symbols[i],
                                  .times = 6,
                                  .at_once = true,
                                  .timeout_ms = 300};
        run_plan(&plan, &said);
        for (size_t j = 0; j < 6; j++)
            assert_string_equal(said.texts[j],
                                "Error: the tool did not finish within 300 ms and was stopped");
        assert_true(said.seconds < 5);
    }
}

static void limits(void **state) {
    struct test_said said;
    const struct plan spin = {
        .file = "libmisbehave.so", .symbol = "spin", .max_cpu_s = 1, .timeout_ms = 20000};
    const struct plan files = {.file = "libmisbehave.so", .symbol = "take_files", .max_files = 64};
    const struct plan enough = {.file = "libmisbehave.so", .symbol = "take_files"};
    (void)state;
    assert_string_equal(say(&said, &spin),
                        "Error: the plugin was ended by signal 24, its limit of CPU time");
    assert_true(said.seconds < 10);
    assert_string_equal(say(&said, &files), "Error: no descriptor");
    assert_non_null(say(&said, &enough));
#ifdef SANITIZED
    print_message("a limit of memory is not tried: the sanitizer's shadow needs more\n");
#else
    const struct plan memory = {
        .file = "libmisbehave.so", .symbol = "take_memory", .max_memory = (uint64_t)256 << 20};
    assert_string_equal(say(&said, &memory), "Error: no memory");
#endif
}

/* ## Before the run */

static void expect_refusal(const char *file, const char *symbol, bool in_process,
                           const char *words) {
    struct test_agent test;
    gramc_bound *bound;
    gramc_bind_message message;
    char text[1024];
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_plugin(&test, "tool", file, symbol)->in_process = in_process;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, NULL), GRAMC_FINDINGS);
    assert_true(gramc_bound_message(bound, 0, &message));
    assert_int_equal(message.severity, GRAMC_ERROR);
    snprintf(text, sizeof text, "%.*s", TEXT_ARGS(message.message));
    if (!strstr(text, words)) fail_msg("%s", text);
    gramc_bound_free(bound);
    test_agent_free(&test);
}

static void binding(void **state) {
    (void)state;
    for (int in_process = 0; in_process < 2; in_process++) {
        expect_refusal("libcalc.so", "calc_cbrt", in_process, "does not export `calc_cbrt`");
        expect_refusal("libnone.so", "x", in_process, "cannot be read");
        expect_refusal(".", "x", in_process, "cannot be read");
        expect_refusal("../../CMakeCache.txt", "x", in_process, "is no shared object");
        expect_refusal("../../libgramc.so", "gramc_version", in_process,
                       "does not export `gramc_plugin_abi`");
    }
}

static void other_abi(void **state) {
    struct test_said said;
    (void)state;
    for (int in_process = 0; in_process < 2; in_process++) {
        const struct plan plan = {.file = "libold.so", .symbol = "echo", .in_process = in_process};
        assert_non_null(strstr(say(&said, &plan), "libold.so` was built for plugin ABI 99, and "
                                                  "this is 1"));
    }
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static void change_byte(const char *path, size_t at, int byte) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    fputc(byte, file);
    fclose(file);
}

/* Every part of a damaged or cut file is looked at without a crash, and never found complete. */
static void hostile_objects(void **state) {
    char path[1100], copy[] = "/tmp/gramc-plugin-XXXXXX";
    size_t size;
    (void)state;
    snprintf(path, sizeof path, "%s/tests/plugin/libcalc.so", getenv("GRAMC_BUILD_DIR"));
    char *bytes = read_file(path, &size);
    int descriptor = mkstemp(copy);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(plugin_exports(path, TEXT("calc_add")), PLUGIN_EXPORTS);
    assert_int_equal(plugin_exports(path, TEXT("calc")), PLUGIN_LACKS);
    for (size_t cut = 0; cut < 64; cut += 7) {
        write_file(copy, bytes, cut);
        assert_int_equal(plugin_exports(copy, TEXT("calc_add")), PLUGIN_NO_OBJECT);
    }
    write_file(copy, bytes, size);
    assert_true(size > 64 * 42);
    /* The header, and the section headers at the end. */
    for (size_t i = 0; i < size; i += i == 63 ? size - 64 - 64 * 40 : 1) {
        change_byte(copy, i, ~bytes[i]);
        assert_in_range(plugin_exports(copy, TEXT("calc_add")), PLUGIN_EXPORTS, PLUGIN_UNKNOWN);
        change_byte(copy, i, bytes[i]);
    }
    remove(copy);
    free(bytes);
}

/* ## Memory that runs out */

static bool once(const struct test_agent *test, long n, bool persistent) {
    struct failing failing = {.fail_at = n, .persistent = persistent};
    gramc_allocator allocator = test_failing(&failing);
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    struct test_setup setup = {
        .agent = test, .model = model, .messages = {"Hello"}, .allocator = &allocator};
    gramc_status status = test_run(&run, &setup);
    if (status) assert_int_equal(status, GRAMC_NOMEM);
    else if (!failing.failed) assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    gramc_model_free(model);
    test_run_free(&run);
    assert_int_equal(failing.live, 0);
    expect_no_children();
    return failing.failed;
}

static void no_memory(void **state) {
    struct test_agent test;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_plugin(&test, "tool", "libmisbehave.so", "echo");
    for (int persistent = 0; persistent < 2; persistent++)
        for (long n = 1; once(&test, n, persistent);) n++;
    test.impls[0].in_process = true;
    for (long n = 1; once(&test, n, false);) n++;
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),        cmocka_unit_test(no_symbol_means_the_name),
        cmocka_unit_test(hosts_are_reused), cmocka_unit_test(pools_are_limited),
        cmocka_unit_test(bare_environment), cmocka_unit_test(faults),
        cmocka_unit_test(deadlines),        cmocka_unit_test(limits),
        cmocka_unit_test(binding),          cmocka_unit_test(other_abi),
        cmocka_unit_test(hostile_objects),  cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
