/* The printers: each form over small texts, and parse(print(x)) = x over random trees. */
#include "gram.h"

#include <stdio.h>

#include "base/json/json.h"
#include "random_gram.h"
#include "tests/printing/print_gram.h"

/* ## Canonical JSON */

#define ANONYMOUS "\"subject\":{\"identity\":\"\",\"labels\":[],\"properties\":{}}}"
#define NAMED(id) "\"subject\":{\"identity\":\"" id "\",\"labels\":[],\"properties\":{}}}"
#define LEAF(id) "{\"elements\":[]," NAMED(id)

static const char *const jsons[][2] = {
    {"", "[]\n"},
    {"()", "[{\"elements\":[]," ANONYMOUS "]\n"},
    {"(a)", "[" LEAF("a") "]\n"},
    {"[a | b, (c)]", "[{\"elements\":[" LEAF("b") "," LEAF("c") "]," NAMED("a") "]\n"},
    {"(a)-[r]->(b)", "[{\"elements\":[" LEAF("a") "," LEAF("b") "]," NAMED("r") "]\n"},
    {"(a)<-[r]-(b)", "[{\"elements\":[" LEAF("b") "," LEAF("a") "]," NAMED("r") "]\n"},
    {"(a)<-[r]->(b)", "[{\"elements\":[" LEAF("a") "," LEAF("b") "]," NAMED("r") "]\n"},
    {"(a)-[r]->(b)<-[s]-(c)",
     "[{\"elements\":[{\"elements\":[" LEAF("a") "," LEAF("b") "]," NAMED(
         "r") ",{\"elements\":[" LEAF("c") "," LEAF("b") "]," NAMED("s") "]," ANONYMOUS "]\n"},
    {"@@p @x(1) (a)", "[{\"elements\":[" LEAF("a") "],\"subject\":{\"identity\":\"p\","
                                                   "\"labels\":[],\"properties\":{\"x\":1}}}]\n"},
    {"{k: 1} (a)", "[{\"elements\":[],\"subject\":{\"identity\":\"\",\"labels\":[],\"properties\":"
                   "{\"k\":1}}}," LEAF("a") "]\n"},
    {"(:b::a:b)", "[{\"elements\":[],\"subject\":{\"identity\":\"\",\"labels\":[\"a\",\"b\"],"
                  "\"properties\":{}}}]\n"},
    {"(-2)", "[" LEAF("-2") "]\n"},
};

static void test_json(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof jsons / sizeof *jsons; i++)
        gram_assert_prints(jsons[i][0], print_json, jsons[i][1]);
}

/* value as gram, as JSON */
static const char *const values[][2] = {
    {"0", "0"},
    {"-0", "0"},
    {"123456789012345678901234567890", "123456789012345678901234567890"},
    {"1.0", "1.0"},
    {"-1.50", "-1.50"},
    {"1.5e-3", "1.5e-3"},
    {"0x0", "0"},
    {"0xff", "255"},
    {"0xFFFFFFFFFFFFFFFFFFFFFFFF", "79228162514264337593543950335"},
    {"0x3B9ACA00", "1000000000"},
    {"010", "8"},
    {"0777777777777777777777777", "4722366482869645213695"},
    {"5kg", "{\"type\":\"measurement\",\"unit\":\"kg\",\"value\":5}"},
    {"1.5kg", "{\"type\":\"measurement\",\"unit\":\"kg\",\"value\":1.5}"},
    {"0xG", "{\"type\":\"measurement\",\"unit\":\"xG\",\"value\":0}"},
    {"true", "true"},
    {"false", "false"},
    {"null", "{\"type\":\"symbol\",\"value\":\"null\"}"},
    {"'it\\'s'", "\"it's\""},
    {"\"a\\tb\\u0001\\u00e9\"", "\"a\\tb\\u0001\xC3\xA9\""},
    {"`x`", "\"x\""},
    {"```\n a\n ```", "\" a\\n \""},
    {"md`x`", "{\"content\":\"x\",\"tag\":\"md\",\"type\":\"tagged\"}"},
    {"```md\nx\n```", "{\"content\":\"x\\n\",\"tag\":\"md\",\"type\":\"tagged\"}"},
    {"1..2", "{\"lower\":1,\"type\":\"range\",\"upper\":2}"},
    {"1...", "{\"lower\":1,\"type\":\"range\",\"upper\":null}"},
    {"...2.5", "{\"lower\":null,\"type\":\"range\",\"upper\":2.5}"},
    {"[1,[a],{}]", "[1,[{\"type\":\"symbol\",\"value\":\"a\"}],{}]"},
    {"{b: 1, a: 2, b: 3}", "{\"a\":2,\"b\":3}"},
};

static void test_json_values(void **state) {
    char text[512], expected[512];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(text, sizeof text, "({k: %s})", values[i][0]);
        snprintf(expected, sizeof expected,
                 "[{\"elements\":[],\"subject\":{\"identity\":\"\",\"labels\":[],\"properties\":"
                 "{\"k\":%s}}}]\n",
                 values[i][1]);
        gram_assert_prints(text, print_json, expected);
    }
}

