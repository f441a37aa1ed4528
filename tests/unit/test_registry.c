/* Libraries that a program registers: what is refused, that everything is copied, that they are
 * what the same text would be, and an upstream whose file is on no disk. */
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
#include "tests/support/caller.h"

#define NAME                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":["          \
    "\"name\"]}"

static const char crm[] =
    "crm:\n  tools:\n"
    "  - metadata: {name: find, description: Finds one, parameters: {name: {description: Whom, "
    "type: STRING}}}\n"
    "    definition: {method: GET, path: {type: TEXT_SUBSTITUTOR, content: '/people/${name}'}}\n";

static gramc_registry *new_registry(const gramc_allocator *allocator) {
    gramc_registry *registry;
    assert_int_equal(gramc_registry_new(&registry, TEXT("lib"), TEXT("Made here"), allocator),
                     GRAMC_OK);
    return registry;
}

static gramc_impl returns_of(const char *name, const char *text) {
    return (gramc_impl){.name = text_of(name), .kind = GRAMC_IMPL_RETURNS, .target = text_of(text)};
}

static gramc_box box_of(const char *name, const char *url) {
    return (gramc_box){.name = text_of(name),
                       .kind = GRAMC_BOX_HTTP,
                       .file_named = TEXT("crm.yaml"),
                       .url = text_of(url),
                       .all_tools = true};
}

/* ## Refusals */

static void test_refusals(void **state) {
    const gramc_text words[] = {TEXT("true")};
    gramc_registry *registry = new_registry(NULL);
    const gramc_impl wrong[] = {
        {.kind = GRAMC_IMPL_RETURNS},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_EXEC},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_BUILTIN},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_HTTP, .method = TEXT("GET")},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_PLUGIN},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_REPLAY},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_MCP, .target = TEXT("t")},
        {.name = TEXT("a"), .kind = GRAMC_IMPL_MCP, .server = TEXT("s")},
    };
    const gramc_box wrong_boxes[] = {
        {.kind = GRAMC_BOX_HTTP, .file_named = TEXT("f")},
        {.name = TEXT("b"), .kind = GRAMC_BOX_HTTP, .url = TEXT("http://x")},
        {.name = TEXT("b"), .kind = GRAMC_BOX_MCP},
        {.name = TEXT("b"),
         .kind = GRAMC_BOX_MCP,
         .url = TEXT("http://x"),
         .argv = words,
         .argc = 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(gramc_registry_add_impl(registry, &wrong[i]), GRAMC_USAGE);
    for (size_t i = 0; i < sizeof wrong_boxes / sizeof *wrong_boxes; i++)
        assert_int_equal(gramc_registry_add_box(registry, &wrong_boxes[i]), GRAMC_USAGE);
    assert_int_equal(gramc_registry_add_upstream(registry, &wrong_boxes[3], TEXT(crm)),
                     GRAMC_USAGE);
    assert_int_equal(gramc_registry_library(registry)->impl_count, 0);
    assert_int_equal(gramc_registry_library(registry)->box_count, 0);
    gramc_registry_free(registry);
    gramc_registry_free(NULL);
}

static void test_duplicates(void **state) {
    gramc_registry *registry = new_registry(NULL);
    gramc_impl ping = returns_of("ping", "pong");
    gramc_box box = box_of("crm", "http://127.0.0.1:1"), other = box_of("other", "");
    (void)state;
    assert_int_equal(gramc_registry_add_impl(registry, &ping), GRAMC_OK);
    assert_int_equal(gramc_registry_add_impl(registry, &ping), GRAMC_AMBIGUOUS);
    assert_int_equal(gramc_registry_add_upstream(registry, &box, TEXT(crm)), GRAMC_OK);
    assert_int_equal(gramc_registry_add_box(registry, &box), GRAMC_AMBIGUOUS);
    assert_int_equal(gramc_registry_add_upstream(registry, &other, TEXT(crm)), GRAMC_AMBIGUOUS);
    assert_int_equal(gramc_registry_library(registry)->impl_count, 1);
    assert_int_equal(gramc_registry_library(registry)->box_count, 1);
    gramc_registry_free(registry);
}

/* ## The same as a text */

static void test_fingerprint(void **state) {
    static const char source[] =
        "[lib:ToolLibrary {description: \"Made here\"} |\n"
        "  [ping:ToolImpl {returns: \"pong\"}],\n"
        "  [run:ToolImpl {exec: [\"cat\", \"-\"], env: {A: \"b\"}, timeout: 5s}]]\n";
    gramc_text words[] = {TEXT("cat"), TEXT("-")}, env[] = {TEXT("A=b")};
    gramc_compilation *compilation;
    const gramc_spec *spec;
    char name[] = "ping";
    gramc_registry *registry = new_registry(NULL);
    gramc_impl ping = returns_of(name, "pong");
    gramc_impl run = {.name = TEXT("run"),
                      .kind = GRAMC_IMPL_EXEC,
                      .target = TEXT("cat"),
                      .argv = words,
                      .argc = 2,
                      .env = env,
                      .env_count = 1,
                      .timeout_ms = 5000};
    (void)state;
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, TEXT("lib.gram"), source, sizeof source - 1),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    assert_int_equal(gramc_registry_add_impl(registry, &ping), GRAMC_OK);
    char half[64];
    memcpy(half, gramc_registry_library(registry)->fingerprint.ptr, sizeof half);
    assert_int_equal(gramc_registry_add_impl(registry, &run), GRAMC_OK);
    /* Nothing of what was given is needed any more. */
    memset(name, 'x', sizeof name - 1);
    words[0] = env[0] = TEXT("gone");
    gramc_text made = gramc_registry_library(registry)->fingerprint;
    assert_int_equal(made.len, sizeof half);
    assert_true(text_eq(made, gramc_spec_library(spec, 0)->fingerprint));
    assert_memory_not_equal(made.ptr, half, sizeof half);
    gramc_registry_free(registry);
    gramc_compilation_free(compilation);
}

