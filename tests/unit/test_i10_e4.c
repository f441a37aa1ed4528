/* What is said where mutations of the runtime once survived: the words of HTTP statuses,
 * annotations of schemas that cannot become headers, programs and plugins without gramc-host. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>

#include "base/text.h"
#include "runtime/mcp/headers.h"
#include "tests/support/caller.h"
#include "tests/support/calls.h"

#define OBJECT "{\"type\":\"object\"}"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ## HTTP */

static void statuses(void **state) {
    static const struct {
        int status;
        const char *line;
    } rows[] = {
        {300, "HTTP 300"},
        {400, "HTTP 400 Bad Request"},
        {401, "HTTP 401 Unauthorized"},
        {402, "HTTP 402"},
        {403, "HTTP 403 Forbidden"},
        {404, "HTTP 404 Not Found"},
        {405, "HTTP 405 Method Not Allowed"},
        {408, "HTTP 408 Request Timeout"},
        {409, "HTTP 409 Conflict"},
        {410, "HTTP 410 Gone"},
        {413, "HTTP 413 Content Too Large"},
        {415, "HTTP 415 Unsupported Media Type"},
        {422, "HTTP 422 Unprocessable Content"},
        {429, "HTTP 429 Too Many Requests"},
        {500, "HTTP 500 Internal Server Error"},
        {502, "HTTP 502 Bad Gateway"},
        {503, "HTTP 503 Service Unavailable"},
        {504, "HTTP 504 Gateway Timeout"},
    };
    struct mock_answer answers[COUNT(rows) + 2];
    struct caller caller;
    char expected[256];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        answers[i] = (struct mock_answer){.status = rows[i].status, .body = "7"};
    answers[COUNT(rows)] = (struct mock_answer){.status = 200, .body = "first"};
    answers[COUNT(rows) + 1] = (struct mock_answer){.status = 299, .body = "last"};
    caller_init(&caller, "/x", OBJECT, answers, COUNT(answers));
    caller_bind(&caller);
    for (size_t i = 0; i < COUNT(rows); i++) {
        caller_call(&caller, TEXT("{}"));
        snprintf(expected, sizeof expected, "%s\nContent-Type: application/json\n\n7",
                 rows[i].line);
        caller_expect(&caller, TOOL_FAILED, expected);
    }
    caller_call(&caller, TEXT("{}"));
    caller_expect(&caller, TOOL_FINE, "first");
    caller_call(&caller, TEXT("{}"));
    caller_expect(&caller, TOOL_FINE, "last");
    caller_free(&caller);
}

/* ## Headers of MCP */

#define PROPERTY(name, schema) "\"" name "\":" schema
#define WITH(...) "{\"type\":\"object\",\"properties\":{" __VA_ARGS__ "}}"
#define MIRROR(type, header) "{\"type\":\"" type "\",\"x-mcp-header\":" header "}"
#define NO_NAME "an x-mcp-header that names no header"
#define NO_PLAIN "an x-mcp-header on what is no string, integer or boolean"
#define NO_PLACE "an x-mcp-header where no argument simply stands"

