/* Messages in pieces: blocks that begin, grow and end. A block's beginning says what it is; what
 * grows afterwards, a text, a thought, a signature, an input, takes its place in the body. */
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/stream.h"

/* What is counted, in the order of stream.counts. */
static const char *const counted[STREAM_COUNTS] = {"input_tokens", "cache_read_input_tokens",
                                                   "cache_creation_input_tokens", "output_tokens"};

/* Members of a block that grow. */
static const struct growing {
    const char *member, *type; /* of the delta */
    const char *key;           /* of what the delta holds */
    const char *block;         /* that it makes, should it have no beginning; NULL: none */
    enum part_field field;
} growing[] = {
    {"text", "text_delta", "text", "{\"type\":\"text\"}", SECTION_TEXT},
    {"thinking", "thinking_delta", "thinking", "{\"type\":\"thinking\"}", SECTION_THOUGHT},
    {"signature", "signature_delta", "signature", NULL, SECTION_SIGNATURE},
    {"input", "input_json_delta", "partial_json", NULL, SECTION_ARGUMENTS},
};

enum { GROWING = sizeof(growing) / sizeof(growing[0]) };

/* ## Events */

/* The newest number of each counts. */
static void take_usage(struct stream *stream, const struct json *usage) {
    for (size_t i = 0; i < STREAM_COUNTS; i++)
        if (json_is(json_get(usage, counted[i]), JSON_NUMBER))
            stream->counts[i] = protocol_count(usage, counted[i]);
}

static void take_message(struct stream *stream, const struct json *event) {
    const struct json *message = json_get(event, "message");
    stream_set(stream, STREAM_ID, protocol_text(message, "id"));
    stream_set(stream, STREAM_MODEL, protocol_text(message, "model"));
    take_usage(stream, json_get(message, "usage"));
}

/* A piece without one could be put anywhere. */
static uint64_t index_of(struct stream *stream, const struct json *event) {
    uint64_t index;
    if (!heeded_index(&stream->odd, event, &index)) stream->odd = "index";
    return index;
}

static void take_block(struct stream *stream, const struct json *event) {
    const struct json *block = heeded(&stream->odd, event, "content_block", JSON_OBJECT);
    gramc_text type = needed_text(&stream->odd, block, "type");
    uint64_t index = index_of(stream, event);
    struct stream_part *part = stream->odd ? NULL : stream_part(stream, index);
    if (!part) return;
    part_add_json(stream, part, SECTION_HEAD, block);
    for (size_t i = 0; i < GROWING; i++)
        part_add(stream, part, growing[i].field, protocol_text(block, growing[i].member));
    if (text_is(type, "text"))
        stream_add(stream, STREAM_TEXT, heeded_text(&stream->odd, block, "text"));
}

static struct stream_part *begin_block(struct stream *stream, uint64_t index, const char *block) {
    struct stream_part *part = stream_part(stream, index);
    if (part) part_set(stream, part, SECTION_HEAD, text_of(block));
    return part;
}

static void take_delta(struct stream *stream, const struct json *event) {
    const struct json *delta = heeded(&stream->odd, event, "delta", JSON_OBJECT);
    const struct json *citation = json_get(delta, "citation");
    gramc_text type = needed_text(&stream->odd, delta, "type");
    uint64_t index = index_of(stream, event);
    struct stream_part *part = stream_find(stream, index);
    for (size_t i = 0; i < GROWING && !stream->odd; i++) {
        if (!text_is(type, growing[i].type)) continue;
        gramc_text more = needed_text(&stream->odd, delta, growing[i].key);
        if (!part && growing[i].block) part = begin_block(stream, index, growing[i].block);
        if (!part) stream->odd = "index";
        if (part) part_add(stream, part, growing[i].field, more);
        if (growing[i].field == SECTION_TEXT) stream_add(stream, STREAM_TEXT, more);
    }
    if (part && citation) part_add_json(stream, part, SECTION_LIST, citation);
}

