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
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(prompted_word(text_of(rows[i].said)), rows[i].word);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(choices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
