/* Tests templates of HTTP calls: an attack table of every place times every hostile value, byte
 * for byte; the notation; what is found when a template is loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "toolbox/template.h"
#include "tests/failing.h"

enum { LONG = 1 << 20, ROOM = 4 << 20 };

/* Fills `text` with `arguments` (JSON). NULL for a refusal; *error then says why. */
static gramc_status expand(struct buf *out, enum template_kind kind, const char *text,
                           gramc_text arguments, struct template_error *error) {
    struct arena arena;
    struct template template;
    arena_init(&arena, NULL);
    assert_int_equal(template_read(&template, &arena, text_of(text), kind, false, error), GRAMC_OK);
    const struct json *values = json_parse(&arena, arguments, NULL);
    assert_non_null(values);
    gramc_status status = template_expand(out, &template, values, NULL, NULL, error);
    arena_free(&arena);
    return status;
}

/* ## The attack table */

static const struct place {
    const char *name;
    enum template_kind kind;
    const char *template;
} places[] = {
    {"path", TEMPLATE_URL, "/a/${v}/b?c=d"},
    {"query", TEMPLATE_URL, "/a?q=${v}&r=1"},
    {"header", TEMPLATE_HEADER, "Bearer ${v}"},
    {"JSON string", TEMPLATE_JSON, "{\"n\": \"x${v}y\"}"},
    {"JSON value", TEMPLATE_JSON, "{\"n\": ${v}}"},
    {"form", TEMPLATE_FORM, "n=${v}&m=1"},
    {"markup", TEMPLATE_MARKUP, "<n a=\"${v}\"/>"},
};

enum { PLACES = sizeof places / sizeof *places };

