/* What a compiled schema keeps: at most 2,500 bytes on average for the tools of real servers, whole
 * text included, and nothing of its document but the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json.h"
#include "base/text.h"
#include "gramc/schema.h"

enum { MEAN_MAX = 2500, LARGEST_FILE = 16 << 20 };

static void *count(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    size_t *now = ctx;
    *now += new_size - (ptr ? old_size : 0);
    if (new_size) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

/* As a run has the arguments of a tool. NULL: not a schema. */
static gramc_schema *compile(gramc_text text, size_t *now) {
    const gramc_allocator allocator = {count, now};
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    gramc_schema *schema;
    options.allocator = &allocator;
    options.assert_formats = options.closed_root = true;
    return gramc_schema_compile(&schema, text.ptr, text.len, &options, NULL) ? NULL : schema;
}

/* ## Many tools */

struct totals {
    size_t schemas, refused, text, kept;
};

static void add(struct totals *totals, gramc_text text) {
    size_t now = 0;
    gramc_schema *schema = compile(text, &now);
    totals->refused += !schema;
    if (!schema) return;
    totals->schemas++;
    totals->text += text.len;
    totals->kept += now;
    gramc_schema_free(schema);
    assert_int_equal(now, 0);
}

static gramc_text read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(LARGEST_FILE) : NULL;
    size_t len = bytes ? fread(bytes, 1, LARGEST_FILE, file) : 0;
    if (file) fclose(file);
    return (gramc_text){bytes, len};
}

/* The collection names types as Python and Java do. */
static void mend_types(struct json *schema, bool names) {
    static const char *const types[][2] = {
        {"dict", "object"},    {"float", "number"},    {"tuple", "array"}, {"int", "integer"},
        {"String", "string"},  {"Boolean", "boolean"}, {"str", "string"},  {"bool", "boolean"},
        {"long", "integer"},   {"HashMap", "object"},  {"char", "string"}, {"Array", "array"},
        {"ArrayList", "array"}};
    for (struct json *member = schema->first; member; member = member->next) {
        bool is_type = !names && text_is(member->key, "type") && member->kind == JSON_STRING;
        for (size_t i = 0; is_type && i < sizeof types / sizeof *types; i++)
            if (text_is(member->text, types[i][0])) member->text = text_of(types[i][1]);
        if (is_type && text_is(member->text, "any")) member->key = TEXT("$comment");
        if (member->kind == JSON_OBJECT) mend_types(member, text_is(member->key, "properties"));
    }
}

static void add_line(struct totals *totals, gramc_text line) {
    struct arena arena;
    struct buf text;
    arena_init(&arena, NULL);
    buf_init(&text, &arena.allocator, LARGEST_FILE);
    const struct json *tool = json_parse(&arena, line, NULL);
    struct json *parameters = (struct json *)(uintptr_t)json_get(tool, "parameters");
    assert_non_null(parameters);
    mend_types(parameters, false);
    json_put(&text, parameters);
    add(totals, buf_view(&text));
    buf_free(&text);
    arena_free(&arena);
}

/* Of lines {name, parameters}. */
static struct totals add_file(gramc_text file) {
    struct totals totals = {0, 0, 0, 0};
    for (size_t pos = 0; pos < file.len;) {
        const char *end = memchr(file.ptr + pos, '\n', file.len - pos);
        size_t stop = end ? (size_t)(end - file.ptr) : file.len;
        add_line(&totals, text_slice(file, pos, stop));
        pos = stop + 1;
    }
    free((void *)(uintptr_t)file.ptr);
    print_message("%zu schemas of %zu bytes: %zu are kept of each\n", totals.schemas,
                  totals.text / totals.schemas, totals.kept / totals.schemas);
    return totals;
}

static void own_tools(void **state) {
    (void)state;
    const char *source = getenv("GRAMC_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/tools.jsonl", source ? source : ".");
    gramc_text file = read_file(path);
    assert_non_null(file.ptr);
    struct totals totals = add_file(file);
    assert_int_equal(totals.refused, 0);
    assert_true(totals.schemas >= 20);
    assert_true(totals.kept <= totals.schemas * MEAN_MAX);
}

/* *state: the path of the collection. */
static void real_tools(void **state) {
    gramc_text file = read_file(*state);
    assert_non_null(file.ptr);
    struct totals totals = add_file(file);
    assert_true(totals.schemas > 3500);
    assert_true(totals.refused < 20); /* functions and promises of JavaScript */
    assert_true(totals.kept <= totals.schemas * MEAN_MAX);
}

/* ## Patterns */

static size_t kept_by(const char *text) {
    size_t now = 0;
    gramc_schema *schema = compile(text_of(text), &now);
    assert_non_null(schema);
    size_t kept = now;
    gramc_schema_free(schema);
    return kept;
}

