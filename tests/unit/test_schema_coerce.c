/* Values of another type are converted by their bytes: random tools without applicators, called as
 * models call them, with quotes around numbers and lists written as text. Both halves say the same,
 * and it is the fast one that converts nearly all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/halves.h"

enum { CALLS = 8, DEEPEST = 3 };

static const char *const names[] = {
    "a", "b", "c", "e/f", "g~h", "\xC3\xBC", "a\\\"b", "a name of more than sixteen bytes", ""};
enum { NAMES = sizeof names / sizeof *names };

/* ## Schemas */

static void put_schema(uint64_t *state, struct buf *out, unsigned depth);

static void put_object(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const more[] = {",\"additionalProperties\":false",
                                       ",\"additionalProperties\":{\"type\":\"integer\"}",
                                       ",\"maxProperties\":3", ",\"required\":[\"a\"]"};
    buf_puts(out, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0, any = 0; i < NAMES; i++) {
        if (chance(state, 60)) continue;
        buf_printf(out, "%s\"%s\":", any++ ? "," : "", names[i]);
        put_schema(state, out, depth + 1);
    }
    buf_puts(out, "}");
    if (chance(state, 40)) buf_puts(out, ONE_OF(state, more));
}

static void put_array(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const more[] = {",\"minItems\":1", ",\"maxItems\":3",
                                       ",\"uniqueItems\":true"};
    buf_puts(out, "{\"type\":\"array\",\"items\":");
    put_schema(state, out, depth + 1);
    if (chance(state, 20)) buf_puts(out, ONE_OF(state, more));
}

static void put_schema(uint64_t *state, struct buf *out, unsigned depth) {
    static const char *const scalars[] = {
        "{\"type\":\"string\"",
        "{\"type\":\"string\",\"maxLength\":4",
        "{\"type\":\"string\",\"enum\":[\"1\",\"true\",\"a\"]",
        "{\"type\":\"string\",\"contentMediaType\":\"application/json\"",
        "{\"type\":\"integer\"",
        "{\"type\":\"integer\",\"minimum\":0",
        "{\"type\":\"number\"",
        "{\"enum\":[1,2.5,\"x\"],\"type\":[\"number\",\"boolean\"]",
        "{\"type\":\"boolean\"",
        "{\"type\":[\"integer\",\"string\"]",
        "{\"type\":[\"integer\",\"null\"]",
        "{\"type\":[\"array\",\"boolean\"],\"items\":{\"type\":\"integer\"}"};
    if (depth < DEEPEST && chance(state, depth ? 25 : 60)) put_object(state, out, depth);
    else if (depth < DEEPEST && chance(state, 25)) put_array(state, out, depth);
    else buf_puts(out, ONE_OF(state, scalars));
    if (chance(state, 10)) buf_puts(out, ",\"default\":1");
    buf_puts(out, "}");
}

/* ## Calls */

static void put_call(uint64_t *state, struct buf *out, const struct json *schema, unsigned depth);

static void put_blank(uint64_t *state, struct buf *out) {
    if (chance(state, 20)) buf_puts(out, chance(state, 50) ? " " : "\n\t");
}

/* Some escape their first letter. */
static void put_key(uint64_t *state, struct buf *out, gramc_text key) {
    if (key.len && key.ptr[0] >= 'a' && key.ptr[0] <= 'z' && chance(state, 10)) {
        buf_printf(out, "\"\\u00%02x", (unsigned)key.ptr[0]);
        key = text_slice(key, 1, key.len);
        struct buf rest;
        buf_init(&rest, NULL, LARGEST);
        json_put_string(&rest, key);
        buf_puts(out, rest.ptr + 1);
        buf_free(&rest);
    } else {
        json_put_string(out, key);
    }
}

static void put_members(uint64_t *state, struct buf *out, const struct json *schema,
                        unsigned depth) {
    const struct json *properties = json_get(schema, "properties");
    bool any = false;
    buf_putc(out, '{');
    for (const struct json *p = properties->first; p; p = p->next) {
        if (chance(state, 20)) continue;
        if (any) buf_putc(out, ',');
        put_blank(state, out);
        put_key(state, out, p->key);
        put_blank(state, out);
        buf_putc(out, ':');
        if (chance(state, 4)) buf_puts(out, "null");
        else put_call(state, out, p, depth + 1);
        any = true;
    }
    if (chance(state, 12)) {
        static const char *const others[] = {"\"zz\":\"7\"", "\"z\\u007a/\": \"7\"", "\"~\":7"};
        if (any) buf_putc(out, ',');
        buf_puts(out, ONE_OF(state, others));
    }
    put_blank(state, out);
    buf_putc(out, '}');
}

