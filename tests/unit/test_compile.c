/* Specs to schemas: the calculator against the seed's trace, names that tools share, 10,000 tools,
 * fingerprints, and the property that every emitted schema is one and accepts its own defaults,
 * enum members and examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json/json.h"
#include "base/text.h"
#include "gramc/compile.h"

/* ## Help */

struct compiled {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    struct buf out;
};

static gramc_status compile(struct compiled *c, const char *text, const char *target) {
    assert_int_equal(gramc_compilation_new(&c->compilation, NULL), GRAMC_OK);
    buf_init(&c->out, NULL, 1 << 28);
    gramc_status status = gramc_add_source(c->compilation, GRAMC_TEXT("t"), text, strlen(text));
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    status = gramc_compile(&c->spec, c->compilation);
    if (status == GRAMC_OK && target) {
        const gramc_agent *agent = NULL;
        (void)!gramc_spec_find_agent(&agent, c->spec, (gramc_text){NULL, 0});
        assert_int_equal(gramc_emit(c->spec, agent, text_of(target), buf_writer(&c->out)),
                         GRAMC_OK);
    }
    return status;
}

static void forget(struct compiled *c) {
    buf_free(&c->out);
    gramc_compilation_free(c->compilation);
}

static char *read_file(const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static const char *source_dir(void) {
    const char *dir = getenv("GRAMC_SOURCE_DIR");
    return dir ? dir : ".";
}

/* ## The calculator */

static const char calculator_functions[] =
    "[{\"name\":\"stringLength\",\"description\":\"Calculates the length of a string\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"}},"
    "\"required\":[\"s\"]}},{\"name\":\"add\",\"description\":\"Calculates the sum of two "
    "numbers\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
    "\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"]}},{\"name\":\"sqrt\","
    "\"description\":\"Calculates the square root of a number\",\"parameters\":{\"type\":"
    "\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}},\"required\":[\"x\"]}}]";

static void calculator_gives_the_functions_of_its_trace(void **state) {
    struct arena arena;
    struct compiled c;
    (void)state;
    arena_init(&arena, NULL);
    char *spec = read_file(source_dir(), "specs/calculator.gram");
    assert_non_null(spec);
    assert_int_equal(compile(&c, spec, "openai-functions"), GRAMC_OK);
    const struct json *ours = json_parse(&arena, buf_view(&c.out), NULL);
    assert_non_null(ours);
    assert_true(json_equal(ours, json_parse(&arena, text_of(calculator_functions), NULL)));
    char *trace = read_file(source_dir(), "../shared/data/quarkus-trace/req1.json");
    if (trace) {
        const struct json *request = json_parse(&arena, text_of(trace), NULL);
        assert_true(json_equal(ours, json_get(request, "functions")));
    } else {
        print_message("skipped: the trace itself is not here; its shape was compared\n");
    }
    free(trace);
    free(spec);
    forget(&c);
    arena_free(&arena);
}

static void empty_lists_do_not_appear(void **state) {
    struct compiled c;
    (void)state;
    compile(&c, "[t:Tool {description: \"d\"} | ()==>(::Text)]", "openai-functions");
    assert_non_null(strstr(c.out.ptr, "\"parameters\":{\"type\":\"object\",\"properties\":{}}"));
    forget(&c);
    compile(&c, "[t:Tool {description: \"d\"} | (x::Int {optional: true})==>(::Text)]", "openai");
    assert_null(strstr(c.out.ptr, "required"));
    forget(&c);
}

/* ## Size */

static void ten_thousand_tools_compile(void **state) {
    struct compiled c;
    struct buf text;
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    buf_init(&text, NULL, 1 << 26);
    buf_puts(&text, "[big:Agent {description: \"many\"} |\n");
    for (int i = 0; i < 10000; i++)
        buf_printf(&text,
                   "%s[tool%d:Tool {description: \"Tool %d\"} | (query::Text)==>(limit::Int "
                   "{default: %d})==>(::Text)]",
                   i ? ",\n" : "", i, i, i);
    buf_puts(&text, "]\n");
    assert_int_equal(compile(&c, text.ptr, "openai"), GRAMC_OK);
    assert_int_equal(gramc_spec_tool_count(c.spec), 10000);
    const struct json *tools = json_parse(&arena, buf_view(&c.out), NULL);
    assert_non_null(tools);
    assert_int_equal(tools->count, 10000);
    forget(&c);
    buf_free(&text);
    arena_free(&arena);
}

/* An allocator that knows the most it ever gave. */
struct meter {
    size_t live, peak;
};

static void *metered(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct meter *meter = ctx;
    meter->live += new_size - (ptr ? old_size : 0);
    if (meter->live > meter->peak) meter->peak = meter->live;
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static void many_tools(struct buf *text) {
    buf_init(text, NULL, 1 << 26);
    for (int i = 0; i < 5000; i++)
        buf_printf(text,
                   "[tool%d:Tool {description: \"Looks up the orders that match the parameters\"} "
                   "|\n    (query::Text {description: \"What to look for\", minLength: 1})\n"
                   "    ==>(limit::Int {default: 10, min: 1, max: 100})\n"
                   "    ==>(tags::Array {items: Text, optional: true})==>(::String)]\n",
                   i);
}

static void compile_metered(struct buf *out, struct meter *meter, gramc_text text, bool forgets) {
    const gramc_allocator allocator = {metered, meter};
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    const gramc_spec *spec;
    options.allocator = &allocator;
    options.forget_trees = forgets;
    buf_init(out, NULL, 1 << 26);
    assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, GRAMC_TEXT("t"), text.ptr, text.len), GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    assert_int_equal(gramc_emit(spec, NULL, GRAMC_TEXT("openai"), buf_writer(out)), GRAMC_OK);
    gramc_compilation_free(compilation);
    assert_int_equal(meter->live, 0);
}

static void compiling_takes_less_than_eight_times_the_source(void **state) {
    struct meter forgetful = {0, 0}, other = {0, 0};
    struct buf text, outs[2];
    (void)state;
    many_tools(&text);
    compile_metered(&outs[0], &forgetful, buf_view(&text), true);
    compile_metered(&outs[1], &other, buf_view(&text), false);
    assert_true(forgetful.peak + text.len < 8 * text.len);
    assert_true(forgetful.peak < other.peak);
    assert_true(text_eq(buf_view(&outs[0]), buf_view(&outs[1])));
    for (int i = 0; i < 2; i++) buf_free(&outs[i]);
    buf_free(&text);
}

static int ignore(void *ctx, const char *bytes, size_t len) {
    (void)ctx, (void)bytes, (void)len;
    return 0;
}

static void forgotten_trees_are_compiled_once(void **state) {
    const gramc_writer nowhere = {ignore, NULL};
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *c;
    const gramc_spec *spec;
    (void)state;
    options.forget_trees = true;
    assert_int_equal(gramc_compilation_new(&c, &options), GRAMC_OK);
    const gramc_text text = TEXT("[t:Tool {description: \"d\"} | (x::Int)==>(::Text)]");
    assert_int_equal(gramc_add_source(c, GRAMC_TEXT("t"), text.ptr, text.len), GRAMC_OK);
    assert_int_equal(gramc_tree_print(c, GRAMC_TREE_TEXT, nowhere), GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, c), GRAMC_OK);
    assert_int_equal(gramc_tree_print(c, GRAMC_TREE_TEXT, nowhere), GRAMC_NOT_FOUND);
    assert_int_equal(gramc_compile(&spec, c), GRAMC_USAGE);
    assert_int_equal(gramc_compile_source(&spec, c, 0), GRAMC_USAGE);
    gramc_compilation_free(c);
}

