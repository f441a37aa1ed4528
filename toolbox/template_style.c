/* Turns a value into what OpenAPI's style makes of it in a path, query, header or cookie (RFC 6570
 * for all but the delimited styles and deepObject). Every item is encoded by itself, so that none
 * can be taken for two; what a style has no words for is refused. */
#include "toolbox/template_style.h"

#include <string.h>

#include "base/text.h"
#include "toolbox/template_encode.h"

/* ## Whether */

static bool is_compound(const struct json *value) {
    return json_is(value, JSON_ARRAY) || json_is(value, JSON_OBJECT);
}

bool template_is_styled(const struct template_part *part, const struct json *value) {
    if (!part->own || !value || value->kind == JSON_NULL) return false;
    return is_compound(value) || part->style != STYLE_UNSAID;
}

static enum parameter_style style_of(const struct template_part *part) {
    return part->style ? (enum parameter_style)part->style
                       : style_default((enum style_place)part->own);
}

/* Members that are null are absent. */
bool template_style_is_empty(const struct template_part *part, const struct json *value) {
    if (!template_is_styled(part, value) || !is_compound(value)) return false;
    if (style_of(part) == STYLE_JSON) return false;
    const struct json *item = value->first;
    while (item && item->kind == JSON_NULL) item = item->next;
    return item == NULL;
}

/* ## One value being written */

struct styled {
    struct buf *out;
    const struct template_part *part;
    enum parameter_style style;
    bool explode;
    bool named;      /* `name=` stood in front; it is in `name` now, and no longer in `out` */
    struct buf name; /* of the pair, encoded */
    const char *reason;
};

static void put_bytes(struct styled *s, gramc_text text) {
    if (s->part->own == STYLE_HEADER) buf_text(s->out, text);
    else template_put_percent(s->out, text);
}

/* An encoded delimiter looks as one in a text does. */
static bool holds_delimiter(const struct styled *s, gramc_text text) {
    if (s->explode || !text.len) return false;
    if (s->style == STYLE_SPACE) return memchr(text.ptr, ' ', text.len);
    return s->style == STYLE_PIPE && memchr(text.ptr, '|', text.len);
}

static void put_text(struct styled *s, gramc_text text) {
    if (s->reason) return;
    /* What is percent-encoded in a cookie holds no control characters. */
    if (s->part->own != STYLE_COOKIE) s->reason = template_refuse(s->part->place, text);
    if (holds_delimiter(s, text))
        s->reason = s->style == STYLE_SPACE
                        ? "has a blank in an item, which spaceDelimited would take for two"
                        : "has a | in an item, which pipeDelimited would take for two";
    if (!s->reason) put_bytes(s, text);
}

static void put_item(struct styled *s, const struct json *value) {
    switch ((enum json_kind)value->kind) {
    case JSON_STRING:
    case JSON_NUMBER: put_text(s, value->text); break;
    case JSON_TRUE: put_text(s, TEXT("true")); break;
    case JSON_FALSE: put_text(s, TEXT("false")); break;
    case JSON_NULL: break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (!s->reason) s->reason = "holds a list or an object in it, which no style but json says";
    }
}

static bool is_empty_text(const struct json *value) {
    return value->kind == JSON_STRING && value->text.len == 0;
}

/* ## Names and delimiters */

/* What separates the pairs of exploded values. */
static const char *pair_separator(const struct styled *s) {
    if (s->style == STYLE_MATRIX) return ";";
    return s->part->own == STYLE_COOKIE ? "; " : "&";
}

static bool has_pairs(enum parameter_style style) {
    return style == STYLE_FORM || style == STYLE_SPACE || style == STYLE_PIPE ||
           style == STYLE_DEEP || style == STYLE_MATRIX;
}

/* Between items, and between a name and a value that are not exploded. */
static const char *delimiter(const struct styled *s) {
    switch (s->style) {
    case STYLE_SPACE: return "%20";
    case STYLE_PIPE: return "%7C";
    case STYLE_LABEL: return s->explode ? "." : ",";
    case STYLE_UNSAID:
    case STYLE_FORM:
    case STYLE_DEEP:
    case STYLE_SIMPLE:
    case STYLE_MATRIX:
    case STYLE_JSON:
    case STYLES: break;
    }
    return ",";
}

/* Takes `name=` off the end of `out`, so that it can be written as often as it is wanted. */
static void take_name(struct styled *s, size_t from) {
    const struct buf *out = s->out;
    const char *opening = s->part->own == STYLE_PATH     ? "/;"
                          : s->part->own == STYLE_COOKIE ? "; \t"
                                                         : "?&";
    size_t end = out->len, at;
    s->named = end > from && out->ptr[end - 1] == '=';
    if (s->named) {
        for (at = end - 1; at > from && !strchr(opening, out->ptr[at - 1]); at--) continue;
        s->named = s->part->own != STYLE_PATH || (at > from && out->ptr[at - 1] == ';');
    }
    if (!s->named) {
        template_put_percent(&s->name, s->part->text);
        return;
    }
    buf_put(&s->name, out->ptr + at, end - 1 - at);
    s->out->len = s->part->own == STYLE_PATH ? at - 1 : at;
    s->out->ptr[s->out->len] = '\0';
}

