/* The provider targets: every schema that they print is one and accepts the calls that the spec
 * accepts, names go there and back and never meet, and no spec makes them slow. */
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
#include "base/json/edit.h"
#include "base/text.h"
#include "compiler/emit/wire_names.h"
#include "gramc/compile.h"

/* ## Help */

struct compiled {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    const gramc_agent *agent; /* NULL: there is none */
};

static void compile(struct compiled *c, gramc_text text) {
    assert_int_equal(gramc_compilation_new(&c->compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_add_source(c->compilation, TEXT("t"), text.ptr, text.len), GRAMC_OK);
    assert_int_equal(gramc_compile(&c->spec, c->compilation), GRAMC_OK);
    c->agent = gramc_spec_agent_count(c->spec) ? gramc_spec_agent(c->spec, 0) : NULL;
}

static struct buf emit(const struct compiled *c, const char *target) {
    struct buf out;
    buf_init(&out, NULL, 1 << 28);
    assert_int_equal(gramc_emit(c->spec, c->agent, text_of(target), buf_writer(&out)), GRAMC_OK);
    return out;
}

static struct buf read_source(const char *name) {
    struct buf out;
    char path[1024], chunk[4096];
    size_t got;
    snprintf(path, sizeof path, "%s/%s", getenv("GRAMC_SOURCE_DIR"), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    buf_init(&out, NULL, 1 << 20);
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) buf_put(&out, chunk, got);
    fclose(file);
    assert_int_equal(buf_status(&out), GRAMC_OK);
    return out;
}

static size_t count_findings(const struct compiled *c, const char *code) {
    gramc_finding finding;
    size_t count = 0;
    for (size_t i = 0; gramc_finding_get(c->compilation, i, &finding); i++)
        count += strcmp(finding.code, code) == 0;
    return count;
}

/* ## Schemas */

/* Where in a printed tool the schemas of parameters and results stand; gemini's is no JSON Schema.
 */
static const struct {
    const char *target, *tools, *parameters, *result;
} shapes[] = {
    {"json-schema", "", "/parameters", "/result"},
    {"openai", "", "/function/parameters", NULL},
    {"openai-functions", "", "/parameters", NULL},
    {"openai-strict", "", "/function/parameters", NULL},
    {"openai-responses", "", "/parameters", NULL},
    {"anthropic", "", "/input_schema", NULL},
    {"mcp", "/tools", "/inputSchema", "/outputSchema"},
    {"ollama", "", "/function/parameters", NULL},
};

/* Calls of tests/data/targets/rich.gram that leave nothing out, so that strict mode takes them. */
static const char *const calls[][2] = {
    {"0", "{\"a\":10,\"b\":3}"},
    {"1", "{}"},
    {"2", "{\"shape\":{\"kind\":\"circle\",\"radius\":0.5},\"at\":[1,2.5],\"fill\":\"red\","
          "\"when\":\"2026-01-01T00:00:00Z\",\"site\":\"https://x.y\",\"size\":4}"},
    {"2", "{\"shape\":{\"kind\":\"square\",\"side\":1},\"at\":[0,0],\"fill\":null,"
          "\"when\":\"2026-01-01T00:00:00Z\",\"site\":\"https://x.y\",\"size\":\"big\"}"},
    {"3", "{\"tree\":{\"value\":1,\"children\":[{\"value\":2,\"children\":[]}]},\"label\":null,"
          "\"box\":{\"street\":\"s\",\"city\":\"c\",\"zip\":\"12345\"},\"opt\":{\"name\":\"n\","
          "\"home\":{\"street\":\"s\",\"city\":\"c\",\"zip\":\"12345\"},\"tags\":[\"t\"]}}"},
    {"4", "{\"labels\":{},\"thing\":1,\"more\":{\"first name\":\"x\",\"a\":1}}"},
};

static gramc_schema *compile_schema(const struct json *schema, const char *where) {
    gramc_schema *compiled = NULL;
    gramc_json_error error;
    struct buf text;
    buf_init(&text, NULL, 1 << 24);
    json_put(&text, schema);
    assert_int_equal(buf_status(&text), GRAMC_OK);
    if (gramc_schema_compile(&compiled, text.ptr, text.len, NULL, &error) != GRAMC_OK)
        fail_msg("%s: %s: %.*s", where, error.message, TEXT_ARGS(buf_view(&text)));
    buf_free(&text);
    return compiled;
}

/* Properties that a target has renamed are given back their names first. */
static bool has_renamed(const char *call, const char *target) {
    return strcmp(target, "anthropic") == 0 && strstr(call, "first name");
}

static size_t evaluate_calls(const gramc_schema *schema, size_t tool, const char *target) {
    size_t evaluated = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *call = calls[i][1];
        if ((size_t)strtoul(calls[i][0], NULL, 10) != tool || has_renamed(call, target)) continue;
        if (!gramc_schema_accepts(schema, call, strlen(call)))
            fail_msg("%s: %s is not accepted", target, call);
        evaluated++;
    }
    return evaluated;
}

