/* Keeps the messages of a run in order, each already encoded for the wire, and drops the oldest
 * when an agent's memory is limited: whole turns and whole groups, so that no result ever stands
 * without its call. */
#include <string.h>

#include "base/text.h"
#include "runtime/protocol.h"

enum { MESSAGE_MAX = 64 << 20 };

/* What a message without escapes takes, so that the buffer seldom grows. */
static size_t usual_size(const struct message *message) {
    size_t size = 100 + message->content.len + message->opaque.len;
    for (size_t i = 0; i < message->call_count; i++)
        size += 100 + message->calls[i].name.len + 2 * message->calls[i].arguments.len;
    return size < MESSAGE_MAX ? size : 0;
}

static bool encode(const struct protocol *protocol, struct message *message, struct arena *arena) {
    struct buf json;
    buf_init(&json, &arena->allocator, MESSAGE_MAX);
    buf_reserve(&json, usual_size(message));
    protocol->message(&json, message);
    message->json = buf_to_arena(&json, arena);
    return message->json.ptr;
}

bool conversation_add(struct conversation *talk, struct arena *arena, struct message *message) {
    message->turn = talk->turn;
    message->group = talk->group;
    if (!encode(talk->protocol, message, arena)) return false;
    if (talk->last) talk->last->next = message;
    else talk->first = message;
    talk->last = message;
    talk->count++;
    return true;
}

bool conversation_user(struct conversation *talk, struct arena *arena, gramc_text text) {
    talk->turn++;
    return conversation_remark(talk, arena, text);
}

bool conversation_remark(struct conversation *talk, struct arena *arena, gramc_text text) {
    struct message *message = ARENA_NEW(arena, struct message);
    if (!message) return false;
    talk->group++;
    message->role = ROLE_USER;
    message->content = text;
    message->has_content = true;
    return conversation_add(talk, arena, message);
}

/* ## Ids of calls: servers look results up by them, so they must be unique over everything sent */

static bool id_is_taken(const struct conversation *talk, gramc_text id) {
    return talk->ids_sent.arena && map_get(&talk->ids_sent, id) != NULL;
}

static void take_id(struct conversation *talk, struct arena *arena, gramc_text id) {
    if (!talk->ids_sent.arena) map_init(&talk->ids_sent, arena);
    if (id.ptr) (void)map_put(&talk->ids_sent, id, talk);
}

static gramc_text make_id(struct conversation *talk, struct arena *arena) {
    char digits[16];
    gramc_text id;
    do {
        uint32_t number = ++talk->ids;
        size_t at = sizeof(digits);
        do digits[--at] = (char)('0' + number % 10);
        while (number /= 10);
        memcpy(digits + (at -= 5), "call_", 5);
        id = (gramc_text){digits + at, sizeof(digits) - at};
    } while (id_is_taken(talk, id));
    return arena_text(arena, id);
}

gramc_text conversation_id(struct conversation *talk, struct arena *arena, gramc_text wanted) {
    bool usable = wanted.len && !id_is_taken(talk, wanted);
    gramc_text id = usable ? arena_text(arena, wanted) : make_id(talk, arena);
    take_id(talk, arena, id);
    return id;
}

static gramc_model_call *copy_calls(struct conversation *talk, struct arena *arena,
                                    const struct reply *reply) {
    gramc_model_call *calls = arena_array(arena, reply->call_count, sizeof(*calls));
    for (size_t i = 0; calls && i < reply->call_count; i++) {
        const gramc_model_call *given = &reply->calls[i];
        calls[i].name = arena_text(arena, given->name);
        calls[i].arguments = arena_text(arena, given->arguments);
        if (reply->legacy) continue;
        calls[i].own_id = !given->id.len || id_is_taken(talk, given->id);
        calls[i].id = conversation_id(talk, arena, given->id);
    }
    return arena->oom ? NULL : calls;
}

/* Has one of its ids been replaced? Then what the provider wrote has the wrong one, or none where
 * its results need one. */
static bool renamed(const struct conversation *talk, const struct reply *reply,
                    const gramc_model_call *calls) {
    for (size_t i = 0; i < reply->call_count; i++)
        if (calls[i].own_id && (reply->calls[i].id.len || talk->protocol->by_id)) return true;
    return false;
}

const struct message *conversation_assistant(struct conversation *talk, struct arena *arena,
                                             const struct reply *reply) {
    struct message *message = ARENA_NEW(arena, struct message);
    if (!message) return NULL;
    message->role = ROLE_ASSISTANT;
    message->has_content = reply->has_content;
    message->content = arena_text(arena, reply->content);
    message->legacy = reply->legacy;
    message->call_count = reply->call_count;
    if (reply->call_count && !(message->calls = copy_calls(talk, arena, reply))) return NULL;
    if (!renamed(talk, reply, message->calls)) message->opaque = arena_text(arena, reply->opaque);
    talk->group++;
    return conversation_add(talk, arena, message) ? message : NULL;
}

bool conversation_result(struct conversation *talk, struct arena *arena,
                         const struct message *assistant, size_t call, gramc_text result,
                         bool failed) {
    struct message *message = ARENA_NEW(arena, struct message);
    if (!message) return false;
    message->role = ROLE_TOOL;
    message->content = arena_text(arena, result);
    if (!message->content.ptr) return false;
    message->has_content = true;
    message->legacy = assistant->legacy;
    message->failed = failed;
    message->call = &assistant->calls[call];
    return conversation_add(talk, arena, message);
}

/* ## Branching */

bool conversation_branch(struct conversation *out, const struct conversation *talk,
                         struct arena *arena, size_t count) {
    *out = (struct conversation){
        .protocol = talk->protocol, .turn = talk->turn, .group = talk->group, .ids = talk->ids};
    struct message **link = &out->first;
    for (const struct message *m = talk->first; m && out->count < count; m = m->next) {
        struct message *copy = ARENA_NEW(arena, struct message);
        if (!copy) return false;
        *copy = *m;
        copy->next = NULL;
        *link = out->last = copy;
        link = &copy->next;
        out->count++;
        for (size_t i = 0; i < m->call_count; i++) take_id(out, arena, m->calls[i].id);
    }
    return !arena->oom;
}

/* ## Trimming */

static bool is_old_turn(const struct conversation *talk, const struct message *message) {
    return message->turn != talk->turn;
}

/* Takes out what follows *link as long as it belongs together. */
static void drop(struct conversation *talk, struct message **link, bool whole_turn) {
    uint32_t turn = (*link)->turn, group = (*link)->group;
    while (*link && (whole_turn ? (*link)->turn == turn : (*link)->group == group)) {
        *link = (*link)->next;
        talk->count--;
    }
}

void conversation_trim(struct conversation *talk, size_t max) {
    if (max == 0) return;
    while (talk->count > max && talk->first && is_old_turn(talk, talk->first))
        drop(talk, &talk->first, true);
    if (!talk->first) return;
    struct message **second = &talk->first->next;
    while (talk->count > max && *second && (*second)->group != talk->last->group)
        drop(talk, second, false);
}