/* In the order of `places`; NULL: refused. */
static const struct attack {
    const char *name, *json;
    const char *wire[PLACES];
} attacks[] = {
    {"harmless",
     "\"Ada\"",
     {"/a/Ada/b?c=d", "/a?q=Ada&r=1", "Bearer Ada", "{\"n\": \"xAday\"}", "{\"n\": \"Ada\"}",
      "n=Ada&m=1", "<n a=\"Ada\"/>"}},
    {"../",
     "\"../\"",
     {NULL, "/a?q=..%2F&r=1", "Bearer ../", "{\"n\": \"x../y\"}", "{\"n\": \"../\"}", "n=..%2F&m=1",
      "<n a=\"../\"/>"}},
    {"..",
     "\"..\"",
     {NULL, "/a?q=..&r=1", "Bearer ..", "{\"n\": \"x..y\"}", "{\"n\": \"..\"}", "n=..&m=1",
      "<n a=\"..\"/>"}},
    {"..\\",
     "\"..\\\\x\"",
     {NULL, "/a?q=..%5Cx&r=1", "Bearer ..\\x", "{\"n\": \"x..\\\\xy\"}", "{\"n\": \"..\\\\x\"}",
      "n=..%5Cx&m=1", "<n a=\"..\\x\"/>"}},
    {"%2e%2e",
     "\"%2e%2e\"",
     {"/a/%252e%252e/b?c=d", "/a?q=%252e%252e&r=1", "Bearer %2e%2e", "{\"n\": \"x%2e%2ey\"}",
      "{\"n\": \"%2e%2e\"}", "n=%252e%252e&m=1", "<n a=\"%2e%2e\"/>"}},
    {"?a=b",
     "\"?a=b&c#d\"",
     {"/a/%3Fa%3Db%26c%23d/b?c=d", "/a?q=%3Fa%3Db%26c%23d&r=1", "Bearer ?a=b&c#d",
      "{\"n\": \"x?a=b&c#dy\"}", "{\"n\": \"?a=b&c#d\"}", "n=%3Fa%3Db%26c%23d&m=1",
      "<n a=\"?a=b&amp;c#d\"/>"}},
    {"CR LF",
     "\"x\\r\\nEvil: 1\"",
     {"/a/x%0D%0AEvil%3A%201/b?c=d", "/a?q=x%0D%0AEvil%3A%201&r=1", NULL,
      "{\"n\": \"xx\\r\\nEvil: 1y\"}", "{\"n\": \"x\\r\\nEvil: 1\"}", "n=x%0D%0AEvil%3A%201&m=1",
      "<n a=\"x\r\nEvil: 1\"/>"}},
    {"quotes",
     "\"\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'\"",
     {"/a/%22%2C%22admin%22%3Atrue%2C%22x%22%3A%22%27/b?c=d",
      "/a?q=%22%2C%22admin%22%3Atrue%2C%22x%22%3A%22%27&r=1", "Bearer \",\"admin\":true,\"x\":\"'",
      "{\"n\": \"x\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'y\"}",
      "{\"n\": \"\\\",\\\"admin\\\":true,\\\"x\\\":\\\"'\"}",
      "n=%22%2C%22admin%22%3Atrue%2C%22x%22%3A%22%27&m=1",
      "<n a=\"&quot;,&quot;admin&quot;:true,&quot;x&quot;:&quot;&#39;\"/>"}},
    {"${other}",
     "\"${other}$${x}\"",
     {"/a/%24%7Bother%7D%24%24%7Bx%7D/b?c=d", "/a?q=%24%7Bother%7D%24%24%7Bx%7D&r=1",
      "Bearer ${other}$${x}", "{\"n\": \"x${other}$${x}y\"}", "{\"n\": \"${other}$${x}\"}",
      "n=%24%7Bother%7D%24%24%7Bx%7D&m=1", "<n a=\"${other}$${x}\"/>"}},
    {"NUL",
     "\"a\\u0000b\"",
     {NULL, "/a?q=a%00b&r=1", NULL, "{\"n\": \"xa\\u0000by\"}", "{\"n\": \"a\\u0000b\"}",
      "n=a%00b&m=1", NULL}}, /* markup: see test_nul */
    {"empty",
     "\"\"",
     {NULL, "/a?q=&r=1", "Bearer ", "{\"n\": \"xy\"}", "{\"n\": \"\"}", "n=&m=1", "<n a=\"\"/>"}},
    {"null",
     "null",
     {NULL, "/a?q=&r=1", "Bearer ", "{\"n\": \"xy\"}", "{\"n\": null}", "n=&m=1", "<n a=\"\"/>"}},
    {"markup",
     "\"<b>&\"",
     {"/a/%3Cb%3E%26/b?c=d", "/a?q=%3Cb%3E%26&r=1", "Bearer <b>&", "{\"n\": \"x<b>&y\"}",
      "{\"n\": \"<b>&\"}", "n=%3Cb%3E%26&m=1", "<n a=\"&lt;b&gt;&amp;\"/>"}},
    {"letters and blanks",
     "\"\xC3\xA9 +/\"",
     {"/a/%C3%A9%20%2B%2F/b?c=d", "/a?q=%C3%A9%20%2B%2F&r=1", "Bearer \xC3\xA9 +/",
      "{\"n\": \"x\xC3\xA9 +/y\"}", "{\"n\": \"\xC3\xA9 +/\"}", "n=%C3%A9%20%2B%2F&m=1",
      "<n a=\"\xC3\xA9 +/\"/>"}},
    {"a number",
     "1.50",
     {"/a/1.50/b?c=d", "/a?q=1.50&r=1", "Bearer 1.50", "{\"n\": \"x1.50y\"}", "{\"n\": 1.50}",
      "n=1.50&m=1", "<n a=\"1.50\"/>"}},
    {"an array",
     "[1,\"a\"]",
     {"/a/1,a/b?c=d", "/a?q=1&q=a&r=1", "Bearer [1,\"a\"]", "{\"n\": \"x[1,\\\"a\\\"]y\"}",
      "{\"n\": [1,\"a\"]}", "n=1&n=a&m=1", "<n a=\"[1,&quot;a&quot;]\"/>"}},
};

static void check_attack(const struct attack *attack, size_t place) {
    struct buf arguments, out;
    struct template_error error;
    buf_init(&arguments, NULL, ROOM);
    buf_init(&out, NULL, ROOM);
    buf_printf(&arguments, "{\"v\":%s,\"other\":\"SECOND\"}", attack->json);
    gramc_status status =
        expand(&out, places[place].kind, places[place].template, buf_view(&arguments), &error);
    const char *wire = attack->wire[place];
    if (!wire && status != GRAMC_FINDINGS)
        fail_msg("%s in a %s was sent as %s", attack->name, places[place].name, out.ptr);
    if (!wire) assert_true(error.message[0] != '\0' && error.end > error.start);
    if (wire && (status != GRAMC_OK || strcmp(wire, out.ptr) != 0))
        fail_msg("%s in a %s: %s instead of %s", attack->name, places[place].name,
                 status ? error.message : out.ptr, wire);
    buf_free(&arguments);
    buf_free(&out);
}

