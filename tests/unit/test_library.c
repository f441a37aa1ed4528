/* Libraries in C: the same library as in the notation, duplicates refused, every allocation failing
 * once; and what `extends` makes of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "gramc/runtime.h"
#include "tests/failing.h"

/* ## Text */

static gramc_compilation *compile(const char *text, const gramc_spec **spec) {
    gramc_compilation *compilation;
    gramc_finding finding;
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, TEXT("l.gram"), text, strlen(text)), GRAMC_OK);
    gramc_status status = gramc_compile(spec, compilation);
    if (status && gramc_finding_get(compilation, 0, &finding))
        fail_msg("%.*s", TEXT_ARGS(finding.message));
    return compilation;
}

static const gramc_library *library_of(const gramc_spec *spec, const char *name) {
    const gramc_library *library;
    assert_int_equal(gramc_spec_find_library(&library, spec, text_of(name)), GRAMC_OK);
    return library;
}

/* ## The same in C */

static const char text[] =
    "[tools:ToolLibrary {description: \"All\"} |"
    "  [add:ToolImpl {builtin: \"math.add\"}],"
    "  [search:ToolImpl {exec: [\"sh\", \"search.sh\"], env: {LC_ALL: \"C\"}, timeout: 5s}],"
    "  [ping:ToolImpl {returns: \"pong\"}],"
    "  [name:ToolImpl {http: GET, url: \"http://127.0.0.1/${id}\", headers: {A: \"b\"}}],"
    "  [say:ToolImpl {mcp: server, tool: \"echo\"}],"
    "  [server:McpServer {command: [\"x\"], tools: [\"echo\"], rename: {echo: \"shout\"}}],"
    "  [crm:HttpToolBox {file: \"crm.yaml\"}]]";

static gramc_status add_impls(gramc_library_maker *maker) {
    const gramc_text argv[] = {TEXT("sh"), TEXT("search.sh")}, env = TEXT("LC_ALL=C");
    const gramc_pair header = {TEXT("A"), TEXT("b")};
    const gramc_impl impls[] = {
        {.name = TEXT("add"), .kind = GRAMC_IMPL_BUILTIN, .target = TEXT("math.add")},
        {.name = TEXT("search"),
         .kind = GRAMC_IMPL_EXEC,
         .target = TEXT("sh"),
         .argv = argv,
         .argc = 2,
         .env = &env,
         .env_count = 1,
         .timeout_ms = 5000},
        {.name = TEXT("ping"), .kind = GRAMC_IMPL_RETURNS, .target = TEXT("pong")},
        {.name = TEXT("name"),
         .kind = GRAMC_IMPL_HTTP,
         .target = TEXT("http://127.0.0.1/${id}"),
         .method = TEXT("GET"),
         .headers = &header,
         .header_count = 1},
        {.name = TEXT("say"),
         .kind = GRAMC_IMPL_MCP,
         .target = TEXT("echo"),
         .server = TEXT("server")}};
    gramc_status status = GRAMC_OK;
    for (size_t i = 0; i < sizeof impls / sizeof *impls && !status; i++)
        status = gramc_library_maker_add_impl(maker, &impls[i]);
    return status;
}

static gramc_status add_boxes(gramc_library_maker *maker) {
    const gramc_text program = TEXT("x"), tool = TEXT("echo");
    const gramc_pair rename = {TEXT("echo"), TEXT("shout")};
    const gramc_box boxes[] = {{.name = TEXT("server"),
                                .kind = GRAMC_BOX_MCP,
                                .argv = &program,
                                .argc = 1,
                                .tools = &tool,
                                .tool_count = 1,
                                .renames = &rename,
                                .rename_count = 1},
                               {.name = TEXT("crm"),
                                .kind = GRAMC_BOX_HTTP,
                                .file_named = TEXT("crm.yaml"),
                                .all_tools = true}};
    gramc_status status = gramc_library_maker_add_box(maker, &boxes[0]);
    return status ? status : gramc_library_maker_add_box(maker, &boxes[1]);
}

static const gramc_reader no_files = {NULL, NULL};

