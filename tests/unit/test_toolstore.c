/* Stores of tools and template engines of a host: what every store must do, asked of the one in
 * memory and of the example's in SQLite; what an engine is asked and what of its output is refused;
 * and both with each allocation failing. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <uv.h>

#include "base/text.h"
#include "examples/toolstore/mustache.h"
#include "examples/toolstore/sqlite_store.h"
#include "gramc/compile.h"
#include "tests/support/agent.h"
#include "tests/support/mock_server.h"

#define UPSTREAM(name, method, rest)                                                               \
    name ":\n  tools:\n"                                                                           \
         "  - metadata: {name: find, description: Finds, parameters: {who: {description: Whom, "   \
         "type: "                                                                                  \
         "STRING}}}\n"                                                                             \
         "    definition: {method: " method ", path: " rest "}\n"

static const char plain[] =
    UPSTREAM("crm", "GET", "{type: TEXT_SUBSTITUTOR, content: '/a/${who}'}");

/* ## What every store must do */

struct each_store {
    gramc_toolstore table;
    gramc_toolstore *own; /* the one in memory; NULL: SQLite's */
};

static struct each_store open_store(bool in_memory) {
    struct each_store store = {.own = NULL};
    char why[256];
    if (!in_memory) {
        assert_int_equal(sqlite_store_open(&store.table, ":memory:", why), GRAMC_OK);
        return store;
    }
    assert_int_equal(gramc_toolstore_new(&store.own, NULL), GRAMC_OK);
    store.table = *store.own;
    return store;
}

static void close_store(struct each_store *store) {
    if (store->own) gramc_toolstore_free(store->own);
    else sqlite_store_close(&store->table);
}

static bool put(const gramc_toolstore *store, const char *upstream, const char *name,
                const char *definition) {
    const gramc_stored_tool tool = {text_of(upstream), text_of(name), TEXT("http://h"),
                                    text_of(definition)};
    char why[256] = "";
    bool replaced = false;
    assert_int_equal(store->put(store->ctx, &tool, &replaced, why), GRAMC_OK);
    return replaced;
}

struct listing {
    struct buf text;
    int most; /* stops after that many; 0: never */
};

static gramc_status list_tool(void *ctx, const gramc_stored_tool *tool) {
    struct listing *listing = ctx;
    buf_printf(&listing->text, "%.*s.%.*s=%.*s;", TEXT_ARGS(tool->upstream), TEXT_ARGS(tool->name),
               TEXT_ARGS(tool->definition));
    return listing->most && --listing->most == 0 ? GRAMC_LIMIT : GRAMC_OK;
}

static void expect_tools(const gramc_toolstore *store, const char *upstream, int most,
                         gramc_status status, const char *expected) {
    struct listing listing = {.most = most};
    const gramc_tool_taker taker = {list_tool, &listing};
    char why[256] = "";
    buf_init(&listing.text, NULL, 4096);
    assert_int_equal(store->each(store->ctx, text_of(upstream), taker, why), status);
    assert_string_equal(listing.text.ptr ? listing.text.ptr : "", expected);
    buf_free(&listing.text);
}

static void keeps_tools(const gramc_toolstore *store) {
    char why[256] = "";
    expect_tools(store, "", 0, GRAMC_OK, "");
    assert_false(put(store, "a", "one", "1"));
    assert_false(put(store, "b", "one", "2"));
    assert_false(put(store, "a", "two", "3"));
    assert_true(put(store, "a", "one", "4"));
    assert_false(put(store, "a", "quote ' \" \xC3\xA9", ""));
    expect_tools(store, "", 0, GRAMC_OK, "a.one=4;b.one=2;a.two=3;a.quote ' \" \xC3\xA9=;");
    expect_tools(store, "b", 0, GRAMC_OK, "b.one=2;");
    expect_tools(store, "c", 0, GRAMC_OK, "");
    expect_tools(store, "a", 2, GRAMC_LIMIT, "a.one=4;a.two=3;");
    assert_int_equal(store->remove(store->ctx, TEXT("a"), TEXT("two"), why), GRAMC_OK);
    assert_int_equal(store->remove(store->ctx, TEXT("a"), TEXT("two"), why), GRAMC_NOT_FOUND);
    assert_int_equal(store->remove(store->ctx, TEXT("c"), TEXT("one"), why), GRAMC_NOT_FOUND);
    expect_tools(store, "a", 0, GRAMC_OK, "a.one=4;a.quote ' \" \xC3\xA9=;");
}

