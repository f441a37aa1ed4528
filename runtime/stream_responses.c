/* Responses in pieces. The last event holds the whole answer; pieces of text before it are for
 * readers alone. Items that were given one by one stand in for a list that the last event leaves
 * out. */
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/stream.h"

static void take_item(struct stream *stream, const struct json *event) {
    const struct json *item = heeded(&stream->odd, event, "item", JSON_OBJECT);
    if (!item) return;
    struct stream_part *part = stream_part(stream, protocol_count(event, "output_index"));
    if (part) part_add_json(stream, part, SECTION_HEAD, item);
}

static void take_text(struct stream *stream, const struct json *event) {
    stream_add(stream, STREAM_TEXT, heeded_text(&stream->odd, event, "delta"));
}

static void take_whole(struct stream *stream, const struct json *event) {
    const struct json *response = heeded(&stream->odd, event, "response", JSON_OBJECT);
    const struct json *error = json_get(response, "error");
    bool says_why = error && !json_is(error, JSON_NULL);
    if (!response || (!says_why && !needed_text(&stream->odd, response, "status").len)) return;
    stream_set_json(stream, STREAM_WHOLE, response);
    stream->finished = stream->ended = true;
}

static void take_event(struct stream *stream, const struct json *event) {
    static const struct {
        const char *type;
        void (*take)(struct stream *stream, const struct json *event);
    } takers[] = {{"response.output_text.delta", take_text},
                  {"response.output_item.done", take_item},
                  {"response.completed", take_whole},
                  {"response.incomplete", take_whole},
                  {"response.failed", take_whole}};
    gramc_text type = needed_text(&stream->odd, event, "type");
    for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
        if (text_is(type, takers[i].type)) takers[i].take(stream, event);
}

/* ## The body */

static void put_items(struct json_writer *w, const struct stream *stream) {
    json_member_array(w, "output");
    for (const struct stream_part *part = stream->parts; part; part = part->next)
        json_raw(w, part_text(part, SECTION_HEAD));
    json_array_end(w);
}

static void put_body(const struct stream *stream, struct json_writer *w) {
    struct arena arena;
    arena_init(&arena, &stream->arena.allocator);
    const struct json *whole = json_parse(&arena, stream_text(stream, STREAM_WHOLE), NULL);
    const struct json *output = json_get(whole, "output");
    bool own = json_is(output, JSON_ARRAY) && output->first;
    json_object_begin(w);
    for (const struct json *member = whole ? whole->first : NULL; member; member = member->next) {
        if (text_is(member->key, "output") && !own) continue;
        json_key_text(w, member->key);
        json_value(w, member);
    }
    if (!own) put_items(w, stream);
    json_object_end(w);
    if (arena.oom) w->out->state = BUF_NOMEM;
    arena_free(&arena);
}

const struct stream_protocol stream_responses = {.event = take_event, .body = put_body};
