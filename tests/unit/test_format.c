/* Formatting: the same patterns, comments and compiled agents, and nothing more to do the second
 * time; over the specs, the inputs of the golden cases, the accepted rows of the notation table and
 * random texts with comments in every gap. And memory that runs out at every possible moment. */
#include "gram.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "gramc/compile.h"
#include "grammar/lexer.h"
#include "notation.h"
#include "random_gram.h"

enum { MOST_OUTPUT = 1 << 28, LONG_RUN = 3000 };

/* ## The property */

static gramc_status format(struct buf *out, gramc_text text, bool portable) {
    gramc_format_options options = GRAMC_FORMAT_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.portable = portable;
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    buf_init(out, NULL, MOST_OUTPUT);
    gramc_status status = gramc_add_source(compilation, TEXT("t"), text.ptr, text.len);
    if (status == GRAMC_OK) status = gramc_source_format(compilation, 0, &options, buf_writer(out));
    gramc_compilation_free(compilation);
    if (!out->ptr) buf_put(out, "", 0);
    return status;
}

static struct buf canonical(gramc_text text) {
    struct gram gram;
    gram_read_text(&gram, text, false);
    struct buf json = gram_print(&gram, print_json);
    gram_free(&gram);
    return json;
}

static size_t comments_in(gramc_text text) {
    struct gram gram;
    size_t count = 0;
    gram_read_text(&gram, text, false);
    for (const struct comment *c = gram.tree->comments; c; c = c->next) count++;
    gram_free(&gram);
    return count;
}

static void assert_same(const struct buf *a, const struct buf *b, gramc_text text) {
    if (!text_eq(buf_view(a), buf_view(b)))
        print_message("%.*s\n=>\n%s\n=>\n%s\n", TEXT_ARGS(text), a->ptr, b->ptr);
    assert_true(text_eq(buf_view(a), buf_view(b)));
}

/* The JSON of trees names properties, so it is compared only where none is renamed. */
static void assert_formats(gramc_text text, bool renames) {
    struct buf once, twice;
    gramc_status status = format(&once, text, false);
    if (status != GRAMC_OK) print_message("%.*s\n", TEXT_ARGS(text));
    assert_int_equal(status, GRAMC_OK);
    assert_int_equal(format(&twice, buf_view(&once), false), GRAMC_OK);
    assert_same(&once, &twice, text);
    assert_int_equal(comments_in(text), comments_in(buf_view(&once)));
    assert_true(once.len == 0 || once.ptr[once.len - 1] == '\n');
    if (!renames) {
        struct buf before = canonical(text), after = canonical(buf_view(&once));
        assert_same(&before, &after, text);
        buf_free(&before);
        buf_free(&after);
    }
    buf_free(&once);
    buf_free(&twice);
}

/* What is written portably is written portably already. */
static bool assert_portable(gramc_text text) {
    struct buf once, twice;
    gramc_status status = format(&once, text, true);
    assert_true(status == GRAMC_OK || status == GRAMC_FINDINGS);
    if (status == GRAMC_OK) {
        assert_int_equal(format(&twice, buf_view(&once), true), GRAMC_OK);
        assert_same(&once, &twice, text);
        buf_free(&twice);
    }
    buf_free(&once);
    return status == GRAMC_OK;
}

/* ## Files */

static struct buf bundle(gramc_text text) {
    gramc_compilation *compilation;
    const gramc_spec *spec;
    struct buf out;
    buf_init(&out, NULL, MOST_OUTPUT);
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    if (gramc_add_source(compilation, TEXT("t"), text.ptr, text.len) == GRAMC_OK &&
        gramc_compile(&spec, compilation) == GRAMC_OK)
        assert_int_equal(gramc_emit(spec, NULL, TEXT("bundle"), buf_writer(&out)), GRAMC_OK);
    gramc_compilation_free(compilation);
    return out;
}

static bool is_fine(gramc_text text) {
    struct gram gram;
    gram_read_text(&gram, text, false);
    bool fine = gram_errors(&gram) == 0;
    gram_free(&gram);
    return fine;
}