/* ## Fingerprints */

static void fingerprint_of(const char *text, char out[65]) {
    struct compiled c;
    const gramc_agent *agent;
    assert_int_equal(compile(&c, text, NULL), GRAMC_OK);
    assert_int_equal(gramc_spec_find_agent(&agent, c.spec, (gramc_text){NULL, 0}), GRAMC_OK);
    assert_int_equal(gramc_agent_prepare(c.compilation, agent), GRAMC_OK);
    assert_int_equal(agent->fingerprint.len, 64);
    memcpy(out, agent->fingerprint.ptr, 65);
    forget(&c);
}

static void fingerprints_follow_meaning(void **state) {
    char base[65], other[65];
    (void)state;
    fingerprint_of("[a:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]", base);
    static const char *const same[] = {
        "// a comment\n[a:Agent\n|\n[t:Tool {description: 'd'} | (x:Int)-->(:Text)]]",
        "[a:Agent | t] [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]",
        ("[a:Agent | [t:Tool {description: \"d\"} | (x::Integer)==>(::String)]] "
         "[unused:Tool {description: \"u\"} | ()==>(::Text)]"),
        "[a:Agent {meta: {owner: \"me\"}} | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]"};
    static const char *const different[] = {
        "[a:Agent | [t:Tool {description: \"e\"} | (x::Int)==>(::Text)]]",
        "[a:Agent | [t:Tool {description: \"d\"} | (y::Int)==>(::Text)]]",
        "[a:Agent | [t:Tool {description: \"d\"} | (x::Double)==>(::Text)]]",
        "[a:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(::Int)]]",
        "[a:Agent {temperature: 0} | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]",
        "[b:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        fingerprint_of(same[i], other);
        assert_string_equal(base, other);
    }
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        fingerprint_of(different[i], other);
        assert_string_not_equal(base, other);
    }
}

