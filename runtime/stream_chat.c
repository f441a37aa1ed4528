/* Chat completions in pieces: deltas of the first choice. Calls go by their index, which some
 * servers forget or give twice; names and ids come once, arguments in pieces. */
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/stream_details.h"

/* ## Calls */

static struct stream_part *first_call(const struct stream *stream) {
    return details_is_one(stream->parts) ? NULL : stream->parts;
}

static struct stream_part *last_call(const struct stream *stream) {
    struct stream_part *last = first_call(stream);
    while (last && last->next && !details_is_one(last->next)) last = last->next;
    return last;
}

/* Two calls are told apart by their ids where both have the same index. */
static struct stream_part *call_of(struct stream *stream, const struct json *item) {
    gramc_text id = protocol_text(item, "id");
    struct stream_part *part;
    uint64_t index;
    if (heeded_index(&stream->odd, item, &index)) {
        part = stream_find(stream, index);
        gramc_text known = part ? part_text(part, SECTION_ID) : TEXT("");
        bool other = id.len && known.len && !text_eq(id, known);
        return part && !other ? part : stream_part(stream, index);
    }
    part = last_call(stream);
    if (part && id.len == 0) return part;
    return stream_part(stream, part ? part->index + 1 : 0);
}

/* A text in pieces, or an object in one. */
static void add_arguments(struct stream *stream, struct stream_part *part,
                          const struct json *wrapper) {
    const struct json *arguments = json_get(wrapper, "arguments");
    bool whole = json_is(arguments, JSON_OBJECT) && part->fields[SECTION_ARGUMENTS].len == 0;
    if (whole) part_add_json(stream, part, SECTION_ARGUMENTS, arguments);
    else part_add(stream, part, SECTION_ARGUMENTS, heeded_text(&stream->odd, wrapper, "arguments"));
}

static void add_call(struct stream *stream, struct stream_part *part, const struct json *item) {
    const struct json *wrapper = heeded(&stream->odd, item, "function", JSON_OBJECT);
    if (!wrapper) wrapper = heeded(&stream->odd, item, "custom", JSON_OBJECT);
    if (!wrapper) wrapper = item;
    part_set(stream, part, SECTION_ID, protocol_text(item, "id"));
    part_set(stream, part, SECTION_NAME, heeded_text(&stream->odd, wrapper, "name"));
    add_arguments(stream, part, wrapper);
}

static void take_calls(struct stream *stream, const struct json *delta) {
    const struct json *list = heeded(&stream->odd, delta, "tool_calls", JSON_ARRAY);
    const struct json *single = heeded(&stream->odd, delta, "function_call", JSON_OBJECT);
    for (const struct json *item = list ? list->first : NULL; item; item = item->next) {
        struct stream_part *part =
            heeded_item(&stream->odd, item, "tool_calls") ? call_of(stream, item) : NULL;
        if (part) add_call(stream, part, item);
    }
    if (!single) return;
    struct stream_part *part = first_call(stream);
    if (!part) part = stream_part(stream, 0);
    if (part) add_call(stream, part, single);
    stream->legacy = true;
}

/* ## Events */

static void take_content(struct stream *stream, const struct json *delta) {
    const struct json *content = json_get(delta, "content");
    if (!json_is(content, JSON_ARRAY))
        stream_add(stream, STREAM_TEXT, heeded_text(&stream->odd, delta, "content"));
    else
        for (const struct json *part = content->first; part; part = part->next)
            stream_add(stream, STREAM_TEXT, heeded_text(&stream->odd, part, "text"));
    stream->has_text |= json_is(content, JSON_STRING) || json_is(content, JSON_ARRAY);
}

static void take_choice(struct stream *stream, const struct json *choice) {
    const struct json *delta = heeded(&stream->odd, choice, "delta", JSON_OBJECT);
    if (!delta) delta = heeded(&stream->odd, choice, "message", JSON_OBJECT);
    gramc_text finish = heeded_text(&stream->odd, choice, "finish_reason");
    take_content(stream, delta);
    stream_add(stream, STREAM_REFUSAL, heeded_text(&stream->odd, delta, "refusal"));
    take_calls(stream, delta);
    details_take(stream, delta);
    stream_set(stream, STREAM_FINISH, finish);
    stream->finished |= finish.len > 0;
}

static void take_event(struct stream *stream, const struct json *event) {
    const struct json *choices = heeded(&stream->odd, event, "choices", JSON_ARRAY);
    uint64_t index;
    stream_set(stream, STREAM_ID, protocol_text(event, "id"));
    stream_set(stream, STREAM_MODEL, protocol_text(event, "model"));
    stream_set(stream, STREAM_FINGERPRINT, protocol_text(event, "system_fingerprint"));
    stream_set_json(stream, STREAM_USAGE, json_get(event, "usage"));
    for (const struct json *choice = choices ? choices->first : NULL; choice; choice = choice->next)
        if (heeded_item(&stream->odd, choice, "choices") &&
            (!heeded_index(&stream->odd, choice, &index) || index == 0))
            take_choice(stream, choice);
}

/* Members of a delta that say nothing are null, and the role is known. */
static const struct json *content_alone(const struct json *delta) {
    const struct json *content = NULL;
    for (const struct json *member = json_is(delta, JSON_OBJECT) ? delta->first : NULL; member;
         member = member->next) {
        bool silent = json_is(member, JSON_NULL) || text_is(member->key, "role");
        if (!content && json_is(member, JSON_STRING) && text_is(member->key, "content"))
            content = member;
        else if (!silent) return NULL;
    }
    return content;
}

static const struct json *lone_text(const struct json *event) {
    const struct json *choices = json_get(event, "choices");
    if (!json_is(choices, JSON_ARRAY) || choices->count != 1) return NULL;
    const struct json *choice = choices->first, *finish = json_get(choice, "finish_reason");
    const struct json *index = json_get(choice, "index");
    if (finish && !json_is(finish, JSON_NULL)) return NULL;
    if (index && !(json_is(index, JSON_NUMBER) && text_is(index->text, "0"))) return NULL;
    return content_alone(json_get(choice, "delta"));
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
        put_function(w, first_call(stream));
        return;
    }
    json_member_array(w, "tool_calls");
    for (const struct stream_part *part = stream->parts; part && !details_is_one(part);
         part = part->next) {
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
    details_put(w, stream);
    if (first_call(stream)) put_calls(w, stream);
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

const struct stream_protocol stream_chat = {
    .event = take_event, .lone_text = lone_text, .body = put_body};
