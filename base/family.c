/* Which models refuse a temperature, by the beginnings of their ids. A family that is missing here
 * gets what the spec says and answers with an error, so only those are named that are known to
 * refuse. */
#include "base/family.h"

#include "base/text.h"

static const struct {
    const char *begin, *except;
} refusing[] = {
    {"o1", NULL},       {"o3", NULL},    {"o4", NULL},
    {"gpt-5", "-chat"}, {"codex", NULL}, {"claude-opus-4-7", NULL},
};

/* "o3" is the beginning of o3 and o3-mini, not of o3x; "gpt-5" that of gpt-5.2, too. */
static bool is_member(gramc_text id, gramc_text begin) {
    if (id.len < begin.len || !text_is_nocase(text_slice(id, 0, begin.len), begin.ptr))
        return false;
    return id.len == begin.len || id.ptr[begin.len] == '-' || id.ptr[begin.len] == '.';
}

static bool has_part(gramc_text id, const char *part) {
    gramc_text want = text_of(part);
    for (size_t i = 0; i + want.len <= id.len; i++)
        if (text_is_nocase(text_slice(id, i, i + want.len), part)) return true;
    return false;
}

bool family_refuses_temperature(gramc_text model) {
    size_t start = model.len;
    while (start > 0 && model.ptr[start - 1] != '/') start--;
    gramc_text id = text_slice(model, start, model.len);
    for (size_t i = 0; i < sizeof refusing / sizeof *refusing; i++)
        if (is_member(id, text_of(refusing[i].begin)))
            return !refusing[i].except || !has_part(id, refusing[i].except);
    return false;
}
