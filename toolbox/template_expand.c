/* Turns a template and the arguments of a call into bytes, part by part. How a value is written at
 * its place is template_encode.c's, a list or object template_style.c's, what an absent one takes
 * with it template_absent.c's. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "toolbox/engine.h"
#include "toolbox/template_absent.h"
#include "toolbox/template_encode.h"
#include "toolbox/template_style.h"

/* ## Parts */

struct expansion {
    struct buf *out;
    size_t from; /* where it begins in `out` */
    const struct template *what;
    const struct json *arguments;
    template_secret secret;
    const void *secret_ctx;
    bool quote;     /* the next text begins with one that is to be left out */
    char separator; /* to be left out if the next text begins with it; 0: none */
    struct template_error *error;
};

static gramc_status refuse(struct expansion *e, const struct template_part *part,
                           const char *reason) {
    gramc_text shown = part->text;
    if (shown.len > 60) shown.len = 60;
    return template_fail(e->error, part->start, part->end, "`%.*s` %s", TEXT_ARGS(shown), reason);
}

static void expand_text(struct expansion *e, gramc_text text) {
    size_t i = 0;
    if (e->quote) text = text_slice(text, 1, text.len);
    e->quote = false;
    while (e->separator == ',' && i < text.len && strchr(" \t\r\n", text.ptr[i])) i++;
    bool skipped = e->separator && i < text.len && text.ptr[i] == e->separator;
    buf_text(e->out, skipped ? text_slice(text, i + 1, text.len) : text);
    e->separator = '\0';
}

/* The literal text behind a part; empty at the end. */
static gramc_text text_behind(const struct expansion *e, const struct template_part *part) {
    const struct template_part *next = part + 1;
    bool last = next == e->what->parts + e->what->count;
    if (last) return TEXT("");
    return next->kind == PART_TEXT ? next->text : TEXT("$");
}

/* `"name": "${x}"` goes as a whole; in a list there is null in its place, not an empty text. */
static bool drop_string(struct expansion *e, gramc_text behind) {
    e->quote = template_drop_quote(e->out, e->from, behind);
    if (e->quote && !template_drop_member(e->out, e->from, &e->separator)) buf_puts(e->out, "null");
    return e->quote;
}

/* True if the place that would hold the value has been taken back. */
static bool drop(struct expansion *e, const struct template_part *part) {
    gramc_text behind = text_behind(e, part);
    if (buf_status(e->out) != GRAMC_OK) return false;
    switch (part->place) {
    case PLACE_JSON_VALUE: return template_drop_member(e->out, e->from, &e->separator);
    case PLACE_JSON_STRING: return drop_string(e, behind);
    case PLACE_QUERY: return template_drop_pair(e->out, e->from, behind, &e->separator);
    case PLACE_HEADER: return template_drop_cookie(e->out, e->from, behind, &e->separator);
    case PLACE_SEGMENT:
    case PLACE_MARKUP:
    case PLACE_RAW: break;
    }
    return false;
}

static gramc_status expand_styled(struct expansion *e, const struct template_part *part,
                                  const struct json *value) {
    bool gone = template_style_is_empty(part, value) && drop(e, part);
    const char *reason = gone ? NULL : template_put_styled(e->out, e->from, part, value);
    return reason ? refuse(e, part, reason) : buf_status(e->out);
}

/* A text that stands as it is in one of several cookies must not begin another. */
static bool ends_cookie(const struct expansion *e, const struct template_part *part,
                        const struct json *value) {
    bool named =
        part->own == STYLE_COOKIE && e->out->len > e->from && e->out->ptr[e->out->len - 1] == '=';
    return named && json_is(value, JSON_STRING) && value->text.len &&
           memchr(value->text.ptr, ';', value->text.len);
}

static gramc_status expand_value(struct expansion *e, const struct template_part *part) {
    struct template_value value = {.json = NULL};
    if (part->kind == PART_PARAMETER) value.json = json_get_text(e->arguments, part->text);
    else if (e->secret && e->secret(e->secret_ctx, part->text, &value.text)) value.is_text = true;
    else if (!part->has_fallback)
        return template_fail(e->error, part->start, part->end,
                             "the environment variable `%.*s` is not set",
                             part->text.len < 60 ? (int)part->text.len : 60, part->text.ptr);
    if (template_is_styled(part, value.json)) return expand_styled(e, part, value.json);
    if (ends_cookie(e, part, value.json))
        return refuse(e, part, "holds a ;, which would begin another cookie");
    bool absent = !value.is_text && (!value.json || value.json->kind == JSON_NULL);
    if (absent && part->has_fallback)
        value =
            (struct template_value){.text = part->fallback, .is_text = true, .is_fallback = true};
    else if (!value.is_text && !value.json && drop(e, part)) return GRAMC_OK;
    const char *reason = template_encode(e->out, part->place, &value);
    return reason ? refuse(e, part, reason) : buf_status(e->out);
}

static gramc_status expand_part(struct expansion *e, const struct template_part *part) {
    if (part->kind != PART_TEXT) return expand_value(e, part);
    expand_text(e, part->text);
    return buf_status(e->out);
}

/* ## The whole */

/* A path whose parameter makes up a whole segment could be . or .. all the same, together with the
 * text round it. */
static bool is_step(gramc_text segment) {
    size_t dots = 0, i = 0;
    while (i < segment.len) {
        gramc_text rest = text_slice(segment, i, segment.len);
        bool encoded = rest.len >= 3 && text_is_nocase(text_slice(rest, 0, 3), "%2e");
        if (segment.ptr[i] != '.' && !encoded) return false;
        i += encoded ? 3 : 1;
        dots++;
    }
    return dots == 1 || dots == 2;
}

gramc_status template_check_steps(const struct buf *out, size_t from, const struct template *what,
                                  struct template_error *error) {
    gramc_text path = text_slice(buf_view(out), from, out->len);
    for (size_t start = 0, i = 0; i <= path.len; i++) {
        bool ends = i == path.len || strchr("/?#", path.ptr[i]);
        if (!ends) continue;
        if (is_step(text_slice(path, start, i)))
            return template_fail(error, 0, what->source.len,
                                 "the address would have a step up in its path");
        if (i < path.len && path.ptr[i] != '/') break;
        start = i + 1;
    }
    return GRAMC_OK;
}

bool template_lacks(const struct template *what, const struct json *arguments) {
    for (size_t i = 0; i < what->count; i++) {
        const struct template_part *part = &what->parts[i];
        if (part->kind != PART_PARAMETER) continue;
        const struct json *value = json_get_text(arguments, part->text);
        if (value ? template_style_is_empty(part, value) : !part->has_fallback) return true;
    }
    return false;
}

gramc_status template_expand(struct buf *out, const struct template *what,
                             const struct json *arguments, template_secret secret,
                             const void *secret_ctx, struct template_error *error) {
    struct expansion e = {out, out->len, what, arguments, secret, secret_ctx, false, '\0', error};
    bool segments = false;
    *error = (struct template_error){.start = 0};
    if (what->engine) return engine_expand(out, what, arguments, error);
    for (size_t i = 0; i < what->count; i++) {
        gramc_status status = expand_part(&e, &what->parts[i]);
        if (status != GRAMC_OK) return status;
        segments = segments || what->parts[i].place == PLACE_SEGMENT;
    }
    return segments ? template_check_steps(out, e.from, what, error) : buf_status(out);
}