static size_t evaluate_tools(const struct compiled *c, size_t shape, bool rich) {
    const char *target = shapes[shape].target;
    struct buf out = emit(c, target);
    struct arena arena;
    size_t evaluated = 0, i = 0;
    arena_init(&arena, NULL);
    const struct json *document = json_parse(&arena, buf_view(&out), NULL);
    const struct json *tools = json_at(document, text_of(shapes[shape].tools));
    assert_true(json_is(tools, JSON_ARRAY));
    for (const struct json *tool = tools->first; tool; tool = tool->next, i++) {
        const struct json *parameters = json_at(tool, text_of(shapes[shape].parameters));
        assert_non_null(parameters);
        gramc_schema *schema = compile_schema(parameters, target);
        if (rich) evaluated += evaluate_calls(schema, i, target);
        gramc_schema_free(schema);
        const struct json *result =
            shapes[shape].result ? json_at(tool, text_of(shapes[shape].result)) : NULL;
        if (result) gramc_schema_free(compile_schema(result, target));
    }
    arena_free(&arena);
    buf_free(&out);
    return evaluated;
}

static void every_schema_is_one_and_accepts_the_calls(void **state) {
    static const char *const files[] = {"tests/data/targets/rich.gram", "specs/calculator.gram",
                                        "specs/hello_world.gram"};
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct buf text = read_source(files[f]);
        struct compiled c;
        compile(&c, buf_view(&text));
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            size_t evaluated = evaluate_tools(&c, i, f == 0);
            if (f == 0) assert_true(evaluated >= 5);
        }
        gramc_compilation_free(c.compilation);
        buf_free(&text);
    }
}

/* ## Names */

static void assert_wire(enum name_rule rule, const char *const *names, size_t count,
                        const char *const *expected) {
    struct arena arena;
    gramc_text own[8], wire[8];
    arena_init(&arena, NULL);
    for (size_t i = 0; i < count; i++) own[i] = text_of(names[i]);
    assert_true(wire_names_make(&arena, rule, own, count, wire));
    for (size_t i = 0; i < count; i++)
        if (!text_is(wire[i], expected[i]))
            fail_msg("%s became %.*s, not %s", names[i], TEXT_ARGS(wire[i]), expected[i]);
    arena_free(&arena);
}

static void names_are_narrowed(void **state) {
    static const char *const functions[] = {"add", "calc.add", "h\xC3\xA9llo", "a b", "a-b"};
    static const char *const as_functions[] = {"add", "calc_add", "h_llo", "a_b", "a-b"};
    static const char *const gemini[] = {"add", "1st", "a.b:c-d", "-x", "_x"};
    static const char *const as_gemini[] = {"add", "_1st", "a.b:c-d", "_-x", "_x"};
    static const char *const keys[] = {"a-b", "9", "x y", "ok_1"};
    static const char *const as_keys[] = {"a_b", "_9", "x_y", "ok_1"};
    (void)state;
    assert_wire(NAMES_FUNCTION, functions, 5, as_functions);
    assert_wire(NAMES_GEMINI, gemini, 5, as_gemini);
    assert_wire(NAMES_GEMINI_PARAMETER, keys, 4, as_keys);
    assert_wire(NAMES_ANY, functions, 5, functions);
}