/* What compiling them takes is not kept, and equal ones are one. */
static void patterns_are_small(void **state) {
    enum { FIRST_MAX = 1200, NEXT_MAX = 800, SAME_MAX = 300 };
    (void)state;
    size_t none =
        kept_by("{\"properties\": {\"a\": {\"minLength\": 1}, \"b\": {\"minLength\": 1}}}");
    size_t one = kept_by("{\"properties\": {\"a\": {\"pattern\": \"^[a-z]+-[0-9]{4}$\"}, \"b\": "
                         "{\"minLength\": 1}}}");
    size_t same = kept_by("{\"properties\": {\"a\": {\"pattern\": \"^[a-z]+-[0-9]{4}$\"}, \"b\": "
                          "{\"pattern\": \"^[a-z]+-[0-9]{4}$\"}}}");
    size_t two = kept_by("{\"properties\": {\"a\": {\"pattern\": \"^[a-z]+-[0-9]{4}$\"}, \"b\": "
                         "{\"pattern\": \"^(?:https?|ftp)://[^/ ]+$\"}}}");
    assert_in_range(one - none, 1, FIRST_MAX);
    assert_in_range(two - one, 1, NEXT_MAX);
    assert_in_range(same - one, 0, SAME_MAX);
}

/* ## What explanations need of the document */

/* Names with escapes, a default and examples far apart, a schema behind a reference. */
static const char odd[] =
    "  {\"$id\": \"http://x.y/\\u0061\", \"properties\": {\"a\\\\/\\u007e\": {\"prefixItems\": "
    "[true, "
    "{\"type\": \"integer\", \"examples\": [42]}]}, \"e\": {\"enum\": [\"\\u0041\", 1]}, \"r\": "
    "{\"$ref\": \"#/$defs/\\u0064\"}}, \"required\": [\"\\u0065\"], \"$defs\": {\"d\": {\"$id\": "
    "\"inner\", \"properties\": {\"x\": {\"type\": \"string\", \"default\": \"\\u0062\"}}}}}";

struct explained {
    const char *instance, *schema, *message;
};

static void places_are_found_again(void **state) {
    static const struct explained rows[] = {
        {"{\"e\": 1, \"a\\\\/~\": [0, \"\"]}", "/properties/a\\~1~0/prefixItems/1/type",
         "[\"a\\\\/~\"][1]: expected an integer, got the string \"\"; pass a whole number such as "
         "42"},
        {"{\"e\": 2}", "/properties/e/enum", "e: expected one of \"A\", 1, got the number 2"},
        {"{\"e\": \"A\", \"r\": {\"x\": 1}}", "/$defs/d/properties/x/type",
         "r.x: expected a string, got the number 1; pass text in double quotes such as \"b\""},
        {"{}", "/required", "e: missing; it is required and must be one of \"A\", 1"},
    };
    size_t now = 0;
    (void)state;
    gramc_schema *schema = compile(text_of(odd), &now);
    assert_non_null(schema);
    size_t kept = now;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gramc_verdict *verdict;
        assert_int_equal(
            gramc_schema_check(&verdict, schema, rows[i].instance, strlen(rows[i].instance), NULL),
            GRAMC_OK);
        assert_int_equal(verdict->error_count, 1);
        assert_string_equal(verdict->errors[0].schema.ptr, rows[i].schema);
        assert_string_equal(verdict->errors[0].message.ptr, rows[i].message);
        gramc_verdict_free(verdict);
    }
    assert_int_equal(now, kept); /* nothing stays of what was read again */
    gramc_schema_free(schema);
    assert_int_equal(now, 0);
}

/* The document is read again once, and is the same as it was. */
static void the_document_is_there(void **state) {
    size_t now = 0;
    (void)state;
    gramc_schema *schema = compile(text_of(odd), &now);
    size_t kept = now;
    const struct json *document = gramc_schema_document(schema);
    assert_true(now > kept);
    kept = now;
    assert_ptr_equal(gramc_schema_document(schema), document);
    assert_int_equal(now, kept);
    assert_true(text_is(json_get(document, "$id")->text, "http://x.y/a"));
    gramc_schema_free(schema);
    assert_int_equal(now, 0);
}

/* Beyond 16 KiB the document is kept: places in it are found without reading all of it. */
static void large_documents_stay(void **state) {
    struct buf text;
    size_t now = 0;
    gramc_verdict *verdict;
    (void)state;
    const gramc_allocator allocator = mem_default();
    buf_init(&text, &allocator, 1 << 20);
    buf_puts(&text, "{\"properties\": {");
    for (int i = 0; i < 2000; i++) buf_printf(&text, "\"p%d\": {\"type\": \"null\"}, ", i);
    buf_puts(&text, "\"q\": {\"type\": \"boolean\"}}}");
    gramc_schema *schema = compile(buf_view(&text), &now);
    size_t kept = now;
    assert_non_null(gramc_schema_document(schema));
    assert_int_equal(now, kept);
    assert_int_equal(gramc_schema_check(&verdict, schema, "{\"q\": 1}", 8, NULL), GRAMC_OK);
    assert_string_equal(verdict->errors[0].schema.ptr, "/properties/q/type");
    gramc_verdict_free(verdict);
    gramc_schema_free(schema);
    buf_free(&text);
    assert_int_equal(now, 0);
}

/* With a file: what is kept of the real tools in it. */
int main(int argc, char **argv) {
    const struct CMUnitTest collection[] = {cmocka_unit_test_prestate(real_tools, argv[1])};
    if (argc > 1) return cmocka_run_group_tests(collection, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_tools),
        cmocka_unit_test(patterns_are_small),
        cmocka_unit_test(places_are_found_again),
        cmocka_unit_test(the_document_is_there),
        cmocka_unit_test(large_documents_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