static void stores_keep_tools(void **state) {
    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        struct each_store store = open_store(in_memory);
        keeps_tools(&store.table);
        close_store(&store);
    }
}

enum { WRITERS = 4, WRITES = 50 };

static void write_many(void *ctx) {
    for (int i = 0; i < WRITES; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        put(ctx, "a", name, "{}");
    }
}

static gramc_status count_tool(void *ctx, const gramc_stored_tool *tool) {
    (void)tool;
    ++*(int *)ctx;
    return GRAMC_OK;
}

static void stores_are_shared_by_threads(void **state) {
    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        struct each_store store = open_store(in_memory);
        uv_thread_t threads[WRITERS];
        int count = 0;
        char why[256] = "";
        const gramc_tool_taker taker = {count_tool, &count};
        for (int i = 0; i < WRITERS; i++)
            assert_int_equal(uv_thread_create(&threads[i], write_many, &store.table), 0);
        for (int i = 0; i < WRITERS; i++) uv_thread_join(&threads[i]);
        assert_int_equal(store.table.each(store.table.ctx, TEXT("a"), taker, why), GRAMC_OK);
        assert_int_equal(count, WRITES);
        close_store(&store);
    }
}

/* ## Binding from one */

static const char library_text[] =
    "[l:ToolLibrary | [crm:HttpToolBox {store: \"crm\", url: \"http://127.0.0.1:1\"}]]";

static const gramc_library *compile_library(gramc_compilation **out, const char *text) {
    const gramc_spec *spec;
    assert_int_equal(gramc_compilation_new(out, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(*out, TEXT("l.gram"), text, strlen(text)), GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, *out), GRAMC_OK);
    return gramc_spec_library(spec, 0);
}

/* The first error of binding `find`; "" if it is bound. */
static void expect_bound(const gramc_toolbox_host *host, const char *library,
                         const char *expected) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_compilation *compilation;
    gramc_bind_message message = {.message = {"", 0}};
    gramc_bound *bound;
    options.toolboxes = host;
    const gramc_library *l = compile_library(&compilation, library);
    gramc_status status = gramc_bind_tool(&bound, l, TEXT("find"), &options);
    assert_int_equal(status, expected[0] ? GRAMC_FINDINGS : GRAMC_OK);
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++)
        if (message.severity == GRAMC_ERROR) break;
    if (expected[0] && !text_is(message.message, expected))
        fail_msg("%.*s", TEXT_ARGS(message.message));
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
}

static gramc_status fails(void *ctx, gramc_text upstream, gramc_tool_taker taker, char why[256]) {
    (void)upstream, (void)taker;
    snprintf(why, 256, "%s", (const char *)ctx);
    return GRAMC_IO;
}

static void boxes_are_bound_from_stores(void **state) {
    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        struct each_store store = open_store(in_memory);
        const gramc_toolbox_host host = {.store = &store.table};
        char why[256];
        size_t replaced = 9;
        assert_int_equal(
            gramc_toolstore_load(&host, TEXT("t.yml"), text_of(plain), &replaced, why, NULL),
            GRAMC_OK);
        assert_int_equal(replaced, 0);
        assert_int_equal(
            gramc_toolstore_load(&host, TEXT("t.yml"), text_of(plain), &replaced, why, NULL),
            GRAMC_OK);
        assert_int_equal(replaced, 1);
        expect_bound(&host, library_text, "");
        close_store(&store);
    }
}

