/* The parser: verdicts over tests/data/notation.tsv in both modes, what the tree holds, several
 * findings a file without echoes, expected tokens, limits, and memory that runs out at every
 * possible moment. */
#include "gram.h"

#include <stdio.h>

#include "notation.h"
#include "tests/printing/print_gram.h"
#include "tests/stated.h"

/* ## Verdicts */

struct verdict {
    const char *name;
    bool plain_accepts, default_accepts, plain_silent;
};

static const struct verdict verdicts[] = {{"both", true, true, true},
                                          {"default", false, true, false},
                                          {"none", false, false, false},
                                          {"late", true, true, false}};

static bool evaluate(gramc_text text, bool plain, bool *silent) {
    struct gram gram;
    gram_read_text(&gram, text, plain);
    bool accepts = gram_errors(&gram) == 0;
    *silent = gram_findings(&gram) == 0;
    if (accepts && plain) assert_true(gram.findings.counts[GRAMC_NOTE] == 0);
    gram_free(&gram);
    return accepts;
}

/* Returns false, having said why, if a row is not as it says. */
static bool check_row(const char *name, gramc_text text, const char *spelling) {
    const struct verdict *verdict = NULL;
    bool plain_silent, default_silent;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (strcmp(verdicts[i].name, name) == 0) verdict = &verdicts[i];
    assert_non_null(verdict);
    bool plain = evaluate(text, true, &plain_silent),
         usual = evaluate(text, false, &default_silent);
    bool fine = plain == verdict->plain_accepts && usual == verdict->default_accepts &&
                plain_silent == verdict->plain_silent && default_silent == usual;
    if (!fine)
        print_message("%s: plain %s, default %s, but the table says %s\n", spelling,
                      plain ? "accepts" : "rejects", usual ? "accepts" : "rejects", name);
    return fine;
}

/* In either order, with a mark in front or without: one error, and it is that. */
static void test_i10_c16_utf16(void **state) {
    static const char *const files[] = {"\xFF\xFE(\0a\0)\0\n", "\xFE\xFF\0(\0a\0)\0\n",
                                        "(\0a\0)\0\n\0", "\0(\0a\0)\0\n"};
    static const size_t lengths[] = {9, 10, 8, 8};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct gram gram;
        gram_read_text(&gram, (gramc_text){files[i], lengths[i]}, false);
        assert_int_equal(gram_errors(&gram), 1);
        assert_int_equal(gram.findings.first->id, D_WRONG_ENCODING);
        gram_free(&gram);
    }
}

static void test_notation(void **state) {
    struct notation row;
    int rows = 0, wrong = 0;
    (void)state;
    notation_open(&row);
    while (notation_next(&row)) {
        if (!check_row(row.verdict, row.text, row.spelling)) wrong++;
        rows++;
    }
    notation_close(&row);
    assert_int_equal(wrong, 0);
    assert_true(rows > 600);
}

/* ## Trees */

static void test_tree(void **state) {
    struct gram gram;
    (void)state;
    gram_read(&gram, "{k: 1}\n[t:Tool::X {d: 'a\\n'} | (p::T)<==(q), `r s`, -2] // c", false);
    const struct tree *tree = gram.tree;
    assert_int_equal(tree->pattern_count, 2);
    assert_true(tree->has_header);
    assert_int_equal(tree->patterns->kind, PATTERN_HEADER);
    const struct pattern *bracket = tree->patterns->next;
    assert_int_equal(bracket->kind, PATTERN_BRACKET);
    assert_int_equal(bracket->element_count, 3);
    assert_true(text_is(name_text(bracket->subject->identifier), "t"));
    assert_false(bracket->subject->labels->name.two_colons);
    assert_true(bracket->subject->labels->next->name.two_colons);
    assert_true(text_is(scalar_text(bracket->subject->properties->value), "a\n"));
    const struct pattern *path = bracket->elements;
    assert_int_equal(path->kind, PATTERN_PATH);
    assert_int_equal(path->element_count, 3);
    assert_int_equal(path->elements->next->kind, PATTERN_ARROW);
    assert_int_equal(path->elements->next->family, ARROW_DOUBLE);
    assert_int_equal(path->elements->next->direction, ARROW_LEFT);
    assert_int_equal(name_kind(path->next->subject->identifier), NAME_QUOTED);
    assert_int_equal(name_kind(path->next->next->subject->identifier), NAME_INTEGER);
    assert_true(text_is(source_slice(&gram.source, tree->comments->span), "// c"));
    assert_null(tree->comments->next);
    gram_free(&gram);
}