static void take_end(struct stream *stream, const struct json *event) {
    const struct json *delta = heeded(&stream->odd, event, "delta", JSON_OBJECT);
    gramc_text reason = heeded_text(&stream->odd, delta, "stop_reason");
    stream_set(stream, STREAM_FINISH, reason);
    stream->finished |= reason.len > 0;
    take_usage(stream, json_get(event, "usage"));
}

static void take_stop(struct stream *stream, const struct json *event) {
    (void)event;
    stream->ended = true;
}

static void take_event(struct stream *stream, const struct json *event) {
    static const struct {
        const char *type;
        void (*take)(struct stream *stream, const struct json *event);
    } takers[] = {{"message_start", take_message},
                  {"content_block_start", take_block},
                  {"content_block_delta", take_delta},
                  {"message_delta", take_end},
                  {"message_stop", take_stop}};
    gramc_text type = needed_text(&stream->odd, event, "type");
    for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
        if (text_is(type, takers[i].type)) takers[i].take(stream, event);
}

/* ## The body */

/* An input that is no JSON stays the text that the model wrote: its reader says so. */
static void put_input(struct json_writer *w, struct arena *arena, const struct json *begun,
                      gramc_text text) {
    const struct json *input = json_parse(arena, text, NULL);
    json_key(w, "input");
    if (text_trim(text).len == 0 && json_is(begun, JSON_OBJECT)) json_value(w, begun);
    else if (text_trim(text).len == 0) json_raw(w, TEXT("{}"));
    else if (input) json_value(w, input);
    else json_text(w, text);
}

static const struct growing *growing_member(gramc_text key) {
    for (size_t i = 0; i < GROWING; i++)
        if (text_is(key, growing[i].member)) return &growing[i];
    return NULL;
}

static void put_grown(struct json_writer *w, struct arena *arena, const struct stream_part *part,
                      const struct growing *how, const struct json *begun) {
    gramc_text text = part_text(part, how->field);
    if (how->field == SECTION_ARGUMENTS) put_input(w, arena, begun, text);
    else json_member_text(w, how->member, text);
}

static void put_citations(struct json_writer *w, gramc_text list) {
    if (list.len == 0) return;
    json_member_array(w, "citations");
    json_raw(w, list);
    json_array_end(w);
}

static void put_block(struct json_writer *w, struct arena *arena, const struct stream_part *part) {
    const struct json *head = json_parse(arena, part_text(part, SECTION_HEAD), NULL);
    gramc_text citations = part_text(part, SECTION_LIST);
    json_object_begin(w);
    for (const struct json *member = head ? head->first : NULL; member; member = member->next) {
        const struct growing *how = growing_member(member->key);
        if (citations.len && text_is(member->key, "citations")) continue;
        if (how) put_grown(w, arena, part, how, member);
        else {
            json_key_text(w, member->key);
            json_value(w, member);
        }
    }
    for (size_t i = 0; i < GROWING; i++)
        if (part->fields[growing[i].field].len && !json_get(head, growing[i].member))
            put_grown(w, arena, part, &growing[i], NULL);
    put_citations(w, citations);
    json_object_end(w);
}

static void put_usage(struct json_writer *w, const struct stream *stream) {
    json_member_object(w, "usage");
    for (size_t i = 0; i < STREAM_COUNTS; i++) json_member_number(w, counted[i], stream->counts[i]);
    json_object_end(w);
}

static void put_body(const struct stream *stream, struct json_writer *w) {
    struct arena arena;
    arena_init(&arena, &stream->arena.allocator);
    json_object_begin(w);
    json_member_some(w, "id", stream_text(stream, STREAM_ID));
    json_member_text(w, "type", TEXT("message"));
    json_member_text(w, "role", TEXT("assistant"));
    json_member_some(w, "model", stream_text(stream, STREAM_MODEL));
    json_member_array(w, "content");
    for (const struct stream_part *part = stream->parts; part; part = part->next)
        put_block(w, &arena, part);
    json_array_end(w);
    json_member_some(w, "stop_reason", stream_text(stream, STREAM_FINISH));
    put_usage(w, stream);
    json_object_end(w);
    if (arena.oom) w->out->state = BUF_NOMEM;
    arena_free(&arena);
}

const struct stream_protocol stream_messages = {.event = take_event, .body = put_body};