static const struct {
    const char *schema, *why;
    size_t count; /* of headers, if why is NULL */
} annotated[] = {
    {"{}", NULL, 0},
    {"7", NULL, 0},
    {WITH(PROPERTY("a", MIRROR("string", "\"A\"")) "," PROPERTY(
         "b", MIRROR("integer", "\"B\"")) "," PROPERTY("c", MIRROR("boolean",
                                                                   "\"!#$%&'*+-.^_`|~09azAZ\""))),
     NULL, 3},
    {WITH(PROPERTY("a", WITH(PROPERTY("b", MIRROR("string", "\"A\""))))), NULL, 1},
    {WITH(PROPERTY("a", MIRROR("string", "\"\""))), NO_NAME, 0},
    {WITH(PROPERTY("a", MIRROR("string", "\"A B\""))), NO_NAME, 0},
    {WITH(PROPERTY("a", MIRROR("string", "\"A:\""))), NO_NAME, 0},
    {WITH(PROPERTY("a", MIRROR("string", "\"A\\u0000\""))), NO_NAME, 0},
    {WITH(PROPERTY("a", MIRROR("string", "true"))), NO_NAME, 0},
    {WITH(PROPERTY("a", MIRROR("number", "\"A\""))), NO_PLAIN, 0},
    {WITH(PROPERTY("a", "{\"x-mcp-header\":\"A\"}")), NO_PLAIN, 0},
    {WITH(PROPERTY("a", "{\"type\":[\"string\"],\"x-mcp-header\":\"A\"}")), NO_PLAIN, 0},
    {"{\"type\":\"string\",\"x-mcp-header\":\"A\"}", "an x-mcp-header where no argument stands", 0},
    {WITH(PROPERTY("a", MIRROR("string", "\"Same\"")) "," PROPERTY("b",
                                                                   MIRROR("string", "\"sAME\""))),
     "two equal x-mcp-header", 0},
    {"{\"anyOf\":[{\"properties\":{\"a\":" MIRROR("string", "\"A\"") "}}]}", NO_PLACE, 0},
    {WITH(PROPERTY("a", "{\"items\":" MIRROR("string", "\"A\"") "}")), NO_PLACE, 0},
    {"{\"properties\":[" MIRROR("string", "\"A\"") "]}", NO_PLACE, 0},
    {WITH(PROPERTY("a", "{\"default\":{\"x-mcp-header\":1},\"const\":{\"x-mcp-header\":1},"
                        "\"enum\":[{\"x-mcp-header\":1}],\"examples\":[{\"x-mcp-header\":1}]}")),
     NULL, 0},
    {"{\"title\":\"x-mcp-header\",\"required\":[\"x-mcp-header\"]}", NULL, 0},
};

static void annotations(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(annotated); i++) {
        struct mcp_parameter *first;
        struct arena arena;
        size_t count = 0;
        arena_init(&arena, NULL);
        const struct json *schema = json_parse(&arena, text_of(annotated[i].schema), NULL);
        assert_non_null(schema);
        const char *why = mcp_mirrors_read(&first, &arena, schema);
        for (; first; first = first->next) count++;
        if (why && annotated[i].why) assert_string_equal(why, annotated[i].why);
        else if (why || annotated[i].why)
            fail_msg("%s: %s", annotated[i].schema, why ? why : "taken");
        else assert_int_equal(count, annotated[i].count);
        arena_free(&arena);
    }
}

/* What of the arguments goes into a header, by their JSON type. */
static void mirrored(void **state) {
    static const struct {
        const char *path, *value; /* NULL: there is none */
    } rows[] = {{"/s", "text"}, {"/n", "-1.50"}, {"/t", "true"}, {"/f", "false"}, {"/z", NULL},
                {"/l", NULL},   {"/o", NULL},    {"/o/i", "7"},  {"/none", NULL}};
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    const struct json *arguments =
        json_parse(&arena,
                   TEXT("{\"s\":\"text\",\"n\":-1.50,\"t\":true,\"f\":false,\"z\":null,"
                        "\"l\":[1],\"o\":{\"i\":7}}"),
                   NULL);
    assert_non_null(arguments);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct mcp_parameter parameter = {.path = text_of(rows[i].path)};
        struct buf out;
        buf_init(&out, NULL, 100);
        assert_int_equal(mcp_mirror_value(&out, &parameter, arguments), rows[i].value != NULL);
        assert_true(text_is(buf_view(&out), rows[i].value ? rows[i].value : ""));
        buf_free(&out);
    }
    arena_free(&arena);
}

/* ## Without gramc-host */

static void expect_by_hand(struct test_agent *test, const char *said) {
    gramc_call_outcome outcome;
    gramc_bound *bound;
    gramc_loop *loop;
    struct buf text;
    buf_init(&text, NULL, 4096);
    assert_int_equal(gramc_bind(&bound, &test->agent, &test->library, NULL), GRAMC_OK);
    assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
    assert_int_equal(gramc_call(&outcome, loop, bound, TEXT("tool"), TEXT("{}"), buf_writer(&text)),
                     GRAMC_OK);
    assert_int_equal(outcome, GRAMC_CALL_TOOL_ERROR);
    buf_putc(&text, '\0');
    assert_string_equal(text.ptr, said);
    buf_free(&text);
    gramc_loop_free(loop);
    gramc_bound_free(bound);
}