static void test_extensions_are_in_order(void **state) {
    static const uint8_t expected[] = {
        EXT_NESTED_VALUE,        EXT_EMPTY_ARRAY,      EXT_NESTED_VALUE,
        EXT_NESTED_VALUE,        EXT_MAP_DOUBLE_COLON, EXT_EXPONENT,
        EXT_DECIMAL_MEASUREMENT, EXT_STRING_NEWLINE,   EXT_UNICODE_ESCAPE};
    struct gram gram;
    uint32_t last = 0;
    size_t count = 0;
    (void)state;
    gram_read(&gram, "({a: [[], [{k:: 1e5}]], b: 1.5kg, c: \"\n\", d: \"\\u0041\"})", false);
    assert_int_equal(gram_findings(&gram), 0);
    bool seen[EXTENSION_COUNT] = {false};
    for (const struct extension_use *use = gram.tree->extensions; use; use = use->next, count++) {
        assert_true(use->span.start >= last);
        last = use->span.start;
        seen[use->extension] = true;
    }
    assert_int_equal(count, sizeof expected);
    for (int i = 0; i < EXTENSION_COUNT; i++) assert_true(seen[i]);
    gram_free(&gram);
}

/* ## Findings */

struct expectation {
    const char *text;
    const char *codes; /* of all findings, in order */
};

static const struct expectation mistakes[] = {
    {"[a | b c]", "G0101"},
    {"[a | b:B, c:C]", "G0101 G0101"},
    {"(a), (b), (c)", "G0101 G0101"},
    {"({a:1 b:2 c:3})", "G0101 G0101"},
    {"({a: \"x\" \"y\"})", "G0101"},
    {"({a: , b: 2})\n(c d)", "G0101 G0101"},
    {"(a)->(b)\n(c)--[r]-->(d)\n(e)=~>(f)", "G0101 G0101 G0101"},
    {"(a)-->[b | (c), (d)]\n(e f)", "G0101 G0101"},
    {"[a:Tool {d: \"x\" |\n (p)==>(r)\n]\n[b:Tool]", "G0107"},
    {"[a:Tool {d: \"x\"} |\n (p)==>(r\n]\n[b c]", "G0107 G0101"},
    {"[a:Tool {d: \"x\"} |\n (p)==>(r)\n\n[b:Tool | (c)]\n(d)", "G0107"},
    {"[a | [b | (c)\n", "G0107"},
    {"(a))\n(b))", "G0109 G0109"},
    {"(a]\n(b c)", "G0108 G0101"},
    {"({a: 08, b: 1kg2, c: .5, d: 5., e: +1})", "G0106 G0106 G0106 G0106 G0106"},
    {"({a: \"\\q\\z\"})", "G0104 G0104"},
    {"({a: \"x,\n b: \"y\"})\n(c d)", "G0102 G0101"},
    {"({a: \"x, b: 1})\n(c d)", "G0102 G0101"},
    {"({a: ```\nx\n})\n(c d)", "G0103"},
    {"({a: ```x```, b: 1 c})", "G0110 G0101"},
    {"({a: ```\nx````, b: 1 c: 2})", "G0111 G0101"},
    {"# one\n(a)\n/* two */ (b)", "G0112 G0112"},
    {"(caf\xC3\xA9)\n(\xC3\xA9t\xC3\xA9:X)", "G0105 G0105"},
    {"({a: \xE2\x80\x9Chi\xE2\x80\x9D, b: 1})", "G0105"},
    {"(a\xC2\xA0:B)", "G0105"},
    {"(p:T?)==>(q:U?)", "G0105 G0105"},
    {"({a: \"\xFF\"})", "G0113"},
    {"(\xFF)", "G0113"},
    {"(a)-->", "G0114"},
    {"@x(1)", "G0114"},
    {"@x() (a)\n@y (b) (c)", "G0101"},
    {"@x(", "G0107"},
    {"[|]", "G0101"},
    {"foo\n(a)\nbar\n(b)", "G0101 G0101"},
    {"(a) {x: 1}\n(b c)", "G0101 G0101"},
    {"[a | @x(1) (b), (c d)]", "G0101 G0101"},
    {"({a: (b), c: [d | e], f: 1})", "G0101 G0101"},
};