/* True if it could be checked: a text with errors is left alone. */
static bool check_spec(gramc_text text) {
    struct buf out;
    if (!is_fine(text)) {
        assert_int_equal(format(&out, text, false), GRAMC_FINDINGS);
        assert_int_equal(out.len, 0);
        buf_free(&out);
        return false;
    }
    assert_formats(text, true);
    assert_portable(text);
    assert_int_equal(format(&out, text, false), GRAMC_OK);
    struct buf before = bundle(text), after = bundle(buf_view(&out));
    assert_same(&before, &after, text);
    buf_free(&before);
    buf_free(&after);
    buf_free(&out);
    return true;
}

static char *read_whole(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

/* The sections `--- file x.gram` and `--- stdin` of a golden case. */
static size_t check_sections(const char *path) {
    size_t evaluated = 0;
    char *text = read_whole(path);
    for (char *at = strstr(text, "\n--- "); at;) {
        char *body = strchr(at + 1, '\n'), *next = body ? strstr(body, "\n--- ") : NULL;
        if (!body) break;
        *body++ = '\0';
        if (next) next[1] = '\0';
        bool is_gram = strstr(at + 1, ".gram") || strcmp(at + 1, "--- stdin") == 0;
        char *copy = calloc(1, strlen(body) + 1);
        memcpy(copy, body, strlen(body));
        if (is_gram) evaluated += check_spec(text_of(copy));
        free(copy);
        if (next) next[1] = '-';
        at = next;
    }
    free(text);
    return evaluated;
}

static size_t check_file(const char *path) {
    size_t evaluated;
    if (strstr(path, ".test")) return check_sections(path);
    if (!strstr(path, ".gram")) return 0;
    char *text = read_whole(path);
    evaluated = check_spec(text_of(text));
    free(text);
    return evaluated;
}

static size_t check_folder(const char *path) {
    struct stat st;
    size_t evaluated = 0;
    DIR *folder = opendir(path);
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[2048];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &st) == 0)
            evaluated += S_ISDIR(st.st_mode) ? check_folder(name) : check_file(name);
    }
    closedir(folder);
    return evaluated;
}

static size_t check_ours(const char *name) {
    char path[1024];
    const char *folder = getenv("GRAMC_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    return check_folder(path);
}

static void test_files(void **state) {
    (void)state;
    assert_true(check_ours("specs") >= 5);
    assert_true(check_ours("tests/golden") >= 60);
}

/* ## Rows and random texts */

static void test_notation(void **state) {
    struct notation row;
    size_t accepted = 0, portable = 0;
    (void)state;
    notation_open(&row);
    while (notation_next(&row)) {
        if (strcmp(row.verdict, "none") == 0) continue;
        assert_formats(row.text, false);
        portable += assert_portable(row.text);
        accepted++;
    }
    notation_close(&row);
    assert_true(accepted > 250);
    assert_true(portable > 150 && portable < accepted);
}

/* Puts a gap of its own between any two tokens. */
static void scatter(struct random *random) {
    struct buf text = random->out;
    struct source source = {.text = buf_view(&text)};
    struct lexer lexer;
    uint32_t end = 0;
    lexer_init(&lexer, &source);
    buf_init(&random->out, NULL, MOST_OUTPUT);
    for (struct token t = lexer_next(&lexer); t.code; t = lexer_next(&lexer)) {
        buf_text(&random->out, text_slice(source.text, end, t.start));
        buf_puts(&random->out, PICK(random, "", "", "", "", "\n", "  ", "\t\n\n\n ", " // a\n",
                                    "\r\n //b \r\n\n", "// //  c\n", "\f", "\n// d\n// e\n"));
        buf_text(&random->out, text_slice(source.text, t.start, t.end));
        end = t.end;
    }
    buf_text(&random->out, text_slice(source.text, end, source.text.len));
    buf_free(&text);
}

static void test_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= LONG_RUN; seed++) {
        struct random random = {.state = seed * UINT64_C(0x9E3779B97F4A7C15)};
        buf_init(&random.out, NULL, MOST_OUTPUT);
        buf_puts(&random.out, "\n");
        put_document(&random);
        if (seed % 3) scatter(&random);
        assert_int_equal(buf_status(&random.out), GRAMC_OK);
        assert_formats(buf_view(&random.out), false);
        assert_portable(buf_view(&random.out));
        buf_free(&random.out);
    }
}

/* ## Single rules */

