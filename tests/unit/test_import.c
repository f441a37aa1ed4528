/* What the golden cases of import are too small for: long chains of types, YAML as JSON, and that a
 * spec and the library imported with it pass together. Memory runs out everywhere once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/json/json.h"
#include "base/text.h"
#include "base/yaml/yaml.h"
#include "gramc/compile.h"
#include "tests/failing.h"

struct imported {
    struct buf spec, library;
    size_t warnings;
};

static gramc_status import(struct imported *out, gramc_text text,
                           const gramc_allocator *allocator) {
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_import_options how = GRAMC_IMPORT_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_import_file file = {GRAMC_TEXT("in"), text.ptr, text.len};
    buf_init(&out->spec, NULL, 1 << 28);
    buf_init(&out->library, NULL, 1 << 28);
    options.allocator = allocator;
    how.library = buf_writer(&out->library);
    gramc_status status = gramc_compilation_new(&compilation, &options);
    if (status != GRAMC_OK) return status;
    status = gramc_import(compilation, &file, 1, &how, buf_writer(&out->spec));
    out->warnings = gramc_finding_count(compilation, GRAMC_WARNING);
    gramc_compilation_free(compilation);
    return status;
}

static void imported_free(struct imported *imported) {
    buf_free(&imported->spec);
    buf_free(&imported->library);
}

/* Both files compile without an error; what the spec prints goes to `out`. */
static void compile(const struct imported *imported, struct buf *out) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const struct buf *parts[] = {&imported->spec, &imported->library};
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(gramc_add_source(compilation,
                                          i ? GRAMC_TEXT("library") : GRAMC_TEXT("spec"),
                                          parts[i]->ptr ? parts[i]->ptr : "", parts[i]->len),
                         GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    assert_int_equal(gramc_emit(spec, NULL, GRAMC_TEXT("json-schema"), buf_writer(out)), GRAMC_OK);
    gramc_compilation_free(compilation);
}

/* ## Chains */

enum { TYPES = 3000 };

/* T0 has a T1 that has a T2...; `cyclic`: the last has a T0. */
static void put_chain(struct buf *out, bool cyclic) {
    buf_puts(out, "{\"name\":\"t\",\"description\":\"d\",\"parameters\":{\"type\":\"object\","
                  "\"properties\":{\"x\":{\"$ref\":\"#/$defs/T0\"}},\"$defs\":{");
    for (int i = 0; i < TYPES; i++)
        buf_printf(out,
                   "%s\"T%d\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},"
                   "\"b\":{\"$ref\":\"#/$defs/T%d\"}}}",
                   i ? "," : "", i, i + 1 < TYPES || !cyclic ? i + 1 : 0);
    if (!cyclic) buf_printf(out, ",\"T%d\":{\"type\":\"null\"}", TYPES);
    buf_puts(out, "}}}");
}

static void long_chains(void **state) {
    (void)state;
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        struct imported imported;
        struct buf text, out;
        struct arena arena;
        arena_init(&arena, NULL);
        buf_init(&text, NULL, 1 << 24);
        buf_init(&out, NULL, 1 << 28);
        put_chain(&text, cyclic);
        assert_int_equal(import(&imported, buf_view(&text), NULL), GRAMC_OK);
        assert_int_equal(imported.warnings, 0);
        compile(&imported, &out);
        assert_non_null(json_parse(&arena, buf_view(&out), NULL));
        imported_free(&imported);
        buf_free(&text);
        buf_free(&out);
        arena_free(&arena);
    }
}

/* ## YAML */

static void expect_json(const char *yaml, const char *json) {
    struct arena arena;
    struct yaml *tree;
    struct yaml_error error;
    struct buf out;
    arena_init(&arena, NULL);
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(yaml_read_within(&tree, &arena, text_of(yaml), &yaml_large, &error), GRAMC_OK);
    const struct json *value = yaml_json(&arena, tree, &yaml_large, &error);
    assert_non_null(value);
    json_put(&out, value);
    assert_string_equal(out.ptr, json);
    buf_free(&out);
    arena_free(&arena);
}

static void yaml_scalars(void **state) {
    (void)state;
    expect_json("[null, ~, Null, '~', x]", "[null,null,null,\"~\",\"x\"]");
    expect_json("[true, FALSE, yes, 'true']", "[true,false,\"yes\",\"true\"]");
    expect_json("[0, -1, +2, 007, 0x1F, 0o17, 12e3, .5, 1., -.25E-2, 1.50]",
                "[0,-1,2,7,31,15,12e3,0.5,1,-0.25E-2,1.50]");
    expect_json(
        "[.inf, -.INF, .nan, 1_000, 0b1, 0x, 1e, ., -, 2026-01-01, 12:30, 0xfffffffffffffffff]",
        "[\".inf\",\"-.INF\",\".nan\",\"1_000\",\"0b1\",\"0x\",\"1e\",\".\",\"-\","
        "\"2026-01-01\",\"12:30\",\"0xfffffffffffffffff\"]");
    expect_json("{200: a, true: b}", "{\"200\":\"a\",\"true\":\"b\"}");
}

