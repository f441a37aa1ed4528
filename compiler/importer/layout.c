/* Lays out gram: documents of texts and bracketed lists become lines of at most 96 columns, broken
 * only behind opening brackets and commas, two blanks of indentation a level. Notes where each
 * schema is said, so that a finding leads back to it. */
#include "compiler/importer/parts.h"

#include "base/text.h"

#include <string.h>

enum { LINE = 96, STEP = 2, STRING_MAX = INT32_MAX };

/* ## Building */

static struct doc *doc_new(struct arena *arena, enum doc_kind kind) {
    struct doc *doc = ARENA_NEW(arena, struct doc);
    if (!doc) return NULL;
    doc->kind = (uint8_t)kind;
    doc->tail = &doc->first;
    return doc;
}

struct doc *doc_text(struct arena *arena, gramc_text text) {
    struct doc *doc = doc_new(arena, DOC_TEXT);
    if (!doc) return NULL;
    doc->text = text;
    doc->width = text_length(text);
    return doc;
}

struct doc *doc_words(struct arena *arena, const char *words) {
    return doc_text(arena, text_of(words));
}

struct doc *doc_list(struct arena *arena, const char *open, const char *close) {
    struct doc *doc = doc_new(arena, DOC_LIST);
    if (!doc) return NULL;
    doc->text = text_of(open);
    doc->close = text_of(close);
    doc->width = doc->text.len + doc->close.len;
    return doc;
}

struct doc *doc_chain(struct arena *arena) {
    return doc_new(arena, DOC_CHAIN);
}

void doc_add(struct doc *parent, struct doc *child) {
    if (!parent || !child) return;
    if (parent->kind == DOC_LIST && parent->first) parent->width += 2;
    parent->width += child->width;
    parent->tall = parent->tall || child->tall;
    *parent->tail = child;
    parent->tail = &child->next;
}

void doc_property(struct arena *arena, struct doc *list, const char *key, struct doc *value) {
    struct doc *property = value ? doc_chain(arena) : NULL;
    doc_add(property, doc_words(arena, key));
    doc_add(property, doc_words(arena, ": "));
    doc_add(property, value);
    doc_add(list, property);
}

/* ## Texts */

static void put_character(struct buf *out, uint32_t c, char quote) {
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = c && c < 0x80 ? strchr(plain, (int)c) : NULL;
    char bytes[4];
    if (c == (uint32_t)quote || c == '\\') buf_printf(out, "\\%c", (char)c);
    else if (c == '"') buf_putc(out, '"');
    else if (at) buf_printf(out, "\\%c", letters[at - plain]);
    else if (c < 0x20 || c == 0x7F || (text_is_treacherous(c) && c < 0x10000))
        buf_printf(out, "\\u%04x", (unsigned)c);
    else buf_put(out, bytes, text_encode(bytes, c));
}

static gramc_text quote(struct arena *arena, gramc_text text, char mark) {
    struct buf out;
    buf_init(&out, &arena->allocator, STRING_MAX);
    buf_putc(&out, mark);
    for (size_t pos = 0; pos < text.len;) put_character(&out, text_decode(text, &pos), mark);
    buf_putc(&out, mark);
    return buf_to_arena(&out, arena);
}

static bool is_plain_name(gramc_text name) {
    bool good = name.len > 0 && !(name.ptr[0] >= '0' && name.ptr[0] <= '9');
    for (size_t i = 0; i < name.len && good; i++) {
        char c = name.ptr[i], lower = (char)(c | 0x20);
        good = (lower >= 'a' && lower <= 'z') || c == '_' ||
               (i > 0 && ((c >= '0' && c <= '9') || c == '.' || c == '@' || c == '-'));
    }
    return good && !text_is(name, "true") && !text_is(name, "false");
}

gramc_text import_quote_name(struct arena *arena, gramc_text name) {
    return is_plain_name(name) ? name : quote(arena, name, '`');
}

/* A fence loses its common indentation, blank lines in front, their blanks and the end of the last
 * line: what would not come back as it was is quoted instead. */
static bool suits_fence(gramc_text text) {
    bool lines = false, blank = true, flush = false, start = true;
    unsigned ticks = 0;
    if (text_starts(text, "\n")) return false;
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = text_decode(text, &pos);
        ticks = c == '`' ? ticks + 1 : 0;
        if (ticks == 3 || (c < 0x20 && c != '\n' && c != '\t') || text_is_treacherous(c))
            return false;
        bool space = c == ' ' || c == '\t';
        if (c == '\n') {
            if (blank && !start) return false;
            lines = blank = start = true;
            continue;
        }
        if (start && !space) flush = true;
        start = false;
        blank = blank && space;
    }
    return lines && flush && !blank;
}

struct doc *doc_string(struct arena *arena, gramc_text text) {
    if (!suits_fence(text)) return doc_text(arena, quote(arena, text, '"'));
    struct doc *doc = doc_new(arena, DOC_FENCE);
    if (!doc) return NULL;
    doc->text = text;
    doc->tall = true;
    return doc;
}

/* ## Data */

/* A fence ends at three backticks; JSON can spell them otherwise. */
static gramc_text without_backticks(struct arena *arena, gramc_text json) {
    struct buf out;
    buf_init(&out, &arena->allocator, STRING_MAX);
    for (size_t i = 0; i < json.len; i++) {
        if (json.ptr[i] == '`') buf_puts(&out, "\\u0060");
        else buf_putc(&out, json.ptr[i]);
    }
    return buf_to_arena(&out, arena);
}

