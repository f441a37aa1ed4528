/* What the protocols share: the table of them, bodies and errors of servers, and the few things
 * that all say in the same way. What each says differently is in its llm_*.c. */
#include "runtime/protocol.h"

#include "base/number.h"
#include "base/text.h"

enum { TEXT_MAX = 64 << 20 };

static const struct protocol *const protocols[] = {
    &protocol_chat, &protocol_responses, &protocol_messages, &protocol_gemini, &protocol_ollama};

enum { PROTOCOLS = sizeof(protocols) / sizeof(protocols[0]) };

const struct protocol *protocol_named(gramc_text name) {
    for (size_t i = 0; i < PROTOCOLS; i++)
        if (text_is(name, protocols[i]->name)) return protocols[i];
    return NULL;
}

const struct protocol *protocol_of_target(gramc_text target) {
    for (size_t i = 0; i < PROTOCOLS; i++)
        if (text_is(target, protocols[i]->target)) return protocols[i];
    return &protocol_chat;
}

gramc_text model_id(gramc_text spec) {
    for (size_t i = 0; i < spec.len; i++)
        if (spec.ptr[i] == '/') return text_slice(spec, i + 1, spec.len);
    return spec;
}

gramc_text model_provider(gramc_text spec) {
    for (size_t i = 0; i < spec.len; i++)
        if (spec.ptr[i] == '/') return text_slice(spec, 0, i);
    return (gramc_text){NULL, 0};
}

/* ## Reading */

gramc_text protocol_text(const struct json *object, const char *key) {
    const struct json *member = json_get(object, key);
    return json_is(member, JSON_STRING) ? member->text : (gramc_text){NULL, 0};
}

uint64_t protocol_count(const struct json *object, const char *key) {
    const struct json *count = json_get(object, key);
    int64_t number;
    if (!json_is(count, JSON_NUMBER) || !number_to_int(&number, count->text)) return 0;
    return number < 0 ? 0 : (uint64_t)number;
}

const struct json *heeded(const char **odd, const struct json *object, const char *key,
                          enum json_kind kind) {
    const struct json *member = json_get(object, key);
    if (!member || json_is(member, JSON_NULL)) return NULL;
    if (json_is(member, kind)) return member;
    *odd = key;
    return NULL;
}

gramc_text heeded_text(const char **odd, const struct json *object, const char *key) {
    const struct json *member = heeded(odd, object, key, JSON_STRING);
    return member ? member->text : (gramc_text){NULL, 0};
}

gramc_text needed_text(const char **odd, const struct json *object, const char *key) {
    gramc_text text = heeded_text(odd, object, key);
    if (!text.ptr) *odd = key;
    return text;
}

bool heeded_index(const char **odd, const struct json *object, uint64_t *index) {
    const struct json *member = heeded(odd, object, "index", JSON_NUMBER);
    int64_t number = 0;
    bool good = member && number_to_int(&number, member->text) && number >= 0;
    if (member && !good) *odd = "index";
    *index = (uint64_t)number;
    return good;
}

const struct json *heeded_item(const char **odd, const struct json *item, const char *key) {
    if (item && !json_is(item, JSON_OBJECT)) *odd = key;
    return json_is(item, JSON_OBJECT) ? item : NULL;
}

static const struct {
    const char *reason;
    enum finish finish;
} finishes[] = {
    {"length", FINISH_LENGTH},
    {"max_tokens", FINISH_LENGTH},
    {"max_output_tokens", FINISH_LENGTH},
    {"model_context_window_exceeded", FINISH_LENGTH},
    {"MAX_TOKENS", FINISH_LENGTH},
    {"content_filter", FINISH_FILTER},
    {"SAFETY", FINISH_FILTER},
    {"RECITATION", FINISH_FILTER},
    {"BLOCKLIST", FINISH_FILTER},
    {"SPII", FINISH_FILTER},
    {"PROHIBITED_CONTENT", FINISH_FILTER},
    {"IMAGE_SAFETY", FINISH_FILTER},
    {"error", FINISH_BROKEN},
    {"abort", FINISH_BROKEN},
    {"pause_turn", FINISH_BROKEN},
};

enum finish protocol_finish(gramc_text reason) {
    for (size_t i = 0; i < sizeof(finishes) / sizeof(finishes[0]); i++)
        if (text_is(reason, finishes[i].reason)) return finishes[i].finish;
    return FINISH_STOP;
}

static bool ends_for_calls(gramc_text reason) {
    return text_is(reason, "tool_calls") || text_is(reason, "function_call") ||
           text_is(reason, "tool_use");
}

gramc_status protocol_end(const struct reply *out, struct arena *arena, gramc_text *why) {
    struct buf line;
    bool calls_lack = ends_for_calls(out->finish_reason) && out->call_count == 0;
    if (arena->oom) return GRAMC_NOMEM;
    if (!out->odd && out->finish != FINISH_BROKEN && !calls_lack) return GRAMC_OK;
    buf_init(&line, &arena->allocator, TEXT_MAX);
    if (out->odd) buf_printf(&line, "the answer's `%s` is missing or of the wrong type", out->odd);
    else if (calls_lack) buf_puts(&line, "the answer says that it calls a tool, and holds no call");
    else
        buf_printf(&line, "the model stopped before its answer was complete: %.*s",
                   TEXT_ARGS(out->finish_reason));
    *why = buf_to_arena(&line, arena);
    return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
}

