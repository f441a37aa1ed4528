/* gramc diff's promises: every kind of change has a golden case that shows it and a row in
 * docs/diff.md that says the same; the page's example is what the library prints; the public list
 * is in order and complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include "base/buf.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "gramc/diff.h"

enum { LARGEST = 1 << 20 };

static void read_file(struct buf *out, const char *path) {
    char whole[4096];
    const char *folder = getenv("GRAMC_SOURCE_DIR");
    snprintf(whole, sizeof whole, "%s/%s", folder ? folder : ".", path);
    FILE *file = fopen(whole, "rb");
    if (!file) fail_msg("%s cannot be read", whole);
    char *room = buf_reserve(out, LARGEST / 2);
    out->len = fread(room, 1, LARGEST / 2, file);
    out->ptr[out->len] = '\0';
    fclose(file);
}

/* ## Kinds */

static bool has_case(const char *code) {
    char folder[4096], prefix[32], line[16];
    const char *source = getenv("GRAMC_SOURCE_DIR");
    bool found = false;
    snprintf(folder, sizeof folder, "%s/tests/golden/cases", source ? source : ".");
    snprintf(prefix, sizeof prefix, "diff-%s-", code);
    snprintf(line, sizeof line, "[%s]: ", code);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; !found && (entry = readdir(dir)) != NULL;) {
        char path[512];
        struct buf text;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        buf_init(&text, NULL, LARGEST);
        snprintf(path, sizeof path, "tests/golden/cases/%.256s", entry->d_name);
        read_file(&text, path);
        const char *output = strstr(text.ptr, "--- stdout");
        found = output && strstr(output, line);
        buf_free(&text);
    }
    closedir(dir);
    return found;
}

static void test_kinds(void **state) {
    static const char *const impacts[] = {"-", "cosmetic", "additive", "breaking"};
    struct buf page;
    (void)state;
    buf_init(&page, NULL, LARGEST);
    read_file(&page, "docs/diff.md");
    const char *last = "";
    const gramc_diff_kind *kind;
    for (size_t i = 0; (kind = gramc_diff_explain(i)) != NULL; i++) {
        char code[16], sides[64];
        assert_true(strcmp(last, kind->code) < 0);
        assert_true(strlen(kind->explanation) > 40 && strlen(kind->slug) > 5);
        if (!has_case(kind->code)) fail_msg("%s has no golden case that shows it", kind->code);
        snprintf(code, sizeof code, "\n| %s |", kind->code);
        snprintf(sides, sizeof sides, " | %s | %s |\n", impacts[kind->caller],
                 impacts[kind->implementer]);
        const char *row = strstr(page.ptr, code), *end = row ? strchr(row + 1, '\n') : NULL;
        const char *said = row ? strstr(row, sides) : NULL;
        if (!said || said > end) fail_msg("docs/diff.md says something else about %s", kind->code);
        last = kind->code;
    }
    assert_string_equal(last, "D602");
    buf_free(&page);
}

/* ## The page's example */

/* The text between ```KIND and ``` behind *at. */
static gramc_text next_block(const char **at, const char *kind) {
    char fence[32];
    snprintf(fence, sizeof fence, "\n```%s\n", kind);
    const char *start = strstr(*at, fence);
    assert_non_null(start);
    start += strlen(fence);
    const char *end = strstr(start, "```");
    assert_non_null(end);
    *at = end;
    return (gramc_text){start, (size_t)(end - start)};
}

struct side {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    struct buf text;
};

static void open_side(struct side *side, const char *name, gramc_text text) {
    buf_init(&side->text, NULL, LARGEST);
    buf_text(&side->text, text);
    assert_int_equal(gramc_compilation_new(&side->compilation, NULL), GRAMC_OK);
    assert_int_equal(
        gramc_add_source(side->compilation, text_of(name), side->text.ptr, side->text.len),
        GRAMC_OK);
    assert_int_equal(gramc_compile(&side->spec, side->compilation), GRAMC_OK);
}

static void close_side(struct side *side) {
    gramc_compilation_free(side->compilation);
    buf_free(&side->text);
}

static void test_page(void **state) {
    struct buf page, printed;
    struct side old, new;
    gramc_diff *diff;
    (void)state;
    buf_init(&page, NULL, LARGEST);
    buf_init(&printed, NULL, LARGEST);
    read_file(&page, "docs/diff.md");
    const char *at = page.ptr;
    open_side(&old, "old.gram", next_block(&at, "gram"));
    open_side(&new, "new.gram", next_block(&at, "gram"));
    gramc_text expected = next_block(&at, "text");
    assert_int_equal(gramc_diff_new(&diff, old.spec, new.spec, NULL), GRAMC_OK);
    assert_int_equal(
        gramc_diff_print(diff, GRAMC_REPORT_TEXT, GRAMC_IMPACT_BREAKING, buf_writer(&printed)),
        GRAMC_OK);
    assert_int_equal(printed.len, expected.len);
    assert_memory_equal(printed.ptr, expected.ptr, expected.len);
    gramc_diff_free(diff);
    close_side(&old);
    close_side(&new);
    buf_free(&printed);
    buf_free(&page);
}

