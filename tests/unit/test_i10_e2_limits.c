/* Stated limits of what is read (base/limits.def): each at the limit and one past it. What brackets
 * and JSON may nest is in test_parse.c and test_json.c, what providers count in test_limits.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/json/sink.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/yaml/yaml.h"
#include "grammar/radix.h"
#include "gramc/compile.h"
#include "gramc/jolt.h"
#include "gramc/schema.h"
#include "tests/failing.h"
#include "tests/stated.h"

static void put_times(struct buf *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) buf_puts(out, text);
    assert_int_equal(buf_status(out), GRAMC_OK);
}

static void digits(void **state) {
    (void)state;
    STATED(RADIX_MOST_DIGITS, 20000, "it is refused");
    for (size_t more = 0; more < 2; more++) {
        struct buf text, out;
        buf_init(&text, NULL, 1 << 20);
        buf_init(&out, NULL, 1 << 20);
        put_times(&text, "7", RADIX_MOST_DIGITS + more);
        radix_put_decimal(&out, buf_view(&text), 8);
        assert_int_equal(buf_status(&out), more ? GRAMC_LIMIT : GRAMC_OK);
        buf_free(&text);
        buf_free(&out);
    }
}

static gramc_status compile_schema(struct buf *text, bool formats, gramc_schema **out) {
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_json_error error;
    options.assert_formats = formats;
    return gramc_schema_compile(out, text->ptr, text->len, &options, &error);
}

/* true inside so many `not` */
static void chain(void **state) {
    (void)state;
    STATED(SCHEMA_CHAIN_MAX, 256, "larger than a limit");
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        gramc_schema *schema = NULL;
        buf_init(&text, NULL, 1 << 20);
        put_times(&text, "{\"not\":", SCHEMA_CHAIN_MAX + more);
        buf_puts(&text, "true");
        put_times(&text, "}", SCHEMA_CHAIN_MAX + more);
        assert_int_equal(compile_schema(&text, false, &schema), more ? GRAMC_LIMIT : GRAMC_OK);
        gramc_schema_free(schema);
        buf_free(&text);
    }
}

static void schema_bytes(void **state) {
    (void)state;
    STATED(SCHEMA_BYTES_MAX, 16 << 20, "larger than a limit");
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        gramc_schema *schema = NULL;
        buf_init(&text, NULL, SCHEMA_BYTES_MAX + 10);
        put_times(&text, " ", SCHEMA_BYTES_MAX + more - 4);
        buf_puts(&text, "true");
        assert_int_equal(compile_schema(&text, false, &schema), more ? GRAMC_LIMIT : GRAMC_OK);
        gramc_schema_free(schema);
        buf_free(&text);
    }
}

static bool is_host(const char *format, gramc_text name) {
    struct buf schema, value;
    gramc_schema *compiled = NULL;
    buf_init(&schema, NULL, 1000);
    buf_init(&value, NULL, 10000);
    buf_printf(&schema, "{\"format\":\"%s\"}", format);
    buf_printf(&value, "\"%.*s\"", TEXT_ARGS(name));
    assert_int_equal(compile_schema(&schema, true, &compiled), GRAMC_OK);
    bool accepts = gramc_schema_accepts(compiled, value.ptr, value.len);
    gramc_schema_free(compiled);
    buf_free(&schema);
    buf_free(&value);
    return accepts;
}

static void host_names(void **state) {
    static const char *const formats[] = {"hostname", "idn-hostname"};
    (void)state;
    STATED(HOST_LABEL_MAX, 63, "it is no host name");
    STATED(HOST_NAME_MAX_BYTES, 253, "it is no host name");
    for (size_t i = 0; i < 2; i++)
        for (size_t more = 0; more < 2; more++) {
            struct buf name;
            buf_init(&name, NULL, 10000);
            put_times(&name, "a", HOST_LABEL_MAX + more);
            assert_int_equal(is_host(formats[i], buf_view(&name)), !more);
            /* Labels of one letter and their dots; the last has two where the number is even. */
            buf_reset(&name);
            put_times(&name, "a.", (HOST_NAME_MAX_BYTES + more - 1) / 2);
            buf_puts(&name, (HOST_NAME_MAX_BYTES + more) % 2 ? "b" : "bb");
            if (name.len > HOST_NAME_MAX_BYTES + more) name.len = HOST_NAME_MAX_BYTES + more;
            assert_int_equal(name.len, HOST_NAME_MAX_BYTES + more);
            assert_int_equal(is_host(formats[i], buf_view(&name)), !more);
            buf_free(&name);
        }
}