static void test_attacks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        for (size_t place = 0; place < PLACES; place++)
            if (strcmp(attacks[i].name, "NUL") != 0 || place != PLACES - 1)
                check_attack(&attacks[i], place);
}

static void test_nul(void **state) {
    struct buf out;
    struct template_error error;
    (void)state;
    buf_init(&out, NULL, ROOM);
    assert_int_equal(expand(&out, TEMPLATE_TEXT, "<${v}>", TEXT("{\"v\":\"a\\u0000b\"}"), &error),
                     GRAMC_OK);
    assert_int_equal(out.len, 5);
    assert_memory_equal(out.ptr, "<a\0b>", 5);
    buf_free(&out);
}

/* 1 MB of what has to be encoded: three bytes each in a path, two in JSON. */
static void test_long(void **state) {
    static const size_t growth[PLACES] = {3, 3, 1, 2, 2, 3, 6};
    struct buf arguments, out;
    struct template_error error;
    (void)state;
    buf_init(&arguments, NULL, ROOM);
    buf_puts(&arguments, "{\"v\":\"");
    for (size_t i = 0; i < LONG; i++) buf_puts(&arguments, "\\\"");
    buf_puts(&arguments, "\"}");
    for (size_t place = 0; place < PLACES; place++) {
        buf_init(&out, NULL, 16 << 20);
        assert_int_equal(
            expand(&out, places[place].kind, places[place].template, buf_view(&arguments), &error),
            GRAMC_OK);
        size_t frame = strlen(places[place].template) - 4;
        assert_int_equal(out.len, frame + LONG * growth[place] +
                                      (places[place].kind == TEMPLATE_JSON && place == 4 ? 2 : 0));
        buf_free(&out);
        buf_init(&out, NULL, 65536);
        assert_int_equal(
            expand(&out, places[place].kind, places[place].template, buf_view(&arguments), &error),
            GRAMC_LIMIT);
        buf_free(&out);
    }
    buf_free(&arguments);
}

/* ## The notation */

