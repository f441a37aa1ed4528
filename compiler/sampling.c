/* Judges numbers by the ranges that they have everywhere: the widest that any provider takes, so
 * that nothing is refused that some model would accept. Whether a value is a number at all is
 * properties.c's matter. */
#include "compiler/sampling.h"

#include "base/json/number.h"
#include "base/text.h"

static const struct number_range sampling[] = {
    {"temperature", "0", "2", false, false, "a number from 0 to 2"},
    {"topP", "0", "1", false, false, "a number from 0 to 1"},
    {"presencePenalty", "-2", "2", false, false, "a number from -2 to 2"},
    {"frequencyPenalty", "-2", "2", false, false, "a number from -2 to 2"},
    {"maxTokens", "1", NULL, false, true, "a whole number from 1 up"},
    {"seed", NULL, NULL, false, true, "a whole number"},
    {"numCtx", "1", NULL, false, true, "a whole number from 1 up"},
    {"maxCost", "0", NULL, true, false, "a number above 0"},
};

static bool is_inside(const struct number_range *range, gramc_text number) {
    int low = range->min ? json_number_compare(number, text_of(range->min)) : 1;
    int high = range->max ? json_number_compare(number, text_of(range->max)) : -1;
    if (range->whole && !json_number_is_integer(number)) return false;
    return range->open ? low > 0 && high < 0 : low >= 0 && high <= 0;
}

void ranges_check(struct pass *pass, const struct subject *subject,
                  const struct number_range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct property *p = property_find(subject, ranges[i].name);
        bool number = p && (p->value->kind == VALUE_INTEGER || p->value->kind == VALUE_DECIMAL);
        if (!number || is_inside(&ranges[i], scalar_text(p->value))) continue;
        FIND(pass->findings, D_OUT_OF_RANGE, pass->source, p->value->span, name_text(p->key),
             text_of(ranges[i].wanted), scalar_text(p->value));
    }
}

void sampling_check(struct pass *pass, const struct subject *subject) {
    ranges_check(pass, subject, sampling, sizeof sampling / sizeof *sampling);
}
