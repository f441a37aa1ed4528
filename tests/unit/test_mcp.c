/* The MCP client against a scripted server: both eras, paging, order, cancels, crashes, and that
 * nothing of a server outlives its client. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/text.h"
#include "runtime/mcp/client.h"
#include "tests/stated.h"
#include "tests/support/agent.h"

enum { CALLS = 4 };

struct bench {
    uv_loop_t loop;
    struct mcp_client *client;
    struct mcp_call calls[CALLS];
    struct mcp_listing listing;
    int done[CALLS], listed;
    size_t descriptors;
};

static size_t open_descriptors(void) {
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static const char *program(void) {
    static char path[4096];
    const char *build = getenv("GRAMC_BUILD_DIR");
    snprintf(path, sizeof path, "%s/tests/mcp_server", build ? build : "build/dev");
    return path;
}

static void open_with(struct bench *bench, const char *mode, const char *const *environment,
                      const gramc_allocator *allocator) {
    char *argv[3], *env[8] = {NULL}, file[4096], argument[64];
    memset(bench, 0, sizeof *bench);
    bench->descriptors = open_descriptors();
    snprintf(file, sizeof file, "%s", mode ? program() : "/nonexistent/server");
    snprintf(argument, sizeof argument, "%s", mode ? mode : "");
    argv[0] = file;
    argv[1] = argument;
    argv[2] = NULL;
    char variables[8][512];
    for (size_t i = 0; environment && environment[i]; i++) {
        snprintf(variables[i], sizeof variables[i], "%s", environment[i]);
        env[i] = variables[i];
    }
    struct exec_words words = {.argv = argv, .environment = env};
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    const struct mcp_place place = {.words = &words};
    gramc_allocator own = allocator ? *allocator : mem_default();
    if (mcp_client_new(&bench->client, &bench->loop, &own, &place) != GRAMC_OK)
        assert_non_null(allocator);
    for (size_t i = 0; i < CALLS; i++) bench->calls[i].allocator = own;
    bench->listing.allocator = own;
}

static void open_bench(struct bench *bench, const char *mode) {
    open_with(bench, mode, NULL, NULL);
}

static void close_bench(struct bench *bench) {
    mcp_client_close(bench->client);
    for (size_t i = 0; i < CALLS; i++) mcp_call_free(&bench->calls[i]);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    if (bench->descriptors) assert_int_equal(open_descriptors(), bench->descriptors);
}

static void call_done(struct mcp_call *call) {
    struct bench *bench = call->ctx;
    bench->done[call - bench->calls]++;
}

static void list_done(struct mcp_listing *listing) {
    ((struct bench *)listing->ctx)->listed++;
}

static void start(struct bench *bench, size_t i, const char *arguments) {
    struct mcp_call *call = &bench->calls[i];
    mcp_call_free(call);
    call->tool = TEXT("echo");
    call->arguments = text_of(arguments);
    call->done = call_done;
    call->ctx = bench;
    bench->done[i] = 0;
    mcp_call_start(bench->client, call);
    assert_int_equal(bench->done[i], 0);
}

static void wait_for(struct bench *bench, const int *flag) {
    while (!*flag) uv_run(&bench->loop, UV_RUN_ONCE);
}

static void expect(struct bench *bench, size_t i, enum mcp_outcome outcome, const char *result) {
    wait_for(bench, &bench->done[i]);
    const struct mcp_call *call = &bench->calls[i];
    const char *text = call->result.ptr ? call->result.ptr : "";
    if (call->outcome != outcome || strcmp(text, result) != 0 || bench->done[i] != 1)
        fail_msg("outcome %d: %s", (int)call->outcome, text);
}

static void list(struct bench *bench) {
    bench->listing.done = list_done;
    bench->listing.ctx = bench;
    bench->listed = 0;
    mcp_list_start(bench->client, &bench->listing);
    wait_for(bench, &bench->listed);
}

/* ## Eras */

