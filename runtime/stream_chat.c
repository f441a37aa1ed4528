/* Chat completions in pieces: deltas of the first choice. Calls go by their index, which some
 * servers forget or give twice; names and ids come once, arguments in pieces. */
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/stream.h"

/* ## Calls */

/* Two calls are told apart by their ids where both have the same index. */
static struct stream_part *call_of(struct stream *stream, const struct json *item) {
    gramc_text id = protocol_text(item, "id");
    struct stream_part *part;
    if (json_is(json_get(item, "index"), JSON_NUMBER)) {
        uint64_t index = protocol_count(item, "index");
        part = stream_find(stream, index);
        gramc_text known = part ? part_text(part, SECTION_ID) : TEXT("");
        bool other = id.len && known.len && !text_eq(id, known);
        return part && !other ? part : stream_part(stream, index);
    }
    part = stream_last(stream);
    if (part && id.len == 0) return part;
    return stream_part(stream, part ? part->index + 1 : 0);
}

static void add_arguments(struct stream *stream, struct stream_part *part,
                          const struct json *arguments) {
    if (json_is(arguments, JSON_STRING)) part_add(stream, part, SECTION_ARGUMENTS, arguments->text);
    else if (arguments && !json_is(arguments, JSON_NULL))
        part_add_json(stream, part, SECTION_ARGUMENTS, arguments);
}

static void add_call(struct stream *stream, struct stream_part *part, const struct json *item) {
    const struct json *wrapper = json_get(item, "function");
    if (!wrapper) wrapper = json_get(item, "custom");
    if (!json_is(wrapper, JSON_OBJECT)) wrapper = item;
    part_set(stream, part, SECTION_ID, protocol_text(item, "id"));
    part_set(stream, part, SECTION_NAME, protocol_text(wrapper, "name"));
    add_arguments(stream, part, json_get(wrapper, "arguments"));
}

static void take_calls(struct stream *stream, const struct json *delta) {
    const struct json *list = json_get(delta, "tool_calls");
    const struct json *single = json_get(delta, "function_call");
    if (json_is(list, JSON_ARRAY))
        for (const struct json *item = list->first; item; item = item->next) {
            struct stream_part *part = call_of(stream, item);
            if (part) add_call(stream, part, item);
        }
    if (!json_is(single, JSON_OBJECT)) return;
    struct stream_part *part = stream->parts ? stream->parts : stream_part(stream, 0);
    if (part) add_call(stream, part, single);
    stream->legacy = true;
}

/* ## Events */

static void take_content(struct stream *stream, const struct json *content) {
    if (json_is(content, JSON_STRING)) stream_add(stream, STREAM_TEXT, content->text);
    if (json_is(content, JSON_ARRAY))
        for (const struct json *part = content->first; part; part = part->next)
            stream_add(stream, STREAM_TEXT, protocol_text(part, "text"));
    stream->has_text |= json_is(content, JSON_STRING) || json_is(content, JSON_ARRAY);
}

static void take_choice(struct stream *stream, const struct json *choice) {
    const struct json *delta = json_get(choice, "delta");
    if (!json_is(delta, JSON_OBJECT)) delta = json_get(choice, "message");
    gramc_text finish = protocol_text(choice, "finish_reason");
    take_content(stream, json_get(delta, "content"));
    stream_add(stream, STREAM_REFUSAL, protocol_text(delta, "refusal"));
    take_calls(stream, delta);
    stream_set(stream, STREAM_FINISH, finish);
    stream->finished |= finish.len > 0;
}

static void take_event(struct stream *stream, const struct json *event) {
    const struct json *choices = json_get(event, "choices");
    stream_set(stream, STREAM_ID, protocol_text(event, "id"));
    stream_set(stream, STREAM_MODEL, protocol_text(event, "model"));
    stream_set(stream, STREAM_FINGERPRINT, protocol_text(event, "system_fingerprint"));
    stream_set_json(stream, STREAM_USAGE, json_get(event, "usage"));
    if (!json_is(choices, JSON_ARRAY)) return;
    for (const struct json *choice = choices->first; choice; choice = choice->next)
        if (protocol_count(choice, "index") == 0) take_choice(stream, choice);
}

/* ## The body */

static void put_function(struct json_writer *w, const struct stream_part *part) {
    json_object_begin(w);
    json_member_text(w, "name", part_text(part, SECTION_NAME));
    json_member_text(w, "arguments", part_text(part, SECTION_ARGUMENTS));
    json_object_end(w);
}

static void put_calls(struct json_writer *w, const struct stream *stream) {
    if (stream->legacy) {
        json_key(w, "function_call");
        put_function(w, stream->parts);
        return;
    }
    json_member_array(w, "tool_calls");
    for (const struct stream_part *part = stream->parts; part; part = part->next) {
        json_object_begin(w);
        json_member_some(w, "id", part_text(part, SECTION_ID));
        json_member_text(w, "type", TEXT("function"));
        json_key(w, "function");
        put_function(w, part);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_message(struct json_writer *w, const struct stream *stream) {
    json_member_object(w, "message");
    json_member_text(w, "role", TEXT("assistant"));
    json_key(w, "content");
    if (stream->has_text) json_text(w, stream_text(stream, STREAM_TEXT));
    else json_null(w);
    json_member_some(w, "refusal", stream_text(stream, STREAM_REFUSAL));
    if (stream->parts) put_calls(w, stream);
    json_object_end(w);
}

static void put_body(const struct stream *stream, struct json_writer *w) {
    gramc_text usage = stream_text(stream, STREAM_USAGE);
    json_object_begin(w);
    json_member_some(w, "id", stream_text(stream, STREAM_ID));
    json_member_some(w, "model", stream_text(stream, STREAM_MODEL));
    json_member_array(w, "choices");
    json_object_begin(w);
    json_member_number(w, "index", 0);
    put_message(w, stream);
    json_member_some(w, "finish_reason", stream_text(stream, STREAM_FINISH));
    json_object_end(w);
    json_array_end(w);
    if (usage.len) json_member_raw(w, "usage", usage);
    json_member_some(w, "system_fingerprint", stream_text(stream, STREAM_FINGERPRINT));
    json_object_end(w);
}

const struct stream_protocol stream_chat = {.event = take_event, .body = put_body};