/* Beyond its stated length a hexadecimal number is refused, not computed for minutes. */
static void test_json_radix_limit(void **state) {
    enum { DIGITS = 30000 };
    static char text[DIGITS + 32];
    struct gram gram;
    struct buf out;
    (void)state;
    int len = snprintf(text, sizeof text, "({k: 0x");
    memset(text + len, 'F', DIGITS);
    snprintf(text + len + DIGITS, 3, "})");
    gram_read(&gram, text, false);
    buf_init(&out, NULL, 1 << 20);
    print_json(&out, gram.tree);
    assert_int_equal(buf_status(&out), GRAMC_LIMIT);
    buf_free(&out);
    gram_free(&gram);
}

/* ## S-expressions */

static const char *const sexps[][2] = {
    {"", "(gram_pattern)\n"},
    {"{}", "(gram_pattern\n  root: (record))\n"},
    {"()", "(gram_pattern\n  (node_pattern))\n"},
    {"// a\n(x) // b", "(gram_pattern\n  (comment)\n  (node_pattern\n    identifier: (symbol))\n"
                       "  (comment))\n"},
    {"(a// c\n)", "(gram_pattern\n  (node_pattern\n    identifier: (symbol)\n    (comment)))\n"},
    {"(:// c\nA:B)", "(gram_pattern\n  (node_pattern\n    labels: (labels\n      (comment)\n"
                     "      (symbol)\n      (symbol))))\n"},
    {"(// c\n:A)", "(gram_pattern\n  (node_pattern\n    (comment)\n    labels: (labels\n"
                   "      (symbol))))\n"},
    {"()-// c\n->()", "(gram_pattern\n  (relationship_pattern\n    left: (node_pattern)\n"
                      "    kind: (right_arrow\n      (comment))\n    right: (node_pattern)))\n"},
    {"()<-[// c\n:A]-()",
     "(gram_pattern\n  (relationship_pattern\n    left: (node_pattern)\n    kind: (left_arrow\n"
     "      (comment)\n      labels: (labels\n        (symbol)))\n    right: (node_pattern)))\n"},
    {"()--()<-->()",
     "(gram_pattern\n  (relationship_pattern\n    left: (node_pattern)\n"
     "    kind: (undirected_arrow)\n    right: (relationship_pattern\n      left: (node_pattern)\n"
     "      kind: (bidirectional_arrow)\n      right: (node_pattern))))\n"},
    {"[a:L {k: 1} | b, (c)]",
     "(gram_pattern\n  (subject_pattern\n    identifier: (symbol)\n    labels: (labels\n"
     "      (symbol))\n    record: (record\n      (record_property\n        key: (symbol)\n"
     "        value: (integer)))\n    elements: (subject_pattern_elements\n"
     "      (pattern_reference\n        identifier: (symbol))\n      (node_pattern\n"
     "        identifier: (symbol)))))\n"},
    {"@@p:L @x(...2) (`a`)",
     "(gram_pattern\n  (annotated_pattern\n    annotations: (annotations\n"
     "      (identified_annotation\n        identifier: (symbol)\n        labels: (labels\n"
     "          (symbol)))\n      (property_annotation\n        key: (symbol)\n"
     "        value: (range\n          upper: (integer))))\n    elements: (node_pattern\n"
     "      identifier: (quoted_name\n        content: (string_content)))))\n"},
    {"{\"k\": {a: [0x1, 07, 5kg, 1.5, true]}}",
     "(gram_pattern\n  root: (record\n    (record_property\n      key: (double_quoted_name\n"
     "        content: (string_content))\n      value: (map\n        (map_entry\n"
     "          key: (symbol)\n          value: (array\n            (hexadecimal)\n"
     "            (octal)\n            (measurement)\n            (decimal)\n"
     "            (boolean_literal)))))))\n"},
    {"{a: ```\n```, b: ```md //c\n x```, c: md //d\n`y`}",
     "(gram_pattern\n  root: (record\n    (record_property\n      key: (symbol)\n"
     "      value: (string_literal))\n    (record_property\n      key: (symbol)\n"
     "      value: (tagged_string\n        tag: (symbol)\n        content: (string_content)))\n"
     "    (record_property\n      key: (symbol)\n      value: (tagged_string\n"
     "        tag: (symbol)\n        (comment)\n        content: (string_content)))))\n"},
};

static void test_sexp(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sexps / sizeof *sexps; i++)
        gram_assert_prints(sexps[i][0], print_sexp, sexps[i][1]);
}

/* ## The listing */