static void put_items(uint64_t *state, struct buf *out, const struct json *schema, unsigned depth) {
    buf_putc(out, '[');
    for (uint32_t i = 0, count = draw(state, 4); i < count; i++) {
        if (i) buf_putc(out, ',');
        put_blank(state, out);
        put_call(state, out, json_get(schema, "items"), depth + 1);
    }
    put_blank(state, out);
    buf_putc(out, ']');
}

/* As text, now and then. */
static void put_call(uint64_t *state, struct buf *out, const struct json *schema, unsigned depth) {
    static const char *const scalars[] = {"1",           "0",         "2.0",
                                          "2.5",         "-3",        "\"1\"",
                                          "\"2.0\"",     "\" 7 \"",   "\"2.5\"",
                                          "\"\\u0031\"", "true",      "false",
                                          "\"true\"",    "\"False\"", "\"a\"",
                                          "\"\"",        "\"-\"",     "\"1e2\"",
                                          "\"01\"",      "\"TRUE\"",  "12345678901234567890"};
    const struct json *type = json_get(schema, "type");
    gramc_text name = json_is(type, JSON_STRING) ? type->text : TEXT("");
    bool container = text_is(name, "object") || json_get(schema, "items");
    struct buf inner;
    if (!container || chance(state, 3)) {
        buf_puts(out, chance(state, 4) ? "[1,\"2\" ]" : ONE_OF(state, scalars));
        return;
    }
    buf_init(&inner, NULL, LARGEST);
    if (text_is(name, "object")) put_members(state, &inner, schema, depth);
    else put_items(state, &inner, schema, depth);
    if (chance(state, 10)) json_put_string(out, buf_view(&inner));
    else buf_text(out, buf_view(&inner));
    buf_free(&inner);
}

static void try_tool(struct halves *h, uint64_t seed) {
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    gramc_schema_options options = GRAMC_SCHEMA_OPTIONS_INIT;
    h->seed = seed;
    options.closed_root = chance(&state, 30);
    buf_reset(&h->schema_text);
    put_schema(&state, &h->schema_text, 0);
    if (gramc_schema_compile(&h->schema, h->schema_text.ptr, h->schema_text.len, &options, NULL))
        tell(h, 0, "no schema");
    for (int i = 0; i < CALLS; i++) {
        buf_reset(&h->instance);
        put_blank(&state, &h->instance);
        put_call(&state, &h->instance, gramc_schema_document(h->schema), 0);
        put_blank(&state, &h->instance);
        for (unsigned flags = 0; flags < 16; flags += 1 + (flags & 1)) compare(h, flags);
    }
    gramc_schema_free(h->schema);
}

static void test_calls(void **state) {
    (void)state;
    try_converting(try_tool, 10, 3, 3);
}

/* ## By hand */

static const struct {
    const char *schema, *instance, *expected;
    size_t converted; /* by the fast half */
} known[] = {
    {"{\"type\":\"integer\"}", " \"5\"\n", "5", 1},
    {"{\"type\":\"string\"}", "5", "\"5\"", 1},
    {"{\"type\":\"boolean\"}", "1", "true", 1},
    {"{\"type\":\"boolean\"}", "\"False\"", "false", 1},
    {"{\"type\":\"string\"}", "true", "\"true\"", 1},
    {"{\"type\":\"integer\"}", "7", "7", 0},
    {"{\"items\":{\"type\":\"integer\"}}", "[\"1\", 2,\"3\" ]", "[1, 2,3 ]", 2},
    {"{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{ \"\\u0061\" : \"1\" }",
     "{ \"\\u0061\" : 1 }", 1},
    {"{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}",
     "{\"a\":\"[1, 2]\"}", "{\"a\":[1,2]}", 1},
    /* What is to be changed inside as well is the thorough half's. */
    {"{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}",
     "{\"a\":\"[1, \\\"2\\\"]\"}", "{\"a\":[1,2]}", 0},
    {"{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"x/y\":\"1\"}", "{\"x/y\":1}", 1},
};

