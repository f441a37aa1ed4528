/* Gemini's generateContent: contents of parts, roles user and model, arguments and results as
 * objects. The parts of an answer are sent back as they came, for they may be signed. Whether there
 * are calls is seen in the parts: the reason of the end does not say it. */
#include "base/limits.h"
#include "base/text.h"
#include "runtime/protocol.h"

/* ## Contents */

static void put_text_part(struct json_writer *w, gramc_text text) {
    json_object_begin(w);
    json_member_text(w, "text", text);
    json_object_end(w);
}

static void put_call(struct json_writer *w, const gramc_model_call *call) {
    json_object_begin(w);
    json_member_object(w, "functionCall");
    if (!call->own_id) json_member_some(w, "id", call->id);
    json_member_text(w, "name", call->name);
    protocol_arguments(w, "args", call);
    json_object_end(w);
    json_object_end(w);
}

static void put_answer(struct json_writer *w, const struct message *message) {
    json_member_text(w, "role", TEXT("model"));
    if (message->opaque.len) {
        json_member_raw(w, "parts", message->opaque);
        return;
    }
    json_member_array(w, "parts");
    if (message->content.len) put_text_part(w, message->content);
    for (size_t i = 0; i < message->call_count; i++) put_call(w, &message->calls[i]);
    json_array_end(w);
}

static void put_result(struct json_writer *w, const struct message *message) {
    json_member_object(w, "functionResponse");
    if (!message->call->own_id) json_member_some(w, "id", message->call->id);
    json_member_text(w, "name", message->call->name);
    json_member_object(w, "response");
    json_member_text(w, message->failed ? "error" : "output", message->content);
    json_object_end(w);
    json_object_end(w);
}

static void put_message(struct buf *out, const struct message *message) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    switch (message->role) {
    case ROLE_USER:
        json_member_text(&w, "role", TEXT("user"));
        json_member_array(&w, "parts");
        put_text_part(&w, message->content);
        json_array_end(&w);
        break;
    case ROLE_ASSISTANT: put_answer(&w, message); break;
    case ROLE_TOOL: put_result(&w, message); break;
    }
    json_object_end(&w);
}

/* ## The request */

static void put_instruction(struct json_writer *w, gramc_text instruction) {
    if (instruction.len == 0) return;
    json_member_object(w, "systemInstruction");
    json_member_array(w, "parts");
    put_text_part(w, instruction);
    json_array_end(w);
    json_object_end(w);
}

static void put_mode(struct json_writer *w, gramc_text choice) {
    bool none = text_is(choice, "none"), automatic = text_is(choice, "auto");
    bool one = !none && !automatic && !text_is(choice, "required");
    json_member_object(w, "toolConfig");
    json_member_object(w, "functionCallingConfig");
    json_member_text(w, "mode", none ? TEXT("NONE") : automatic ? TEXT("AUTO") : TEXT("ANY"));
    if (one) {
        json_member_array(w, "allowedFunctionNames");
        json_text(w, choice);
        json_array_end(w);
    }
    json_object_end(w);
    json_object_end(w);
}

static void put_settings(struct json_writer *w, const struct request *request) {
    const gramc_agent *agent = request->agent;
    gramc_text type = {NULL, 0};
    if (request->answer_format.len) type = TEXT("\"application/json\"");
    const struct protocol_option settings[] = {{"temperature", agent->temperature},
                                               {"topP", agent->top_p},
                                               {"maxOutputTokens", agent->max_tokens},
                                               {"presencePenalty", agent->presence_penalty},
                                               {"frequencyPenalty", agent->frequency_penalty},
                                               {"seed", request->seed},
                                               {"responseJsonSchema", request->answer_format},
                                               {"responseMimeType", type}};
    protocol_options(w, "generationConfig", settings, sizeof(settings) / sizeof(settings[0]));
}

static void put_request(struct buf *out, const struct request *request) {
    struct json_writer w = json_writer(out);
    gramc_text choice = protocol_choice(request);
    json_object_begin(&w);
    protocol_turns(&w, "contents", request->talk, "parts");
    put_instruction(&w, request->instruction);
    if (request->tools.len) {
        json_member_raw(&w, "tools", request->tools);
        if (choice.len) put_mode(&w, choice);
    }
    put_settings(&w, request);
    json_object_end(&w);
}

/* ## Answers */