static void yaml_texts(void **state) {
    (void)state;
    expect_json("a: |\n  two\n  lines\nb: >\n  one\n  line\n",
                "{\"a\":\"two\\nlines\\n\",\"b\":\"one line\\n\"}");
    expect_json("a: \"\\u00e4\\t\"\n", "{\"a\":\"\xC3\xA4\\t\"}");
}

static void yaml_merges(void **state) {
    (void)state;
    expect_json("base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3, z: 4}\n",
                "{\"base\":{\"x\":1,\"y\":2},\"use\":{\"y\":3,\"z\":4,\"x\":1}}");
    expect_json("a: &a [1]\nb: [*a, *a]\n", "{\"a\":[1],\"b\":[[1],[1]]}");
}

/* What aliases stand for is copied, but not without end. */
static void yaml_bombs(void **state) {
    struct arena arena;
    struct yaml *tree;
    struct yaml_error error;
    struct buf text;
    (void)state;
    arena_init(&arena, NULL);
    buf_init(&text, NULL, 1 << 20);
    buf_puts(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
        buf_printf(&text, "a%d: &a%d [", i, i);
        for (int n = 0; n < 10; n++) buf_printf(&text, "%s*a%d", n ? ", " : "", i - 1);
        buf_puts(&text, "]\n");
    }
    assert_int_equal(yaml_read_within(&tree, &arena, buf_view(&text), &yaml_large, &error),
                     GRAMC_OK);
    assert_null(yaml_json(&arena, tree, &yaml_large, &error));
    assert_false(arena.oom);
    assert_string_equal(error.message, "more than 4000000 nodes");
    buf_free(&text);
    arena_free(&arena);
}

/* A list of lists, and text in the innermost. Each level is described once, or ninety of them take
 * longer than anybody waits; the innermost stays JSON where they are a hundred with the tool's. */
static void i10_e3_nested_lists(void **state) {
    enum { DEEPEST_LIST = 98 };
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct imported imported;
        struct buf text;
        buf_init(&text, NULL, 1 << 16);
        buf_puts(&text, "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":"
                        "\"object\",\"properties\":{\"a\":");
        for (size_t i = 0; i < DEEPEST_LIST + more; i++)
            buf_puts(&text, "{\"type\":\"array\",\"items\":");
        buf_puts(&text, "{\"type\":\"string\"}");
        for (size_t i = 0; i < DEEPEST_LIST + more; i++) buf_putc(&text, '}');
        buf_puts(&text, "}}}");
        assert_int_equal(import(&imported, buf_view(&text), NULL), GRAMC_OK);
        buf_putc(&imported.spec, '\0');
        bool is_raw = strstr(imported.spec.ptr, "schema: json`{\"type\":\"string\"}`") != NULL;
        assert_int_equal(is_raw, more);
        imported_free(&imported);
        buf_free(&text);
    }
}

/* ## Spec and library */

static const char shop[] =
    "openapi: 3.0.3\n"
    "servers: [{url: 'https://{r}.example.com/{v}', variables: {r: {default: eu}}}]\n"
    "paths:\n"
    "  /a/{id}/${x}:\n"
    "    parameters: [{name: id, in: path, schema: {type: string}}]\n"
    "    post:\n"
    "      operationId: a;b;c\n"
    "      parameters:\n"
    "        - {name: q, in: query, schema: {$ref: '#/components/schemas/S'}}\n"
    "        - {name: X-H, in: header, schema: {type: string, nullable: true}}\n"
    "        - {name: c, in: cookie, schema: {type: string}}\n"
    "      requestBody:\n"
    "        content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}\n"
    "components: {schemas: {S: {allOf: [{type: object, properties: {k: {type: string}}}]}}}\n";

static void spec_and_library(void **state) {
    struct imported imported;
    struct buf out;
    (void)state;
    buf_init(&out, NULL, 1 << 20);
    assert_int_equal(import(&imported, TEXT(shop), NULL), GRAMC_OK);
    compile(&imported, &out);
    static const char *const wanted[] = {"https://eu.example.com//a/${id}/$${x}?q=${q}",
                                         "X-H: \"${X-H}\"", "Cookie: \"c=${c}\"",
                                         "{\\\"k\\\":${k}}"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(imported.library.ptr, wanted[i]))
            fail_msg("no %s in %s", wanted[i], imported.library.ptr);
    imported_free(&imported);
    buf_free(&out);
}

static void memory_runs_out(void **state) {
    bool passed = false;
    (void)state;
    for (long n = 1; !passed; n += n < 100 ? 1 : 7) {
        struct failing failing = {.fail_at = n};
        struct imported imported;
        gramc_allocator allocator = test_failing(&failing);
        gramc_status status = import(&imported, TEXT(shop), &allocator);
        assert_true(status == GRAMC_OK || status == GRAMC_NOMEM);
        passed = !failing.failed;
        assert_int_equal(failing.live, 0);
        imported_free(&imported);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_chains),      cmocka_unit_test(yaml_scalars),
        cmocka_unit_test(yaml_texts),       cmocka_unit_test(yaml_merges),
        cmocka_unit_test(yaml_bombs),       cmocka_unit_test(i10_e3_nested_lists),
        cmocka_unit_test(spec_and_library), cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
