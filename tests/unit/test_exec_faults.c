/* What programs may do wrong, one table for those that run once a call and one for those that stay:
 * each time the run goes on, the model is told why in one sentence, it does not take longer than it
 * may, and no process, descriptor or byte of memory is left. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/stated.h"
#include "tests/support/agent.h"
#include "tests/support/calls.h"

#define OBJECT "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}"
#define STRING "{\"type\":\"string\"}"

static size_t open_descriptors(void) {
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static void expect_nothing_left(size_t descriptors) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(open_descriptors(), descriptors);
}

struct limits {
    uint64_t max_memory;
    uint32_t max_cpu_s, max_files, max_processes;
    uint64_t max_file_size;
};

struct plan {
    const char *const *argv;
    const char *arguments;
    size_t times;
    bool at_once, persistent, json;
    uint32_t timeout_ms;
    struct limits limits;
};

static void run_plan(const struct plan *plan, struct test_said *said) {
    struct test_agent test;
    size_t before = open_descriptors();
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, plan->json ? "true" : STRING,
              plan->json ? GRAMC_RESULT_JSON : GRAMC_RESULT_TEXT);
    test.tools[0].max_tool_errors = 100;
    gramc_impl *impl = test_exec(&test, "tool", plan->argv);
    impl->persistent = plan->persistent;
    impl->timeout_ms = plan->timeout_ms;
    impl->max_memory = plan->limits.max_memory;
    impl->max_cpu_s = plan->limits.max_cpu_s;
    impl->max_files = plan->limits.max_files;
    impl->max_processes = plan->limits.max_processes;
    impl->max_file_size = plan->limits.max_file_size;
    test_say(&test, plan->arguments ? plan->arguments : "{}", plan->times ? plan->times : 1,
             plan->at_once, said);
    test_agent_free(&test);
    expect_nothing_left(before);
}

/* A row says how the answers begin; every one of the plan's. */
static void expect(const char *name, const struct plan *plan, const char *said) {
    struct test_said got;
    run_plan(plan, &got);
    for (size_t i = 0; i < got.count; i++)
        if (strncmp(got.texts[i], said, strlen(said)) != 0)
            fail_msg("%s: call %zu gave: %s", name, i, got.texts[i]);
    if (got.seconds > 8) fail_msg("%s took %g s", name, got.seconds);
}

#define STOPPED "Error: the tool did not finish within 400 ms and was stopped"

/* ## One process a call */

