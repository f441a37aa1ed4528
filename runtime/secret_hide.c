/* Takes secrets out of texts, however they are written there: secret_match.c says what stands for
 * one. Where a text was cut, what is left of a secret goes as well. */
#include <string.h>

#include "base/text.h"
#include "runtime/secret_list.h"
#include "runtime/secret_match.h"

enum {
    LONGEST_SPELLING = 68, /* of one byte: a backslash in six layers of escapes, and more */
    WORK_A_BYTE = 16,
    WORK_AT_LEAST = 1 << 20
};

/* ## Whole values */

struct secret_search {
    const struct secrets *secrets;
    const unsigned char *marks;
    gramc_text text;
    size_t shortest, work, most;
};

struct hit {
    size_t start, end;
    const struct secret_form *form; /* NULL: what is left would take too long to search */
};

static struct secret_search search_of(const struct secrets *secrets, gramc_text text,
                                      size_t shortest) {
    return (struct secret_search){.secrets = secrets,
                                  .marks =
                                      shortest < SECRET_SURE ? secrets->marks : secrets->sure_marks,
                                  .text = text,
                                  .shortest = shortest,
                                  .most = WORK_A_BYTE * text.len + WORK_AT_LEAST};
}

/* The next place where a form may begin. It and the byte behind it have marks, or it is an escape;
 * nearly all bytes of a text are neither. */
static size_t next_place(const struct secret_search *search, size_t pos) {
    const unsigned char *marks = search->marks;
    const gramc_text text = search->text;
    for (; pos < text.len; pos++) {
        unsigned mark = marks[(unsigned char)text.ptr[pos]];
        if (!(mark & (MARK_FIRST | MARK_ESCAPE))) continue;
        unsigned next = pos + 1 < text.len ? marks[(unsigned char)text.ptr[pos + 1]] : 0;
        if (mark & MARK_ESCAPE ? match_may_begin(text, pos, marks, MARK_FIRST)
                               : next & (MARK_SECOND | MARK_ESCAPE))
            return pos;
    }
    return text.len;
}

static const struct secret_form *form_at(struct secret_search *search, size_t pos, size_t *end) {
    for (size_t i = 0; i < search->secrets->form_count; i++) {
        const struct secret_form *form = &search->secrets->forms[i];
        if (form->value_len < search->shortest) continue;
        struct escaped_match match = match_escaped(search->text, pos, form->text, &search->work);
        *end = match.end;
        if (match.kind == MATCH_WHOLE) return form;
    }
    return NULL;
}

static bool find_hit(struct secret_search *search, size_t pos, struct hit *hit) {
    while ((pos = next_place(search, pos)) < search->text.len) {
        *hit = (struct hit){.start = pos, .end = search->text.len};
        if (search->work >= search->most) return true;
        if ((hit->form = form_at(search, pos, &hit->end))) return true;
        pos++;
    }
    return false;
}

/* What would take too long to search goes as a whole. */
static void hide_whole(const struct secrets *secrets, struct buf *text, size_t shortest) {
    struct secret_search search = search_of(secrets, buf_view(text), shortest);
    struct hit hit;
    struct buf copy;
    size_t done = 0;
    if (!find_hit(&search, 0, &hit)) return;
    buf_init_secret(&copy, &text->allocator, text->max);
    do {
        buf_put(&copy, text->ptr + done, hit.start - done);
        bool typed = hit.form && text_starts(hit.form->name, SECRET_TYPED);
        buf_puts(&copy, typed      ? "${"
                        : hit.form ? "${env:"
                                   : "(the rest cannot be searched for secrets in time");
        if (hit.form) buf_text(&copy, hit.form->name);
        buf_putc(&copy, hit.form ? '}' : ')');
        done = hit.end;
    } while (find_hit(&search, done, &hit));
    buf_put(&copy, text->ptr + done, text->len - done);
    mem_wipe(text->ptr, text->len);
    buf_free(text);
    *text = copy;
}

/* ## Cut values: what is left is overwritten in place, since it is gone anyway */

/* The beginning of a value that ends the text. */
static size_t part_at_end(gramc_text text, gramc_text value) {
    size_t window = value.len * LONGEST_SPELLING, work = 0;
    unsigned char marks[256] = {0};
    marks[(unsigned char)value.ptr[0]] = MARK_FIRST;
    for (size_t pos = text.len > window ? text.len - window : 0; pos < text.len; pos++) {
        if (!strchr("%\\&", text.ptr[pos]) && !match_may_begin(text, pos, marks, MARK_FIRST))
            continue;
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
        unsigned char marks[256] = {0};
        marks[(unsigned char)rest.ptr[0]] = MARK_FIRST;
        for (size_t skip = 0; skip <= most && skip < text.len; skip++) {
            if (!match_may_begin(text, skip, marks, MARK_FIRST)) continue;
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
    while (from + 3 <= text.len) {
        const char *dot = memchr(text.ptr + from, '.', text.len - from - 2);
        if (!dot) break;
        if (dot[1] == '.' && dot[2] == '.') return (size_t)(dot - text.ptr);
        from = (size_t)(dot - text.ptr) + 1;
    }
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

bool secrets_may_stand_in(const struct secrets *secrets, gramc_text text, size_t shortest) {
    struct hit hit;
    size_t cut = SECRET_SHORTEST + 3, least = shortest < cut ? shortest : cut; /* 3 are dots */
    if (!secrets || secrets->form_count == 0 || text.len < least) return false;
    struct secret_search search = search_of(secrets, text, shortest);
    return find_hit(&search, 0, &hit) || find_dots(text, 0) < text.len;
}

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
