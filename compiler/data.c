/* Turns gram values into JSON (defaults, enums, examples) and into text (descriptions, prompts).
 * Whether the data fits a type is schema_check.c's question. */
#include "compiler/data.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool value_is_name(const struct value *value) {
    return value->kind == VALUE_STRING || value->kind == VALUE_SYMBOL;
}

gramc_text value_name(const struct value *value) {
    return scalar_text(value);
}

const char *value_noun(const struct value *value) {
    static const char *const nouns[] = {
        [VALUE_INTEGER] = "a number",
        [VALUE_DECIMAL] = "a number",
        [VALUE_HEXADECIMAL] = "a hexadecimal number",
        [VALUE_OCTAL] = "an octal number",
        [VALUE_MEASUREMENT] = "a measurement",
        [VALUE_BOOLEAN] = "a boolean",
        [VALUE_SYMBOL] = "a symbol",
        [VALUE_STRING] = "a string",
        [VALUE_TAGGED] = "a tagged string",
        [VALUE_RANGE] = "a range",
        [VALUE_ARRAY] = "an array",
        [VALUE_MAP] = "a map",
    };
    if (value->kind == VALUE_STRING && !scalar_text(value).len) return "an empty string";
    if (value->kind == VALUE_ARRAY && !value->as.items) return "an empty array";
    return nouns[value->kind];
}

/* ## Fences */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* The line that starts at `pos` without its end; moves pos behind the end. */
static gramc_text next_line(gramc_text text, size_t *pos) {
    const char *start = text.ptr + *pos;
    const char *feed = memchr(start, '\n', text.len - *pos);
    size_t len = feed ? (size_t)(feed - start) : text.len - *pos;
    *pos += len + (feed ? 1 : 0);
    if (feed && len && start[len - 1] == '\r') len--;
    return (gramc_text){start, len};
}

static size_t indentation(gramc_text line) {
    size_t i = 0;
    while (i < line.len && is_blank(line.ptr[i])) i++;
    return i;
}

/* The leading blanks that all lines with text share, byte for byte. */
static gramc_text common_indent(gramc_text text) {
    gramc_text common = {NULL, 0};
    bool first = true;
    for (size_t pos = 0; pos < text.len;) {
        gramc_text line = next_line(text, &pos);
        size_t indent = indentation(line), same = 0;
        if (indent == line.len) continue;
        if (first) common = text_slice(line, 0, indent);
        while (same < common.len && same < indent && common.ptr[same] == line.ptr[same]) same++;
        common.len = same;
        first = false;
    }
    return common;
}

/* Without the line end and blanks in front of the closing fence. */
static gramc_text without_tail(gramc_text text) {
    size_t len = text.len;
    while (len && is_blank(text.ptr[len - 1])) len--;
    if (len == 0 || text.ptr[len - 1] != '\n') return text;
    len--;
    if (len && text.ptr[len - 1] == '\r') len--;
    return text_slice(text, 0, len);
}

gramc_text fence_text(struct arena *arena, gramc_text text) {
    struct buf out;
    text = without_tail(text);
    gramc_text common = common_indent(text);
    buf_init(&out, &arena->allocator, text.len + 1);
    for (size_t pos = 0; pos < text.len;) {
        gramc_text line = next_line(text, &pos);
        size_t skip = indentation(line) < common.len ? indentation(line) : common.len;
        bool ended = pos > 0 && text.ptr[pos - 1] == '\n';
        if (indentation(line) < line.len) buf_text(&out, text_slice(line, skip, line.len));
        if (ended) buf_putc(&out, '\n');
    }
    return buf_to_arena(&out, arena);
}

gramc_text value_text(struct pass *pass, const struct value *value) {
    gramc_text text = scalar_text(value);
    return value->quote == QUOTE_FENCE ? fence_text(pass->arena, text) : text;
}

/* ## Data */

static bool not_data(struct pass *pass, const struct value *value, const char *help) {
    struct finding *f =
        FIND(pass->findings, D_NOT_DATA, pass->source, value->span, text_of(value_noun(value)));
    finding_help(pass->findings, f, "%s", help);
    return false;
}

/* JSON has decimal numbers only; 16 hexadecimal or 21 octal digits fit a 64-bit integer. */
static bool put_radix(struct pass *pass, struct json_sink *sink, const struct value *value) {
    bool hex = value->kind == VALUE_HEXADECIMAL;
    gramc_text digits = scalar_text(value);
    uint64_t number = 0, radix = hex ? 16 : 8;
    char decimal[24];
    for (size_t i = hex ? 2 : 0; i < digits.len; i++) {
        char c = digits.ptr[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 32U) - 'a' + 10;
        if (number > (UINT64_MAX - digit) / radix)
            return not_data(pass, value, "it is larger than 64 bits; write it as a decimal number");
        number = number * radix + digit;
    }
    if (!hex) {
        struct finding *f = FIND(pass->findings, D_OCTAL, pass->source, value->span, digits);
        finding_help(pass->findings, f, "it is read as %llu; write that, or quote a text",
                     (unsigned long long)number);
    }
    snprintf(decimal, sizeof decimal, "%llu", (unsigned long long)number);
    json_sink_number(sink, json_sink_keep(sink, text_of(decimal)));
    return true;
}

