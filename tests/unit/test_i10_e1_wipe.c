/* Secrets of tools are overwritten before their memory is given back: whole runs of each kind of
 * tool that may have one, with an allocator that looks at what it gets back. test_wipe.c has the
 * parts that this rests on, and shows that the watch finds what is left. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <curl/curl.h>
#include <uv.h>

#include "base/text.h"
#include "runtime/net/http.h"
#include "runtime/secret.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define SECRET "sk-0123456789"
#define OBJECT "{\"type\":\"object\"}"
#define STRING "{\"type\":\"string\"}"
#define EVENT(rest) "{\"event\":\"" rest "}\n"
#define SCRIPT                                                                                     \
    EVENT("header\",\"format\":\"gramc-trace\",\"version\":1")                                     \
    EVENT("model.response\",\"calls\":[{\"name\":\"tool\",\"arguments\":\"{}\"}]")                 \
    EVENT("model.response\",\"content\":\"ok\"")

static const gramc_pair secrets[] = {{{"TOKEN", 5}, {SECRET, sizeof SECRET - 1}}};

struct watch {
    size_t freed, leaked;
};

static bool holds(const char *bytes, size_t size, const char *what) {
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= size; i++)
        if (memcmp(bytes + i, what, len) == 0) return true;
    return false;
}

/* Every resize moves, so that nothing is left behind by luck. */
static void *watched(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct watch *watch = ctx;
    char *moved = new_size ? calloc(1, new_size) : NULL;
    if (moved && ptr) memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    if (ptr && (moved || !new_size)) {
        watch->freed++;
        watch->leaked += holds(ptr, old_size, SECRET);
        free(ptr);
    }
    return moved;
}

/* Runs the agent once; the tool must have said `said`. */
static void expect_no_leak(const struct test_agent *test, const char *said) {
    struct watch watch = {0, 0};
    gramc_allocator allocator = {watched, &watch};
    struct test_run run;
    gramc_model *model;
    test_run_init(&run);
    assert_int_equal(gramc_model_new_script(&model, text_of(SCRIPT), NULL, NULL), GRAMC_OK);
    struct test_setup setup = {.agent = test,
                               .model = model,
                               .messages = {"go"},
                               .allocator = &allocator,
                               .secrets = secrets,
                               .secret_count = 1};
    assert_int_equal(test_run(&run, &setup), GRAMC_OK);
    assert_string_equal(run.text, "ok");
    buf_putc(&run.trace, '\0');
    if (!strstr(run.trace.ptr, said)) fail_msg("nobody said %s: %s", said, run.trace.ptr);
    assert_true(watch.freed > 10);
    assert_int_equal(watch.leaked, 0);
    gramc_model_free(model);
    test_run_free(&run);
}

/* ## Programs */

static const gramc_text declared = {"KEY=x-${env:TOKEN}-y", 20};

static const char *built(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/%s", getenv("GRAMC_BUILD_DIR"), name);
    return path;
}

static void declare(gramc_impl *impl) {
    impl->env = &declared;
    impl->env_count = 1;
}

static void a_program(void **state) {
    const char *const argv[] = {"sh", "-c", "printf \"length %s\" ${#KEY}", NULL};
    struct test_agent test;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    declare(test_exec(&test, "tool", argv));
    expect_no_leak(&test, "length 17");
    test_agent_free(&test);
}

static void a_worker(void **state) {
    const char *const argv[] = {built("line_worker"), "tool", NULL};
    struct test_agent test;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_exec(&test, "tool", argv);
    declare(impl);
    impl->persistent = true;
    expect_no_leak(&test, "\"result\":\"tool\"");
    test_agent_free(&test);
}

/* ## MCP servers */

