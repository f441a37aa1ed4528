/* A session as one JSON document, and back: docs/formats/session.md. What is read is held to be
 * hostile: an answer's calls must have their results behind them, in order, or no server would take
 * the conversation. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "runtime/protocol.h"
#include "runtime/session/session.h"

#define SESSION_FORMAT "gramc-session"
enum { SESSION_BYTES_MAX = 1 << 30 };

static const char *const role_names[] = {
    [ROLE_USER] = "user", [ROLE_ASSISTANT] = "assistant", [ROLE_TOOL] = "tool"};
enum { ROLES = sizeof(role_names) / sizeof(role_names[0]) };

/* ## Writing */

static void put_call(struct json_writer *w, const gramc_model_call *call) {
    json_object_begin(w);
    json_member_some(w, "id", call->id);
    json_member_text(w, "name", call->name);
    json_member_text(w, "arguments", call->arguments);
    if (call->own_id) json_member_bool(w, "own_id", true);
    json_object_end(w);
}

static void put_message(struct json_writer *w, const struct message *message) {
    json_object_begin(w);
    json_member_text(w, "role", text_of(role_names[message->role]));
    json_member_number(w, "turn", message->turn);
    if (message->has_content) json_member_text(w, "content", message->content);
    if (message->call_count) json_member_array(w, "calls");
    for (size_t i = 0; i < message->call_count; i++) put_call(w, &message->calls[i]);
    if (message->call_count) json_array_end(w);
    if (message->failed) json_member_bool(w, "failed", true);
    if (message->opaque.len) json_member_raw(w, "opaque", message->opaque);
    json_object_end(w);
}

static void put_session(struct json_writer *w, const struct talked *talked) {
    json_object_begin(w);
    json_member_text(w, "format", TEXT(SESSION_FORMAT));
    json_member_number(w, "version", VERSION_SESSION);
    json_member_some(w, "agent", talked->agent);
    json_member_some(w, "fingerprint", talked->fingerprint);
    json_member_some(w, "protocol", talked->protocol);
    json_member_number(w, "turns", talked->turns);
    if (talked->tainted) json_member_bool(w, "tainted", true);
    json_member_array(w, "messages");
    for (const struct message *message = talked->first; message; message = message->next)
        put_message(w, message);
    json_array_end(w);
    json_object_end(w);
}

gramc_status gramc_session_print(const gramc_session *session, gramc_writer writer) {
    struct buf out;
    buf_init(&out, &session->allocator, SESSION_BYTES_MAX);
    struct json_writer w = json_writer(&out);
    put_session(&w, &session->talked);
    gramc_status status = buf_send(&out, writer);
    buf_free(&out);
    return status;
}

/* ## Reading */

struct session_reader {
    struct arena arena;
    gramc_text text;
    gramc_json_error *error; /* may be NULL */
    struct talked talked;
    const struct message *asking; /* the answer whose results are due; NULL: none */
    size_t results;               /* of it so far */
    bool failed;
};

static void refuse(struct session_reader *reader, const struct json *at, const char *why) {
    if (!reader->failed && reader->error) {
        *reader->error = (gramc_json_error){.position = at ? at->start : 0};
        snprintf(reader->error->message, sizeof(reader->error->message), "%s", why);
    }
    reader->failed = true;
}

static bool is_true(const struct json *object, const char *key) {
    return json_is(json_get(object, key), JSON_TRUE);
}

static void read_calls(struct session_reader *reader, struct message *message,
                       const struct json *list) {
    if (!json_is(list, JSON_ARRAY)) return;
    gramc_model_call *calls = arena_array(&reader->arena, list->count + 1u, sizeof(*calls));
    message->calls = calls;
    for (const struct json *item = list->first; item && calls; item = item->next) {
        calls[message->call_count++] =
            (gramc_model_call){.id = protocol_text(item, "id"),
                               .name = protocol_text(item, "name"),
                               .arguments = protocol_text(item, "arguments"),
                               .own_id = is_true(item, "own_id")};
        if (!json_is(json_get(item, "name"), JSON_STRING) ||
            !json_is(json_get(item, "arguments"), JSON_STRING))
            refuse(reader, item, "a call needs `name` and `arguments`, both strings");
    }
}

