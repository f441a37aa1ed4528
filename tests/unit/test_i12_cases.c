/* The file of an experiment's cases: rows of CSV, lines of JSON, the form of reserved fields, and
 * the limits of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/case_file.h"
#include "base/text.h"
#include "tests/stated.h"

/* All rows of the text, one a line, fields between bars; or why it is none. */
static void cut(const char *text, size_t len, char *out, size_t size) {
    static struct csv_row row;
    struct arena arena;
    struct buf said;
    struct csv csv;
    const char *why = NULL;
    enum csv_read read;
    arena_init(&arena, NULL);
    buf_init(&said, NULL, 1 << 16);
    csv_init(&csv, (gramc_text){text, len});
    while ((read = csv_next(&csv, &arena, &row, &why)) == CSV_ROW) {
        buf_printf(&said, "%u:", row.line);
        for (size_t i = 0; i < row.count; i++) buf_printf(&said, "|%.*s", TEXT_ARGS(row.fields[i]));
        buf_puts(&said, ";");
    }
    if (read == CSV_BROKEN) buf_printf(&said, "line %u: %s", csv.line, why);
    assert_true(said.len < size);
    if (said.len) memcpy(out, said.ptr, said.len);
    out[said.len] = '\0';
    buf_free(&said);
    arena_free(&arena);
}

static void rows_of_csv(void **state) {
    static const struct {
        const char *text, *rows;
    } all[] = {{"", ""},
               {"\n\r\n", ""},
               {"a,b\n1,2\n", "1:|a|b;2:|1|2;"},
               {"a,b\r\n1,2", "1:|a|b;2:|1|2;"},
               {"\xEF\xBB\xBF"
                "a\nb",
                "1:|a;2:|b;"},
               {"a,\n,b\n", "1:|a|;2:||b;"},
               {"\"a,\"\"b\"\"\",c\n", "1:|a,\"b\"|c;"},
               {"\"a\nb\",c\n\"d\r\ne\",f\n", "1:|a\nb|c;3:|d\r\ne|f;"},
               {"\"\",\"\"\n", "1:||;"},
               {"\"\"\"\"\n", "1:|\";"},
               {"a\n\n\nb\n", "1:|a;4:|b;"},
               {"a b , c\n", "1:|a b | c;"},
               {"\"a\" ,b\n", "line 1: something stands behind a closing quote"},
               {"a\nb\"c\n", "1:|a;line 2: a quote stands in a field that does not begin with one"},
               {"\"a\nb", "line 1: a quote is never closed"},
               {"a\rb\n", "line 1: a carriage return stands in a field without quotes"}};
    char rows[256];
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cut(all[i].text, strlen(all[i].text), rows, sizeof rows);
        assert_string_equal(rows, all[i].rows);
    }
}

/* How many cases there are, or -1 with the fault. */
static int count_cases(const char *name, gramc_text text, struct case_fault *fault) {
    static struct case_file file;
    struct case_row row;
    struct arena arena;
    enum case_read read;
    arena_init(&arena, NULL);
    case_file_init(&file, text_of(name), text, &arena.allocator);
    while ((read = case_file_next(&file, &arena, &row, fault)) == CASE_ROW) arena_reset(&arena);
    int count = read == CASE_END ? (int)file.count : -1;
    assert_int_not_equal(read, CASE_NOMEM);
    case_file_free(&file);
    arena_free(&arena);
    return count;
}

