/* Turns the word behind `approve` into what it means, and back. Who is asked, and how, is the
 * runtime's. */
#include "compiler/approve.h"

#include "base/text.h"
#include "compiler/data.h"
#include "compiler/properties.h"
#include "compiler/words.h"

static const char *const words[] = {[GRAMC_APPROVE_UNSAID] = "",
                                    [GRAMC_APPROVE_NEVER] = "never",
                                    [GRAMC_APPROVE_DESTRUCTIVE] = "destructive",
                                    [GRAMC_APPROVE_ALWAYS] = "always"};
enum { WORDS = sizeof words / sizeof *words };

gramc_approve approve_read(struct pass *pass, const struct value *value) {
    if (!value_is_name(value)) {
        find_wrong_value_of(pass, value, TEXT("approve"), "always, destructive or never");
        return GRAMC_APPROVE_UNSAID;
    }
    word_check_value(pass, "approve", "always destructive never", value);
    for (size_t i = 1; i < WORDS; i++)
        if (text_is(value_name(value), words[i])) return (gramc_approve)i;
    return GRAMC_APPROVE_UNSAID;
}

gramc_text approve_word(gramc_approve approve) {
    return text_of((size_t)approve < WORDS ? words[approve] : "");
}

gramc_said said_of(int tristate) {
    return tristate < 0 ? GRAMC_SAID_NOTHING : tristate ? GRAMC_SAID_YES : GRAMC_SAID_NO;
}

gramc_text said_word(gramc_said said) {
    if (said == GRAMC_SAID_NOTHING) return (gramc_text){NULL, 0};
    return said == GRAMC_SAID_YES ? TEXT("true") : TEXT("false");
}