static void no_host(void **state) {
    const char *const argv[] = {"true", NULL};
    struct test_agent test;
    gramc_impl *impl;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, "true", GRAMC_RESULT_TEXT);
    impl = test_exec(&test, "tool", argv);
    impl->max_memory = 1 << 30;
    expect_by_hand(&test, "there is no gramc-host to set the limits of the program");
    test_agent_free(&test);
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, "true", GRAMC_RESULT_TEXT);
    impl = test_plugin(&test, "tool", "libmisbehave.so", "echo");
    expect_by_hand(&test, "there is no gramc-host to run the plugin `libmisbehave.so` in");
    test_agent_free(&test);
}

/* ## Descriptors: an embedding program keeps its own, but those of libcurl are ours */

static void sockets_of_requests(void **state) {
    static const struct mock_answer answers[] = {{.body = "here"}};
    static const char *const names[] = {"web", "list", NULL};
    const char *const argv[] = {"sh", "-c", "ls /proc/self/fd | tr '\\n' ' '", NULL};
    struct test_agent test;
    struct test_said said;
    (void)state;
    for (int descriptor = 3; descriptor < 1024; descriptor++) /* what this process inherited */
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    struct mock_server *server = mock_start(answers, 1);
    test_agent_init(&test);
    test_tool(&test, "web", OBJECT, "true", GRAMC_RESULT_TEXT);
    test_http(&test, "web", mock_url(server));
    test_tool(&test, "list", OBJECT, "true", GRAMC_RESULT_TEXT);
    test_exec(&test, "list", argv);
    test_say_tools(&test, names, &said);
    assert_string_equal(said.texts[0], "here");
    assert_string_equal(said.texts[1], "0 1 2 3 ");
    test_agent_free(&test);
    mock_stop(server);
}

/* ## Binding what no library of ours can say */

static void expect_refused(const struct test_agent *test, const char *target, const char *message,
                           const char *help) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_bind_message said;
    gramc_bound *bound;
    options.target = text_of(target);
    assert_int_equal(gramc_bind(&bound, &test->agent, &test->library, &options), GRAMC_FINDINGS);
    assert_true(gramc_bound_message(bound, 0, &said));
    assert_int_equal(said.severity, GRAMC_ERROR);
    if (!text_is(said.message, message)) fail_msg("%.*s", TEXT_ARGS(said.message));
    assert_true(text_is(said.help, help));
    assert_false(gramc_bound_message(bound, 1, &said));
    gramc_bound_free(bound);
}

static void bindings(void **state) {
    const char *const nothing[] = {NULL};
    struct test_agent test;
    gramc_bound *bound;
    (void)state;
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, "true", GRAMC_RESULT_TEXT);
    gramc_impl *impl = test_returns(&test, "tool", "x");
    expect_refused(&test, "nowhere", "there is no target of that name to bind for", "");
    impl->kind = (gramc_impl_kind)99;
    expect_refused(&test, "openai", "tool `tool` has an unknown kind", "");
    test_agent_free(&test);
    test_agent_init(&test);
    test_tool(&test, "tool", OBJECT, "true", GRAMC_RESULT_TEXT);
    test_exec(&test, "tool", nothing);
    expect_refused(&test, "openai", "tool `tool` names no program to run",
                   "exec takes the program and its arguments");
    test_agent_free(&test);
    test_agent_init(&test);
    assert_int_equal(gramc_bind(&bound, &test.agent, NULL, NULL), GRAMC_OK); /* nothing to name */
    gramc_bound_free(bound);
    test_agent_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),
        cmocka_unit_test(annotations),
        cmocka_unit_test(mirrored),
        cmocka_unit_test(no_host),
        cmocka_unit_test(sockets_of_requests),
        cmocka_unit_test(bindings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