/* A label is as long as what is asked of a name server: xn--, the letters a, a dash, and what says
 * where the other letter stands, in three letters here. */
static void encoded_labels(void **state) {
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf name;
        buf_init(&name, NULL, 1000);
        buf_puts(&name, "\xC3\xBC");
        put_times(&name, "a", HOST_LABEL_MAX + more - strlen("xn--") - strlen("-") - 3);
        assert_int_equal(is_host("idn-hostname", buf_view(&name)), !more);
        buf_free(&name);
    }
}

/* ## Sources */

/* Nothing of the text is looked at: there is no memory for that. One more byte is refused before.
 */
static void one_file(void **state) {
    struct failing failing = {.persistent = true};
    const gramc_allocator allocator = test_failing(&failing);
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_compilation *compilation;
    (void)state;
    STATED(SOURCE_MAX, 2147483646, "the file is refused");
    options.allocator = &allocator;
    assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
    failing.fail_at = failing.count + 1;
    for (size_t more = 0; more < 2; more++) {
        gramc_status expected = more ? GRAMC_LIMIT : GRAMC_NOMEM;
        const size_t length = (size_t)SOURCE_MAX + more;
        assert_int_equal(gramc_add_configuration(compilation, TEXT("gramc.gram"), "", length),
                         expected);
        assert_int_equal(gramc_add_source(compilation, TEXT("a.gram"), "", length), expected);
    }
    gramc_compilation_free(compilation);
    assert_int_equal(failing.live, 0);
}

static int find_long(void *ctx, gramc_text path, gramc_text *name, gramc_text *text) {
    (void)path;
    *name = TEXT("gramc.gram");
    *text = (gramc_text){"", *(size_t *)ctx};
    return 0;
}

/* The same of a configuration that is asked for with a source. */
static void one_configuration(void **state) {
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct failing failing = {.persistent = true};
        const gramc_allocator allocator = test_failing(&failing);
        size_t length = (size_t)SOURCE_MAX + more;
        gramc_options options = GRAMC_OPTIONS_INIT;
        gramc_compilation *compilation;
        options.allocator = &allocator;
        options.configurer = (gramc_configurer){find_long, &length};
        assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
        failing.fail_at = failing.count + 1;
        assert_int_equal(gramc_add_source(compilation, TEXT("a.gram"), "", 0),
                         more ? GRAMC_LIMIT : GRAMC_NOMEM);
        gramc_compilation_free(compilation);
    }
}

static int write_nowhere(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    (void)bytes;
    (void)len;
    return 0;
}

/* And of a document that was validated. */
static void one_document(void **state) {
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        const gramc_evaluated evaluated = {.name = TEXT("a.json"),
                                           .text = {"", (size_t)SOURCE_MAX + more}};
        assert_int_equal(gramc_verdicts_print(&evaluated, 1, GRAMC_REPORT_TEXT, NULL,
                                              (gramc_writer){write_nowhere, NULL}),
                         more ? GRAMC_LIMIT : GRAMC_OK);
    }
}

/* ## Depth of what is no text of JSON; test_json.c has the text */

static void sink_depth(void **state) {
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct json_sink sink;
        struct arena arena;
        arena_init(&arena, NULL);
        json_sink_init(&sink, NULL, &arena);
        for (size_t i = 0; i < JSON_MAX_DEPTH + more; i++) json_sink_open(&sink, JSON_ARRAY);
        for (size_t i = 0; i < JSON_MAX_DEPTH + more; i++) json_sink_close(&sink, JSON_ARRAY);
        assert_int_equal(json_sink_document(&sink) == NULL, more);
        arena_free(&arena);
    }
}

