/* What small models say where a word or a name is asked for, and what it is taken for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/prompted_read.h"

static void words(void **state) {
    static const struct {
        const char *said;
        enum prompted_word word;
    } rows[] = {
        {"yes", PROMPTED_YES},
        {"YES!", PROMPTED_YES},
        {"**Yes**, I do.", PROMPTED_YES},
        {"My answer: yes", PROMPTED_YES},
        {"Yes, there is no other way.", PROMPTED_YES},
        {"no", PROMPTED_NO},
        {"No.", PROMPTED_NO},
        {"\"no\"\n", PROMPTED_NO},
        {"Not now", PROMPTED_NEITHER},
        {"I know nothing of yesterday", PROMPTED_NEITHER},
        {"no_tool", PROMPTED_NEITHER},
        {"", PROMPTED_NEITHER},
        {"yes and no", PROMPTED_NEITHER},
        {"Yes or no? I say: no.", PROMPTED_NO},
        {"yes/no: **yes**", PROMPTED_YES},
        {"Yes, yes and no other", PROMPTED_YES},
        {"no, no", PROMPTED_NO},
        {"Yes. No doubt.", PROMPTED_YES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(prompted_word(text_of(rows[i].said)), rows[i].word);
}

static void thoughts(void **state) {
    static const char *const rows[][2] = {
        {"yes", "yes"},           {"<think>no</think>yes", "yes"},     {" \n<think>no", ""},
        {"no</think>yes", "yes"}, {"<think>a</think>b</think>c", "c"}, {"<think></think>", ""},
        {"</think", "</think"},   {"I <think> so", "I <think> so"},    {"", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(text_is(prompted_aloud(text_of(rows[i][0])), rows[i][1]));
}

static void choices(void **state) {
    const gramc_text names[] = {TEXT("add"), TEXT("adder"), TEXT("Sub"), TEXT("sub"),
                                TEXT("get_temp")};
    enum { NONE = 5 };
    static const struct {
        const char *said;
        size_t choice;
    } rows[] = {
        {"add", 0},
        {"adder", 1},
        {"Adder", 1},
        {" `adder`.\n", 1},
        {"**Adder**", 1},
        {"Sub", 2},
        {"sub", 3},
        {"I choose the adder tool.", 1},
        {"get_temp(city)", 4},
        {"my_get_temp_tool", 4},
        {"add or adder", NONE},
        {"the sub tool", NONE}, /* two of that name, but for case */
        {"readders", NONE},     /* both are found in it, neither as a word */
        {"multiply", NONE},
        {"", NONE},
        {"...", NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(prompted_choice(names, NONE, text_of(rows[i].said)), rows[i].choice);
    assert_int_equal(prompted_choice(names, 0, TEXT("add")), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(thoughts),
                                       cmocka_unit_test(choices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