static void library_fingerprint(const char *text, char out[65]) {
    struct compiled c;
    assert_int_equal(compile(&c, text, NULL), GRAMC_OK);
    assert_int_equal(gramc_spec_library_count(c.spec), 1);
    memcpy(out, gramc_spec_library(c.spec, 0)->fingerprint.ptr, 65);
    forget(&c);
}

static void libraries_that_differ_have_other_fingerprints(void **state) {
    char base[65], other[65];
    (void)state;
    library_fingerprint("[l:ToolLibrary | [t:ToolImpl {returns: \"x\"}]]", base);
    library_fingerprint("[l:ToolLibrary // same\n| [t:ToolImpl {returns: 'x'}]]", other);
    assert_string_equal(base, other);
    static const char *const different[] = {
        "[l:ToolLibrary | [t:ToolImpl {returns: \"y\"}]]",
        "[l:ToolLibrary | [t:ToolImpl {builtin: \"x\"}]]",
        "[l:ToolLibrary | [u:ToolImpl {returns: \"x\"}]]",
        "[l:ToolLibrary | [t:ToolImpl {returns: \"x\", timeout: 1s}]]",
        "[l:ToolLibrary | [t:ToolImpl {exec: [\"x\"]}]]",
        "[l:ToolLibrary | [t:ToolImpl {exec: [\"x\", \"\"]}]]"};
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        library_fingerprint(different[i], other);
        assert_string_not_equal(base, other);
    }
}

/* ## The property: schemas are schemas, and accept what they name */

static gramc_schema *schema_of(gramc_text json) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error = {0};
    gramc_schema *schema = NULL;
    options.assert_formats = true;
    gramc_status status = gramc_schema_compile(&schema, json.ptr, json.len, &options, &error);
    if (status != GRAMC_OK) print_error("%.*s: %s\n", (int)json.len, json.ptr, error.message);
    assert_int_equal(status, GRAMC_OK);
    return schema;
}

static void accepts_list(const gramc_schema *schema, gramc_text text, const struct json *list) {
    for (const struct json *item = list ? list->first : NULL; item; item = item->next)
        assert_true(gramc_schema_accepts(schema, text.ptr + item->start, item->end - item->start));
}

