/* Ollama's chat in pieces: a JSON object a line, with a piece of the message each; the last one
 * says that it is, and counts. Calls come whole. */
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/stream.h"

static void take_message(struct stream *stream, const struct json *message) {
    const struct json *calls = heeded(&stream->odd, message, "tool_calls", JSON_ARRAY);
    stream->has_message |= json_is(message, JSON_OBJECT);
    stream->has_text |= json_is(json_get(message, "content"), JSON_STRING);
    stream_add(stream, STREAM_TEXT, heeded_text(&stream->odd, message, "content"));
    stream_add(stream, STREAM_THOUGHT, protocol_text(message, "thinking"));
    if (!calls) return;
    struct stream_part *part = stream->parts ? stream->parts : stream_part(stream, 0);
    for (const struct json *call = part ? calls->first : NULL; call; call = call->next)
        part_add_json(stream, part, SECTION_LIST, call);
}

/* A message that does not say whether it is the last is all that there is. */
static void take_event(struct stream *stream, const struct json *event) {
    const struct json *done = json_get(event, "done");
    const struct json *message = heeded(&stream->odd, event, "message", JSON_OBJECT);
    take_message(stream, message);
    if (json_is(done, JSON_FALSE) || (!done && !message)) return;
    if (done && !json_is(done, JSON_TRUE)) stream->odd = "done";
    stream_set_json(stream, STREAM_WHOLE, event);
    stream->finished = true;
    stream->ended = done != NULL;
}

static void put_message(struct json_writer *w, const struct stream *stream) {
    json_member_object(w, "message");
    json_member_text(w, "role", TEXT("assistant"));
    if (stream->has_text) json_member_text(w, "content", stream_text(stream, STREAM_TEXT));
    json_member_some(w, "thinking", stream_text(stream, STREAM_THOUGHT));
    if (stream->parts) {
        json_member_array(w, "tool_calls");
        if (stream->parts->fields[SECTION_LIST].len)
            json_raw(w, part_text(stream->parts, SECTION_LIST));
        json_array_end(w);
    }
    json_object_end(w);
}

/* The last line, with the message that came in all of them. */
static void put_body(const struct stream *stream, struct json_writer *w) {
    struct arena arena;
    arena_init(&arena, &stream->arena.allocator);
    const struct json *last = json_parse(&arena, stream_text(stream, STREAM_WHOLE), NULL);
    json_object_begin(w);
    for (const struct json *member = last ? last->first : NULL; member; member = member->next) {
        if (text_is(member->key, "message")) continue;
        json_key_text(w, member->key);
        json_value(w, member);
    }
    if (stream->has_message) put_message(w, stream);
    json_object_end(w);
    if (arena.oom) w->out->state = BUF_NOMEM;
    arena_free(&arena);
}

const struct stream_protocol stream_ollama = {.lines = true, .event = take_event, .body = put_body};