static bool is_raw(char c) {
    return c != '\\' && c != '`' && (unsigned char)c < 0x7F;
}

struct doc *doc_json(struct arena *arena, gramc_text json) {
    size_t i = 0;
    struct buf out;
    while (i < json.len && is_raw(json.ptr[i])) i++;
    if (i < json.len) {
        struct doc *doc = doc_new(arena, DOC_FENCE);
        if (!doc) return NULL;
        doc->text = without_backticks(arena, json);
        doc->close = TEXT("json");
        doc->tall = true;
        return doc;
    }
    buf_init(&out, &arena->allocator, STRING_MAX);
    buf_puts(&out, "json`");
    buf_text(&out, json);
    buf_putc(&out, '`');
    return doc_text(arena, buf_to_arena(&out, arena));
}

static bool is_scalar(const struct json *value) {
    return value->kind != JSON_ARRAY && value->kind != JSON_OBJECT;
}

static struct doc *scalar(struct arena *arena, const struct json *value) {
    static const char *const words[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    if (value->kind == JSON_STRING) return doc_text(arena, quote(arena, value->text, '"'));
    if (value->kind == JSON_NUMBER) return doc_text(arena, value->text);
    return doc_words(arena, words[value->kind]);
}

struct doc *doc_data(struct arena *arena, const struct json *value) {
    bool flat = value->kind == JSON_ARRAY;
    if (is_scalar(value)) return scalar(arena, value);
    for (const struct json *item = value->first; item && flat; item = item->next)
        flat = is_scalar(item);
    if (flat) {
        struct doc *list = doc_list(arena, "[", "]");
        for (const struct json *item = value->first; item; item = item->next)
            doc_add(list, scalar(arena, item));
        return list;
    }
    struct buf out;
    buf_init(&out, &arena->allocator, STRING_MAX);
    json_put(&out, value);
    return doc_json(arena, buf_to_arena(&out, arena));
}

/* ## Printing */

static void new_line(struct doc_printer *printer, unsigned indent) {
    buf_putc(printer->out, '\n');
    printer->line_start = printer->out->len;
    for (unsigned i = 0; i < indent; i++) buf_putc(printer->out, ' ');
}

bool doc_fits(const struct doc_printer *printer, size_t width) {
    return printer->out->len - printer->line_start + width <= LINE;
}

static void print_list(struct doc_printer *printer, const struct doc *doc, unsigned indent) {
    bool flat = !doc->first || (!doc->tall && doc_fits(printer, doc->width));
    /* An opening blank is there for one line only. */
    if (flat || !text_is(doc->text, " ")) buf_text(printer->out, doc->text);
    for (const struct doc *child = doc->first; child; child = child->next) {
        if (child != doc->first) buf_puts(printer->out, flat ? ", " : ",");
        if (!flat) new_line(printer, indent + STEP);
        doc_print(printer, child, indent + STEP);
    }
    if (!flat) new_line(printer, indent);
    buf_text(printer->out, doc->close);
}

static void print_fence(struct doc_printer *printer, const struct doc *doc, unsigned indent) {
    buf_puts(printer->out, "```");
    buf_text(printer->out, doc->close);
    for (size_t pos = 0; pos < doc->text.len;) {
        size_t start = pos;
        while (pos < doc->text.len && doc->text.ptr[pos] != '\n') pos++;
        new_line(printer, pos > start ? indent : 0);
        buf_text(printer->out, text_slice(doc->text, start, pos));
        if (pos < doc->text.len) pos++;
    }
    new_line(printer, indent);
    buf_puts(printer->out, "```");
}

static uint32_t begin_span(struct doc_printer *printer, const struct doc *doc) {
    struct doc_span note = {
        {(uint32_t)printer->out->len, UINT32_MAX}, printer->parent, doc->origin};
    printer->parent = (uint32_t)(printer->spans->len / sizeof note);
    buf_put(printer->spans, (const char *)&note, sizeof note);
    return printer->parent;
}

static void end_span(struct doc_printer *printer, uint32_t index) {
    struct doc_span note;
    size_t at = (size_t)index * sizeof note;
    if (printer->spans->state != BUF_FINE) return;
    memcpy(&note, printer->spans->ptr + at, sizeof note);
    note.span.end = (uint32_t)printer->out->len;
    memcpy(printer->spans->ptr + at, &note, sizeof note);
    printer->parent = note.parent;
}

/* Recursion is bounded by the depth at which schema.c stops. */
void doc_print(struct doc_printer *printer, const struct doc *doc, unsigned indent) {
    if (!doc) return;
    uint32_t span = doc->origin ? begin_span(printer, doc) : 0;
    switch ((enum doc_kind)doc->kind) {
    case DOC_TEXT: buf_text(printer->out, doc->text); break;
    case DOC_FENCE: print_fence(printer, doc, indent); break;
    case DOC_LIST: print_list(printer, doc, indent); break;
    case DOC_CHAIN:
        for (const struct doc *child = doc->first; child; child = child->next)
            doc_print(printer, child, indent);
        break;
    }
    if (doc->origin) end_span(printer, span);
}
