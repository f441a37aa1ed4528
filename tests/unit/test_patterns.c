/* Patterns as ECMA-262 means them with the u flag, those above all for which PCRE2 has no words or
 * other ones: each row was asked of V8 too (tests/peers/patterns.mjs asks about random ones). And
 * what a pattern costs in memory, and its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "jsonschema/regex.h"

static const struct {
    const char *pattern, *text;
    bool matches;
} patterns[] = {
    /* sets beside a property */
    {"^[^\\W\\p{Lu}]+$", "東", false},
    {"^[^\\W\\p{Lu}]+$", "a_1", true},
    {"^[\\D\\p{Nd}]+$", "1東a", true},
    {"^[^\\D\\P{L}]$", "東", false},
    /* classes that match nothing */
    {"^a[]*b$", "ab", true},
    {"^a[]+b$", "ab", false},
    {"^a[]?b|[]$", "ab", true},
    {"^[^]$", "\n", true},
    /* references ahead, to their own group, and into a loop */
    {"^\\1(a)$", "a", true},
    {"^(a\\1)$", "a", true},
    {"^(?:\\1(a))+$", "aaa", true},
    {"^(?:(a)|b)*\\1$", "ab", true},
    {"^(?:(a)|(b)\\1)+$", "ab", true},
    {"^(?:(a)|(b)\\1)+$", "aba", true},
    {"^(?:(a)|b)+\\1c$", "baac", true},
    {"^(?!(a))\\1b$", "b", true},
    {"^(?=(a+))\\1$", "aaa", true},
    {"^(?:(?=(a))|b)\\1$", "a", true},
    {"^([\"']).*\\1$", "'x'", true},
    {"^([\"']).*\\1$", "'x\"", false},
    {"^(?<\xc3\xa9>a|b)\\k<\xc3\xa9>$", "bb", true},
    {"^(?<$>a|b)\\k<$>$", "ab", false},
    /* lookbehind of any length, read towards the start */
    {"(?<=a+)b", "aab", true},
    {"(?<=^a*)b", "aab", true},
    {"(?<=^a*)b", "cab", false},
    {"(?<!a+|bc)d", "bcd", false},
    {"(?<!a+|bc)d", "xd", true},
    {"(?<=\\1(a|東)*)c", "東c", true},
    {"(?<=(.)\\1)c", "abc", true},
    {"(?<=\\1(.))c", "abc", false},
    {"(?<=\\1(.))c", "bbc", true},
    {"(?<=\\b東{1,2}?)c", "a東c", true},
    {"^(?:a{0,2}?b(?<=a*b)){2}$", "aabab", true},
    {"(?<=(?=[b-d]+$)a*)c", "aac", true},
    /* a round that reads nothing is not taken */
    {"^(?:(a)|(?=(b)))*\\2b$", "ab", true},
    {"^(?:(?:\\1|a)(a?))*$", "aaa", true},
};

static enum regex_result match(gramc_text pattern, gramc_text text) {
    struct arena arena;
    struct regex_set set;
    struct regex_session session;
    struct regex_error error = {0, ""};
    arena_init(&arena, NULL);
    regex_set_init(&set, &arena);
    regex_session_init(&session, &arena.allocator, NULL);
    const struct regex *regex = regex_compile(&set, pattern, &error);
    if (!regex) fail_msg("%.60s at %zu: %s", pattern.ptr, error.position, error.message);
    enum regex_result result = regex_matches(&session, regex, text);
    regex_session_free(&session);
    regex_set_free(&set);
    arena_free(&arena);
    return result;
}

static void test_patterns(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        gramc_text pattern = {patterns[i].pattern, strlen(patterns[i].pattern)};
        gramc_text text = {patterns[i].text, strlen(patterns[i].text)};
        if (match(pattern, text) != (patterns[i].matches ? REGEX_YES : REGEX_NO))
            fail_msg("%s on %s", patterns[i].pattern, patterns[i].text);
    }
}

/* ## Where it is refused */

static const struct {
    const char *pattern;
    size_t position;
    const char *message;
} refused[] = {
    {"a(?<=b*)\\p{No_such}", 8, "cannot be translated: unknown property after \\P or \\p"},
    {"(?<=b*)[a\\p{No_such}]", 7, "cannot be translated: unknown property after \\P or \\p"},
    {"\\p{No_such}", 0, "cannot be translated: unknown property after \\P or \\p"},
    {"a\\1", 1, "refers to a group that is not there"},
    {"a\\k<x>", 1, "refers to a group that is not there"},
    {"(?<x>a)(?<x>b)", 10, "the name of an earlier group"},
    {"(?<1>a)", 3, "a group needs a name, then '>'"},
    {"(?<=a+)*", 7, "nothing to repeat"},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct arena arena;
        struct regex_set set;
        struct regex_error error = {0, ""};
        arena_init(&arena, NULL);
        regex_set_init(&set, &arena);
        gramc_text pattern = {refused[i].pattern, strlen(refused[i].pattern)};
        assert_null(regex_compile(&set, pattern, &error));
        assert_string_equal(error.message, refused[i].message);
        assert_int_equal(error.position, refused[i].position);
        assert_false(arena.oom);
        regex_set_free(&set);
        arena_free(&arena);
    }
}

