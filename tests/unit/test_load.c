/* A loop under load: more runs than it may have connections, names that take long to be looked up,
 * requests that wait for their turn. Names are looked up by this file's own getaddrinfo. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/run.h"
#include "tests/stated.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define SAYS "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"}}]}"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ## Names */

enum { LOOK_UP_MS = 3000 };

static atomic_int looked_up, looking_up;

/* Stands in for the C library's, also where libcurl calls it: every name takes long, and then there
 * is no such name. */
__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out) {
    const struct timespec pause = {LOOK_UP_MS / 1000, LOOK_UP_MS % 1000 * 1000000L};
    (void)node;
    (void)service;
    (void)hints;
    *out = NULL;
    looked_up++;
    looking_up++;
    nanosleep(&pause, NULL);
    looking_up--;
    return EAI_NONAME;
}

struct names {
    struct test_agent test;
    gramc_bound *bound;
    gramc_model *model;
    gramc_loop *loop;
    struct test_run run;
};

static void names_begin(struct names *names, const char *base_url, uint32_t max_connections) {
    gramc_loop_options loop = GRAMC_LOOP_OPTIONS_INIT;
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_endpoint_options endpoint = GRAMC_ENDPOINT_OPTIONS_INIT;
    test_agent_init(&names->test);
    test_run_init(&names->run);
    endpoint.base_url = text_of(base_url);
    endpoint.max_retries = 0;
    loop.max_connections = max_connections;
    assert_int_equal(gramc_bind(&names->bound, &names->test.agent, &names->test.library, &bind),
                     GRAMC_OK);
    assert_int_equal(gramc_model_new_endpoint(&names->model, &endpoint), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&names->loop, &loop), GRAMC_OK);
}

static gramc_run *names_start(struct names *names, uint32_t timeout_ms) {
    gramc_run_options options = GRAMC_RUN_OPTIONS_INIT;
    const gramc_run_handler handler = test_handler(&names->run);
    const gramc_text message = TEXT("Hello");
    gramc_run *run;
    options.model = names->model;
    options.messages = &message;
    options.message_count = 1;
    options.timeout_ms = timeout_ms;
    assert_int_equal(gramc_run_start(&run, names->loop, names->bound, &options, &handler),
                     GRAMC_OK);
    return run;
}

static void names_end(struct names *names) {
    gramc_model_free(names->model);
    gramc_bound_free(names->bound);
    test_run_free(&names->run);
    test_agent_free(&names->test);
}

/* A run is canceled, and the loop is freed, while a name is looked up. */
static void names_are_not_waited_for(void **state) {
    struct names names;
    (void)state;
    names_begin(&names, "http://slow.test/v1", 0);
    double start = now();
    names_start(&names, 100);
    assert_int_equal(gramc_loop_run(names.loop), GRAMC_OK);
    assert_int_equal(names.run.outcome, GRAMC_OUTCOME_TIMEOUT);
    gramc_run *run = names_start(&names, 0);
    for (int i = 0; i < 10; i++) uv_run(&names.loop->uv, UV_RUN_NOWAIT);
    gramc_run_cancel(run);
    assert_int_equal(gramc_loop_run(names.loop), GRAMC_OK);
    assert_int_equal(names.run.outcome, GRAMC_OUTCOME_CANCELED);
    names_start(&names, 0);
    for (int i = 0; i < 10; i++) uv_run(&names.loop->uv, UV_RUN_NOWAIT);
    gramc_loop_free(names.loop);
    double took = now() - start;
    assert_int_equal(names.run.done, 3);
    assert_true(looked_up > 0);
    assert_true(looking_up > 0);
    if (took > 1.5) fail_msg("it took %g s", took);
    while (looking_up) usleep(10000); /* or its memory would look lost */
    usleep(50000);
    names_end(&names);
}

/* ## Time limits of runs */

static uint64_t due_in(const gramc_run *run) {
    return uv_timer_get_due_in(&run->deadline);
}

static void every_run_ends(void **state) {
    struct names names;
    (void)state;
    STATED(RUN_TIMEOUT_MS, 1800000, "the run ends as timeout");
    names_begin(&names, "http://slow.test/v1", 0);
    gramc_run *run = names_start(&names, 0);
    assert_true(run->has_deadline);
    assert_int_equal(due_in(run), RUN_TIMEOUT_MS);
    assert_int_equal(run->timeout_ms, RUN_TIMEOUT_MS);
    gramc_run *long_one = names_start(&names, RUN_TIMEOUT_MS + 1);
    assert_int_equal(due_in(long_one), RUN_TIMEOUT_MS + 1);
    assert_false(names_start(&names, UINT32_MAX)->has_deadline);
    gramc_loop_free(names.loop);
    names_end(&names);
}

/* ## More runs than descriptors */

enum { RUNS = 1000, DESCRIPTORS = 200 };

/* In a process of its own; its exit status says how it went. */
static int run_them_all(const char *base_url) {
    struct rlimit limit = {DESCRIPTORS, DESCRIPTORS};
    struct names names;
    if (setrlimit(RLIMIT_NOFILE, &limit)) return 2;
    names_begin(&names, base_url, 0);
    for (size_t i = 0; i < RUNS; i++) names_start(&names, 60000);
    if (gramc_loop_run(names.loop)) return 3;
    size_t answers = 0;
    for (size_t i = 0; i < names.run.answers.len; i++)
        if (names.run.answers.ptr[i] == '\n') answers++;
    if (answers != RUNS) {
        fprintf(stderr, "%zu of %d; %s\n", answers, RUNS, names.run.message);
        return 4;
    }
    gramc_loop_free(names.loop);
    names_end(&names);
    return 0;
}