bool gemini_thought(const char **odd, const struct json *part) {
    const struct json *thought = json_get(part, "thought");
    bool said = json_is(thought, JSON_TRUE) || json_is(thought, JSON_FALSE);
    if (thought && !said && !json_is(thought, JSON_NULL)) *odd = "thought";
    return json_is(thought, JSON_TRUE);
}

/* What the model thought aloud is not its answer. */
static bool read_parts(struct reply *out, struct arena *arena, const struct json *parts) {
    struct buf text;
    bool good = true;
    buf_init(&text, &arena->allocator, 64 << 20);
    for (const struct json *part = parts->first; part && good; part = part->next) {
        const struct json *wanted = heeded(&out->odd, part, "functionCall", JSON_OBJECT);
        const struct json *said = heeded(&out->odd, part, "text", JSON_STRING);
        if (wanted)
            good = protocol_call(out, arena, parts->count, protocol_text(wanted, "id"), wanted,
                                 "args");
        if (!heeded_item(&out->odd, part, "parts") || gemini_thought(&out->odd, part) || !said)
            continue;
        out->has_content = true;
        buf_text(&text, said->text);
    }
    out->content = buf_to_arena(&text, arena);
    out->opaque = protocol_print(arena, parts);
    return good && out->content.ptr && !arena->oom;
}

/* Its other reasons are all failures: a call that it could not write, a language that it lacks. */
static bool is_failure(const struct reply *reply) {
    gramc_text reason = reply->finish_reason;
    return reply->finish == FINISH_STOP && reply->call_count == 0 && reason.len &&
           !text_is(reason, "STOP") && !text_is(reason, "FINISH_REASON_UNSPECIFIED");
}

static void read_usage(struct usage *out, const struct json *usage) {
    out->prompt = protocol_count(usage, "promptTokenCount");
    out->completion =
        protocol_count(usage, "candidatesTokenCount") + protocol_count(usage, "thoughtsTokenCount");
    out->total = protocol_count(usage, "totalTokenCount");
    out->cached = protocol_count(usage, "cachedContentTokenCount");
}

static gramc_status read_candidate(struct reply *out, struct arena *arena,
                                   const struct json *candidate) {
    const struct json *content = heeded(&out->odd, candidate, "content", JSON_OBJECT);
    const struct json *parts = heeded(&out->odd, content, "parts", JSON_ARRAY);
    out->finish_reason = heeded_text(&out->odd, candidate, "finishReason");
    out->finish = protocol_finish(out->finish_reason);
    if (parts && !read_parts(out, arena, parts)) return GRAMC_NOMEM;
    if (is_failure(out)) out->finish = FINISH_BROKEN;
    return GRAMC_OK;
}

/* A question that is blocked has no candidates. */
static gramc_status read_reply(struct reply *out, struct arena *arena, gramc_text body,
                               gramc_text *why) {
    *out = (struct reply){0};
    const struct json *json = protocol_body(arena, &body, why);
    const struct json *candidates = heeded(&out->odd, json, "candidates", JSON_ARRAY);
    const struct json *feedback = heeded(&out->odd, json, "promptFeedback", JSON_OBJECT);
    gramc_text blocked = heeded_text(&out->odd, feedback, "blockReason");
    if (!json) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    read_usage(&out->usage, json_get(json, "usageMetadata"));
    out->id = protocol_text(json, "responseId");
    out->model = protocol_text(json, "modelVersion");
    const struct json *first = candidates ? candidates->first : NULL;
    if (first && read_candidate(out, arena, heeded_item(&out->odd, first, "candidates")))
        return GRAMC_NOMEM;
    if (!first) {
        out->finish_reason = blocked;
        out->finish = FINISH_FILTER;
    }
    if (first || blocked.len || out->odd) return protocol_end(out, arena, why);
    *why = TEXT("the answer has no `candidates`");
    return GRAMC_FINDINGS;
}

const struct protocol protocol_gemini = {.name = "gemini",
                                         .target = "gemini",
                                         .path = "/models/*:generateContent",
                                         .stream_path = "/models/*:streamGenerateContent?alt=sse",
                                         .key = "x-goog-api-key: ",
                                         .lacks = SETTING_PARALLEL | SETTINGS_OF_OLLAMA |
                                                  SETTING_FORMAT_WITH_TOOLS,
                                         .message = put_message,
                                         .request = put_request,
                                         .reply = read_reply,
                                         .stream = &stream_gemini,
                                         .most_tools = MANY_TOOLS};