static const struct {
    enum template_kind kind;
    const char *template, *arguments, *wire;
} notations[] = {
    {TEMPLATE_URL, "/plain", "{}", "/plain"},
    {TEMPLATE_URL, "/${a}/${b}", "{\"a\":\"${b}\",\"b\":\"${a}\"}", "/%24%7Bb%7D/%24%7Ba%7D"},
    {TEMPLATE_URL, "/x-${a}.json", "{\"a\":\"1\"}", "/x-1.json"},
    {TEMPLATE_URL, "/$${a}", "{\"a\":1}", "/${a}"},
    {TEMPLATE_URL, "/$$${a}", "{\"a\":1}", "/$${a}"},
    {TEMPLATE_URL, "/$a$", "{\"a\":1}", "/$a$"},
    {TEMPLATE_URL, "/${a:-guest}", "{}", "/guest"},
    {TEMPLATE_URL, "/${a:-guest}", "{\"a\":null}", "/guest"},
    {TEMPLATE_URL, "/${a:-g/t}", "{\"a\":\"x\"}", "/x"},
    {TEMPLATE_URL, "/${a:-g t}", "{}", "/g%20t"},
    {TEMPLATE_URL, "/s?${a}=${b}", "{\"a\":\"k=\",\"b\":\"&\"}", "/s?k%3D=%26"},
    {TEMPLATE_URL, "http://127.0.0.1:80/${a}?x=${a}", "{\"a\":\"/\"}",
     "http://127.0.0.1:80/%2F?x=%2F"},
    {TEMPLATE_JSON, "{\"q\": \"say \\\"${a}\\\"\", \"v\": ${a}}", "{\"a\":\"\\\"\"}",
     "{\"q\": \"say \\\"\\\"\\\"\", \"v\": \"\\\"\"}"},
    {TEMPLATE_JSON, "[${a:-5}, ${b:-x y}, ${c}]", "{}", "[5, \"x y\", null]"},
    {TEMPLATE_JSON, "{\"${k}\": {\"l\": ${l}}}", "{\"k\":\"a\",\"l\":[true,{\"x\":1.0}]}",
     "{\"a\": {\"l\": [true,{\"x\":1.0}]}}"},
    /* What is absent takes along what names it. */
    {TEMPLATE_JSON, "{\"a\":${a},\"b\":${b},\"c\":${c}}", "{}", "{}"},
    {TEMPLATE_JSON, "{\"a\":${a},\"b\":${b},\"c\":${c}}", "{\"b\":null}", "{\"b\":null}"},
    {TEMPLATE_JSON, "{ \"a\" : ${a} , \"b\": ${b} }", "{\"b\":1}", "{ \"b\": 1 }"},
    {TEMPLATE_JSON, "{ \"a\" : ${a} , \"b\": ${b} }", "{\"a\":1}", "{ \"a\" : 1  }"},
    {TEMPLATE_JSON, "{\"x\":{\"\\\"a\\\\\":${a}},\"y\":[${b}]}", "{}", "{\"x\":{},\"y\":[null]}"},
    {TEMPLATE_JSON, "{\"a\":\"${a}\",\"b\":${b:-2}}", "{}", "{\"b\":2}"},
    {TEMPLATE_JSON, "{\"b\":${b:-2},\"a\":\"${a}\"}", "{}", "{\"b\":2}"},
    {TEMPLATE_JSON, "{\"a\":\"${a}\"}", "{\"a\":\"\"}", "{\"a\":\"\"}"},
    {TEMPLATE_JSON, "{\"a\":\"x${a}\",\"b\":[\"${b}\"],\"c\":\"\\\"${c}\"}", "{}",
     "{\"a\":\"x\",\"b\":[null],\"c\":\"\\\"\"}"},
    {TEMPLATE_HEADER, "a=${a}; b=${b}; c=${c}", "{\"b\":1}", " b=1"},
    {TEMPLATE_HEADER, "a=${a}; b=${b}", "{\"a\":1}", "a=1"},
    {TEMPLATE_HEADER, "a=${a}; b=${b}", "{}", ""},
    {TEMPLATE_JSON, "${a}", "{}", "null"},
    {TEMPLATE_URL, "/a?q=${q}", "{}", "/a"},
    {TEMPLATE_URL, "/a?q=${q}&r=${r}&s=${s}", "{}", "/a"},
    {TEMPLATE_URL, "/a?q=${q}&r=${r}&s=${s}", "{\"r\":1}", "/a?r=1"},
    {TEMPLATE_URL, "/a?q=${q}&r=${r}&s=${s}", "{\"q\":1,\"s\":2}", "/a?q=1&s=2"},
    {TEMPLATE_URL, "/a?q=${q}&r=${r}", "{\"q\":\"\",\"r\":null}", "/a?q=&r="},
    {TEMPLATE_URL, "/a?q=x${q}&r=1", "{}", "/a?q=x&r=1"},
    {TEMPLATE_URL, "/a?q=${q}x&r=1", "{}", "/a?q=x&r=1"},
    {TEMPLATE_URL, "/a?f=a=${q}", "{}", "/a?f=a="},
    {TEMPLATE_URL, "/a?q=${q}${r}", "{}", "/a"},
    {TEMPLATE_FORM, "a=${a}&b=${b}", "{\"b\":1}", "b=1"},
    {TEMPLATE_FORM, "a=${a}&b=${b}", "{\"a\":1}", "a=1"},
    {TEMPLATE_HEADER, "${a} ${a}", "{\"a\":\"\xC3\xA9\"}", "\xC3\xA9 \xC3\xA9"},
    {TEMPLATE_TEXT, "Dear ${a}", "{\"a\":\"<\\\"&\\n\"}", "Dear <\"&\n"},
};

static void test_notation(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        struct buf out;
        struct template_error error;
        buf_init(&out, NULL, ROOM);
        assert_int_equal(expand(&out, notations[i].kind, notations[i].template,
                                text_of(notations[i].arguments), &error),
                         GRAMC_OK);
        assert_string_equal(out.ptr, notations[i].wire);
        buf_free(&out);
    }
}

