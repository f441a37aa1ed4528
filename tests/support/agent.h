/* Agents, libraries and runs made by hand, for tests of the runtime. Include cmocka.h first. */
#ifndef TESTS_SUPPORT_AGENT_H
#define TESTS_SUPPORT_AGENT_H

#include "tests/failing.h"
#include "base/buf.h"
#include "gramc/runtime.h"

#define MS UINT64_C(1000000) /* in nanoseconds */

enum { TEST_TOOLS = 8, TEST_WORDS = 8 };

/* An agent and a library for it. */
struct test_agent {
    gramc_agent agent;
    gramc_tool tools[TEST_TOOLS];
    const gramc_tool *list[TEST_TOOLS];
    gramc_schema *schemas[2 * TEST_TOOLS];
    gramc_library library;
    gramc_impl impls[TEST_TOOLS];
    gramc_text words[TEST_TOOLS][TEST_WORDS];
    uint32_t max_programs, max_connections; /* of loops that it runs on; 0: as many as usual */
};

void test_agent_init(struct test_agent *test);
void test_agent_free(struct test_agent *test);
/* Adds a tool; the schemas are compiled. */
gramc_tool *test_tool(struct test_agent *test, const char *name, const char *parameters,
                      const char *result, gramc_result_kind kind);
gramc_impl *test_builtin(struct test_agent *test, const char *name, const char *target);
gramc_impl *test_returns(struct test_agent *test, const char *name, const char *text);
/* GET: change what is to be otherwise. */
gramc_impl *test_http(struct test_agent *test, const char *name, const char *url);
/* The program and its arguments, ended by NULL. */
gramc_impl *test_exec(struct test_agent *test, const char *name, const char *const *argv);

/* A plugin of the build tree: "libcalc.so". */
gramc_impl *test_plugin(struct test_agent *test, const char *name, const char *file,
                        const char *symbol);
gramc_impl *test_replay(struct test_agent *test, const char *name, const char *trace);

/* One run from start to end, and what came of it. */
struct test_run {
    struct buf answers; /* each followed by a newline */
    struct buf trace;
    struct buf notes;
    gramc_outcome outcome;
    char message[1024], text[4096];
    gramc_run_result result; /* its texts are gone: see above */
    int done;                /* how often the handler was told */
};

struct test_setup {
    const struct test_agent *agent;
    const gramc_builtins *builtins; /* NULL: the standard ones */
    const gramc_model *model;
    const char *messages[4]; /* up to a NULL */
    gramc_wire wire;
    uint32_t max_iterations, timeout_ms;
    bool with_times;
    const gramc_allocator *allocator; /* of the loop */
    const gramc_pair *secrets;
    size_t secret_count;
    const gramc_cassette *tools;
};

/* Where gramc-host was built. */
gramc_text test_host(void);

void test_run_init(struct test_run *run);
void test_run_free(struct test_run *run);
/* GRAMC_OK: the run took place. Anything else: what starting it failed with. */
gramc_status test_run(struct test_run *run, const struct test_setup *setup);
/* The handler and options that test_run uses, for tests that drive a loop themselves. */
gramc_run_handler test_handler(struct test_run *run);

#endif