static void once(void **state) {
    static const struct {
        const char *script, *said;
    } rows[] = {
        {"exit 137", "Error: the program ended with exit status 137"},
        {"echo half; echo why >&2; exit 1", "Error: the program ended with exit status 1: why"},
        {"kill -KILL $$", "Error: the program was ended by signal 9"},
        {"yes | head -c 1000000000", "Error: the program printed more than 1 MiB"},
        {"yes >&2", STOPPED},
        {"sleep 60", STOPPED},
        {"exec 0<&-; echo fine", "fine"},
        {"sleep 60 <&0 & echo fine", "fine"},
        {"exec >&- 2>&-; sleep 60", STOPPED},
        {"exec >&-; exit 4", "Error: the program ended with exit status 4"},
        {"trap '' TERM HUP INT; sleep 60; sleep 60", STOPPED},
        {"cat; cat; echo; echo twice", "{}\ntwice"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const argv[] = {"sh", "-c", rows[i].script, NULL};
        const struct plan plan = {.argv = argv, .times = 2, .timeout_ms = 400};
        expect(rows[i].script, &plan, rows[i].said);
    }
}

static void limits(void **state) {
    static const struct {
        const char *script, *said;
        struct limits limits;
    } rows[] = {
        {"ulimit -v", "262144", {.max_memory = 256 << 20}},
        {"ulimit -t", "7", {.max_cpu_s = 7}},
        {"ulimit -n", "20", {.max_files = 20}},
        {"grep -c '^Max processes *300 *300 ' /proc/self/limits", "1", {.max_processes = 300}},
        {"grep -c '^Max file size *4096 *4096 ' /proc/self/limits", "1", {.max_file_size = 4096}},
        {"grep -c '^Max cpu time *7 *8 ' /proc/self/limits", "1", {.max_cpu_s = 7}},
        {"grep -c '^Max core file size *0 *0 ' /proc/self/limits", "1", {.max_files = 20}},
        {"while :; do :; done",
         "Error: the program was ended by signal 24, its limit of CPU time",
         {.max_cpu_s = 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const argv[] = {"sh", "-c", rows[i].script, NULL};
        const struct plan plan = {.argv = argv, .timeout_ms = 5000, .limits = rows[i].limits};
        expect(rows[i].script, &plan, rows[i].said);
    }
    const char *const nobody[] = {"no-such-program", NULL};
    const struct plan plan = {.argv = nobody, .limits = {.max_files = 20}};
    expect("no-such-program", &plan,
           "Error: the program `no-such-program` cannot be started: no such file or directory");
}

/* ## Programs that stay */

static const char *worker(void) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/line_worker", getenv("GRAMC_BUILD_DIR"));
    return path;
}

static void stay(void **state) {
    static const struct {
        const char *mode, *said;
        bool json;
    } rows[] = {
        {"echo", "{\"x\":\"a b\"}", true},
        {"echo", "{\"x\":\"a b\"}", false},
        {"text", "two\nlines", false},
        {"text", "\"two\\nlines\"", true},
        {"tool", "tool", false},
        {"error", "Error: out of paper", false},
        {"error-object", "Error: {\"code\":7}", false},
        {"twice", "{\"x\":\"a b\"}", true},
        {"flood-errors", "{\"x\":\"a b\"}", true},
        {"leave-child", "{\"x\":\"a b\"}", true},
        {"neither", "Error: the program sent an answer with neither `result` nor `error`", false},
        {"no-id", "Error: the program printed a line that is no answer: {\"result\":1}", false},
        {"later-id", "Error: the program printed a line that is no answer: {\"id\":2", false},
        {"garbage", "Error: the program printed a line that is no answer: Traceback", false},
        {"leave", "Error: the program ended with exit status 137: no more of this", false},
        {"gone", "Error: the program ended with exit status 9", false},
        {"crash", "Error: the program was ended by signal 11", false},
        {"never", STOPPED, false},
        {"deaf", STOPPED, false},
        {"close-output", "Error: the program closed its output", false},
        {"flood", "Error: the program sent a line longer than 16 MiB", false},
        {"big-result", "Error: the result is longer than 1 MiB", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const argv[] = {worker(), rows[i].mode, NULL};
        for (int at_once = 0; at_once < 2; at_once++) {
            const struct plan plan = {.argv = argv,
                                      .arguments = "{\"x\":\"a b\"}",
                                      .times = 3,
                                      .at_once = at_once,
                                      .persistent = true,
                                      .json = rows[i].json,
                                      .timeout_ms =
                                          strcmp(rows[i].said, STOPPED) == 0 ? 400 : 5000};
            expect(rows[i].mode, &plan, rows[i].said);
        }
    }
}

static void it_stays(void **state) {
    static const char *const expected[] = {"1", "2", "3", "4"};
    const char *const argv[] = {worker(), "count", NULL};
    const struct plan plan = {.argv = argv, .times = 4, .persistent = true};
    struct test_said said;
    (void)state;
    run_plan(&plan, &said);
    for (size_t i = 0; i < 4; i++) assert_string_equal(said.texts[i], expected[i]);
}

/* One that goes after each answer is started again for each call. */
static void started_again(void **state) {
    struct test_agent test;
    struct test_said said;
    const char *const argv[] = {worker(), "leave-after", NULL}, *const pause[] = {"sleep", "0.3",
                                                                                  NULL};
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_exec(&test, "tool", argv)->persistent = true;
    test_tool(&test, "wait", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_exec(&test, "wait", pause);
    static const char *const names[] = {"tool", "wait", "tool", "wait", "tool", NULL};
    test_say_tools(&test, names, &said);
    for (size_t i = 0; i < 5; i += 2) assert_string_equal(said.texts[i], "1");
    test_agent_free(&test);
}

/* Each has its deadline from when it is its turn. */
static void queue(void **state) {
    const char *const argv[] = {worker(), "never", NULL};
    const struct plan plan = {
        .argv = argv, .times = 12, .at_once = true, .persistent = true, .timeout_ms = 400};
    (void)state;
    expect("twelve that never answer", &plan, STOPPED);
}

static void limited(void **state) {
    const char *const argv[] = {worker(), "never", NULL};
    const char *const shell[] = {"sh", "-c",
                                 "while read -r line; do echo \"{\\\"id\\\":1,\\\"result\\\":"
                                 "\\\"$(ulimit -n)\\\"}\"; done",
                                 NULL};
    const struct plan plan = {
        .argv = shell, .persistent = true, .timeout_ms = 2000, .limits = {.max_files = 33}};
    const struct plan never = {
        .argv = argv, .persistent = true, .timeout_ms = 400, .limits = {.max_files = 33}};
    (void)state;
    expect("a limited shell", &plan, "33");
    expect("a limited worker", &never, STOPPED);
}

/* Seven programs, three of each at once: no more than sixteen wait for later calls. */
static void few_stay_idle(void **state) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct test_agent test;
    struct test_said said;
    struct buf script;
    (void)state;
    STATED(WORKERS_IDLE_MAX, 16, "the surplus is ended");
    test_agent_init(&test);
    test.max_programs = 21;
    buf_init(&script, NULL, 1 << 16);
    buf_puts(&script, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
                      "{\"event\":\"model.response\",\"calls\":[");
    for (size_t i = 0; i < 7; i++) {
        const char *const argv[] = {worker(), "count", names[i], NULL};
        test_tool(&test, names[i], OBJECT, STRING, GRAMC_RESULT_TEXT);
        test_exec(&test, names[i], argv)->persistent = true;
        for (size_t j = 0; j < 3; j++)
            buf_printf(&script, "%s{\"name\":\"%s\",\"arguments\":\"{}\"}", i + j ? "," : "",
                       names[i]);
    }
    buf_puts(&script, "]}\n{\"event\":\"model.response\",\"calls\":[{\"name\":\"children\","
                      "\"arguments\":\"{}\"}]}\n"
                      "{\"event\":\"model.response\",\"content\":\"done\"}\n");
    const char *const children[] = {
        "sh", "-c",
        "sleep 1; gramc=$(awk '/^PPid:/{print $2}' /proc/$PPID/status);"
        "grep -ls \"^PPid:[^0-9]$gramc\\$\" /proc/[0-9]*/status | wc -l",
        NULL}; /* hosts, of which each has a program */
    test_tool(&test, "children", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_exec(&test, "children", children);
    test_say_script(&test, buf_view(&script), &said);
    assert_int_equal(said.count, 22);
    for (size_t i = 0; i < 21; i++) assert_string_equal(said.texts[i], "1");
    assert_string_equal(said.texts[21], "17"); /* with the shell that counts */
    buf_free(&script);
    test_agent_free(&test);
}

/* A variable that is not set, where binding was told that it may miss, fails the call. */
static void unset_variable(void **state) {
    static const gramc_text declared = {"TOKEN=${env:TOKEN_OF_THE_TEST}", 30};
    static const gramc_pair allowed = {{"TOKEN_OF_THE_TEST", 17}, {NULL, 0}};
    const char *const argv[] = {"env", NULL};
    const gramc_text message = TEXT("go");
    struct test_agent test;
    struct test_run run;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    gramc_bound *bound;
    gramc_loop *loop;
    gramc_model *model;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_exec(&test, "tool", argv);
    impl->env = &declared;
    impl->env_count = 1;
    bind.secrets = &allowed;
    bind.secret_count = 1;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &bind), GRAMC_FINDINGS);
    gramc_bound_free(bound);
    bind.secrets_may_miss = true;
    assert_int_equal(gramc_bind(&bound, &test.agent, &test.library, &bind), GRAMC_OK);
    assert_int_equal(gramc_model_new_mock(&model, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    test_run_init(&run);
    gramc_run_handler handler = test_handler(&run);
    options.model = model;
    options.messages = &message;
    options.message_count = 1;
    assert_int_equal(gramc_run_start(NULL, loop, bound, &options, &handler), GRAMC_OK);
    assert_int_equal(gramc_loop_run(loop), GRAMC_OK);
    assert_string_equal(run.text, "Error: the environment variable `TOKEN_OF_THE_TEST` is not set");
    test_run_free(&run);
    gramc_loop_free(loop);
    gramc_model_free(model);
    gramc_bound_free(bound);
    test_agent_free(&test);
}

/* ## Memory that runs out */

static bool with_failure(const struct test_agent *test, long n, bool persistent) {
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
    return failing.failed;
}

static void no_memory(void **state) {
    struct test_agent test;
    const char *const argv[] = {worker(), "echo", NULL};
    size_t before = open_descriptors();
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, "true", GRAMC_RESULT_JSON);
    gramc_impl *impl = test_exec(&test, "tool", argv);
    impl->max_files = 100;
    for (int mode = 0; mode < 4; mode++) {
        impl->persistent = mode & 1;
        for (long n = 1; with_failure(&test, n, mode & 2);) n++;
    }
    test_agent_free(&test);
    expect_nothing_left(before);
}

/* libuv opens two descriptors once and for all with the first program. */
static int prepare(void **state) {
    gramc_loop *loop;
    (void)state;
    if (gramc_loop_new(&loop, NULL)) return 1;
    gramc_loop_free(loop);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once),           cmocka_unit_test(limits),
        cmocka_unit_test(stay),           cmocka_unit_test(it_stays),
        cmocka_unit_test(started_again),  cmocka_unit_test(queue),
        cmocka_unit_test(limited),        cmocka_unit_test(few_stay_idle),
        cmocka_unit_test(unset_variable), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