static void same_as_text(void **state) {
    gramc_library_maker *maker;
    const gramc_library *made;
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation = compile(text, &spec);
    const gramc_library *written = library_of(spec, "tools");
    assert_int_equal(gramc_library_maker_new(&maker, TEXT("tools"), TEXT("All"), NULL), GRAMC_OK);
    assert_int_equal(add_impls(maker), GRAMC_OK);
    assert_int_equal(add_boxes(maker), GRAMC_OK);
    assert_int_equal(gramc_library_maker_finish(&made, maker, no_files), GRAMC_OK);
    assert_int_equal(made->impl_count, written->impl_count);
    assert_int_equal(made->box_count, written->box_count);
    assert_true(text_eq(made->fingerprint, written->fingerprint));
    assert_true(text_is(made->impls[1].argv[1], "search.sh"));
    assert_true(text_is(made->boxes[0].renames[0].value, "shout"));
    gramc_library_maker_free(maker);
    gramc_compilation_free(compilation);
}

static void refused(void **state) {
    static const gramc_impl bad[] = {
        {.name = {"", 0}, .kind = GRAMC_IMPL_RETURNS},
        {.name = {"x", 1}, .kind = GRAMC_IMPL_BUILTIN},
        {.name = {"x", 1}, .kind = GRAMC_IMPL_EXEC},
        {.name = {"x", 1}, .kind = GRAMC_IMPL_HTTP, .target = {"http://h/", 9}},
        {.name = {"x", 1}, .kind = GRAMC_IMPL_MCP, .target = {"t", 1}},
        {.name = {"x", 1}, .kind = GRAMC_IMPL_PLUGIN},
        {.name = {"x", 1}, .kind = (gramc_impl_kind)99, .target = {"t", 1}}};
    static const gramc_box bad_boxes[] = {
        {.name = {"b", 1}, .kind = GRAMC_BOX_MCP},
        {.name = {"b", 1}, .kind = GRAMC_BOX_HTTP},
        {.name = {"", 0}, .kind = GRAMC_BOX_HTTP, .file_named = {"f", 1}}};
    const gramc_impl mcp = {
        .name = TEXT("m"), .kind = GRAMC_IMPL_MCP, .target = TEXT("t"), .server = TEXT("nobody")};
    const gramc_impl late = {.name = TEXT("late"), .kind = GRAMC_IMPL_RETURNS};
    gramc_library_maker *maker;
    const gramc_library *made;
    (void)state;
    assert_int_equal(gramc_library_maker_new(&maker, TEXT("l"), TEXT(""), NULL), GRAMC_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gramc_library_maker_add_impl(maker, &bad[i]), GRAMC_USAGE);
    for (size_t i = 0; i < sizeof bad_boxes / sizeof *bad_boxes; i++)
        assert_int_equal(gramc_library_maker_add_box(maker, &bad_boxes[i]), GRAMC_USAGE);
    assert_int_equal(add_impls(maker), GRAMC_OK);
    assert_int_equal(add_impls(maker), GRAMC_AMBIGUOUS);
    assert_int_equal(gramc_library_maker_finish(&made, maker, no_files), GRAMC_NOT_FOUND);
    assert_int_equal(add_boxes(maker), GRAMC_OK);
    assert_int_equal(add_boxes(maker), GRAMC_AMBIGUOUS);
    assert_int_equal(gramc_library_maker_finish(&made, maker, no_files), GRAMC_OK);
    assert_int_equal(made->impl_count, 5);
    assert_int_equal(gramc_library_maker_add_impl(maker, &late), GRAMC_USAGE);
    gramc_library_maker_free(maker);
    assert_int_equal(gramc_library_maker_new(&maker, TEXT("l"), TEXT(""), NULL), GRAMC_OK);
    assert_int_equal(gramc_library_maker_add_impl(maker, &mcp), GRAMC_OK);
    assert_int_equal(gramc_library_maker_finish(&made, maker, no_files), GRAMC_NOT_FOUND);
    assert_null(made);
    gramc_library_maker_free(maker);
    gramc_library_maker_free(NULL);
}