static void test_known(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct halves h;
        gramc_check_options options = GRAMC_CHECK_OPTIONS_INIT;
        gramc_verdict *verdict;
        halves_init(&h);
        buf_puts(&h.schema_text, known[i].schema);
        buf_puts(&h.instance, known[i].instance);
        if (gramc_schema_compile(&h.schema, known[i].schema, strlen(known[i].schema), NULL, NULL))
            fail();
        compare(&h, GRAMC_CHECK_COERCE);
        assert_int_equal(h.converted, known[i].converted);
        options.flags = GRAMC_CHECK_COERCE;
        if (gramc_schema_check(&verdict, h.schema, h.instance.ptr, h.instance.len, &options))
            fail();
        assert_true(verdict->valid);
        assert_int_equal(verdict->normalised.len, strlen(known[i].expected));
        assert_memory_equal(verdict->normalised.ptr, known[i].expected, verdict->normalised.len);
        gramc_verdict_free(verdict);
        gramc_schema_free(h.schema);
        halves_free(&h);
    }
}

/* Numbers and words at the root, as long as they come, blanks around them. */
static void test_roots(void **state) {
    struct halves h;
    static const char any[] = "{\"type\":[\"number\",\"string\",\"boolean\"]}";
    (void)state;
    halves_init(&h);
    if (gramc_schema_compile(&h.schema, any, strlen(any), NULL, NULL)) fail();
    for (size_t digits = 1; digits < 600; digits += digits < 20 ? 1 : 59) {
        buf_reset(&h.instance);
        buf_puts(&h.instance, "  ");
        for (size_t i = 0; i < digits; i++) buf_putc(&h.instance, '7');
        assert_true(gramc_schema_accepts(h.schema, h.instance.ptr, h.instance.len));
        compare(&h, GRAMC_CHECK_COERCE);
        buf_putc(&h.instance, '.');
        assert_false(gramc_schema_accepts(h.schema, h.instance.ptr, h.instance.len));
        compare(&h, GRAMC_CHECK_COERCE);
    }
    static const char *const others[] = {"tru", "true ",  "true1", "nul", "null", "\"",
                                         "\"a", "\"a\"x", "-",     "+1",  "01",   "1 2",
                                         "{",   "}",      "]",     "5}",  "\"a]", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        buf_reset(&h.instance);
        buf_puts(&h.instance, others[i]);
        bool is_fine = i == 1;
        assert_int_equal(gramc_schema_accepts(h.schema, h.instance.ptr, h.instance.len), is_fine);
        assert_int_equal(gramc_schema_accepts_as_is(h.schema, h.instance.ptr, h.instance.len),
                         is_fine);
        compare(&h, GRAMC_CHECK_COERCE);
    }
    gramc_schema_free(h.schema);
    halves_free(&h);
}

/* Texts in blocks of their own size, against nodes of every kind: nothing is read behind them. */
static void test_ends(void **state) {
    static const char *const schemas[] = {"{\"type\":\"integer\"}",
                                          "{\"type\":\"string\"}",
                                          "{\"enum\":[1,2.5,30]}",
                                          "{\"enum\":[\"a\",\"abcdefghijklmnopqrst\"]}",
                                          "{\"type\":\"boolean\"}",
                                          "{\"anyOf\":[{\"type\":\"number\"},{\"type\":\"null\"}]}",
                                          "{\"properties\":{\"a\":{\"type\":\"integer\"}}}",
                                          "{\"items\":{\"enum\":[1,2,3]}}"};
    static const char *const texts[] = {
        "1",    "{}",  "[]",        "\"\"",          "5}",      "5]", "[1]",   "[1",
        "-",    "-1",  "2.",        "2.5",           "30",      "1e", "\"a\"", "true",
        "null", "tru", "{\"a\":1}", "{\"a\":\"1\"}", "[\"2\"]", "{",  "",      "1234567890123456"};
    struct halves h;
    (void)state;
    halves_init(&h);
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        if (gramc_schema_compile(&h.schema, schemas[i], strlen(schemas[i]), NULL, NULL)) fail();
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            size_t len = strlen(texts[k]);
            char *alone = malloc(len ? len : 1);
            struct buf kept = h.instance;
            assert_non_null(alone);
            memcpy(alone, texts[k], len);
            h.instance.ptr = alone;
            h.instance.len = len;
            (void)gramc_schema_accepts(h.schema, alone, len);
            compare(&h, GRAMC_CHECK_COERCE);
            compare(&h, 0);
            h.instance = kept;
            free(alone);
        }
        gramc_schema_free(h.schema);
    }
    halves_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_roots), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
