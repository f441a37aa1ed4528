/* Cuts streams of answers into events, hands each to its protocol and keeps what that collects, up
 * to a limit. Which way a server streams is seen by its first bytes: one that was asked to stream
 * and answers with plain JSON is understood too. What the events mean is in stream_*.c. */
#include "runtime/stream.h"

#include <string.h>

#include "base/json/scan.h"
#include "base/text.h"
#include "runtime/protocol.h"

enum { FRAME_MAX = 2048 /* longer events are read each by itself */ };

void stream_init(struct stream *stream, const struct stream_protocol *protocol,
                 const gramc_allocator *allocator, size_t max) {
    *stream = (struct stream){.protocol = protocol, .max = max};
    arena_init(&stream->arena, allocator);
    arena_init(&stream->scratch, allocator);
    sse_init(&stream->sse, allocator, max);
    buf_init(&stream->line, allocator, max);
    buf_init(&stream->frame, allocator, FRAME_MAX);
    buf_init(&stream->error, allocator, max);
    for (size_t i = 0; i < STREAM_FIELDS; i++) buf_init(&stream->fields[i], allocator, max);
}

void stream_free(struct stream *stream) {
    if (!stream->protocol) return;
    for (struct stream_part *part = stream->parts; part; part = part->next)
        for (size_t i = 0; i < SECTION_FIELDS; i++) buf_free(&part->fields[i]);
    for (size_t i = 0; i < STREAM_FIELDS; i++) buf_free(&stream->fields[i]);
    buf_free(&stream->error);
    buf_free(&stream->frame);
    buf_free(&stream->line);
    sse_free(&stream->sse);
    arena_free(&stream->scratch);
    arena_free(&stream->arena);
    *stream = (struct stream){.protocol = NULL};
}

/* ## Keeping */

static void fail(struct stream *stream, gramc_status status) {
    if (stream->status == GRAMC_OK) stream->status = status;
}

static void put(struct stream *stream, struct buf *field, gramc_text more) {
    if (more.len > stream->max - stream->size) {
        fail(stream, GRAMC_LIMIT);
        return;
    }
    stream->size += more.len;
    buf_text(field, more);
    if (buf_status(field)) fail(stream, buf_status(field));
}

static void replace(struct stream *stream, struct buf *field, gramc_text text) {
    if (text.len == 0 || text_eq(buf_view(field), text)) return;
    stream->size -= field->len;
    buf_reset(field);
    put(stream, field, text);
}

static gramc_text print(struct stream *stream, const struct json *value) {
    gramc_text text = protocol_print(&stream->scratch, value);
    if (!text.ptr) fail(stream, GRAMC_NOMEM);
    return text;
}

void stream_add(struct stream *stream, enum stream_field field, gramc_text more) {
    put(stream, &stream->fields[field], more);
}

void stream_set(struct stream *stream, enum stream_field field, gramc_text text) {
    replace(stream, &stream->fields[field], text);
}

void stream_set_json(struct stream *stream, enum stream_field field, const struct json *value) {
    if (json_is(value, JSON_OBJECT)) stream_set(stream, field, print(stream, value));
}

gramc_text stream_text(const struct stream *stream, enum stream_field field) {
    return buf_view(&stream->fields[field]);
}

struct stream_part *stream_find(const struct stream *stream, uint64_t index) {
    struct stream_part *found = NULL;
    for (struct stream_part *part = stream->parts; part; part = part->next)
        if (part->index == index) found = part;
    return found;
}

struct stream_part *stream_last(const struct stream *stream) {
    struct stream_part *last = stream->parts;
    while (last && last->next) last = last->next;
    return last;
}

/* Its own size counts as well: an answer may be made of nothing but empty parts. */
struct stream_part *stream_part(struct stream *stream, uint64_t index) {
    struct stream_part **at = &stream->parts;
    if (sizeof(**at) > stream->max - stream->size) {
        fail(stream, GRAMC_LIMIT);
        return NULL;
    }
    struct stream_part *part = ARENA_NEW(&stream->arena, struct stream_part);
    if (!part) {
        fail(stream, GRAMC_NOMEM);
        return NULL;
    }
    stream->size += sizeof(*part);
    for (size_t i = 0; i < SECTION_FIELDS; i++)
        buf_init(&part->fields[i], &stream->arena.allocator, stream->max);
    while (*at && (*at)->index <= index) at = &(*at)->next;
    part->index = index;
    part->next = *at;
    *at = part;
    return part;
}

