/* Turns a description of JSON, one call a token, into bytes, into a document, or into both. The
 * bytes are the writer's (writer.h); here is the document. What is described is the caller's
 * matter, and so is that every open has its close. */
#include "base/json/sink.h"

#include "base/json/edit.h"
#include "base/json/scan.h"
#include "base/text.h"

#include <string.h>

void json_sink_init(struct json_sink *sink, struct buf *out, struct arena *arena) {
    sink->writer = json_writer(out);
    sink->arena = arena;
    sink->root = NULL;
    sink->key = (gramc_text){NULL, 0};
    sink->key_at = sink->tokens = sink->depth = 0;
    sink->failed = false;
}

const struct json *json_sink_document(const struct json_sink *sink) {
    return sink->failed || sink->arena->oom ? NULL : sink->root;
}

static bool has_bytes(const struct json_sink *sink) {
    return sink->writer.out != NULL;
}

/* Where the next key or value begins. */
static uint32_t begin(struct json_sink *sink) {
    return has_bytes(sink) ? (uint32_t)json_next(&sink->writer) : sink->tokens++;
}

/* Where the last one ends. */
static uint32_t end(struct json_sink *sink) {
    return has_bytes(sink) ? (uint32_t)sink->writer.out->len : sink->tokens++;
}

/* A new value where the next one goes; NULL if there is no document that it could go to. */
static struct json *add(struct json_sink *sink, enum json_kind kind) {
    struct json *value = sink->failed ? NULL : json_new(sink->arena, kind);
    if (!value) {
        sink->failed = true;
        return NULL;
    }
    value->start = begin(sink);
    value->key = sink->key;
    value->key_start = sink->key_at;
    sink->key = (gramc_text){NULL, 0};
    if (sink->depth) {
        struct json_sink_level *level = &sink->levels[sink->depth - 1];
        *level->tail = value;
        level->tail = &value->next;
        level->container->count++;
    } else {
        sink->root = value;
    }
    return value;
}

/* ## Containers */

void json_sink_open(struct json_sink *sink, enum json_kind kind) {
    struct json *value = sink->arena ? add(sink, kind) : NULL;
    if (sink->depth == JSON_MAX_DEPTH) sink->failed = true;
    else if (value) sink->levels[sink->depth] = (struct json_sink_level){value, &value->first};
    sink->depth++;
    if (!has_bytes(sink)) return;
    if (kind == JSON_OBJECT) json_object_begin(&sink->writer);
    else json_array_begin(&sink->writer);
}

void json_sink_close(struct json_sink *sink, enum json_kind kind) {
    sink->depth--;
    if (has_bytes(sink) && kind == JSON_OBJECT) json_object_end(&sink->writer);
    else if (has_bytes(sink)) json_array_end(&sink->writer);
    if (sink->arena && !sink->failed) sink->levels[sink->depth].container->end = end(sink);
}

void json_sink_key(struct json_sink *sink, gramc_text key) {
    sink->key = key;
    sink->key_at = begin(sink);
    if (has_bytes(sink)) json_key_text(&sink->writer, key);
}

void json_sink_name(struct json_sink *sink, const char *name) {
    if (sink->arena) json_sink_key(sink, text_of(name));
    else json_key(&sink->writer, name);
}

/* ## Scalars */

/* Of the document; the bytes are written between the two. */
static struct json *begin_scalar(struct json_sink *sink, enum json_kind kind, gramc_text text) {
    struct json *value = sink->arena ? add(sink, kind) : NULL;
    if (value) value->text = text;
    return value;
}

static void end_scalar(struct json_sink *sink, struct json *value) {
    if (value) value->end = end(sink);
}

void json_sink_string(struct json_sink *sink, gramc_text text) {
    struct json *value = begin_scalar(sink, JSON_STRING, text);
    if (has_bytes(sink)) json_text(&sink->writer, text);
    end_scalar(sink, value);
}

void json_sink_number(struct json_sink *sink, gramc_text number) {
    struct json *value = begin_scalar(sink, JSON_NUMBER, number);
    if (has_bytes(sink)) json_raw(&sink->writer, number);
    end_scalar(sink, value);
}

void json_sink_word(struct json_sink *sink, enum json_kind kind) {
    struct json *value = begin_scalar(sink, kind, (gramc_text){NULL, 0});
    if (has_bytes(sink) && kind == JSON_NULL) json_null(&sink->writer);
    else if (has_bytes(sink)) json_bool(&sink->writer, kind == JSON_TRUE);
    end_scalar(sink, value);
}

static enum json_kind kind_of(gramc_text json) {
    switch (json.ptr[0]) {
    case '"': return JSON_STRING;
    case 't': return JSON_TRUE;
    case 'f': return JSON_FALSE;
    case 'n': return JSON_NULL;
    case '[': return JSON_ARRAY;
    case '{': return JSON_OBJECT;
    default: return JSON_NUMBER;
    }
}

/* What a string between quotes says, in the arena if it has escapes. */
static gramc_text decoded(struct json_sink *sink, gramc_text json) {
    gramc_text inside = text_slice(json, 1, json.len - 1);
    if (!memchr(inside.ptr, '\\', inside.len)) return inside;
    char *text = arena_alloc(sink->arena, inside.len + 1);
    if (!text) return (gramc_text){NULL, 0};
    size_t len = json_unescape(text, inside.ptr, inside.ptr + inside.len);
    text[len] = '\0';
    return (gramc_text){text, len};
}

void json_sink_scalar(struct json_sink *sink, gramc_text json) {
    enum json_kind kind = kind_of(json);
    gramc_text text = kind == JSON_NUMBER                  ? json
                      : kind == JSON_STRING && sink->arena ? decoded(sink, json)
                                                           : (gramc_text){NULL, 0};
    if (kind == JSON_ARRAY || kind == JSON_OBJECT) sink->failed = true;
    struct json *value = begin_scalar(sink, kind, text);
    if (has_bytes(sink)) json_raw(&sink->writer, json);
    end_scalar(sink, value);
}

/* Recursion is as deep as the value, which was parsed or came out of a sink. */
void json_sink_value(struct json_sink *sink, const struct json *value) {
    switch ((enum json_kind)value->kind) {
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE: json_sink_word(sink, (enum json_kind)value->kind); return;
    case JSON_NUMBER: json_sink_number(sink, value->text); return;
    case JSON_STRING: json_sink_string(sink, value->text); return;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    json_sink_open(sink, (enum json_kind)value->kind);
    for (const struct json *inner = value->first; inner; inner = inner->next) {
        if (value->kind == JSON_OBJECT) json_sink_key(sink, inner->key);
        json_sink_value(sink, inner);
    }
    json_sink_close(sink, (enum json_kind)value->kind);
}

/* ## Texts that are made on the way */

gramc_text json_sink_keep(struct json_sink *sink, gramc_text text) {
    return sink->arena ? arena_text(sink->arena, text) : text;
}

void json_sink_fail(struct json_sink *sink, const struct buf *buf) {
    if (buf->state == BUF_FINE) return;
    sink->failed = true;
    if (has_bytes(sink)) sink->writer.out->state = buf->state;
    if (sink->arena && buf->state == BUF_NOMEM) sink->arena->oom = true;
}

bool json_sink_is_broken(const struct json_sink *sink) {
    return (has_bytes(sink) && sink->writer.out->state != BUF_FINE) ||
           (sink->arena && sink->arena->oom);
}

const gramc_allocator *json_sink_allocator(const struct json_sink *sink) {
    return sink->arena ? &sink->arena->allocator : &sink->writer.out->allocator;
}