static void test_mistakes(void **state) {
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct gram gram;
        char codes[256] = "";
        gram_read(&gram, mistakes[i].text, false);
        for (const struct finding *f = gram.findings.first; f; f = f->next) {
            size_t len = strlen(codes);
            snprintf(codes + len, sizeof codes - len, "%s%s", len ? " " : "",
                     diag_row(f->id)->code);
            assert_true(f->span.start <= f->span.end && f->span.end <= gram.source.text.len);
        }
        if (strcmp(codes, mistakes[i].codes) != 0) {
            print_message("%s\n  gives %s, not %s\n", mistakes[i].text, codes, mistakes[i].codes);
            wrong++;
        }
        gram_free(&gram);
    }
    assert_int_equal(wrong, 0);
}

/* text, message of the first finding, something that its help says. */
static const char *const messages[][3] = {
    {"[a | b c]", "unexpected `c`, expected `,` or `]`", "comma"},
    {"[a | b,]", "unexpected `]`, expected an identifier, `(` or `[`", "remove the comma"},
    {"[a | b:B]", "unexpected `:`, expected `,` or `]`", "in brackets: (b:B)"},
    {"(a),(b)", "unexpected `,`, expected an arrow, `(`, `[`, an annotation or the end of the text",
     "not separated by commas"},
    {"(\"a\")", "unexpected `\"a\"`, expected an identifier, `:`, `{` or `)`", "backticks"},
    {"({'k': 1})", "unexpected `'k'`, expected a key or `}`", "double quotes"},
    {"(a)->(b)", NULL, "two halves"},
    {"(a)--[r]-->(b)", "unexpected `[`, expected `(`", "between the two halves"},
    {"(a)-[r]=>(b)", "unexpected `=>`, expected `-` or `->`", "one kind"},
    {"(a)-->[b]", "unexpected `[`, expected `(`", "joins nodes"},
    {"[a]-->(b)", NULL, "joins nodes"},
    {"[a | @x(1) (b)]", NULL, "annotations stand only"},
    {"(a:::B)", "unexpected `:`, expected a name", "`:` or `::`"},
    {"(:\"B\")", "unexpected `\"B\"`, expected a name", "backticks"},
    {"(:A|B)", NULL, "`AnyOf {of: [A, B]}`"},
    {"(:T?)", "`?` cannot stand here", "optional"},
    {"({a: +1})", "`+1` is no number", "leave out"},
    {"({a: .5})", "`.5` is no number", "0.5"},
    {"({a: 5.})", "`5.` is no number", "5.0"},
    {"({a: 08})", "`08` is no number", "octal"},
    {"({a: 1kg2})", "`1kg2` is no number", "ASCII letters"},
    {"({a: \"\\q\"})", "`\\q` is no escape", "\\uXXXX"},
    {"(a) /* b */", "`/*` begins no comment", "`//`"},
    {"-- x\n(a)", NULL, "`//`"},
    {"({a: 1..})", "unexpected `}`, expected a number", "1..5"},
    {"({a: 1...5})", NULL, "two dots"},
    {"(1.5)", NULL, "integers"},
    {"({a = 1})", "unexpected `=`, expected `:`", "key: value"},
    {"({a: (b)})", "unexpected `(`, expected a value", "not a value"},
    {"foo", NULL, "(a) or [a]"},
    {"(a) {k: 1}", NULL, "bare record"},
    {"@@ (a)", NULL, "`@@`"},
    {"@x() (a)", "unexpected `)`, expected a value", "@key(true)"},
    {"[a", "`[` is never closed", "close it with `]`"},
    {"(a]", "`]` does not close `(`", "close it with `)`"},
    {"[x:T d: 1]", NULL, "braces"},
    {"(a)==>", "the text ends too early, expected `(`", NULL},
};

static bool contains(gramc_text text, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, part, len) == 0) return true;
    return false;
}

static void test_messages(void **state) {
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct gram gram;
        gram_read(&gram, messages[i][0], false);
        const struct finding *finding = gram_finding(&gram, 0);
        bool fine = (!messages[i][1] || text_is(finding->message, messages[i][1])) &&
                    (!messages[i][2] || contains(finding->help, messages[i][2]));
        if (!fine) {
            print_message("%s\n  says %.*s\n  and %.*s\n", messages[i][0],
                          TEXT_ARGS(finding->message), TEXT_ARGS(finding->help));
            wrong++;
        }
        gram_free(&gram);
    }
    assert_int_equal(wrong, 0);
}