static void test_eras(void **state) {
    static const struct {
        const char *mode, *version;
    } eras[] = {{"legacy", "2025-11-25"},       {"old", "2024-11-05"},
                {"modern", "2026-07-28"},       {"dies-of-probe", "2025-11-25"},
                {"silent-probe", "2025-11-25"}, {"modern-slow", "2026-07-28"}};
    (void)state;
    for (size_t i = 0; i < sizeof eras / sizeof *eras; i++) {
        struct bench bench;
        open_bench(&bench, eras[i].mode);
        bench.client->probe_ms = 200;
        assert_string_equal(mcp_client_version(bench.client), "");
        start(&bench, 0, "{\"text\":\"hello\"}");
        expect(&bench, 0, MCP_FINE, "hello");
        assert_string_equal(mcp_client_version(bench.client), eras[i].version);
        start(&bench, 0, "{\n\"text\":\"again\"\r\n}");
        expect(&bench, 0, MCP_FINE, "again");
        close_bench(&bench);
    }
}

static void test_no_era(void **state) {
    static const struct {
        const char *mode, *why;
    } refusals[] = {
        {"other-version", "the server speaks no revision of the protocol that gramc knows"},
        {"strange", "the server speaks no revision of the protocol that gramc knows"},
        {"no-handshake", "the server does not answer the handshake"},
        {"exits", "the server ended with exit status 5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct bench bench;
        open_bench(&bench, refusals[i].mode);
        bench.client->handshake_ms = 200;
        start(&bench, 0, "{}");
        expect(&bench, 0, MCP_BROKEN, refusals[i].why);
        close_bench(&bench);
    }
}

static void test_meta(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "what");
    start(&bench, 0, "");
    expect(&bench, 0, MCP_FINE, "with meta");
    close_bench(&bench);
}

static void test_no_program(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, NULL);
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BROKEN,
           "the server `/nonexistent/server` cannot be started: no such file or directory");
    close_bench(&bench);
}

/* ## Lists */

static void test_pages(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "pages");
    list(&bench);
    assert_int_equal(bench.listing.outcome, MCP_FINE);
    assert_int_equal(bench.listing.count, 3);
    const struct mcp_tool *third = bench.listing.tools->next->next;
    assert_true(text_is(bench.listing.tools->name, "one"));
    assert_true(text_is(bench.listing.tools->input, "{\"type\":\"object\"}"));
    assert_int_equal(bench.listing.tools->output.len, 0);
    assert_true(text_is(third->name, "three"));
    assert_true(text_is(third->title, "T"));
    assert_true(text_is(third->output, "{\"type\":\"object\"}"));
    assert_true(text_is(third->annotations, "{\"readOnlyHint\":true}"));
    assert_int_equal(mcp_client_changes(bench.client), 1); /* it says so at once */
    mcp_list_free(&bench.listing);
    close_bench(&bench);
}

static void test_bad_lists(void **state) {
    static const struct {
        const char *mode, *why;
        enum mcp_outcome outcome;
    } lists[] = {
        {"page-loop", "the server gives the same page over and over", MCP_BAD_RESULT},
        {"list-error", "the server answers with an error (-32603): no list today",
         MCP_PROTOCOL_ERROR},
        {"exits", "the server ended with exit status 5", MCP_BROKEN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct bench bench;
        open_bench(&bench, lists[i].mode);
        list(&bench);
        assert_int_equal(bench.listing.outcome, lists[i].outcome);
        assert_string_equal(bench.listing.why, lists[i].why);
        mcp_list_free(&bench.listing);
        close_bench(&bench);
    }
}

/* ## Order, noise, questions */

static void test_backwards(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "backwards");
    for (size_t i = 0; i < 3; i++) start(&bench, i, "{}");
    expect(&bench, 0, MCP_FINE, "0");
    expect(&bench, 1, MCP_FINE, "1");
    expect(&bench, 2, MCP_FINE, "2");
    close_bench(&bench);
}

