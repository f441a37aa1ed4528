/* A session out of traces (docs/formats/trace.md): what was said in the turns that were answered.
 * Where a trace does not have what the model was told (the words with which an answer of the wrong
 * type is refused), neither that answer is taken. */
#include <stdio.h>

#include "base/json/trace_read.h"
#include "base/text.h"
#include "runtime/protocol.h"
#include "runtime/session/session.h"

struct trace_session {
    struct arena arena;
    struct trace_reader trace;
    struct talked talked;     /* the turns that were answered */
    struct talked turn;       /* the messages of this one so far */
    struct talked answers;    /* `turn` as it was before the newest answer */
    gramc_text user;          /* is said to the model next; no ptr: nothing is */
    struct message *asking;   /* the newest answer, if it has calls */
    struct message **results; /* of its calls, NULL where none is there yet */
    uint32_t turns;           /* of the conversation, tasks counted */
    bool in_turn, broken;
    gramc_session_history about;
};

/* ## Turns */

static void begin_turn(struct trace_session *reader) {
    if (reader->in_turn) reader->about.left_out++;
    reader->turn = (struct talked){.count = 0};
    reader->user = (gramc_text){NULL, 0};
    reader->asking = NULL;
    reader->in_turn = reader->broken = false;
}

static void add(struct trace_session *reader, struct message *message) {
    if (!message) return;
    message->turn = reader->turns;
    talked_add(&reader->turn, message);
}

/* The model is asked again, or the turn ends: the results stand behind their calls, in order. */
static void add_results(struct trace_session *reader) {
    for (size_t i = 0; reader->asking && i < reader->asking->call_count; i++) {
        if (reader->results[i]) add(reader, reader->results[i]);
        else reader->broken = true;
    }
    reader->asking = NULL;
}

/* What is not said by the user and has no calls in front of it is a refusal of the newest answer,
 * whose words are not known. */
static void ask(struct trace_session *reader) {
    bool called = reader->asking;
    add_results(reader);
    if (reader->user.ptr) {
        struct message *message = ARENA_NEW(&reader->arena, struct message);
        reader->turns++;
        if (message) *message = (struct message){.content = reader->user, .has_content = true};
        add(reader, message);
    } else if (!called && reader->turn.last && reader->turn.last->role == ROLE_ASSISTANT) {
        reader->turn = reader->answers;
        if (reader->turn.last) reader->turn.last->next = NULL;
    }
    reader->user = (gramc_text){NULL, 0};
}

/* ## Events */

/* Several runs may stand in one file; what the last one's protocol cannot read is of no use. */
static void drop_opaque(struct talked *talked) {
    for (struct message *message = talked->first; message; message = message->next)
        message->opaque = (gramc_text){NULL, 0};
}

static gramc_status read_header(struct trace_session *reader, const struct json *event) {
    const struct json *spec = json_get(event, "spec");
    gramc_text protocol = trace_text(event, "protocol");
    begin_turn(reader);
    if (!text_eq(protocol, reader->talked.protocol)) drop_opaque(&reader->talked);
    reader->talked.protocol = protocol;
    reader->talked.agent = trace_text(spec, "agent");
    reader->talked.fingerprint = trace_text(spec, "fingerprint");
    reader->about.earlier += (size_t)trace_number(event, "history");
    return GRAMC_OK;
}

static gramc_status read_turn(struct trace_session *reader, const struct json *event) {
    begin_turn(reader);
    reader->user = trace_text(event, "message");
    reader->in_turn = true;
    return GRAMC_OK;
}

static gramc_status read_task(struct trace_session *reader, const struct json *event) {
    add_results(reader);
    reader->user = trace_text(event, "prompt");
    return GRAMC_OK;
}

static gramc_status read_request(struct trace_session *reader, const struct json *event) {
    (void)event;
    ask(reader);
    return GRAMC_OK;
}

static gramc_status read_calls(struct trace_session *reader, struct message *message,
                               const struct json *list) {
    gramc_model_call *calls = arena_array(&reader->arena, list->count, sizeof(*calls));
    reader->results = arena_zalloc(&reader->arena, list->count * sizeof(*reader->results));
    if (!calls || !reader->results) return GRAMC_NOMEM;
    for (const struct json *item = list->first; item; item = item->next) {
        if (!json_is(json_get(item, "arguments"), JSON_STRING) ||
            !json_is(json_get(item, "name"), JSON_STRING))
            return trace_refuse(&reader->trace,
                                "a call needs `name` and `arguments`, both strings");
        calls[message->call_count++] =
            (gramc_model_call){.id = trace_text(item, "id"),
                               .name = trace_text(item, "name"),
                               .arguments = trace_text(item, "arguments")};
    }
    message->calls = calls;
    reader->asking = message;
    return GRAMC_OK;
}

