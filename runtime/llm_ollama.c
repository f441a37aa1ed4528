/* Ollama's own chat: like chat completions, but that arguments are objects, results go by the name
 * of the tool, and settings are options, the size of the context among them. */
#include "base/text.h"
#include "runtime/protocol.h"

/* ## Messages */

static void put_calls(struct json_writer *w, const struct message *message) {
    json_member_array(w, "tool_calls");
    for (size_t i = 0; i < message->call_count; i++) {
        json_object_begin(w);
        json_member_object(w, "function");
        json_member_text(w, "name", message->calls[i].name);
        protocol_arguments(w, "arguments", &message->calls[i]);
        json_object_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_message(struct buf *out, const struct message *message) {
    static const gramc_text roles[] = {
        [ROLE_USER] = {"user", 4}, [ROLE_ASSISTANT] = {"assistant", 9}, [ROLE_TOOL] = {"tool", 4}};
    struct json_writer w = json_writer(out);
    if (message->opaque.len) {
        json_raw(&w, message->opaque);
        return;
    }
    json_object_begin(&w);
    json_member_text(&w, "role", roles[message->role]);
    json_member_text(&w, "content", message->content);
    if (message->role == ROLE_TOOL) json_member_text(&w, "tool_name", message->call->name);
    if (message->call_count) put_calls(&w, message);
    json_object_end(&w);
}

/* ## The request */

static void put_options(struct json_writer *w, const struct request *request) {
    const gramc_agent *agent = request->agent;
    const struct protocol_option options[] = {{"temperature", agent->temperature},
                                              {"top_p", agent->top_p},
                                              {"presence_penalty", agent->presence_penalty},
                                              {"frequency_penalty", agent->frequency_penalty},
                                              {"num_predict", agent->max_tokens},
                                              {"seed", request->seed},
                                              {"num_ctx", agent->num_ctx}};
    protocol_options(w, "options", options, sizeof(options) / sizeof(options[0]));
}

/* It would stream if it were not told otherwise. */
static void put_request(struct buf *out, const struct request *request) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "model", request->model);
    protocol_messages_of(&w, request);
    json_member_bool(&w, "stream", request->stream);
    if (request->tools.len) json_member_raw(&w, "tools", request->tools);
    protocol_setting(&w, "format", request->answer_format);
    put_options(&w, request);
    json_member_some(&w, "keep_alive", request->agent->keep_alive);
    json_object_end(&w);
}

/* ## Answers */

static bool read_calls(struct reply *out, struct arena *arena, const struct json *calls) {
    bool good = true;
    for (const struct json *item = calls->first; item && good; item = item->next) {
        const struct json *call = heeded_item(&out->odd, item, "tool_calls");
        good = protocol_call(out, arena, calls->count, protocol_text(item, "id"),
                             heeded(&out->odd, call, "function", JSON_OBJECT), "arguments");
    }
    return good;
}

static void read_usage(struct usage *out, const struct json *body) {
    out->prompt = protocol_count(body, "prompt_eval_count");
    out->completion = protocol_count(body, "eval_count");
    out->total = out->prompt + out->completion;
}

static gramc_status read_reply(struct reply *out, struct arena *arena, gramc_text body,
                               gramc_text *why) {
    *out = (struct reply){0};
    const struct json *json = protocol_body(arena, &body, why);
    const struct json *message =
        protocol_part(json, "message", JSON_OBJECT, "the answer has no `message`", why);
    const struct json *calls = heeded(&out->odd, message, "tool_calls", JSON_ARRAY);
    const struct json *done = json_get(json, "done");
    if (!message) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    out->content = heeded_text(&out->odd, message, "content");
    out->has_content = json_is(json_get(message, "content"), JSON_STRING);
    if (json_is(done, JSON_FALSE)) *why = TEXT("the answer says that it is not all of it");
    if (json_is(done, JSON_FALSE)) return GRAMC_FINDINGS;
    if (done && !json_is(done, JSON_TRUE) && !json_is(done, JSON_NULL)) out->odd = "done";
    out->opaque = protocol_print(arena, message);
    if (calls && !read_calls(out, arena, calls)) return GRAMC_NOMEM;
    out->finish_reason = heeded_text(&out->odd, json, "done_reason");
    out->finish = protocol_finish(out->finish_reason);
    read_usage(&out->usage, json);
    out->model = protocol_text(json, "model");
    return protocol_end(out, arena, why);
}

const struct protocol protocol_ollama = {.name = "ollama",
                                         .target = "ollama",
                                         .path = "/api/chat",
                                         .key = "Authorization: Bearer ",
                                         .lacks = SETTING_CHOICE | SETTING_PARALLEL,
                                         .message = put_message,
                                         .request = put_request,
                                         .reply = read_reply,
                                         .stream = &stream_ollama};
