/* OpenAI's Responses: a conversation is a list of items, calls and results among them. The items of
 * an answer are sent back as they came, for among them may be reasoning that nobody else reads. */
#include "base/limits.h"
#include "base/text.h"
#include "runtime/protocol.h"

/* ## Items. A message may be several of them, or none; the writer puts commas between. */

static void put_said(struct json_writer *w, gramc_text role, gramc_text text) {
    json_object_begin(w);
    json_member_text(w, "role", role);
    json_member_text(w, "content", text);
    json_object_end(w);
}

static void put_call(struct json_writer *w, const gramc_model_call *call) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("function_call"));
    json_member_text(w, "call_id", call->id);
    json_member_text(w, "name", call->name);
    json_member_text(w, "arguments", call->arguments.len ? call->arguments : TEXT("{}"));
    json_object_end(w);
}

static void put_result(struct json_writer *w, const struct message *message) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("function_call_output"));
    json_member_text(w, "call_id", message->call->id);
    json_member_text(w, "output", message->content);
    json_object_end(w);
}

static void put_answer(struct json_writer *w, const struct message *message) {
    if (message->opaque.len > 2) {
        json_raw(w, text_slice(message->opaque, 1, message->opaque.len - 1));
        return;
    }
    if (message->content.len) put_said(w, TEXT("assistant"), message->content);
    for (size_t i = 0; i < message->call_count; i++) put_call(w, &message->calls[i]);
}

static void put_message(struct buf *out, const struct message *message) {
    struct json_writer w = json_writer(out);
    switch (message->role) {
    case ROLE_USER: put_said(&w, TEXT("user"), message->content); break;
    case ROLE_ASSISTANT: put_answer(&w, message); break;
    case ROLE_TOOL: put_result(&w, message); break;
    }
}

/* ## The request */

static void put_choice(struct json_writer *w, const struct request *request) {
    gramc_text choice = protocol_choice(request);
    bool word = text_is(choice, "required") || text_is(choice, "auto") || text_is(choice, "none");
    if (choice.len == 0) return;
    if (word) {
        json_member_text(w, "tool_choice", choice);
        return;
    }
    json_member_object(w, "tool_choice");
    json_member_text(w, "type", TEXT("function"));
    json_member_text(w, "name", choice);
    json_object_end(w);
}

static void put_tools(struct json_writer *w, const struct request *request) {
    json_member_raw(w, "tools", request->tools);
    put_choice(w, request);
    if (request->agent->parallel_tool_calls >= 0)
        json_member_bool(w, "parallel_tool_calls", request->agent->parallel_tool_calls);
}

static void put_request(struct buf *out, const struct request *request) {
    const gramc_agent *agent = request->agent;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "model", request->model);
    if (request->instruction.len) json_member_text(&w, "instructions", request->instruction);
    json_member_array(&w, "input");
    for (const struct message *message = request->talk->first; message; message = message->next)
        if (message->json.len) json_raw(&w, message->json);
    json_array_end(&w);
    protocol_setting(&w, "temperature", agent->temperature);
    protocol_setting(&w, "top_p", agent->top_p);
    protocol_setting(&w, "max_output_tokens", agent->max_tokens);
    if (request->answer_format.len) {
        json_member_object(&w, "text");
        json_member_raw(&w, "format", request->answer_format);
        json_object_end(&w);
    }
    if (request->tools.len) put_tools(&w, request);
    if (request->stream) json_member_bool(&w, "stream", true);
    json_object_end(&w);
}

/* ## Answers */

static void read_said(struct reply *out, struct buf *text, const struct json *item) {
    const struct json *parts = heeded(&out->odd, item, "content", JSON_ARRAY);
    for (const struct json *part = parts ? parts->first : NULL; part; part = part->next) {
        gramc_text refusal = heeded_text(&out->odd, part, "refusal");
        if (refusal.len) out->refusal = refusal;
        if (!text_is(needed_text(&out->odd, part, "type"), "output_text")) continue;
        out->has_content = true;
        buf_text(text, heeded_text(&out->odd, part, "text"));
    }
}

static bool read_items(struct reply *out, struct arena *arena, const struct json *items) {
    struct buf text;
    bool good = true;
    buf_init(&text, &arena->allocator, 64 << 20);
    for (const struct json *item = items->first; item && good; item = item->next) {
        gramc_text type = needed_text(&out->odd, item, "type");
        if (text_is(type, "message")) read_said(out, &text, item);
        if (text_is(type, "function_call"))
            good = protocol_call(out, arena, items->count, protocol_text(item, "call_id"), item,
                                 "arguments");
    }
    out->content = buf_to_arena(&text, arena);
    out->opaque = protocol_print(arena, items);
    return good && out->content.ptr && !arena->oom;
}

/* An answer that has failed, or is not there yet, is none, whatever it holds. */
static gramc_status read_end(struct reply *out, const struct json *body, gramc_text *why) {
    const struct json *details = heeded(&out->odd, body, "incomplete_details", JSON_OBJECT);
    gramc_text reason = heeded_text(&out->odd, details, "reason");
    gramc_text status = heeded_text(&out->odd, body, "status");
    bool incomplete = text_is(status, "incomplete");
    out->finish_reason = reason.len ? reason : status;
    out->finish = protocol_finish(reason);
    if (status.len && !incomplete && !text_is(status, "completed"))
        *why = TEXT("the answer's `status` says that it is none");
    else if (incomplete && out->finish == FINISH_STOP)
        *why = TEXT("the answer is incomplete, and does not say why");
    else return GRAMC_OK;
    return GRAMC_FINDINGS;
}

static void read_usage(struct usage *out, const struct json *usage) {
    out->prompt = protocol_count(usage, "input_tokens");
    out->completion = protocol_count(usage, "output_tokens");
    out->total = protocol_count(usage, "total_tokens");
    out->cached = protocol_count(json_get(usage, "input_tokens_details"), "cached_tokens");
}

static gramc_status read_reply(struct reply *out, struct arena *arena, gramc_text body,
                               gramc_text *why) {
    *out = (struct reply){0};
    const struct json *json = protocol_body(arena, &body, why);
    const struct json *items =
        protocol_part(json, "output", JSON_ARRAY, "the answer has no `output`", why);
    if (!items) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    if (!read_items(out, arena, items)) return GRAMC_NOMEM;
    if (read_end(out, json, why)) return GRAMC_FINDINGS;
    out->id = protocol_text(json, "id");
    out->model = protocol_text(json, "model");
    read_usage(&out->usage, json_get(json, "usage"));
    return protocol_end(out, arena, why);
}

const struct protocol protocol_responses = {.name = "responses",
                                            .target = "openai-responses",
                                            .path = "/responses",
                                            .key = "Authorization: Bearer ",
                                            .lacks = SETTING_PRESENCE | SETTING_FREQUENCY |
                                                     SETTING_SEED | SETTINGS_OF_OLLAMA,
                                            .by_id = true,
                                            .message = put_message,
                                            .request = put_request,
                                            .reply = read_reply,
                                            .stream = &stream_responses,
                                            .most_tools = MANY_TOOLS};