void part_add(struct stream *stream, struct stream_part *part, enum part_field field,
              gramc_text more) {
    put(stream, &part->fields[field], more);
}

void part_set(struct stream *stream, struct stream_part *part, enum part_field field,
              gramc_text text) {
    replace(stream, &part->fields[field], text);
}

void part_add_json(struct stream *stream, struct stream_part *part, enum part_field field,
                   const struct json *value) {
    if (part->fields[field].len) part_add(stream, part, field, TEXT(","));
    part_add(stream, part, field, print(stream, value));
}

gramc_text part_text(const struct stream_part *part, enum part_field field) {
    return buf_view(&part->fields[field]);
}

/* ## Events */

static void take_error(struct stream *stream, gramc_text data) {
    if (stream->error.len == 0) put(stream, &stream->error, data);
    stream->ended = true;
}

static void take_odd(struct stream *stream) {
    struct buf line;
    buf_init(&line, &stream->scratch.allocator, 256);
    buf_printf(&line,
               "{\"error\":\"the `%s` of an event of the stream is missing or of the wrong type\"}",
               stream->odd);
    if (buf_status(&line)) fail(stream, buf_status(&line));
    else take_error(stream, buf_view(&line));
    buf_free(&line);
}

/* ## An event that is the one before it with another text, as most deltas of an answer are */

static void keep_frame(struct stream *stream, gramc_text data, const struct json *event) {
    buf_reset(&stream->frame);
    if (!stream->protocol->lone_text || data.len > FRAME_MAX || stream->odd || stream->error.len)
        return;
    const struct json *text = stream->protocol->lone_text(event);
    if (!text) return;
    stream->frame_head = text->start + (size_t)1;
    stream->frame_tail = data.len - (text->end - (size_t)1);
    buf_text(&stream->frame, data);
    if (buf_status(&stream->frame)) fail(stream, buf_status(&stream->frame));
}

/* Needs no document of it, where the text has no escapes. False: nothing has been taken. */
static bool take_again(struct stream *stream, gramc_text data, gramc_text type) {
    gramc_text frame = buf_view(&stream->frame);
    size_t head = stream->frame_head, tail = stream->frame_tail;
    if (!frame.len || data.len < head + tail || text_is(type, "error")) return false;
    const char *text = data.ptr + head, *close = data.ptr + data.len - tail;
    unsigned seen = 0;
    if (memcmp(data.ptr, frame.ptr, head) != 0) return false;
    if (memcmp(close, frame.ptr + frame.len - tail, tail) != 0) return false;
    if (json_scan_string(text, data.ptr + data.len, &seen) != close) return false;
    if (seen & JSON_SEEN_ESCAPE) return false;
    stream_add(stream, STREAM_TEXT, (gramc_text){text, (size_t)(close - text)});
    return true;
}

static void take_object(struct stream *stream, const struct json *event, gramc_text type) {
    if (text_is(type, "error") || protocol_is_error(event))
        take_error(stream, print(stream, event));
    else stream->protocol->event(stream, event);
    if (stream->odd) take_odd(stream);
}

/* An array is several events: so Gemini streams where nobody asks for server-sent ones. False: it
 * is no JSON, or neither of these. */
static bool take_json(struct stream *stream, gramc_text data, gramc_text type) {
    if (take_again(stream, data, type)) return true;
    buf_reset(&stream->frame);
    data = json_mended(&stream->scratch, data);
    const struct json *event = json_parse(&stream->scratch, data, NULL);
    if (json_is(event, JSON_ARRAY))
        for (const struct json *item = event->first; item && !stream->error.len; item = item->next)
            take_object(stream, item, type);
    if (json_is(event, JSON_OBJECT)) {
        take_object(stream, event, type);
        keep_frame(stream, data, event);
    }
    return json_is(event, JSON_OBJECT) || json_is(event, JSON_ARRAY);
}

/* last: it may have been cut off; that shows in what is missing then. */
static void take_data(struct stream *stream, gramc_text data, gramc_text type, bool last) {
    static const char broken[] = "{\"error\":\"the stream holds an event that is not JSON\"}";
    if (stream->ended || text_trim(data).len == 0) return;
    if (text_is(text_trim(data), "[DONE]")) {
        stream->ended = true;
        return;
    }
    bool read = take_json(stream, data, type);
    if (stream->scratch.oom) fail(stream, GRAMC_NOMEM);
    else if (!read && text_is(type, "error")) take_error(stream, data);
    else if (!read && !last) take_error(stream, text_of(broken));
    arena_free(&stream->scratch);
}