gramc_text protocol_print(struct arena *arena, const struct json *value) {
    struct buf out;
    buf_init(&out, &arena->allocator, TEXT_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

bool protocol_join(gramc_text *out, struct arena *arena, const struct json *list, const char *key) {
    struct buf text;
    buf_init(&text, &arena->allocator, TEXT_MAX);
    for (const struct json *part = list->first; part; part = part->next)
        buf_text(&text, protocol_text(part, key));
    *out = buf_to_arena(&text, arena);
    return out->ptr;
}

/* A string is a text already, nothing is an empty object. */
static gramc_text read_arguments(struct arena *arena, const struct json *arguments) {
    if (!arguments || json_is(arguments, JSON_NULL)) return TEXT("{}");
    return json_is(arguments, JSON_STRING) ? arguments->text : protocol_print(arena, arguments);
}

bool protocol_call(struct reply *out, struct arena *arena, size_t most, gramc_text id,
                   const struct json *function, const char *arguments) {
    if (!out->calls) out->calls = arena_array(arena, most, sizeof(*out->calls));
    if (!out->calls) return false;
    gramc_model_call *call = &out->calls[out->call_count++];
    call->id = id;
    call->name = needed_text(&out->odd, function, "name");
    call->arguments = read_arguments(arena, json_get(function, arguments));
    return !arena->oom;
}

const struct json *protocol_part(const struct json *body, const char *key, enum json_kind kind,
                                 const char *missing, gramc_text *why) {
    const struct json *part = json_get(body, key);
    if (json_is(part, kind)) return part;
    if (body) *why = text_of(missing);
    return NULL;
}

const char protocol_no_object[] = "the answer is not a JSON object";

bool protocol_is_error(const struct json *object) {
    const struct json *error = json_get(object, "error");
    return (error && !json_is(error, JSON_NULL)) ||
           text_is(protocol_text(object, "type"), "error") ||
           text_is(protocol_text(object, "object"), "error");
}

const struct json *protocol_body(struct arena *arena, gramc_text *body, gramc_text *why) {
    gramc_text code;
    *body = json_mended(arena, *body);
    const struct json *json = json_parse(arena, *body, NULL);
    const struct json *first = json_is(json, JSON_ARRAY) ? json->first : json;
    if (arena->oom) return NULL;
    if (protocol_is_error(first)) *why = protocol_error(arena, *body, &code);
    else if (!json_is(json, JSON_OBJECT)) *why = text_of(protocol_no_object);
    else return json;
    return NULL;
}

/* {"error":{"message","code"}} with code a text or a number; {"error":"text"};
 * {"object":"error","message"}; {"message"}; anything else. */
gramc_text protocol_error(struct arena *arena, gramc_text body, gramc_text *code) {
    body = json_mended(arena, body);
    const struct json *json = json_parse(arena, body, NULL);
    if (json_is(json, JSON_ARRAY) && json->first) json = json->first; /* Gemini's streams */
    const struct json *error = json_get(json, "error");
    *code = (gramc_text){NULL, 0};
    if (json_is(error, JSON_STRING) && error->text.len) return error->text;
    if (!json_is(error, JSON_OBJECT)) error = json;
    const struct json *code_member = json_get(error, "code");
    if (json_is(code_member, JSON_STRING) || json_is(code_member, JSON_NUMBER))
        *code = code_member->text;
    else *code = protocol_text(error, "type");
    gramc_text message = protocol_text(error, "message");
    return message.len ? message : body;
}

/* ## Writing */

void protocol_setting(struct json_writer *w, const char *key, gramc_text value) {
    if (value.len) json_member_raw(w, key, value);
}

void protocol_options(struct json_writer *w, const char *key, const struct protocol_option *options,
                      size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (options[i].value.len == 0) continue;
        if (!any) json_member_object(w, key);
        any = true;
        json_member_raw(w, options[i].key, options[i].value);
    }
    if (any) json_object_end(w);
}

void protocol_arguments(struct json_writer *w, const char *key, const gramc_model_call *call) {
    struct arena scratch;
    arena_init(&scratch, &w->out->allocator);
    const struct json *object = json_parse(&scratch, call->arguments, NULL);
    if (scratch.oom) w->out->state = BUF_NOMEM;
    if (json_is(object, JSON_OBJECT)) json_member_value(w, key, object);
    else json_member_raw(w, key, TEXT("{}"));
    arena_free(&scratch);
}

void protocol_messages_of(struct json_writer *w, const struct request *request) {
    json_member_array(w, "messages");
    if (request->instruction.len) {
        json_object_begin(w);
        json_member_text(w, "role", TEXT("system"));
        json_member_text(w, "content", request->instruction);
        json_object_end(w);
    }
    for (const struct message *message = request->talk->first; message; message = message->next)
        json_raw(w, message->json);
    json_array_end(w);
}

/* Gives the last of them. */
static const struct message *put_results(struct json_writer *w, const struct message *message,
                                         const char *parts) {
    json_object_begin(w);
    json_member_text(w, "role", TEXT("user"));
    json_member_array(w, parts);
    json_raw(w, message->json);
    for (; message->next && message->next->role == ROLE_TOOL; message = message->next)
        json_raw(w, message->next->json);
    json_array_end(w);
    json_object_end(w);
    return message;
}

void protocol_turns(struct json_writer *w, const char *key, const struct conversation *talk,
                    const char *parts) {
    json_member_array(w, key);
    for (const struct message *message = talk->first; message; message = message->next)
        if (message->role == ROLE_TOOL) message = put_results(w, message, parts);
        else json_raw(w, message->json);
    json_array_end(w);
}

/* Forced again, it would never end. */
gramc_text protocol_choice(const struct request *request) {
    gramc_text choice = request->tool_choice;
    bool forced = choice.len && !text_is(choice, "auto") && !text_is(choice, "none");
    return forced && request->talk->last->role == ROLE_TOOL ? TEXT("auto") : choice;
}
