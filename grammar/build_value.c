/* Turns tokens into names and values, and notes each use of the superset. Texts borrow from the
 * source unless an escape has to be resolved; numbers stay as they are spelled. */
#include "grammar/build_private.h"

#include "base/text.h"
#include "grammar/string.h"

#include <stdlib.h>

void build_extension(struct build *build, enum extension extension, struct span span) {
    struct extension_use *use = arena_piece(build->arena, sizeof *use);
    if (!use) return;
    *use = (struct extension_use){.span = span, .extension = (uint8_t)extension};
    if (build->last_extension) build->last_extension->next = use;
    else build->tree->extensions = use;
    build->last_extension = use;
    build->extension_count++;
}

static int compare_uses(const void *left, const void *right) {
    const struct span a = (*(struct extension_use *const *)left)->span;
    const struct span b = (*(struct extension_use *const *)right)->span;
    if (a.start != b.start) return a.start < b.start ? -1 : 1;
    return a.end > b.end ? -1 : a.end < b.end;
}

/* They come in the order in which constructs end: inner before outer. */
void build_finish(struct build *build) {
    uint32_t count = 0;
    if (build->extension_count < 2) return;
    struct extension_use **all =
        arena_array(build->arena, build->extension_count, sizeof(struct extension_use *));
    if (!all) return;
    for (struct extension_use *use = build->tree->extensions; use; use = use->next)
        all[count++] = use;
    qsort(all, count, sizeof *all, compare_uses);
    for (uint32_t i = 0; i < count; i++) all[i]->next = i + 1 < count ? all[i + 1] : NULL;
    build->tree->extensions = all[0];
}

static gramc_text slice(const struct build *build, struct token token) {
    return (gramc_text){build->text + token.start, token.end - token.start};
}

/* Notes what plain gram does not have in a quoted string. */
static void note_string(struct build *build, struct token token, gramc_text body) {
    struct span span = {token.start, token.end};
    if (token.flags & TOKEN_NEWLINE) build_extension(build, EXT_STRING_NEWLINE, span);
    for (size_t i = 0; i + 1 < body.len; i++) {
        if (body.ptr[i] != '\\') continue;
        uint32_t start = token.start + 1 + (uint32_t)i;
        if (body.ptr[++i] == 'u')
            build_extension(build, EXT_UNICODE_ESCAPE, (struct span){start, start + 6});
    }
}

static gramc_text quoted(struct build *build, struct token token) {
    uint32_t len = token.end - token.start;
    gramc_text body = {build->text + token.start + 1, len < 2 ? 0 : len - 2};
    if (!token.flags) return body;
    bool fine = true;
    note_string(build, token, body);
    if (token.flags & TOKEN_ESCAPES)
        body = string_decode(build->arena, body, build->text[token.start], &fine);
    if (!fine) build->bad_escape = true;
    return body;
}

struct name build_quoted_name(struct build *build, struct token token, bool two_colons) {
    struct quoted_name *quote = build_alloc(build, sizeof *quote);
    struct name name =
        build_plain_name(build->text + token.start, token.start, token.end, two_colons);
    if (!quote) return name;
    enum name_kind kind = token.code == TK_BACKTICK ? NAME_QUOTED : NAME_DOUBLE_QUOTED;
    *quote = (struct quoted_name){quoted(build, token), kind};
    name.as.quoted = quote;
    name.is_quoted = 1;
    return name;
}

static struct value *value_new(struct build *build, enum value_kind kind, uint32_t start,
                               uint32_t end) {
    struct value *value = build_alloc(build, sizeof *value);
    if (!value) return NULL;
    *value = (struct value){.span = {start, end}, .kind = (uint8_t)kind};
    return value;
}

static struct value *text_new(struct build *build, enum value_kind kind, struct token token) {
    struct value *value = value_new(build, kind, token.start, token.end);
    if (!value) return NULL;
    value->as.text = build->text + token.start;
    value->count = token.end - token.start;
    return value;
}

/* Puts a tag in front of the text of a value. */
static struct value *with_tag(struct build *build, struct value *value, gramc_text tag) {
    struct tagged_text *tagged = build_alloc(build, sizeof *tagged);
    if (!tagged) return NULL;
    uint32_t start = (uint32_t)(tag.ptr - build->text);
    *tagged = (struct tagged_text){
        value->as.text, build_plain_name(tag.ptr, start, start + (uint32_t)tag.len, false)};
    value->kind = VALUE_TAGGED;
    value->as.tagged = tagged;
    return value;
}