/* ## Verdicts, by hand: tests/data/diff_changes.tsv */

static gramc_text next_column(gramc_text *row) {
    const char *tab = memchr(row->ptr, '\t', row->len);
    size_t len = tab ? (size_t)(tab - row->ptr) : row->len;
    gramc_text column = text_slice(*row, 0, len);
    *row = text_slice(*row, tab ? len + 1 : len, row->len);
    return column;
}

static bool holds(gramc_text text, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, part, len) == 0) return true;
    return false;
}

/* Definitions stand apart by " ; ". */
static void open_column(struct side *side, const char *name, gramc_text column) {
    struct buf text;
    buf_init(&text, NULL, LARGEST);
    for (size_t i = 0; i < column.len; i++)
        buf_putc(&text, column.ptr[i] == ';' ? '\n' : column.ptr[i]);
    open_side(side, name, buf_view(&text));
    buf_free(&text);
}

static void check_change(gramc_text row) {
    static const char *const impacts[] = {"-", "cosmetic", "additive", "breaking"};
    struct side old, new;
    gramc_diff *diff;
    gramc_diff_entry entry;
    gramc_text what = next_column(&row);
    size_t expected = 1, count = 0;
    open_column(&old, "old.gram", next_column(&row));
    open_column(&new, "new.gram", next_column(&row));
    for (size_t i = 0; i < row.len; i++) expected += row.ptr[i] == ',';
    if (text_is(row, "same")) expected = 0;
    assert_int_equal(gramc_diff_new(&diff, old.spec, new.spec, NULL), GRAMC_OK);
    for (; gramc_diff_get(diff, count, &entry); count++) {
        char verdict[64];
        snprintf(verdict, sizeof verdict, "%s %s/%s", entry.kind->code, impacts[entry.caller],
                 impacts[entry.implementer]);
        if (!holds(row, verdict)) fail_msg("%.*s: %s", TEXT_ARGS(what), verdict);
    }
    if (count != expected) fail_msg("%.*s: %zu changes", TEXT_ARGS(what), count);
    gramc_diff_free(diff);
    close_side(&old);
    close_side(&new);
}

static void test_i10_c14_changes(void **state) {
    struct buf table;
    size_t rows = 0;
    (void)state;
    buf_init(&table, NULL, LARGEST);
    read_file(&table, "tests/data/diff_changes.tsv");
    for (const char *at = table.ptr, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        if (*at == '#') continue;
        check_change((gramc_text){at, (size_t)(end - at)});
        rows++;
    }
    assert_true(rows >= 30);
    buf_free(&table);
}

/* ## The list */

static void test_list(void **state) {
    static const char *const codes[] = {"D209", "D201", "D203"};
    struct side old, new;
    gramc_diff_entry entry;
    gramc_diff *diff;
    (void)state;
    open_side(&old, "old.gram",
              GRAMC_TEXT("[t:Tool {description: \"d\"} | (a::Int)==>(b::Bool)==>(::Text)]"));
    open_side(
        &new, "new.gram",
        GRAMC_TEXT("[t:Tool {description: \"d\"} | (a::Int {min: 3})==>(c::Bool)==>(::Text)]"));
    assert_int_equal(gramc_diff_new(&diff, old.spec, new.spec, NULL), GRAMC_OK);
    assert_int_equal(gramc_diff_count(diff, GRAMC_IMPACT_BREAKING), 3);
    assert_int_equal(gramc_diff_count(diff, GRAMC_IMPACT_COSMETIC), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_true(gramc_diff_get(diff, i, &entry));
        assert_string_equal(entry.kind->code, codes[i]);
        assert_int_equal(entry.impact, GRAMC_IMPACT_BREAKING);
    }
    assert_false(gramc_diff_get(diff, 3, &entry));
    assert_true(text_is(entry.help, "was it renamed to `c`?"));
    assert_true(gramc_diff_get(diff, 0, &entry));
    assert_true(text_is(entry.example, "{\"a\":2} was accepted and is not any more"));
    assert_true(text_is(entry.old_file, "old.gram") && text_is(entry.new_file, "new.gram"));
    assert_true(gramc_diff_get(diff, 1, &entry));
    assert_int_equal(entry.old_file.len, 0);
    gramc_diff_free(diff);
    gramc_diff_free(NULL);
    close_side(&old);
    close_side(&new);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_i10_c14_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
