/* What a loop has no room for waits, in order, and its time limit begins with its turn: programs,
 * calls of a busy pool. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/capacity.h"
#include "runtime/gate.h"
#include "tests/stated.h"
#include "tests/support/agent.h"

#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"

/* ## How much there is room for */

static void capacities(void **state) {
    static const struct {
        uint32_t programs, connections;
        size_t cpus, room;
        struct capacity can;
    } rows[] = {
        {0, 0, 1, 100000, {4, 66602}},  {0, 0, 2, 100000, {4, 66602}},
        {0, 0, 8, 100000, {16, 66538}}, {1, 7, 8, 100000, {1, 7}},
        {0, 0, 2, 166, {4, 62}},        {0, 0, 16, 166, {10, 30}},
        {0, 1000, 16, 166, {10, 30}},   {0, 0, 2, 0, {1, 1}},
        {0, 0, 2, 13, {1, 1}},
    };
    (void)state;
    STATED(PROGRAMS_LEAST, 4, "calls wait");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct capacity can =
            capacity_of(rows[i].programs, rows[i].connections, rows[i].cpus, rows[i].room);
        if (can.programs != rows[i].can.programs || can.connections != rows[i].can.connections)
            fail_msg("row %zu: %zu programs, %zu connections", i, can.programs, can.connections);
    }
}

/* ## The gate */

struct guest {
    struct gate_wait wait;
    struct gate *gate;
    char name;
    char *seen;
};

static void note(struct gate_wait *wait) {
    struct guest *guest = (struct guest *)(void *)wait;
    guest->seen[strlen(guest->seen)] = guest->name;
    gate_leave(guest->gate);
}

