/* What models write instead of JSON, and what is made of it: each row is a text, what it is taken
 * for, and the repairs that this took. What could mean two things is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/tolerant.h"
#include "base/text.h"
#include "tests/failing.h"
#include "tests/stated.h"

enum { OBJECT = 1 << JSON_OBJECT, ARRAY = 1 << JSON_ARRAY, ANY = 0x7F };

static const struct row {
    const char *text, *json; /* NULL: refused */
    const char *repairs;
} rows[] = {
    /* Valid JSON stays as it is. */
    {"{\"a\": 1}", "{\"a\": 1}", ""},
    {" {\"a\": [1, {}]}\n", "{\"a\": [1, {}]}", ""},
    {"{\"a\": \"```json\\n{}\\n```\"}", "{\"a\": \"```json\\n{}\\n```\"}", ""},
    {"{\"a\": \"// no comment, # nor this\"}", "{\"a\": \"// no comment, # nor this\"}", ""},
    {"[1]", NULL, ""},
    {"5", NULL, ""},
    {"null", NULL, ""},
    {"[{\"a\":1}]", NULL, ""},
    /* Fences */
    {"```json\n{\"a\": 1}\n```", "{\"a\":1}", "fence"},
    {"```\n{\"a\": 1}\n```", "{\"a\":1}", "fence"},
    {"```JSON\n{\"a\": 1}```", "{\"a\":1}", "fence"},
    {"```json\n{\"a\": 1}", "{\"a\":1}", "fence"},
    {"```json\n{\"code\": \"```c\\nint i;\\n```\"}\n```", "{\"code\":\"```c\\nint i;\\n```\"}",
     "fence"},
    {"Here you are:\n```json\n{\"a\": 1}\n```", "{\"a\":1}", "prose fence"},
    {"```json\n{\"a\": 1}\n```\nThat is all.", "{\"a\":1}", "prose fence"},
    {"```json\n{\"a\": 1}\n```\n```json\n{\"a\": 2}\n```", NULL, ""},
    {"```json\n{\"a\": 1}\n```\nor in one line: {\"a\":1}", "{\"a\":1}", "prose fence"},
    /* Prose */
    {"Sure! Here is the JSON: {\"a\": 1}", "{\"a\":1}", "prose"},
    {"{\"a\": 1}\n\nI chose 1 because it is the first.", "{\"a\":1}", "prose"},
    {"<tool_call>\n{\"a\": 1}\n</tool_call>", "{\"a\":1}", "prose"},
    {"<tool_call>\n{\"a\": {\"b\": true}\n</tool_call>", "{\"a\":{\"b\":true}}", "prose cut-off"},
    {"<think>Perhaps {\"a\": 2}?</think>{\"a\": 1}", "{\"a\":1}", "prose"},
    {"The user {name} wants this: {\"a\": 1}", "{\"a\":1}", "prose"},
    {"arguments = {\"a\": 1};", "{\"a\":1}", "prose"},
    {"call({\"a\": 1})", "{\"a\":1}", "prose"},
    {"'{\"a\": 1}'", "{\"a\":1}", "prose"},
    {"Either {\"a\": 1} or {\"a\": 2}.", NULL, ""},
    {"{\"a\": 1}{\"a\": 2}", NULL, ""},
    {"{\"a\": 1}, {\"a\": 2}", NULL, ""},
    {"{\"a\": 1}, \"b\": 2}", NULL, ""},
    {"\"x\": 1, {\"a\": 1}", NULL, ""},
    {"{{\"a\": 1}}", NULL, ""},
    {"{\"a\": {\"b\": oops}, \"c\": {\"d\": 1}}", NULL, ""},
    {"I need more information.", NULL, ""},
    {"", NULL, ""},
    {"{", NULL, ""},
    {"{}}", "{}", "extra-bracket"},
    /* Comments */
    {"{\"a\": 1 // the first\n}", "{\"a\":1}", "comment"},
    {"{\"a\": /* one */ 1}", "{\"a\":1}", "comment"},
    {"{\n# the first\n\"a\": 1}", "{\"a\":1}", "comment"},
    {"{\"url\": \"http://x/#y\", // link\n\"b\": 2}", "{\"url\":\"http://x/#y\",\"b\":2}",
     "comment"},
    {"{\"a\": 1 /* open}", NULL, ""},
    {"{\"a\": 1, // then \"b\": 2}", NULL, ""},
    {"{\"a\": true // and \"b\": 2}", NULL, ""},
    /* Commas */
    {"{\"a\": 1,}", "{\"a\":1}", "trailing-comma"},
    {"{\"a\": [1, 2,], }", "{\"a\":[1,2]}", "trailing-comma"},
    {"{\"a\": 1\n \"b\": 2}", "{\"a\":1,\"b\":2}", "missing-comma"},
    {"{\"a\": \"x\"\n \"b\": \"y\"}", "{\"a\":\"x\",\"b\":\"y\"}", "missing-comma"},
    {"{\"a\": 1 \"b\": 2}", NULL, ""},
    {"{\"a\": [\"x\"\n \"y\"]}", NULL, ""},
    {"{\"a\": 1,, \"b\": 2}", NULL, ""},
    {"{, \"a\": 1}", NULL, ""},
    /* Quotes */
    {"{'a': 'x'}", "{\"a\":\"x\"}", "quotes"},
    {"{'a': 'it\\'s'}", "{\"a\":\"it's\"}", "quotes escape"},
    {"{'a': 'say \"x\"'}", "{\"a\":\"say \\\"x\\\"\"}", "quotes"},
    {"{'a': \"it's\"}", "{\"a\":\"it's\"}", "quotes"},
    {"{'a': 'it's'}", NULL, ""},
    {"{\xE2\x80\x9C"
     "a\xE2\x80\x9D: \xE2\x80\x9Cx\xE2\x80\x9D}",
     "{\"a\":\"x\"}", "quotes"},
    {"{\"a\": \"\"\"one\n\"two\" \"\"\"}", "{\"a\":\"one\\n\\\"two\\\" \"}",
     "quotes control-character"},
    {"{\"a\": \"he said \"x\" to me\"}", NULL, ""},
    {"{\"a\": `x`}", NULL, ""},
    /* Keys */
    {"{a: 1}", "{\"a\":1}", "unquoted-key"},
    {"{personName: \"Ann\", max_age: 3, $x-1: 0}",
     "{\"personName\":\"Ann\",\"max_age\":3,\"$x-1\":0}", "unquoted-key"},
    {"{1: 2}", NULL, ""},
    {"{\"a\" => 1}", NULL, ""},
    {"{\"a\": Ann}", NULL, ""},
    /* Words */
    {"{\"a\": True, \"b\": False, \"c\": None}", "{\"a\":true,\"b\":false,\"c\":null}", "word"},
    {"{\"a\": TRUE, \"b\": Null}", "{\"a\":true,\"b\":null}", "word"},
    {"{'a': [True, {'b': None}]}", "{\"a\":[true,{\"b\":null}]}", "quotes word"},
    {"{\"a\": undefined}", NULL, ""},
    {"{\"a\": NaN}", NULL, ""},
    {"{\"a\": truely}", NULL, ""},
    /* Numbers */
    {"{\"a\": +1, \"b\": .5, \"c\": 2., \"d\": -.5e3}",
     "{\"a\":1,\"b\":0.5,\"c\":2.0,\"d\":-0.5e3}", "number"},
    {"{\"a\": 1_000_000}", "{\"a\":1000000}", "number"},
    {"{\"a\": 007}", NULL, ""},
    {"{\"a\": 1,000}", NULL, ""},
    {"{\"a\": 5%}", NULL, ""},
    {"{\"a\": 0x1F}", NULL, ""},
    {"{\"a\": 1__0}", NULL, ""},
    {"{\"a\": -}", NULL, ""},
    {"{\"a\": .}", NULL, ""},
    {"{\"a\": 1e}", NULL, ""},
    /* Strings */
    {"{\"a\": \"one\ntwo\tthree\"}", "{\"a\":\"one\\ntwo\\tthree\"}", "control-character"},
    {"{\"a\": \"it\\'s\"}", "{\"a\":\"it's\"}", "escape"},
    {"{\"a\": \"\\x41\\x0a\"}", "{\"a\":\"\\u0041\\u000a\"}", "escape"},
    {"{\"a\": \"\\d+\"}", NULL, ""},
    {"{\"a\": \"C:\\Users\"}", NULL, ""},
    {"{\"a\": \"\\u12\"}", NULL, ""},
    {"{\"a\": \"\xC3\"}", NULL, ""},
    /* Cut ends */
    {"{\"a\": {\"b\": \"x\"}", "{\"a\":{\"b\":\"x\"}}", "cut-off"},
    {"{\"a\": \"x\"", "{\"a\":\"x\"}", "cut-off"},
    {"{\"a\": [1, [2", NULL, ""},
    {"{\"a\": [1, [2 ", NULL, ""},
    {"{\"a\": 12", NULL, ""},
    {"{\"a\": 12\n", NULL, ""},
    {"```json\n{\"a\": 12\n```", "{\"a\":12}", "fence cut-off"},
    {"{\"a\": tru", NULL, ""},
    {"{\"a\": \"x", NULL, ""},
    {"{\"a\": 1,", NULL, ""},
    {"{\"a\":", NULL, ""},
    {"{\"a\"", NULL, ""},
    {"{\"a\": {", NULL, ""},
    {"{\"a\": [1}", NULL, ""},
    {"{\"a\": [{\"b\": 1]}", NULL, ""},
    /* Brackets too many */
    {"{\"a\": 1}}", "{\"a\":1}", "extra-bracket"},
    {"```json\n{\"a\": 1}}\n```", "{\"a\":1}", "fence extra-bracket"},
    {"{\"a\": {\"b\": 1}}, \"c\": 2}", NULL, ""},
    /* JSON in strings */
    {"\"{\\\"a\\\": 1}\"", "{\"a\": 1}", "doubled"},
    {"\"\\\"{\\\\\\\"a\\\\\\\": 1}\\\"\"", "{\"a\": 1}", "doubled"},
    {"{\\\"a\\\": \\\"x\\\"}", "{\"a\": \"x\"}", "doubled"},
    {"\"{'a': True}\"", "{\"a\":true}", "doubled quotes word"},
    {"\"call it with {\\\"a\\\": 1}\"", NULL, ""},
    {"\"{\"a\": 1}\"", NULL, ""},
};