/* Lists within each other by their names. The map, and the text at the bottom, are levels too. */
static void yaml_depth(void **state) {
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct yaml_error error;
        struct arena arena;
        struct yaml *root;
        struct buf text;
        arena_init(&arena, NULL);
        buf_init(&text, NULL, 1 << 20);
        buf_puts(&text, "l1: &l1 [x]\n");
        for (size_t i = 2; i <= JSON_MAX_DEPTH - 2 + more; i++)
            buf_printf(&text, "l%zu: &l%zu [*l%zu]\n", i, i, i - 1);
        assert_int_equal(yaml_read_within(&root, &arena, buf_view(&text), &yaml_large, &error),
                         GRAMC_OK);
        bool refused = yaml_json(&arena, root, &yaml_large, &error) == NULL;
        assert_int_equal(refused, more);
        if (refused) assert_string_equal(error.message, "nested deeper than 1000 levels");
        arena_free(&arena);
        buf_free(&text);
    }
}

static bool accepts_nested(const gramc_schema *schema, const char *open, const char *close,
                           size_t times) {
    struct buf value;
    buf_init(&value, NULL, 1 << 20);
    put_times(&value, open, times - 1);
    buf_puts(&value, close[0] == ']' ? "[]" : "{}");
    put_times(&value, close, times - 1);
    bool accepts = gramc_schema_accepts(schema, value.ptr, value.len);
    buf_free(&value);
    return accepts;
}

/* Lists, maps, and maps of so many known members that they are looked up otherwise. */
static void instance_depth(void **state) {
    struct buf many;
    (void)state;
    buf_init(&many, NULL, 1 << 16);
    buf_puts(&many, "{\"properties\":{\"a\":{\"$ref\":\"#\"}");
    for (int i = 0; i < 100; i++) buf_printf(&many, ",\"m%d\":{\"type\":\"string\"}", i);
    buf_puts(&many, "}}");
    buf_putc(&many, '\0');
    const char *const schemas[][3] = {{"{\"items\":{\"$ref\":\"#\"}}", "[", "]"},
                                      {"{\"properties\":{\"a\":{\"$ref\":\"#\"}}}", "{\"a\":", "}"},
                                      {many.ptr, "{\"a\":", "}"}};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        struct buf text;
        gramc_schema *schema = NULL;
        buf_init(&text, NULL, 1 << 16);
        buf_puts(&text, schemas[i][0]);
        assert_int_equal(compile_schema(&text, false, &schema), GRAMC_OK);
        assert_true(accepts_nested(schema, schemas[i][1], schemas[i][2], JSON_MAX_DEPTH));
        assert_false(accepts_nested(schema, schemas[i][1], schemas[i][2], JSON_MAX_DEPTH + 1));
        gramc_schema_free(schema);
        buf_free(&text);
    }
    buf_free(&many);
}

/* Each file that is asked for is there, and holds the same tool. */
static int read_any(void *ctx, gramc_text path, gramc_text *out) {
    (void)ctx;
    (void)path;
    *out = TEXT("[t:Tool {description: \"d\"} | ()==>(::Text)]");
    return 0;
}

/* The file that imports the others is one of them. */
static void files(void **state) {
    (void)state;
    STATED(COMPILATION_FILES_MAX, 10000, "the import cannot be read");
    for (size_t more = 0; more < 2; more++) {
        gramc_options options = GRAMC_OPTIONS_INIT;
        gramc_compilation *compilation;
        const gramc_spec *spec;
        gramc_finding finding;
        struct buf text;
        size_t unreadable = 0;
        options.reader.read = read_any;
        buf_init(&text, NULL, 1 << 20);
        buf_puts(&text, "{imports: [\"0\"");
        for (size_t i = 1; i < COMPILATION_FILES_MAX - 1 + more; i++)
            buf_printf(&text, ", \"%zu\"", i);
        buf_puts(&text, "]}");
        buf_putc(&text, '\0');
        assert_int_equal(gramc_compilation_new(&compilation, &options), GRAMC_OK);
        assert_int_equal(gramc_add_source(compilation, TEXT("a.gram"), text.ptr, text.len - 1),
                         GRAMC_OK);
        assert_int_equal(gramc_compile(&spec, compilation), more ? GRAMC_FINDINGS : GRAMC_OK);
        for (size_t i = 0; gramc_finding_get(compilation, i, &finding); i++) {
            if (strcmp(finding.code, "G0233") != 0) continue;
            unreadable++;
            assert_true(text_is(finding.message, "the file `9999` cannot be read"));
            assert_true(
                text_is(finding.help, "gramc takes 10000 files at once, each smaller than 2 GiB"));
        }
        assert_int_equal(unreadable, more);
        gramc_compilation_free(compilation);
        buf_free(&text);
    }
}

