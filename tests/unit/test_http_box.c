/* HTTP toolboxes as boxes of a library: what one offers without being bound, which upstream and
 * address are taken, what the file may do with secrets, and the literal way of filling in. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/httptool/box.h"
#include "tests/support/caller.h"

#define NAME                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]" \
    "}"

/* One upstream with one tool, `find`; `more` stands behind its method. */
#define UPSTREAM(name, more)                                                                       \
    name ":\n  tools:\n"                                                                           \
         "  - metadata: {name: find, description: Finds one, parameters: {name: {description: "    \
         "Whom, type: STRING}}}\n"                                                                 \
         "    definition: {method: GET" more ", path: {type: TEXT_SUBSTITUTOR, content: "          \
         "'/people/${name}'}}\n"

static int read_text(void *ctx, gramc_text path, gramc_text *out) {
    if (!text_is(path, "lib/crm.yaml")) return GRAMC_NOT_FOUND;
    *out = text_of(ctx);
    return 0;
}

/* A string of a test, as a reader's context. */
static gramc_reader reader_of(const char *text) {
    union {
        const char *given;
        void *wanted;
    } ctx = {text};
    return (gramc_reader){text ? read_text : NULL, ctx.wanted};
}

static gramc_box box_of(const char *name) {
    return (gramc_box){.name = text_of(name),
                       .kind = GRAMC_BOX_HTTP,
                       .file_named = TEXT("crm.yaml"),
                       .url = TEXT("http://127.0.0.1:1"),
                       .all_tools = true,
                       .folder = TEXT("lib/"),
                       .file = TEXT("lib/lib.gram")};
}

/* ## Asking */

static gramc_status ask_box(struct offered_box *out, struct arena *arena, const gramc_box *box,
                            gramc_reader reader) {
    const struct box_question question = {
        .out = out, .boxes = &box, .count = 1, .arena = arena, .reader = reader};
    return http_boxes_ask(&question);
}

static void test_ask(void **state) {
    static const struct {
        const char *box, *file, *failure;
        size_t tools;
    } rows[] = {
        {"crm", UPSTREAM("crm", ""), "", 1},
        {"other", UPSTREAM("crm", ""), "", 1},
        {"b", UPSTREAM("a", "") UPSTREAM("b", ""), "", 1},
        {"c", UPSTREAM("a", "") UPSTREAM("b", ""),
         "there are several upstreams in its file, and none of its name", 0},
        {"crm", "{}\n", "there is no upstream in its file", 0},
        {"crm", "crm: [\n", "lib/crm.yaml:2:1: ", 0},
        {"crm", UPSTREAM("crm", ", body: 1"), "lib/crm.yaml:4:37: `body` is a text here", 0},
        {"crm", NULL, "its file cannot be read", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena;
        struct offered_box offered;
        gramc_box box = box_of(rows[i].box);
        arena_init(&arena, NULL);
        assert_int_equal(ask_box(&offered, &arena, &box, reader_of(rows[i].file)), GRAMC_OK);
        if (!text_starts(offered.failure, rows[i].failure) ||
            (offered.failure.len > 0) != (rows[i].failure[0] != '\0'))
            fail_msg("row %zu: %.*s", i, TEXT_ARGS(offered.failure));
        assert_int_equal(offered.tool_count, rows[i].tools);
        assert_true(text_is(offered.name, rows[i].box));
        if (rows[i].tools) {
            assert_true(text_is(offered.tools[0].name, "find"));
            assert_true(text_is(offered.tools[0].description, "Finds one"));
            assert_true(offered.tools[0].accepts.len > 0 && offered.tools[0].returns.len == 0);
        }
        arena_free(&arena);
    }
}

/* ## Binding */

struct fixture {
    struct test_agent agent;
    gramc_box box;
    gramc_bind_options options;
};

static void open_fixture(struct fixture *fixture, const char *file) {
    const gramc_bind_options defaults = GRAMC_BIND_OPTIONS_INIT;
    fixture->options = defaults;
    fixture->options.reader = reader_of(file);
    fixture->box = box_of("crm");
    test_agent_init(&fixture->agent);
    test_tool(&fixture->agent, "crm_find", NAME, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    fixture->agent.library.boxes = &fixture->box;
    fixture->agent.library.box_count = 1;
}

static gramc_status bind_box(const struct fixture *fixture, gramc_bound **out) {
    return gramc_bind(out, &fixture->agent.agent, &fixture->agent.library, &fixture->options);
}

/* The first message that is no note. */
static void expect_error(const struct fixture *fixture, const char *expected) {
    gramc_bind_message message = {.message = {"", 0}};
    gramc_bound *bound;
    assert_int_equal(bind_box(fixture, &bound), expected ? GRAMC_FINDINGS : GRAMC_OK);
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++)
        if (message.severity != GRAMC_NOTE) break;
    if (expected && !text_is(message.message, expected))
        fail_msg("%.*s", TEXT_ARGS(message.message));
    gramc_bound_free(bound);
}

static void test_bind(void **state) {
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, UPSTREAM("crm", ""));
    expect_error(&fixture, NULL);
    fixture.box.url = TEXT("http://127.0.0.1:1?x=1");
    expect_error(&fixture, "box `crm`: in its url, the url of an upstream is a scheme, a host and "
                           "perhaps a path");
    fixture.box.url = TEXT("http://${env:HOST}");
    expect_error(&fixture,
                 "box `crm`: in its url, scheme and host of an address are not filled in");
    fixture.box.url = TEXT("");
    expect_error(&fixture, "box `crm`: neither the library nor the file says its url");
    fixture.options.reader = reader_of(NULL);
    expect_error(&fixture, "box `crm`: its file `lib/crm.yaml` cannot be read");
    test_agent_free(&fixture.agent);
}