static void join_words(struct buf *out, unsigned repairs) {
    const char *words[JSON_REPAIR_COUNT];
    size_t count = json_repair_words(repairs, words);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_putc(out, ' ');
        buf_puts(out, words[i]);
    }
}

static void expect(const char *text, const struct json_wish *wish, const char *json,
                   const char *repairs) {
    struct buf out, words;
    unsigned made = 0;
    buf_init(&out, NULL, 1 << 20);
    buf_init(&words, NULL, 1000);
    buf_puts(&out, "");
    gramc_status status = json_tolerant(&out, text_of(text), wish, &made);
    if (status != (json ? GRAMC_OK : GRAMC_FINDINGS))
        fail_msg("%s: status %d, %.*s", text, (int)status, TEXT_ARGS(buf_view(&out)));
    if (json) {
        join_words(&words, made);
        if (!text_is(buf_view(&out), json))
            fail_msg("%s: became %.*s", text, TEXT_ARGS(buf_view(&out)));
        if (!text_is(buf_view(&words), repairs))
            fail_msg("%s: repairs are %.*s", text, TEXT_ARGS(buf_view(&words)));
    }
    buf_free(&out);
    buf_free(&words);
}

static void what_models_write(void **state) {
    const struct json_wish wish = {.kinds = OBJECT};
    (void)state;
    assert_true(sizeof rows / sizeof *rows >= 100);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i].text, &wish, rows[i].json, rows[i].repairs);
}