static bool put_symbol(struct pass *pass, struct json_sink *sink, const struct value *value) {
    static const struct {
        const char *symbol, *meant;
    } lookalikes[] = {{"True", "true"},      {"False", "false"}, {"TRUE", "true"},
                      {"FALSE", "false"},    {"None", "null"},   {"nil", "null"},
                      {"undefined", "null"}, {"NULL", "null"},   {"Null", "null"}};
    gramc_text text = scalar_text(value);
    if (text_is(text, "null")) {
        json_sink_word(sink, JSON_NULL);
        return true;
    }
    for (size_t i = 0; i < sizeof lookalikes / sizeof *lookalikes; i++) {
        if (!text_is(text, lookalikes[i].symbol)) continue;
        struct finding *f = FIND(pass->findings, D_SYMBOL_AS_TEXT, pass->source, value->span, text);
        finding_help(pass->findings, f, "did you mean `%s`? else quote the text",
                     lookalikes[i].meant);
    }
    json_sink_string(sink, text);
    return true;
}

static bool put_tagged(struct pass *pass, struct json_sink *sink, const struct value *value) {
    struct json_error error = {0};
    if (!text_is(name_text(*scalar_tag(value)), "json"))
        return not_data(pass, value, "only json`...` is data; write a plain string");
    struct json *json = json_parse(pass->arena, scalar_text(value), &error);
    if (!json) {
        if (pass->arena->oom) return false;
        FIND(pass->findings, D_BAD_JSON, pass->source, value->span, text_of(error.message));
        return false;
    }
    json_sink_value(sink, json);
    return true;
}

static bool put_array(struct pass *pass, struct json_sink *sink, const struct value *value) {
    bool good = true;
    json_sink_open(sink, JSON_ARRAY);
    for (const struct value *item = value->as.items; item; item = item->next)
        good = data_put(pass, sink, item) && good;
    json_sink_close(sink, JSON_ARRAY);
    return good;
}

static bool put_map(struct pass *pass, struct json_sink *sink, const struct value *value) {
    bool good = true;
    json_sink_open(sink, JSON_OBJECT);
    for (const struct property *p = value->as.entries; p; p = p->next) {
        json_sink_key(sink, name_text(p->key));
        good = data_put(pass, sink, p->value) && good;
    }
    json_sink_close(sink, JSON_OBJECT);
    return good;
}

/* Recursion is bounded by the parser's nesting limit. */
bool data_put(struct pass *pass, struct json_sink *sink, const struct value *value) {
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER:
    case VALUE_DECIMAL:
    case VALUE_BOOLEAN: json_sink_scalar(sink, scalar_text(value)); return true;
    case VALUE_HEXADECIMAL:
    case VALUE_OCTAL: return put_radix(pass, sink, value);
    case VALUE_SYMBOL: return put_symbol(pass, sink, value);
    case VALUE_STRING: json_sink_string(sink, value_text(pass, value)); return true;
    case VALUE_TAGGED: return put_tagged(pass, sink, value);
    case VALUE_ARRAY: return put_array(pass, sink, value);
    case VALUE_MAP: return put_map(pass, sink, value);
    case VALUE_MEASUREMENT:
        return not_data(pass, value, "quote it to mean the text, or write the bare number");
    case VALUE_RANGE: return not_data(pass, value, "list the values, or use `range` for bounds");
    }
    return false;
}

bool data_is_structured(const struct value *value) {
    return value->kind == VALUE_ARRAY || value->kind == VALUE_MAP || value->kind == VALUE_TAGGED;
}

/* `arena` of the document, NULL: none is wanted. */
static gramc_text describe(struct pass *pass, const struct value *value, struct json_sink *sink,
                           struct arena *arena) {
    struct buf out;
    gramc_text text = {NULL, 0};
    buf_init(&out, &pass->arena->allocator, SOURCE_MAX);
    json_sink_init(sink, &out, arena);
    if (data_put(pass, sink, value)) text = arena_text(pass->arena, buf_view(&out));
    if (out.state == BUF_NOMEM) pass->arena->oom = true;
    sink->writer.out = NULL;
    buf_free(&out);
    return text;
}

/* Numbers and booleans are JSON as they stand in the source. */
static bool is_json_already(const struct value *value) {
    return value->kind == VALUE_INTEGER || value->kind == VALUE_DECIMAL ||
           value->kind == VALUE_BOOLEAN;
}

gramc_text data_json(struct pass *pass, const struct value *value) {
    struct json_sink sink;
    if (is_json_already(value)) return scalar_text(value);
    return describe(pass, value, &sink, NULL);
}

gramc_text data_document(struct pass *pass, const struct value *value,
                         const struct json **document) {
    struct json_sink sink;
    gramc_text text = describe(pass, value, &sink, pass->arena);
    *document = json_sink_document(&sink);
    return text;
}