/* What a spec does not say; test_i10_e2_runtime.c and test_i10_e2_programs.c count it. */
static void defaults(void **state) {
    static const char text[] = "[a:Agent {description: \"d\", strategy: evaluated} |\n"
                               "  [t:Tool {description: \"d\"} | ()==>(::Text)]]\n";
    gramc_compilation *compilation;
    const gramc_spec *spec;
    (void)state;
    STATED(DEFAULT_ROUNDS, 5, "the strategy ends");
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(compilation, TEXT("a.gram"), text, sizeof text - 1),
                     GRAMC_OK);
    assert_int_equal(gramc_compile(&spec, compilation), GRAMC_OK);
    const gramc_agent *agent = gramc_spec_agent(spec, 0);
    assert_int_equal(agent->max_rounds, DEFAULT_ROUNDS);
    assert_int_equal(agent->max_iterations, DEFAULT_ITERATIONS);
    assert_int_equal(agent->tools[0]->max_call_errors, DEFAULT_ERRORS);
    assert_int_equal(agent->tools[0]->max_tool_errors, DEFAULT_ERRORS);
    assert_int_equal(agent->tools[0]->timeout_ms, DEFAULT_TOOL_TIMEOUT_MS);
    gramc_compilation_free(compilation);
}

/* ## JOLT */

static gramc_status transform(const char *spec, gramc_text input, char *out, size_t size) {
    gramc_jolt_options options = GRAMC_JOLT_OPTIONS_INIT;
    gramc_jolt *jolt = NULL;
    struct buf result;
    buf_init(&result, NULL, 1 << 20);
    gramc_writer writer = buf_writer(&result);
    assert_int_equal(gramc_jolt_compile(&jolt, text_of(spec), NULL, NULL), GRAMC_OK);
    gramc_status status = gramc_jolt_apply(jolt, input, &options, writer, NULL);
    if (out) snprintf(out, size, "%.*s", TEXT_ARGS(buf_view(&result)));
    gramc_jolt_free(jolt);
    buf_free(&result);
    return status;
}

static void jolt_depth(void **state) {
    (void)state;
    STATED(JOLT_TREE_DEPTH, 1000, "larger than a limit");
    for (size_t more = 0; more < 2; more++) {
        struct buf input;
        buf_init(&input, NULL, 1 << 20);
        buf_puts(&input, "{\"x\":");
        put_times(&input, "[", JOLT_TREE_DEPTH - 2 + more);
        put_times(&input, "]", JOLT_TREE_DEPTH - 2 + more);
        buf_puts(&input, "}");
        gramc_status status = transform("[{\"operation\":\"shift\",\"spec\":{\"x\":\"a.b\"}}]",
                                        buf_view(&input), NULL, 0);
        assert_int_equal(status, more ? GRAMC_LIMIT : GRAMC_OK);
        buf_free(&input);
    }
}

static void jolt_pad(void **state) {
    (void)state;
    STATED(JOLT_WIDEST_PAD, 500, "the function does not apply");
    for (int more = 0; more < 2; more++) {
        char spec[256], out[2 * JOLT_WIDEST_PAD];
        snprintf(spec, sizeof spec,
                 "[{\"operation\":\"modify-overwrite-beta\",\"spec\":{\"x\":\"=leftPad(@(1,x), %d, "
                 "'*')\"}}]",
                 JOLT_WIDEST_PAD + more);
        assert_int_equal(transform(spec, TEXT("{\"x\":\"y\"}"), out, sizeof out), GRAMC_OK);
        assert_int_equal(strlen(out),
                         more ? strlen("{\"x\":\"y\"}") : strlen("{\"x\":\"\"}") + JOLT_WIDEST_PAD);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_file),       cmocka_unit_test(one_configuration),
        cmocka_unit_test(one_document),   cmocka_unit_test(sink_depth),
        cmocka_unit_test(instance_depth), cmocka_unit_test(yaml_depth),
        cmocka_unit_test(files),          cmocka_unit_test(defaults),
        cmocka_unit_test(digits),         cmocka_unit_test(chain),
        cmocka_unit_test(schema_bytes),   cmocka_unit_test(host_names),
        cmocka_unit_test(encoded_labels), cmocka_unit_test(jolt_depth),
        cmocka_unit_test(jolt_pad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