static void more_runs_than_descriptors(void **state) {
    static struct mock_answer answers[RUNS];
    int link[2], status;
    char url[128] = "";
    (void)state;
    for (size_t i = 0; i < RUNS; i++) answers[i] = (struct mock_answer){.body = SAYS};
    assert_int_equal(pipe(link), 0);
    pid_t child = fork(); /* before there are threads */
    assert_true(child >= 0);
    if (child == 0) {
        close(link[1]);
        ssize_t len = read(link[0], url, sizeof url - 1);
        _exit(len > 0 ? run_them_all(url) : 5);
    }
    struct mock_server *server = mock_start(answers, RUNS);
    ssize_t len = (ssize_t)strlen(mock_url(server));
    assert_int_equal(write(link[1], mock_url(server), (size_t)len), len);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(mock_count(server), RUNS);
    close(link[0]);
    close(link[1]);
    mock_stop(server);
}

/* ## Requests that wait */

enum { CALLS = 8 };

/* So many calls of an HTTP tool in one answer, over one connection. */
static gramc_status call_them(struct test_run *run, const char *url, size_t calls,
                              const gramc_allocator *allocator) {
    struct test_agent test;
    struct buf script;
    gramc_model *model;
    test_agent_init(&test);
    test_run_init(run);
    test.max_connections = 1;
    test_tool(&test, "t", "{\"type\":\"object\"}", "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    test_http(&test, "t", url);
    buf_init(&script, NULL, 1 << 16);
    buf_puts(&script, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
                      "{\"event\":\"model.response\",\"calls\":[");
    for (size_t i = 0; i < calls; i++)
        buf_printf(&script, "%s{\"name\":\"t\",\"arguments\":\"{}\"}", i ? "," : "");
    buf_puts(&script, "]}\n{\"event\":\"model.response\",\"content\":\"done\"}\n");
    assert_int_equal(gramc_model_new_script(&model, buf_view(&script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {.agent = &test,
                               .model = model,
                               .messages = {"go"},
                               .with_times = true,
                               .allocator = allocator};
    gramc_status status = test_run(run, &setup);
    gramc_model_free(model);
    buf_free(&script);
    test_agent_free(&test);
    return status;
}

static void requests_wait(void **state) {
    static struct mock_answer answers[CALLS];
    struct test_run run;
    (void)state;
    for (size_t i = 0; i < CALLS; i++) answers[i] = (struct mock_answer){.body = "ok"};
    struct mock_server *server = mock_start(answers, CALLS);
    assert_int_equal(call_them(&run, mock_url(server), CALLS, NULL), GRAMC_OK);
    buf_putc(&run.trace, '\0');
    assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(run.result.tool_errors, 0);
    size_t waited = 0;
    for (const char *at = run.trace.ptr; (at = strstr(at, "\"queued_ms\":")) != NULL; at++)
        waited++;
    assert_int_equal(waited, CALLS - 1);
    mock_stop(server);
    test_run_free(&run);
}

/* Those under way and those that wait, at their own deadlines and when the loop is freed. */
static void runs_end_while_they_wait(void **state) {
    static struct mock_answer answers[CALLS];
    struct names names;
    (void)state;
    for (size_t i = 0; i < CALLS; i++) answers[i] = (struct mock_answer){.mode = MOCK_HANG};
    struct mock_server *server = mock_start(answers, CALLS);
    names_begin(&names, mock_url(server), 2);
    for (int i = 0; i < 6; i++) names_start(&names, 300);
    assert_int_equal(gramc_loop_run(names.loop), GRAMC_OK);
    assert_int_equal(names.run.done, 6);
    assert_int_equal(names.run.outcome, GRAMC_OUTCOME_TIMEOUT);
    for (int i = 0; i < 6; i++) names_start(&names, 0);
    for (int i = 0; i < 10; i++) uv_run(&names.loop->uv, UV_RUN_NOWAIT);
    gramc_loop_free(names.loop);
    assert_int_equal(names.run.done, 12);
    assert_int_equal(names.run.outcome, GRAMC_OUTCOME_CANCELED);
    assert_in_range(mock_count(server), 1, 6);
    names_end(&names);
    mock_stop(server);
}

/* The n-th allocation fails; false if there is none. The answers do not matter. */
static bool with_failure(const char *url, long n) {
    struct failing failing = {.fail_at = n};
    struct test_run run;
    gramc_allocator allocator = test_failing(&failing);
    gramc_status status = call_them(&run, url, 3, &allocator);
    if (status) assert_int_equal(status, GRAMC_NOMEM);
    else if (!failing.failed) assert_int_equal(run.outcome, GRAMC_OUTCOME_ANSWERED);
    test_run_free(&run);
    assert_int_equal(failing.live, 0);
    return failing.failed;
}

static void no_memory(void **state) {
    static const struct mock_answer answer = {.body = "ok"};
    (void)state;
    struct mock_server *server = mock_start(&answer, 1);
    for (long n = 1; with_failure(mock_url(server), n); n++) continue;
    mock_stop(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_runs_than_descriptors),
        cmocka_unit_test(names_are_not_waited_for),
        cmocka_unit_test(every_run_ends),
        cmocka_unit_test(requests_wait),
        cmocka_unit_test(runs_end_while_they_wait),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
