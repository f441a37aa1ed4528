/* Tests the reader of HTTP tool files: the whole format, schemas, ids, every kind of mistake with
 * its line and column, aliases, memory; and sentinel-ai's own file where it is present. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "gramc/schema.h"
#include "toolbox/toolbox.h"
#include "tests/printing/toolbox_text.h"
#include "base/yaml/yaml.h"
#include "tests/failing.h"

static struct toolbox *read_text(const char *text, gramc_status expected) {
    struct toolbox *box;
    gramc_status status = toolbox_read(&box, NULL, TEXT("t.yaml"), text_of(text), false);
    if (status != expected) {
        struct buf out;
        buf_init(&out, NULL, 1 << 20);
        if (box) toolbox_put_findings(&out, box);
        fail_msg("status %d: %s", (int)status, out.ptr ? out.ptr : "");
    }
    return box;
}

static void assert_text(gramc_text text, const char *expected) {
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

/* ## The format */

static const char whole[] =
    "# tools of a weather station\n"
    "station:\n"
    "  url: http://127.0.0.1:8080/api\n"
    "  tools:\n"
    "    - metadata:\n"
    "        name: getReading\n"
    "        description: Reads one sensor\n"
    "        parameters:\n"
    "          sensor: {description: Its name, type: STRING}\n"
    "          unit: {description: C or F, type: CHARACTER}\n"
    "      definition:\n"
    "        method: GET\n"
    "        path: {type: TEXT_SUBSTITUTOR, content: '/v1/${sensor}?unit=${unit}'}\n"
    "        headers:\n"
    "          Accept-Language: [{type: TEXT, content: de}, {type: TEXT, content: en}]\n"
    "      transformer:\n"
    "        type: JOLT\n"
    "        config: |\n"
    "          [{\"operation\": \"shift\", \"spec\": {\"v\": \"value\"}}]\n"
    "    - metadata:\n"
    "        name: add note\n"
    "        description: 'Writes a note'\n"
    "        parameters:\n"
    "          text: {description: What, type: STRING}\n"
    "          tags: {description: Words, type: STRING_ARRAY}\n"
    "      definition:\n"
    "        method: POST\n"
    "        path: {type: TEXT, content: /v1/notes}\n"
    "        body:\n"
    "          type: TEXT_SUBSTITUTOR\n"
    "          content: |\n"
    "            {\"text\": \"${text}\", \"tags\": ${tags}}\n"
    "other:\n"
    "  tools: []\n";

static void test_whole(void **state) {
    (void)state;
    struct toolbox *box = read_text(whole, GRAMC_OK);
    const struct toolbox_upstream *station = toolbox_upstream(box, TEXT("station"));
    assert_int_equal(box->tool_count, 2);
    assert_int_equal(box->warnings, 0);
    assert_text(station->url, "http://127.0.0.1:8080/api");
    assert_int_equal(toolbox_upstream(box, TEXT("other"))->tool_count, 0);
    assert_null(toolbox_upstream(box, TEXT("none")));
    const struct toolbox_tool *get = toolbox_tool(station, TEXT("getReading"));
    assert_ptr_equal(get, toolbox_tool(station, TEXT("station_get_reading")));
    assert_text(get->description, "Reads one sensor");
    assert_text(get->parameters,
                "{\"type\":\"object\",\"properties\":{\"sensor\":{\"type\":\"string\","
                "\"description\":\"Its name\"},\"unit\":{\"type\":\"string\","
                "\"minLength\":1,\"maxLength\":1,\"description\":\"C or "
                "F\"}},\"required\":[\"sensor\",\"unit\"],\"additionalProperties\":false}");
    assert_int_equal(get->call.method, METHOD_GET);
    assert_int_equal(get->call.header_count, 2);
    assert_false(get->call.has_body);
    assert_non_null(get->call.transform);
    const struct toolbox_tool *add = get->next;
    assert_text(add->id, "station_add_note");
    assert_true(add->call.has_body);
    assert_text(add->call.content_type, "application/json");
    assert_int_equal(add->line, 20);
    toolbox_free(box);
}