static gramc_status make_all(const gramc_allocator *allocator) {
    gramc_library_maker *maker;
    const gramc_library *made;
    gramc_status status = gramc_library_maker_new(&maker, TEXT("tools"), TEXT("All"), allocator);
    if (!status) status = add_impls(maker);
    if (!status) status = add_boxes(maker);
    for (char name[] = "a"; name[0] <= 'z' && !status; name[0]++) {
        const gramc_impl impl = {.name = text_of(name), .kind = GRAMC_IMPL_RETURNS};
        status = gramc_library_maker_add_impl(maker, &impl);
    }
    if (!status) status = gramc_library_maker_finish(&made, maker, no_files);
    if (maker) gramc_library_maker_free(maker);
    return status;
}

static void memory_fails(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        struct failing failing = {.fail_at = n};
        gramc_allocator allocator = test_failing(&failing);
        gramc_status status = make_all(&allocator);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) {
            assert_int_equal(status, GRAMC_OK);
            assert_true(n > 2);
            return;
        }
        assert_int_equal(status, GRAMC_NOMEM);
    }
}

/* ## extends */

static void expect_target(const gramc_library *library, size_t i, const char *name,
                          const char *target) {
    assert_true(i < library->impl_count);
    assert_true(text_is(library->impls[i].name, name));
    assert_true(text_is(library->impls[i].target, target));
}

static void merged(void **state) {
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation = compile(
        "[top:ToolLibrary {extends: middle} | [b:ToolImpl {returns: \"b of top\"}],"
        "  [s:McpServer {command: [\"s of top\"]}]]"
        "[bottom:ToolLibrary | [a:ToolImpl {returns: \"a\"}], [b:ToolImpl {returns: \"b\"}],"
        "  [m:ToolImpl {mcp: s}], [s:McpServer {command: [\"s\"]}]]"
        "[middle:ToolLibrary {extends: bottom} | [c:ToolImpl {returns: \"c\"}],"
        "  [t:McpServer {command: [\"t\"]}]]",
        &spec);
    const gramc_library *top = library_of(spec, "top"), *middle = library_of(spec, "middle");
    assert_int_equal(top->impl_count, 4);
    expect_target(top, 0, "b", "b of top");
    expect_target(top, 1, "c", "c");
    expect_target(top, 2, "a", "a");
    expect_target(top, 3, "m", "m");
    assert_int_equal(top->box_count, 2);
    assert_true(text_is(top->boxes[0].argv[0], "s of top"));
    assert_true(text_is(top->boxes[1].name, "t"));
    assert_int_equal(middle->impl_count, 4);
    assert_int_equal(library_of(spec, "bottom")->impl_count, 3);
    assert_false(text_eq(top->fingerprint, middle->fingerprint));
    gramc_compilation_free(compilation);
}

/* ## Guards */

/* Each library of its own compilation, so that only the guards differ. */
static void expect_other_fingerprints(const char *const *texts, size_t count) {
    gramc_text prints[8];
    gramc_compilation *compilations[8];
    for (size_t i = 0; i < count; i++) {
        const gramc_spec *spec;
        compilations[i] = compile(texts[i], &spec);
        prints[i] = library_of(spec, "l")->fingerprint;
        for (size_t j = 0; j < i; j++) assert_false(text_eq(prints[i], prints[j]));
    }
    for (size_t i = 0; i < count; i++) gramc_compilation_free(compilations[i]);
}

static void guards_count(void **state) {
    static const char *const texts[] = {
        "[l:ToolLibrary | [a:ToolImpl {returns: \"a\"}]]",
        "[l:ToolLibrary {before: [\"x\"]} | [a:ToolImpl {returns: \"a\"}]]",
        "[l:ToolLibrary {after: [\"x\"]} | [a:ToolImpl {returns: \"a\"}]]",
        "[l:ToolLibrary {after: [\"x\", \"y\"]} | [a:ToolImpl {returns: \"a\"}]]",
        "[l:ToolLibrary | [a:ToolImpl {returns: \"a\", before: [\"x\"]}]]",
        "[l:ToolLibrary | [a:ToolImpl {returns: \"a\", after: [\"x\"]}]]"};
    (void)state;
    expect_other_fingerprints(texts, sizeof texts / sizeof *texts);
}