static const struct {
    enum template_kind kind;
    const char *template, *message;
    uint32_t start, end;
} mistakes[] = {
    {TEMPLATE_URL, "/a/${b", "`${` is never closed", 3, 6},
    {TEMPLATE_URL, "/a/${}", "a parameter without a name", 3, 6},
    {TEMPLATE_URL, "/a/${:-x}", "a parameter without a name", 3, 9},
    {TEMPLATE_URL, "http://${host}/a", "scheme and host of an address are not filled in", 7, 14},
    {TEMPLATE_URL, "https://x.${d}:1/a", "scheme and host of an address are not filled in", 10, 14},
    {TEMPLATE_JSON, "{\"a\":\"\\${b}n\"}", "a \\ in a JSON text stands before a parameter", 7, 11},
    {TEMPLATE_URL, "/a#${b}", "nothing behind a # is sent", 3, 7},
    {TEMPLATE_JSON, "{\"a\": ${b}", "the body is no JSON: '{' is never closed", 0, 10},
    {TEMPLATE_JSON, "{${k}: 1}", "the body is no JSON: expected a member name in double quotes", 0,
     9},
    {TEMPLATE_JSON, "{\"a\": x${b}}", "the body is no JSON: expected a value", 0, 12},
};

static void test_mistakes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct arena arena;
        struct template template;
        struct template_error error;
        arena_init(&arena, NULL);
        assert_int_equal(template_read(&template, &arena, text_of(mistakes[i].template),
                                       mistakes[i].kind, false, &error),
                         GRAMC_FINDINGS);
        assert_string_equal(error.message, mistakes[i].message);
        assert_int_equal(error.start, mistakes[i].start);
        assert_int_equal(error.end, mistakes[i].end);
        arena_free(&arena);
    }
}

static void test_declared(void **state) {
    const gramc_text names[] = {TEXT("userName"), TEXT("city"), TEXT("unused")};
    bool used[3] = {false, false, false};
    struct arena arena;
    struct template template;
    struct template_error error;
    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(template_read(&template, &arena, TEXT("/${userName}/${city}?$${x}"),
                                   TEMPLATE_URL, false, &error),
                     GRAMC_OK);
    assert_int_equal(template_check(&template, names, 3, used, &error), GRAMC_OK);
    assert_true(used[0] && used[1] && !used[2]);
    assert_int_equal(
        template_read(&template, &arena, TEXT("/${username}"), TEMPLATE_URL, false, &error),
        GRAMC_OK);
    assert_int_equal(template_check(&template, names, 3, used, &error), GRAMC_FINDINGS);
    assert_string_equal(error.message,
                        "no parameter `username` is declared; did you mean `userName`?");
    assert_int_equal(error.start, 1);
    assert_int_equal(
        template_read(&template, &arena, TEXT("/${urlEncode:city}"), TEMPLATE_URL, false, &error),
        GRAMC_OK);
    assert_int_equal(template_check(&template, names, 3, used, &error), GRAMC_FINDINGS);
    assert_int_equal(template_fixed(&template, &arena, TEXT("/${any}")), GRAMC_OK);
    assert_int_equal(template_check(&template, names, 3, used, &error), GRAMC_OK);
    arena_free(&arena);
}

/* ## Secrets, the literal way, content types */

static bool look_up(const void *ctx, gramc_text name, gramc_text *out) {
    (void)ctx;
    if (text_is(name, "BROKEN")) *out = TEXT("a\nb");
    else *out = TEXT("s3cret ${v}");
    return text_is(name, "TOKEN") || text_is(name, "BROKEN");
}

static gramc_status with_secret(const char *text, struct buf *out, struct template_error *error) {
    struct arena arena;
    struct template template;
    arena_init(&arena, NULL);
    buf_reset(out);
    assert_int_equal(template_read(&template, &arena, text_of(text), TEMPLATE_HEADER, false, error),
                     GRAMC_OK);
    gramc_status status = template_expand(
        out, &template, json_parse(&arena, TEXT("{\"v\":1,\"env:TOKEN\":\"forged\"}"), NULL),
        look_up, NULL, error);
    arena_free(&arena);
    return status;
}

static void test_secrets(void **state) {
    struct buf out;
    struct template_error error;
    (void)state;
    buf_init(&out, NULL, ROOM);
    assert_int_equal(with_secret("Bearer ${env:TOKEN}", &out, &error), GRAMC_OK);
    assert_string_equal(out.ptr, "Bearer s3cret ${v}");
    assert_int_equal(with_secret("${env:OTHER}", &out, &error), GRAMC_FINDINGS);
    assert_string_equal(error.message, "the environment variable `OTHER` is not set");
    assert_int_equal(with_secret("${env:OTHER:-none}", &out, &error), GRAMC_OK);
    assert_string_equal(out.ptr, "none");
    assert_int_equal(with_secret("${env:BROKEN}", &out, &error), GRAMC_FINDINGS);
    assert_null(strstr(error.message, "a\nb"));
    buf_free(&out);
}