static void test_many(void **state) {
    gramc_registry *registry = new_registry(NULL);
    char name[32];
    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "tool%d", i);
        gramc_impl impl = returns_of(name, name);
        assert_int_equal(gramc_registry_add_impl(registry, &impl), GRAMC_OK);
    }
    const gramc_library *library = gramc_registry_library(registry);
    assert_int_equal(library->impl_count, 100);
    assert_true(text_is(library->impls[0].name, "tool0"));
    assert_true(text_is(library->impls[99].target, "tool99"));
    gramc_registry_free(registry);
}

/* ## An upstream */

static int read_other(void *ctx, gramc_text path, gramc_text *out) {
    (void)ctx;
    *out = TEXT("from elsewhere");
    return text_is(path, "other.yaml") ? 0 : GRAMC_NOT_FOUND;
}

static void test_reader(void **state) {
    gramc_registry *registry = new_registry(NULL);
    gramc_box box = box_of("crm", "http://127.0.0.1:1");
    gramc_text text;
    (void)state;
    box.folder = TEXT("apis/");
    assert_int_equal(gramc_registry_add_upstream(registry, &box, TEXT(crm)), GRAMC_OK);
    gramc_reader reader = gramc_registry_reader(registry, (gramc_reader){NULL, NULL});
    assert_int_equal(reader.read(reader.ctx, TEXT("apis/crm.yaml"), &text), 0);
    assert_true(text_is(text, crm));
    assert_int_not_equal(reader.read(reader.ctx, TEXT("other.yaml"), &text), 0);
    reader = gramc_registry_reader(registry, (gramc_reader){read_other, NULL});
    assert_int_equal(reader.read(reader.ctx, TEXT("other.yaml"), &text), 0);
    assert_true(text_is(text, "from elsewhere"));
    assert_int_not_equal(reader.read(reader.ctx, TEXT("crm.yaml"), &text), 0);
    gramc_registry_free(registry);
}

static void test_upstream(void **state) {
    static const struct mock_answer answer = {.body = "Ann, 7"};
    gramc_registry *registry = new_registry(NULL);
    struct caller caller;
    (void)state;
    caller_init(&caller, "", NAME, &answer, 1);
    gramc_box box = box_of("crm", mock_url(caller.server));
    assert_int_equal(gramc_registry_add_upstream(registry, &box, TEXT(crm)), GRAMC_OK);
    caller.agent.tools[0].name = TEXT("find");
    caller.agent.library = *gramc_registry_library(registry);
    caller.options.reader = gramc_registry_reader(registry, (gramc_reader){NULL, NULL});
    caller_bind(&caller);
    caller_call(&caller, TEXT("{\"name\":\"Ann\"}"));
    caller_expect(&caller, TOOL_FINE, "Ann, 7");
    assert_non_null(strstr(mock_head(caller.server, 0), "GET /v1/people/Ann HTTP/1.1\r\n"));
    caller_free(&caller);
    gramc_registry_free(registry);
}

/* ## Memory */

static gramc_status fill(gramc_registry *registry) {
    const gramc_pair header = {TEXT("X-A"), TEXT("b")};
    gramc_impl ping = returns_of("ping", "pong");
    gramc_box box = box_of("crm", "http://127.0.0.1:1");
    box.headers = &header;
    box.header_count = 1;
    gramc_status status = gramc_registry_add_impl(registry, &ping);
    if (!status) status = gramc_registry_add_upstream(registry, &box, TEXT(crm));
    if (!status && !gramc_registry_library(registry)) status = GRAMC_NOMEM;
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    for (long n = 1; n < 200; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_registry *registry;
        gramc_status status = gramc_registry_new(&registry, TEXT("lib"), TEXT("d"), &allocator);
        if (status == GRAMC_OK) status = fill(registry);
        assert_int_equal(status, failing.failed ? GRAMC_NOMEM : GRAMC_OK);
        gramc_registry_free(registry);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) return;
    }
    fail_msg("more allocations than expected");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_fingerprint), cmocka_unit_test(test_many),
        cmocka_unit_test(test_reader),      cmocka_unit_test(test_upstream),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