static void test_types(void **state) {
    static const char *const types[][2] = {
        {"STRING", "\"type\":\"string\""},
        {"BOOLEAN", "\"type\":\"boolean\""},
        {"INTEGER", "\"type\":\"integer\""},
        {"LONG", "\"type\":\"integer\""},
        {"FLOAT", "\"type\":\"number\""},
        {"DOUBLE", "\"type\":\"number\""},
        {"BYTE", "\"type\":\"integer\",\"minimum\":-128,\"maximum\":127"},
        {"SHORT", "\"type\":\"integer\",\"minimum\":-32768,\"maximum\":32767"},
        {"CHARACTER", "\"type\":\"string\",\"minLength\":1,\"maxLength\":1"},
        {"STRING_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"string\"}"},
        {"BOOLEAN_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"boolean\"}"},
        {"INTEGER_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"integer\"}"},
        {"LONG_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"integer\"}"},
        {"FLOAT_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"number\"}"},
        {"DOUBLE_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"number\"}"},
        {"BYTE_ARRAY",
         "\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":-128,\"maximum\":127}"},
        {"SHORT_ARRAY", "\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":-32768,"
                        "\"maximum\":32767}"},
        {"CHARACTER_ARRAY",
         "\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[1024], schema[512];
        snprintf(text, sizeof text,
                 "u:\n  tools:\n  - metadata: {name: t, description: d, parameters: {p: "
                 "{description: x, type: %s}}}\n    definition: {method: DELETE, path: {type: "
                 "TEXT_SUBSTITUTOR, content: '/${p}'}}\n",
                 types[i][0]);
        snprintf(schema, sizeof schema,
                 "{\"type\":\"object\",\"properties\":{\"p\":{%s,\"description\":\"x\"}},"
                 "\"required\":[\"p\"],\"additionalProperties\":false}",
                 types[i][1]);
        struct toolbox *box = read_text(text, GRAMC_OK);
        const struct toolbox_tool *tool = box->upstreams->tools;
        assert_text(tool->parameters, schema);
        gramc_schema *compiled;
        assert_int_equal(
            gramc_schema_compile(&compiled, tool->parameters.ptr, tool->parameters.len, NULL, NULL),
            GRAMC_OK);
        gramc_schema_free(compiled);
        toolbox_free(box);
    }
}

static void test_ids(void **state) {
    static const char *const ids[][3] = {
        {"test", "getName", "test_get_name"},
        {"test", "getWeatherForCity", "test_get_weather_for_city"},
        {"t", "version1Point2", "t_version1_point2"},
        {"t", "my tool-x", "t_my_tool_x"},
        {"t", "HTTPServer", "t_httpserver"},
        {"t", "a..b", "t_a__b"},
        {"http://127.0.0.1:8080", "getName", "http___127_0_0_1_8080_get_name"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct buf out;
        buf_init(&out, NULL, 1024);
        toolbox_put_id(&out, text_of(ids[i][0]), text_of(ids[i][1]));
        assert_string_equal(out.ptr, ids[i][2]);
        buf_free(&out);
    }
}

/* Names that fall together keep apart. */
static void test_same_ids(void **state) {
    static const char *const names[] = {"getName", "get_name", "get-name", "get name",
                                        "get_name_2"};
    char text[4096] = "u:\n  tools:\n";
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len,
                 "  - metadata: {name: %s, description: d}\n"
                 "    definition: {method: GET, path: {type: TEXT, content: /}}\n",
                 names[i]);
    }
    struct toolbox *box = read_text(text, GRAMC_OK);
    assert_int_equal(box->warnings, 4);
    const struct toolbox_tool *a = box->upstreams->tools;
    for (; a; a = a->next)
        for (const struct toolbox_tool *b = a->next; b; b = b->next)
            assert_false(text_eq(a->id, b->id));
    toolbox_free(box);
}

/* ## Mistakes */

/* `{}` stands for a tool that is fine; T( for the beginning of one. */
#define TOOL(metadata, definition)                                                                 \
    "u:\n  tools:\n  - metadata: " metadata "\n    definition: " definition "\n"
#define META "{name: t, description: d, parameters: {p: {description: x, type: STRING}}}"
#define GET_PATH(content) "{method: GET, path: {type: TEXT_SUBSTITUTOR, content: '" content "'}}"