static void test_noise(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "garbage");
    start(&bench, 0, "{\"text\":\"through it\"}");
    expect(&bench, 0, MCP_FINE, "through it");
    start(&bench, 0, "{\"text\":\"once more\"}");
    expect(&bench, 0, MCP_FINE, "once more");
    close_bench(&bench);
}

static void test_asking(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "asking");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_FINE, "both answered");
    close_bench(&bench);
}

static void test_late_answer(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "late");
    start(&bench, 0, "{}");
    start(&bench, 1, "{\"text\":\"second\"}");
    expect(&bench, 1, MCP_FINE, "second");
    expect(&bench, 0, MCP_FINE, "late");
    close_bench(&bench);
}

static void test_cancel(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "never");
    /* Before it is sent, after it is sent, twice. */
    start(&bench, 0, "{}");
    mcp_cancel(&bench.calls[0].request);
    list(&bench);
    mcp_list_free(&bench.listing);
    start(&bench, 0, "{}");
    while (!bench.calls[0].request.id) uv_run(&bench.loop, UV_RUN_ONCE);
    mcp_cancel(&bench.calls[0].request);
    mcp_cancel(&bench.calls[0].request);
    list(&bench);
    mcp_list_free(&bench.listing);
    assert_int_equal(bench.done[0], 0);
    /* What is still going on when the client is closed fails. */
    start(&bench, 1, "{}");
    while (!bench.calls[1].request.id) uv_run(&bench.loop, UV_RUN_ONCE);
    mcp_client_close(bench.client);
    assert_int_equal(bench.done[1], 1);
    assert_int_equal(bench.calls[1].outcome, MCP_BROKEN);
    bench.client = NULL;
    close_bench(&bench);
}

/* ## Crashes */

static void test_crash(void **state) {
    struct bench bench;
    (void)state;
    STATED(MCP_STARTS_MAX, 5, "it is not started again");
    open_bench(&bench, "crash");
    for (int i = 0; i < MCP_STARTS_MAX; i++) {
        start(&bench, 0, "{}");
        expect(&bench, 0, MCP_BROKEN,
               "the server ended with exit status 7: crash starts\nout of luck");
    }
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BROKEN, "the server has ended too often, and is not started again");
    close_bench(&bench);
    open_bench(&bench, "kill");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BROKEN, "the server was ended by signal 9: kill starts");
    close_bench(&bench);
    open_bench(&bench, "close");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BROKEN, "the server closed its output: close starts");
    close_bench(&bench);
}

static void test_restart(void **state) {
    char mark[] = "/tmp/gramc-mcp-XXXXXX", variable[64];
    const char *environment[] = {variable, NULL};
    struct bench bench;
    (void)state;
    int fd = mkstemp(mark);
    assert_true(fd >= 0);
    close(fd);
    unlink(mark);
    snprintf(variable, sizeof variable, "MARK=%s", mark);
    open_with(&bench, "crash-once", environment, NULL);
    start(&bench, 0, "{\"text\":\"lost\"}");
    expect(&bench, 0, MCP_BROKEN,
           "the server ended with exit status 7: crash-once starts\nout of luck");
    unsigned changes = mcp_client_changes(bench.client);
    start(&bench, 0, "{\"text\":\"back\"}");
    expect(&bench, 0, MCP_FINE, "back");
    assert_true(changes > 0);
    unlink(mark);
    close_bench(&bench);
}

/* Servers that do not end with their input, nor by SIGTERM, are killed. */
static void test_stubborn(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "stays");
    start(&bench, 0, "{\"text\":\"x\"}");
    expect(&bench, 0, MCP_FINE, "x");
    close_bench(&bench);
    open_bench(&bench, "deaf");
    bench.client->probe_ms = bench.client->handshake_ms = 100;
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BROKEN, "the server does not answer the handshake");
    close_bench(&bench);
}