static void with_box(struct test_agent *test, gramc_box *box) {
    test_agent_init(test);
    test_tool(test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_returns(test, "tool", "echo");
    impl->kind = GRAMC_IMPL_MCP;
    impl->server = box->name;
    test->library.boxes = box;
    test->library.box_count = 1;
}

static void a_server_that_is_a_program(void **state) {
    const gramc_text argv[] = {text_of(built("mcp_server")), TEXT("what")};
    gramc_box box = {.name = TEXT("lab"),
                     .kind = GRAMC_BOX_MCP,
                     .argv = argv,
                     .argc = 2,
                     .env = &declared,
                     .env_count = 1,
                     .all_tools = true};
    struct test_agent test;
    (void)state;
    with_box(&test, &box);
    expect_no_leak(&test, "tool.response");
    test_agent_free(&test);
}

static void a_server_far_away(void **state) {
    const struct mock_answer answers[] = {
        {.body =
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}"},
        {.body = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\","
                 "\"text\":\"from afar\"}]}}"}};
    const gramc_pair header = {TEXT("Authorization"), TEXT("Bearer ${env:TOKEN}")};
    struct mock_server *server = mock_start(answers, 2);
    gramc_box box = {.name = TEXT("lab"),
                     .kind = GRAMC_BOX_MCP,
                     .url = text_of(mock_url(server)),
                     .headers = &header,
                     .header_count = 1,
                     .all_tools = true};
    struct test_agent test;
    (void)state;
    with_box(&test, &box);
    expect_no_leak(&test, "from afar");
    assert_non_null(strstr(mock_head(server, 1), "Authorization: Bearer " SECRET));
    test_agent_free(&test);
    mock_stop(server);
}

/* ## HTTP tools */

static void a_request(void **state) {
    const struct mock_answer answers[] = {{.body = "was sent"}};
    const gramc_pair headers[] = {{TEXT("X-Key"), TEXT("key ${env:TOKEN}")},
                                  {TEXT("Content-Type"), TEXT("application/json")}};
    struct mock_server *server = mock_start(answers, 1);
    struct test_agent test;
    char url[256];
    (void)state;
    snprintf(url, sizeof url, "%s/find?key=${env:TOKEN}", mock_url(server));
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, STRING, GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_http(&test, "tool", url);
    impl->method = TEXT("POST");
    impl->headers = headers;
    impl->header_count = 2;
    impl->body = TEXT("{\"key\":\"${env:TOKEN}\"}");
    expect_no_leak(&test, "was sent");
    assert_non_null(strstr(mock_head(server, 0), "?key=" SECRET));
    assert_non_null(strstr(mock_head(server, 0), "X-Key: key " SECRET));
    assert_string_equal(mock_body(server, 0), "{\"key\":\"" SECRET "\"}");
    test_agent_free(&test);
    mock_stop(server);
}

/* What a tool repeats is taken out of its text, and out of the memory where it stood. */
static void a_text_that_is_hidden(void **state) {
    struct watch watch = {0, 0};
    gramc_allocator allocator = {watched, &watch};
    struct secrets *list;
    struct buf text;
    (void)state;
    assert_int_equal(secrets_new(&list, &allocator, secrets, 1), GRAMC_OK);
    buf_init(&text, &allocator, 1000);
    buf_puts(&text, "it is " SECRET ", they say");
    secrets_hide(list, &text);
    buf_putc(&text, '\0');
    assert_string_equal(text.ptr, "it is ${env:TOKEN}, they say");
    buf_free(&text);
    secrets_free(list);
    assert_true(watch.freed > 1);
    assert_int_equal(watch.leaked, 0);
}

/* ## Header lines, which libcurl keeps */

static struct { size_t lines; } curls;

/* Each block has its size in front. Counts the header lines that are given back unwiped. */
static void *curl_take(size_t size) {
    size_t *block = calloc(1, size + 2 * sizeof(size_t));
    if (!block) return NULL;
    block[0] = size;
    return block + 2;
}

static void curl_give(void *ptr) {
    size_t *block = ptr;
    if (!ptr) return;
    block -= 2;
    if (block[0] > 14 && memcmp(ptr, "Authorization:", 14) == 0) curls.lines++;
    free(block);
}

static void *curl_resize(void *ptr, size_t size) {
    void *moved = curl_take(size);
    if (!moved) return NULL;
    const size_t *block = ptr;
    if (ptr) memcpy(moved, ptr, block[-2] < size ? block[-2] : size);
    curl_give(ptr);
    return moved;
}

static char *curl_copy(const char *text) {
    char *copy = curl_take(strlen(text) + 1);
    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static void *curl_take_array(size_t count, size_t size) {
    return curl_take(count * size);
}

static void header_lines(void **state) {
    gramc_allocator allocator = mem_default();
    const struct http_target_options options = {.url = TEXT("http://127.0.0.1:1/"),
                                                .api_key = TEXT(SECRET),
                                                .key_header = "Authorization: Bearer ",
                                                .timeout_ms = 1000};
    struct http_target *target;
    struct curl_slist *plain;
    (void)state;
    /* Shows that the watch sees such a line. */
    plain = curl_slist_append(NULL, "Authorization: Bearer " SECRET);
    curl_slist_free_all(plain);
    assert_int_equal(curls.lines, 1);
    assert_int_equal(http_target_new(&target, &allocator, &options), GRAMC_OK);
    http_target_free(target);
    assert_int_equal(curls.lines, 1);
}

static int watch_curl(void **state) {
    (void)state;
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_take, curl_give, curl_resize, curl_copy,
                                curl_take_array) != CURLE_OK;
}

static int leave_curl(void **state) {
    (void)state;
    curl_global_cleanup();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program),
        cmocka_unit_test(a_worker),
        cmocka_unit_test(a_server_that_is_a_program),
        cmocka_unit_test(a_server_far_away),
        cmocka_unit_test(a_request),
        cmocka_unit_test(a_text_that_is_hidden),
        cmocka_unit_test(header_lines),
    };
    return cmocka_run_group_tests(tests, watch_curl, leave_curl);
}