static void other_kinds(void **state) {
    const struct json_wish list = {.kinds = ARRAY}, any = {.kinds = ANY},
                           number = {.kinds = 1 << JSON_NUMBER};
    (void)state;
    expect("See [1]: ['a', 'b']", &list, NULL, "");
    expect("The list is ['a', 'b'].", &list, "[\"a\",\"b\"]", "prose quotes");
    expect("```\n42\n```", &number, "42", "fence");
    expect("+42", &number, "42", "number");
    expect("True", &any, "true", "word");
    expect("'x'", &any, "\"x\"", "quotes");
    expect("42 apples", &number, NULL, "");
    expect("about 42", &number, NULL, "");
    expect("\"{}\"", &any, "\"{}\"", "");
}

static bool has_city(void *ctx, gramc_text json) {
    (*(int *)ctx)++;
    return json.len > 7 && memcmp(json.ptr, "{\"city\"", 7) == 0;
}

/* The type decides between several; what fits none is shown as long as it is one. */
static void fitting(void **state) {
    int asked = 0;
    const struct json_wish wish = {OBJECT, has_city, &asked};
    (void)state;
    expect("{}{\"city\": \"Bonn\"}", &wish, "{\"city\":\"Bonn\"}", "prose");
    expect("Not {\"town\": 1} but {\"city\": 2}", &wish, "{\"city\":2}", "prose");
    expect("{\"city\": 1} or {\"city\": 2}", &wish, NULL, "");
    expect("{town: 1}", &wish, "{\"town\":1}", "unquoted-key");
    expect("{\"town\": 1} or {\"town\": 2}", &wish, NULL, "");
    assert_int_equal(asked, 9);
}