static const struct {
    const char *text, *findings;
} mistakes[] = {
    {"", "t.yaml:1:1: error: the file is empty\n"},
    {"[a]", "t.yaml:1:1: error: the file is a map from upstreams to their tools\n"
            "  help: write `name:` and below it `tools:` with a list\n"},
    {"a: [", "t.yaml:2:1: error: did not find expected node content\n"},
    {"a: b: c", "t.yaml:1:5: error: mapping values are not allowed in this context\n"},
    {"u: {tools: []}\nu: {tools: []}\n", "t.yaml:2:1: error: this key stands here twice\n"},
    {"u: {tools: []}\n---\nv: 1\n", "t.yaml:2:1: error: a second document\n"},
    {"u: {}", "t.yaml:1:4: error: the upstream `u` has no `tools`\n"},
    {"u: 5", "t.yaml:1:4: error: the upstream `u` is a text here, and should be a map\n"},
    {"u: {tools: {}}", "t.yaml:1:12: error: `tools` is a map here, and should be a list\n"},
    {"u: {tols: []}", "t.yaml:1:5: error: there is no key `tols`; did you mean `tools`?\n"
                      "t.yaml:1:4: error: the upstream `u` has no `tools`\n"},
    {"u: {url: 'ftp://x', tools: []}",
     "t.yaml:1:10: error: a url begins with http:// or https://\n"},
    {"u: {url: 'http://a@b', tools: []}",
     "t.yaml:1:10: error: the url of an upstream is a scheme, a host and perhaps a path\n"},
    {"u: {tools: [x]}", "t.yaml:1:13: error: the tool is a text here, and should be a map\n"},
    {"u:\n  tools:\n  - metadata: {name: t}\n    template: {}\n",
     "t.yaml:4:5: error: there is no key `template`; did you mean `definition`?\n"
     "t.yaml:3:5: error: the tool has no `definition`\n"},
    {TOOL("{name: t}", GET_PATH("/")), "t.yaml:3:15: error: the metadata has no `description`\n"},
    {TOOL("{name: t, description: d, parameters: {p: {type: STRING}}}", GET_PATH("/${p}")),
     "t.yaml:3:57: error: the parameter `p` has no `description`\n"},
    {TOOL("{name: t, description: d, parameters: {p: {description: x, type: INT}}}",
          GET_PATH("/${p}")),
     "t.yaml:3:80: error: there is no parameter type `INT`; did you mean `INTEGER`?\n"},
    {TOOL("{name: t, description: d, parameters: {p: {description: x, type: string}}}",
          GET_PATH("/${p}")),
     "t.yaml:3:80: error: there is no parameter type `string`; did you mean `STRING`?\n"},
    {TOOL(META, "{method: get, path: {type: TEXT, content: /}}"),
     "t.yaml:4:26: error: there is no method `get`; did you mean `GET`?\n"},
    {TOOL(META, "{method: BREW, path: {type: TEXT, content: /}}"),
     "t.yaml:4:26: error: there is no method `BREW`\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT_SUBSTITUTION, content: '/${p}'}}"),
     "t.yaml:4:44: error: there is no template type `TEXT_SUBSTITUTION`; did you mean "
     "`TEXT_SUBSTITUTOR`?\n  help: there are TEXT and TEXT_SUBSTITUTOR\n"},
    {TOOL(META, "{method: GET, path: {type: HANDLEBARS, content: '/{{p}}'}}"),
     "t.yaml:4:44: error: there is no template type `HANDLEBARS`; did you mean "
     "`TEXT_SUBSTITUTOR`?\n  help: there are TEXT and TEXT_SUBSTITUTOR\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT}}"),
     "t.yaml:4:37: error: the path has no `content`\n"},
    {TOOL(META, GET_PATH("/${p}/${userName}")),
     "t.yaml:4:78: error: no parameter `userName` is declared\n"},
    {TOOL(META, GET_PATH("${p}")), "t.yaml:4:71: error: a path begins with /\n"},
    {TOOL(META, GET_PATH("/a b/${p}")),
     "t.yaml:4:71: error: a path holds no blanks and no line ends; write %20\n"},
    {TOOL(META, GET_PATH("/${p")), "t.yaml:4:73: error: `${` is never closed\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT, content: /x}}"),
     "t.yaml:3:54: warning: the parameter `p` is never used\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT, content: '/${p}'}}"),
     "t.yaml:4:59: warning: a TEXT is sent as it is, with its ${...}\n"
     "  help: TEXT_SUBSTITUTOR fills in parameters\n"
     "t.yaml:3:54: warning: the parameter `p` is never used\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT_SUBSTITUTOR, content: '/${p}'}, body: {type: "
                "TEXT, content: x}}"),
     "t.yaml:4:87: warning: a GET has no body; this one is not sent\n"},
    {TOOL(META, "{method: POST, path: {type: TEXT, content: /}, body: {type: TEXT_SUBSTITUTOR, "
                "content: '{\"a\": ${p}'}}"),
     "t.yaml:4:104: error: the body is no JSON: '{' is never closed\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT_SUBSTITUTOR, content: '/${p}'}, headers: {'X Y': "
                "[]}}"),
     "t.yaml:4:91: error: `X Y` is no header name\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT_SUBSTITUTOR, content: '/${p}'}, headers: {host: "
                "[]}}"),
     "t.yaml:4:91: error: `host` is set by gramc itself\n"},
    {TOOL(META, "{method: GET, path: {type: TEXT_SUBSTITUTOR, content: '/${p}'}, headers: {X: "
                "abc}}"),
     "t.yaml:4:94: error: the values of a header are a list of templates\n"},
    {TOOL(META, GET_PATH("/${p}")) "    transformer: {type: XSLT, config: ''}\n",
     "t.yaml:5:25: error: there is no transformer `XSLT`; did you mean `JOLT`?\n"},
    {TOOL(META, GET_PATH("/${p}")) "    transformer: {type: JOLT, config: '[{\"operation\": "
                                   "\"shift\", \"spec\": {\"a\": 5}}]'}\n",
     "t.yaml:5:39: error: shift writes to a path, a list of paths, or null (at \"/0/spec/a\" of "
     "the config)\n"},
    {TOOL(META, GET_PATH("/${p}")) "  - metadata: {name: t, description: d}\n    definition: "
                                   "{method: GET, path: {type: TEXT, content: /}}\n",
     "t.yaml:5:22: error: there is a tool `t` already, in line 3\n"},
    {TOOL(META, GET_PATH("/${p}")) "    extra: 1\n",
     "t.yaml:5:5: error: there is no key `extra`\n"},
    {"u:\n  tools: &t [*t]\n", "t.yaml:2:14: error: a node inside itself\n"},
    {"u: {tools: *none}", "t.yaml:1:12: error: no anchor of this name stands before\n"},
    {"? [a]\n: b\n", "t.yaml:1:3: error: a key is a name\n"},
};