static void what_a_store_may_not_say(void **state) {
    static const struct {
        const char *definition, *message;
    } rows[] = {
        {"{", "box `crm`: what its store says of the tool `find` is no JSON object"},
        {"{}]}, \"crm\": {\"tools\": [{}",
         "box `crm`: what its store says of the tool `find` is no JSON object"},
        {"[]", "box `crm`: what its store says of the tool `find` is no JSON object"},
        {"{\"metadata\":{\"name\":\"find\",\n\"description\":\"d\"},\"definition\":{\"method\":"
         "\"GET\",\"path\":"
         "{\"type\":\"HANDLEBARS\",\"content\":\"/\"}}}",
         "there is no template type `HANDLEBARS`; did you mean `TEXT_SUBSTITUTOR`?"},
    };
    const gramc_toolbox_host none = {.store = NULL};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct each_store store = open_store(true);
        const gramc_toolbox_host host = {.store = &store.table};
        put(&store.table, "crm", "find", rows[i].definition);
        expect_bound(&host, library_text, rows[i].message);
        close_store(&store);
    }
    char words[] = "the disk is on fire", nothing[] = "";
    const gramc_toolstore burning = {fails, NULL, NULL, words},
                          silent = {fails, NULL, NULL, nothing};
    const gramc_toolbox_host hosts[] = {{.store = &burning}, {.store = &silent}};
    expect_bound(&hosts[0], library_text,
                 "box `crm`: its store cannot be read: the disk is on fire");
    expect_bound(&hosts[1], library_text, "box `crm`: its store cannot be read");
    expect_bound(&none, library_text,
                 "box `crm`: its tools stand in a store, and this program has none");
    expect_bound(NULL, library_text,
                 "box `crm`: its tools stand in a store, and this program has none");
}

static void loading_is_all_or_nothing(void **state) {
    struct each_store store = open_store(true);
    const gramc_toolbox_host host = {.store = &store.table}, none = {.store = NULL};
    const gramc_text bad = TEXT(UPSTREAM("a", "GET", "{type: TEXT, content: /}")
                                    UPSTREAM("b", "BREW", "{type: TEXT, content: /}"));
    char why[256];
    (void)state;
    assert_int_equal(gramc_toolstore_load(&host, TEXT("t.yml"), bad, NULL, why, NULL),
                     GRAMC_FINDINGS);
    assert_string_equal(why, "t.yml:8:26: there is no method `BREW`");
    expect_tools(&store.table, "", 0, GRAMC_OK, "");
    assert_int_equal(gramc_toolstore_load(&none, TEXT("t"), text_of(plain), NULL, why, NULL),
                     GRAMC_USAGE);
    assert_int_equal(gramc_toolstore_load(NULL, TEXT("t"), text_of(plain), NULL, why, NULL),
                     GRAMC_USAGE);
    close_store(&store);
}

/* ## Engines */

/* Says what it was told to; ctx: the output. */
static gramc_status say_check(void *ctx, const gramc_template *what, const gramc_text *parameters,
                              size_t count, char why[256]) {
    (void)ctx;
    assert_int_equal(count, 1);
    assert_true(text_is(parameters[0], "who"));
    if (!text_is(what->source, "no")) return GRAMC_OK;
    snprintf(why, 256, "I do not take that");
    return GRAMC_FINDINGS;
}

static gramc_status say_expand(void *ctx, const gramc_template *what,
                               const gramc_template_argument *arguments, size_t count,
                               gramc_writer out, char why[256]) {
    const char *said = ctx;
    assert_int_equal(count, 1);
    assert_true(text_is(arguments[0].name, "who") && text_is(arguments[0].json, "\"A\\n\\u0001\""));
    assert_true(text_is(arguments[0].text, "A\n\x01"));
    if (what->use == GRAMC_TEMPLATE_BODY)
        assert_true(text_is(what->content_type, "text/plain") || !what->content_type.len);
    if (strcmp(said, "why") == 0) snprintf(why, 256, "out of ink");
    if (strcmp(said, "why") == 0 || strcmp(said, "fail") == 0) return GRAMC_IO;
    if (strcmp(said, "nomem") == 0) return GRAMC_NOMEM;
    return out.write(out.ctx, said, strlen(said)) ? GRAMC_IO : GRAMC_OK;
}

