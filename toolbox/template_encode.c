/* Turns one value into the bytes that stand for it in a path, a query, a header, a JSON text or
 * markup, or says why it cannot stand there. */
#include "toolbox/template_encode.h"

#include <string.h>

#include "base/text.h"

/* ## Encodings */

static bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~", c));
}

void template_put_percent(struct buf *out, gramc_text text) {
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        char encoded[3] = {'%', digits[c >> 4], digits[c & 15]};
        if (is_unreserved(text.ptr[i])) buf_putc(out, text.ptr[i]);
        else buf_put(out, encoded, 3);
    }
}

static void put_markup(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '&': buf_puts(out, "&amp;"); break;
        case '<': buf_puts(out, "&lt;"); break;
        case '>': buf_puts(out, "&gt;"); break;
        case '"': buf_puts(out, "&quot;"); break;
        case '\'': buf_puts(out, "&#39;"); break;
        default: buf_putc(out, text.ptr[i]);
        }
    }
}

/* Without the quotes. */
static void put_escaped(struct buf *out, gramc_text text) {
    struct buf quoted;
    buf_init_secret(&quoted, &out->allocator, out->max + 2);
    json_put_string(&quoted, text);
    if (quoted.state != BUF_FINE) out->state = quoted.state;
    else buf_put(out, quoted.ptr + 1, quoted.len - 2);
    buf_free(&quoted);
}

/* ## What cannot stand */

static bool has_control(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F) return true;
    return false;
}

/* A server that decodes before it splits would see . or .. there. */
static bool has_step(gramc_text text) {
    size_t start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '/' && text.ptr[i] != '\\') continue;
        gramc_text part = text_slice(text, start, i);
        if (text_is(part, ".") || text_is(part, "..")) return true;
        start = i + 1;
    }
    return false;
}

const char *template_refuse(enum template_place place, gramc_text text) {
    if (place == PLACE_HEADER && has_control(text))
        return "holds a line end or another control character, which a header cannot";
    if (place != PLACE_SEGMENT || text.len == 0) return NULL;
    if (memchr(text.ptr, '\0', text.len)) return "holds a NUL, which a path cannot";
    return has_step(text) ? "would be a step up in the path" : NULL;
}

/* ## Values */

static void put_text(struct buf *out, enum template_place place, gramc_text text) {
    switch (place) {
    case PLACE_SEGMENT:
    case PLACE_QUERY: template_put_percent(out, text); break;
    case PLACE_JSON_STRING: put_escaped(out, text); break;
    case PLACE_JSON_VALUE: json_put_string(out, text); break;
    case PLACE_MARKUP: put_markup(out, text); break;
    case PLACE_HEADER:
    case PLACE_RAW: buf_text(out, text); break;
    }
}

static void put_fallback_value(struct buf *out, gramc_text text) {
    struct arena arena;
    arena_init(&arena, &out->allocator);
    const struct json *value = json_parse(&arena, text, NULL);
    if (value) json_put(out, value);
    else if (arena.oom) out->state = BUF_NOMEM;
    else json_put_string(out, text);
    arena_free(&arena);
}

static const char *put_checked(struct buf *out, enum template_place place, gramc_text text) {
    const char *reason = template_refuse(place, text);
    if (place == PLACE_SEGMENT && text.len == 0) return TEMPLATE_EMPTY;
    if (!reason) put_text(out, place, text);
    return reason;
}

/* Arrays and objects stand as JSON text. */
static const char *put_json(struct buf *out, enum template_place place, const struct json *value) {
    struct buf text;
    if (place == PLACE_JSON_VALUE) {
        json_put(out, value);
        return NULL;
    }
    if (value->kind == JSON_STRING) return put_checked(out, place, value->text);
    buf_init(&text, &out->allocator, out->max);
    json_put(&text, value);
    const char *reason = NULL;
    if (text.state != BUF_FINE) out->state = text.state;
    else reason = put_checked(out, place, buf_view(&text));
    buf_free(&text);
    return reason;
}

const char *template_encode(struct buf *out, enum template_place place,
                            const struct template_value *value) {
    if (value->is_fallback && place == PLACE_JSON_VALUE) {
        put_fallback_value(out, value->text);
        return NULL;
    }
    if (value->is_text) return put_checked(out, place, value->text);
    if (value->json && value->json->kind != JSON_NULL) return put_json(out, place, value->json);
    if (place == PLACE_JSON_VALUE) buf_puts(out, "null");
    return place == PLACE_SEGMENT ? "is missing, and a part of a path cannot be" : NULL;
}