static void test_mistakes(void **state) {
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct buf out;
        struct toolbox *box;
        buf_init(&out, NULL, 1 << 20);
        gramc_status status =
            toolbox_read(&box, NULL, TEXT("t.yaml"), text_of(mistakes[i].text), false);
        assert_non_null(box);
        toolbox_put_findings(&out, box);
        if (!out.ptr || strcmp(out.ptr, mistakes[i].findings) != 0) {
            print_error("%s\ngives\n%sinstead of\n%s", mistakes[i].text, out.ptr ? out.ptr : "",
                        mistakes[i].findings);
            wrong++;
        }
        assert_int_equal(status == GRAMC_FINDINGS, strstr(mistakes[i].findings, "error") != NULL);
        toolbox_free(box);
        buf_free(&out);
    }
    assert_int_equal(wrong, 0);
}

/* In a block the line of the parameter is told, not that of the block. */
static void test_block_place(void **state) {
    struct buf out;
    (void)state;
    struct toolbox *box = read_text("u:\n  tools:\n"
                                    "  - metadata: {name: t, description: d}\n"
                                    "    definition:\n"
                                    "      method: PUT\n"
                                    "      path: {type: TEXT, content: /}\n"
                                    "      body:\n"
                                    "        type: TEXT_SUBSTITUTOR\n"
                                    "        content: |\n"
                                    "          {\n"
                                    "            \"name\": \"${name}\"\n"
                                    "          }\n",
                                    GRAMC_FINDINGS);
    buf_init(&out, NULL, 1 << 20);
    toolbox_put_findings(&out, box);
    assert_string_equal(out.ptr, "t.yaml:11:22: error: no parameter `name` is declared\n");
    buf_free(&out);
    toolbox_free(box);
}