static void test_labels_point_at_openers(void **state) {
    struct gram gram;
    (void)state;
    gram_read(&gram, "[a | (b]", false);
    const struct finding *finding = gram_finding(&gram, 0);
    assert_int_equal(finding->span.start, 5);
    assert_int_equal(finding->label_count, 1);
    assert_int_equal(finding->labels[0].span.start, 7);
    gram_free(&gram);
}

/* With errors the tree holds what could be read. */
static void test_partial_tree(void **state) {
    struct gram gram;
    (void)state;
    gram_read(&gram, "(a) (b c) [d | e f, g] @x() (h) [i | (j", false);
    assert_true(gram_errors(&gram) >= 4);
    assert_int_equal(gram.tree->pattern_count, 5);
    assert_int_equal(gram.tree->patterns->next->next->element_count, 3);
    gram_free(&gram);
}

/* The finding list is bounded, and a text of nothing but mistakes ends soon. */
static void test_endless_mistakes(void **state) {
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    struct gram gram;
    (void)state;
    assert_non_null(text);
    static const char *const pieces[] = {"]", "(a b)", "[", "({a: 08 ", "\"\n", "a,", "@", "}"};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        size_t len = strlen(pieces[p]);
        for (size_t i = 0; i < SIZE; i++) text[i] = pieces[p][i % len];
        text[SIZE] = '\0';
        gram_read_text(&gram, (gramc_text){text, SIZE}, false);
        assert_true(gram_errors(&gram) >= 1 && gram_errors(&gram) <= 101);
        gram_free(&gram);
    }
    free(text);
}

/* ## The rows of diag/diag.def */

static void assert_example(enum diag_id id, const char *text, bool is_bad) {
    const struct diag_row *row = diag_row(id);
    struct gram gram;
    gram_read(&gram, text, row->code[2] == '5');
    if (is_bad) {
        if (gram_findings(&gram) != 1) print_message("%s: %s\n", row->code, text);
        assert_int_equal(gram_findings(&gram), 1);
        assert_string_equal(diag_row(gram_finding(&gram, 0)->id)->code, row->code);
    } else {
        assert_int_equal(gram_findings(&gram), 0);
    }
    gram_free(&gram);
}

static void test_examples(void **state) {
    int count = 0;
    (void)state;
    for (int id = 0; id < DIAG_COUNT; id++) {
        const struct diag_row *row = diag_row((enum diag_id)id);
        bool ours = row->code[2] == '1' || row->code[2] == '5' || row->code[2] == '6';
        if (!ours) continue;
        assert_true(strlen(row->explanation) > 40);
        assert_example((enum diag_id)id, row->good, false);
        /* One example is words: test_nesting_of_brackets has the text. The other is fmt's. */
        bool is_shown_otherwise = id == D_NESTING_TOO_DEEP || id == D_NOT_PORTABLE;
        if (!is_shown_otherwise) assert_example((enum diag_id)id, row->bad, true);
        count++;
    }
    assert_true(count > 20);
}

/* ## Limits */

/* n times `open`, once `middle`, n times `close`. */
static char *nested(const char *open, const char *middle, const char *close, size_t n) {
    size_t a = strlen(open), b = strlen(middle), c = strlen(close);
    char *text = malloc(n * (a + c) + b + 1), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < n; i++, at += a) memcpy(at, open, a);
    memcpy(at, middle, b);
    at += b;
    for (size_t i = 0; i < n; i++, at += c) memcpy(at, close, c);
    *at = '\0';
    return text;
}

static void print_all(const struct gram *gram) {
    static void (*const printers[])(struct buf *, const struct tree *) = {print_json, print_sexp,
                                                                          print_text, print_gram};
    for (size_t i = 0; i < 4; i++) {
        struct buf out = gram_print(gram, printers[i]);
        assert_true(out.len > 0);
        buf_free(&out);
    }
}

static void assert_nested(const char *open, const char *middle, const char *close, size_t n,
                          const char *code) {
    struct gram gram;
    char *text = nested(open, middle, close, n);
    gram_read(&gram, text, false);
    if (code) {
        assert_int_equal(gram_findings(&gram), 1);
        assert_string_equal(diag_row(gram_finding(&gram, 0)->id)->code, code);
    } else {
        assert_int_equal(gram_findings(&gram), 0);
        print_all(&gram);
    }
    gram_free(&gram);
    free(text);
}

static void test_nesting_of_brackets(void **state) {
    (void)state;
    STATED(PARSE_MAX_DEPTH, 1024, "G0601");
    assert_nested("[a | x, ", "b", "]", PARSE_MAX_DEPTH, NULL);
    assert_nested("[a | x, ", "b", "]", PARSE_MAX_DEPTH + 1, "G0601");
    assert_nested("[a | x, ", "b", "]", 100000, "G0601");
    assert_nested("[a | x, ", "b", "", 100000, "G0601");
}