/* Does not depend on the order, and gives way to names that look like a salted one. */
static void names_never_meet(void **state) {
    static const char *const names[] = {"calc.add",          "calc/add",          "calc_add",
                                        "calc_add_2359c70a", "calc_add_10109832", "calc.add"};
    static const size_t orders[][6] = {{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 0, 4, 1, 5, 3}};
    gramc_text reference[6] = {{NULL, 0}};
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL);
    for (size_t o = 0; o < 3; o++) {
        gramc_text own[6], wire[6];
        for (size_t i = 0; i < 6; i++) own[i] = text_of(names[orders[o][i]]);
        assert_true(wire_names_make(&arena, NAMES_FUNCTION, own, 6, wire));
        for (size_t i = 0; i < 6; i++) {
            gramc_text *before = &reference[orders[o][i]];
            if (o > 0) assert_true(text_eq(*before, wire[i]));
            *before = wire[i];
            for (size_t j = 0; j < i; j++)
                assert_int_equal(text_eq(own[i], own[j]), text_eq(wire[i], wire[j]));
        }
    }
    arena_free(&arena);
}

static void long_names_are_cut(void **state) {
    struct arena arena;
    char text[2][200];
    gramc_text own[2], wire[2];
    (void)state;
    arena_init(&arena, NULL);
    for (int i = 0; i < 2; i++) {
        memset(text[i], 'x', sizeof text[i]);
        text[i][199] = (char)('a' + i);
        own[i] = (gramc_text){text[i], 200};
    }
    assert_true(wire_names_make(&arena, NAMES_FUNCTION, own, 2, wire));
    assert_int_equal(wire[0].len, 64);
    assert_int_equal(wire[1].len, 64);
    assert_false(text_eq(wire[0], wire[1]));
    arena_free(&arena);
}

static void names_go_there_and_back(void **state) {
    struct buf text = read_source("tests/data/targets/rich.gram");
    struct compiled c;
    (void)state;
    compile(&c, buf_view(&text));
    for (size_t t = 0; gramc_target_name(t); t++) {
        gramc_text target = text_of(gramc_target_name(t));
        for (size_t i = 0; i < c.agent->tool_count; i++) {
            char wire[GRAMC_WIRE_NAME_SIZE];
            const gramc_tool *back;
            assert_int_equal(
                gramc_target_tool_name(c.spec, c.agent, c.agent->tools[i], target, wire), GRAMC_OK);
            assert_int_equal(gramc_target_find_tool(&back, c.spec, c.agent, target, text_of(wire)),
                             GRAMC_OK);
            assert_ptr_equal(back, c.agent->tools[i]);
        }
    }
    char wire[GRAMC_WIRE_NAME_SIZE];
    const gramc_tool *tool = c.agent->tools[0];
    assert_int_equal(gramc_target_tool_name(c.spec, c.agent, tool, TEXT("openai"), wire), GRAMC_OK);
    assert_string_equal(wire, "calc_add_2359c70a");
    assert_int_equal(gramc_target_tool_name(c.spec, c.agent, tool, TEXT("yaml"), wire),
                     GRAMC_USAGE);
    assert_int_equal(
        gramc_target_find_tool(&tool, c.spec, c.agent, TEXT("openai"), TEXT("calc.add")),
        GRAMC_NOT_FOUND);
    assert_null(tool);
    gramc_compilation_free(c.compilation);
    buf_free(&text);
}

/* ## Limits and hostile specs */

static void a_check_says_what_is_lost(void **state) {
    struct compiled c;
    (void)state;
    compile(&c, TEXT("[t:Tool {description: \"d\"} | (a::Int {min: 1, default: 2})==>(::Text)]"));
    assert_int_equal(gramc_target_check(c.compilation, NULL, TEXT("yaml")), GRAMC_USAGE);
    assert_int_equal(gramc_target_check(c.compilation, NULL, TEXT("json-schema")), GRAMC_OK);
    assert_int_equal(gramc_finding_count(c.compilation, GRAMC_NOTE), 0);
    assert_int_equal(gramc_target_check(c.compilation, NULL, TEXT("openai-strict")), GRAMC_OK);
    assert_int_equal(count_findings(&c, "G0801"), 1);
    assert_int_equal(count_findings(&c, "G0802"), 1);
    assert_int_equal(gramc_finding_count(c.compilation, GRAMC_WARNING), 0);
    gramc_compilation_free(c.compilation);
}