static void first_come_first_served(void **state) {
    uv_loop_t loop;
    struct gate gate;
    char seen[8] = "";
    struct guest guests[4];
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    gate_init(&gate, &loop, 1);
    assert_true(gate_try(&gate));
    for (size_t i = 0; i < 4; i++) {
        guests[i] = (struct guest){{.admitted = note}, &gate, (char)('a' + i), seen};
        assert_false(gate_try(&gate));
        gate_queue(&gate, &guests[i].wait);
    }
    gate_forget(&gate, &guests[1].wait);
    gate_forget(&gate, &guests[1].wait);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_string_equal(seen, "");
    gate_leave(&gate);
    assert_string_equal(seen, ""); /* never from within */
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_string_equal(seen, "a"); /* one a turn */
    gate_forget(&gate, &guests[3].wait);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_string_equal(seen, "ac");
    assert_int_equal(gate.taken, 0);
    gate_close(&gate, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* ## Runs */

struct load {
    struct test_agent test;
    struct test_run run;
    struct buf script;
    size_t calls;
    const gramc_builtins *builtins; /* NULL: the standard ones */
};

static void load_begin(struct load *load, uint32_t max_programs) {
    test_agent_init(&load->test);
    test_run_init(&load->run);
    load->test.max_programs = max_programs;
    load->calls = 0;
    load->builtins = NULL;
    buf_init(&load->script, NULL, 1 << 20);
    buf_puts(&load->script, "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
                            "{\"event\":\"model.response\",\"calls\":[");
}

static gramc_impl *load_tool(struct load *load, const char *name, const char *script,
                             const char *word) {
    const char *const argv[] = {"sh", "-c", script, word, NULL};
    gramc_tool *tool = test_tool(&load->test, name, OBJECT, STRING, GRAMC_RESULT_TEXT);
    tool->max_tool_errors = 1000;
    return test_exec(&load->test, name, argv);
}

static void load_calls(struct load *load, const char *name, size_t times) {
    for (size_t i = 0; i < times; i++)
        buf_printf(&load->script, "%s{\"name\":\"%s\",\"arguments\":\"{}\"}",
                   load->calls++ ? "," : "", name);
}

static gramc_status load_run(struct load *load, uint32_t timeout_ms,
                             const gramc_allocator *allocator) {
    gramc_model *model;
    buf_puts(&load->script, "]}\n{\"event\":\"model.response\",\"content\":\"done\"}\n");
    assert_int_equal(buf_status(&load->script), GRAMC_OK);
    assert_int_equal(gramc_model_new_script(&model, buf_view(&load->script), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {.agent = &load->test,
                               .builtins = load->builtins,
                               .model = model,
                               .messages = {"go"},
                               .timeout_ms = timeout_ms,
                               .with_times = true,
                               .allocator = allocator};
    gramc_status status = test_run(&load->run, &setup);
    gramc_model_free(model);
    return status;
}

static void load_end(struct load *load) {
    buf_free(&load->script);
    test_run_free(&load->run);
    test_agent_free(&load->test);
}

static size_t times_said(struct load *load, const char *words) {
    size_t count = 0;
    buf_putc(&load->run.trace, '\0');
    load->run.trace.len--;
    for (const char *at = load->run.trace.ptr; (at = strstr(at, words)) != NULL; at++) count++;
    return count;
}

/* The most programs that had begun and not ended, by what they wrote down. */
static int deepest(const char *path) {
    FILE *file = fopen(path, "r");
    int most = 0, now = 0, byte;
    assert_non_null(file);
    while ((byte = fgetc(file)) != EOF) {
        if (byte == '+') now++;
        if (byte == '-') now--;
        if (now > most) most = now;
    }
    fclose(file);
    assert_int_equal(now, 0);
    return most;
}

/* 128 calls of one answer; each may take 1 s, all of them take longer. */
static void many_programs(void **state) {
    char path[] = "/tmp/gramc-queue-XXXXXX";
    struct load load;
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    load_begin(&load, 5);
    gramc_impl *impl =
        load_tool(&load, "tool", "printf + >>\"$0\"; sleep 0.05; printf - >>\"$0\"", path);
    impl->timeout_ms = 1000;
    load_calls(&load, "tool", 128);
    assert_int_equal(load_run(&load, 60000, NULL), GRAMC_OK);
    assert_int_equal(load.run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(load.run.result.calls, 128);
    assert_int_equal(load.run.result.tool_errors, 0);
    assert_int_equal(times_said(&load, "\"queued_ms\":"), 123);
    assert_int_equal(deepest(path), 5);
    load_end(&load);
    unlink(path);
}

#define STAYS                                                                                      \
    "n=0; while read -r line; do n=$((n+1)); sleep 0.03; echo \"{\\\"id\\\":$n,\\\"result\\\":"    \
    "\\\"ok\\\"}\"; done"

/* 100 calls of a pool of four: 0.75 s of work for each, and 0.6 s for a call. */
static void busy_pool(void **state) {
    struct load load;
    (void)state;
    load_begin(&load, 8);
    gramc_impl *impl = load_tool(&load, "tool", STAYS, "x");
    impl->persistent = true;
    impl->timeout_ms = 600;
    load_calls(&load, "tool", 100);
    assert_int_equal(load_run(&load, 60000, NULL), GRAMC_OK);
    assert_int_equal(load.run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(load.run.result.tool_errors, 0);
    assert_int_equal(times_said(&load, "\"outcome\":\"ok\""), 100);
    assert_int_equal(times_said(&load, "\"queued_ms\":"), 96);
    load_end(&load);
}

static int nap(void *ctx, gramc_text arguments, gramc_writer result) {
    const struct timespec pause = {0, 100 * 1000000L};
    (void)ctx;
    (void)arguments;
    nanosleep(&pause, NULL);
    return result.write(result.ctx, "ok", 2);
}

/* 40 calls of 0.1 s on libuv's four threads: 1 s of work for each, and 0.7 s for a call. */
static void busy_threads(void **state) {
    static const gramc_builtin mine = {{"my.nap", 6}, nap, NULL, true};
    gramc_builtins *builtins;
    struct load load;
    (void)state;
    load_begin(&load, 0);
    test_tool(&load.test, "nap", OBJECT, STRING, GRAMC_RESULT_TEXT);
    test_builtin(&load.test, "nap", "my.nap")->timeout_ms = 700;
    assert_int_equal(gramc_builtins_new(&builtins, NULL), GRAMC_OK);
    assert_int_equal(gramc_builtins_add(builtins, &mine), GRAMC_OK);
    load.builtins = builtins;
    load_calls(&load, "nap", 40);
    assert_int_equal(load_run(&load, 60000, NULL), GRAMC_OK);
    assert_int_equal(load.run.outcome, GRAMC_OUTCOME_ANSWERED);
    assert_int_equal(load.run.result.tool_errors, 0);
    assert_int_equal(times_said(&load, "\"outcome\":\"ok\""), 40);
    assert_true(times_said(&load, "\"queued_ms\":") >= 36);
    load_end(&load);
    gramc_builtins_free(builtins);
}

/* A pool with a long queue and a program that runs once: it need not wait for all of the queue. */
static void no_starving(void **state) {
    struct load load;
    (void)state;
    load_begin(&load, 2);
    load_tool(&load, "pool", STAYS, "x")->persistent = true;
    load_tool(&load, "once", "echo once", "x");
    load_calls(&load, "pool", 40);
    load_calls(&load, "once", 1);
    assert_int_equal(load_run(&load, 60000, NULL), GRAMC_OK);
    assert_int_equal(load.run.result.tool_errors, 0);
    const char *response = "\"event\":\"tool.response\"";
    assert_int_equal(times_said(&load, response), 41);
    const char *once = strstr(load.run.trace.ptr, "\"result\":\"once\"");
    assert_non_null(once);
    size_t before = 0;
    for (const char *at = load.run.trace.ptr; (at = strstr(at, response)) && at < once; at++)
        before++;
    if (before > 10) fail_msg("%zu calls of the pool came first", before);
    load_end(&load);
}

/* The run's own deadline counts for those that wait; nothing is started any more. */
static void run_ends_while_waiting(void **state) {
    struct load load;
    (void)state;
    for (int persistent = 0; persistent < 2; persistent++) {
        load_begin(&load, 3);
        load_tool(&load, "tool", "sleep 60", "x")->persistent = persistent;
        load_calls(&load, "tool", 64);
        assert_int_equal(load_run(&load, 200, NULL), GRAMC_OK);
        assert_int_equal(load.run.outcome, GRAMC_OUTCOME_TIMEOUT);
        if (load.run.result.duration_ns > 5000 * MS)
            fail_msg("it took %g ms", (double)load.run.result.duration_ns / MS);
        load_end(&load);
    }
}

/* The n-th allocation fails; false if there is none. */
static bool with_failure(bool persistent, long n) {
    struct failing failing = {.fail_at = n};
    struct load load;
    gramc_allocator allocator = test_failing(&failing);
    load_begin(&load, 1);
    load_tool(&load, "tool", persistent ? STAYS : "echo ok", "x")->persistent = persistent;
    load_calls(&load, "tool", 3);
    gramc_status status = load_run(&load, 60000, &allocator);
    if (status) assert_int_equal(status, GRAMC_NOMEM);
    else if (!failing.failed) assert_int_equal(load.run.outcome, GRAMC_OUTCOME_ANSWERED);
    load_end(&load);
    assert_int_equal(failing.live, 0);
    return failing.failed;
}

static void no_memory(void **state) {
    (void)state;
    for (int persistent = 0; persistent < 2; persistent++)
        for (long n = 1; with_failure(persistent, n); n++) continue;
}

int main(void) {
    if (setenv("UV_THREADPOOL_SIZE", "4", 1)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacities),
        cmocka_unit_test(first_come_first_served),
        cmocka_unit_test(many_programs),
        cmocka_unit_test(busy_pool),
        cmocka_unit_test(busy_threads),
        cmocka_unit_test(no_starving),
        cmocka_unit_test(run_ends_while_waiting),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