static void test_nesting_of_values(void **state) {
    (void)state;
    assert_nested("{k: 1, j: ", "1", "}", PARSE_MAX_DEPTH, NULL);
    assert_nested("{k: 1, j: ", "1", "}", PARSE_MAX_DEPTH + 1, "G0601");
    assert_nested("{k: [1, ", "1", "]}", PARSE_MAX_DEPTH / 2, NULL);
    assert_nested("{k: [1, ", "1", "]}", 50000, "G0601");
}

static void test_long_path(void **state) {
    enum { STEPS = 100000 };
    struct gram gram;
    (void)state;
    char *text = nested("(a)-[r:R]->", "(b)", "", STEPS);
    gram_read(&gram, text, true);
    assert_int_equal(gram_findings(&gram), 0);
    assert_int_equal(gram.tree->pattern_count, 1);
    assert_int_equal(gram.tree->patterns->element_count, 2 * STEPS + 1);
    print_all(&gram);
    gram_free(&gram);
    free(text);
}

static void test_long_string(void **state) {
    struct gram gram;
    (void)state;
    char *text = nested("xxxxxxxxx ", "", "", 1000000);
    char *whole = malloc(strlen(text) + 32);
    assert_non_null(whole);
    int len = snprintf(whole, strlen(text) + 32, "({k: \"%s\"})", text);
    gram_read_text(&gram, (gramc_text){whole, (size_t)len}, true);
    assert_int_equal(gram_findings(&gram), 0);
    assert_int_equal(scalar_text(gram.tree->patterns->subject->properties->value).len, 10000000);
    gram_free(&gram);
    free(whole);
    free(text);
}

static void test_many_tools(void **state) {
    struct gram gram;
    (void)state;
    char *text = nested("[t:Tool {description: \"d\"} | (a::Text)==>(::Text)]\n", "", "", 100000);
    gram_read(&gram, text, false);
    assert_int_equal(gram_findings(&gram), 0);
    assert_int_equal(gram.tree->pattern_count, 100000);
    gram_free(&gram);
    free(text);
}

/* ## Memory that runs out */

struct budget {
    long left, taken, live;
};

static void *budget_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    struct budget *budget = ctx;
    (void)old_size;
    if (new_size == 0) {
        if (ptr) budget->live--;
        free(ptr);
        return NULL;
    }
    budget->taken++;
    if (budget->left-- <= 0) return NULL;
    void *fresh = realloc(ptr, new_size);
    if (fresh && !ptr) budget->live++;
    return fresh;
}

static void parse_with(struct budget *budget, const char *text) {
    gramc_allocator allocator = {budget_alloc, budget};
    struct arena arena;
    struct findings findings;
    struct source source = {.name = TEXT("test"), .text = text_of(text)};
    arena_init(&arena, &allocator);
    findings_init(&findings, &arena, 0);
    struct tree *tree = parse_source(&arena, &findings, &source, NULL);
    assert_true(tree || arena.oom);
    if (tree) {
        struct buf out;
        buf_init(&out, &allocator, 1 << 20);
        print_json(&out, tree);
        print_sexp(&out, tree);
        print_text(&out, tree);
        print_gram(&out, tree);
        buf_free(&out);
    }
    arena_free(&arena);
    assert_int_equal(budget->live, 0);
}

static void test_no_memory(void **state) {
    static const char *const texts[] = {
        "{a: 0xFFFF}[t:Tool {d: 'a\\n', e: [[1e5], {}]} | (p::T)==>(::R), q] @x(1) (a) // c",
        "[a | b c] (d]) ({e: 08, f: \"\\q\"}) (g:H?) [i | (j"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct budget all = {1L << 30, 0, 0};
        parse_with(&all, texts[i]);
        assert_true(all.taken > 5);
        for (long n = 0; n < all.taken; n++) {
            struct budget some = {n, 0, 0};
            parse_with(&some, texts[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notation),
        cmocka_unit_test(test_i10_c16_utf16),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_extensions_are_in_order),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_labels_point_at_openers),
        cmocka_unit_test(test_partial_tree),
        cmocka_unit_test(test_endless_mistakes),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_nesting_of_brackets),
        cmocka_unit_test(test_nesting_of_values),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_long_string),
        cmocka_unit_test(test_many_tools),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
