/* Puts the fields of a case where a grader names them. Fields are looked up in the case's own text,
 * so that a number stays a number. */
#include "experiment/grading.h"

#include "base/placeholder.h"
#include "base/text.h"

struct field_filling {
    struct arena *arena;
    const struct item *item;
    const struct json *fields; /* the case; NULL until it is asked for */
    bool patterns;
};

static const struct json *new_string(struct arena *arena, gramc_text text) {
    struct json *value = ARENA_NEW(arena, struct json);
    if (!value) return NULL;
    value->kind = JSON_STRING;
    value->text = text;
    return value;
}

/* What every case has, whatever it is written as: its id, and the last message. */
static const struct json *find_field(struct field_filling *filling, gramc_text name) {
    const struct item *item = filling->item;
    if (!filling->fields) filling->fields = json_parse(filling->arena, item->text, NULL);
    const struct json *field = filling->fields ? json_get_text(filling->fields, name) : NULL;
    if (field) return field;
    if (text_is(name, "id")) return new_string(filling->arena, item->id);
    if (text_is(name, "message") && item->message_count)
        return new_string(filling->arena, item->messages[item->message_count - 1]);
    return NULL;
}

static void put_escaped(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("\\^$.|?*+()[]{}", text.ptr[i]) && text.ptr[i]) buf_putc(out, '\\');
        buf_putc(out, text.ptr[i]);
    }
}

static void put_field(struct field_filling *filling, struct buf *out, gramc_text name) {
    const struct json *field = find_field(filling, name);
    struct buf text;
    if (!field) return;
    buf_init(&text, &filling->arena->allocator, SOURCE_MAX);
    if (field->kind == JSON_STRING) buf_text(&text, field->text);
    else json_put(&text, field);
    if (filling->patterns) put_escaped(out, buf_view(&text));
    else buf_text(out, buf_view(&text));
    buf_free(&text);
}

static gramc_text fill(struct field_filling *filling, gramc_text text) {
    struct placeholder part;
    struct buf out;
    if (!placeholder_is_in(text)) return text;
    buf_init(&out, &filling->arena->allocator, SOURCE_MAX);
    for (size_t pos = 0; placeholder_next(text, &pos, &part);) {
        if (part.kind == PLACEHOLDER_NAME) put_field(filling, &out, part.text);
        else buf_text(&out, part.text);
    }
    return buf_to_arena(&out, filling->arena);
}

/* The name, if the text is nothing but ${name}. */
static gramc_text only_name(gramc_text text) {
    struct placeholder part;
    size_t pos = 0;
    bool only = text_starts(text, "${") && placeholder_next(text, &pos, &part) &&
                part.kind == PLACEHOLDER_NAME && pos == text.len;
    return only ? part.text : (gramc_text){NULL, 0};
}

static struct json *fill_one(struct field_filling *filling, const struct json *value) {
    struct json *copy = ARENA_NEW(filling->arena, struct json);
    gramc_text name = value->kind == JSON_STRING && !filling->patterns ? only_name(value->text)
                                                                       : (gramc_text){NULL, 0};
    const struct json *field = name.len ? find_field(filling, name) : NULL;
    if (!copy) return NULL;
    *copy = field ? *field : *value;
    copy->key = value->key;
    copy->next = NULL;
    if (field) return copy;
    if (value->kind == JSON_STRING) copy->text = fill(filling, value->text);
    struct json *last = NULL;
    /* Recursion is bounded by JSON_MAX_DEPTH. */
    for (const struct json *v = value->first; v; v = v->next) {
        bool before = filling->patterns;
        filling->patterns = before || text_is(v->key, expectation_name(EXPECT_MATCHES));
        struct json *inner = fill_one(filling, v);
        filling->patterns = before;
        if (!inner) return NULL;
        if (last) last->next = inner;
        else copy->first = inner;
        last = inner;
    }
    return copy;
}

const struct json *fill_value(struct arena *arena, const struct json *value,
                              const struct item *item, bool patterns) {
    struct field_filling filling = {arena, item, NULL, patterns};
    return fill_one(&filling, value);
}

gramc_text fill_text(struct arena *arena, gramc_text text, const struct item *item) {
    struct field_filling filling = {arena, item, NULL, false};
    return fill(&filling, text);
}