static void check_schema(gramc_text text, const struct json *value) {
    if (!json_is(value, JSON_OBJECT)) return;
    gramc_schema *schema = schema_of(text_slice(text, value->start, value->end));
    const struct json *fallback = json_get(value, "default");
    if (fallback && !json_is(fallback, JSON_NULL))
        assert_true(gramc_schema_accepts(schema, text.ptr + fallback->start,
                                         fallback->end - fallback->start));
    accepts_list(schema, text, json_get(value, "enum"));
    accepts_list(schema, text, json_get(value, "examples"));
    gramc_schema_free(schema);
    const struct json *properties = json_get(value, "properties");
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next)
        check_schema(text, p);
    check_schema(text, json_get(value, "items"));
}

static void emitted_schemas_are_schemas(void **state) {
    static const char spec[] =
        "[t:Tool {description: \"d\"} | (a::Text {enum: [\"x\", null], default: \"x\"})"
        "==>(b::Int {range: 1..5, default: 3, examples: [1, 5]})"
        "==>(c::Array {items: {type: Text, pattern: \"^a+$\"}, default: [\"aa\"], unique: true})"
        "==>(d::Object {open: false, fields: {x: {type: Double, above: 0, default: 1.0}}})"
        "==>(e::DateTime {default: \"2026-01-02T03:04:05Z\"})==>(f::Map {values: Bool})"
        "==>(g::Long {default: 9223372036854775807})==>(h::Character {default: \"\u00e9\"})"
        "==>(i::Text {nullable: true, const: \"k\"})==>(j::Any {schema: json`{\"type\":"
        " [\"string\", \"integer\"]}`})==>(::Object {fields: [{name: y, type: [Int]}]})]";
    struct arena arena;
    struct compiled c;
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(compile(&c, spec, "json-schema"), GRAMC_OK);
    const struct json *tools = json_parse(&arena, buf_view(&c.out), NULL);
    assert_non_null(tools);
    check_schema(buf_view(&c.out), json_get(tools->first, "parameters"));
    check_schema(buf_view(&c.out), json_get(tools->first, "result"));
    forget(&c);
    arena_free(&arena);
}

/* A value that the type refuses is an error, whatever the way to refuse it. */
static void misfits_are_errors(void **state) {
    static const char *const nodes[] = {
        "x::Int {default: 1.5}",
        "x::Long {default: 9223372036854775808}",
        "x::Byte {default: 128}",
        "x::Character {default: \"ab\"}",
        "x::Text {enum: [\"a\"], default: \"b\"}",
        "x::Text {pattern: \"^a$\", default: \"b\"}",
        "x::Date {default: \"2026-02-30\"}",
        "x::Array {items: Int, default: [1, \"2\"]}",
        "x::Array {items: Int, unique: true, default: [1, 1.0]}",
        "x::Object {fields: {a: Int}, default: {a: \"x\"}}",
        "x::Object {open: false, fields: {a: Int}, default: {a: 1, b: 2}}",
        "x::Map {values: Int, default: {a: \"x\"}}",
        "x::Double {multipleOf: 0.1, default: 0.25}",
        "x::Bool {default: 0}",
        "x::Object {fields: {inner: {type: Int, default: \"x\"}}}",
        "x::Int {min: 1, enum: [0, 1]}"};
    char text[512];
    struct compiled c;
    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(text, sizeof text, "[t:Tool {description: \"d\"} | (%s)==>(::Text)]", nodes[i]);
        if (compile(&c, text, NULL) != GRAMC_FINDINGS) print_error("accepted: %s\n", nodes[i]);
        assert_int_equal(gramc_finding_count(c.compilation, GRAMC_ERROR), 1);
        forget(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calculator_gives_the_functions_of_its_trace),
        cmocka_unit_test(empty_lists_do_not_appear),
        cmocka_unit_test(ten_thousand_tools_compile),
        cmocka_unit_test(compiling_takes_less_than_eight_times_the_source),
        cmocka_unit_test(forgotten_trees_are_compiled_once),
        cmocka_unit_test(fingerprints_follow_meaning),
        cmocka_unit_test(libraries_that_differ_have_other_fingerprints),
        cmocka_unit_test(emitted_schemas_are_schemas),
        cmocka_unit_test(misfits_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