/* Every beginning of a text is refused or read as its beginning: no value of it changes. */
static void every_prefix(void **state) {
    static const char text[] =
        "{\"a\": [1, -2.5e3, \"x\\n\\u00e9\"], \"b\": {\"c\": true}, \"d\": null}";
    const struct json_wish wish = {.kinds = OBJECT};
    (void)state;
    for (size_t len = 0; len < sizeof text - 1; len++) {
        struct buf out;
        unsigned repairs;
        buf_init(&out, NULL, 1000);
        if (json_tolerant(&out, (gramc_text){text, len}, &wish, &repairs) == GRAMC_OK) {
            struct arena arena;
            arena_init(&arena, NULL);
            const struct json *whole = json_parse(&arena, TEXT(text), NULL);
            const struct json *part = json_parse(&arena, buf_view(&out), NULL);
            assert_int_equal(repairs, JSON_REPAIR_CUT);
            assert_non_null(part);
            for (const char *p = "bd"; *p; p++) {
                const char key[] = {*p, 0};
                const struct json *value = json_get(part, key);
                assert_true(!value || json_equal(value, json_get(whole, key)));
            }
            arena_free(&arena);
        }
        buf_free(&out);
    }
}

/* `count` brackets that begin nothing, then a value. */
static gramc_status behind_brackets(size_t count) {
    const struct json_wish wish = {.kinds = OBJECT};
    struct buf text, out;
    unsigned repairs;
    buf_init(&text, NULL, 1 << 16);
    buf_init(&out, NULL, 1 << 16);
    for (size_t i = 0; i < count; i++) buf_puts(&text, "{x} ");
    buf_puts(&text, "{\"a\": 1}");
    gramc_status status = json_tolerant(&out, buf_view(&text), &wish, &repairs);
    buf_free(&text);
    buf_free(&out);
    return status;
}

static gramc_status nested(size_t depth) {
    const struct json_wish wish = {.kinds = ARRAY};
    struct buf text, out;
    unsigned repairs;
    buf_init(&text, NULL, 1 << 16);
    buf_init(&out, NULL, 1 << 16);
    for (size_t i = 0; i < depth; i++) buf_putc(&text, '[');
    for (size_t i = 0; i < depth; i++) buf_puts(&text, "]");
    buf_puts(&text, " is it");
    gramc_status status = json_tolerant(&out, buf_view(&text), &wish, &repairs);
    buf_free(&text);
    buf_free(&out);
    return status;
}

static void limits(void **state) {
    (void)state;
    STATED(READING_TRIES_MAX, 100, "it is not mended");
    assert_int_equal(behind_brackets(99), GRAMC_OK);
    assert_int_equal(behind_brackets(100), GRAMC_FINDINGS);
    assert_int_equal(nested(1000), GRAMC_OK);
    assert_int_equal(nested(1001), GRAMC_FINDINGS);
}

static void no_memory(void **state) {
    static const char *const texts[] = {"so: {'a': [1, True]}", "\"{'a': 1}\"", "{\\\"a\\\": 1}"};
    const struct json_wish wish = {.kinds = OBJECT};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gramc_status status = GRAMC_NOMEM;
        for (long n = 1; status == GRAMC_NOMEM; n++) {
            struct failing failing = {.fail_at = n};
            gramc_allocator allocator = test_failing(&failing);
            struct buf out;
            unsigned repairs;
            buf_init(&out, &allocator, 1 << 16);
            status = json_tolerant(&out, text_of(texts[i]), &wish, &repairs);
            buf_free(&out);
            assert_int_equal(failing.live, 0);
            assert_int_equal(status == GRAMC_NOMEM, failing.failed);
            assert_true(n < 100);
        }
        assert_int_equal(status, GRAMC_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_models_write),
        cmocka_unit_test(other_kinds),
        cmocka_unit_test(fitting),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(limits),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
