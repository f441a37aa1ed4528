/* Programs that stay are shared by tools that agree in all that a program can tell apart, and by no
 * others; and whoever does not end with its input is asked to before it is killed. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/text.h"
#include "tests/support/agent.h"
#include "tests/support/calls.h"

#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"

static const char *worker(void) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/line_worker", getenv("GRAMC_BUILD_DIR"));
    return path;
}

struct place {
    const char *argv[4];
    gramc_text env[2];
    size_t env_count;
    const char *folder;
};

/* Two tools, done by programs that say how often they were asked: "2" from one that both share. */
static void expect_shared(const struct place *one, const struct place *other, bool shared) {
    static const char *const names[] = {"a", "b", NULL};
    const struct place *places[] = {one, other};
    struct test_agent test;
    struct test_said said;
    test_agent_init(&test);
    for (size_t i = 0; i < 2; i++) {
        test_tool(&test, names[i], OBJECT, STRING, GRAMC_RESULT_TEXT);
        gramc_impl *impl = test_exec(&test, names[i], places[i]->argv);
        impl->persistent = true;
        impl->env = places[i]->env;
        impl->env_count = places[i]->env_count;
        if (places[i]->folder) impl->folder = text_of(places[i]->folder);
    }
    test_say_tools(&test, names, &said);
    assert_int_equal(said.count, 2);
    assert_string_equal(said.texts[0], "1");
    assert_string_equal(said.texts[1], shared ? "2" : "1");
    test_agent_free(&test);
}

static void who_shares_a_process(void **state) {
    const struct place plain = {.argv = {worker(), "count", NULL}};
    const struct place key_1 = {
        .argv = {worker(), "count", NULL}, .env = {TEXT("KEY=1"), TEXT("B=2")}, .env_count = 2};
    const struct place key_2 = {
        .argv = {worker(), "count", NULL}, .env = {TEXT("KEY=2"), TEXT("B=2")}, .env_count = 2};
    const struct place run_together = {
        .argv = {worker(), "count", NULL}, .env = {TEXT("KEY=1B=2")}, .env_count = 1};
    const struct place root = {.argv = {worker(), "count", NULL}, .folder = "/"};
    const struct place temporary = {.argv = {worker(), "count", NULL}, .folder = "/tmp"};
    const struct place word = {.argv = {worker(), "count", "x", NULL}};
    (void)state;
    expect_shared(&plain, &plain, true); /* or the rest would show nothing */
    expect_shared(&key_1, &key_1, true);
    expect_shared(&key_1, &key_2, false);
    expect_shared(&key_1, &plain, false);
    expect_shared(&key_1, &run_together, false);
    expect_shared(&root, &temporary, false);
    expect_shared(&root, &plain, false);
    expect_shared(&word, &plain, false);
}

/* Behind the end of its input it has half a second, then SIGTERM, then SIGKILL. */
static void asked_to_end(void **state) {
    char folder[] = "/tmp/gramc-end-XXXXXX", script[512], path[64];
    static const char *const names[] = {"a", NULL};
    struct test_agent test;
    struct test_said said;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/asked", folder);
    snprintf(script, sizeof script,
             "trap 'touch %s; exit' TERM; read line; echo '{\"id\":1,\"result\":\"here\"}'; "
             "while :; do sleep 0.05; done",
             path);
    const char *const argv[] = {"sh", "-c", script, NULL};
    test_agent_init(&test);
    test_tool(&test, "a", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_exec(&test, "a", argv)->persistent = true;
    test_say_tools(&test, names, &said);
    assert_string_equal(said.texts[0], "here");
    assert_int_equal(access(path, F_OK), 0);
    test_agent_free(&test);
    remove(path);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_shares_a_process),
        cmocka_unit_test(asked_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
