/* The lexer: which token, where it begins and ends, what the longest match decides, and that every
 * code of the parser has a name for messages. */
#include "gram.h"

#include "grammar/recovery.h"
#include "grammar/lexer.h"
#include "grammar/string.h"
#include "parser.h"

static void assert_tokens(const char *text, const int *codes, size_t count) {
    struct source source = {.text = text_of(text)};
    struct lexer lexer;
    lexer_init(&lexer, &source);
    for (size_t i = 0; i < count; i++) {
        struct token token = lexer_next(&lexer);
        if (token.code != codes[i]) print_message("%s: token %zu\n", text, i);
        assert_int_equal(token.code, codes[i]);
        assert_true(token.start < token.end && token.end <= source.text.len);
    }
    assert_int_equal(lexer_next(&lexer).code, 0);
    assert_int_equal(lexer_next(&lexer).code, 0);
}
#define TOKENS(text, ...)                                                                          \
    assert_tokens(text, (const int[]){__VA_ARGS__},                                                \
                  sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void test_punctuation(void **state) {
    (void)state;
    TOKENS("()[]{},|", TK_LPAREN, TK_RPAREN, TK_LBRACKET, TK_RBRACKET, TK_LBRACE, TK_RBRACE,
           TK_COMMA, TK_BAR);
    TOKENS(":::@@@", TK_COLONCOLON, TK_COLON, TK_ATAT, TK_AT);
    TOKENS("......", TK_ELLIPSIS, TK_ELLIPSIS);
    TOKENS(".. ...", TK_DOTDOT, TK_ELLIPSIS);
}

static void test_arrows(void **state) {
    (void)state;
    TOKENS("-->", TK_DASH, TK_DASH_RIGHT);
    TOKENS("<-->", TK_DASH_LEFT, TK_DASH_RIGHT);
    TOKENS("<==", TK_EQUALS_LEFT, TK_EQUALS);
    TOKENS("==>", TK_EQUALS, TK_EQUALS_RIGHT);
    TOKENS("<~~>", TK_TILDE_LEFT, TK_TILDE_RIGHT);
    TOKENS("~~", TK_TILDE, TK_TILDE);
}

static void test_words(void **state) {
    (void)state;
    TOKENS("a--b a..b a... _", TK_SYMBOL, TK_SYMBOL, TK_SYMBOL, TK_SYMBOL);
    TOKENS("true false truex true-ish", TK_TRUE, TK_FALSE, TK_SYMBOL, TK_SYMBOL);
    TOKENS("p@x", TK_SYMBOL);
}

static void test_numbers(void **state) {
    (void)state;
    TOKENS("0 -0 12 1.5 -0.5", TK_INTEGER, TK_INTEGER, TK_INTEGER, TK_DECIMAL, TK_DECIMAL);
    TOKENS("0xff 00 07 0x 0xG 0XFF", TK_HEXADECIMAL, TK_OCTAL, TK_OCTAL, TK_MEASUREMENT,
           TK_MEASUREMENT, TK_MEASUREMENT);
    TOKENS("0x1G", TK_HEXADECIMAL, TK_SYMBOL);
    TOKENS("1e 1e5 1.5e-3 1e+", TK_MEASUREMENT, TK_EXPONENT, TK_EXPONENT, TK_MEASUREMENT,
           LEX_STRAY);
    TOKENS("5kg 1.5kg", TK_MEASUREMENT, TK_DECIMAL_MEASUREMENT);
    TOKENS("1..2", TK_INTEGER, TK_DOTDOT, TK_INTEGER);
    TOKENS("1.5...", TK_DECIMAL, TK_ELLIPSIS);
    TOKENS("08 -01 .5 +1 5.", LEX_BAD_NUMBER, LEX_BAD_NUMBER, LEX_BAD_NUMBER, LEX_BAD_NUMBER,
           TK_INTEGER, LEX_STRAY);
}

static void test_strings(void **state) {
    (void)state;
    TOKENS("'a' \"b\" `c` `` ''", TK_SINGLE, TK_DOUBLE, TK_BACKTICK, TK_BACKTICK, TK_SINGLE);
    TOKENS("\"//x\" ' // y'", TK_DOUBLE, TK_SINGLE);
    TOKENS("\"a\\\"b\"", TK_DOUBLE);
    TOKENS("\"a", LEX_UNTERMINATED_STRING);
    TOKENS("\"a\\", LEX_UNTERMINATED_STRING);
    TOKENS("```\nx``` ```md\n```", TK_FENCE, TK_FENCE);
    TOKENS("```\nx````", LEX_FOUR_BACKTICKS);
    TOKENS("```\nx``", LEX_UNTERMINATED_FENCE);
    TOKENS("```x", LEX_BAD_FENCE, TK_SYMBOL);
    TOKENS("// a\n//", LEX_COMMENT, LEX_COMMENT);
    TOKENS("/*", LEX_BLOCK_COMMENT);
}

/* A quote at each distance from the start and the end of the words that are read at once. */
static void test_string_ends(void **state) {
    char text[64];
    (void)state;
    for (size_t body = 0; body < 40; body++) {
        size_t len = body + 2;
        memset(text, 'x', sizeof text);
        text[0] = text[body + 1] = '"';
        text[len] = '\0';
        struct source source = {.text = {text, len}};
        struct lexer lexer;
        lexer_init(&lexer, &source);
        struct token token = lexer_next(&lexer);
        assert_int_equal(token.code, TK_DOUBLE);
        assert_int_equal(token.end, len);
        assert_int_equal(token.flags, 0);
    }
}

static void test_string_flags(void **state) {
    static const struct {
        const char *text;
        unsigned flags;
    } rows[] = {{"'abc'", 0},
                {"'a\\nbcdefghijk'", TOKEN_ESCAPES},
                {"'abcdefghij\nk'", TOKEN_NEWLINE},
                {"'\\\n'", TOKEN_ESCAPES | TOKEN_NEWLINE},
                {"'\n\\t'", TOKEN_ESCAPES | TOKEN_NEWLINE}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct source source = {.text = text_of(rows[i].text)};
        struct lexer lexer;
        lexer_init(&lexer, &source);
        assert_int_equal(lexer_next(&lexer).flags, rows[i].flags);
    }
}

static void test_spans(void **state) {
    struct source source = {.text = TEXT("\xEF\xBB\xBF (ab\n::C)")};
    struct lexer lexer;
    (void)state;
    lexer_init(&lexer, &source);
    static const uint32_t spans[][2] = {{4, 5}, {5, 7}, {8, 10}, {10, 11}, {11, 12}};
    for (size_t i = 0; i < 5; i++) {
        struct token token = lexer_next(&lexer);
        assert_int_equal(token.start, spans[i][0]);
        assert_int_equal(token.end, spans[i][1]);
    }
}

static void test_nul_is_a_token(void **state) {
    struct source source = {.text = {"a\0b", 3}};
    struct lexer lexer;
    (void)state;
    lexer_init(&lexer, &source);
    assert_int_equal(lexer_next(&lexer).code, TK_SYMBOL);
    assert_int_equal(lexer_next(&lexer).code, LEX_NUL);
    assert_int_equal(lexer_next(&lexer).code, TK_SYMBOL);
    assert_int_equal(lexer_next(&lexer).code, 0);
}

/* A new token without a name would print as nothing in "expected ...". */
static void test_every_code_has_a_name(void **state) {
    (void)state;
    for (uint16_t code = 0; code <= TK_ELLIPSIS; code++) {
        const char *name = expected_name(code);
        if (!name) print_message("token %u has no name\n", (unsigned)code);
        assert_non_null(name);
    }
    assert_null(expected_name(TK_ELLIPSIS + 1));
}

static void assert_fence(const char *fence, const char *tag, const char *content) {
    gramc_text text = text_of(fence);
    assert_true(text_is(fence_tag(text), tag));
    assert_true(text_is(fence_content(text), content));
}

static void test_fences(void **state) {
    (void)state;
    assert_fence("```\n```", "", "");
    assert_fence("```\nx```", "", "x");
    assert_fence("```md\n  x\n ```", "md", "  x\n ");
    assert_fence("``` a.b-c //c\n\n \t\n x```", "a.b-c", " x");
    assert_fence("```\r\nx\r\n```", "", "x\r\n");
    assert_fence("```\n \n  ```", "", "");
    assert_fence("```//c\n//d\n```", "", "//d\n");
}

static void test_escapes(void **state) {
    static const struct {
        const char *text;
        uint32_t code_point;
        size_t taken;
    } rows[] = {{"\\n", '\n', 2},
                {"\\/", '/', 2},
                {"\\\"", '"', 2},
                {"\\'", 0, 0},
                {"\\q", 0, 0},
                {"\\", 0, 0},
                {"\\u0041", 'A', 6},
                {"\\u004", 0, 0},
                {"\\ud83d\\ude00", 0x1F600, 12},
                {"\\ud83d\\u0041", 0, 0},
                {"\\udc00", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t code_point = 0;
        assert_int_equal(string_escape(text_of(rows[i].text), '"', &code_point), rows[i].taken);
        if (rows[i].taken) assert_int_equal(code_point, rows[i].code_point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_punctuation),    cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_words),          cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings),        cmocka_unit_test(test_string_ends),
        cmocka_unit_test(test_string_flags),   cmocka_unit_test(test_spans),
        cmocka_unit_test(test_nul_is_a_token), cmocka_unit_test(test_every_code_has_a_name),
        cmocka_unit_test(test_fences),         cmocka_unit_test(test_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