static gramc_status read_response(struct trace_session *reader, const struct json *event) {
    const struct json *calls = json_get(event, "calls"), *opaque = json_get(event, "opaque");
    struct message *message = ARENA_NEW(&reader->arena, struct message);
    if (!message) return GRAMC_NOMEM;
    if (reader->user.ptr || reader->asking) ask(reader); /* a trace without requests */
    message->role = ROLE_ASSISTANT;
    message->content = trace_text(event, "content");
    message->has_content = json_is(json_get(event, "content"), JSON_STRING);
    if (opaque) message->opaque = protocol_print(&reader->arena, opaque);
    reader->answers = reader->turn;
    add(reader, message);
    bool has_calls = json_is(calls, JSON_ARRAY) && calls->count;
    return has_calls ? read_calls(reader, message, calls) : GRAMC_OK;
}

static gramc_status read_result(struct trace_session *reader, const struct json *event) {
    size_t call = (size_t)trace_number(event, "call");
    reader->talked.tainted = true; /* whosever result it is: a trace does not say who is trusted */
    if (!reader->asking) return GRAMC_OK;
    if (call < 1 || call > reader->asking->call_count)
        return trace_refuse(&reader->trace, "a result of no call");
    struct message *message = ARENA_NEW(&reader->arena, struct message);
    if (!message) return GRAMC_NOMEM;
    *message = (struct message){.role = ROLE_TOOL,
                                .content = trace_text(event, "result"),
                                .has_content = true,
                                .failed = !text_is(trace_text(event, "outcome"), "ok"),
                                .call = &reader->asking->calls[call - 1]};
    reader->results[call - 1] = message;
    return GRAMC_OK;
}

static gramc_status read_answer(struct trace_session *reader, const struct json *event) {
    (void)event;
    add_results(reader);
    bool whole = reader->in_turn && !reader->broken && reader->turn.count;
    for (struct message *message = whole ? reader->turn.first : NULL, *next; message;
         message = next) {
        next = message->next;
        talked_add(&reader->talked, message);
    }
    if (whole) reader->talked.turns++;
    if (whole) reader->in_turn = false;
    begin_turn(reader);
    return GRAMC_OK;
}

static const struct {
    const char *event;
    gramc_status (*read)(struct trace_session *reader, const struct json *event);
} readers[] = {
    {"header", read_header},
    {"turn", read_turn},
    {"task", read_task},
    {"model.request", read_request},
    {"model.response", read_response},
    {"tool.response", read_result},
    {"answer", read_answer},
};

static gramc_status read_event(struct trace_session *reader, const struct json *event) {
    gramc_text name = trace_text(event, "event");
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
        if (text_is(name, readers[i].event)) return readers[i].read(reader, event);
    return GRAMC_OK;
}

/* A run that was killed leaves a last line that may be cut. */
static gramc_status read_events(struct trace_session *reader) {
    const struct json *event;
    gramc_status status;
    while (!(status = trace_next(&reader->trace, &event)) && event)
        if ((status = read_event(reader, event)) != GRAMC_OK) return status;
    bool cut = status == GRAMC_FINDINGS && reader->trace.has_header &&
               reader->trace.next > reader->trace.text.len;
    return cut ? GRAMC_OK : status;
}

/* ## Loading */

static gramc_status load(struct trace_session *reader, gramc_session *session) {
    gramc_status status = read_events(reader);
    if (status) return status;
    begin_turn(reader);
    reader->about.turns = reader->talked.turns;
    if (reader->arena.oom) return GRAMC_NOMEM;
    if (reader->talked.turns == 0)
        return trace_refuse(&reader->trace, "no message was answered in this trace");
    return session_keep(session, &reader->talked) ? GRAMC_OK : GRAMC_NOMEM;
}

gramc_status gramc_session_load_trace(gramc_session *session, gramc_text trace,
                                      gramc_session_history *about, gramc_json_error *error) {
    struct trace_session reader = {.trace = {.text = trace, .error = error}};
    if (!session_take(session)) return GRAMC_LIMIT;
    arena_init(&reader.arena, &session->allocator);
    reader.trace.arena = &reader.arena;
    gramc_status status = load(&reader, session);
    if (about) *about = reader.about;
    arena_free(&reader.arena);
    session_let_go(session);
    return status;
}