/* ## Framing */

/* What a field of an event or a comment begins with, or the mark of the byte order. */
static bool begins_event(char c) {
    return c && strchr("deir:\xEF", c);
}

/* Whether the first line is a JSON object, and so one of many. */
static bool is_line(struct stream *stream, gramc_text line) {
    bool object = json_is(json_parse(&stream->scratch, line, NULL), JSON_OBJECT);
    if (stream->scratch.oom) fail(stream, GRAMC_NOMEM);
    arena_free(&stream->scratch);
    return object;
}

static size_t line_length(gramc_text bytes) {
    const char *end = bytes.len ? memchr(bytes.ptr, '\n', bytes.len) : NULL;
    return end ? (size_t)(end - bytes.ptr) : bytes.len;
}

/* Blank lines in front say nothing. */
static void decide(struct stream *stream, gramc_text *bytes, bool last) {
    gramc_text all = text_trim(*bytes);
    if (all.len == 0) return;
    *bytes = text_slice(*bytes, (size_t)(all.ptr - bytes->ptr), bytes->len);
    size_t len = line_length(*bytes);
    if (begins_event(all.ptr[0])) stream->framing = STREAM_EVENTS;
    else if (!stream->protocol->lines) stream->framing = STREAM_PLAIN;
    else if (len < bytes->len || last)
        stream->framing = is_line(stream, text_slice(*bytes, 0, len)) ? STREAM_LINES : STREAM_PLAIN;
}

static void feed_events(struct stream *stream, gramc_text *bytes) {
    struct sse_event event;
    while (stream->status == GRAMC_OK && sse_next(&stream->sse, bytes, &event))
        take_data(stream, event.data, event.type, false);
    if (stream->sse.status) fail(stream, stream->sse.status);
}

static void feed_lines(struct stream *stream, gramc_text *bytes) {
    while (bytes->len && stream->status == GRAMC_OK) {
        size_t len = line_length(*bytes);
        buf_put(&stream->line, bytes->ptr, len);
        if (buf_status(&stream->line)) fail(stream, buf_status(&stream->line));
        bool whole = len < bytes->len;
        *bytes = text_slice(*bytes, len + whole, bytes->len);
        if (!whole) return;
        take_data(stream, buf_view(&stream->line), TEXT(""), false);
        buf_reset(&stream->line);
    }
}

static void feed(struct stream *stream, gramc_text *bytes, bool last) {
    size_t before = bytes->len;
    if (stream->framing == STREAM_UNDECIDED) decide(stream, bytes, last);
    if (stream->framing == STREAM_EVENTS) feed_events(stream, bytes);
    if (stream->framing == STREAM_LINES) feed_lines(stream, bytes);
    stream->bytes += before - bytes->len;
}

void stream_feed(struct stream *stream, gramc_text *bytes) {
    feed(stream, bytes, false);
}

void stream_end(struct stream *stream, gramc_text bytes) {
    struct sse_event event;
    feed(stream, &bytes, true);
    if (stream->status) return;
    if (stream->framing == STREAM_EVENTS && sse_end(&stream->sse, &event))
        take_data(stream, event.data, event.type, true);
    if (stream->framing == STREAM_LINES) take_data(stream, buf_view(&stream->line), TEXT(""), true);
    if (stream->sse.status) fail(stream, stream->sse.status);
}

/* ## What came */

gramc_text stream_delta(struct stream *stream) {
    gramc_text all = stream_text(stream, STREAM_TEXT);
    gramc_text delta = text_slice(all, stream->told, all.len);
    stream->told = all.len;
    return delta;
}

/* An error that says so only by its type is put where all readers look for it. */
static void put_error(const struct stream *stream, struct json_writer *w) {
    struct arena arena;
    gramc_text error = buf_view(&stream->error);
    arena_init(&arena, &stream->arena.allocator);
    const struct json *event = json_parse(&arena, error, NULL);
    const struct json *own = json_get(event, "error");
    json_object_begin(w);
    json_key(w, "error");
    if (own && !json_is(own, JSON_NULL)) json_value(w, own);
    else if (event) json_value(w, event);
    else json_text(w, error);
    json_object_end(w);
    if (arena.oom) w->out->state = BUF_NOMEM;
    arena_free(&arena);
}

void stream_body(const struct stream *stream, struct buf *out) {
    struct json_writer w = json_writer(out);
    if (stream->error.len) put_error(stream, &w);
    else stream->protocol->body(stream, &w);
}
