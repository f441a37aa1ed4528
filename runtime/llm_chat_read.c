/* Reads the answers of OpenAI-compatible servers: a message with text or calls, or an error in one
 * of the shapes that are about. Takes what real servers send (calls without ids or wrapper,
 * arguments as an object, content in parts) and checks nothing but the shape. */
#include "base/text.h"
#include "runtime/llm_chat.h"

/* ## Calls */

static gramc_text read_arguments(struct arena *arena, const struct json *function) {
    const struct json *arguments = json_get(function, "arguments");
    if (json_is(arguments, JSON_STRING)) return arguments->text;
    if (!arguments || json_is(arguments, JSON_NULL)) return (gramc_text){"", 0};
    return protocol_print(arena, arguments);
}

/* The wrapper is `function`, or `custom` with free text as input, or missing. */
static void read_call(gramc_model_call *call, struct reply *out, struct arena *arena,
                      const struct json *item) {
    const struct json *wrapper = heeded(&out->odd, item, "function", JSON_OBJECT);
    if (!wrapper) wrapper = heeded(&out->odd, item, "custom", JSON_OBJECT);
    if (!wrapper) wrapper = item;
    call->id = protocol_text(item, "id");
    call->name = needed_text(&out->odd, wrapper, "name");
    call->arguments = read_arguments(arena, wrapper);
}

static bool read_calls(struct reply *out, struct arena *arena, const struct json *message) {
    const struct json *list = heeded(&out->odd, message, "tool_calls", JSON_ARRAY);
    const struct json *single = heeded(&out->odd, message, "function_call", JSON_OBJECT);
    bool many = list && list->count;
    if (!many && !single) return true;
    out->call_count = many ? list->count : 1;
    out->calls = arena_array(arena, out->call_count, sizeof(*out->calls));
    if (!out->calls) return false;
    out->legacy = !many;
    if (!many) {
        read_call(&out->calls[0], out, arena, single);
        return !arena->oom;
    }
    gramc_model_call *call = out->calls;
    for (const struct json *item = list->first; item; item = item->next)
        read_call(call++, out, arena, heeded_item(&out->odd, item, "tool_calls"));
    return !arena->oom;
}

/* ## The message */

static bool read_content(struct reply *out, struct arena *arena, const struct json *message) {
    const struct json *content = json_get(message, "content");
    out->refusal = heeded_text(&out->odd, message, "refusal");
    out->has_content = json_is(content, JSON_STRING) || json_is(content, JSON_ARRAY);
    if (json_is(content, JSON_ARRAY)) return protocol_join(&out->content, arena, content, "text");
    out->content = heeded_text(&out->odd, message, "content");
    return true;
}

static void read_usage(struct usage *out, const struct json *usage) {
    out->prompt = protocol_count(usage, "prompt_tokens");
    out->completion = protocol_count(usage, "completion_tokens");
    out->total = protocol_count(usage, "total_tokens");
    out->cached = protocol_count(json_get(usage, "prompt_tokens_details"), "cached_tokens");
}

/* The message of the first choice; NULL with a reason if there is none. */
static const struct json *find_message(const struct json *body, gramc_text *why) {
    const struct json *choices = json_get(body, "choices");
    if (!json_is(choices, JSON_ARRAY)) *why = TEXT("the answer has no `choices`");
    else if (!choices->first) *why = TEXT("the answer's `choices` are empty");
    else if (!json_is(json_get(choices->first, "message"), JSON_OBJECT))
        *why = TEXT("the answer's first choice has no `message`");
    else return json_get(choices->first, "message");
    return NULL;
}

gramc_status chat_reply(struct reply *out, struct arena *arena, gramc_text body, gramc_text *why) {
    *out = (struct reply){0};
    const struct json *json = protocol_body(arena, &body, why);
    const struct json *message = json ? find_message(json, why) : NULL;
    if (!message) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    if (!read_content(out, arena, message) || !read_calls(out, arena, message)) return GRAMC_NOMEM;
    out->finish_reason = heeded_text(&out->odd, json_get(json, "choices")->first, "finish_reason");
    out->finish = protocol_finish(out->finish_reason);
    read_usage(&out->usage, json_get(json, "usage"));
    out->id = protocol_text(json, "id");
    out->model = protocol_text(json, "model");
    out->system_fingerprint = protocol_text(json, "system_fingerprint");
    /* What the model thought, which OpenRouter wants back as it came: it may be signed. */
    const struct json *details = json_get(message, "reasoning_details");
    if (json_is(details, JSON_ARRAY) && details->count)
        out->opaque = protocol_print(arena, details);
    return protocol_end(out, arena, why);
}
