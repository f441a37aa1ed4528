/* Reads the answers of OpenAI-compatible servers: a message with text or calls, or an error in one
 * of the shapes that are about. Takes what real servers send (calls without ids or wrapper,
 * arguments as an object, content in parts) and judges nothing but the shape. */
#include "base/json/json.h"
#include "base/text.h"
#include "runtime/llm.h"
#include "base/number.h"

enum { TEXT_MAX = 64 << 20 };

static gramc_text text_member(const struct json *object, const char *key) {
    const struct json *member = json_get(object, key);
    return json_is(member, JSON_STRING) ? member->text : (gramc_text){NULL, 0};
}

static gramc_text printed(struct arena *arena, const struct json *value) {
    struct buf out;
    buf_init(&out, &arena->allocator, TEXT_MAX);
    json_put(&out, value);
    return buf_to_arena(&out, arena);
}

/* ## Calls */

static gramc_text read_arguments(struct arena *arena, const struct json *function) {
    const struct json *arguments = json_get(function, "arguments");
    if (json_is(arguments, JSON_STRING)) return arguments->text;
    if (!arguments || json_is(arguments, JSON_NULL)) return (gramc_text){"", 0};
    return printed(arena, arguments);
}

/* The wrapper is `function`, or `custom` with free text as input, or missing. */
static void read_call(struct call *out, struct arena *arena, const struct json *item) {
    const struct json *wrapper = json_get(item, "function");
    if (!wrapper) wrapper = json_get(item, "custom");
    if (!json_is(wrapper, JSON_OBJECT)) wrapper = item;
    out->id = text_member(item, "id");
    out->name = text_member(wrapper, "name");
    out->arguments = read_arguments(arena, wrapper);
}

static bool read_calls(struct reply *out, struct arena *arena, const struct json *message) {
    const struct json *list = json_get(message, "tool_calls");
    const struct json *single = json_get(message, "function_call");
    bool many = json_is(list, JSON_ARRAY) && list->count;
    if (!many && !json_is(single, JSON_OBJECT)) return true;
    out->call_count = many ? list->count : 1;
    out->calls = arena_array(arena, out->call_count, sizeof(*out->calls));
    if (!out->calls) return false;
    out->legacy = !many;
    if (!many) {
        read_call(&out->calls[0], arena, single);
        return !arena->oom;
    }
    struct call *call = out->calls;
    for (const struct json *item = list->first; item; item = item->next)
        read_call(call++, arena, item);
    return !arena->oom;
}

/* ## The message */

static bool read_parts(gramc_text *out, struct arena *arena, const struct json *parts) {
    struct buf text;
    buf_init(&text, &arena->allocator, TEXT_MAX);
    for (const struct json *part = parts->first; part; part = part->next)
        buf_text(&text, text_member(part, "text"));
    *out = buf_to_arena(&text, arena);
    return out->ptr;
}

static bool read_content(struct reply *out, struct arena *arena, const struct json *message) {
    const struct json *content = json_get(message, "content");
    out->refusal = text_member(message, "refusal");
    out->has_content = json_is(content, JSON_STRING) || json_is(content, JSON_ARRAY);
    if (json_is(content, JSON_STRING)) out->content = content->text;
    if (json_is(content, JSON_ARRAY)) return read_parts(&out->content, arena, content);
    return true;
}

static enum finish read_finish(gramc_text reason) {
    if (text_is(reason, "length")) return FINISH_LENGTH;
    return text_is(reason, "content_filter") ? FINISH_FILTER : FINISH_STOP;
}

static uint64_t read_count(const struct json *usage, const char *key) {
    const struct json *count = json_get(usage, key);
    int64_t number;
    if (!json_is(count, JSON_NUMBER) || !number_to_int(&number, count->text)) return 0;
    return number < 0 ? 0 : (uint64_t)number;
}

static void read_usage(struct usage *out, const struct json *usage) {
    out->prompt = read_count(usage, "prompt_tokens");
    out->completion = read_count(usage, "completion_tokens");
    out->total = read_count(usage, "total_tokens");
}

const char openai_no_object[] = "the answer is not a JSON object";

/* The message of the first choice; NULL with a reason if there is none. */
static const struct json *find_message(struct arena *arena, const struct json *body, gramc_text raw,
                                       gramc_text *why) {
    const struct json *choices = json_get(body, "choices");
    gramc_text code;
    if (!json_is(body, JSON_OBJECT)) *why = text_of(openai_no_object);
    else if (json_get(body, "error")) *why = openai_error(arena, raw, &code);
    else if (!json_is(choices, JSON_ARRAY)) *why = TEXT("the answer has no `choices`");
    else if (!choices->first) *why = TEXT("the answer's `choices` are empty");
    else if (!json_is(json_get(choices->first, "message"), JSON_OBJECT))
        *why = TEXT("the answer's first choice has no `message`");
    else return json_get(choices->first, "message");
    return NULL;
}

gramc_status openai_reply(struct reply *out, struct arena *arena, gramc_text body,
                          gramc_text *why) {
    *out = (struct reply){0};
    body = json_mended(arena, body);
    const struct json *json = json_parse(arena, body, NULL);
    if (arena->oom) return GRAMC_NOMEM;
    const struct json *message = find_message(arena, json, body, why);
    if (!message) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    if (!read_content(out, arena, message) || !read_calls(out, arena, message)) return GRAMC_NOMEM;
    out->finish_reason = text_member(json_get(json, "choices")->first, "finish_reason");
    out->finish = read_finish(out->finish_reason);
    read_usage(&out->usage, json_get(json, "usage"));
    return GRAMC_OK;
}

/* ## Errors */

/* {"error":{"message","code"}} with code a text or a number; {"error":"text"};
 * {"object":"error","message"}; {"message"}; anything else. */
gramc_text openai_error(struct arena *arena, gramc_text body, gramc_text *code) {
    body = json_mended(arena, body);
    const struct json *json = json_parse(arena, body, NULL);
    const struct json *error = json_get(json, "error");
    *code = (gramc_text){NULL, 0};
    if (json_is(error, JSON_STRING)) return error->text;
    if (!json_is(error, JSON_OBJECT)) error = json;
    const struct json *code_member = json_get(error, "code");
    if (json_is(code_member, JSON_STRING) || json_is(code_member, JSON_NUMBER))
        *code = code_member->text;
    gramc_text message = text_member(error, "message");
    return message.len ? message : body;
}
