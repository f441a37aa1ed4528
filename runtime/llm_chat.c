/* Turns a conversation into the body of an OpenAI chat completion request, in the `tools` wire of
 * today and in the older `functions` wire. llm_chat_read.c reads the answers. The order of the
 * keys is that of recorded traffic, so that bodies can be compared line by line. */
#include "runtime/llm_chat.h"

#include "base/limits.h"
#include "base/text.h"

/* ## Messages */

/* The `tools` wire has other types of tools, too. Not ended here. */
static void begin_function(struct json_writer *w) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("function"));
    json_key(w, "function");
}

/* Empty arguments make some servers fail when they read the history. */
static void put_function(struct json_writer *w, const gramc_model_call *call) {
    json_object_begin(w);
    json_member_text(w, "name", call->name);
    json_member_text(w, "arguments", call->arguments.len ? call->arguments : TEXT("{}"));
    json_object_end(w);
}

static void put_calls(struct json_writer *w, const struct message *message) {
    if (message->legacy) {
        json_key(w, "function_call");
        put_function(w, &message->calls[0]);
        return;
    }
    json_member_array(w, "tool_calls");
    for (size_t i = 0; i < message->call_count; i++) {
        json_object_begin(w);
        json_member_text(w, "id", message->calls[i].id);
        json_member_text(w, "type", TEXT("function"));
        json_key(w, "function");
        put_function(w, &message->calls[i]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_content(struct json_writer *w, const struct message *message) {
    json_key(w, "content");
    if (message->has_content) json_text(w, message->content);
    else json_null(w);
}

static void put_result(struct json_writer *w, const struct message *message) {
    json_member_text(w, "role", message->legacy ? TEXT("function") : TEXT("tool"));
    if (!message->legacy) json_member_text(w, "tool_call_id", message->call->id);
    put_content(w, message);
    if (message->legacy) json_member_text(w, "name", message->call->name);
}

static void put_message(struct buf *out, const struct message *message) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    if (message->role == ROLE_TOOL) {
        put_result(&w, message);
    } else {
        json_member_text(&w, "role", message->role == ROLE_USER ? TEXT("user") : TEXT("assistant"));
        put_content(&w, message);
        if (message->opaque.len) json_member_raw(&w, "reasoning_details", message->opaque);
        if (message->call_count) put_calls(&w, message);
    }
    json_object_end(&w);
}

/* ## The request */

/* Its reasoning models refuse the older name wherever they are asked. */
static bool has_completion_tokens(const struct request *request) {
    gramc_text id = request->model;
    bool reasons = id.len > 1 && id.ptr[0] == 'o' && id.ptr[1] >= '0' && id.ptr[1] <= '9';
    return reasons || text_starts(id, "gpt-5") || request->profile & PROFILE_COMPLETION_TOKENS;
}

static void put_settings(struct json_writer *w, const struct request *request) {
    const gramc_agent *agent = request->agent;
    protocol_setting(w, "temperature", agent->temperature);
    protocol_setting(w, "top_p", agent->top_p);
    protocol_setting(w, "presence_penalty", agent->presence_penalty);
    protocol_setting(w, "frequency_penalty", agent->frequency_penalty);
    protocol_setting(w, has_completion_tokens(request) ? "max_completion_tokens" : "max_tokens",
                     agent->max_tokens);
    protocol_setting(w, "seed", request->seed);
}

/* The functions wire has no "required": it is left to the model then. */
static void put_choice(struct json_writer *w, const struct request *request) {
    gramc_text choice = protocol_choice(request);
    bool functions = request->wire == GRAMC_WIRE_FUNCTIONS;
    bool required = text_is(choice, "required");
    if (choice.len == 0 || (functions && required)) return;
    json_key(w, functions ? "function_call" : "tool_choice");
    if (required || text_is(choice, "auto") || text_is(choice, "none")) {
        json_text(w, choice);
        return;
    }
    if (!functions) begin_function(w);
    json_object_begin(w);
    json_member_text(w, "name", choice);
    json_object_end(w);
    if (!functions) json_object_end(w);
}

static void put_tools(struct json_writer *w, const struct request *request) {
    json_member_raw(w, request->wire == GRAMC_WIRE_FUNCTIONS ? "functions" : "tools",
                    request->tools);
    put_choice(w, request);
    bool said = request->agent->parallel_tool_calls >= 0;
    if (request->wire == GRAMC_WIRE_TOOLS && (said || request->profile & PROFILE_SAYS_PARALLEL))
        json_member_bool(w, "parallel_tool_calls", !said || request->agent->parallel_tool_calls);
}

/* Usage comes in a stream only where it is asked for. */
static void put_stream(struct json_writer *w) {
    json_member_bool(w, "stream", true);
    json_member_object(w, "stream_options");
    json_member_bool(w, "include_usage", true);
    json_object_end(w);
}

static void put_request(struct buf *out, const struct request *request) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "model", request->model);
    protocol_messages_of(&w, request);
    put_settings(&w, request);
    protocol_setting(&w, "response_format", request->answer_format);
    if (request->tools.len) put_tools(&w, request);
    if (request->stream) put_stream(&w);
    json_object_end(&w);
}

const struct protocol protocol_chat = {.name = "chat",
                                       .target = "openai",
                                       .path = "/chat/completions",
                                       .key = "Authorization: Bearer ",
                                       .lacks = SETTINGS_OF_OLLAMA,
                                       .has_functions = true,
                                       .message = put_message,
                                       .request = put_request,
                                       .reply = chat_reply,
                                       .stream = &stream_chat,
                                       .most_tools = MANY_TOOLS};
