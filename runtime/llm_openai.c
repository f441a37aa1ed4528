/* Turns a conversation into the body of an OpenAI chat completion request, in the `tools` wire of
 * today and in the older `functions` wire. llm_openai_read.c reads the answers. The order of the
 * keys is that of recorded traffic, so that bodies can be compared line by line. */
#include "base/json/writer.h"
#include "base/text.h"
#include "gramc/compile.h"
#include "runtime/llm.h"

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

/* ## Tools */

gramc_status openai_tools(struct buf *out, const struct offered_tools *tools, gramc_wire wire,
                          size_t *bad) {
    bool functions = wire == GRAMC_WIRE_FUNCTIONS;
    struct json_writer w = {.out = out, .comma = true}; /* members of the request stand before */
    if (tools->count == 0) return GRAMC_OK;
    json_member_array(&w, functions ? "functions" : "tools");
    for (size_t i = 0; i < tools->count; i++) {
        const gramc_tool *tool = tools->list[i];
        gramc_status status = gramc_target_chat_tool(tools->target, functions, tool, tool->name,
                                                     &out->allocator, buf_writer(json_slot(&w)));
        *bad = i;
        if (status) return out->state == BUF_FINE ? status : buf_status(out);
    }
    json_array_end(&w);
    return buf_status(out);
}

/* ## Messages */

/* The `tools` wire has other types of tools, too. Not ended here. */
static void begin_function(struct json_writer *w) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("function"));
    json_key(w, "function");
}

/* Empty arguments make some servers fail when they read the history. */
static void put_function(struct json_writer *w, const struct call *call) {
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
    if (!message->legacy) json_member_text(w, "tool_call_id", message->call_id);
    put_content(w, message);
    if (message->legacy) json_member_text(w, "name", message->name);
}

void openai_message(struct buf *out, const struct message *message) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    if (message->role == ROLE_TOOL) {
        put_result(&w, message);
    } else {
        json_member_text(&w, "role", message->role == ROLE_USER ? TEXT("user") : TEXT("assistant"));
        put_content(&w, message);
        if (message->call_count) put_calls(&w, message);
    }
    json_object_end(&w);
}

/* ## The request */

static void put_messages(struct json_writer *w, const struct request *request) {
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

/* What the agent does not say is not sent. */
static void put_setting(struct json_writer *w, const char *key, gramc_text value) {
    if (value.len) json_member_raw(w, key, value);
}

static void put_settings(struct json_writer *w, const gramc_agent *agent) {
    put_setting(w, "temperature", agent->temperature);
    put_setting(w, "top_p", agent->top_p);
    put_setting(w, "presence_penalty", agent->presence_penalty);
    put_setting(w, "frequency_penalty", agent->frequency_penalty);
    put_setting(w, "max_tokens", agent->max_tokens);
    put_setting(w, "seed", agent->seed);
}

/* A forced choice holds until the first results are there: forced again, it would never end. */
static gramc_text effective_choice(const struct request *request) {
    gramc_text choice = request->tool_choice;
    bool forced = choice.len && !text_is(choice, "auto") && !text_is(choice, "none");
    return forced && request->talk->last->role == ROLE_TOOL ? TEXT("auto") : choice;
}

/* The functions wire has no "required": it is left to the model then. */
static void put_choice(struct json_writer *w, const struct request *request) {
    gramc_text choice = effective_choice(request);
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

void openai_request(struct buf *out, const struct request *request) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "model", request->model);
    put_messages(&w, request);
    put_settings(&w, request->agent);
    put_setting(&w, "response_format", request->response_format);
    if (request->tools.len) {
        buf_text(out, request->tools); /* with its comma */
        put_choice(&w, request);
        if (request->wire == GRAMC_WIRE_TOOLS && request->agent->parallel_tool_calls >= 0)
            json_member_bool(&w, "parallel_tool_calls", request->agent->parallel_tool_calls);
    }
    json_object_end(&w);
}