/* Types that all refer to each other would fill any memory if they were put in line. */
static void references_are_cut_in_time(void **state) {
    enum { TYPES = 30 };
    struct compiled c;
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    for (int i = 0; i < TYPES; i++) {
        buf_printf(&text, "[T%d:Object ", i);
        for (int j = 0; j < TYPES; j++)
            buf_printf(&text, "%s (f%d::T%d {optional: true})", j ? "," : "|", j, j);
        buf_puts(&text, "]\n");
    }
    buf_puts(&text, "[t:Tool {description: \"d\"} | (x::T0)==>(::Text)]");
    compile(&c, buf_view(&text));
    assert_int_equal(gramc_target_check(c.compilation, NULL, TEXT("gemini")), GRAMC_OK);
    assert_true(count_findings(&c, "G0806") > 0);
    struct buf out = emit(&c, "gemini");
    assert_true(out.len > 1000 && out.len < 64000000);
    buf_free(&out);
    out = emit(&c, "gbnf");
    assert_true(out.len > 1000 && out.len < 1000000);
    buf_free(&out);
    out = emit(&c, "regex");
    assert_true(out.len < 2000000);
    buf_free(&out);
    gramc_compilation_free(c.compilation);
    buf_free(&text);
}

static void deep_types_stay_within_the_stack(void **state) {
    enum { DEPTH = 400 };
    struct compiled c;
    struct buf text;
    (void)state;
    buf_init(&text, NULL, 1 << 20);
    buf_puts(&text, "[t:Tool {description: \"d\"} | (x::Array {items: ");
    for (int i = 0; i < DEPTH; i++) buf_putc(&text, '[');
    buf_puts(&text, "Text");
    for (int i = 0; i < DEPTH; i++) buf_putc(&text, ']');
    buf_puts(&text, "})==>(::Text)]");
    compile(&c, buf_view(&text));
    for (size_t i = 0; gramc_target_name(i); i++) {
        struct buf out = emit(&c, gramc_target_name(i));
        /* There is no grammar of that depth. */
        bool is_grammar =
            strstr(gramc_target_name(i), "gbnf") || strstr(gramc_target_name(i), "regex");
        assert_true(out.len > 20 || is_grammar);
        buf_free(&out);
        gramc_status status =
            gramc_target_check(c.compilation, NULL, text_of(gramc_target_name(i)));
        assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    }
    gramc_compilation_free(c.compilation);
    buf_free(&text);
}

/* ## Editing JSON */

static void documents_can_be_edited(void **state) {
    struct arena arena;
    struct buf out;
    (void)state;
    arena_init(&arena, NULL);
    buf_init(&out, NULL, 1000);
    const struct json *old = json_parse(&arena, TEXT("{\"a\":1,\"b\":[2],\"a\":3,\"c\":4}"), NULL);
    struct json *copy = json_copy_shallow(&arena, old);
    assert_int_equal(copy->count, 3);
    json_set(copy, TEXT("b"), json_new(&arena, JSON_NULL));
    json_set(copy, TEXT("d"), json_new_text(&arena, JSON_STRING, TEXT("x")));
    json_remove(copy, "c");
    json_remove(copy, "absent");
    assert_null(json_find(copy, "c"));
    json_put(&out, copy);
    assert_string_equal(out.ptr, "{\"a\":3,\"b\":null,\"d\":\"x\"}");
    buf_reset(&out);
    json_put(&out, old);
    assert_string_equal(out.ptr, "{\"a\":1,\"b\":[2],\"a\":3,\"c\":4}");
    buf_free(&out);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schema_is_one_and_accepts_the_calls),
        cmocka_unit_test(names_are_narrowed),
        cmocka_unit_test(names_never_meet),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(names_go_there_and_back),
        cmocka_unit_test(a_check_says_what_is_lost),
        cmocka_unit_test(references_are_cut_in_time),
        cmocka_unit_test(deep_types_stay_within_the_stack),
        cmocka_unit_test(documents_can_be_edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
