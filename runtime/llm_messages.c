/* Anthropic's Messages: the instruction stands apart, an answer is a list of blocks, and all
 * results of one answer come back in one message of the user. The blocks of an answer are sent back
 * as they came, for among them may be thinking that is signed. */
#include "base/text.h"
#include "runtime/protocol.h"

/* `max_tokens` has to be said, and more than a model can write is refused: what each can, as far
 * as it is answered in one piece without a timeout. The first that fits; the last fits all. */
static const struct {
    const char *begins, *most;
} usual_max_tokens[] = {
    {"claude-3-opus", "4096"}, {"claude-3-sonnet", "4096"}, {"claude-3-haiku", "4096"},
    {"claude-2", "4096"},      {"claude-3-5", "8192"},      {"", "16384"},
};

static gramc_text max_tokens(const struct request *request) {
    size_t i = 0;
    if (request->agent->max_tokens.len) return request->agent->max_tokens;
    while (!text_starts(request->model, usual_max_tokens[i].begins)) i++;
    return text_of(usual_max_tokens[i].most);
}

enum { BLOCKS_MAX = 64 << 20 };

/* ## Messages */

static void put_text_block(struct json_writer *w, gramc_text text) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("text"));
    json_member_text(w, "text", text);
    json_object_end(w);
}

static void put_call(struct json_writer *w, const gramc_model_call *call) {
    json_object_begin(w);
    json_member_text(w, "type", TEXT("tool_use"));
    json_member_text(w, "id", call->id);
    json_member_text(w, "name", call->name);
    protocol_arguments(w, "input", call);
    json_object_end(w);
}

/* An empty text is refused. */
static void put_blocks(struct json_writer *w, const struct message *message) {
    if (message->opaque.len) {
        json_member_raw(w, "content", message->opaque);
        return;
    }
    json_member_array(w, "content");
    if (message->content.len) put_text_block(w, message->content);
    for (size_t i = 0; i < message->call_count; i++) put_call(w, &message->calls[i]);
    json_array_end(w);
}

static void put_result(struct json_writer *w, const struct message *message) {
    json_member_text(w, "type", TEXT("tool_result"));
    json_member_text(w, "tool_use_id", message->call->id);
    json_member_text(w, "content", message->content);
    if (message->failed) json_member_bool(w, "is_error", true);
}

static void put_message(struct buf *out, const struct message *message) {
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    switch (message->role) {
    case ROLE_USER:
        json_member_text(&w, "role", TEXT("user"));
        json_member_text(&w, "content", message->content);
        break;
    case ROLE_ASSISTANT:
        json_member_text(&w, "role", TEXT("assistant"));
        put_blocks(&w, message);
        break;
    case ROLE_TOOL: put_result(&w, message); break;
    }
    json_object_end(&w);
}

/* ## The request */