static const char *const pairs[][2] = {
    {"", ""},
    {"// c", "// c\n"},
    {"\xEF\xBB\xBF\n\n(a)\r\n\r\n\r\n\r\n( b )", "(a)\n\n(b)\n"},
    {"({k:'a\r\nb'})\r\n", "({\n  k: 'a\r\nb'\n})\n"},
    {"[|a]", "[| a]\n"},
    {"(`a b`:`C`{`k`:`v`,\"l\":1,\"m n\":2})", "(`a b`:C {k: `v`, l: 1, \"m n\": 2})\n"},
    {"[`true`|`false`,`truex`]", "[`true` | `false`, truex]\n"},
    {"(a::B)~~>(c)<--(d)", "(a:B)~~>(c)<--(d)\n"},
    {"[t:Tool | (a:B)~~>(c:D)<--(d)]", "[t:Tool | (a::B)==>(c::D)<==(d)]\n"},
    {"[t:Tool | (a:Int {minimum:1,min:2,maximum:3})-[r]->(:Text)]",
     "[t:Tool | (a::Int {minimum: 1, min: 2, max: 3})=[r]=>(::Text)]\n"},
    {"[t:Tool | (a:Any {default:{minimum:1}, schema:json`{\"minimum\":1}`})-->(:Text)]",
     "[t:Tool | (a::Any {default: {minimum: 1}, schema: json`{\"minimum\":1}`})==>(::Text)]\n"},
    {"(a {minimum: 1, \"minimum\": 2})", "(a {minimum: 1, minimum: 2})\n"},
    {"({k:json`{\"p\":\"\\\\\\\\d\"}`})", "({\n  k: ```json\n{\"p\":\"\\\\d\"}```\n})\n"},
    {"({k:json`\"a\\`\"`})", "({\n  k: ```json\n\"a`\"```\n})\n"},
    {"({k:json`{}`})", "({k: json`{}`})\n"},
    {"({k: x `y` , r : 1 .. 2, s: 3 ...})", "({k: x`y`, r: 1..2, s: 3...})\n"},
    {"(a // b\n)", "(a // b\n)\n"},
    {"[a // b\n | // c\n d // e\n , f]", "[a | // b\n  // c\n  d, // e\n  f\n]\n"},
    {"@x(1)(a)", "@x(1) (a)\n"},
    {"@x(1)//c\n(a)", "@x(1) //c\n(a)\n"},
};

static void test_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct buf out;
        assert_int_equal(format(&out, text_of(pairs[i][0]), false), GRAMC_OK);
        assert_string_equal(out.ptr, pairs[i][1]);
        buf_free(&out);
    }
}

static void test_portable(void **state) {
    static const char *const refused[] = {"[a | -2]",
                                          "[a | `b c`]",
                                          "({k: []})",
                                          "({k: 1.5..2})",
                                          "(truex)",
                                          "({k: 0x1F})",
                                          "({k: 017})",
                                          "({k: ```md\nx\ny```})",
                                          "({k: truex`y`})",
                                          "({k: md`\\``})",
                                          "({`//x`: 1})",
                                          "({k: 1e5})",
                                          "({k: falsy, l: falsex})",
                                          "(a)-- // c\n(b)",
                                          "({k: [1, // c\n2]})",
                                          "({k: 9223372036854775808})"};
    struct buf out;
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (assert_portable(text_of(refused[i]))) print_message("%s\n", refused[i]);
        assert_false(assert_portable(text_of(refused[i])));
    }
    assert_int_equal(format(&out, TEXT("[t:Tool | (`truex`::Text)-->(::Int)]"), true), GRAMC_OK);
    assert_string_equal(out.ptr, "[t:Tool | (`truex`:Text)==>(:Int)]\n");
    buf_free(&out);
}

/* One line, whatever its width. */
static void test_portable_arrays(void **state) {
    struct buf out;
    (void)state;
    assert_int_equal(
        format(&out,
               TEXT("({k: [\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n"
                    "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"]})"),
               true),
        GRAMC_OK);
    assert_string_equal(
        out.ptr, "({\n  k: [\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", "
                 "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"]\n})\n");
    buf_free(&out);
}