static void test_literal(void **state) {
    struct toolbox *box;
    struct template_error error;
    struct buf out;
    struct arena arena;
    (void)state;
    assert_int_equal(toolbox_read(&box, NULL, TEXT("t.yaml"),
                                  TEXT(TOOL(META, GET_PATH("/${p}/${other}"))), true),
                     GRAMC_OK);
    assert_int_equal(box->warnings, 1);
    arena_init(&arena, NULL);
    buf_init(&out, NULL, 1024);
    assert_int_equal(template_expand(&out, &box->upstreams->tools->call.path,
                                     json_parse(&arena, TEXT("{\"p\":\"a/b\"}"), NULL), NULL, NULL,
                                     &error),
                     GRAMC_OK);
    assert_string_equal(out.ptr, "/a/b/${other}");
    buf_free(&out);
    arena_free(&arena);
    toolbox_free(box);
}

/* ## Aliases, depth, memory */

static void test_alias_bomb(void **state) {
    struct buf text;
    struct toolbox *box;
    (void)state;
    buf_init(&text, NULL, 1 << 22);
    buf_puts(&text, "a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (char c = 'b'; c <= 'z'; c++)
        buf_printf(&text, "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c - 1,
                   c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
    assert_int_equal(toolbox_read(&box, NULL, TEXT("bomb"), buf_view(&text), false),
                     GRAMC_FINDINGS);
    toolbox_free(box);
    /* One large tool, a thousand times: its text counts a thousand times. */
    buf_reset(&text);
    buf_puts(&text, "u:\n  tools:\n  - &t\n    metadata: {name: t, description: d}\n    definition:"
                    " {method: PUT, path: {type: TEXT, content: /}, body: {type: TEXT, content: '");
    for (size_t i = 0; i < 100000; i++) buf_puts(&text, "0123456789");
    buf_puts(&text, "'}}\n");
    for (size_t i = 0; i < 1000; i++) buf_puts(&text, "  - *t\n");
    assert_int_equal(toolbox_read(&box, NULL, TEXT("bomb"), buf_view(&text), false),
                     GRAMC_FINDINGS);
    assert_true(box->arena.total < 64u << 20);
    toolbox_free(box);
    /* Brackets. */
    buf_reset(&text);
    for (size_t i = 0; i < 10000; i++) buf_putc(&text, '[');
    assert_int_equal(toolbox_read(&box, NULL, TEXT("deep"), buf_view(&text), false),
                     GRAMC_FINDINGS);
    assert_text(box->findings->message, "nested deeper than 32 levels");
    toolbox_free(box);
    buf_free(&text);
}

static void test_no_memory(void **state) {
    struct failing failing = {.fail_at = 0};
    gramc_allocator allocator = test_failing(&failing);
    struct toolbox *box;
    (void)state;
    assert_int_equal(toolbox_read(&box, &allocator, TEXT("t"), text_of(whole), false), GRAMC_OK);
    toolbox_free(box);
    long needed = failing.count;
    assert_int_equal(failing.live, 0);
    for (long n = 1; n <= needed; n++) {
        failing = (struct failing){.fail_at = n};
        assert_int_equal(toolbox_read(&box, &allocator, TEXT("t"), text_of(whole), false),
                         GRAMC_NOMEM);
        assert_null(box);
        assert_int_equal(failing.live, 0);
    }
}

/* ## The original's own file */

static void test_original(void **state) {
    const char *folder = getenv("GRAMC_SOURCE_DIR");
    char path[4096], text[65536];
    (void)state;
    snprintf(path, sizeof path, "%s/../shared/data/sentinel-fixture/templates.yml",
             folder ? folder : ".");
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_message("sentinel-ai's templates.yml is not here: skipped\n");
        skip();
    }
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    struct toolbox *box = read_text(text, GRAMC_OK);
    assert_int_equal(box->errors + box->warnings, 0);
    const struct toolbox_upstream *test = toolbox_upstream(box, TEXT("test"));
    assert_non_null(toolbox_tool(test, TEXT("test_get_name")));
    assert_non_null(toolbox_tool(test, TEXT("test_get_location")));
    assert_non_null(toolbox_tool(test, TEXT("test_get_weather_for_city"))->call.transform);
    toolbox_free(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),     cmocka_unit_test(test_types),
        cmocka_unit_test(test_ids),       cmocka_unit_test(test_same_ids),
        cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_block_place),
        cmocka_unit_test(test_literal),   cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_original),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