/* The file is as little to be trusted with the environment as the library. */
static void test_secrets_of_the_file(void **state) {
    static const gramc_pair allowed = {{"TOKEN", 5}, {"t0ken", 5}};
    static const char file[] =
        UPSTREAM("crm", ", headers: {X-Key: [{type: TEXT_SUBSTITUTOR, content: '${env:TOKEN}'}]}");
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, file);
    expect_error(&fixture,
                 "tool `find`: in a header, the environment variable `TOKEN` may not be read");
    fixture.options.secrets = &allowed;
    fixture.options.secret_count = 1;
    expect_error(&fixture, NULL);
    test_agent_free(&fixture.agent);
}

static void test_no_memory(void **state) {
    static const gramc_pair header = {{"X-A", 3}, {"b", 1}};
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, UPSTREAM("crm", ""));
    fixture.box.headers = &header;
    fixture.box.header_count = 1;
    for (long n = 1; n < 2000; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_bound *bound;
        fixture.options.allocator = &allocator;
        gramc_status status = bind_box(&fixture, &bound);
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        gramc_bound_free(bound);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) {
            assert_true(n > 20);
            test_agent_free(&fixture.agent);
            return;
        }
    }
    fail_msg("more allocations than expected");
}

static void test_ask_no_memory(void **state) {
    const gramc_box box = box_of("crm");
    (void)state;
    for (long n = 1; n < 2000; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        struct offered_box offered;
        struct arena arena;
        arena_init(&arena, &allocator);
        gramc_status status = ask_box(&offered, &arena, &box, reader_of(UPSTREAM("crm", "")));
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        arena_free(&arena);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) return;
    }
    fail_msg("more allocations than expected");
}

/* ## Calling */

/* Serves one call of crm_find and gives what came over the wire. */
static void call(struct fixture *fixture, gramc_text arguments, const char *line) {
    static const struct mock_answer answer = {.body = "found"};
    struct caller caller;
    memset(&caller, 0, sizeof caller);
    caller.agent = fixture->agent;
    caller.agent.agent.tools = caller.agent.list;
    caller.agent.list[0] = &caller.agent.tools[0];
    caller.options = fixture->options;
    caller.server = mock_start(&answer, 1);
    fixture->box.url = text_of(mock_url(caller.server));
    buf_init(&caller.result, NULL, 1 << 16);
    caller_bind(&caller);
    caller_call(&caller, arguments);
    caller_expect(&caller, TOOL_FINE, "found");
    if (!text_starts(text_of(mock_head(caller.server, 0)), line))
        fail_msg("%s", mock_head(caller.server, 0));
    caller_free(&caller);
}

static void test_literal(void **state) {
    struct fixture fixture;
    (void)state;
    open_fixture(&fixture, UPSTREAM("crm", ""));
    call(&fixture, TEXT("{\"name\":\"a/b?c\"}"), "GET /v1/people/a%2Fb%3Fc HTTP/1.1\r\n");
    open_fixture(&fixture, UPSTREAM("crm", ""));
    fixture.box.literal = true;
    call(&fixture, TEXT("{\"name\":\"a/b?c\"}"), "GET /v1/people/a/b?c HTTP/1.1\r\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask),
        cmocka_unit_test(test_bind),
        cmocka_unit_test(test_secrets_of_the_file),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_ask_no_memory),
        cmocka_unit_test(test_literal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
