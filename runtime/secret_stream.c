/* How much of a text that is still coming can be shown: what may be the beginning of a secret waits
 * for what follows it. Reads the text as secret_hide.c does, so that the pieces hide what the whole
 * would. */
#include <string.h>

#include "base/text.h"
#include "runtime/secret_list.h"
#include "runtime/secret_match.h"

enum { LONGEST_SPELLING = 68, DOTS = 3 };

struct part_search {
    const struct secrets *secrets;
    size_t shortest;
    unsigned char first[256]; /* 1: a form begins with the byte */
};

static struct part_search search_for(const struct secrets *secrets, size_t shortest) {
    struct part_search out = {.secrets = secrets, .shortest = shortest, .first = {0}};
    for (size_t i = 0; i < secrets->form_count; i++)
        if (secrets->forms[i].value_len >= shortest)
            out.first[(unsigned char)secrets->forms[i].text.ptr[0]] = 1;
    return out;
}

/* ## Values, from their beginnings on */

/* Whether what stands there may go on to be a value; else *end is behind a whole one, or 0. The
 * longest are looked for first: a shorter one counts when these are ruled out. One that ends the
 * text may still go on as an escape. */
static bool is_open(const struct part_search *search, gramc_text text, size_t pos, size_t *end) {
    const struct secrets *secrets = search->secrets;
    size_t work = 0;
    *end = 0;
    if (!strchr("%\\&", text.ptr[pos]) && !match_may_begin(text, pos, search->first, 1))
        return false;
    for (size_t i = 0; i < secrets->form_count; i++) {
        const struct secret_form *form = &secrets->forms[i];
        if (form->value_len < search->shortest) continue;
        struct escaped_match match = match_escaped(text, pos, form->text, &work);
        if (match.kind == MATCH_NONE) continue;
        *end = match.kind == MATCH_WHOLE ? match.end : 0;
        return match.kind == MATCH_BEGINNING || match.end == text.len;
    }
    return false;
}

/* Where nothing is open, the length. */
static size_t first_open(const struct part_search *search, gramc_text text) {
    size_t end;
    for (size_t pos = 0; pos < text.len; pos = end ? end : pos + 1)
        if (is_open(search, text, pos, &end)) return pos;
    return text.len;
}

/* ## Values that a server has cut: their beginnings stand before dots, their ends behind */

/* Whether the text may go on to be the end of that value, maybe behind the rest of an escape. */
static bool may_be_end_of(gramc_text text, gramc_text value) {
    size_t skips = 0, work = 0;
    while (skips < text.len && skips < LONGEST_SPELLING && match_is_of_escape(text.ptr[skips]))
        skips++;
    if (skips == text.len) return true;
    for (size_t gone = 1; gone < value.len; gone++)
        for (size_t skip = 0; skip <= skips; skip++)
            if (match_escaped(text, skip, text_slice(value, gone, value.len), &work).kind ==
                MATCH_BEGINNING)
                return true;
    return false;
}

static bool may_be_end(const struct part_search *search, gramc_text text) {
    const struct secrets *secrets = search->secrets;
    if (text.len == 0) return true;
    for (size_t i = 0; i < secrets->form_count; i++) {
        const struct secret_form *form = &secrets->forms[i];
        if (form->value_len < search->shortest || !form->is_value) continue;
        if (text.len <= LONGEST_SPELLING * form->text.len && may_be_end_of(text, form->text))
            return true;
    }
    return false;
}

/* The last run of dots that counts as a cut, or may grow to; *behind is what follows. */
static size_t last_dots(gramc_text text, size_t *behind) {
    for (size_t end = text.len; end; end--) {
        size_t start = end;
        while (start && text.ptr[start - 1] == '.') start--;
        *behind = end < text.len ? start + (end - start) / DOTS * DOTS : end;
        if (end - start >= DOTS || (end == text.len && start < end)) return start;
        if (start < end) end = start + 1;
    }
    *behind = text.len;
    return text.len;
}

static size_t before_dots(const struct part_search *search, gramc_text text) {
    size_t behind, dots = last_dots(text, &behind);
    if (dots == text.len || !may_be_end(search, text_slice(text, behind, text.len)))
        return text.len;
    return first_open(search, text_slice(text, 0, dots));
}

size_t secrets_settled(const struct secrets *secrets, gramc_text text, size_t shortest) {
    if (!secrets || secrets->form_count == 0) return text.len;
    const struct part_search search = search_for(secrets, shortest);
    size_t open = first_open(&search, text), dots = before_dots(&search, text);
    return open < dots ? open : dots;
}