static void test_literal(void **state) {
    struct arena arena;
    struct template template;
    struct template_error error;
    struct buf out;
    (void)state;
    arena_init(&arena, NULL);
    buf_init(&out, NULL, ROOM);
    const struct json *values =
        json_parse(&arena, TEXT("{\"v\":\"a/../\\\"${w}\",\"w\":\"x\"}"), NULL);
    assert_int_equal(
        template_read(&template, &arena, TEXT("/${v}?${w}"), TEMPLATE_URL, true, &error), GRAMC_OK);
    assert_int_equal(template_expand(&out, &template, values, NULL, NULL, &error), GRAMC_OK);
    assert_string_equal(out.ptr, "/a/../\"${w}?x");
    buf_free(&out);
    arena_free(&arena);
}

static void test_content_types(void **state) {
    static const struct {
        const char *type;
        enum template_kind kind;
    } types[] = {{"", TEMPLATE_JSON},
                 {"application/json", TEMPLATE_JSON},
                 {"Application/JSON; charset=utf-8", TEMPLATE_JSON},
                 {"application/problem+json", TEMPLATE_JSON},
                 {"application/x-www-form-urlencoded", TEMPLATE_FORM},
                 {"text/xml", TEMPLATE_MARKUP},
                 {"application/soap+xml ; x=y", TEMPLATE_MARKUP},
                 {"text/html", TEMPLATE_MARKUP},
                 {"text/plain", TEMPLATE_TEXT},
                 {"application/jsonlines", TEMPLATE_TEXT}};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        assert_int_equal(template_body_kind(text_of(types[i].type)), types[i].kind);
}

/* A value and the text round it make a step up together, or a percent sign that means something. */
static void test_together(void **state) {
    struct buf out;
    struct template_error error;
    (void)state;
    buf_init(&out, NULL, ROOM);
    assert_int_equal(expand(&out, TEMPLATE_URL, "/a/.${v}/b", TEXT("{\"v\":\"x\"}"), &error),
                     GRAMC_OK);
    buf_reset(&out);
    assert_int_equal(
        expand(&out, TEMPLATE_URL, "/a/${v}${w}/b", TEXT("{\"v\":\"x.\",\"w\":\".y\"}"), &error),
        GRAMC_OK);
    buf_reset(&out);
    assert_int_equal(expand(&out, TEMPLATE_URL, "/a/%2${v}/b", TEXT("{\"v\":\"e\"}"), &error),
                     GRAMC_FINDINGS);
    buf_free(&out);
}

/* ## Memory */

static gramc_status read_and_expand(const gramc_allocator *allocator) {
    struct arena arena, values_arena;
    struct template template;
    struct template_error error;
    struct buf out;
    arena_init(&arena, allocator);
    arena_init(&values_arena, NULL);
    buf_init(&out, allocator, ROOM);
    const struct json *values =
        json_parse(&values_arena, TEXT("{\"a\":\"\\\"x\",\"b\":[1]}"), NULL);
    gramc_status status =
        template_read(&template, &arena, TEXT("{\"s\":\"${a}${b}\",\"v\":${b},\"d\":${c:-[2]}}"),
                      TEMPLATE_JSON, false, &error);
    if (status == GRAMC_OK) status = template_expand(&out, &template, values, NULL, NULL, &error);
    if (status == GRAMC_OK)
        assert_string_equal(out.ptr, "{\"s\":\"\\\"x[1]\",\"v\":[1],\"d\":[2]}");
    buf_free(&out);
    arena_free(&arena);
    arena_free(&values_arena);
    return status;
}

static void test_no_memory(void **state) {
    struct failing failing = {.fail_at = 0};
    gramc_allocator allocator = test_failing(&failing);
    (void)state;
    assert_int_equal(read_and_expand(&allocator), GRAMC_OK);
    long needed = failing.count;
    for (long n = 1; n <= needed; n++) {
        failing = (struct failing){.fail_at = n};
        assert_int_equal(read_and_expand(&allocator), GRAMC_NOMEM);
        assert_int_equal(failing.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attacks),   cmocka_unit_test(test_nul),
        cmocka_unit_test(test_long),      cmocka_unit_test(test_notation),
        cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_declared),
        cmocka_unit_test(test_secrets),   cmocka_unit_test(test_literal),
        cmocka_unit_test(test_together),  cmocka_unit_test(test_content_types),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