/* ## Large ones */

static void test_long_repeats(void **state) {
    (void)state;
    gramc_text pattern = {"^.{1,100000}$", 13};
    char *text = malloc(200000);
    assert_non_null(text);
    memset(text, 'a', 200000);
    assert_int_equal(match(pattern, (gramc_text){text, 100000}), REGEX_YES);
    assert_int_equal(match(pattern, (gramc_text){text, 100001}), REGEX_NO);
    assert_int_equal(match(pattern, (gramc_text){text, 0}), REGEX_NO);
    pattern = (gramc_text){"^(?:a{2}){70000,80000}$", 23};
    assert_int_equal(match(pattern, (gramc_text){text, 140000}), REGEX_YES);
    assert_int_equal(match(pattern, (gramc_text){text, 140001}), REGEX_NO);
    assert_int_equal(match(pattern, (gramc_text){text, 139998}), REGEX_NO);
    free(text);
}

static void test_many_words(void **state) {
    (void)state;
    struct buf buf;
    buf_init(&buf, NULL, 1 << 20);
    buf_puts(&buf, "^(?:");
    for (int i = 0; i < 8000; i++) buf_printf(&buf, "%sw%d", i ? "|" : "", i * 7);
    buf_puts(&buf, ")$");
    gramc_text pattern = buf_view(&buf), inside = {pattern.ptr + 1, pattern.len - 2};
    char text[2000];
    memset(text, 'w', sizeof text);
    assert_int_equal(match(pattern, (gramc_text){"w0", 2}), REGEX_YES);
    assert_int_equal(match(pattern, (gramc_text){"w55993", 6}), REGEX_YES);
    assert_int_equal(match(pattern, (gramc_text){"w55994", 6}), REGEX_NO);
    /* Anywhere in a text: words that begin alike are tried together. */
    assert_int_equal(match(inside, (gramc_text){text, sizeof text}), REGEX_NO);
    memcpy(text + sizeof text - 3, "w14", 3);
    assert_int_equal(match(inside, (gramc_text){text, sizeof text}), REGEX_YES);
    buf_free(&buf);
}

/* Backtracking has an end, and so has the memory that it takes. */
static void test_backtracking_ends(void **state) {
    (void)state;
    static const char text[] = "!aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
    gramc_text subject = {text + 1, sizeof text - 2};
    gramc_text turned = {text, sizeof text - 2};
    assert_int_equal(match((gramc_text){"^(?:(a+)+|\\2())*$", 17}, subject), REGEX_LIMIT);
    assert_int_equal(match((gramc_text){"(?<=^(a+|a)+)$", 14}, turned), REGEX_LIMIT);
}

/* What all matches of a session take counts together. */
static void test_matches_share_a_limit(void **state) {
    (void)state;
    struct arena arena;
    struct regex_set set;
    struct regex_session session;
    struct regex_error error = {0, ""};
    char letters[1000];
    memset(letters, 'a', sizeof letters);
    arena_init(&arena, NULL);
    regex_set_init(&set, &arena);
    regex_session_init(&session, &arena.allocator, NULL);
    const struct regex *regex = regex_compile(&set, (gramc_text){"(?<=x[a-z]*)y", 13}, &error);
    assert_non_null(regex);
    enum regex_result result = REGEX_NO;
    int times = 0;
    for (; result == REGEX_NO && times < 10000; times++)
        result = regex_matches(&session, regex, (gramc_text){letters, sizeof letters});
    assert_int_equal(result, REGEX_LIMIT);
    assert_in_range(times, 20, 9999);
    regex_session_free(&session);
    regex_set_free(&set);
    arena_free(&arena);
}

/* ## What one keeps */

static void *counted(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    size_t *bytes = ctx;
    if (new_size == 0) {
        free(ptr);
        *bytes -= ptr ? old_size : 0;
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    if (block) *bytes += new_size - (ptr ? old_size : 0);
    return block;
}

static void test_memory_of_one(void **state) {
    (void)state;
    size_t bytes = 0;
    gramc_allocator allocator = {counted, &bytes};
    struct arena arena;
    struct regex_set set;
    struct regex_error error = {0, ""};
    arena_init(&arena, &allocator);
    regex_set_init(&set, &arena);
    assert_non_null(regex_compile(&set, (gramc_text){"^[a-z]{2}\\d+$", 13}, &error));
    size_t first = bytes - arena.total;
    for (char c = 'a'; c < 'u'; c++) {
        const char *pattern = arena_text(&arena, (gramc_text){&c, 1}).ptr;
        assert_non_null(regex_compile(&set, (gramc_text){pattern, 1}, &error));
    }
    assert_in_range(first, 1, 1024);
    assert_in_range(bytes - arena.total - first, 1, 20 * 300);
    regex_set_free(&set);
    arena_free(&arena);
    assert_int_equal(bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long_repeats),
        cmocka_unit_test(test_many_words),
        cmocka_unit_test(test_backtracking_ends),
        cmocka_unit_test(test_memory_of_one),
        cmocka_unit_test(test_matches_share_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