static bool read_role(const struct json *item, enum role *out) {
    gramc_text name = protocol_text(item, "role");
    for (size_t i = 0; i < ROLES; i++)
        if (text_is(name, role_names[i])) {
            *out = (enum role)i;
            return true;
        }
    return false;
}

/* Results stand behind their calls, one for each, in order. */
static void place_message(struct session_reader *reader, struct message *message,
                          const struct json *item) {
    bool due = reader->asking && reader->results < reader->asking->call_count;
    if ((message->role == ROLE_TOOL) != due) {
        refuse(reader, item, due ? "a call has no result" : "a result has no call");
        return;
    }
    if (message->role == ROLE_TOOL) message->call = &reader->asking->calls[reader->results++];
    if (message->role == ROLE_ASSISTANT) reader->asking = message;
    if (message->role == ROLE_ASSISTANT) reader->results = 0;
    talked_add(&reader->talked, message);
}

static void read_message(struct session_reader *reader, const struct json *item) {
    struct message *message = ARENA_NEW(&reader->arena, struct message);
    if (!message) return;
    const struct json *content = json_get(item, "content"), *opaque = json_get(item, "opaque");
    if (!read_role(item, &message->role)) {
        refuse(reader, item, "a message needs its role: user, assistant or tool");
        return;
    }
    message->has_content = json_is(content, JSON_STRING);
    message->content = protocol_text(item, "content");
    message->turn = (uint32_t)protocol_count(item, "turn");
    message->failed = is_true(item, "failed");
    if (opaque) message->opaque = text_slice(reader->text, opaque->start, opaque->end);
    if (message->role == ROLE_ASSISTANT) read_calls(reader, message, json_get(item, "calls"));
    else if (!message->has_content) refuse(reader, item, "a message needs its content");
    place_message(reader, message, item);
}

static void read_session(struct session_reader *reader, const struct json *root) {
    const struct json *messages = json_get(root, "messages");
    if (!text_is(protocol_text(root, "format"), SESSION_FORMAT))
        refuse(reader, root, "this is no session");
    else if (protocol_count(root, "version") != VERSION_SESSION)
        refuse(reader, root, "a session of version 1 is needed");
    else if (!json_is(messages, JSON_ARRAY)) refuse(reader, root, "it has no list of messages");
    if (reader->failed) return;
    reader->talked.agent = protocol_text(root, "agent");
    reader->talked.fingerprint = protocol_text(root, "fingerprint");
    reader->talked.protocol = protocol_text(root, "protocol");
    reader->talked.turns = (uint32_t)protocol_count(root, "turns");
    reader->talked.tainted = json_is(json_get(root, "tainted"), JSON_TRUE);
    for (const struct json *item = messages->first; item && !reader->failed; item = item->next)
        read_message(reader, item);
    if (reader->asking && reader->results < reader->asking->call_count)
        refuse(reader, messages, "a call has no result");
}

static gramc_status load(struct session_reader *reader, gramc_session *session) {
    struct json_error syntax = {.message = ""};
    const struct json *root = json_parse(&reader->arena, reader->text, &syntax);
    if (reader->arena.oom) return GRAMC_NOMEM;
    if (root) read_session(reader, root);
    else refuse(reader, NULL, syntax.message);
    if (!root && reader->error) reader->error->position = syntax.position;
    if (reader->arena.oom) return GRAMC_NOMEM;
    if (reader->failed) return GRAMC_FINDINGS;
    return session_keep(session, &reader->talked) ? GRAMC_OK : GRAMC_NOMEM;
}

gramc_status gramc_session_load(gramc_session *session, gramc_text json, gramc_json_error *error) {
    struct session_reader reader = {.text = json, .error = error};
    if (!session_take(session)) return GRAMC_LIMIT;
    arena_init(&reader.arena, &session->allocator);
    gramc_status status = load(&reader, session);
    arena_free(&reader.arena);
    session_let_go(session);
    return status;
}