static void test_text(void **state) {
    (void)state;
    gram_assert_prints("[t:A::B {`k`:: 'x'} | (a)<~~(b)] // c\n(d {e: [], f: 1...})", print_text,
                       "bracket [0..32]\n"
                       "  identifier \"t\" [1..2]\n"
                       "  label : \"A\" [3..4]\n"
                       "  label :: \"B\" [6..7]\n"
                       "  record [8..19]\n"
                       "    property \"k\" in backticks :: [9..18]\n"
                       "      string \"x\" in single quotes [15..18]\n"
                       "  path [22..31]\n"
                       "    node [22..25]\n"
                       "      identifier \"a\" [23..24]\n"
                       "    arrow squiggle left [25..28]\n"
                       "    node [28..31]\n"
                       "      identifier \"b\" [29..30]\n"
                       "node [38..58]\n"
                       "  identifier \"d\" [39..40]\n"
                       "  record [41..57]\n"
                       "    property \"e\" : [42..47]\n"
                       "      array [45..47]\n"
                       "    property \"f\" : [49..56]\n"
                       "      range [52..56]\n"
                       "        integer \"1\" [52..53]\n"
                       "        upper open\n"
                       "comment \"// c\" [33..37]\n"
                       "extension empty array [45..47]\n");
}

/* ## Gram */

static void test_gram(void **state) {
    (void)state;
    gram_assert_prints("{ a : 1 }\n@@p :L @x( 1 ) ( `b c` :: D { k :: \"x\\\"\" , l : '\\n' } )\n"
                       "[ r | (a) <- [ s ] -> (b) , [ ] ] // c",
                       print_gram,
                       "{a:1}\n@@p:L @x(1) (`b c`::D{k::\"x\\\"\",l:'\\n'})\n"
                       "[r|(a)<-[s]->(b),[]]\n");
}

/* ## parse(print(x)) = x, over random texts */

/* The listing says everything about a tree; without spans, comments and uses of the superset it is
 * the tree. */
static struct buf outline(const struct gram *gram) {
    struct buf text = gram_print(gram, print_text), out;
    buf_init(&out, NULL, (size_t)1 << 30);
    for (size_t pos = 0; pos < text.len;) {
        const char *line = text.ptr + pos;
        size_t len = (size_t)((char *)memchr(line, '\n', text.len - pos) - line);
        pos += len + 1;
        if (memcmp(line, "comment", 7) == 0 || memcmp(line, "extension", 9) == 0) continue;
        if (line[len - 1] == ']') /* the span */
            while (line[len - 1] != '[') len--;
        buf_put(&out, line, len);
        buf_putc(&out, '\n');
    }
    buf_free(&text);
    return out;
}

static void assert_round_trip(const struct random *random) {
    struct gram before, after;
    gram_read_text(&before, buf_view(&random->out), false);
    if (gram_findings(&before)) print_message("%s\n", random->out.ptr);
    assert_int_equal(gram_findings(&before), 0);
    struct buf text = gram_print(&before, print_gram);
    gram_read_text(&after, buf_view(&text), false);
    struct buf first = outline(&before), second = outline(&after);
    if (first.len != second.len || (first.len && memcmp(first.ptr, second.ptr, first.len) != 0))
        print_message("%s\n=>\n%s\n", random->out.ptr, text.ptr);
    assert_int_equal(first.len, second.len);
    if (first.len) assert_memory_equal(first.ptr, second.ptr, first.len);
    /* What was printed is as short as it gets. */
    struct buf again = gram_print(&after, print_gram);
    assert_int_equal(again.len, text.len);
    buf_free(&again);
    buf_free(&first);
    buf_free(&second);
    buf_free(&text);
    gram_free(&before);
    gram_free(&after);
}

static void assert_json_is_json(const struct random *random) {
    struct gram gram;
    struct json_error error;
    gram_read_text(&gram, buf_view(&random->out), false);
    struct buf text = gram_print(&gram, print_json), canonical;
    buf_init(&canonical, NULL, (size_t)1 << 30);
    gramc_text whole = buf_view(&text);
    assert_true(whole.len > 0 && whole.ptr[whole.len - 1] == '\n');
    const struct json *json = json_parse(&gram.arena, text_trim(whole), &error);
    if (!json) print_message("%s: %s\n", text.ptr, error.message);
    assert_non_null(json);
    assert_int_equal(json->count, gram.tree->pattern_count);
    json_put_canonical(&canonical, json);
    buf_putc(&canonical, '\n');
    assert_string_equal(canonical.ptr, text.ptr);
    buf_free(&canonical);
    buf_free(&text);
    gram_free(&gram);
}

static void test_random_trees(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct random random = {.state = seed * UINT64_C(0x9E3779B97F4A7C15)};
        buf_init(&random.out, NULL, 1 << 24);
        buf_puts(&random.out, "\n");
        put_document(&random);
        assert_int_equal(buf_status(&random.out), GRAMC_OK);
        assert_round_trip(&random);
        assert_json_is_json(&random);
        buf_free(&random.out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_values),
        cmocka_unit_test(test_json_radix_limit),
        cmocka_unit_test(test_sexp),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_gram),
        cmocka_unit_test(test_random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