/* Deep nesting costs no more than its size. */
static void test_deep(void **state) {
    enum { DEEP = PARSE_MAX_DEPTH };
    struct buf text, out;
    (void)state;
    buf_init(&text, NULL, MOST_OUTPUT);
    for (int i = 0; i < DEEP; i++) buf_puts(&text, i + 1 < DEEP ? "[a|" : "[a");
    for (int i = 0; i < DEEP; i++) buf_putc(&text, ']');
    assert_int_equal(format(&out, buf_view(&text), false), GRAMC_OK);
    assert_true(out.len < (size_t)200 * DEEP);
    buf_free(&out);
    buf_free(&text);
}

/* ## Memory */

struct budget {
    long left;
};

static void *budget_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct budget *budget = ctx;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return budget->left-- > 0 ? realloc(ptr, new_size) : NULL;
}

static gramc_status format_within(long calls, const char *text, struct buf *out) {
    struct budget budget = {calls};
    gramc_allocator allocator = {budget_alloc, &budget};
    gramc_options options = GRAMC_OPTIONS_INIT;
    gramc_format_options portable = GRAMC_FORMAT_OPTIONS_INIT;
    gramc_compilation *compilation;
    options.allocator = &allocator;
    portable.portable = true;
    if (gramc_compilation_new(&compilation, &options)) return GRAMC_NOMEM;
    gramc_status status = gramc_add_source(compilation, TEXT("t"), text, strlen(text));
    if (status == GRAMC_OK) status = gramc_source_format(compilation, 0, NULL, buf_writer(out));
    if (status == GRAMC_OK) {
        buf_reset(out);
        status = gramc_source_format(compilation, 0, &portable, buf_writer(out));
    }
    gramc_compilation_free(compilation);
    return status;
}

static void test_no_memory(void **state) {
    static const char text[] = "// c\n[a:Agent {k: json`\"\\\\\\\\\"`} |\n"
                               "[t:Tool | (`x`:Int {minimum: 1})-->(:Text)]]";
    gramc_status status = GRAMC_NOMEM;
    long calls = 0;
    (void)state;
    for (; status == GRAMC_NOMEM; calls++) {
        struct buf out;
        buf_init(&out, NULL, 1 << 20);
        status = format_within(calls, text, &out);
        if (status == GRAMC_OK)
            assert_string_equal(out.ptr, "// c\n[a:Agent {k: json`\"\\\\\\\\\"`} | "
                                         "[t:Tool | (x:Int {min: 1})==>(:Text)]]\n");
        buf_free(&out);
        assert_true(calls < 1000);
    }
    assert_int_equal(status, GRAMC_OK);
    assert_true(calls > 8);
}

static void test_usage(void **state) {
    gramc_compilation *compilation;
    gramc_source source;
    struct buf out;
    (void)state;
    buf_init(&out, NULL, 100);
    assert_int_equal(gramc_compilation_new(&compilation, NULL), GRAMC_OK);
    assert_int_equal(gramc_source_count(compilation), 0);
    assert_int_equal(gramc_source_format(compilation, 0, NULL, buf_writer(&out)), GRAMC_NOT_FOUND);
    assert_int_equal(gramc_add_source(compilation, TEXT("bad"), "(a", 2), GRAMC_FINDINGS);
    assert_int_equal(gramc_add_source(compilation, TEXT("good"), "(a )", 4), GRAMC_OK);
    assert_int_equal(gramc_source_count(compilation), 2);
    assert_true(gramc_source_get(compilation, 0, &source) && source.has_errors);
    assert_true(gramc_source_get(compilation, 1, &source) && !source.has_errors);
    assert_true(text_is(source.name, "good") && text_is(source.text, "(a )"));
    assert_false(gramc_source_get(compilation, 2, &source));
    assert_int_equal(gramc_source_format(compilation, 0, NULL, buf_writer(&out)), GRAMC_FINDINGS);
    assert_int_equal(gramc_source_format(compilation, 1, NULL, buf_writer(&out)), GRAMC_OK);
    assert_string_equal(out.ptr, "(a)\n");
    gramc_compilation_free(compilation);
    buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_notation), cmocka_unit_test(test_random),
        cmocka_unit_test(test_portable), cmocka_unit_test(test_portable_arrays),
        cmocka_unit_test(test_deep),     cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