/* Calls the one tool of a file; what the call gives, and the status of binding. */
static gramc_status call_tool(const char *file, const gramc_toolbox_host *host,
                              const struct mock_server *server, struct buf *out,
                              gramc_call_outcome *outcome) {
    gramc_bind_options options = GRAMC_BIND_OPTIONS_INIT;
    gramc_compilation *compilation;
    gramc_bound *bound = NULL;
    gramc_loop *loop;
    char text[256], why[256];
    snprintf(text, sizeof text, "[l:ToolLibrary | [crm:HttpToolBox {store: \"crm\", url: \"%s\"}]]",
             mock_url(server));
    const gramc_library *library = compile_library(&compilation, text);
    options.toolboxes = host;
    gramc_status status = gramc_toolstore_load(host, TEXT("t.yml"), text_of(file), NULL, why, NULL);
    if (status) buf_puts(out, why);
    if (!status)
        assert_int_equal(gramc_bind_tool(&bound, library, TEXT("find"), &options), GRAMC_OK);
    if (!status) {
        assert_int_equal(gramc_loop_new(&loop, NULL), GRAMC_OK);
        gramc_status called = gramc_call(outcome, loop, bound, TEXT("find"),
                                         TEXT("{\"who\":\"A\\n\\u0001\"}"), buf_writer(out));
        if (called) buf_printf(out, "status %d", called);
        gramc_loop_free(loop);
    }
    gramc_bound_free(bound);
    gramc_compilation_free(compilation);
    return status;
}

#define PATH_BY_ENGINE UPSTREAM("crm", "GET", "{type: SAY, content: x}")
#define BODY(more)                                                                                 \
    UPSTREAM("crm", "POST", "{type: TEXT, content: /}, body: {type: SAY, content: x}" more)
#define HEADER                                                                                     \
    UPSTREAM("crm", "GET", "{type: TEXT, content: /}, headers: {X-A: [{type: SAY, content: x}]}")

static void what_engines_say_is_looked_at(void **state) {
    static const struct {
        const char *file, *said,
            *result; /* what stands in the request, or what the model is told */
        bool is_sent;
    } rows[] = {
        {PATH_BY_ENGINE, "/fine?q=1", "GET /v1/fine?q=1 HTTP", true},
        {PATH_BY_ENGINE, "no/slash", "the call cannot be made: its path does not begin with /",
         false},
        {PATH_BY_ENGINE, "", "the call cannot be made: its path does not begin with /", false},
        {PATH_BY_ENGINE, "/a b", "the call cannot be made: the address would hold a blank", false},
        {PATH_BY_ENGINE, "/a\r\nHost: x", "the call cannot be made: the address would hold a blank",
         false},
        {PATH_BY_ENGINE, "/a#b", "the call cannot be made: the address would hold a blank", false},
        {PATH_BY_ENGINE, "/a/../b", "the call cannot be made: the address would have a step up",
         false},
        {PATH_BY_ENGINE, "/a/%2E%2e", "the call cannot be made: the address would have a step up",
         false},
        {PATH_BY_ENGINE, "why", "the call cannot be made: out of ink", false},
        {PATH_BY_ENGINE, "fail", "the call cannot be made: the engine does not take it", false},
        {HEADER, "fine", "X-A: fine", true},
        {HEADER, "a\r\nX-B: c",
         "the call cannot be made: the header `X-A` holds a control character", false},
        {BODY(""), "{\"a\":1}", "{\"a\":1}", true},
        {BODY(""), "{\"a\":1", "the call cannot be made: the body would be no JSON", false},
        {BODY(", contentType: text/plain"), "{\"a\":1", "{\"a\":1", true},
    };
    const struct mock_answer echo = {.mode = MOCK_ECHO};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[64];
        const gramc_template_engine engine = {TEXT("SAY"), say_check, say_expand, said};
        struct each_store store = open_store(true);
        const gramc_toolbox_host host = {&store.table, &engine, 1};
        struct mock_server *server = mock_start(&echo, 1);
        gramc_call_outcome outcome = GRAMC_CALL_CANCELED;
        struct buf out;
        buf_init(&out, NULL, 1 << 16);
        snprintf(said, sizeof said, "%s", rows[i].said);
        assert_int_equal(call_tool(rows[i].file, &host, server, &out, &outcome), GRAMC_OK);
        if (!out.ptr || !strstr(out.ptr, rows[i].result)) fail_msg("row %zu: %s", i, out.ptr);
        assert_int_equal(outcome, rows[i].is_sent ? GRAMC_CALL_FINE : GRAMC_CALL_TOOL_ERROR);
        assert_int_equal(mock_count(server), rows[i].is_sent);
        buf_free(&out);
        mock_stop(server);
        close_store(&store);
    }
}

