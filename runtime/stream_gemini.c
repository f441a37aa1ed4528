/* Gemini in pieces: each event is an answer of its own whose parts follow those before it. Pieces
 * of one text are joined; a part that says anything else, a signature above all, stays as it is. */
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/stream.h"

/* ## Events */

/* Nothing but a text, or a thought. */
static bool is_text(const struct json *part) {
    if (!json_is(json_get(part, "text"), JSON_STRING)) return false;
    for (const struct json *member = part->first; member; member = member->next)
        if (!text_is(member->key, "text") && !text_is(member->key, "thought")) return false;
    return true;
}

static struct stream_part *part_behind(struct stream *stream, const struct stream_part *last) {
    return stream_part(stream, last ? last->index + 1 : 0);
}

static void take_text(struct stream *stream, const struct json *item, bool thought) {
    struct stream_part *last = stream_last(stream);
    bool joins = last && last->fields[SECTION_HEAD].len == 0 && last->flag == thought;
    struct stream_part *part = joins ? last : part_behind(stream, last);
    if (!part) return;
    part->flag = thought;
    part_add(stream, part, SECTION_TEXT, protocol_text(item, "text"));
}

static void take_part(struct stream *stream, const struct json *item) {
    bool thought = gemini_thought(&stream->odd, item);
    gramc_text text = heeded_text(&stream->odd, item, "text");
    if (!thought) stream_add(stream, STREAM_TEXT, text);
    if (is_text(item)) {
        take_text(stream, item, thought);
        return;
    }
    struct stream_part *part = part_behind(stream, stream_last(stream));
    if (part) part_add_json(stream, part, SECTION_HEAD, item);
}

static void take_candidate(struct stream *stream, const struct json *candidate) {
    const struct json *content = heeded(&stream->odd, candidate, "content", JSON_OBJECT);
    const struct json *parts = heeded(&stream->odd, content, "parts", JSON_ARRAY);
    gramc_text finish = heeded_text(&stream->odd, candidate, "finishReason");
    for (const struct json *item = parts ? parts->first : NULL; item; item = item->next)
        if (heeded_item(&stream->odd, item, "parts")) take_part(stream, item);
    stream_set(stream, STREAM_FINISH, finish);
    stream->finished |= finish.len > 0;
}

/* A question that is blocked has no candidates. */
static void take_event(struct stream *stream, const struct json *event) {
    const struct json *candidates = heeded(&stream->odd, event, "candidates", JSON_ARRAY);
    const struct json *feedback = heeded(&stream->odd, event, "promptFeedback", JSON_OBJECT);
    uint64_t index;
    stream_set(stream, STREAM_ID, protocol_text(event, "responseId"));
    stream_set(stream, STREAM_MODEL, protocol_text(event, "modelVersion"));
    stream_set_json(stream, STREAM_USAGE, json_get(event, "usageMetadata"));
    stream_set_json(stream, STREAM_FEEDBACK, feedback);
    stream->finished |= protocol_text(feedback, "blockReason").len > 0;
    for (const struct json *candidate = candidates ? candidates->first : NULL; candidate;
         candidate = candidate->next)
        if (heeded_item(&stream->odd, candidate, "candidates") &&
            (!heeded_index(&stream->odd, candidate, &index) || index == 0))
            take_candidate(stream, candidate);
}

/* ## The body */

static void put_part(struct json_writer *w, const struct stream_part *part) {
    if (part->fields[SECTION_HEAD].len) {
        json_raw(w, part_text(part, SECTION_HEAD));
        return;
    }
    json_object_begin(w);
    json_member_text(w, "text", part_text(part, SECTION_TEXT));
    if (part->flag) json_member_bool(w, "thought", true);
    json_object_end(w);
}

static void put_candidate(struct json_writer *w, const struct stream *stream) {
    json_member_array(w, "candidates");
    json_object_begin(w);
    json_member_object(w, "content");
    json_member_array(w, "parts");
    for (const struct stream_part *part = stream->parts; part; part = part->next) put_part(w, part);
    json_array_end(w);
    json_member_text(w, "role", TEXT("model"));
    json_object_end(w);
    json_member_some(w, "finishReason", stream_text(stream, STREAM_FINISH));
    json_object_end(w);
    json_array_end(w);
}

static void put_json(struct json_writer *w, const char *key, gramc_text json) {
    if (json.len) json_member_raw(w, key, json);
}

static void put_body(const struct stream *stream, struct json_writer *w) {
    json_object_begin(w);
    if (stream->parts || stream->fields[STREAM_FINISH].len) put_candidate(w, stream);
    put_json(w, "promptFeedback", stream_text(stream, STREAM_FEEDBACK));
    put_json(w, "usageMetadata", stream_text(stream, STREAM_USAGE));
    json_member_some(w, "modelVersion", stream_text(stream, STREAM_MODEL));
    json_member_some(w, "responseId", stream_text(stream, STREAM_ID));
    json_object_end(w);
}

const struct stream_protocol stream_gemini = {.event = take_event, .body = put_body};