static void guards_same_as_text(void **state) {
    const gramc_text words[] = {TEXT("sh"), TEXT("guard.sh")};
    const gramc_guard_program guard = {.argv = words, .argc = 2};
    const gramc_impl impl = {.name = TEXT("a"),
                             .kind = GRAMC_IMPL_RETURNS,
                             .target = TEXT("a"),
                             .before = guard,
                             .after = {.argv = words, .argc = 1}};
    gramc_library_maker *maker;
    const gramc_library *made;
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation =
        compile("[l:ToolLibrary {after: [\"sh\", \"guard.sh\"]} | [a:ToolImpl {returns: \"a\","
                " before: [\"sh\", \"guard.sh\"], after: [\"sh\"]}]]",
                &spec);
    const gramc_library *written = library_of(spec, "l");
    assert_int_equal(gramc_library_maker_new(&maker, TEXT("l"), TEXT(""), NULL), GRAMC_OK);
    assert_int_equal(gramc_library_maker_add_impl(maker, &impl), GRAMC_OK);
    assert_int_equal(gramc_library_maker_set_guards(maker, &guard, NULL), GRAMC_OK);
    assert_int_equal(gramc_library_maker_set_guards(maker, NULL, &guard), GRAMC_OK);
    assert_int_equal(gramc_library_maker_finish(&made, maker, no_files), GRAMC_OK);
    assert_true(text_eq(made->fingerprint, written->fingerprint));
    assert_true(made->before.argc == 0 && made->after.argc == 2 && made->after.argv != words);
    assert_int_equal(gramc_library_maker_set_guards(maker, NULL, NULL), GRAMC_USAGE);
    gramc_library_maker_free(maker);
    gramc_compilation_free(compilation);
}

static void guards_inherited(void **state) {
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation = compile(
        "[top:ToolLibrary {extends: middle, after: [\"t\"]}] [middle:ToolLibrary {extends: bottom}]"
        "[bottom:ToolLibrary {before: [\"b\"], after: [\"c\"]} |"
        "  [a:ToolImpl {returns: \"a\", before: [\"d\"]}]]",
        &spec);
    const gramc_library *top = library_of(spec, "top"), *middle = library_of(spec, "middle");
    assert_true(text_is(middle->before.argv[0], "b") && text_is(middle->after.argv[0], "c"));
    assert_true(text_is(top->before.argv[0], "b") && text_is(top->after.argv[0], "t"));
    assert_true(text_is(top->impls[0].before.argv[0], "d") && top->impls[0].after.argc == 0);
    gramc_compilation_free(compilation);
}

/* ## Sandboxes */

/* One that allows nothing is not none. */
static void sandboxes_count(void **state) {
    static const char *const texts[] = {
        "[l:ToolLibrary | [a:ToolImpl {exec: [\"a\"]}], [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary {sandbox: {}} | [a:ToolImpl {exec: [\"a\"]}],"
        " [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary {sandbox: {read: [x]}} | [a:ToolImpl {exec: [\"a\"]}],"
        " [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary {sandbox: {write: [x]}} | [a:ToolImpl {exec: [\"a\"]}],"
        " [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary {sandbox: {env: [x]}} | [a:ToolImpl {exec: [\"a\"]}],"
        " [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary {sandbox: {network: hosts}} | [a:ToolImpl {exec: [\"a\"]}],"
        " [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary | [a:ToolImpl {exec: [\"a\"], sandbox: {}}],"
        " [s:McpServer {command: [\"s\"]}]]",
        "[l:ToolLibrary | [a:ToolImpl {exec: [\"a\"]}],"
        " [s:McpServer {command: [\"s\"], sandbox: {}}]]"};
    (void)state;
    expect_other_fingerprints(texts, sizeof texts / sizeof *texts);
}

