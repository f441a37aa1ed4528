/* The spelling distance with a limit, which ends early, says the same as without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

enum { WORDS = 20000, LONGEST = 9, NO_LIMIT = 64 };

struct word {
    char letters[LONGEST];
    size_t len;
};

static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

static void make_word(uint32_t *state, struct word *word) {
    word->len = draw(state, LONGEST + 1);
    for (size_t i = 0; i < word->len; i++) word->letters[i] = "abcA"[draw(state, 4)];
}

static void test_limits(void **state) {
    uint32_t random = 1;
    size_t near = 0;
    (void)state;
    for (size_t i = 0; i < WORDS; i++) {
        struct word words[2];
        make_word(&random, &words[0]);
        make_word(&random, &words[1]);
        gramc_text a = {words[0].letters, words[0].len}, b = {words[1].letters, words[1].len};
        unsigned distance = text_distance(a, b, NO_LIMIT);
        for (unsigned limit = 0; limit < 5; limit++)
            assert_int_equal(text_distance(a, b, limit), distance > limit ? limit + 1 : distance);
        near += distance < 4;
    }
    assert_true(near > WORDS / 20);
}

static void test_known(void **state) {
    static const struct {
        const char *a, *b;
        unsigned distance;
    } known[] = {{"", "", 0},       {"", "abc", 3},     {"limit", "limti", 1},
                 {"abc", "ABC", 0}, {"ca", "abc", 3},   {"newest", "nearest", 2},
                 {"ab", "ba", 1},   {"abcd", "badc", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(text_distance(text_of(known[i].a), text_of(known[i].b), 9),
                         known[i].distance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