/* ## Results */

static void test_sizes(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "big");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_FINE, "ok");
    close_bench(&bench);
    open_bench(&bench, "huge");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BROKEN, "the server sent a line longer than 16 MiB: huge starts");
    close_bench(&bench);
    open_bench(&bench, "long-result");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BAD_RESULT,
           "the server's result is longer than 1 MiB; ask for less of it");
    close_bench(&bench);
    /* More than a pipe holds, both ways. */
    struct buf arguments;
    buf_init(&arguments, NULL, 4 << 20);
    buf_puts(&arguments, "{\"text\":\"");
    for (size_t i = 0; i < 900000; i++) buf_putc(&arguments, 'a');
    buf_puts(&arguments, "\"}");
    open_bench(&bench, "legacy");
    for (size_t i = 0; i < CALLS; i++) start(&bench, i, arguments.ptr);
    for (size_t i = 0; i < CALLS; i++) {
        wait_for(&bench, &bench.done[i]);
        assert_int_equal(bench.calls[i].outcome, MCP_FINE);
        assert_int_equal(bench.calls[i].result.len, 900000);
    }
    buf_free(&arguments);
    close_bench(&bench);
}

static void test_environment(void **state) {
    const char *environment[] = {"DECLARED=yes", NULL};
    struct bench bench;
    (void)state;
    setenv("SECRET", "planted", 1);
    open_with(&bench, "environment", environment, NULL);
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_FINE, "yes -");
    unsetenv("SECRET");
    close_bench(&bench);
}

static void test_error(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "error");
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_PROTOCOL_ERROR,
           "the server answers with an error (-32602): Unknown tool: x");
    close_bench(&bench);
}

enum { PLAIN, SCHEMA = 1, WORDS = 2 };

static const struct {
    const char *result;
    int how; /* SCHEMA: {"type":"object","required":["n"]} */
    enum mcp_outcome outcome;
    const char *text;
} results[] = {
    {"{\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"}]}", PLAIN, MCP_FINE, "a\nb"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}", PLAIN,
     MCP_FINE, "a\nb"},
    {"{\"content\":[]}", PLAIN, MCP_FINE, ""},
    {"{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]}", PLAIN,
     MCP_FINE, "[image image/png, 4 bytes of base64]"},
    {"{\"content\":[{\"type\":\"audio\",\"data\":\"AAAAAA==\"}]}", PLAIN, MCP_FINE,
     "[audio, 8 bytes of base64]"},
    {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"f:/x\",\"text\":\"t\"}}]}",
     PLAIN, MCP_FINE, "[resource f:/x]\nt"},
    {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"f:/x\",\"mimeType\":\"a/b\","
     "\"blob\":\"AA==\"}}]}",
     PLAIN, MCP_FINE, "[resource f:/x]\n[binary a/b, 4 bytes of base64]"},
    {"{\"content\":[{\"type\":\"resource_link\",\"uri\":\"f:/x\",\"name\":\"x\"}]}", PLAIN,
     MCP_FINE, "[link x: f:/x]"},
    {"{\"content\":[{\"type\":\"resource_link\",\"uri\":\"f:/x\",\"description\":\"d\"}]}", PLAIN,
     MCP_FINE, "[link f:/x]\nd"},
    {"{\"content\":[{\"type\":\"hologram\",\"a\":1}]}", PLAIN, MCP_FINE,
     "{\"type\":\"hologram\",\"a\":1}"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"no such\"}],\"isError\":true}", PLAIN,
     MCP_TOOL_ERROR, "no such"},
    {"{\"content\":[],\"isError\":true}", SCHEMA, MCP_TOOL_ERROR,
     "the tool failed, and does not say why"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"structuredContent\":{\"n\":1}}", SCHEMA,
     MCP_FINE, "{\"n\":1}"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"n\":1}}", PLAIN,
     MCP_FINE, "{\"n\":1}"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"n\":1}}", WORDS,
     MCP_FINE, "t"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"n\":1}}",
     SCHEMA | WORDS, MCP_FINE, "t"},
    {"{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"m\":1}}",
     SCHEMA | WORDS, MCP_BAD_RESULT,
     "the server's structured content does not fit the schema that it declares"},
    {"{\"content\":[],\"structuredContent\":{\"n\":1}}", WORDS, MCP_FINE, "{\"n\":1}"},
    {"{\"structuredContent\":[1]}", PLAIN, MCP_FINE, "[1]"},
    {"{\"content\":[],\"structuredContent\":{\"m\":1}}", SCHEMA, MCP_BAD_RESULT,
     "the server's structured content does not fit the schema that it declares"},
    {"{\"content\":[]}", SCHEMA, MCP_BAD_RESULT,
     "the server gives no structured content, though it declares a schema"},
    {"{}", PLAIN, MCP_BAD_RESULT, "the server's result has no content"},
    {"[]", PLAIN, MCP_BAD_RESULT, "the server's result is no object"},
    {"{\"resultType\":\"complete\",\"content\":[]}", PLAIN, MCP_FINE, ""},
    {"{\"resultType\":\"input_required\",\"inputRequests\":{}}", PLAIN, MCP_BAD_RESULT,
     "the server asks for input of a person, which it cannot get here"},
    {"{\"resultType\":\"other\",\"content\":[]}", PLAIN, MCP_BAD_RESULT,
     "the server answers with a type of result that is not known"},
};