static struct value *fence(struct build *build, struct token token) {
    gramc_text whole = slice(build, token), tag = fence_tag(whole), text = fence_content(whole);
    struct value *value = value_new(build, VALUE_STRING, token.start, token.end);
    if (!value) return NULL;
    value->quote = QUOTE_FENCE;
    value->as.text = text.ptr;
    value->count = (uint32_t)text.len;
    return tag.len ? with_tag(build, value, tag) : value;
}

static struct value *string(struct build *build, struct token token, enum quote_kind quote) {
    struct value *value = value_new(build, VALUE_STRING, token.start, token.end);
    if (!value) return NULL;
    gramc_text text = quoted(build, token);
    value->quote = (uint8_t)quote;
    value->as.text = text.ptr;
    value->count = (uint32_t)text.len;
    return value;
}

struct value *build_scalar(struct build *build, struct token token) {
    switch (token.code) {
    case TK_TRUE:
    case TK_FALSE: return text_new(build, VALUE_BOOLEAN, token);
    case TK_SINGLE: return string(build, token, QUOTE_SINGLE);
    case TK_DOUBLE: return string(build, token, QUOTE_DOUBLE);
    case TK_BACKTICK: return string(build, token, QUOTE_BACKTICK);
    case TK_FENCE: return fence(build, token);
    default: return text_new(build, VALUE_SYMBOL, token);
    }
}

uint32_t measurement_unit_at(const struct value *value) {
    uint32_t at = value->count;
    while (at > 0 && (value->as.text[at - 1] < '0' || value->as.text[at - 1] > '9')) at--;
    return at;
}

struct value *build_number(struct build *build, struct token token) {
    struct span span = {token.start, token.end};
    switch (token.code) {
    case TK_INTEGER: return text_new(build, VALUE_INTEGER, token);
    case TK_HEXADECIMAL: return text_new(build, VALUE_HEXADECIMAL, token);
    case TK_OCTAL: return text_new(build, VALUE_OCTAL, token);
    case TK_MEASUREMENT: break;
    case TK_DECIMAL_MEASUREMENT: build_extension(build, EXT_DECIMAL_MEASUREMENT, span); break;
    case TK_EXPONENT:
        build_extension(build, EXT_EXPONENT, span);
        return text_new(build, VALUE_DECIMAL, token);
    default: return text_new(build, VALUE_DECIMAL, token);
    }
    return text_new(build, VALUE_MEASUREMENT, token);
}

struct value *build_tagged(struct build *build, struct token tag, struct token body) {
    struct value *value = string(build, body, QUOTE_BACKTICK);
    if (!value) return NULL;
    value->span.start = tag.start;
    return with_tag(build, value, slice(build, tag));
}

struct value *build_range(struct build *build, const struct token *lower, struct token first,
                          const struct token *upper, struct token last) {
    struct value *value = value_new(build, VALUE_RANGE, first.start, last.end);
    struct value_range *range = value ? build_alloc(build, sizeof *range) : NULL;
    if (!range) return NULL;
    range->lower = lower ? build_number(build, *lower) : NULL;
    range->upper = upper ? build_number(build, *upper) : NULL;
    value->as.range = range;
    return value;
}

/* Plain gram has only scalars inside arrays and maps. */
static void note_nested(struct build *build, const struct value *value) {
    if (value && (value->kind == VALUE_ARRAY || value->kind == VALUE_MAP))
        build_extension(build, EXT_NESTED_VALUE, value->span);
}

struct value *build_map(struct build *build, const struct record *record) {
    struct value *map = value_new(build, VALUE_MAP, record->span.start, record->span.end);
    if (!map) return NULL;
    map->as.entries = record->first;
    map->count = record->count;
    for (const struct property *entry = record->first; entry; entry = entry->next) {
        if (entry->key.two_colons)
            build_extension(build, EXT_MAP_DOUBLE_COLON, property_span(entry));
        note_nested(build, entry->value);
    }
    return map;
}

struct value *build_array(struct build *build, struct token open, const struct value_list *values,
                          struct token close) {
    struct value *array = value_new(build, VALUE_ARRAY, open.start, close.end);
    if (!array) return NULL;
    array->as.items = values ? values->first : NULL;
    array->count = values ? values->count : 0;
    if (!array->as.items) build_extension(build, EXT_EMPTY_ARRAY, array->span);
    for (const struct value *item = array->as.items; item; item = item->next)
        note_nested(build, item);
    return array;
}

struct property *build_pair(struct build *build, struct token key, struct value *value,
                            uint8_t colons) {
    struct property *pair = value ? build_alloc(build, sizeof *pair) : NULL;
    if (!pair) return NULL;
    pair->next = NULL;
    pair->value = value;
    pair->key = build_name(build, key, colons == 2);
    return pair;
}