static void sandboxes_same_as_text(void **state) {
    const gramc_text words[] = {TEXT("sh"), TEXT("a.sh")}, places[] = {TEXT("in"), TEXT("~/out")};
    const gramc_sandbox sandbox = {.read = places, .read_count = 1, .env = words, .env_count = 1},
                        other = {.write = places,
                                 .write_count = 2,
                                 .network = GRAMC_NETWORK_OPEN,
                                 .folder = TEXT("lib/")};
    const gramc_impl impl = {.name = TEXT("a"),
                             .kind = GRAMC_IMPL_EXEC,
                             .target = TEXT("sh"),
                             .argv = words,
                             .argc = 2,
                             .sandbox = &other};
    const gramc_box box = {
        .name = TEXT("s"), .argv = words, .argc = 1, .all_tools = true, .sandbox = &sandbox};
    gramc_library_maker *maker;
    const gramc_library *made;
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation =
        compile("[l:ToolLibrary {sandbox: {read: [\"in\"], env: [sh]}} | [a:ToolImpl {exec:"
                " [\"sh\", \"a.sh\"], sandbox: {write: [\"in\", \"~/out\"], network: open}}],"
                " [s:McpServer {command: [\"sh\"], sandbox: {read: [\"in\"], env: [sh]}}]]",
                &spec);
    assert_int_equal(gramc_library_maker_new(&maker, TEXT("l"), TEXT(""), NULL), GRAMC_OK);
    assert_int_equal(gramc_library_maker_add_impl(maker, &impl), GRAMC_OK);
    assert_int_equal(gramc_library_maker_add_box(maker, &box), GRAMC_OK);
    assert_int_equal(gramc_library_maker_set_sandbox(maker, &sandbox), GRAMC_OK);
    assert_int_equal(gramc_library_maker_finish(&made, maker, no_files), GRAMC_OK);
    assert_true(text_eq(made->fingerprint, library_of(spec, "l")->fingerprint));
    assert_true(made->sandbox != &sandbox && made->sandbox->read != places);
    assert_true(text_is(made->impls[0].sandbox->write[1], "~/out"));
    assert_true(text_is(made->impls[0].sandbox->folder, "lib/"));
    assert_int_equal(gramc_library_maker_set_sandbox(maker, NULL), GRAMC_USAGE);
    gramc_library_maker_free(maker);
    gramc_compilation_free(compilation);
}

static void sandbox_inherited(void **state) {
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation = compile(
        "[top:ToolLibrary {extends: middle, sandbox: {read: [t]}}]"
        "[middle:ToolLibrary {extends: bottom}]"
        "[bottom:ToolLibrary {sandbox: {}} | [a:ToolImpl {exec: [x], sandbox: {write: [w]}}],"
        " [s:McpServer {command: [x], sandbox: {network: none}}]]",
        &spec);
    const gramc_library *top = library_of(spec, "top"), *middle = library_of(spec, "middle");
    assert_ptr_equal(middle->sandbox, library_of(spec, "bottom")->sandbox);
    assert_non_null(middle->sandbox);
    assert_true(text_is(top->sandbox->read[0], "t"));
    assert_true(text_is(top->impls[0].sandbox->write[0], "w"));
    assert_non_null(top->boxes[0].sandbox);
    assert_true(text_is(top->sandbox->file, "l.gram") && top->sandbox->end > top->sandbox->start);
    gramc_compilation_free(compilation);
}

/* What a signature on an implementation says becomes its schemas. */
static void schemas(void **state) {
    const gramc_spec *spec;
    (void)state;
    gramc_compilation *compilation =
        compile("[l:ToolLibrary | [a:ToolImpl {returns: 5} | (x::Int {min: 0})==>(::Small)],"
                "  [b:ToolImpl {returns: 5}]] [Small:Int {max: 9}]",
                &spec);
    const gramc_library *library = library_of(spec, "l");
    assert_true(text_is(library->impls[0].accepts_schema,
                        "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\","
                        "\"minimum\":0}},\"required\":[\"x\"]}"));
    assert_true(text_is(library->impls[0].returns_schema, "{\"type\":\"integer\",\"maximum\":9}"));
    assert_int_equal(library->impls[1].accepts_schema.len, 0);
    assert_int_equal(library->impls[1].returns_schema.len, 0);
    gramc_compilation_free(compilation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_text),
        cmocka_unit_test(refused),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(guards_count),
        cmocka_unit_test(guards_same_as_text),
        cmocka_unit_test(guards_inherited),
        cmocka_unit_test(sandboxes_count),
        cmocka_unit_test(sandboxes_same_as_text),
        cmocka_unit_test(sandbox_inherited),
        cmocka_unit_test(merged),
        cmocka_unit_test(schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