/* The type of a choice; a tool's name has one of its own. */
static gramc_text type_of_choice(gramc_text choice) {
    static const struct {
        const char *ours;
        gramc_text theirs;
    } words[] = {
        {"", {"auto", 4}}, {"auto", {"auto", 4}}, {"none", {"none", 4}}, {"required", {"any", 3}}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (text_is(choice, words[i].ours)) return words[i].theirs;
    return TEXT("tool");
}

static void put_choice(struct json_writer *w, const struct request *request) {
    gramc_text choice = protocol_choice(request), type = type_of_choice(choice);
    bool one_by_one = request->agent->parallel_tool_calls == 0 && !text_is(type, "none");
    if (choice.len == 0 && !one_by_one) return;
    json_member_object(w, "tool_choice");
    json_member_text(w, "type", type);
    if (text_is(type, "tool")) json_member_text(w, "name", choice);
    if (one_by_one) json_member_bool(w, "disable_parallel_tool_use", true);
    json_object_end(w);
}

static void put_request(struct buf *out, const struct request *request) {
    const gramc_agent *agent = request->agent;
    struct json_writer w = json_writer(out);
    json_object_begin(&w);
    json_member_text(&w, "model", request->model);
    json_member_raw(&w, "max_tokens", max_tokens(request));
    if (request->instruction.len) json_member_text(&w, "system", request->instruction);
    protocol_turns(&w, "messages", request->talk, "content");
    protocol_setting(&w, "temperature", agent->temperature);
    protocol_setting(&w, "top_p", agent->top_p);
    if (request->tools.len) {
        json_member_raw(&w, "tools", request->tools);
        put_choice(&w, request);
    }
    if (request->answer_format.len) {
        json_member_object(&w, "output_config");
        json_member_raw(&w, "format", request->answer_format);
        json_object_end(&w);
    }
    if (request->stream) json_member_bool(&w, "stream", true);
    json_object_end(&w);
}

/* ## Answers */

/* An input that is no object, as of a stream whose pieces were no JSON, is refused when it comes
 * back: an empty one stands for it then. */
static void put_back(struct json_writer *w, const struct json *block) {
    bool is_call = text_is(protocol_text(block, "type"), "tool_use");
    json_object_begin(w);
    for (const struct json *member = block->first; member; member = member->next) {
        bool is_input = is_call && text_is(member->key, "input");
        json_key_text(w, member->key);
        if (is_input && !json_is(member, JSON_OBJECT)) json_raw(w, TEXT("{}"));
        else json_value(w, member);
    }
    json_object_end(w);
}

static gramc_text print_blocks(struct arena *arena, const struct json *blocks) {
    struct buf out;
    buf_init(&out, &arena->allocator, BLOCKS_MAX);
    struct json_writer w = json_writer(&out);
    json_array_begin(&w);
    for (const struct json *block = blocks->first; block; block = block->next)
        if (json_is(block, JSON_OBJECT)) put_back(&w, block);
        else json_value(&w, block);
    json_array_end(&w);
    return buf_to_arena(&out, arena);
}

static bool read_blocks(struct reply *out, struct arena *arena, const struct json *blocks) {
    for (const struct json *block = blocks->first; block; block = block->next) {
        gramc_text type = needed_text(&out->odd, block, "type");
        if (text_is(type, "text")) {
            out->has_content = true;
            (void)heeded_text(&out->odd, block, "text");
        }
        if (text_is(type, "tool_use") &&
            !protocol_call(out, arena, blocks->count, protocol_text(block, "id"), block, "input"))
            return false;
    }
    out->opaque = print_blocks(arena, blocks);
    return protocol_join(&out->content, arena, blocks, "text") && !arena->oom;
}

static void read_end(struct reply *out, const struct json *body) {
    gramc_text reason = heeded_text(&out->odd, body, "stop_reason");
    out->finish_reason = reason;
    out->finish = protocol_finish(reason);
    if (text_is(reason, "refusal"))
        out->refusal = out->content.len ? out->content : TEXT("the model refused to answer");
}

static void read_usage(struct usage *out, const struct json *usage) {
    out->cached = protocol_count(usage, "cache_read_input_tokens");
    out->prompt = protocol_count(usage, "input_tokens") + out->cached +
                  protocol_count(usage, "cache_creation_input_tokens");
    out->completion = protocol_count(usage, "output_tokens");
    out->total = out->prompt + out->completion;
}

static gramc_status read_reply(struct reply *out, struct arena *arena, gramc_text body,
                               gramc_text *why) {
    *out = (struct reply){0};
    const struct json *json = protocol_body(arena, &body, why);
    const struct json *blocks =
        protocol_part(json, "content", JSON_ARRAY, "the answer has no `content`", why);
    if (!blocks) return arena->oom ? GRAMC_NOMEM : GRAMC_FINDINGS;
    if (!read_blocks(out, arena, blocks)) return GRAMC_NOMEM;
    read_end(out, json);
    out->id = protocol_text(json, "id");
    out->model = protocol_text(json, "model");
    read_usage(&out->usage, json_get(json, "usage"));
    return protocol_end(out, arena, why);
}

const struct protocol protocol_messages = {.name = "messages",
                                           .target = "anthropic",
                                           .path = "/messages",
                                           .key = "x-api-key: ",
                                           .version = "anthropic-version: 2023-06-01",
                                           .lacks = SETTING_PRESENCE | SETTING_FREQUENCY |
                                                    SETTING_SEED | SETTINGS_OF_OLLAMA,
                                           .by_id = true,
                                           .message = put_message,
                                           .request = put_request,
                                           .reply = read_reply,
                                           .stream = &stream_messages};
