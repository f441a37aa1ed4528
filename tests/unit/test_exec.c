/* Programs as tools: what they get, what they may do wrong, and that nothing of them is left. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/support/agent.h"

#define STRING "{\"type\":\"string\"}"
#define ANY "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}"
#define SCRIPT(arguments)                                                                          \
    "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"                            \
    "{\"event\":\"model.response\",\"calls\":[{\"name\":\"tool\",\"arguments\":\"" arguments       \
    "\"}]}\n"                                                                                      \
    "{\"event\":\"model.response\",\"content\":\"ok\"}\n"

static size_t open_descriptors(void) {
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static void expect_no_children(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* Calls one program once; `prepare` may change its implementation. */
static char *call(const char *script, const char *const *argv, void (*prepare)(gramc_impl *impl)) {
    static char result[4096];
    struct test_agent test;
    struct test_run run;
    gramc_model *model;
    size_t before = open_descriptors();
    test_agent_init(&test);
    test_run_init(&run);
    test_tool(&test, "tool", ANY, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_exec(&test, "tool", argv);
    if (prepare) prepare(impl);
    assert_int_equal(gramc_model_new_script(&model, text_of(script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {.agent = &test, .model = model, .messages = {"go"}};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    const char *said = strstr(run.trace.ptr, "\"role\":\"tool\"");
    assert_non_null(said);
    said = strstr(said, "\"content\":\"");
    assert_non_null(said);
    said += strlen("\"content\":\"");
    size_t len = strcspn(said, "\""); /* these tests print no quotes */
    assert_true(len < sizeof result);
    memcpy(result, said, len);
    result[len] = '\0';
    gramc_model_free(model);
    test_run_free(&run);
    test_agent_free(&test);
    assert_int_equal(open_descriptors(), before);
    expect_no_children();
    return result;
}

#define SH(command) ((const char *const[]){"sh", "-c", (command), NULL})

static void input_and_output(void **state) {
    (void)state;
    assert_string_equal(call(SCRIPT("{\\\"x\\\":\\\"a\\\"}"), SH("tr -d '\"'"), NULL), "{x:a}");
    assert_string_equal(call(SCRIPT("{}"), SH("echo one; echo two; echo"), NULL), "one\\ntwo\\n");
    assert_string_equal(call(SCRIPT("{}"), SH("printf none"), NULL), "none");
    assert_string_equal(call(SCRIPT("{}"), SH("true"), NULL), "");
}

static void failures(void **state) {
    (void)state;
    assert_string_equal(call(SCRIPT("{}"), SH("echo partial; echo why >&2; exit 3"), NULL),
                        "Error: the program ended with exit status 3: why");
    assert_string_equal(call(SCRIPT("{}"), SH("exit 137"), NULL),
                        "Error: the program ended with exit status 137");
    assert_string_equal(call(SCRIPT("{}"), SH("kill -SEGV $$"), NULL),
                        "Error: the program was ended by signal 11");
    assert_string_equal(call(SCRIPT("{}"), (const char *const[]){"no-such-program", NULL}, NULL),
                        "Error: the program `no-such-program` cannot be started: no such file or "
                        "directory");
    const char *said = call(
        SCRIPT("{}"), SH("head -c 3000 /dev/zero | tr '\\0' e >&2; echo END >&2; exit 1"), NULL);
    assert_true(strlen(said) > 300 && strlen(said) < 600);
    assert_string_equal(said + strlen(said) - 5, "eeEND");
    assert_non_null(strstr(said, "status 1: ...ee"));
}

static void shorten(gramc_impl *impl) {
    impl->timeout_ms = 300;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void timeouts(void **state) {
    double start = now();
    (void)state;
    assert_string_equal(call(SCRIPT("{}"), SH("sleep 30"), shorten),
                        "Error: the tool did not finish within 300 ms and was stopped");
    /* Its children go with it, and so does one that will not hear a polite signal. */
    assert_string_equal(call(SCRIPT("{}"), SH("trap '' TERM; sleep 31 & sleep 32; echo"), shorten),
                        "Error: the tool did not finish within 300 ms and was stopped");
    assert_true(now() - start < 5);
}

/* A child that outlives its parent and holds the pipe does not hold the run. */
static void left_behind(void **state) {
    double start = now();
    (void)state;
    assert_string_equal(call(SCRIPT("{}"), SH("sleep 33 & echo fine"), NULL), "fine");
    assert_true(now() - start < 5);
}

/* Gone, or a zombie that whoever inherited it has not reaped yet. */
static bool is_dead(const char *pid) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return true;
    const char *read = fgets(line, sizeof line, file);
    fclose(file);
    return !read || strstr(line, ") Z ") || strstr(line, ") X ");
}

static void expect_dead(const char *pid) {
    const struct timespec pause = {0, 10000000};
    assert_in_range(strspn(pid, "0123456789"), 1, 20);
    for (int i = 0; i < 300 && !is_dead(pid); i++) nanosleep(&pause, NULL);
    assert_true(is_dead(pid));
}

/* What a program leaves in the background goes with it, however it ended, and also if it holds no
 * pipe of ours. */
static void background(void **state) {
    (void)state;
    expect_dead(call(SCRIPT("{}"), SH("sleep 34 >/dev/null 2>&1 & echo $!"), NULL));
    expect_dead(call(SCRIPT("{}"), SH("trap '' TERM HUP; sleep 35 & echo $!"), NULL));
    const char *said =
        call(SCRIPT("{}"), SH("sleep 36 >/dev/null 2>&1 & echo $! >&2; exit 4"), NULL);
    const char *colon = strrchr(said, ' ');
    assert_non_null(colon);
    expect_dead(colon + 1);
}

static void too_much(void **state) {
    (void)state;
    assert_string_equal(call(SCRIPT("{}"), SH("head -c 2000000 /dev/zero"), NULL),
                        "Error: the program printed more than 1 MiB");
    assert_string_equal(call(SCRIPT("{}"), SH("yes"), NULL),
                        "Error: the program printed more than 1 MiB");
    assert_string_equal(call(SCRIPT("{}"), SH("head -c 2000000 /dev/zero >&2; echo fine"), NULL),
                        "fine");
}

/* Four megabytes that nobody reads, and a reader that goes away early. */
static void deaf_programs(void **state) {
    struct buf script;
    (void)state;
    buf_init(&script, NULL, 1 << 24);
    buf_puts(&script, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
                      "{\"event\":\"model.response\",\"calls\":[{\"name\":\"tool\",\"arguments\":"
                      "\"{\\\"x\\\":\\\"");
    for (int i = 0; i < 4 << 16; i++) buf_puts(&script, "0123456789abcdef");
    buf_puts(&script, "\\\"}\"}]}\n{\"event\":\"model.response\",\"content\":\"ok\"}\n");
    assert_int_equal(buf_status(&script), GRAMC_OK);
    assert_string_equal(call(script.ptr, SH("sleep 0.1; echo fine"), NULL), "fine");
    assert_string_equal(call(script.ptr, SH("exec <&-; sleep 0.1; echo fine"), NULL), "fine");
    assert_string_equal(call(script.ptr, SH("head -c 10 >/dev/null; exec >&-; sleep 0.1"), NULL),
                        "");
    assert_string_equal(call(script.ptr, SH("wc -c"), NULL), "4194312");
    buf_free(&script);
}

static const gramc_text declared[] = {{"GREETING=hi there", 17}, {"PATH=/bin:/usr/bin", 18}};

static void declare(gramc_impl *impl) {
    impl->env = declared;
    impl->env_count = 2;
}

/* Only what is handed down and what is declared, which wins. */
static void environment(void **state) {
    (void)state;
    setenv("GRAMC_TEST_SECRET", "must not be seen", 1);
    assert_string_equal(
        call(SCRIPT("{}"), SH("env | grep -v -e ^PWD -e ^_ -e ^SHLVL -e ^OLDPWD"), NULL),
        "PATH=/usr/bin:/bin");
    assert_string_equal(
        call(SCRIPT("{}"), SH("echo \"$PATH $GREETING$GRAMC_TEST_SECRET\""), declare),
        "/bin:/usr/bin hi there");
    /* A shell would pass over what is no variable. */
    assert_string_equal(call(SCRIPT("{}"), (const char *const[]){"env", NULL}, NULL),
                        "PATH=/usr/bin:/bin");
    assert_string_equal(call(SCRIPT("{}"), (const char *const[]){"env", NULL}, declare),
                        "GREETING=hi there\\nPATH=/bin:/usr/bin");
}

/* No descriptor but the three is inherited. */
static void descriptors(void **state) {
    (void)state;
    assert_string_equal(call(SCRIPT("{}"), SH("ls /proc/self/fd | tr '\\n' ' '"), NULL),
                        "0 1 2 3 ");
}

static char folder[64] = "/tmp/gramc-exec-XXXXXX";

static void place(gramc_impl *impl) {
    impl->folder = text_of(folder);
}

/* Relative names are relative to the file that names them. */
static void folders(void **state) {
    char path[128];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/hello.sh", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\necho from the folder\n", file);
    fclose(file);
    assert_string_equal(call(SCRIPT("{}"), (const char *const[]){"sh", "hello.sh", NULL}, place),
                        "from the folder");
    assert_string_equal(call(SCRIPT("{}"), (const char *const[]){"./hello.sh", NULL}, place),
                        "Error: the program `./hello.sh` cannot be started: permission denied");
    assert_int_equal(chmod(path, 0755), 0);
    assert_string_equal(call(SCRIPT("{}"), (const char *const[]){"./hello.sh", NULL}, place),
                        "from the folder");
    remove(path);
    rmdir(folder);
}

/* What this process inherited is not the runtime's matter; and libuv opens two descriptors once and
 * for all with the first program. */
static int prepare_descriptors(void **state) {
    gramc_loop *loop;
    (void)state;
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    if (gramc_loop_new(&loop, NULL)) return 1;
    gramc_loop_free(loop);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_and_output), cmocka_unit_test(failures),
        cmocka_unit_test(timeouts),         cmocka_unit_test(left_behind),
        cmocka_unit_test(background),       cmocka_unit_test(too_much),
        cmocka_unit_test(deaf_programs),    cmocka_unit_test(environment),
        cmocka_unit_test(descriptors),      cmocka_unit_test(folders),
    };
    return cmocka_run_group_tests(tests, prepare_descriptors, NULL);
}