static void test_results(void **state) {
    gramc_schema *schema;
    static const char document[] = "{\"type\":\"object\",\"required\":[\"n\"]}";
    (void)state;
    assert_int_equal(gramc_schema_compile(&schema, document, strlen(document), NULL, NULL),
                     GRAMC_OK);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, NULL);
        buf_init(&out, NULL, 1 << 20);
        const struct json *result = json_parse(&arena, text_of(results[i].result), NULL);
        assert_non_null(result);
        enum mcp_outcome outcome =
            mcp_result_read(&out, result, results[i].how & SCHEMA ? schema : NULL,
                            (results[i].how & WORDS) != 0, NULL);
        if (outcome != results[i].outcome || strcmp(out.ptr ? out.ptr : "", results[i].text) != 0)
            fail_msg("%s gives %d: %s", results[i].result, (int)outcome, out.ptr ? out.ptr : "");
        buf_free(&out);
        arena_free(&arena);
    }
    gramc_schema_free(schema);
}

/* The checks of the schema, over the wire. */
static void test_schema(void **state) {
    const char *environment[] = {"RESULT={\"content\":[],\"structuredContent\":{\"m\":1}}", NULL};
    static const char document[] = "{\"type\":\"object\",\"required\":[\"n\"]}";
    gramc_schema *schema;
    struct bench bench;
    (void)state;
    assert_int_equal(gramc_schema_compile(&schema, document, strlen(document), NULL, NULL),
                     GRAMC_OK);
    open_with(&bench, "result", environment, NULL);
    bench.calls[0].output = schema;
    start(&bench, 0, "{}");
    expect(&bench, 0, MCP_BAD_RESULT,
           "the server's structured content does not fit the schema that it declares");
    close_bench(&bench);
    gramc_schema_free(schema);
}

/* ## Memory */

static void test_no_memory(void **state) {
    (void)state;
    for (long n = 1; n < 300; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        struct bench bench;
        open_with(&bench, "legacy", NULL, &allocator);
        if (bench.client) {
            start(&bench, 0, "{\"text\":\"hello\"}");
            wait_for(&bench, &bench.done[0]);
            if (bench.calls[0].outcome == MCP_FINE)
                assert_string_equal(bench.calls[0].result.ptr, "hello");
            list(&bench);
            if (bench.listing.outcome == MCP_FINE) assert_int_equal(bench.listing.count, 1);
            mcp_list_free(&bench.listing);
        }
        close_bench(&bench);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) return;
    }
    fail_msg("more allocations than expected");
}