/* An empty value of a matrix has no `=`. */
static void put_name(struct styled *s, bool empty) {
    buf_text(s->out, buf_view(&s->name));
    if (s->style != STYLE_MATRIX || !empty) buf_putc(s->out, '=');
}

/* ## Lists, objects, scalars */

static void put_list(struct styled *s, const struct json *list) {
    bool first = true, repeated = s->explode && has_pairs(s->style);
    for (const struct json *item = list->first; item && !s->reason; item = item->next) {
        if (item->kind == JSON_NULL) continue;
        if (!first) buf_puts(s->out, repeated ? pair_separator(s) : delimiter(s));
        if (repeated || (first && has_pairs(s->style)))
            put_name(s, repeated && is_empty_text(item));
        put_item(s, item);
        first = false;
    }
}

/* `name[k]=v`, and below it `name[k][l]=v` and `name[k][0]=v`, as PHP, Rails and qs read them.
 * s->name grows on the way down. */
static void put_deep(struct styled *s, const struct json *value, size_t *pairs) {
    size_t len = s->name.len, index = 0;
    if (!is_compound(value)) {
        if ((*pairs)++) buf_puts(s->out, pair_separator(s));
        buf_text(s->out, buf_view(&s->name));
        buf_putc(s->out, '=');
        put_item(s, value);
        return;
    }
    for (const struct json *m = value->first; m && !s->reason; m = m->next) {
        if (m->kind == JSON_NULL) continue;
        buf_puts(&s->name, "%5B");
        if (value->kind == JSON_OBJECT) template_put_percent(&s->name, m->key);
        else buf_number(&s->name, index++);
        buf_puts(&s->name, "%5D");
        put_deep(s, m, pairs);
        if (s->name.state == BUF_FINE) s->name.len = len;
        else s->out->state = s->name.state;
    }
}

/* `k=v` of an exploded object. */
static void put_pair(struct styled *s, const struct json *member) {
    put_text(s, member->key);
    if (s->style != STYLE_MATRIX || !is_empty_text(member)) buf_putc(s->out, '=');
    put_item(s, member);
}

static void put_object(struct styled *s, const struct json *object) {
    bool first = true, exploded = s->explode;
    for (const struct json *m = object->first; m && !s->reason; m = m->next) {
        if (m->kind == JSON_NULL) continue;
        if (!first)
            buf_puts(s->out, exploded && has_pairs(s->style) ? pair_separator(s) : delimiter(s));
        if (first && !exploded && has_pairs(s->style)) put_name(s, false);
        first = false;
        if (exploded) {
            put_pair(s, m);
            continue;
        }
        put_text(s, m->key);
        buf_puts(s->out, delimiter(s));
        put_item(s, m);
    }
}

static void put_scalar(struct styled *s, const struct json *value) {
    if (has_pairs(s->style)) put_name(s, is_empty_text(value));
    put_item(s, value);
}

static void put_as_json(struct styled *s, const struct json *value) {
    struct buf text;
    buf_init(&text, &s->out->allocator, s->out->max);
    json_put(&text, value);
    if (s->part->own == STYLE_QUERY || s->part->own == STYLE_COOKIE) put_name(s, false);
    if (text.state != BUF_FINE) s->out->state = text.state;
    else put_text(s, buf_view(&text));
    buf_free(&text);
}

static void put_value(struct styled *s, const struct json *value) {
    if (s->style == STYLE_JSON) {
        put_as_json(s, value);
        return;
    }
    if (s->style == STYLE_DEEP) {
        size_t pairs = 0;
        if (is_compound(value)) put_deep(s, value, &pairs);
        else s->reason = "is no object or list, which is all that deepObject says";
        return;
    }
    if (s->style == STYLE_LABEL) buf_putc(s->out, '.');
    if (s->style == STYLE_MATRIX) buf_putc(s->out, ';');
    if (value->kind == JSON_ARRAY) put_list(s, value);
    else if (value->kind == JSON_OBJECT) put_object(s, value);
    else put_scalar(s, value);
}

const char *template_put_styled(struct buf *out, size_t from, const struct template_part *part,
                                const struct json *value) {
    struct styled s = {.out = out, .part = part, .style = style_of(part)};
    bool in_pair = has_pairs(s.style) || part->own == STYLE_QUERY || part->own == STYLE_COOKIE;
    if (buf_status(out) != GRAMC_OK) return NULL;
    s.explode = style_explodes(s.style, (enum style_explode)part->explode) || !is_compound(value);
    if (part->own == STYLE_PATH && template_style_is_empty(part, value)) return TEMPLATE_EMPTY;
    buf_init(&s.name, &out->allocator, out->max);
    if (in_pair) take_name(&s, from);
    size_t start = out->len;
    if (s.name.state != BUF_FINE) out->state = s.name.state;
    else put_value(&s, value);
    if (part->own == STYLE_PATH && out->state == BUF_FINE && out->len == start && !s.reason)
        s.reason = TEMPLATE_EMPTY;
    buf_free(&s.name);
    return s.reason;
}