static void forms(void **state) {
    static const struct {
        const char *name, *text, *message;
        unsigned line;
    } all[] = {
        {"a.jsonl", "", "there is no case in the file", 0},
        {"a.jsonl", "{}\n\n[]", "this is no JSON object", 3},
        {"a.jsonl", "{\"a\":1,\"a\":2}", "`a` stands twice", 1},
        {"a.jsonl", "{\"id\":true}", "`id` takes a text or a number", 1},
        {"a.jsonl", "{\"message\":1}", "`message` takes a text that is not empty", 1},
        {"a.jsonl", "{\"messages\":[\"\"]}", "`messages` takes a list of texts that are not empty",
         1},
        {"a.jsonl", "{\"message\":\"a\",\"messages\":[\"b\"]}",
         "it has both `message` and `messages`", 1},
        {"a.jsonl", "{}\n{\"id\":1}", "the id `1` is that of line 1 already", 2},
        {"a.jsonl", "{\"expect\":1}", "`expect` takes a text or an object", 1},
        {"a.jsonl", "{\"expect\":{\"mode\":\"bfcl\"}}",
         "`mode` in `expect` belongs to calls that it does not name", 1},
        {"a.jsonl", "{\"expect\":{\"json\":1,\"json\":1}}", "`json` stands twice in `expect`", 1},
        {"a.jsonl", "{\"expect\":{\"pointer\":{\"a\":1}}}",
         "`pointer` in `expect` takes a map from JSON Pointer (`/name`) to value", 1},
        {"a.jsonl", "{\"expect\":{\"contains\":[\"a\",1]}}",
         "`contains` in `expect` takes a text, or a list of texts", 1},
        {"a.csv", "a,b\n1\n", "this row has 1 fields, and the header 2", 2},
        {"a.csv", "a,a\n1,2\n", "two columns are called `a`", 1},
        {"a.csv", "a,\n1,2\n", "column 2 of the header has no name", 1},
        {"a.CSV", "a\n", "there is no case in the file", 0},
        {"a.csv", "a\n\xff\n", "this is not UTF-8", 2},
        {"a.csv", "expect\n{\n", NULL, 1},
        {"a.csv", "expect,a\n\"{\"\"equal\"\":1}\",b\n", "`expect` has no member `equal`", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct case_fault fault = {0, ""};
        int count = count_cases(all[i].name, text_of(all[i].text), &fault);
        assert_int_equal(count, all[i].message ? -1 : 1);
        if (!all[i].message) continue;
        assert_string_equal(fault.message, all[i].message);
        assert_int_equal(fault.line, all[i].line);
    }
}

static void limits(void **state) {
    struct case_fault fault;
    struct buf text;
    (void)state;
    STATED(CASES_MAX, 1000000, "G0252");
    STATED(CASE_BYTES_MAX, 16 << 20, "G0252");
    STATED(CSV_FIELDS_MAX, 1000, "G0252");
    buf_init(&text, NULL, 1 << 30);
    for (int i = 0; i < CASES_MAX; i++) buf_puts(&text, "{}\n");
    assert_int_equal(count_cases("a", buf_view(&text), &fault), CASES_MAX);
    buf_puts(&text, "{}\n");
    assert_int_equal(count_cases("a", buf_view(&text), &fault), -1);
    assert_string_equal(fault.message, "there are more than 1000000 cases");
    for (size_t more = 0; more < 2; more++) {
        static const char frame[] = "{\"a\":\"\"}";
        buf_reset(&text);
        buf_puts(&text, "{\"a\":\"");
        for (size_t i = sizeof frame - 1; i < CASE_BYTES_MAX + more; i++) buf_putc(&text, 'x');
        buf_puts(&text, "\"}");
        assert_int_equal(count_cases("a", buf_view(&text), &fault), more ? -1 : 1);
        if (more) assert_string_equal(fault.message, "this is longer than 16 MiB");
    }
    for (size_t more = 0; more < 2; more++) {
        buf_reset(&text);
        for (size_t i = 0; i < CSV_FIELDS_MAX + more; i++)
            buf_printf(&text, "%sc%zu", i ? "," : "", i);
        buf_putc(&text, '\n');
        for (size_t i = 0; i < CSV_FIELDS_MAX + more; i++) buf_puts(&text, i ? ",x" : "x");
        assert_int_equal(count_cases("a.csv", buf_view(&text), &fault), more ? -1 : 1);
        if (more) assert_string_equal(fault.message, "this is no CSV: there are too many fields");
    }
    buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_csv), cmocka_unit_test(forms),
                                       cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