static void engines_check(void **state) {
    static const struct {
        const char *file, *why;
    } rows[] = {
        {UPSTREAM("crm", "GET", "{type: SAY, content: no}"), "t.yml:4:58: I do not take that"},
        {UPSTREAM("crm", "GET", "{type: MUSTACHE, content: '/{{who}}/{{town}}'}"),
         "t.yml:4:63: no parameter `town` is declared"},
        {UPSTREAM("crm", "GET", "{type: MUSTACH, content: '/{{who}}'}"),
         "t.yml:4:44: there is no template type `MUSTACH`; did you mean `MUSTACHE`?"},
        {UPSTREAM("crm", "GET", "{type: say, content: no}"),
         "t.yml:4:44: there is no template type `say`; did you mean `SAY`?"},
    };
    char said[] = "/";
    const gramc_template_engine engines[] = {mustache, {TEXT("SAY"), say_check, say_expand, said}};
    struct each_store store = open_store(true);
    const gramc_toolbox_host host = {&store.table, engines, 2};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[256];
        assert_int_equal(
            gramc_toolstore_load(&host, TEXT("t.yml"), text_of(rows[i].file), NULL, why, NULL),
            GRAMC_FINDINGS);
        assert_string_equal(why, rows[i].why);
    }
    close_store(&store);
}

/* ## Each allocation failing once */

/* Stores, binds and calls with the same allocator. GRAMC_NOMEM wherever it ran out. */
static gramc_status do_all(const gramc_allocator *allocator, const gramc_library *library) {
    static const char file[] = UPSTREAM(
        "crm", "POST",
        "{type: MUSTACHE, content: '/{{who}}'}, body: {type: MUSTACHE, content: '[{{who}}]'}");
    gramc_bind_options bind = GRAMC_BIND_OPTIONS_INIT;
    gramc_loop_options looping = GRAMC_LOOP_OPTIONS_INIT;
    gramc_toolstore *store = NULL;
    gramc_bound *bound = NULL;
    gramc_loop *loop = NULL;
    gramc_call_outcome outcome;
    struct buf out;
    char why[256] = "";
    gramc_status status = gramc_toolstore_new(&store, allocator);
    const gramc_toolbox_host host = {store, &mustache, 1};
    bind.allocator = looping.allocator = allocator;
    bind.toolboxes = &host;
    buf_init(&out, NULL, 1 << 16);
    for (int i = 0; i < 2 && !status; i++)
        status = gramc_toolstore_load(&host, TEXT("t"), text_of(file), NULL, why, allocator);
    if (!status) status = gramc_bind_tool(&bound, library, TEXT("find"), &bind);
    if (!status) status = gramc_loop_new(&loop, &looping);
    if (!status)
        status = gramc_call(&outcome, loop, bound, TEXT("find"), TEXT("{\"who\":\"x\"}"),
                            buf_writer(&out));
    gramc_loop_free(loop);
    gramc_bound_free(bound);
    gramc_toolstore_free(store);
    buf_free(&out);
    return status;
}

static void no_memory(void **state) {
    struct failing failing = {.fail_at = 0};
    gramc_allocator allocator = test_failing(&failing);
    gramc_compilation *compilation;
    const gramc_library *library =
        compile_library(&compilation, library_text); /* nobody listens there */
    (void)state;
    assert_int_equal(do_all(&allocator, library), GRAMC_OK);
    assert_int_equal(failing.live, 0);
    long needed = failing.count;
    assert_true(needed > 50);
    for (long n = 1; n <= needed; n++) {
        failing = (struct failing){.fail_at = n};
        gramc_status status = do_all(&allocator, library);
        if (status != GRAMC_NOMEM && status != GRAMC_OK) fail_msg("allocation %ld: %d", n, status);
        assert_int_equal(failing.live, 0);
    }
    gramc_compilation_free(compilation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_keep_tools),
        cmocka_unit_test(stores_are_shared_by_threads),
        cmocka_unit_test(boxes_are_bound_from_stores),
        cmocka_unit_test(what_a_store_may_not_say),
        cmocka_unit_test(loading_is_all_or_nothing),
        cmocka_unit_test(what_engines_say_is_looked_at),
        cmocka_unit_test(engines_check),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
