/* Puts the pieces of reasoning details together to what the same answer holds unstreamed: its text
 * and summary grow, the signature comes with the last piece, encrypted ones come whole. They go
 * back to the server as they are, and it may have signed them, so that members that nobody here
 * knows stay. Whatever is no detail is passed over, as in an answer that is not streamed. */
#include "runtime/stream_details.h"

#include "base/text.h"
#include "runtime/protocol.h"

/* The indexes of calls lie below. */
#define DETAILS ((uint64_t)1 << 63)

/* Members that come in pieces, or later than others; the rest is in SECTION_HEAD. */
static const struct detail_member {
    const char *member;
    enum part_field field;
    bool grows; /* else the last one counts */
} growing[] = {{"text", SECTION_TEXT, true},
               {"summary", SECTION_THOUGHT, true},
               {"signature", SECTION_SIGNATURE, false},
               {"id", SECTION_ID, false}};

enum { GROWING = sizeof(growing) / sizeof(growing[0]) };

bool details_is_one(const struct stream_part *part) {
    return part && part->index >= DETAILS;
}

/* ## Taking */

static gramc_text index_of(const struct json *item) {
    const struct json *index = json_get(item, "index");
    return json_is(index, JSON_NUMBER) ? index->text : TEXT("");
}

/* Is the item one more piece of this detail? */
static bool goes_on(const struct stream_part *part, const struct json *item) {
    gramc_text type = protocol_text(item, "type"), id = protocol_text(item, "id");
    gramc_text known = part_text(part, SECTION_ID);
    return !text_is(type, "reasoning.encrypted") && text_eq(part_text(part, SECTION_NAME), type) &&
           text_eq(part_text(part, SECTION_LIST), index_of(item)) &&
           (id.len == 0 || known.len == 0 || text_eq(id, known));
}

/* Without an index a piece goes on with what came last, if with anything. */
static struct stream_part *find(struct stream *stream, const struct json *item) {
    struct stream_part *found = NULL;
    bool numbered = index_of(item).len > 0;
    for (struct stream_part *part = stream->parts; part; part = part->next) {
        if (!details_is_one(part)) continue;
        if (goes_on(part, item)) found = part;
        else if (!numbered) found = NULL;
    }
    return found;
}

static struct stream_part *begin(struct stream *stream, const struct json *item) {
    const struct stream_part *last = stream_last(stream);
    uint64_t index = details_is_one(last) ? last->index + 1 : DETAILS;
    struct stream_part *part = stream_part(stream, index);
    if (!part) return NULL;
    part_set(stream, part, SECTION_NAME, protocol_text(item, "type"));
    part_set(stream, part, SECTION_LIST, index_of(item));
    part_add_json(stream, part, SECTION_HEAD, item);
    return part;
}

void details_take(struct stream *stream, const struct json *delta) {
    const struct json *list = json_get(delta, "reasoning_details");
    if (!json_is(list, JSON_ARRAY)) return;
    for (const struct json *item = list->first; item; item = item->next) {
        if (!json_is(item, JSON_OBJECT)) continue;
        struct stream_part *part = find(stream, item);
        if (!part) part = begin(stream, item);
        for (size_t i = 0; part && i < GROWING; i++) {
            gramc_text text = protocol_text(item, growing[i].member);
            if (growing[i].grows) part_add(stream, part, growing[i].field, text);
            else part_set(stream, part, growing[i].field, text);
        }
    }
}

/* ## The body */

static const struct detail_member *growing_member(const struct stream_part *part, gramc_text key) {
    for (size_t i = 0; i < GROWING; i++)
        if (text_is(key, growing[i].member) && part->fields[growing[i].field].len)
            return &growing[i];
    return NULL;
}

static void put_detail(struct json_writer *w, struct arena *arena, const struct stream_part *part) {
    const struct json *head = json_parse(arena, part_text(part, SECTION_HEAD), NULL);
    json_object_begin(w);
    for (const struct json *member = head ? head->first : NULL; member; member = member->next) {
        const struct detail_member *how = growing_member(part, member->key);
        json_key_text(w, member->key);
        if (how) json_text(w, part_text(part, how->field));
        else json_value(w, member);
    }
    for (size_t i = 0; i < GROWING; i++)
        if (!json_get(head, growing[i].member))
            json_member_some(w, growing[i].member, part_text(part, growing[i].field));
    json_object_end(w);
}

void details_put(struct json_writer *w, const struct stream *stream) {
    struct arena arena;
    if (!details_is_one(stream_last(stream))) return;
    arena_init(&arena, &stream->arena.allocator);
    json_member_array(w, "reasoning_details");
    for (const struct stream_part *part = stream->parts; part; part = part->next)
        if (details_is_one(part)) put_detail(w, &arena, part);
    json_array_end(w);
    if (arena.oom) w->out->state = BUF_NOMEM;
    arena_free(&arena);
}
