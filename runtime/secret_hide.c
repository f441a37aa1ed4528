/* Takes secrets out of texts, however they are written there: secret_match.c says what stands for
 * one. Where a text was cut, what is left of a secret goes as well. */
#include <string.h>

#include "base/text.h"
#include "runtime/secret_list.h"
#include "runtime/secret_match.h"

enum {
    LONGEST_SPELLING = 36, /* of one byte: \\u in two layers of escapes, and more */
    WORK_A_BYTE = 16,
    WORK_AT_LEAST = 1 << 20
};

/* ## Whole values */

/* Bytes that something begins with. */
struct beginnings {
    bool first[256];
};

static struct beginnings beginnings_of(const struct secrets *secrets, size_t shortest) {
    struct beginnings out = {.first = {false}};
    for (size_t i = 0; i < secrets->form_count; i++)
        if (secrets->forms[i].value_len >= shortest)
            out.first[(unsigned char)secrets->forms[i].text.ptr[0]] = true;
    return out;
}

static const struct secret_form *form_at(const struct secrets *secrets, gramc_text text, size_t pos,
                                         size_t shortest, size_t *end, size_t *work) {
    for (size_t i = 0; i < secrets->form_count; i++) {
        const struct secret_form *form = &secrets->forms[i];
        if (form->value_len < shortest) continue;
        struct escaped_match match = match_escaped(text, pos, form->text, work);
        *end = match.end;
        if (match.kind == MATCH_WHOLE) return form;
    }
    return NULL;
}

/* What would take too long to search goes as a whole. */
static void hide_whole(const struct secrets *secrets, struct buf *text, size_t shortest) {
    const struct beginnings beginnings = beginnings_of(secrets, shortest);
    struct buf copy;
    gramc_text all = buf_view(text);
    size_t done = 0, end = 0, work = 0, most = (WORK_A_BYTE * all.len + WORK_AT_LEAST);
    buf_init_secret(&copy, &text->allocator, text->max);
    for (size_t pos = 0; pos < all.len && work < most; pos++) {
        if (!match_may_begin(all, pos, beginnings.first)) continue;
        const struct secret_form *form = form_at(secrets, all, pos, shortest, &end, &work);
        if (!form && work < most) continue;
        buf_put(&copy, all.ptr + done, pos - done);
        buf_puts(&copy, form ? "${env:" : "(the rest cannot be searched for secrets in time");
        if (form) buf_text(&copy, form->name);
        buf_putc(&copy, form ? '}' : ')');
        done = form ? end : all.len;
        pos = done - 1;
    }
    if (done == 0) return;
    buf_put(&copy, all.ptr + done, all.len - done);
    mem_wipe(text->ptr, text->len);
    buf_free(text);
    *text = copy;
}

/* ## Cut values: what is left is overwritten in place, since it is gone anyway */

/* The beginning of a value that ends the text. */
static size_t part_at_end(gramc_text text, gramc_text value) {
    size_t window = value.len * LONGEST_SPELLING, work = 0;
    bool first[256] = {false};
    first[(unsigned char)value.ptr[0]] = true;
    for (size_t pos = text.len > window ? text.len - window : 0; pos < text.len; pos++) {
        if (!strchr("%\\&", text.ptr[pos]) && !match_may_begin(text, pos, first)) continue;
        struct escaped_match match = match_escaped(text, pos, value, &work);
        if (match.kind == MATCH_BEGINNING && text.len - pos >= SECRET_SHORTEST)
            return text.len - pos;
    }
    return 0;
}

/* What an escape that was cut may have left at the start of a text. */
static size_t rest_of_escape(gramc_text text) {
    size_t len = 0;
    while (len < text.len && len < LONGEST_SPELLING && match_is_of_escape(text.ptr[len])) len++;
    return len;
}

/* The end of a value that begins the text, maybe behind the rest of an escape. */
static size_t part_at_start(gramc_text text, gramc_text value) {
    size_t work = 0, most = rest_of_escape(text);
    for (size_t gone = 1; gone < value.len; gone++) {
        gramc_text rest = text_slice(value, gone, value.len);
        bool first[256] = {false};
        first[(unsigned char)rest.ptr[0]] = true;
        for (size_t skip = 0; skip <= most && skip < text.len; skip++) {
            if (!match_may_begin(text, skip, first)) continue;
            struct escaped_match match = match_escaped(text, skip, rest, &work);
            if (match.kind == MATCH_WHOLE && match.end >= SECRET_SHORTEST) return match.end;
        }
    }
    return 0;
}

static void blot_end(const struct secrets *secrets, char *ptr, size_t len, size_t shortest) {
    for (size_t i = 0; i < secrets->form_count && len >= SECRET_SHORTEST; i++) {
        const struct secret_form *form = &secrets->forms[i];
        if (form->value_len < shortest) continue;
        size_t part = part_at_end((gramc_text){ptr, len}, form->text);
        memset(ptr + len - part, '*', part);
    }
}

static void blot_start(const struct secrets *secrets, char *ptr, size_t len, size_t shortest) {
    for (size_t i = 0; i < secrets->form_count && len >= SECRET_SHORTEST; i++) {
        const struct secret_form *form = &secrets->forms[i];
        if (form->value_len < shortest || !form->is_value) continue;
        memset(ptr, '*', part_at_start((gramc_text){ptr, len}, form->text));
    }
}

/* Servers cut too, and say so with dots. */
static size_t find_dots(gramc_text text, size_t from) {
    for (; from + 3 <= text.len; from++)
        if (memcmp(text.ptr + from, "...", 3) == 0) return from;
    return text.len;
}

static void hide_at_dots(const struct secrets *secrets, struct buf *text, size_t shortest) {
    size_t start = 0, dots = text->len ? find_dots(buf_view(text), 0) : 0;
    while (dots < text->len) {
        size_t behind = dots + 3, next = find_dots(buf_view(text), behind);
        blot_end(secrets, text->ptr + start, dots - start, shortest);
        blot_start(secrets, text->ptr + behind, next - behind, shortest);
        start = behind;
        dots = next;
    }
}

/* ## For all */

void secrets_hide(const struct secrets *secrets, struct buf *text) {
    secrets_hide_from(secrets, text, SECRET_SHORTEST);
}

void secrets_hide_from(const struct secrets *secrets, struct buf *text, size_t shortest) {
    if (!secrets || secrets->form_count == 0 || text->len == 0) return;
    hide_whole(secrets, text, shortest);
    if (text->state == BUF_FINE) hide_at_dots(secrets, text, shortest);
}

void secrets_hide_cut(const struct secrets *secrets, struct buf *text, enum text_cut cut) {
    secrets_hide(secrets, text);
    if (!secrets || text->len == 0 || text->state != BUF_FINE) return;
    if (cut & CUT_AT_START) blot_start(secrets, text->ptr, text->len, SECRET_SHORTEST);
    if (cut & CUT_AT_END) blot_end(secrets, text->ptr, text->len, SECRET_SHORTEST);
}