/* libuv keeps the pipe of its signal handler from the first child on. */
static int warm_up(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "exits");
    bench.descriptors = 0;
    start(&bench, 0, "{}");
    wait_for(&bench, &bench.done[0]);
    close_bench(&bench);
    return 0;
}

/* ## Schemas */

#define DRAFT_07 "\"$schema\":\"http://json-schema.org/draft-07/schema#\""

static void test_dialect(void **state) {
    static const char *const schemas[][2] = {
        {"", ""},
        {"{" DRAFT_07 ",\"type\":\"object\"}", "{\"type\":\"object\"}"},
        {"{\"type\":\"object\"," DRAFT_07 ",\"x\":1.50}", "{\"type\":\"object\",\"x\":1.50}"},
        {"{" DRAFT_07 "}", "{}"},
        {"{\"type\":\"object\"}", "{\"type\":\"object\"}"},
        {"{" DRAFT_07 ",\"properties\":{\"$ref\":{},\"definitions\":{\"enum\":[{\"$id\":1}]}}}",
         "{\"properties\":{\"$ref\":{},\"definitions\":{\"enum\":[{\"$id\":1}]}}}"},
        {"{" DRAFT_07 ",\"deprecated\":true,\"examples\":[]}",
         "{\"deprecated\":true,\"examples\":[]}"},
        /* Where it makes a difference, it stays. */
        {"{" DRAFT_07 ",\"not\":{\"unevaluatedItems\":false}}", NULL},
        {"{" DRAFT_07 ",\"additionalItems\":false}", NULL},
        {"{" DRAFT_07 ",\"definitions\":{}}", NULL},
        {"{" DRAFT_07 ",\"$id\":\"http://x/y\"}", NULL},
        {"{" DRAFT_07 ",\"properties\":{\"a\":{\"$ref\":\"#\"}}}", NULL},
        {"{" DRAFT_07 ",\"properties\":{\"a\":{\"items\":[{}]}}}", NULL},
        {"{" DRAFT_07 ",\"anyOf\":[{\"dependencies\":{}}]}", NULL},
        {"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", NULL},
        {"{\"$schema\":7}", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        const char *expected = schemas[i][1] ? schemas[i][1] : schemas[i][0];
        struct arena arena;
        arena_init(&arena, NULL);
        gramc_text plain = mcp_plain_schema(&arena, text_of(schemas[i][0]));
        if (!text_is(plain, expected)) fail_msg("%s: %.*s", schemas[i][0], TEXT_ARGS(plain));
        arena_free(&arena);
    }
}

/* ## Servers that do not stop (i10-a2) */

static void mark(uv_timer_t *timer) {
    *(bool *)timer->data = true;
}

/* It asks without end and reads nothing: timers are kept, and what we would say to it does not pile
 * up. */
static void test_i10_a2_questions_without_end(void **state) {
    struct bench bench;
    uv_timer_t timer;
    struct failing counter = {.fail_at = 0};
    const gramc_allocator counting = test_failing(&counter);
    bool passed = false;
    (void)state;
    open_with(&bench, "flood", NULL, &counting);
    start(&bench, 0, "{}");
    uv_timer_init(&bench.loop, &timer);
    timer.data = &passed;
    uv_timer_start(&timer, mark, 700, 0);
    while (!passed) uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(bench.done[0], 0);
    assert_true(counter.live < 5000);
    uv_close((uv_handle_t *)&timer, NULL);
    mcp_call_cancel(&bench.calls[0]);
    close_bench(&bench);
}

/* ## What is no message (i10-a7) */

/* At once: before the grace of one answer has passed three times. */
static void expect_at_once(struct bench *bench, enum mcp_outcome outcome, const char *result) {
    uint64_t before = uv_hrtime();
    expect(bench, 0, outcome, result);
    assert_true(uv_hrtime() - before < 2000000000);
}

static void test_i10_a7_unread_answers(void **state) {
    static const struct {
        const char *mode, *result;
        enum mcp_outcome outcome;
    } servers[] = {
        {"half-emoji", "half \xEF\xBF\xBD \\ud83d", MCP_FINE},
        {"bad-utf8",
         "the server's answer cannot be read: 1 line was no message (invalid UTF-8 in a string): "
         "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"\\xff\"}]}}",
         MCP_BROKEN},
        {"mark",
         "the server's answer cannot be read: 1 line was no message (it begins with a byte order "
         "mark): \\u{feff}{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}",
         MCP_BROKEN},
        {"pretty",
         "the server's answer cannot be read: 7 lines were no message (a message stands on one "
         "line): {",
         MCP_BROKEN},
        {"batch",
         "the server's answer cannot be read: 1 line was no message (messages come one by one, not "
         "in a list): [{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\","
         "\"text\":\"of a list\"}]}}]",
         MCP_BROKEN},
        {"batch-taken", "of a list", MCP_FINE},
        {"pretty-handshake",
         "the server's answer cannot be read: 6 lines were no message (a message stands on one "
         "line): {",
         MCP_BROKEN},
        {"refuses", "the server refuses the handshake (-32602): a licence is missing", MCP_BROKEN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        struct bench bench;
        open_bench(&bench, servers[i].mode);
        start(&bench, 0, "{}");
        expect_at_once(&bench, servers[i].outcome, servers[i].result);
        close_bench(&bench);
    }
}

/* A call beside it has its own answer still to come. */
static void test_i10_a7_unread_answer_of_one(void **state) {
    struct bench bench;
    (void)state;
    open_bench(&bench, "never");
    start(&bench, 0, "{}");
    start(&bench, 1, "{}");
    while (!bench.calls[1].request.id) uv_run(&bench.loop, UV_RUN_ONCE);
    struct buf line;
    buf_init(&line, NULL, 1000);
    buf_printf(&line,
               "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":", (unsigned)bench.calls[1].request.id);
    mcp_take_line(bench.client, buf_view(&line));
    buf_free(&line);
    wait_for(&bench, &bench.done[1]);
    assert_int_equal(bench.calls[1].outcome, MCP_BROKEN);
    assert_int_equal(bench.done[0], 0);
    mcp_call_cancel(&bench.calls[0]);
    close_bench(&bench);
}

/* Tools that cannot be called do not take the others with them, and are told. */
static void test_i10_a7_nameless_tool(void **state) {
    static const struct {
        const char *name, *refused;
    } tools[] = {{"", "it has no name"},
                 {"echo", NULL},
                 {"x", "it has no inputSchema"},
                 {"", "it has no name"}};
    struct bench bench;
    (void)state;
    open_bench(&bench, "bad-list");
    list(&bench);
    assert_int_equal(bench.listing.outcome, MCP_FINE);
    assert_int_equal(bench.listing.count, 4);
    const struct mcp_tool *tool = bench.listing.tools;
    for (size_t i = 0; i < 4; i++, tool = tool->next) {
        assert_true(text_is(tool->name, tools[i].name));
        assert_int_equal(tool->refused != NULL, tools[i].refused != NULL);
        if (tool->refused) assert_string_equal(tool->refused, tools[i].refused);
    }
    mcp_list_free(&bench.listing);
    close_bench(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eras),
        cmocka_unit_test(test_no_era),
        cmocka_unit_test(test_meta),
        cmocka_unit_test(test_no_program),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_asking),
        cmocka_unit_test(test_late_answer),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_stubborn),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_dialect),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_i10_a7_unread_answers),
        cmocka_unit_test(test_i10_a7_unread_answer_of_one),
        cmocka_unit_test(test_i10_a7_nameless_tool),
        cmocka_unit_test(test_i10_a2_questions_without_end),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
